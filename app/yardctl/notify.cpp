#include "app/yardctl/notify.h"

#include "app/yardctl/output_follower.h"
#include "core/base/environment.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr int kLongestMs = 3'000;

bool hasDesktop() {
    constexpr std::array kSigns = {"DBUS_SESSION_BUS_ADDRESS", "WAYLAND_DISPLAY", "DISPLAY"};
    return std::ranges::any_of(kSigns, [](const char* sign) { return !environment(sign).value_or("").empty(); });
}

/// Whether it ended well in time. What takes longer is ended.
bool endsWell(pid_t pid) {
    // The header of glibc 2.36 declares pidfd_open() for C alone.
    const UniqueFd child(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    pollfd wait{child.get(), POLLIN, 0};
    if (!child || ::poll(&wait, 1, kLongestMs) <= 0) ::kill(pid, SIGKILL);
    int status = 0;
    return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool showOnDesktop(std::string title, std::string text) {
    SpawnPlan plan(SpawnPlan::Apart::No); // run has blocked some signals
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) plan.open("/dev/null", O_RDWR, fd);
    pid_t pid = -1;
    const int err =
        plan.run(pid, {"notify-send", "--app-name=Yardmaster", "--", std::move(title), std::move(text)});
    return err == 0 && endsWell(pid);
}

} // namespace

void notifyOf(const std::string& title, const std::string& text) {
    if (hasDesktop() && showOnDesktop(title, text)) return;
    if (::isatty(STDERR_FILENO) == 1) (void)writeOutput(STDERR_FILENO, "\a");
}

} // namespace yard::ctl

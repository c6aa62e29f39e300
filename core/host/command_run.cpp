#include "core/host/command_run.h"

#include "core/base/files.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::host {

namespace {

constexpr int kLookMs = 100; ///< so often it is looked whether to stop

struct CommandPipe {
    UniqueFd read;
    UniqueFd write;

    Result<void> open() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failErrno("make a pipe", errno);
        read = UniqueFd(ends[0]);
        write = UniqueFd(ends[1]);
        // The other end is the command's, and stays as commands expect it.
        if (::fcntl(read.get(), F_SETFL, O_NONBLOCK) != 0) return failErrno("prepare a pipe", errno);
        return {};
    }
};

Result<UniqueFd> inputOf(std::string_view text) {
    UniqueFd fd(::memfd_create("yard-command", MFD_CLOEXEC));
    if (!fd) return failErrno("make a memory file", errno);
    if (auto written = writeAll(fd.get(), text); !written) return std::unexpected(written.error());
    if (::lseek(fd.get(), 0, SEEK_SET) != 0) return failErrno("read a memory file", errno);
    return fd;
}

/// As this process has it, with what the order adds or says otherwise.
std::vector<std::string> environmentOf(const CommandOrder& order) {
    std::vector<std::string> all;
    for (char** each = environ; each && *each; ++each) {
        const std::string_view text(*each);
        const std::string_view name = text.substr(0, text.find('='));
        const bool isGiven = std::ranges::any_of(order.env, [&](const auto& own) { return own.first == name; });
        if (!isGiven) all.emplace_back(text);
    }
    for (const auto& [name, value] : order.env) all.push_back(fmt::format("{}={}", name, value));
    return all;
}

Result<pid_t> spawn(const CommandOrder& order, int in, int out, int err) {
    SpawnPlan plan(SpawnPlan::Apart::Group);
    plan.give(in, STDIN_FILENO);
    plan.give(out, STDOUT_FILENO);
    plan.give(err, STDERR_FILENO);
    pid_t pid = -1;
    const int failed = plan.run(pid, order.argv, environmentOf(order));
    if (failed != 0) return failErrno(fmt::format("start {}", order.argv.front()), failed);
    return pid;
}

/// Reads what is there, and no more than a pipe holds: a command that never stops printing has its time, too. False:
/// there is nothing more to come.
bool drain(int fd, std::string& into, bool& isTooLong) {
    constexpr int kMostReads = 64;
    std::array<char, 1u << 16> bytes;
    for (int reads = 0; reads < kMostReads; ++reads) {
        const ssize_t got = ::read(fd, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        const std::size_t room = CommandOrder::kMostOutput - into.size();
        const std::size_t taken = std::min(room, static_cast<std::size_t>(got));
        into.append(bytes.data(), taken);
        isTooLong |= taken < static_cast<std::size_t>(got);
    }
    return true;
}

/// One command that runs. Its end is waited for, in any case.
class Running {
public:
    explicit Running(pid_t pid)
        : pid_(pid)
        , end_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        if (!isReaped_) kill();
    }
    int endFd() const { return end_.get(); }
    void kill() {
        ::kill(-pid_, SIGKILL);
        (void)wait();
    }
    int wait() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        isReaped_ = true;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }

private:
    pid_t pid_;
    UniqueFd end_;
    bool isReaped_ = false;
};

} // namespace

Result<CommandEnd> runCommand(const CommandOrder& order, const std::stop_token& stop) {
    const auto endedWithEngine = [&order] {
        return fail(ErrorKind::NotAccepting, fmt::format("{} was ended with the engine.", order.argv.front()));
    };
    if (stop.stop_requested()) return endedWithEngine();
    CommandPipe out;
    CommandPipe err;
    for (CommandPipe* pipe : {&out, &err})
        if (auto opened = pipe->open(); !opened) return std::unexpected(opened.error());
    auto input = inputOf(order.input);
    if (!input) return std::unexpected(input.error());
    const auto pid = spawn(order, input->get(), out.write.get(), err.write.get());
    if (!pid) return std::unexpected(pid.error());
    out.write.reset();
    err.write.reset();
    Running running(*pid);
    if (running.endFd() < 0) return failErrno("watch a command", errno);
    const MonoTime until = MonoClock::now() + order.limit;
    CommandEnd end;
    std::array<pollfd, 3> fds{
        {{running.endFd(), POLLIN, 0}, {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}}};
    for (;;) {
        if (::poll(fds.data(), fds.size(), kLookMs) < 0 && errno != EINTR) return failErrno("wait", errno);
        // A stream that has ended is readable over and over.
        if (!drain(out.read.get(), end.out, end.isTooLong)) fds[1].fd = -1;
        if (!drain(err.read.get(), end.err, end.isTooLong)) fds[2].fd = -1;
        if ((fds[0].revents & POLLIN) != 0) break;
        if (stop.stop_requested()) return endedWithEngine();
        if (MonoClock::now() >= until)
            return fail(ErrorKind::Io,
                        fmt::format("{} took longer than {} s, and was ended.", order.argv.front(),
                                    std::chrono::duration_cast<std::chrono::seconds>(order.limit).count()));
    }
    end.exitCode = running.wait();
    // What it wrote last; what it left running may hold the other end, and is not waited for.
    (void)drain(out.read.get(), end.out, end.isTooLong);
    (void)drain(err.read.get(), end.err, end.isTooLong);
    return end;
}

} // namespace yard::host

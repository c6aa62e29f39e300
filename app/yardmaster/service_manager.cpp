#include "app/yardmaster/service_manager.h"

#include "core/base/environment.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace yard::app {

namespace {

std::optional<std::int64_t> numberIn(const char* variable) {
    const std::string text = environmentOrEmpty(variable);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number <= 0) return std::nullopt;
    return number;
}

/// Nothing for what is no name of a socket.
std::optional<std::pair<sockaddr_un, socklen_t>> addressOf(const std::string& name) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const bool isName = name.starts_with('/') || (name.starts_with('@') && name.size() > 1);
    if (!isName || name.size() >= sizeof address.sun_path) return std::nullopt;
    std::ranges::copy(name, std::begin(address.sun_path));
    if (name.front() == '@') address.sun_path[0] = '\0'; // an abstract one has no file
    return std::pair{address, static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())};
}

} // namespace

ServiceManager ServiceManager::fromEnvironment() {
    ServiceManager manager;
    manager.socket_ = environmentOrEmpty("NOTIFY_SOCKET");
    // The time may be meant for a process that started this one.
    const auto watched = numberIn("WATCHDOG_PID");
    if (const auto patience = numberIn("WATCHDOG_USEC"); patience && (!watched || *watched == ::getpid()))
        manager.patience_ = std::chrono::microseconds(*patience);
    for (const char* variable : {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"})
        ::unsetenv(variable); // NOLINT(concurrency-mt-unsafe): no other thread yet
    return manager;
}

void ServiceManager::serving(std::string_view url) const {
    tell(fmt::format("READY=1\nSTATUS=Serving at {}", url));
}

void ServiceManager::alive() const {
    tell("WATCHDOG=1");
}

void ServiceManager::ending() const {
    tell("STOPPING=1\nSTATUS=Ending");
}

void ServiceManager::tell(std::string_view lines) const {
    if (socket_.empty()) return;
    const auto address = addressOf(socket_);
    const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    // One that does not read must not keep the engine from its end.
    constexpr timeval kPatience{.tv_sec = 1, .tv_usec = 0};
    if (address && fd && ::setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience) == 0 &&
        ::sendto(fd.get(), lines.data(), lines.size(), MSG_NOSIGNAL,
                 reinterpret_cast<const sockaddr*>(&address->first), address->second) >= 0)
        return;
    logWarning("main", "the service manager at {} is not told: {}", socket_,
               address ? std::generic_category().message(errno) : "that is no name of a socket");
}

} // namespace yard::app

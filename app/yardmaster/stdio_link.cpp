#include "app/yardmaster/stdio_link.h"

#include "app/yardmaster/looking.h"
#include "app/yardmaster/signal_to.h"
#include "core/base/hash.h"
#include "core/base/stdio_link.h"
#include "core/base/thread_name.h"
#include "core/engine/engine.h"
#include "core/engine/guests/guests.h"
#include "core/engine/guests/join.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace yard::app {

namespace {

using Until = std::chrono::steady_clock::time_point;

Result<void> makeNonBlocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return failErrno("prepare a standard stream for the link", errno);
    return {};
}

/// False: not in time.
bool comesBy(int fd, Until until) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd wait{fd, POLLIN, 0};
        const int ready = ::poll(&wait, 1, static_cast<int>(left.count()));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

/// The line's key; nothing of what is behind it is read.
std::optional<std::string> keyFrom(int fd, std::chrono::milliseconds limit) {
    constexpr std::size_t kKeyDigits = 2 * engine::kKeyBytes;
    const std::size_t wanted = kStdioGreeting.size() + kKeyDigits + 1;
    const Until until = std::chrono::steady_clock::now() + limit;
    std::string line;
    while (line.size() < wanted) {
        std::array<char, 128> room{};
        if (!comesBy(fd, until)) return std::nullopt;
        const ssize_t got = ::read(fd, room.data(), std::min(room.size(), wanted - line.size()));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0) return std::nullopt;
        line.append(room.data(), static_cast<std::size_t>(got));
    }
    if (!line.starts_with(kStdioGreeting) || line.back() != '\n') return std::nullopt;
    std::string key = line.substr(kStdioGreeting.size(), kKeyDigits);
    if (!engine::isMachineKey(key)) return std::nullopt;
    return key;
}

/// False: `stop` is readable, or the descriptor is of no use.
bool waitFor(int fd, short what, int stop) {
    std::array<pollfd, 2> waits{{{fd, what, 0}, {stop, POLLIN, 0}}};
    while (::poll(waits.data(), waits.size(), -1) < 0)
        if (errno != EINTR) return false;
    return waits[1].revents == 0;
}

bool writeOn(int fd, std::string_view bytes, int stop) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put > 0)
            bytes.remove_prefix(static_cast<std::size_t>(put));
        else if (put < 0 && errno == EINTR)
            continue;
        else if (put == 0 || errno != EAGAIN || !waitFor(fd, POLLOUT, stop))
            return false;
    }
    return true;
}

/// Until either ends.
void carry(int from, int to, int stop) {
    constexpr std::size_t kCarried = 16u << 10;
    std::array<char, kCarried> room{};
    while (waitFor(from, POLLIN, stop)) {
        const ssize_t got = ::read(from, room.data(), room.size());
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (got <= 0 || !writeOn(to, {room.data(), static_cast<std::size_t>(got)}, stop)) return;
    }
}

coro::Task<void> comeTo(engine::Engine& engine, std::string key, std::shared_ptr<UniqueFd> socket, bool& taken) {
    taken = co_await engine.ask(&engine::Guests::came, std::move(key), std::string("ssh"), std::move(socket));
}

} // namespace

std::string StdioEnds::directory() const {
    constexpr std::size_t kDigits = 16;
    return "linked/" + Sha256::of(key).hex().substr(0, kDigits);
}

Result<StdioEnds> greetedEnds(UniqueFd in, UniqueFd out, std::chrono::milliseconds limit) {
    for (const UniqueFd* fd : {&in, &out})
        if (auto fine = makeNonBlocking(fd->get()); !fine) return std::unexpected(fine.error());
    auto key = keyFrom(in.get(), limit);
    if (!key)
        return invalid("link_stdio",
                       "--link-stdio is for an engine that starts this program by ssh (yardctl machines "
                       "add ssh://USER@HOST), and none speaks here.");
    return StdioEnds{.in = std::move(in), .out = std::move(out), .key = std::move(*key)};
}

Result<StdioEnds> takeStdio(std::chrono::milliseconds limit) {
    UniqueFd in(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    UniqueFd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
    const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!in || !out || !nothing) return failErrno("take the standard streams for the link", errno);
    if (::dup2(nothing.get(), STDIN_FILENO) < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return failErrno("take the standard streams for the link", errno);
    return greetedEnds(std::move(in), std::move(out), limit);
}

StdioLink::StdioLink(engine::Engine& engine, StdioEnds ends)
    : ends_(std::move(ends))
    , over_(::eventfd(0, EFD_CLOEXEC))
    , stop_(::eventfd(0, EFD_CLOEXEC)) {
    std::array<int, 2> pair{};
    if (!over_ || !stop_ || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0)
        return;
    inner_ = UniqueFd(pair[0]);
    bool taken = false;
    runHere("link over stdio", comeTo(engine, ends_.key, std::make_shared<UniqueFd>(pair[1]), taken));
    if (!taken || !writeOn(ends_.out.get(), kStdioReady, stop_.get())) return;
    isUp_ = true;
    const auto carrying = [this](int from, int to) {
        nameThisThread("link");
        carry(from, to, stop_.get());
        signalTo(over_.get());
    };
    up_ = std::jthread(carrying, ends_.in.get(), inner_.get());
    down_ = std::jthread(carrying, inner_.get(), ends_.out.get());
}

StdioLink::~StdioLink() {
    if (stop_) signalTo(stop_.get());
}

} // namespace yard::app

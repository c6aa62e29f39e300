#include "app/yardctl/terminal_session.h"

#include "app/yardctl/output_follower.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostInOne = 64u << 10;
constexpr std::chrono::seconds kLongestAnswer{10};
constexpr std::chrono::milliseconds kAgain{100};
/// A connection that was idle may be closed by the engine just when the next key goes, which must not be sent twice.
constexpr std::chrono::seconds kFreshFor{5};

} // namespace

TerminalSize rowApart(TerminalSize size) {
    return {.rows = size.rows > 1 ? size.rows - 1 : size.rows + 1, .cols = size.cols};
}

TerminalSession::TerminalSession(OwnTerminal& terminal, std::unique_ptr<Engine> engine, What what)
    : terminal_(terminal)
    , engine_(std::move(engine))
    , what_(std::move(what))
    , stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
    , size_(what_.size) {
    checkSize();
    reader_ = std::thread([this] { readKeys(); });
    sender_ = std::thread([this] { send(); });
}

TerminalSession::~TerminalSession() {
    {
        const ThreadLock lock(mutex_);
        stopping_ = true;
        engine_->interrupt();
    }
    ::eventfd_write(stop_.get(), 1);
    changed_.notifyAll();
    reader_.join();
    sender_.join();
}

void TerminalSession::checkSize() {
    const TerminalSize now = OwnTerminal::size();
    const ThreadLock lock(mutex_);
    if (now == size_) return;
    size_ = now;
    newSize_ = now;
    changed_.notifyAll();
}

void TerminalSession::drawAgain() {
    const TerminalSize now = OwnTerminal::size();
    const ThreadLock lock(mutex_);
    apart_ = rowApart(now);
    size_ = now;
    newSize_ = now;
    changed_.notifyAll();
}

bool TerminalSession::isFull() {
    const ThreadLock lock(mutex_);
    return unsent_.size() + kMostInOne > kMostUnsent;
}

void TerminalSession::readKeys() {
    std::array<char, 4096> piece{};
    for (;;) {
        const bool full = isFull();
        std::array<pollfd, 2> wait = {{{stop_.get(), POLLIN, 0}, {full ? -1 : STDIN_FILENO, POLLIN, 0}}};
        ::poll(wait.data(), wait.size(), full ? static_cast<int>(kAgain.count()) : -1);
        if (wait[0].revents != 0) return;
        if (wait[1].revents == 0) continue;
        const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n <= 0) return what_.hungUp();
        takeTyped({piece.data(), static_cast<std::size_t>(n)});
    }
}

void TerminalSession::takeTyped(std::string_view typed) {
    while (!typed.empty()) {
        const EscapeKeys::Taken taken = escape_.take(typed);
        typed.remove_prefix(taken.used);
        if (!taken.keys.empty()) {
            const ThreadLock lock(mutex_);
            unsent_ += taken.keys;
            changed_.notifyAll();
        }
        obey(taken.command);
    }
}

void TerminalSession::obey(EscapeCommand command) {
    switch (command) {
    case EscapeCommand::None: return;
    case EscapeCommand::Leave: return what_.leave();
    case EscapeCommand::Help: (void)writeOutput(STDERR_FILENO, EscapeKeys::help()); return;
    case EscapeCommand::Suspend:
        terminal_.suspend();
        checkSize();
        return;
    }
}

Call TerminalSession::keysCall(std::string keys) const {
    Call call{.method = "POST", .path = fmt::format("jobs/{}/terminal", what_.lsn), .silence = kLongestAnswer};
    call.body = std::move(keys);
    call.contentType = "application/octet-stream";
    return call;
}

Call TerminalSession::sizeCall(TerminalSize size) const {
    Call call{.method = "PATCH",
              .path = fmt::format("jobs/{}/terminal?seat={}", what_.lsn, what_.seat),
              .silence = kLongestAnswer};
    call.body = fmt::format(R"({{"rows":{},"cols":{}}})", size.rows, size.cols);
    return call;
}

TerminalSession::Sent TerminalSession::sendOne(const Call& call) {
    const auto answer = engine_->call(call);
    if (answer) {
        isToldLost_ = false;
        return Sent::Yes;
    }
    if (answer.error().kind == ErrorKind::Busy) return Sent::Later;
    if (isGone(answer.error())) tellLost();
    return Sent::Lost;
}

void TerminalSession::tellLost() {
    if (engine_->isInterrupted() || std::exchange(isToldLost_, true)) return;
    (void)writeOutput(STDERR_FILENO,
                      fmt::format("\r\nyardctl: the engine does not answer; it is looked for. Enter and ~. "
                                  "leave action {} to it.\r\n",
                                  what_.lsn));
}

void TerminalSession::send() {
    auto lastUse = std::chrono::steady_clock::now();
    ThreadLock lock(mutex_);
    while (!stopping_) {
        if (unsent_.empty() && !newSize_) {
            changed_.wait(mutex_);
            continue;
        }
        if (std::chrono::steady_clock::now() - lastUse > kFreshFor) engine_ = engine_->another();
        const std::optional<TerminalSize> size = std::exchange(apart_ ? apart_ : newSize_, std::nullopt);
        const std::string keys = size ? std::string() : unsent_.substr(0, kMostInOne);
        lock.unlock();
        const Sent sent = sendOne(size ? sizeCall(*size) : keysCall(keys));
        lastUse = std::chrono::steady_clock::now();
        lock.lock();
        if (!size && sent != Sent::Later) unsent_.erase(0, keys.size()); // of what was lost nobody knows how much
        if (size && sent != Sent::Yes && !newSize_) newSize_ = size;
        if (sent == Sent::Yes) continue;
        const auto again = std::chrono::steady_clock::now() + kAgain;
        while (!stopping_ && changed_.waitUntil(mutex_, again)) {
        }
    }
}

} // namespace yard::ctl

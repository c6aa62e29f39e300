#include "core/engine/running/terminal.h"

#include "core/coro/loop.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h> // NOLINT(modernize-deprecated-headers): posix_openpt, unlockpt
#include <sys/ioctl.h>
#include <unistd.h>

namespace yard::engine {

Result<std::shared_ptr<Terminal>> Terminal::open(coro::Loop& loop, TerminalSize size) {
    UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!master) return failErrno("make a terminal", errno);
    if (::unlockpt(master.get()) != 0) return failErrno("unlock a terminal", errno);
    auto terminal = std::make_shared<Terminal>(loop, std::move(master));
    if (auto resized = terminal->resize(size); !resized) return std::unexpected(resized.error());
    return terminal;
}

Result<UniqueFd> Terminal::copy() const {
    UniqueFd copy(::fcntl(master_.get(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return failErrno("copy the descriptor of a terminal", errno);
    return copy;
}

Result<void> Terminal::resize(TerminalSize size) {
    winsize to{};
    to.ws_row = static_cast<unsigned short>(size.rows);
    to.ws_col = static_cast<unsigned short>(size.cols);
    if (::ioctl(master_.get(), TIOCSWINSZ, &to) != 0) return failErrno("set the size of a terminal", errno);
    size_ = size;
    return {};
}

Result<void> Terminal::type(std::string_view keys) {
    if (unread_.size() + keys.size() > kMostUnread)
        return fail(ErrorKind::Busy,
                    fmt::format("The program does not read its terminal: {} bytes wait for it. Send "
                                "more when it has read them.",
                                unread_.size()));
    unread_ += keys;
    if (watch_ || writeSome()) return {};
    watch_.emplace(loop_, master_.get());
    loop_.spawn("terminal", writeRest(shared_from_this()));
    return {};
}

void Terminal::close() {
    if (watch_) watch_->release();
    master_.reset();
    unread_.clear();
}

bool Terminal::writeSome() {
    std::size_t done = 0;
    while (done < unread_.size()) {
        const ssize_t n = ::write(master_.get(), unread_.data() + done, unread_.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) done = unread_.size(); // it was hung up: nobody reads this any more
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
    unread_.erase(0, done);
    return unread_.empty();
}

coro::Task<void> Terminal::writeRest(std::shared_ptr<Terminal> terminal) {
    while (terminal->master_) {
        const int err = co_await terminal->watch_->writable();
        if (err != 0 || !terminal->master_ || terminal->writeSome()) break;
    }
    terminal->watch_.reset();
}

} // namespace yard::engine

#include "app/yardmaster/entered_terminal.h"

#include "core/base/files.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace yard::app {

namespace {

constexpr std::size_t kPiece = 16u << 10;

bool isReady(const pollfd& fd) {
    return (fd.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

} // namespace

Result<EnteredTerminal> EnteredTerminal::open(unsigned short rows, unsigned short cols) {
    UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!master || ::grantpt(master.get()) != 0 || ::unlockpt(master.get()) != 0)
        return failErrno("cannot make a terminal", errno);
    UniqueFd inside(::ioctl(master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!inside) return failErrno("cannot open the other end of a terminal", errno);
    const winsize size{.ws_row = rows, .ws_col = cols, .ws_xpixel = 0, .ws_ypixel = 0};
    (void)::ioctl(master.get(), TIOCSWINSZ, &size);
    EnteredTerminal made(std::move(master), std::move(inside));
    made.resize();
    return made;
}

EnteredTerminal::EnteredTerminal(EnteredTerminal&& other) noexcept
    : master_(std::move(other.master_))
    , inside_(std::move(other.inside_))
    , before_(std::exchange(other.before_, std::nullopt))
    , pending_(std::move(other.pending_))
    , hasKeys_(other.hasKeys_) {}

EnteredTerminal::~EnteredTerminal() {
    if (before_) (void)::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

void EnteredTerminal::enterRaw() {
    termios modes{};
    if (::tcgetattr(STDIN_FILENO, &modes) != 0) return;
    before_ = modes;
    ::cfmakeraw(&modes);
    (void)::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
}

void EnteredTerminal::resize() {
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0) (void)::ioctl(master_.get(), TIOCSWINSZ, &size);
}

std::array<pollfd, 2> EnteredTerminal::waits() const {
    const bool isFull = !pending_.empty();
    const short ofProgram = isFull ? POLLIN | POLLOUT : POLLIN;
    return {{{hasKeys_ && !isFull ? STDIN_FILENO : -1, POLLIN, 0}, {master_.get(), ofProgram, 0}}};
}

/// As far as there is room: a program that waits for its output to be read does not read.
void EnteredTerminal::sendKeys() {
    const ssize_t n = ::write(master_.get(), pending_.data(), pending_.size());
    if (n >= 0)
        pending_.erase(0, static_cast<std::size_t>(n));
    else if (errno != EAGAIN && errno != EINTR)
        pending_.clear();
}

bool EnteredTerminal::pass(std::span<const pollfd, 2> ready) {
    std::array<char, kPiece> piece{};
    if (isReady(ready[0])) {
        const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
        if (n > 0)
            pending_.append(piece.data(), static_cast<std::size_t>(n));
        else if (n == 0 || errno != EINTR)
            hasKeys_ = false;
    }
    if (!pending_.empty()) sendKeys();
    if (!isReady(ready[1])) return true;
    const ssize_t n = ::read(master_.get(), piece.data(), piece.size());
    if (n > 0) (void)writeAll(STDOUT_FILENO, std::string_view(piece.data(), static_cast<std::size_t>(n)));
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

} // namespace yard::app

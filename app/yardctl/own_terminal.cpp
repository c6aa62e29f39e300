#include "app/yardctl/own_terminal.h"

#include "app/yardctl/output_follower.h"
#include "app/yardctl/signal_watch.h"

#include <algorithm>
#include <cerrno>
#include <sys/ioctl.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// TCSADRAIN: what was typed already stays.
void setModes(const termios& modes) {
    while (::tcsetattr(STDIN_FILENO, TCSADRAIN, &modes) != 0 && errno == EINTR) {
    }
}

} // namespace

bool OwnTerminal::isThere() {
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
}

TerminalSize OwnTerminal::size() {
    TerminalSize size;
    winsize seen{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &seen) != 0 || seen.ws_row == 0 || seen.ws_col == 0) return size;
    size.rows = std::min<int>(seen.ws_row, kMaxTerminalSide);
    size.cols = std::min<int>(seen.ws_col, kMaxTerminalSide);
    return size;
}

void OwnTerminal::enterRaw() {
    const ThreadLock lock(mutex_);
    if (isRaw_ || ::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    setRaw();
    isRaw_ = true;
}

void OwnTerminal::leaveRaw() {
    const ThreadLock lock(mutex_);
    if (!isRaw_) return;
    if (const std::string undo = modes_.undo(); !undo.empty()) (void)writeOutput(STDOUT_FILENO, undo);
    if (isInFront()) setModes(before_);
    isRaw_ = false;
}

Result<void> OwnTerminal::show(std::string_view bytes) {
    {
        const ThreadLock lock(mutex_);
        modes_.take(bytes);
    }
    return writeOutput(STDOUT_FILENO, bytes); // which may stand for as long as nobody reads
}

void OwnTerminal::suspend() {
    const ThreadLock lock(mutex_);
    std::string again;
    if (isRaw_ && isInFront()) {
        again = modes_.again();
        (void)writeOutput(STDOUT_FILENO, ShownModes(modes_).undo());
        setModes(before_);
    }
    stopLikeCtrlZ();
    if (isRaw_) setRaw(); // which waits to be in front
    (void)writeOutput(STDOUT_FILENO, again);
}

void OwnTerminal::resumed() {
    const ThreadLock lock(mutex_);
    if (isRaw_) setRaw();
}

void OwnTerminal::setRaw() {
    termios raw = before_;
    ::cfmakeraw(&raw);
    setModes(raw);
}

/// In the background the terminal is another program's, and so are its modes.
bool OwnTerminal::isInFront() {
    const pid_t inFront = ::tcgetpgrp(STDIN_FILENO);
    return inFront < 0 || inFront == ::getpgrp();
}

} // namespace yard::ctl

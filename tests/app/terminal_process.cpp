#include "tests/app/terminal_process.h"

#include "core/base/files.h"
#include "tests/support/waiting.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

namespace yard::test {

TerminalProcess::TerminalProcess(std::vector<std::string> words, unsigned short rows, unsigned short cols) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int terminal = -1;
    int own = -1;
    winsize size{};
    size.ws_row = rows;
    size.ws_col = cols;
    if (::openpty(&terminal, &own, nullptr, nullptr, &size) != 0) std::abort();
    terminal_.reset(terminal);
    const UniqueFd side(own);
    before_ = modes();
    pid_ = ::fork();
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
        ::close(terminal);
        if (::login_tty(own) == 0) ::execv(argv.front(), argv.data());
        ::_exit(127);
    }
}

TerminalProcess::~TerminalProcess() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void TerminalProcess::type(std::string_view text) const {
    (void)writeAll(terminal_.get(), text);
}

void TerminalProcess::resize(unsigned short rows, unsigned short cols) const {
    winsize size{};
    size.ws_row = rows;
    size.ws_col = cols;
    ::ioctl(terminal_.get(), TIOCSWINSZ, &size);
}

void TerminalProcess::signal(int number) const {
    ::kill(pid_, number);
}

std::string TerminalProcess::modes() const {
    termios now{};
    if (::tcgetattr(terminal_.get(), &now) != 0) return "none";
    return fmt::format("{:o} {:o} {:o} {:o}", now.c_iflag, now.c_oflag, now.c_cflag, now.c_lflag);
}

bool TerminalProcess::isRaw() const {
    termios now{};
    return ::tcgetattr(terminal_.get(), &now) == 0 && (now.c_lflag & (ICANON | ECHO | ISIG)) == 0;
}

/// What goes on printing and never says it is a failure, too.
MonoTime TerminalProcess::patience() {
    return MonoClock::now() + std::chrono::milliseconds(kWaitMs);
}

bool TerminalProcess::readSome(MonoTime until) {
    pollfd wait{terminal_.get(), POLLIN, 0};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - MonoClock::now()).count();
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) {
        isSilent_ = true;
        return false;
    }
    std::array<char, 4096> piece{};
    const ssize_t n = ::read(terminal_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false; // EIO: its last process is gone
    shown_.append(piece.data(), static_cast<std::size_t>(n));
    return true;
}

bool TerminalProcess::shows(std::string_view text) {
    const MonoTime until = patience();
    while (shown_.find(text) == std::string::npos)
        if (!readSome(until)) return false;
    return true;
}

std::string TerminalProcess::answer(std::string_view line, std::string_view start) {
    forget();
    type(std::string(line) + "\r");
    if (!shows(start)) return {};
    const std::size_t at = shown_.find(start);
    const MonoTime until = patience();
    while (shown_.find("\r\n", at) == std::string::npos)
        if (!readSome(until)) return {};
    return shown_.substr(at, shown_.find("\r\n", at) - at);
}

int TerminalProcess::end() {
    const MonoTime until = patience();
    while (readSome(until)) {
    }
    return reap();
}

int TerminalProcess::hangUp() {
    terminal_.reset();
    return reap();
}

// What hangs is a failure with words, not a test without an end.
int TerminalProcess::reap() {
    int status = 0;
    const auto ended = [&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; };
    if (isSilent_ || !eventually(ended)) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, &status, 0);
    }
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace yard::test

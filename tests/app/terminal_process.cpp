#include "tests/app/terminal_process.h"

#include "core/base/files.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::test {

TerminalProcess::TerminalProcess(std::vector<std::string> words) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int terminal = -1;
    pid_ = ::forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid_ < 0) std::abort();
    if (pid_ == 0) {
        ::execv(argv.front(), argv.data());
        ::_exit(127);
    }
    terminal_.reset(terminal);
}

TerminalProcess::~TerminalProcess() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void TerminalProcess::type(std::string_view text) const {
    (void)writeAll(terminal_.get(), text);
}

bool TerminalProcess::readSome() {
    constexpr int kLimitMs = 60'000;
    pollfd wait{terminal_.get(), POLLIN, 0};
    if (::poll(&wait, 1, kLimitMs) <= 0) return false;
    std::array<char, 4096> piece{};
    const ssize_t n = ::read(terminal_.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false; // EIO: its last process is gone
    shown_.append(piece.data(), static_cast<std::size_t>(n));
    return true;
}

bool TerminalProcess::shows(std::string_view text) {
    while (shown_.find(text) == std::string::npos)
        if (!readSome()) return false;
    return true;
}

int TerminalProcess::end() {
    while (readSome()) {
    }
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace yard::test

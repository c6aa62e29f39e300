// Another process of a test: its output by lines, a line to its input, signals; ended and reaped with the value.
#pragma once

#include "core/base/unique_fd.h"
#include "tests/support/waiting.h"

#include <QCoreApplication>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace yard::test {

class Helper {
public:
    enum class Input : bool { None, Pipe }; ///< what it has as stdin; a pipe stays open until it ends
    Helper(std::string program, std::vector<std::string> arguments, Input input = Input::Pipe) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
        if (input == Input::Pipe)
            in_.reset(in[1]);
        else
            ::close(in[1]);
        out_.reset(out[0]);
        const UniqueFd theirIn(in[0]);
        const UniqueFd theirOut(out[1]);
        posix_spawn_file_actions_t actions;
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawn_file_actions_adddup2(&actions, theirIn.get(), 0);
        ::posix_spawn_file_actions_adddup2(&actions, theirOut.get(), 1);
        std::vector<char*> argv{program.data()};
        for (std::string& argument : arguments) argv.push_back(argument.data());
        argv.push_back(nullptr);
        if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) std::abort();
        ::posix_spawn_file_actions_destroy(&actions);
    }
    ~Helper() { end(SIGKILL); }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    int pid() const { return pid_; }
    /// The next line, waiting up to 20 s; empty when none comes.
    std::string line() {
        while (text_.find('\n') == std::string::npos) {
            pollfd p{out_.get(), POLLIN, 0};
            std::array<char, 4096> buffer;
            if (::poll(&p, 1, kWaitMs) <= 0) return {};
            const ssize_t got = ::read(out_.get(), buffer.data(), buffer.size());
            if (got <= 0) return {};
            text_.append(buffer.data(), static_cast<std::size_t>(got));
        }
        const std::size_t end = text_.find('\n');
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
    }
    void go() { static_cast<void>(!::write(in_.get(), "go\n", 3)); }
    void signal(int number) const { ::kill(pid_, number); }
    /// Its wait status, once it has ended; after the signal, if one is given.
    int end(int number = 0) {
        if (pid_ <= 0) return status_;
        if (number != 0) ::kill(pid_, number);
        while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
        }
        pid_ = 0;
        return status_;
    }

private:
    pid_t pid_ = 0;
    int status_ = 0;
    UniqueFd in_;
    UniqueFd out_;
    std::string text_;
};

inline std::string binDirectory() {
    return QCoreApplication::applicationDirPath().toStdString();
}
inline std::string lockChild() {
    return binDirectory() + "/yard_lock_child";
}

} // namespace yard::test

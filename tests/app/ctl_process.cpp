#include "tests/app/ctl_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::test {

namespace {

struct Pipe {
    Pipe() {
        std::array<int, 2> fds{};
        if (::pipe2(fds.data(), O_CLOEXEC) != 0) std::abort();
        read.reset(fds[0]);
        write.reset(fds[1]);
    }
    UniqueFd read;
    UniqueFd write;
};

/// Appends what is there; closes at the end of the stream.
void drain(UniqueFd& fd, std::string& text) {
    std::array<char, 65536> piece{};
    const ssize_t n = ::read(fd.get(), piece.data(), piece.size());
    if (n > 0)
        text.append(piece.data(), static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR)
        fd.reset();
}

} // namespace

CtlProcess::CtlProcess(const QStringList& arguments, std::string_view input, const std::string& program) {
    std::vector<std::string> words{program};
    for (const QString& argument : arguments) words.push_back(argument.toStdString());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);

    Pipe in;
    Pipe out;
    Pipe err;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
    if (::posix_spawnp(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) std::abort();
    ::posix_spawn_file_actions_destroy(&actions);
    // A program that does not read its input may be gone already.
    std::signal(SIGPIPE, SIG_IGN);
    (void)writeAll(in.write.get(), input);
    outPipe_ = std::move(out.read);
    errPipe_ = std::move(err.read);
}

CtlProcess::~CtlProcess() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void CtlProcess::signal(int number) const {
    ::kill(pid_, number);
}

bool CtlProcess::readSome(int timeoutMs) {
    if (!outPipe_ && !errPipe_) return false;
    // A closed descriptor is -1, which poll() passes over.
    std::array<pollfd, 2> fds{{{outPipe_.get(), POLLIN, 0}, {errPipe_.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), timeoutMs) <= 0) return false;
    if (fds[0].revents != 0) drain(outPipe_, out_);
    if (fds[1].revents != 0) drain(errPipe_, err_);
    return true;
}

bool CtlProcess::waitForOutput(std::size_t bytes, int silentMs) {
    while (out_.size() < bytes)
        if (!readSome(silentMs)) return false;
    return true;
}

bool CtlProcess::waitForError(std::string_view text) {
    while (!err_.contains(text))
        if (!readSome(kWaitMs)) return false;
    return true;
}

Ended CtlProcess::end() {
    while (readSome(kWaitMs)) {
    }
    if (outPipe_ || errPipe_) return {-1, out_, err_};
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_, err_};
}

} // namespace yard::test

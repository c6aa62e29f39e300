#include "app/yardctl/private_engine.h"

#include "app/yardctl/engine_start.h"
#include "app/yardctl/engine_words.h"
#include "core/base/environment.h"
#include "core/base/files.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

namespace {

constexpr int kLongestPrivateEnd = 15'000; ///< milliseconds

/// Only what may be called between fork and exec. A session of its own: Ctrl+C is for this program, which ends it.
[[noreturn]] void becomeEngine(char* const* argv, int out, int err, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1); // it has gone meanwhile
    ::setsid();
    const int null = ::open("/dev/null", O_RDONLY);
    if (null < 0 || ::dup2(null, STDIN_FILENO) < 0 || ::dup2(out, STDOUT_FILENO) < 0 ||
        ::dup2(err, STDERR_FILENO) < 0)
        ::_exit(1);
    ::execvp(argv[0], argv);
    ::_exit(127);
}

} // namespace

Outcome<std::unique_ptr<PrivateEngine>> PrivateEngine::start(bool keep, SignalWatch& signals) {
    const std::string temporary = environmentOrEmpty("TMPDIR");
    std::string path = fmt::format("{}/yard-exec-XXXXXX", temporary.starts_with('/') ? temporary : "/tmp");
    if (::mkdtemp(path.data()) == nullptr)
        return failedWith(failErrno(fmt::format("cannot make the directory {}", path), errno).error());
    std::unique_ptr<PrivateEngine> made(new PrivateEngine(path, keep));
    if (auto spawned = made->spawn(signals); !spawned) return std::unexpected(spawned.error());
    return made;
}

Outcome<void> PrivateEngine::spawn(SignalWatch& signals) {
    std::vector<std::string> words = {engineProgram(), "--headless", "--data-dir",
                                      dataDir_,        "--listen",   "127.0.0.1:0"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failedWith(failErrno("cannot make a pipe", errno).error());
    const UniqueFd said(ends[0]);
    UniqueFd out(ends[1]);
    const std::string log = dataDir_ + "/engine.log";
    const UniqueFd err(::open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!err) return failedWith(failErrno(fmt::format("cannot create {}", log), errno).error());
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) becomeEngine(argv.data(), out.get(), err.get(), parent);
    if (pid_ < 0) return failedWith(failErrno("cannot start an engine", errno).error());
    process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    out.reset();
    if (!process_) return failedWith(failErrno("cannot watch an engine", errno).error());
    const auto serves =
        awaitServing(said.get(), [&signals] { return signals.isDue(std::chrono::milliseconds(0)); });
    if (serves) return {};
    switch (serves.error()) {
    case NotServing::Late: return failed("the engine of this run does not serve in time");
    case NotServing::GivenUp: return failed("ended by a signal");
    case NotServing::Ended: break;
    }
    return failed(fmt::format("the engine of this run ended at once: {}", lastLineOf(log)));
}

PrivateEngine::~PrivateEngine() {
    if (pid_ > 0) {
        (void)::kill(pid_, SIGTERM);
        pollfd ended{process_.get(), POLLIN, 0};
        while (process_ && ::poll(&ended, 1, kLongestPrivateEnd) < 0 && errno == EINTR) {
        }
        if (ended.revents == 0) (void)::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    if (!keep_) (void)removeTree(dataDir_);
}

} // namespace yard::ctl

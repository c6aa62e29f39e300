#include "app/yardctl/private_engine.h"

#include "app/yardctl/engine_start.h"
#include "core/base/environment.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
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

using EngineClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestPrivateStart{30};
constexpr std::int64_t kLookForSignals = 50; ///< milliseconds
constexpr int kLongestPrivateEnd = 15'000;   ///< milliseconds
constexpr std::size_t kMostSaid = 1u << 20;

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

std::string lastLineSaid(const std::string& log) {
    std::string why = readFile(log, kMostSaid).value_or("");
    while (why.ends_with('\n')) why.pop_back();
    return why.substr(why.rfind('\n') + 1);
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
    return awaitServing(said.get(), signals);
}

Outcome<void> PrivateEngine::awaitServing(int said, SignalWatch& signals) {
    std::string line;
    const auto until = EngineClock::now() + kLongestPrivateStart;
    while (!line.contains('\n')) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - EngineClock::now()).count();
        pollfd wait{said, POLLIN, 0};
        std::array<char, 256> piece{};
        if (left <= 0) return failed("the engine of this run does not serve in time");
        if (signals.isDue(std::chrono::milliseconds(0))) return failed("ended by a signal");
        if (::poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(left, kLookForSignals))) <= 0) continue;
        const ssize_t n = ::read(said, piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0)
            return failed(
                fmt::format("the engine of this run ended at once: {}", lastLineSaid(dataDir_ + "/engine.log")));
        line.append(piece.data(), static_cast<std::size_t>(n));
    }
    return {};
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

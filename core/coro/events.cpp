#include "core/coro/events.h"

#include "core/coro/net.h"

#include <boost/asio/basic_signal_set.hpp>
#include <boost/asio/posix/descriptor_base.hpp>
#include <cerrno>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::coro {

// ---- FdWatch

struct FdWatch::State {
    State(Loop& loop, int watched, UniqueFd fd)
        : stream(loop.io())
        , owned(std::move(fd)) {
        stream.assign(watched, assignError);
    }
    ~State() { leave(); }
    /// EPOLL_CTL_DEL now; Asio's own close leaves that to the kernel.
    void leave() noexcept {
        if (stream.is_open()) stream.release();
    }

    StreamFd stream;
    UniqueFd owned;
    ErrorCode assignError;
};

namespace {

Task<int> waitFor(StreamFd& stream, ErrorCode assignError, boost::asio::posix::descriptor_base::wait_type type,
                  const char* where) {
    if (assignError) co_return assignError.value();
    auto [error] =
        co_await asyncOp<DoneSignature>(where, [&](auto handler) { stream.async_wait(type, std::move(handler)); });
    co_return error.value();
}

} // namespace

FdWatch::FdWatch(Loop& loop, int fd)
    : state_(std::make_unique<State>(loop, fd, UniqueFd())) {}
FdWatch::FdWatch(Loop& loop, UniqueFd fd) {
    const int watched = fd.get();
    state_ = std::make_unique<State>(loop, watched, std::move(fd));
}
FdWatch::FdWatch(FdWatch&&) noexcept = default;
FdWatch& FdWatch::operator=(FdWatch&&) noexcept = default;
FdWatch::~FdWatch() = default;

int FdWatch::fd() const noexcept {
    return state_->stream.is_open() ? state_->stream.native_handle() : -1;
}

Task<int> FdWatch::readable() {
    return waitFor(state_->stream, state_->assignError, boost::asio::posix::descriptor_base::wait_read, "readable");
}

Task<int> FdWatch::writable() {
    return waitFor(state_->stream, state_->assignError, boost::asio::posix::descriptor_base::wait_write,
                   "writable");
}

UniqueFd FdWatch::release() {
    state_->leave();
    return std::move(state_->owned);
}

// ---- ends of processes

namespace {

constexpr idtype_t kPidFd = static_cast<idtype_t>(3); // P_PIDFD, missing in some headers

std::int64_t micros(const timeval& time) {
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
}

/// Reaps without waiting: 0 when it still runs, 1 when reaped, an error as -1 with errno.
int reap(int pidfd, ProcessExit& result) {
    siginfo_t info{};
    rusage usage{};
    long rc = 0;
    do rc = ::syscall(SYS_waitid, kPidFd, pidfd, &info, WEXITED | WNOHANG, &usage);
    while (rc < 0 && errno == EINTR);
    if (rc < 0) return errno == EAGAIN ? 0 : -1; // EAGAIN: a non-blocking pidfd, and Asio makes it one
    if (info.si_pid == 0) return 0;
    result = {.code = info.si_code,
              .status = info.si_status,
              .userMicros = micros(usage.ru_utime),
              .systemMicros = micros(usage.ru_stime),
              .maxRssBytes = std::int64_t{usage.ru_maxrss} * 1024};
    return 1;
}

} // namespace

bool ProcessExit::exited() const noexcept {
    return code == CLD_EXITED;
}

Task<Result<ProcessExit>> waitProcess(UniqueFd pidfd) {
    checkInterrupt();
    const int fd = pidfd.get();
    FdWatch watch(currentLoop(), std::move(pidfd));
    for (;;) {
        ProcessExit result;
        const int done = reap(fd, result);
        if (done < 0) co_return failErrno("waitid", errno);
        if (done > 0) co_return result;
        const int error = co_await watch.readable();
        if (error != 0) co_return failErrno("wait for a process to end", error);
    }
}

Task<Result<ProcessExit>> waitProcess(pid_t pid) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!pidfd) co_return failErrno("pidfd_open", errno);
    co_return co_await waitProcess(std::move(pidfd));
}

// ---- signals

struct SignalWatch::State {
    explicit State(Loop& loop)
        : set(loop.io()) {}
    boost::asio::basic_signal_set<Executor> set;
    bool works = true;
};

SignalWatch::SignalWatch(Loop& loop, std::initializer_list<int> signals)
    : state_(std::make_unique<State>(loop)) {
    for (int number : signals) {
        ErrorCode error;
        state_->set.add(number, error);
        if (error) state_->works = false;
    }
}
SignalWatch::~SignalWatch() = default;

Task<int> SignalWatch::next() {
    State& state = *state_;
    if (!state.works) co_return -1;
    auto [error, number] = co_await asyncOp<void(ErrorCode, int)>(
        "signal", [&](auto handler) { state.set.async_wait(std::move(handler)); });
    co_return error ? -1 : number;
}

} // namespace yard::coro

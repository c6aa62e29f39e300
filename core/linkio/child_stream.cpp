#include "core/linkio/child_stream.h"

#include "core/base/spawn_plan.h"
#include "core/coro/events.h"
#include "core/coro/net.h"
#include "core/coro/sync.h"
#include "core/coro/timeout.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace yard::linkio {

namespace {

/// What is left of its errors once it has ended comes at once, unless somebody else holds them open.
constexpr Duration kErrorsLimit = std::chrono::seconds(1);

struct ChildPipe {
    UniqueFd reads;
    UniqueFd writes;
};

Result<ChildPipe> makePipe() {
    std::array<int, 2> fds{};
    if (::pipe2(fds.data(), O_CLOEXEC) != 0) return failErrno("make a pipe to a program", errno);
    return ChildPipe{.reads = UniqueFd(fds[0]), .writes = UniqueFd(fds[1])};
}

} // namespace

Child::Child(Child&& other) noexcept
    : in(std::move(other.in))
    , out(std::move(other.out))
    , err(std::move(other.err))
    , pid_(std::exchange(other.pid_, -1)) {}

Child& Child::operator=(Child&& other) noexcept {
    if (this == &other) return *this;
    end();
    in = std::move(other.in);
    out = std::move(other.out);
    err = std::move(other.err);
    pid_ = std::exchange(other.pid_, -1);
    return *this;
}

Child::~Child() {
    end();
}

/// Nobody took its end, so the number is still its own.
void Child::end() noexcept {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
}

Result<Child> startChild(const std::vector<std::string>& words) {
    auto in = makePipe();
    auto out = makePipe();
    auto err = makePipe();
    for (const auto* pipe : {&in, &out, &err})
        if (!*pipe) return std::unexpected(pipe->error());
    SpawnPlan plan(SpawnPlan::Apart::Session);
    plan.give(in->reads.get(), STDIN_FILENO);
    plan.give(out->writes.get(), STDOUT_FILENO);
    plan.give(err->writes.get(), STDERR_FILENO);
    Child child;
    const int error = plan.run(child.pid_, words);
    if (error != 0) child.pid_ = -1;
    if (error == ENOENT)
        return fail(ErrorKind::NotFound, fmt::format("There is no program {} here.", words.front()));
    if (error != 0) return failErrno("start " + words.front(), error);
    child.in = std::move(in->writes);
    child.out = std::move(out->reads);
    child.err = std::move(err->reads);
    return child;
}

// --- the stream

struct ChildStream::Streams {
    explicit Streams(coro::Loop& loop)
        : in(loop.io())
        , out(loop.io()) {}
    coro::StreamFd in;
    coro::StreamFd out;
};

struct ChildStream::Errors {
    explicit Errors(coro::Loop& loop)
        : from(loop.io()) {}
    coro::StreamFd from;
    std::string kept{};
    coro::Event over{};
};

ChildStream::ChildStream(Child child, std::unique_ptr<Streams> streams, std::shared_ptr<Errors> errors)
    : child_(std::move(child))
    , streams_(std::move(streams))
    , errors_(std::move(errors)) {}

ChildStream::~ChildStream() {
    close();
    coro::ErrorCode ignored;
    errors_->from.close(ignored);
}

Result<std::unique_ptr<ChildStream>> ChildStream::over(coro::Loop& loop, Child child) {
    auto streams = std::make_unique<Streams>(loop);
    auto errors = std::make_shared<Errors>(loop);
    for (const auto& [stream, fd] : {std::pair(&streams->in, &child.in), std::pair(&streams->out, &child.out),
                                     std::pair(&errors->from, &child.err)}) {
        coro::ErrorCode error;
        stream->assign(fd->get(), error);
        if (error) return failErrno("wait for a descriptor of a program", error.value());
        (void)fd->release();
    }
    loop.spawn("errors of a program", collect(errors));
    return std::unique_ptr<ChildStream>(new ChildStream(std::move(child), std::move(streams), std::move(errors)));
}

coro::Task<void> ChildStream::collect(std::shared_ptr<Errors> errors) {
    std::array<char, 1024> room{};
    for (;;) {
        const coro::Moved moved = co_await coro::readSome(errors->from, room);
        if (moved.error || moved.bytes == 0) break;
        errors->kept.append(room.data(), moved.bytes);
        if (errors->kept.size() > kKeptErrors) errors->kept.erase(0, errors->kept.size() - kKeptErrors);
    }
    errors->over.set();
}

coro::Task<std::size_t> ChildStream::read(std::span<char> into) {
    const coro::Moved moved = co_await coro::readSome(streams_->out, into);
    const std::size_t count = moved.error ? 0 : moved.bytes;
    // Why it ended is known by the time that anybody asks.
    if (count == 0 && streams_->out.is_open()) (void)co_await coro::comesWithin(kErrorsLimit, errors_->over);
    co_return count;
}

coro::Task<bool> ChildStream::write(std::string_view bytes) {
    const coro::Moved moved = co_await coro::writeAll(streams_->in, bytes);
    co_return !moved.error;
}

void ChildStream::close() {
    coro::ErrorCode ignored;
    streams_->in.close(ignored);
    streams_->out.close(ignored);
}

void ChildStream::closeInput() {
    coro::ErrorCode ignored;
    streams_->in.close(ignored);
}

std::string ChildStream::lastWords() const {
    return errors_->kept;
}

coro::Task<ChildEnd> ChildStream::finished(Duration limit) {
    ChildEnd end;
    // The header of glibc 2.36 declares pidfd_open() for C alone.
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child_.pid_, 0)));
    std::optional<Result<coro::ProcessExit>> exit;
    if (pidfd) exit = co_await coro::within(limit, coro::waitProcess(std::move(pidfd)));
    if (exit && *exit) {
        child_.pid_ = -1; // its end was taken
        if ((*exit)->exited()) end.status = (*exit)->status;
        (void)co_await coro::comesWithin(kErrorsLimit, errors_->over);
    } else {
        child_.end();
    }
    end.errors = errors_->kept;
    co_return end;
}

} // namespace yard::linkio

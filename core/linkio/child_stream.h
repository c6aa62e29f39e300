// The standard streams of a program that is started here, as a stream of bytes: a link by ssh goes over them. What the
// program writes to its standard error is kept, the last of it.
//
// Owner: the loop that it is made for; start() may be called by a helper. Lifetime: ends before its loop. The program has a
// session of its own, without a terminal, and ends with the object: SIGKILL to its whole group. SIGPIPE is to be ignored. Bounds: kKeptErrors.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/linkio/byte_stream.h"

#include <cstddef>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace yard::linkio {

inline constexpr std::size_t kKeptErrors = 4'096;

/// A program that was started; it ends with this value, which takes its end. Move-only.
class Child {
public:
    Child() = default;
    Child(Child&& other) noexcept;
    Child& operator=(Child&& other) noexcept;
    ~Child();
    pid_t pid() const { return pid_; }

    UniqueFd in;  ///< its standard input
    UniqueFd out; ///< what it prints
    UniqueFd err;

private:
    friend Result<Child> startChild(const std::vector<std::string>& words);
    friend class ChildStream;
    void end() noexcept;
    pid_t pid_ = -1;
};

/// `words`: the program, found in PATH, and what it is given. Blocks until it is executed. NotFound: there is none of that
/// name; Io.
Result<Child> startChild(const std::vector<std::string>& words);

/// How a program ended.
struct ChildEnd {
    int status = -1;      ///< -1: by a signal, or it had to be ended
    std::string errors{}; ///< the last of what it wrote there
};

class ChildStream final : public ByteStream {
public:
    /// Io.
    static Result<std::unique_ptr<ChildStream>> over(coro::Loop& loop, Child child);
    ChildStream(const ChildStream&) = delete;
    ChildStream& operator=(const ChildStream&) = delete;
    ~ChildStream() override;

    coro::Task<std::size_t> read(std::span<char> into) override;
    coro::Task<bool> write(std::string_view bytes) override;
    void close() override;
    std::string lastWords() const override;

    /// No more is written: the program reads the end. Nobody writes meanwhile.
    void closeInput();
    /// Waits until it has ended by itself, and ends it after `limit`.
    coro::Task<ChildEnd> finished(Duration limit);
    pid_t pid() const { return child_.pid(); }

private:
    struct Streams;
    struct Errors;
    ChildStream(Child child, std::unique_ptr<Streams> streams, std::shared_ptr<Errors> errors);
    static coro::Task<void> collect(std::shared_ptr<Errors> errors);

    Child child_;
    std::unique_ptr<Streams> streams_;
    std::shared_ptr<Errors> errors_; ///< what reads them may outlast this by a turn
};

} // namespace yard::linkio

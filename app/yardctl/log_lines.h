// The output of actions as lines, for those that are not shown as they are: as JSON, behind the name of their action,
// or the last ones alone. What is kept back has limits. Each has one owner, but LockedOutput, which any thread uses.
#pragma once

#include "core/base/error.h"
#include "core/base/thread_mutex.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard::ctl {

/// One descriptor for several threads: what one writes is not torn by another.
class LockedOutput {
public:
    explicit LockedOutput(int fd)
        : fd_(fd) {}
    Result<void> write(std::string_view bytes);

private:
    const int fd_;
    ThreadMutex mutex_; ///< held while bytes are written
};

/// Pieces of a stream as JSON objects, a line each, never cutting a character in two.
class JsonLines {
public:
    JsonLines(LockedOutput& out, std::int64_t lsn, std::string stream)
        : out_(out)
        , lsn_(lsn)
        , stream_(std::move(stream)) {}

    Result<void> take(std::int64_t attempt, std::string_view bytes);
    Result<void> finish() { return flush(true); }

private:
    Result<void> flush(bool all);

    LockedOutput& out_;
    const std::int64_t lsn_;
    const std::string stream_;
    std::int64_t attempt_ = 0;
    std::string rest_; ///< what may be the beginning of a character
};

/// Lines of a stream, each behind a prefix. A line of more than kMaxLine is broken into several.
class PrefixedLines {
public:
    static constexpr std::size_t kMaxLine = 64 * 1024;

    PrefixedLines(LockedOutput& out, std::string prefix)
        : out_(out)
        , prefix_(std::move(prefix)) {}

    Result<void> take(std::int64_t attempt, std::string_view bytes);
    /// A last line without an end gets one.
    Result<void> finish();

private:
    LockedOutput& out_;
    const std::string prefix_;
    std::int64_t attempt_ = 0;
    std::string rest_; ///< a line that has not ended
};

/// The last lines of a stream, in kMost bytes: of longer ones only the end is kept.
class TailLines {
public:
    static constexpr std::size_t kMost = 4 * 1024 * 1024;

    explicit TailLines(std::size_t lines)
        : lines_(lines) {}

    void take(std::string_view bytes);
    /// What was kept is given away.
    std::string end();
    /// They have more than kMost bytes.
    bool isCut() const { return isCut_; }

private:
    void trim();

    const std::size_t lines_;
    std::string kept_;
    std::size_t trimAt_ = PrefixedLines::kMaxLine; ///< bytes
    bool isCut_ = false;
};

} // namespace yard::ctl

// The files of the audit: one for each day (UTC), `YYYY-MM-DD.jsonl`. AuditFile writes to that of the day at hand, keeps it
// open, and removes those whose time is over when a day begins.
//
// Thread-safe, for helpers: they write one after the other. Blocks.
#pragma once

#include "core/base/error.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace yard::http {

inline constexpr int kAuditDays = 90;
inline constexpr std::size_t kMostAuditDay = 8u << 20;

/// Days of which there are files, since 1970. The latest first.
std::vector<std::int64_t> auditDaysIn(const std::string& directory);
std::string auditPathOf(const std::string& directory, std::int64_t day);

struct AuditLine {
    std::int64_t day = 0;
    std::string text; ///< with its end
};

class AuditFile {
public:
    explicit AuditFile(std::string directory)
        : directory_(std::move(directory)) {}

    /// At the end of the file of its day. What a crash cut off there is ended first. AtLimit: the day is full; Io, NoSpace.
    Result<void> append(const AuditLine& line);

private:
    Result<void> openFor(std::int64_t day) YARD_REQUIRES(mutex_);
    bool isInPlace() const YARD_REQUIRES(mutex_);

    const std::string directory_;
    mutable ThreadMutex mutex_;
    UniqueFd file_ YARD_GUARDED_BY(mutex_);
    std::int64_t day_ YARD_GUARDED_BY(mutex_) = -1; ///< of the file; -1: none was wanted
    std::size_t end_ YARD_GUARDED_BY(mutex_) = 0;   ///< of our last line in it; 0: not known
};

} // namespace yard::http

// What is asked of the engine about failures by likeness, and what it answers (docs/failures.md). Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/engine/state/views.h"
#include "core/model/failure_line.h"
#include "core/model/states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

/// Failures that one answer looks at, the newest first.
inline constexpr std::int64_t kMostFailures = 100'000;
/// Groups of an answer: of more the largest.
inline constexpr std::size_t kMostFailureGroups = 200;
/// Values of a list in an answer: of more the most frequent.
inline constexpr std::size_t kMostFailureValues = 100;
/// LSNs that a group names, the newest first.
inline constexpr std::size_t kMostFailureLsns = 10;
/// Hours of which a group has the counts, up to the moment of the answer.
inline constexpr std::size_t kFailureHours = 24;
/// Mutes that are kept.
inline constexpr std::size_t kMostMutes = 1'000;

struct FailureQuery {
    ListQuery which;                   ///< order, limit and cursor mean nothing here, and states narrow it
    std::optional<WallMicros> since{}; ///< of those that ended from then on
};

struct FailureGroup {
    std::string id{};
    std::string line{}; ///< masked
    Reason reason = Reason::None;
    std::int64_t count = 0;
    WallMicros first = 0; ///< the earliest end
    WallMicros last = 0;
    // The most frequent first.
    std::vector<QueueId> queues{};
    std::vector<std::string> workers{}; ///< name@version, "exec"
    std::vector<std::string> machines{};
    std::vector<Lsn> lsns{};                         ///< the newest
    std::array<std::int64_t, kFailureHours> hours{}; ///< of the last hours, the oldest first
    WallMicros mutedUntil = 0;                       ///< 0: it is not
};
struct FailureGroups {
    std::vector<FailureGroup> groups; ///< the largest first
    std::int64_t total = 0;           ///< failures that were looked at
    std::int64_t others = 0;          ///< of them in no group of these
    bool isExact = true;              ///< false: there are more failures, or more groups
};

struct FailureCounts {
    std::vector<std::pair<std::string, std::int64_t>> values; ///< the most frequent first
    std::int64_t others = 0;                                  ///< have another value
};
struct FailureDetail {
    FailureGroup group;
    bool isExact = true;
    FailureCounts queues;
    FailureCounts workers;
    FailureCounts machines;
    std::vector<std::pair<WallMicros, std::int64_t>>
        hours; ///< by their beginnings in UTC, the newest kMostFailureValues
    struct Part {
        LineMask mask = LineMask::Number;
        FailureCounts values;
    };
    std::vector<Part> parts; ///< what was taken out of the line, in its order
};

} // namespace yard::engine

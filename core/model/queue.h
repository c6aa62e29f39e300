// Queues as others see them (docs/queues.md): configuration with its JSON codec, counters, view. Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/annotation.h"
#include "core/model/estimate.h"
#include "core/model/jobserver.h"
#include "core/model/states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

/// Of the name that people give a queue, in bytes.
inline constexpr std::size_t kMaxTag = 256;

struct RetryRule {
    std::vector<int> exitCodes;
    std::vector<Reason> reasons;
    bool retry = true;
};

/// What becomes of the memory that a kind of work took so far (docs/kinds.md).
enum class Learn : unsigned char {
    None,
    Suggest, ///< what its actions ask for stands beside what would be enough
    Apply    ///< its actions ask for that
};

struct QueueConfig {
    int maxRetries = 3;
    int maxInterruptions = 10;
    double weight = 1.0; ///< share of the machine against other queues, > 0
    int maxRunning = 0;  ///< 0: no limit
    std::vector<std::pair<std::string, int>> labelLimits;
    int stopAfterFailures = 0; ///< 0: never
    std::optional<Duration> deadline;
    Duration backoff{250'000};
    Duration backoffMax{60'000'000};
    std::vector<RetryRule> retryRules;
    Duration idleExpiry{900'000'000};      ///< 0: never
    bool ignoresCourtesy = false;          ///< it goes on whoever is at the machine
    std::vector<std::string> machines;     ///< where actions run that do not say it; empty: as ActionSpec::machines
    Jobserver jobserver = Jobserver::None; ///< of actions that do not say it
    Learn learn = Learn::None;             ///< of the memory that its actions ask for
};
/// Applies a JSON object of members to `base`: what is absent stays, null goes back to the default, maps and lists
/// are replaced as a whole. Malformed, or Invalid with the member's name. Returns the new configuration.
Result<QueueConfig> applyQueueConfig(const QueueConfig& base, std::string_view json);
std::string toJson(const QueueConfig& config);

/// Actions by final state; attempts in between do not count, retirement does not lower them.
struct QueueCounters {
    std::int64_t pending = 0;
    std::int64_t running = 0; ///< submitting or running
    std::int64_t completed = 0;
    std::int64_t failed = 0;
    std::int64_t abandoned = 0;
    std::int64_t cancelled = 0;
    std::int64_t active() const { return pending + running; }
    friend bool operator==(const QueueCounters&, const QueueCounters&) = default;
};

struct QueueView {
    QueueId id;
    std::string token; ///< 24 hex digits, unguessable; empty for queue 0
    std::string tag;
    QueueState state = QueueState::Active;
    bool held = false;
    QueueCounters counters;
    std::int64_t heldActions = 0;          ///< of counters.pending: held by themselves, whatever the queue is
    std::optional<std::int64_t> perMinute; ///< actions that completed within the last minute; absent: not known yet
    WallMicros estimatedStart = 0;         ///< of what it starts next; 0: not known
    WallMicros estimatedFinish = 0;        ///< of all it has; 0: not known
    EstimateGap estimateGap = EstimateGap::None;
    QueueConfig config;
    Mark mark = Mark::None;
    std::optional<CommentSummary> comments;
};

/// What a queue reference in a route means: digits are a number, 24 hex digits a token; anything else is nothing.
struct QueueRef {
    std::optional<QueueId> number;
    std::string token;
    friend bool operator==(const QueueRef&, const QueueRef&) = default;
};
std::optional<QueueRef> parseQueueRef(std::string_view text);

} // namespace yard

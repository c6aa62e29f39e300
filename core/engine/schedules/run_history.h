// What became of the last times at which a schedule was due, and up to when that was decided: with its JSON, as the
// journal keeps it. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/json/json_writer.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

enum class RunOutcome : unsigned char {
    Submitted,
    Missed,  ///< nobody acted on it in time, and its schedule skips what was missed
    Overlap, ///< a run before it had not ended
    Refused  ///< the engine did not take its actions: `error` says why
};

struct ScheduleRun {
    /// Actions with consecutive LSNs: one, or an array.
    struct Item {
        Lsn first;
        std::int64_t count = 1;
        Lsn end() const { return Lsn(first.value + count); } ///< the one behind its last
    };
    WallMicros due = 0; ///< 0: asked for by hand
    WallMicros at = 0;  ///< when it was decided
    RunOutcome outcome = RunOutcome::Submitted;
    bool isLate = false;
    std::int64_t skipped = 0; ///< times before it that were missed, and that it stands for
    std::vector<Item> items;
    std::string error;
};

struct RunHistory {
    static constexpr std::size_t kMostRuns = 100;

    WallMicros decidedUntil = 0;
    /// Part of the number of each run. Another one when times may come that have been due before: the schedule is made
    /// again or has other times, or the clock was wrong.
    WallMicros era = 0;
    std::deque<ScheduleRun> runs; ///< the oldest first
};

/// Its members, without braces.
void writeRun(JsonWriter& writer, const ScheduleRun& run);
std::string writeHistory(const RunHistory& history);
/// What cannot be read of it is left out.
RunHistory readHistory(std::string_view json);

} // namespace yard::engine

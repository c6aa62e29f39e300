// What a person wrote down as a schedule, and its JSON. Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/json/json_writer.h"
#include "core/model/queue.h"
#include "core/schedule/overlap.h"
#include "core/schedule/timetable.h"
#include "core/schedule/timing.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard::engine {

struct ScheduleDefinition {
    std::string name;
    std::string action;  ///< JSON text of one action, or of a list; never empty
    bool isList = false; ///< it was given as "list"
    // One of these three.
    std::string cron;
    double everySeconds = 0;
    WallMicros at = 0;
    std::string timezone; ///< empty: this machine's
    schedule::Missed missed = schedule::Missed::Once;
    schedule::Overlap overlap = schedule::Overlap::Skip;
    std::string queue; ///< number or token; empty: queue 0
    double jitterSeconds = 0;
    bool isPaused = false;
    WallMicros anchor = 0; ///< when it was made: steps count from there
};

inline constexpr std::size_t kMostScheduleBytes = 256u << 10;
/// Actions of one list; each of them may wait for each of those of the run before.
inline constexpr std::size_t kMostScheduleActions = 100;
inline constexpr double kMostJitterSeconds = 86'400;

/// Where a definition comes from: the journal has what people may not give.
enum class ScheduleSource : unsigned char { Person, Journal };

/// The members that JSON names, over those of `base`; a time replaces a time of another kind. Malformed, TooLarge, or
/// Invalid with the member's name. Time, zone and actions were read once when this returns.
Result<ScheduleDefinition> readSchedule(std::string_view json, ScheduleDefinition base,
                                        ScheduleSource source = ScheduleSource::Person);
/// Its members, without braces.
void writeSchedule(JsonWriter& writer, const ScheduleDefinition& definition);
/// Invalid, field "cron", "timezone", "every_s" or "at": also of one that was good once.
Result<schedule::Timing> timingOf(const ScheduleDefinition& definition);

} // namespace yard::engine

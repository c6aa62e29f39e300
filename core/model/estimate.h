// Why nothing is said of when an action or a queue starts and ends (docs/api.md, `estimate`). Values, no owner.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <string_view>

namespace yard {

class JsonWriter;

enum class EstimateGap : std::uint8_t {
    None,            ///< there is an estimate, or nothing to be estimated
    NoHistory,       ///< nothing of its kind has completed here
    Held,            ///< it, or its queue, is held
    Session,         ///< the session starts nothing
    Dependency,      ///< it waits for other actions
    Lock,            ///< another engine has a lock that it claims
    Overdue,         ///< it has run far longer than its kind usually does
    WaitsForUnknown, ///< what has to end before it has no end that is known
};
/// "no_history", "held", …; empty for None.
std::string_view name(EstimateGap gap);
/// The member "estimate" with what is known, and why the rest is not; nothing where there is neither. 0: not known.
void writeEstimate(JsonWriter& writer, WallMicros start, WallMicros finish, EstimateGap gap);

} // namespace yard

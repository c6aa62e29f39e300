// The life of one thing that a rule watches: a queue, an action, the disk. Values; any thread.
//
//     quiet -> firing -> resolved -> quiet, and from each of them to silenced and back
#pragma once

#include "core/base/state_machine.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace yard::alerts {

enum class AlertState : unsigned char { Quiet, Firing, Resolved, Silenced };
inline constexpr std::size_t kAlertStates = 4;
const TransitionTable<AlertState, kAlertStates>& alertTransitions();
/// "quiet", "firing", …
std::string_view name(AlertState state);

enum class AlertEvent : unsigned char {
    Raised,      ///< its condition holds, for as long as the rule asks
    Cleared,     ///< it does not hold any more
    Settled,     ///< nothing came since it was resolved
    Silenced,    ///< a person wants to hear nothing
    SpokenHolds, ///< the silence is over, and the condition holds
    SpokenClear  ///< the silence is over, and it does not
};
inline constexpr std::size_t kAlertEvents = 6;

/// The state that follows; nothing: the event changes nothing there.
std::optional<AlertState> move(AlertState from, AlertEvent event);

} // namespace yard::alerts

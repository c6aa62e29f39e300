#include "core/alerts/states.h"

#include <array>
#include <utility>

namespace yard::alerts {

const TransitionTable<AlertState, kAlertStates>& alertTransitions() {
    using enum AlertState;
    static constexpr TransitionTable<AlertState, kAlertStates> kTable{
        {Quiet, {Firing, Silenced}},
        {Firing, {Resolved, Silenced}},
        {Resolved, {Quiet, Firing, Silenced}},
        {Silenced, {Quiet, Firing}},
    };
    return kTable;
}

std::string_view name(AlertState state) {
    static constexpr std::array<std::string_view, kAlertStates> kWords = {"quiet", "firing", "resolved",
                                                                          "silenced"};
    return kWords[std::to_underlying(state)];
}

std::optional<AlertState> move(AlertState from, AlertEvent event) {
    using enum AlertState;
    AlertState to = from;
    switch (event) {
    case AlertEvent::Raised: to = from == Silenced ? Silenced : Firing; break;
    case AlertEvent::Cleared: to = from == Firing ? Resolved : from; break;
    case AlertEvent::Settled: to = from == Resolved ? Quiet : from; break;
    case AlertEvent::Silenced: to = Silenced; break;
    case AlertEvent::SpokenHolds: to = from == Silenced ? Firing : from; break;
    case AlertEvent::SpokenClear: to = from == Silenced ? Quiet : from; break;
    }
    if (to == from || !alertTransitions().allows(from, to)) return std::nullopt;
    return to;
}

} // namespace yard::alerts

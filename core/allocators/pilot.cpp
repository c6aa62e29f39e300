#include "core/allocators/pilot.h"

#include <array>
#include <utility>

namespace yard::allocators {

namespace {
constexpr TransitionTable<PilotState, kPilotStates> kMoves{
    {PilotState::Asked, {PilotState::Waiting, PilotState::Ending, PilotState::Gone}},
    // A pilot may join before a list of the other system says that it runs.
    {PilotState::Waiting, {PilotState::Starting, PilotState::Joined, PilotState::Ending, PilotState::Gone}},
    // Back to Waiting: the other system took it off its node and queued it again.
    {PilotState::Starting, {PilotState::Waiting, PilotState::Joined, PilotState::Ending, PilotState::Gone}},
    {PilotState::Joined, {PilotState::Waiting, PilotState::Starting, PilotState::Ending, PilotState::Gone}},
    {PilotState::Ending, {PilotState::Gone}},
};
} // namespace

const TransitionTable<PilotState, kPilotStates>& pilotMoves() {
    return kMoves;
}

std::string_view name(PilotState state) {
    constexpr std::array<std::string_view, kPilotStates> kNames = {"asked",  "waiting", "starting",
                                                                   "joined", "ending",  "gone"};
    return kNames[std::to_underlying(state)];
}

bool move(Pilot& pilot, PilotState to, MonoTime now) {
    if (!kMoves.allows(pilot.state, to)) return false;
    pilot.state = to;
    pilot.since = now;
    if (to != PilotState::Joined) pilot.idle.reset();
    const bool runs = to == PilotState::Starting || to == PilotState::Joined;
    if (runs && !pilot.began) pilot.began = now;
    if (to == PilotState::Waiting) pilot.began.reset();
    return true;
}

bool isCounted(const Pilot& pilot) {
    return pilot.state != PilotState::Ending && pilot.state != PilotState::Gone;
}

bool isPending(const Pilot& pilot) {
    return pilot.state == PilotState::Asked || pilot.state == PilotState::Waiting;
}

} // namespace yard::allocators

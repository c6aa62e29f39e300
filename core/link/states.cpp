#include "core/link/states.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

namespace yard::link {

namespace {
constexpr TransitionTable<LinkState, kLinkStates> kLinkMoves{
    {LinkState::Closed, {LinkState::Opening}},
    {LinkState::Opening, {LinkState::Greeting, LinkState::Closed, LinkState::Refused}},
    {LinkState::Greeting, {LinkState::Up, LinkState::Closed, LinkState::Refused}},
    {LinkState::Up, {LinkState::Closed, LinkState::Refused}},
    {LinkState::Refused, {LinkState::Closed}},
};

constexpr TransitionTable<MachineState, kMachineStates> kMachineMoves{
    {MachineState::Connecting,
     {MachineState::Ready, MachineState::Busy, MachineState::Draining, MachineState::Paused, MachineState::Silent,
      MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    {MachineState::Ready,
     {MachineState::Connecting, MachineState::Busy, MachineState::Draining, MachineState::Paused,
      MachineState::Silent, MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    {MachineState::Busy,
     {MachineState::Connecting, MachineState::Ready, MachineState::Draining, MachineState::Paused,
      MachineState::Silent, MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    {MachineState::Draining,
     {MachineState::Connecting, MachineState::Ready, MachineState::Busy, MachineState::Paused, MachineState::Silent,
      MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    {MachineState::Paused,
     {MachineState::Connecting, MachineState::Ready, MachineState::Busy, MachineState::Draining,
      MachineState::Silent, MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    {MachineState::Silent,
     {MachineState::Connecting, MachineState::Ready, MachineState::Busy, MachineState::Draining,
      MachineState::Paused, MachineState::Lost, MachineState::Refused, MachineState::Leaving}},
    // What was there is given up, or nothing is wanted of it: it begins again.
    {MachineState::Lost, {MachineState::Connecting, MachineState::Refused}},
    {MachineState::Refused, {MachineState::Connecting}},
    {MachineState::Leaving, {MachineState::Connecting, MachineState::Lost, MachineState::Refused}},
};

} // namespace

const TransitionTable<LinkState, kLinkStates>& linkMoves() {
    return kLinkMoves;
}

const TransitionTable<MachineState, kMachineStates>& machineMoves() {
    return kMachineMoves;
}

std::string_view name(LinkState state) {
    constexpr std::array<std::string_view, kLinkStates> kNames = {"closed", "opening", "greeting", "up", "refused"};
    return kNames[std::to_underlying(state)];
}

bool move(LinkState& state, LinkState to) {
    if (!kLinkMoves.allows(state, to)) return false;
    state = to;
    return true;
}

std::string_view name(MachineState state) {
    constexpr std::array<std::string_view, kMachineStates> kNames = {
        "connecting", "ready", "busy", "draining", "paused", "silent", "lost", "refused", "leaving"};
    return kNames[std::to_underlying(state)];
}

MachineState stateOf(const MachineFacts& facts) {
    if (facts.link == LinkState::Refused) return MachineState::Refused;
    if (facts.isPastLease) return MachineState::Lost;
    if (facts.isLeaving) return MachineState::Leaving;
    if (facts.link != LinkState::Up) return facts.hasLeases ? MachineState::Silent : MachineState::Connecting;
    if (facts.sinceFrame && *facts.sinceFrame >= kSilentAfter) return MachineState::Silent;
    if (facts.isPaused) return MachineState::Paused;
    if (facts.isDraining) return MachineState::Draining;
    return facts.isFull ? MachineState::Busy : MachineState::Ready;
}

void MachineLife::moveTo(MachineState to, BootTime now) {
    assert(kMachineMoves.allows(state_, to));
    state_ = to;
    since_ = now;
}

bool MachineLife::follow(const MachineFacts& facts, BootTime now) {
    const MachineState to = stateOf(facts);
    if (to == state_) return false;
    if (!kMachineMoves.allows(state_, to)) moveTo(MachineState::Connecting, now);
    if (to != state_) moveTo(to, now);
    return true;
}

Duration reconnectDelay(unsigned failures, double random) {
    const unsigned doublings = std::min(failures > 0 ? failures - 1 : 0, 6u);
    const Duration whole =
        std::min(Duration(std::chrono::seconds(1)) * (1 << doublings), Duration(std::chrono::seconds(60)));
    const double share = 0.5 + std::clamp(random, 0.0, 1.0) / 2;
    return std::chrono::duration_cast<Duration>(whole * share);
}

} // namespace yard::link

// The lives of a link and of a machine as the yard sees them: enumerations, tables of moves, and one function each
// that moves. Values, no owner.
#pragma once

#include "core/base/state_machine.h"
#include "core/link/boot_time.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace yard::link {

/// One connection, of either side.
enum class LinkState : std::uint8_t {
    Closed,
    Opening,  ///< the socket, TLS, the upgrade
    Greeting, ///< bytes flow; Hello or Welcome has not come yet
    Up,
    Refused ///< until somebody changes something, and asks for another try
};
inline constexpr std::size_t kLinkStates = 5;
const TransitionTable<LinkState, kLinkStates>& linkMoves();
std::string_view name(LinkState state);
/// The one way in which a link's state changes. False: there is no such move, and nothing changed.
[[nodiscard]] bool move(LinkState& state, LinkState to);

/// A machine, as the yard tells it (docs/machines.md).
enum class MachineState : std::uint8_t {
    Connecting,
    Ready,
    Busy,
    Draining,
    Paused,
    Silent,
    Lost,
    Refused,
    Leaving
};
inline constexpr std::size_t kMachineStates = 9;
const TransitionTable<MachineState, kMachineStates>& machineMoves();
std::string_view name(MachineState state);

/// What is known of a machine, all at one time.
struct MachineFacts {
    LinkState link = LinkState::Closed;
    bool hasLeases = false; ///< some are out
    std::optional<Duration>
        sinceFrame;           ///< since the last frame; nothing: none came since the link was opened first
    bool isPastLease = false; ///< YardLeases has given up what was there
    bool isLeaving = false;
    bool isPaused = false;
    bool isDraining = false;
    bool isFull = false; ///< has no place for one more
};
/// The state that follows from facts. Each is reachable from each by moves of the table, at most by way of
/// Connecting.
MachineState stateOf(const MachineFacts& facts);

/// The state of one machine. Owner: the engine thread of the yard.
class MachineLife {
public:
    MachineState state() const { return state_; }
    /// Since when, as follow() was told the time.
    BootTime since() const { return since_; }
    /// Moves to what follows from the facts. True: the state is another one now.
    bool follow(const MachineFacts& facts, BootTime now);
    /// New attempts may go there.
    bool takesWork() const { return state_ == MachineState::Ready; }

private:
    void moveTo(MachineState to, BootTime now);

    MachineState state_ = MachineState::Connecting;
    BootTime since_{};
};

/// How long to wait before a link is tried again: 1 s, doubled up to 60 s, each time between half of it and all.
/// `failures`: tries that failed in a row, from 1. `random`: uniform in [0, 1).
Duration reconnectDelay(unsigned failures, double random);

} // namespace yard::link

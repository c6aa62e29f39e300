// One machine that an allocator asked of another system: a job of Slurm, or what a start command began. Values, no
// owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/state_machine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::allocators {

enum class PilotState : std::uint8_t {
    Asked,    ///< the start command runs
    Waiting,  ///< has a job, in the other system's queue
    Starting, ///< the other system says that it runs; it has not joined
    Joined,   ///< is a machine of this yard
    Ending,   ///< its end was asked for
    Gone      ///< the other system does not know it any more, or never did
};
inline constexpr std::size_t kPilotStates = 6;
const TransitionTable<PilotState, kPilotStates>& pilotMoves();
std::string_view name(PilotState state);

/// Numbers of this process, never given twice.
using PilotNumber = std::uint64_t;

struct Pilot {
    PilotNumber number = 0;
    std::string job; ///< what the other system calls it; empty: Asked
    PilotState state = PilotState::Asked;
    MonoTime since{};                ///< of the state
    std::optional<MonoTime> began{}; ///< when it was seen to run first
    std::optional<MonoTime> idle{};  ///< Joined: since when nothing runs there; absent: something does
    bool hasRun = false;             ///< an action ran there
};

/// The one way in which a pilot's state changes. False: there is no such move, and nothing changed.
[[nodiscard]] bool move(Pilot& pilot, PilotState to, MonoTime now);

/// Counts as a machine that is there or will be.
bool isCounted(const Pilot& pilot);
/// Waits for the other system.
bool isPending(const Pilot& pilot);

} // namespace yard::allocators

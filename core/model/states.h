// The lifecycles of docs/api.md as enums, tables and words, and the reasons an attempt ends. Values, no owner.
// Numbers are stored in the journal: append only.
#pragma once

#include "core/base/state_machine.h"

#include <optional>
#include <string_view>

namespace yard {

/// Life of an action. Forward only; the one way back is the atomic reset of Failed or Abandoned to Pending.
enum class ActionState : unsigned char {
    New,        ///< accepted, being written to the journal
    Pending,    ///< waits for its turn (held and back-off are faces of pending)
    Submitting, ///< handed to a runner that is preparing it
    Running,    ///< its first process runs
    Completed,
    Failed,
    Abandoned,
    Cancelled
};
inline constexpr std::size_t kActionStates = 8;
const TransitionTable<ActionState, kActionStates>& actionTransitions();
/// Completed, Failed, Abandoned or Cancelled.
constexpr bool isEnded(ActionState s) {
    return s >= ActionState::Completed;
}
std::string_view name(ActionState state);
std::optional<ActionState> actionStateFrom(std::string_view word);

/// Service state of the process: created -> ready by itself, ready -> draining, ready|draining -> paused,
/// any earlier -> abandoned or sunset. Never back.
enum class SessionState : unsigned char { Created, Ready, Draining, Paused, Abandoned, Sunset };
inline constexpr std::size_t kSessionStates = 6;
const TransitionTable<SessionState, kSessionStates>& sessionTransitions();
std::string_view name(SessionState state);
/// False for Abandoned and Sunset.
constexpr bool isHealthy(SessionState s) {
    return s < SessionState::Abandoned;
}

/// Active -> Draining -> Cancelled, Active -> Cancelled.
enum class QueueState : unsigned char { Active, Draining, Cancelled };
inline constexpr std::size_t kQueueStates = 3;
const TransitionTable<QueueState, kQueueStates>& queueTransitions();
std::string_view name(QueueState state);
std::optional<QueueState> queueStateFrom(std::string_view word);

/// Why an attempt ended as it did. None: it completed, or has not ended.
enum class Reason : unsigned char {
    None,
    ExitCode,
    Signal,
    Deadline,
    Memory,
    Cancelled,
    Abandoned,
    EngineDied,
    EngineStopped,
    SpawnError,
    LostRunner,
    MemoryPressure,
    WorkerCrashed,
    MissingOutput,
    ResultTooLarge,
    DependencyFailed,
    GpuLost,
    GpuMemory
};
inline constexpr std::size_t kReasons = 18;
/// "" for None.
std::string_view name(Reason reason);
std::optional<Reason> reasonFrom(std::string_view word);
/// Not the action's own failure: counts against max_interruptions, never against max_retries.
constexpr bool isInterruption(Reason r) {
    return r == Reason::EngineDied || r == Reason::EngineStopped || r == Reason::SpawnError ||
           r == Reason::LostRunner || r == Reason::MemoryPressure || r == Reason::GpuLost;
}

} // namespace yard

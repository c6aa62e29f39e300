// What the orchestrator wants done. Values.
#pragma once

#include "core/lifecycle/tick.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace yard::lifecycle {

/// Counts from 1, never used twice in a life of the engine.
using ActorNumber = std::uint64_t;

/// Why nobody looks at an object that is due.
enum class OrphanReason : std::uint8_t {
    NoActor,
    StatusNotClaimed,
    WorkerUnknown,
    KeyMissing,
    CreatePending ///< its own creates are not carried out yet; so for a moment after each, a warning once one failed
};
inline constexpr std::size_t kOrphanReasons = 5;
std::string_view name(OrphanReason reason);

enum class EndReason : std::uint8_t {
    QueueEmpty,     ///< nothing of its key is left
    AnotherKey,     ///< objects of another key have no actor, and the type may not have more
    Timeout,        ///< its look took longer than it may
    WorkerReplaced, ///< another version of its worker is there
    TypeGone
};

/// A warm process of the type's worker with that launch key.
struct StartActor {
    ActorNumber actor = 0;
    TypeNumber type = 0;
    std::string key{};
};
/// After the commit of its claim.
struct SendTick {
    ActorNumber actor = 0;
    Seen seen{};
    WallMicros deadline = 0;
};
/// A `call` effect for an actor that is free.
struct SendCall {
    ActorNumber actor = 0;
    EffectKey effect{};
    WallMicros deadline = 0;
};
struct EndActor {
    ActorNumber actor = 0;
    EndReason why = EndReason::QueueEmpty;
};
/// Once for each object that is an orphan.
struct WarnOrphan {
    ObjectId object{};
    OrphanReason why = OrphanReason::NoActor;
};
/// What a new version of a type does to its objects: one commit with the version, before all that comes after it. No
/// decision; see Orchestrator::plan().
struct TypeChange {
    struct Move {
        std::string from{};
        std::string to{};
        WallMicros retryAt = 0; ///< kept where 0 and `to` is not final
        bool isFinal = false;   ///< retry_at goes
    };
    std::vector<StateNumber> to{}; ///< for each state of the version before; empty: there is none
    std::vector<Move> moves{};     ///< of states that objects are in and that change
};
/// Nothing is due and no actor runs. Decided once until something is.
struct Idle {};

/// In the order in which they are to be carried out. Claims that stand beside each other are one commit.
using Decision = std::variant<StartActor, Claim, SendTick, SendCall, Write, EndActor, WarnOrphan, Idle>;

} // namespace yard::lifecycle

// One object as the orchestrator holds it in memory: what decisions need. Fields, key, note and history are in the
// journal alone. Values; no owner.
//
// Invariant: a final status has no retry_at, every other one has.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/lifecycle/type.h"

#include <cstdint>

namespace yard::lifecycle {

/// Positive, never given twice. 0 is "none".
using ObjectId = Id<struct ObjectIdTag, std::int64_t>;
using TypeNumber = std::uint16_t;
/// A launch key of a type. 0: a field of the key is missing.
using KeyNumber = std::uint32_t;
/// Grows by one with each write that changed more than the time of the next look.
using Revision = std::int64_t;

/// How a status that nobody can leave is kept out of the way.
inline constexpr Duration kFar = std::chrono::hours(24 * 36'525);

/// What a decision was made from, and what its write is compared with.
struct Seen {
    ObjectId id{};
    StateNumber status = 0;
    Revision revision = 0;
    unsigned retries = 0;
};

/// Where the orchestrator has an object.
enum class Where : std::uint8_t {
    Nowhere, ///< final, or being put somewhere
    Waiting, ///< in the time index
    Queued,  ///< due, for an actor of its key
    Looking, ///< claimed, looked at, or its answer is being written
    Orphan   ///< due, and nobody claims it
};

struct Object {
    ObjectId id{};
    ObjectId parent{};
    WallMicros retryAt = 0;   ///< 0: none, the status is final
    WallMicros lookedAt = 0;  ///< start of the last look
    WallMicros indexedAt = 0; ///< its time in the time index or in the queue
    Revision revision = 0;
    KeyNumber key = 0;
    std::uint32_t pendingChildren = 0; ///< those that are not final
    std::uint32_t pendingCreates = 0;  ///< of its own effects; it is not looked at before they are carried out
    std::uint32_t indexPlace = 0;      ///< of the time index, which alone knows what it means
    TypeNumber type = 0;
    std::uint16_t retries = 0;
    StateNumber status = 0;
    std::uint8_t burst = 0; ///< looks one at once after the other
    Where where : 4 = Where::Nowhere;
    bool isWoken : 1 = false; ///< while it was looked at or written
    bool isStuck : 1 = false;
    bool isWarned : 1 = false; ///< that it is an orphan
    bool isHot : 1 = false;    ///< looked at as often as may be

    Seen seen() const { return {.id = id, .status = status, .revision = revision, .retries = retries}; }
};
/// A million of them are held.
static_assert(sizeof(Object) <= 72);

/// retry_at at a start of the engine. A clock that was set back while no engine ran shows in `modified`, which lies
/// ahead of now: what was to come an hour after that comes an hour from now.
constexpr WallMicros retryAtAfterStart(WallMicros retryAt, WallMicros modified, WallMicros now) {
    if (retryAt == 0 || modified <= now) return retryAt;
    return retryAt - (modified - now);
}

} // namespace yard::lifecycle

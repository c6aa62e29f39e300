// Objects in the journal (docs/objects.md): their rows as values, and what can be asked of the journal about them. A
// status is its name here, so that a new version of a type renumbers nothing. Any thread; no owner. 0 means absent for
// times and numbers of objects.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/store/idempotency.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::store {

/// Entries of an object's history that are kept.
inline constexpr std::int64_t kKeptHistory = 100;
/// Objects that one operation names at most.
inline constexpr std::size_t kMostObjects = 5'000;
/// Of the fields of an object, and of one effect.
inline constexpr std::size_t kMaxObjectText = 1U << 20;

struct ObjectTypeRow {
    std::int64_t id = 0; ///< never used twice
    std::string name{};
    std::string body{}; ///< the descriptor
};

/// What a start needs to know of each object.
struct ObjectStanding {
    std::int64_t id = 0;
    std::int64_t type = 0;
    std::int64_t parent = 0;
    std::int64_t revision = 0;
    std::int64_t retries = 0;
    WallMicros retryAt = 0;
    WallMicros modified = 0;
    std::string status{};
    std::optional<std::string> launch{}; ///< its launch key; absent: a field of it is missing
    bool isStuck = false;
};

/// A row of the outbox: an effect of a committed transition that is not carried out yet.
struct EffectRow {
    std::int64_t object = 0;
    std::int64_t revision = 0;
    std::int64_t position = 0;
    std::int64_t kind = 0;
    std::string body{};
    friend bool operator==(const EffectRow&, const EffectRow&) = default;
};
struct EffectName {
    std::int64_t object = 0;
    std::int64_t revision = 0;
    std::int64_t position = 0;
};

/// The effect that a submission carries out. Its row goes in the commit that ends the submission; where there is none any
/// more nothing is accepted, and the answer is `repeated`: so an effect submits once, however late it comes again.
struct SubmitEffect {
    EffectName effect{};
    std::string name{};   ///< as which its object sees the action; empty: not at all
    bool isOwned = false; ///< the submission is one action, and belongs to the object from now on
};
/// An action of an object that the object was not told the end of.
struct OwnedAction {
    Lsn lsn{};
    std::int64_t object = 0;
    bool isPending = false; ///< false: it has ended
};

/// A new type, or a new version of one with the move of its objects: one commit. The caller checks that each object has
/// a state afterwards.
struct PutObjectType {
    struct Move {
        std::string from{};
        std::string to{};
        WallMicros retryAt = 0; ///< 0: as it is
        bool isFinal = false;   ///< retry_at goes, end_ts comes
    };
    ObjectTypeRow row{};
    std::vector<Move> moves{};
    WallMicros now = 0;
};
/// WrongState while there are objects of it.
struct DropObjectType {
    std::int64_t id = 0;
};

struct NewObject {
    std::int64_t id = 0;
    std::int64_t type = 0;
    std::int64_t parent = 0;
    std::string status{};
    WallMicros retryAt = 0; ///< 0: the status is final
    std::optional<std::string> key{};
    std::optional<std::string> launch{};
    std::string fields = "{}";
};
/// All or none. AckDetail::objects has the number of each: one whose key its type has already is the one that is there,
/// and nothing of it changes. With an `effect` the row of the outbox goes in the same commit; where it is gone
/// nothing is created, so that an effect creates once. With an `idempotency` its answer is kept, with ";first+count" for
/// each run of numbers behind it. A repeat creates nothing: AckDetail::repeated, and the first answer. Used with
/// another body: Invalid.
struct CreateObjects {
    std::vector<NewObject> objects{};
    std::optional<EffectName> effect{};
    WallMicros now = 0;
    std::optional<Idempotency> idempotency{};
};

/// Before a look: retry_at moves, if the object is as it was seen. AckDetail::objects has those that were not.
struct ClaimObjects {
    struct Claim {
        std::int64_t id = 0;
        std::string status{};
        std::int64_t revision = 0;
        WallMicros retryAt = 0;
    };
    std::vector<Claim> claims{};
};

/// One compare-and-swap of (id, status, revision), with its effects as rows of the outbox and the wake of its parent:
/// all in one commit. Where the object is not as it was seen nothing happens: AckDetail::objects names it then. So it does
/// where the key of its `idempotency` is known already.
struct MoveObject {
    // compared
    std::int64_t id = 0;
    std::string from{};
    std::int64_t revision = 0;
    // written
    std::string to{};
    std::int64_t newRevision = 0;
    WallMicros retryAt = 0; ///< 0 exactly when it `ends`
    std::int64_t retries = 0;
    bool moves = false;  ///< it has an entry in the history
    bool starts = false; ///< start_ts, unless it has one
    bool ends = false;
    bool isStuck = false;
    std::string set{};       ///< JSON object: values of fields, null takes one away
    std::string lastError{}; ///< empty: as it was
    std::optional<std::string> launch{};
    std::vector<std::pair<std::int64_t, std::string>> effects{}; ///< kind and body, in the order of their positions
    std::int64_t wakes = 0;                                      ///< its parent
    std::string actor{};
    std::int64_t tickMs = 0;
    WallMicros at = 0;
    std::optional<Idempotency> idempotency{}; ///< kept with it
};

/// retry_at of those that have one becomes `at`, if it was later; nothing else of them. With an `effect` its row goes.
struct WakeObjects {
    std::vector<std::int64_t> ids{};
    std::optional<EffectName> effect{};
    WallMicros at = 0;
    std::vector<Lsn> told{}; ///< actions of theirs whose end they are woken for
};
/// It is carried out.
struct DropEffect {
    EffectName effect{};
};
/// With history and effects. Children stay.
struct DropObjects {
    std::vector<std::int64_t> ids{};
};

} // namespace yard::store

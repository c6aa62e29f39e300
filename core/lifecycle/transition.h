// A transition as a value: one compare-and-swap of an object's status with all that belongs to it. Pure functions; any
// thread.
//
// Nothing is written here. Who writes compares (id, status, revision); where they are others meanwhile nothing of the
// write happens, silently, so that a repeat does nothing.
#pragma once

#include "core/lifecycle/object.h"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::lifecycle {

inline constexpr std::size_t kMaxEffects = 1'000;

enum class EffectKind : std::uint8_t {
    Create, ///< an object; exactly once
    Submit, ///< an action; exactly once
    Wake,   ///< moves only retry_at of others; at least once
    Call    ///< sent to an actor of the type; at least once
};
std::string_view name(EffectKind kind);

struct Effect {
    EffectKind kind = EffectKind::Wake;
    std::string body{}; ///< canonical JSON of the answer's element
    friend bool operator==(const Effect&, const Effect&) = default;
};

/// Of an effect's row in the outbox. The same for every repeat: what is made by it is made once.
struct EffectKey {
    ObjectId object{};
    Revision revision = 0; ///< after the write
    std::uint32_t position = 0;
    friend auto operator<=>(const EffectKey&, const EffectKey&) = default;
    std::string text() const; ///< "17/3/0"
};

/// What a worker said of one look.
struct Answer {
    std::optional<std::string> move{};
    std::string set{}; ///< canonical JSON of an object; empty: nothing
    std::optional<Duration> lookIn{};
    std::vector<Effect> effects{};
};

struct Write {
    // compared
    ObjectId id{};
    StateNumber from = 0;
    Revision revision = 0;
    // written
    StateNumber to = 0;
    Revision newRevision = 0;
    WallMicros retryAt = 0; ///< 0: none, `to` is final
    unsigned retries = 0;
    bool starts = false; ///< leaves the initial status: start_ts
    bool ends = false;   ///< enters a final one: end_ts
    bool isStuck = false;
    bool moves = false;    ///< a move, though `to` may be `from`
    bool isOfTick = false; ///< else a person's
    std::string set{};
    std::string lastError{};
    std::vector<Effect> effects{};
    WallMicros at = 0;
    ObjectId wakes{}; ///< the parent of what ended: due at `at`, in the same commit

    bool swaps(StateNumber status, Revision current) const { return status == from && current == revision; }
    EffectKey keyOf(std::uint32_t position) const {
        return {.object = id, .revision = newRevision, .position = position};
    }
};

/// What an answer comes to. Invalid: it is not allowed, an exception of the tick.
Result<Write> transitionOf(const Type& type, const Seen& seen, const Answer& answer, WallMicros now);
/// A tick that failed: the same status later, counted as a retry.
Write exceptionOf(const Type& type, const Seen& seen, std::string error, WallMicros now);
/// A person's move. Invalid: no such status; WrongState: the table does not allow it and `isForced` is not set.
Result<Write> moveByHand(const Type& type, const Seen& seen, std::string_view to, bool isForced, WallMicros now);

/// A person's change of fields: the status, its retries and the time of the next look stay.
Write changeByHand(const Object& object, std::string set, WallMicros now);

} // namespace yard::lifecycle

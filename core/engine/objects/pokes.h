// Who let an object be due before its time, and what came of that: for people, and of this life of the engine alone.
//
// Owner: engine thread. Bounds: kMostOfOne of an object, kMost of all; the oldest are forgotten.
#pragma once

#include "core/base/owner.h"
#include "core/lifecycle/object.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

enum class PokeWhy : std::uint8_t {
    Person, ///< asked for a look now
    Object, ///< an effect of another one
    Child,  ///< ended, or was deleted
    Action  ///< that a look submitted ended
};
/// Waits becomes one of the others, once.
enum class PokeOutcome : std::uint8_t {
    Waits, ///< no look has come to its end since
    Moved,
    Stayed, ///< it was looked at, and has the same status
    Failed, ///< the look did
    Ended   ///< the object ended before a look came
};
std::string_view name(PokeWhy why);
std::string_view name(PokeOutcome outcome);

struct Poke {
    WallMicros t = 0;
    std::int64_t by = 0; ///< number of the object or LSN of the action; 0: nobody has one
    PokeWhy why = PokeWhy::Person;
    PokeOutcome outcome = PokeOutcome::Waits;
    std::string to{}; ///< of Moved and Ended: the status then
};

class Pokes {
public:
    static constexpr std::size_t kMostOfOne = 20;
    static constexpr std::size_t kMost = 10'000;

    void note(lifecycle::ObjectId id, Poke poke);
    /// Those that wait and came no later than `until` have this outcome.
    void settle(lifecycle::ObjectId id, WallMicros until, PokeOutcome outcome, std::string_view to);
    void forget(lifecycle::ObjectId id);
    /// The oldest first.
    std::vector<Poke> of(lifecycle::ObjectId id) const;

private:
    struct Kept {
        std::uint64_t number = 0;
        Poke poke{};
    };
    std::unordered_map<lifecycle::ObjectId, std::deque<Kept>> kept_;
    /// As they came; those that went with others of their object are here still.
    std::deque<std::pair<lifecycle::ObjectId, std::uint64_t>> order_;
    std::uint64_t last_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::engine

// A type of objects: a named state machine with its fields and the rules of the actors that look at its objects.
// Values, made by parseType() (type_json.h). Any thread; no owner.
//
// Invariants of a checked type: exactly one initial state, which is not final; every state is reachable from it and has
// a way to a final one; no move leads out of a final state.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::lifecycle {

/// Index into Type::states.
using StateNumber = std::uint8_t;
/// One bit per state.
using StateSet = std::uint64_t;

inline constexpr std::size_t kMaxStates = 64;
inline constexpr std::size_t kMaxFields = 64;
inline constexpr std::size_t kMaxSpawnSteps = 16;
inline constexpr unsigned kMaxActors = 1'000;
inline constexpr unsigned kMaxRetries = 10'000;
inline constexpr std::size_t kMaxTypeName = 64;

constexpr StateSet only(StateNumber state) {
    return StateSet{1} << state;
}
constexpr bool contains(StateSet set, StateNumber state) {
    return (set & only(state)) != 0;
}

/// Gives a state its icon and its colour; Bad is also where an object goes that was retried too often.
enum class StateKind : std::uint8_t { Wait, Work, Done, Bad, Skip };

struct State {
    std::string name{};
    StateKind kind = StateKind::Wait;
    bool isInitial = false;
    bool isFinal = false;
};

enum class FieldKind : std::uint8_t { String, Integer, Number, Boolean, Json };

struct Field {
    std::string name{};
    FieldKind kind = FieldKind::String;
    bool isRequired = false;
    bool isIndexed = false;
    std::string defaultJson{}; ///< empty: none
};

/// More than `over` objects in the queue of a key are worth `actors` actors.
struct SpawnStep {
    unsigned over = 0;
    unsigned actors = 1;
};

/// In which order the due objects of a queue are looked at.
enum class Order : std::uint8_t { RetryAt, Created };

struct ActorRules {
    std::string worker{};
    std::string function = "tick";
    std::vector<std::string> key{}; ///< fields whose values make the launch key
    unsigned maxActors = 1;         ///< of the type
    unsigned maxPerKey = 1;
    std::vector<SpawnStep> spawn{}; ///< highest `over` first
    Duration maxTickTime = std::chrono::seconds(60);
    Duration linger{};   ///< an actor whose queue is empty stays so long
    StateSet claims = 0; ///< states whose objects the actors look at
    std::vector<std::pair<std::string, double>> resources{};
    std::vector<std::string> locks{};
    Order order = Order::RetryAt;
};

struct Type {
    std::string name{};
    std::string version = "1";
    std::vector<Field> fields{};
    std::vector<State> states{};
    std::vector<StateSet> moves{}; ///< for each state: those that may follow
    std::optional<ActorRules> actor{};
    std::string parent{};
    unsigned maxRetries = 5;
    Duration backoff = std::chrono::seconds(10);
    unsigned keepDays = 0; ///< 0: kept until somebody deletes them
    /// Of the version before: what states that are gone are called now.
    std::vector<std::pair<std::string, std::string>> renames{};

    std::optional<StateNumber> find(std::string_view state) const;
    const Field* field(std::string_view name) const;
    StateNumber initial() const;
    bool isFinal(StateNumber state) const { return states[state].isFinal; }
    bool allows(StateNumber from, StateNumber to) const { return contains(moves[from], to); }
    /// Where an object goes that was retried too often: the first final state of kind Bad. Nothing: it is stuck.
    std::optional<StateNumber> badEnd() const;
};

/// `[A-Za-z][A-Za-z0-9_-]{0,63}`: names of types, states and fields.
bool isLifecycleName(std::string_view name);

/// The invariants above and the limits. Invalid; the sentence names the states.
Result<void> checkType(const Type& type);

/// How many actors a queue of that length is worth by the table alone, limits apart. Without a table one.
unsigned actorsWorth(const ActorRules& rules, std::size_t queue);

/// For each state of `before` its number in `after`. States without objects may be gone: their entry is the initial
/// one. WrongState when a state that objects are in is neither there nor renamed.
Result<std::vector<StateNumber>> successors(const Type& before, const Type& after, StateSet occupied);

} // namespace yard::lifecycle

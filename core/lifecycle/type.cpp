#include "core/lifecycle/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace yard::lifecycle {
namespace {

bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

StateSet stepped(const Type& type, StateSet from) {
    StateSet reached = from;
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (contains(from, state)) reached |= type.moves[state];
    return reached;
}

StateSet reachableFrom(const Type& type, StateSet from) {
    for (StateSet next = stepped(type, from); next != from; next = stepped(type, from)) from = next;
    return from;
}

/// "a, b and c" of those states that are not in the set.
std::string namesOutside(const Type& type, StateSet set) {
    std::string names;
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (!contains(set, state)) names += (names.empty() ? "" : ", ") + type.states[state].name;
    return names;
}

std::unexpected<Error> wrongStates(std::string message) {
    return invalid("states", std::move(message));
}

Result<void> checkNames(const Type& type) {
    if (!isLifecycleName(type.name))
        return invalid("name", "Give \"name\" as a letter and up to 63 letters, digits, _ and -.");
    if (type.states.size() < 2 || type.states.size() > kMaxStates)
        return wrongStates(fmt::format("A type has 2 to {} states; give \"states\" like that.", kMaxStates));
    if (type.fields.size() > kMaxFields)
        return invalid("fields", fmt::format("A type has at most {} fields.", kMaxFields));
    std::set<std::string_view> seen;
    for (const State& state : type.states) {
        if (!isLifecycleName(state.name))
            return wrongStates(
                fmt::format("The state \"{}\" is no name; use a letter and up to 63 letters, digits, _ and -.",
                            state.name.substr(0, kMaxTypeName)));
        if (!seen.insert(state.name).second)
            return wrongStates(fmt::format("The state {} is there twice; give each once.", state.name));
    }
    seen.clear();
    for (const Field& field : type.fields) {
        if (!isLifecycleName(field.name))
            return invalid("fields",
                           fmt::format("The field \"{}\" is no name; use a letter and up to 63 letters, digits, _ "
                                       "and -.",
                                       field.name.substr(0, kMaxTypeName)));
        if (!seen.insert(field.name).second)
            return invalid("fields", fmt::format("The field {} is there twice; give each once.", field.name));
    }
    return {};
}

Result<void> checkMachine(const Type& type) {
    const auto initials = std::ranges::count_if(type.states, &State::isInitial);
    if (initials != 1)
        return wrongStates(
            fmt::format("{} states are initial; mark exactly one with \"initial\": true.", initials));
    if (type.isFinal(type.initial()))
        return wrongStates(fmt::format("The state {} is initial and final; an object could never move.",
                                       type.states[type.initial()].name));
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (type.isFinal(state) && type.moves[state] != 0)
            return invalid("transitions", fmt::format("The state {} is final, so no transition leads out of it.",
                                                      type.states[state].name));
    const StateSet reached = reachableFrom(type, only(type.initial()));
    if (const std::string names = namesOutside(type, reached); !names.empty())
        return wrongStates(fmt::format("No way leads from {} to: {}. Add transitions or remove these states.",
                                       type.states[type.initial()].name, names));
    StateSet finals = 0;
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (type.isFinal(state)) finals |= only(state);
    StateSet ending = 0;
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if ((reachableFrom(type, only(state)) & finals) != 0) ending |= only(state);
    if (const std::string names = namesOutside(type, ending); !names.empty())
        return wrongStates(fmt::format("No way leads to a final state from: {}. Add transitions.", names));
    return {};
}

Result<void> checkActor(const Type& type, const ActorRules& rules) {
    const auto refuse = [](std::string message) { return invalid("actor", std::move(message)); };
    if (rules.worker.empty()) return refuse("An actor needs \"worker\"; name a registered one.");
    for (const std::string& name : rules.key)
        if (!type.field(name))
            return refuse(fmt::format("The key names the field {}, which the type does not have.", name));
    if (rules.maxActors < 1 || rules.maxActors > kMaxActors || rules.maxPerKey < 1 || rules.maxPerKey > kMaxActors)
        return refuse(fmt::format("Give \"max_actors\" and \"max_per_key\" as 1 to {}.", kMaxActors));
    if (rules.spawn.size() > kMaxSpawnSteps)
        return refuse(fmt::format("\"spawn\" has at most {} steps.", kMaxSpawnSteps));
    for (std::size_t i = 0; i < rules.spawn.size(); ++i)
        if (rules.spawn[i].actors < 1 || (i > 0 && rules.spawn[i].over >= rules.spawn[i - 1].over))
            return refuse(
                "Give the steps of \"spawn\" with the highest \"over\" first, each with 1 actor or more.");
    if (rules.claims == 0) return refuse("\"claims\" names no state; name those that the actor looks at.");
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (contains(rules.claims, state) && type.isFinal(state))
            return refuse(
                fmt::format("\"claims\" names {}, which is final and never due.", type.states[state].name));
    if (rules.maxTickTime <= Duration::zero()) return refuse("Give \"max_tick_time_s\" as more than 0.");
    return {};
}

} // namespace

std::optional<StateNumber> Type::find(std::string_view state) const {
    const auto at = std::ranges::find(states, state, &State::name);
    if (at == states.end()) return std::nullopt;
    return static_cast<StateNumber>(at - states.begin());
}

const Field* Type::field(std::string_view wanted) const {
    const auto at = std::ranges::find(fields, wanted, &Field::name);
    return at == fields.end() ? nullptr : &*at;
}

StateNumber Type::initial() const {
    return static_cast<StateNumber>(std::ranges::find_if(states, &State::isInitial) - states.begin());
}

std::optional<StateNumber> Type::badEnd() const {
    const auto at =
        std::ranges::find_if(states, [](const State& s) { return s.isFinal && s.kind == StateKind::Bad; });
    if (at == states.end()) return std::nullopt;
    return static_cast<StateNumber>(at - states.begin());
}

bool isLifecycleName(std::string_view name) {
    return !name.empty() && name.size() <= kMaxTypeName && isLetter(name.front()) &&
           std::ranges::all_of(
               name, [](char c) { return isLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; });
}

Result<void> checkType(const Type& type) {
    if (auto fine = checkNames(type); !fine) return fine;
    if (auto fine = checkMachine(type); !fine) return fine;
    if (type.maxRetries > kMaxRetries)
        return invalid("max_retries", fmt::format("Give \"max_retries\" as 0 to {}.", kMaxRetries));
    if (type.backoff <= Duration::zero()) return invalid("backoff_s", "Give \"backoff_s\" as more than 0.");
    if (!type.parent.empty() && !isLifecycleName(type.parent))
        return invalid("parent", "Give \"parent\" as the name of a type.");
    return type.actor ? checkActor(type, *type.actor) : Result<void>{};
}

unsigned actorsWorth(const ActorRules& rules, std::size_t queue) {
    if (queue == 0) return 0;
    for (const SpawnStep& step : rules.spawn)
        if (queue > step.over) return step.actors;
    return rules.spawn.empty() ? 1 : 0;
}

Result<std::vector<StateNumber>> successors(const Type& before, const Type& after, StateSet occupied) {
    std::vector<StateNumber> to;
    for (StateNumber state = 0; state < static_cast<StateNumber>(before.states.size()); ++state) {
        std::string_view name = before.states[state].name;
        const auto renamed = std::ranges::find(after.renames, name, &std::pair<std::string, std::string>::first);
        if (renamed != after.renames.end()) name = renamed->second;
        const auto there = after.find(name);
        if (!there && contains(occupied, state))
            return fail(
                ErrorKind::WrongState,
                fmt::format("Objects are in the state {} and version {} of {} does not have it; keep it, or say "
                            "with \"rename\" what it is called now.",
                            before.states[state].name, after.version, after.name));
        to.push_back(there.value_or(after.initial()));
    }
    return to;
}

} // namespace yard::lifecycle

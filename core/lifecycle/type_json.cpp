#include "core/lifecycle/type_json.h"

#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/lifecycle/field_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace yard::lifecycle {
namespace {

constexpr double kMaxSeconds = 366.0 * 86'400;
constexpr std::size_t kMaxWord = 256;
constexpr std::size_t kMaxList = 64;

/// `name` of what is called "name" in a sentence, whatever follows it there.
std::string_view fieldOf(std::string_view at) {
    if (!at.starts_with('"')) return at;
    at.remove_prefix(1);
    return at.substr(0, at.find('"'));
}

/// Keeps the first error; each question answers false once there is one.
class Reader {
public:
    bool refuse(std::string_view member, std::string message) {
        if (!error_) error_ = invalid(std::string(fieldOf(member)), std::move(message)).error();
        return false;
    }
    bool object(JsonView v, std::string_view at) {
        return v.isObject() || refuse(at, fmt::format("Give {} as an object.", at));
    }
    bool list(JsonView v, std::string_view at) {
        if (v.kind() == JsonKind::Array && v.count() <= kMaxList * kMaxList) return true;
        return refuse(at, fmt::format("Give {} as a list.", at));
    }
    bool text(JsonView v, std::string_view at, std::string& out) {
        if (v.kind() != JsonKind::String || v.string().size() > kMaxWord)
            return refuse(at, fmt::format("Give {} as a text of at most {} bytes.", at, kMaxWord));
        out = v.string();
        return true;
    }
    bool boolean(JsonView v, std::string_view at, bool& out) {
        if (v.kind() != JsonKind::Bool) return refuse(at, fmt::format("Give {} as true or false.", at));
        out = v.node().boolean;
        return true;
    }
    bool count(JsonView v, std::string_view at, unsigned most, unsigned& out) {
        if (v.kind() != JsonKind::Integer || v.node().integer < 0 || v.node().integer > std::int64_t{most})
            return refuse(at, fmt::format("Give {} as a whole number from 0 to {}.", at, most));
        out = static_cast<unsigned>(v.node().integer);
        return true;
    }
    bool number(JsonView v, std::string_view at, double most, double& out) {
        const bool isWhole = v.kind() == JsonKind::Integer;
        out = isWhole ? static_cast<double>(v.node().integer) : 0;
        if (v.kind() == JsonKind::Number) out = v.node().number;
        if ((!isWhole && v.kind() != JsonKind::Number) || out < 0 || out > most)
            return refuse(at, fmt::format("Give {} as a number from 0 to {:.0f}.", at, most));
        return true;
    }
    bool seconds(JsonView v, std::string_view at, Duration& out) {
        double given = 0;
        if (!number(v, at, kMaxSeconds, given)) return false;
        out = Duration(std::llround(given * 1e6));
        return true;
    }
    bool texts(JsonView v, std::string_view at, std::vector<std::string>& out) {
        if (!list(v, at)) return false;
        if (v.count() > kMaxList) return refuse(at, fmt::format("Give {} with at most {} texts.", at, kMaxList));
        for (const JsonView one : v)
            if (!text(one, at, out.emplace_back())) return false;
        return true;
    }
    bool unknown(JsonView v, std::string_view of) {
        return refuse(v.key(), fmt::format("{} has no member \"{}\"; leave it out.", of, v.key()));
    }
    std::unexpected<Error> error() const { return std::unexpected(*error_); }

private:
    std::optional<Error> error_;
};

template<class Word, std::size_t Count>
bool word(Reader& read, JsonView v, std::string_view at,
          const std::array<std::pair<std::string_view, Word>, Count>& all, Word& out) {
    if (v.kind() == JsonKind::String)
        for (const auto& [name, value] : all)
            if (v.string() == name) {
                out = value;
                return true;
            }
    std::string known;
    for (const auto& [name, value] : all) known += (known.empty() ? "" : ", ") + std::string(name);
    return read.refuse(at, fmt::format("Give {} as one of: {}.", at, known));
}

using enum StateKind;
constexpr std::array<std::pair<std::string_view, StateKind>, 5> kStateKinds{
    {{"wait", Wait}, {"work", Work}, {"done", Done}, {"bad", Bad}, {"skip", Skip}}};
constexpr std::array<std::pair<std::string_view, FieldKind>, 5> kFieldKinds{{{"string", FieldKind::String},
                                                                             {"integer", FieldKind::Integer},
                                                                             {"number", FieldKind::Number},
                                                                             {"boolean", FieldKind::Boolean},
                                                                             {"json", FieldKind::Json}}};
constexpr std::array<std::pair<std::string_view, Order>, 2> kOrders{
    {{"retry_at", Order::RetryAt}, {"created", Order::Created}}};

bool readStates(Reader& read, JsonView v, Type& type) {
    if (!read.object(v, "\"states\"")) return false;
    if (v.count() > kMaxStates) return read.refuse("states", fmt::format("At most {} states.", kMaxStates));
    for (const JsonView one : v) {
        State& state = type.states.emplace_back();
        state.name = one.key();
        const std::string at = fmt::format("the state {}", one.key());
        if (!read.object(one, at)) return false;
        bool hasKind = false;
        for (const JsonView member : one) {
            const std::string inner = fmt::format("\"{}\" of {}", member.key(), at);
            bool fine = false;
            if (member.key() == "initial")
                fine = read.boolean(member, inner, state.isInitial);
            else if (member.key() == "final")
                fine = read.boolean(member, inner, state.isFinal);
            else if (member.key() == "kind")
                fine = hasKind = word(read, member, inner, kStateKinds, state.kind);
            else
                fine = read.unknown(member, at);
            if (!fine) return false;
        }
        if (!hasKind) state.kind = state.isFinal ? Done : (state.isInitial ? Wait : Work);
    }
    type.moves.assign(type.states.size(), 0);
    return true;
}

bool readFields(Reader& read, JsonView v, Type& type) {
    if (!read.object(v, "\"fields\"")) return false;
    if (v.count() > kMaxFields) return read.refuse("fields", fmt::format("At most {} fields.", kMaxFields));
    for (const JsonView one : v) {
        Field& field = type.fields.emplace_back();
        field.name = one.key();
        const std::string at = fmt::format("the field {}", one.key());
        if (!read.object(one, at)) return false;
        std::optional<JsonView> preset;
        for (const JsonView member : one) {
            const std::string inner = fmt::format("\"{}\" of {}", member.key(), at);
            bool fine = true;
            if (member.key() == "type")
                fine = word(read, member, inner, kFieldKinds, field.kind);
            else if (member.key() == "required")
                fine = read.boolean(member, inner, field.isRequired);
            else if (member.key() == "index")
                fine = read.boolean(member, inner, field.isIndexed);
            else if (member.key() == "default")
                preset = member;
            else
                fine = read.unknown(member, at);
            if (!fine) return false;
        }
        if (!preset) continue;
        if (!fits(field.kind, preset->kind()))
            return read.refuse("fields", fmt::format("The default of {} is not of its type.", at));
        auto text = canonicalJson(*preset);
        if (!text) return read.refuse("fields", text.error().message);
        field.defaultJson = std::move(*text);
    }
    return true;
}

/// A state's number by its name.
bool stateNamed(Reader& read, const Type& type, JsonView v, std::string_view at, StateSet& out) {
    std::string name;
    if (!read.text(v, at, name)) return false;
    const auto state = type.find(name);
    if (!state)
        return read.refuse(at, fmt::format("{} names the state {}, which the type does not have.", at, name));
    out |= only(*state);
    return true;
}

bool statesNamed(Reader& read, const Type& type, JsonView v, std::string_view at, StateSet& out) {
    if (v.kind() != JsonKind::Array) return stateNamed(read, type, v, at, out);
    for (const JsonView one : v)
        if (!stateNamed(read, type, one, at, out)) return false;
    return true;
}

bool readTransitions(Reader& read, JsonView v, Type& type) {
    if (!read.list(v, "\"transitions\"")) return false;
    for (const JsonView one : v) {
        if (!read.object(one, "a transition")) return false;
        StateSet from = 0;
        StateSet to = 0;
        for (const JsonView member : one) {
            bool fine = false;
            if (member.key() == "from")
                fine = statesNamed(read, type, member, "\"from\" of a transition", from);
            else if (member.key() == "to")
                fine = stateNamed(read, type, member, "\"to\" of a transition", to);
            else
                fine = read.unknown(member, "A transition");
            if (!fine) return false;
        }
        if (from == 0 || to == 0) return read.refuse("transitions", "A transition needs \"from\" and \"to\".");
        for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
            if (contains(from, state)) type.moves[state] |= to;
    }
    return true;
}

bool readSpawn(Reader& read, JsonView v, ActorRules& rules) {
    if (!read.list(v, "\"spawn\"")) return false;
    for (const JsonView one : v) {
        if (!read.object(one, "a step of \"spawn\"")) return false;
        SpawnStep& step = rules.spawn.emplace_back();
        for (const JsonView member : one) {
            bool fine = false;
            if (member.key() == "over")
                fine = read.count(member, "\"over\" of \"spawn\"", 1'000'000'000, step.over);
            else if (member.key() == "actors")
                fine = read.count(member, "\"actors\" of \"spawn\"", kMaxActors, step.actors);
            else
                fine = read.unknown(member, "A step of \"spawn\"");
            if (!fine) return false;
        }
    }
    return true;
}

bool readResources(Reader& read, JsonView v, ActorRules& rules) {
    if (!read.object(v, "\"resources\"")) return false;
    if (v.count() > kMaxList) return read.refuse("resources", fmt::format("At most {} resources.", kMaxList));
    for (const JsonView one : v) {
        auto& [name, amount] = rules.resources.emplace_back(one.key(), 0.0);
        if (!read.number(one, fmt::format("the resource {}", name), 1e12, amount)) return false;
    }
    return true;
}

bool readClaims(Reader& read, JsonView v, const Type& type, ActorRules& rules) {
    if (!read.object(v, "\"claims\"")) return false;
    for (const JsonView one : v) {
        if (one.key() != "status") return read.unknown(one, "\"claims\"");
        if (!statesNamed(read, type, one, "\"claims\"", rules.claims)) return false;
    }
    return true;
}

bool readActorMember(Reader& read, JsonView v, const Type& type, ActorRules& rules) {
    const std::string_view key = v.key();
    const std::string at = fmt::format("\"{}\" of the actor", key);
    if (key == "worker") return read.text(v, at, rules.worker);
    if (key == "function") return read.text(v, at, rules.function);
    if (key == "key") return read.texts(v, at, rules.key);
    if (key == "max_actors") return read.count(v, at, kMaxActors, rules.maxActors);
    if (key == "max_per_key") return read.count(v, at, kMaxActors, rules.maxPerKey);
    if (key == "spawn") return readSpawn(read, v, rules);
    if (key == "max_tick_time_s") return read.seconds(v, at, rules.maxTickTime);
    if (key == "linger_s") return read.seconds(v, at, rules.linger);
    if (key == "claims") return readClaims(read, v, type, rules);
    if (key == "resources") return readResources(read, v, rules);
    if (key == "locks") return read.texts(v, at, rules.locks);
    if (key == "order") return word(read, v, at, kOrders, rules.order);
    return read.unknown(v, "The actor");
}

bool readActor(Reader& read, JsonView v, Type& type) {
    if (!read.object(v, "\"actor\"")) return false;
    ActorRules& rules = type.actor.emplace();
    bool hasClaims = false;
    for (const JsonView member : v) {
        hasClaims = hasClaims || member.key() == "claims";
        if (!readActorMember(read, member, type, rules)) return false;
    }
    if (hasClaims) return true;
    for (StateNumber state = 0; state < static_cast<StateNumber>(type.states.size()); ++state)
        if (!type.isFinal(state)) rules.claims |= only(state);
    return true;
}

bool readRenames(Reader& read, JsonView v, Type& type) {
    if (!read.object(v, "\"rename\"")) return false;
    for (const JsonView one : v) {
        StateSet to = 0;
        const std::string at = fmt::format("\"rename\" of {}", one.key());
        if (!stateNamed(read, type, one, at, to)) return false;
        type.renames.emplace_back(one.key(), one.string());
    }
    return true;
}

/// Members that need nothing of others.
bool readPlain(Reader& read, JsonView v, Type& type) {
    const std::string_view key = v.key();
    if (key == "name") return read.text(v, "\"name\"", type.name);
    if (key == "version") return read.text(v, "\"version\"", type.version);
    if (key == "fields") return readFields(read, v, type);
    if (key == "states") return readStates(read, v, type);
    if (key == "parent") return read.text(v, "\"parent\"", type.parent);
    if (key == "max_retries") return read.count(v, "\"max_retries\"", kMaxRetries, type.maxRetries);
    if (key == "backoff_s") return read.seconds(v, "\"backoff_s\"", type.backoff);
    if (key == "keep_days") return read.count(v, "\"keep_days\"", 36'500, type.keepDays);
    if (key == "transitions" || key == "actor" || key == "rename") return true;
    return read.unknown(v, "A type");
}

/// Members that name states.
bool readNaming(Reader& read, JsonView v, Type& type) {
    if (v.key() == "transitions") return readTransitions(read, v, type);
    if (v.key() == "actor") return readActor(read, v, type);
    return v.key() != "rename" || readRenames(read, v, type);
}

} // namespace

Result<Type> parseType(std::string_view json) {
    if (json.size() > kMaxTypeBytes)
        return fail(ErrorKind::TooLarge, fmt::format("A type has at most {} KiB.", kMaxTypeBytes >> 10));
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    Reader read;
    Type type;
    const JsonView root = tape->root();
    if (!read.object(root, "a type")) return read.error();
    for (const JsonView member : root)
        if (!readPlain(read, member, type)) return read.error();
    for (const JsonView member : root)
        if (!readNaming(read, member, type)) return read.error();
    if (auto fine = checkType(type); !fine) return std::unexpected(std::move(fine.error()));
    return type;
}

} // namespace yard::lifecycle

#include "core/engine/objects/object_view.h"

#include "core/base/log.h"
#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/store/object_operations.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr char kBetweenKeys = '\x1f';
constexpr std::size_t kMaxKey = 256;

Result<std::string> textOf(JsonView value, std::size_t most) {
    const std::string name(value.key());
    if (value.kind() != JsonKind::String || value.string().size() > most)
        return invalid(name, fmt::format("Give \"{}\" as a text of at most {} bytes.", name, most));
    return std::string(value.string());
}

Result<std::int64_t> numberOf(JsonView value) {
    const std::string name(value.key());
    if (value.kind() != JsonKind::Integer || value.node().integer < 0)
        return invalid(name, fmt::format("Give \"{}\" as a number from 0 on.", name));
    return value.node().integer;
}

template<class T>
Result<void> take(T& into, Result<std::type_identity_t<T>> value) {
    if (!value) return std::unexpected(std::move(value.error()));
    into = std::move(*value);
    return {};
}

Result<void> readMember(JsonView value, GivenObject& object) {
    const std::string_view name = value.key();
    if (name == "type") return take(object.type, textOf(value, lifecycle::kMaxTypeName));
    if (name == "status") return take(object.status, textOf(value, lifecycle::kMaxTypeName));
    if (name == "retry_at") return take(object.retryAt, numberOf(value));
    if (name == "parent") return take(object.parent, numberOf(value));
    if (name == "fields") {
        if (!value.isObject()) return invalid("fields", "Give the fields as an object.");
        return take(object.fields, canonicalJson(value));
    }
    if (name == "key") {
        if (value.kind() == JsonKind::Null) return {};
        auto key = textOf(value, kMaxKey);
        if (!key) return std::unexpected(std::move(key.error()));
        object.key = std::move(*key);
        return {};
    }
    return invalid(std::string(name.substr(0, lifecycle::kMaxTypeName)),
                   "An object is made from type, fields, key, status, retry_at and parent.");
}

/// A value of a field as a part of a key; nothing where there is none.
std::optional<std::string> partOf(std::optional<JsonView> value) {
    if (!value || value->kind() == JsonKind::Null) return std::nullopt;
    if (value->kind() == JsonKind::String) return std::string(value->string());
    auto text = canonicalJson(*value);
    return text ? std::optional(std::move(*text)) : std::nullopt;
}

void writeTime(JsonWriter& writer, std::string_view name, WallMicros time) {
    if (time != 0) writer.member(name, time);
}

/// As they are in the journal. Where that is damaged none: the answer that the object is in is to be read all the same.
std::string_view fieldsOf(const store::ObjectRow& row) {
    const auto tape = readJson(row.fields);
    if (tape && tape->root().isObject()) return row.fields;
    static std::atomic_flag isTold;
    if (!isTold.test_and_set())
        logError("objects", "fields of the object {} are no JSON: its row in the journal is damaged", row.id);
    return "{}";
}

} // namespace

// --- what is seen

void writeCounts(JsonWriter& writer, const std::vector<store::StatusCount>& counts) {
    writer.openObject();
    for (const store::StatusCount& one : counts) writer.member(one.status, one.count);
    writer.closeObject();
}

void writeHistory(JsonWriter& writer, const std::vector<store::ObjectMoveRow>& history) {
    writer.openArray();
    for (const store::ObjectMoveRow& move : history) {
        writer.openObject();
        writer.member("t", move.t);
        writer.member("from", move.from);
        writer.member("to", move.to);
        if (!move.actor.empty()) writer.member("actor", move.actor);
        writer.member("tick_ms", move.tickMs);
        writer.closeObject();
    }
    writer.closeArray();
}

void writePokes(JsonWriter& writer, const std::vector<Poke>& pokes) {
    writer.openArray();
    for (const Poke& poke : pokes) {
        writer.openObject();
        writer.member("t", poke.t);
        writer.member("why", name(poke.why));
        if (poke.by != 0) writer.member(poke.why == PokeWhy::Action ? "lsn" : "object", poke.by);
        writer.member("outcome", name(poke.outcome));
        if (!poke.to.empty()) writer.member("to", poke.to);
        writer.closeObject();
    }
    writer.closeArray();
}

void writeActions(JsonWriter& writer, const std::vector<OwnedActionView>& actions, std::size_t most) {
    writer.openObject();
    std::size_t bytes = 0;
    for (const OwnedActionView& one : actions) {
        std::string text;
        appendInShort(text, one.action, true);
        if (bytes + text.size() > most) {
            text.clear();
            appendInShort(text, one.action, false);
        }
        bytes += text.size();
        writer.key(one.name);
        writer.raw(text);
    }
    writer.closeObject();
}

void writeObject(JsonWriter& writer, const ObjectView& view) {
    const store::ObjectRow& row = view.row;
    writer.member("id", row.id);
    writer.member("type", view.type);
    writer.member("status", row.status);
    writeTime(writer, "retry_at", row.retryAt);
    writer.key("fields");
    writer.raw(fieldsOf(row));
    if (row.key) writer.member("key", *row.key);
    if (row.parent != 0) writer.member("parent", row.parent);
    if (!view.children.empty()) {
        writer.key("children");
        writeCounts(writer, view.children);
    }
    writer.member("retries", row.retries);
    writeTime(writer, "start_ts", row.started);
    writeTime(writer, "end_ts", row.ended);
    writer.member("created", row.created);
    writer.member("modified", row.modified);
    writer.member("revision", row.revision);
    if (row.isStuck) writer.member("stuck", true);
    if (view.isHot) writer.member("hot", true);
    if (!row.lastError.empty()) writer.member("last_error", row.lastError);
    if (view.history.empty()) return;
    writer.key("history");
    writeHistory(writer, view.history);
}

// --- what is given

Result<GivenObject> readGivenObject(JsonView given) {
    if (!given.isObject()) return fail(ErrorKind::Malformed, "An object is a JSON object.");
    GivenObject object;
    for (const JsonView value : given)
        if (auto read = readMember(value, object); !read) return std::unexpected(std::move(read.error()));
    if (object.type.empty()) return invalid("type", "Give the type of the object.");
    return object;
}

Result<std::vector<GivenObject>> readGivenObjects(std::string_view json, bool& isList) {
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    const JsonView root = tape->root();
    isList = root.kind() == JsonKind::Array;
    std::vector<GivenObject> objects;
    if (!isList) {
        auto one = readGivenObject(root);
        if (!one) return std::unexpected(std::move(one.error()));
        objects.push_back(std::move(*one));
        return objects;
    }
    if (root.count() == 0 || root.count() > store::kMostObjects)
        return fail(ErrorKind::Invalid, fmt::format("Give from one to {} objects at once.", store::kMostObjects));
    for (const JsonView given : root) {
        auto one = readGivenObject(given);
        if (!one) {
            Error error = std::move(one.error());
            error.index = static_cast<int>(objects.size());
            return std::unexpected(std::move(error));
        }
        objects.push_back(std::move(*one));
    }
    return objects;
}

// --- keys

std::optional<std::string> launchKey(const lifecycle::Type& type, std::string_view fields, std::string_view set) {
    std::string key;
    if (!type.actor || type.actor->key.empty()) return key;
    const auto has = readJson(fields);
    const auto gets = readJson(set.empty() ? "{}" : set);
    if (!has || !gets) return std::nullopt;
    for (const std::string& name : type.actor->key) {
        auto value = memberOf(gets->root(), name);
        if (!value) value = memberOf(has->root(), name);
        const auto part = partOf(value);
        if (!part) return std::nullopt;
        if (&name != type.actor->key.data()) key += kBetweenKeys;
        key += *part;
    }
    return key;
}

std::string shownKey(std::string_view key) {
    std::string shown(key);
    std::ranges::replace(shown, kBetweenKeys, '/');
    return shown;
}

bool setsKey(const lifecycle::Type& type, std::string_view set) {
    if (!type.actor || set.empty()) return false;
    const auto tape = readJson(set);
    return tape && std::ranges::any_of(type.actor->key, [&](const std::string& name) {
               return memberOf(tape->root(), name).has_value();
           });
}

// --- what actors are sent

static std::string tickWith(const ObjectView& view, const std::optional<ObjectView>& parent, WallMicros now,
                            Duration limit, std::size_t mostActionBytes) {
    std::string out = R"("tick":)";
    JsonWriter writer(out);
    writer.openObject();
    writer.key("object");
    writer.openObject();
    writeObject(writer, view);
    writer.closeObject();
    writer.key("children");
    writeCounts(writer, view.children);
    writer.member("pending", view.pending);
    writer.key("actions");
    writeActions(writer, view.actions, mostActionBytes);
    if (parent) {
        writer.key("parent");
        writer.openObject();
        writeObject(writer, *parent);
        writer.closeObject();
    }
    writer.member("now", now);
    writer.member("deadline_s", static_cast<double>(limit.count()) / 1e6);
    writer.closeObject();
    return out;
}

std::string tickMembers(const ObjectView& view, const std::optional<ObjectView>& parent, WallMicros now,
                        Duration limit, std::size_t most) {
    std::string members = tickWith(view, parent, now, limit, kMostActionBytes);
    if (members.size() > most) members = tickWith(view, parent, now, limit, 0);
    return members;
}

std::optional<std::string> callMembers(std::string_view body, std::int64_t object, unsigned attempt) {
    const auto tape = readJson(body);
    if (!tape) return std::nullopt;
    const auto name = memberOf(tape->root(), "call");
    if (!name || name->kind() != JsonKind::String) return std::nullopt;
    std::string out = R"("effect":)";
    appendJsonString(out, name->string());
    out += R"(,"args":)";
    const auto args = memberOf(tape->root(), "args");
    const auto text = args ? canonicalJson(*args) : Result<std::string>("{}");
    if (!text) return std::nullopt;
    out += *text;
    out += fmt::format(R"(,"object":{},"attempt":{})", object, attempt);
    return out;
}

} // namespace yard::engine

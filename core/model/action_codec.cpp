// The JSON codec of actions: a table with a reader for each member, and the rules between members.

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/action_graph.h"
#include "core/model/action_spec.h"
#include "core/model/given_resources.h"
#include "core/model/json_fields.h"
#include "core/model/limits.h"
#include "core/model/resource_fields.h"
#include "core/model/worker.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace yard {

namespace {

constexpr std::size_t kMaxCommandBytes = 2u << 20; // Linux: argv and environment together, at the usual stack
constexpr std::string_view kDependencyForms =
    R"(an LSN, the "id" of another action of the list, or an object with "lsn", "array" or "id")";

bool readWorker(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (v.kind() != JsonKind::String || !isWorkerReference(v.string()))
        return fields.refuse({v.key()}, "\"exec\", a worker's id, its name, or its name@version");
    spec.worker = v.string();
    return true;
}

bool readFunction(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.word(v, {v.key()}, 1, kMaxFunctionBytes, spec.function);
}

bool readLabel(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.word(v, {v.key()}, 0, kMaxLabelBytes, spec.label);
}

bool readInputs(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.object(v, {v.key()}, kMaxInputs)) return false;
    spec.inputs.reserve(v.count());
    for (const JsonView input : v) {
        if (!isSafeRelativePath(input.key()))
            return fields.refuseWith({"inputs"},
                                     fmt::format("Rename the input {}: a path in \"inputs\" is relative, "
                                                 "without \".\", \"..\", empty parts or control "
                                                 "characters.",
                                                 quoted(input.key())));
        Hash256 hash;
        if (!fields.hash(input, {.member = "inputs", .inner = input.key()}, hash)) return false;
        spec.inputs.emplace_back(input.key(), hash);
    }
    std::vector<std::string_view> paths;
    for (const auto& [path, hash] : spec.inputs) paths.emplace_back(path);
    if (const auto conflict = conflictingPath(paths))
        return fields.refuseWith({"inputs"}, fmt::format("Rename the input {} in \"inputs\": another one is a file "
                                                         "where this needs a directory.",
                                                         quoted(*conflict)));
    return true;
}

bool readExpect(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.array(v, {v.key()}, 0, kMaxInputs)) return false;
    for (const JsonView path : v) {
        const auto index = static_cast<std::int64_t>(spec.expect.size());
        if (!fields.path(path, {.member = "expect", .index = index}, spec.expect.emplace_back())) return false;
    }
    return true;
}

bool readArgv(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.array(v, {v.key()}, 1, kMaxArguments)) return false;
    spec.argv.reserve(v.count());
    for (const JsonView argument : v) {
        const auto index = static_cast<std::int64_t>(spec.argv.size());
        if (!fields.text(argument, {.member = "argv", .index = index}, kMaxArgumentBytes, spec.argv.emplace_back()))
            return false;
    }
    return !spec.argv[0].empty() || fields.refuse({.member = "argv", .index = 0}, "the name of a program");
}

bool readCwd(JsonFields& fields, JsonView v, ActionSpec& spec) {
    std::string path;
    if (v.kind() != JsonKind::String || !v.string().starts_with('/') ||
        !fields.text(v, {v.key()}, kMaxCwdBytes, path))
        return fields.refuse({v.key()},
                             fmt::format("an absolute path of at most {} bytes without NUL", kMaxCwdBytes));
    spec.cwd = std::move(path);
    return true;
}

bool readEnv(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.environment(v, "env", spec.env, &spec.unkeptEnv);
}

bool readStdin(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!v.isObject()) return fields.refuse({v.key()}, R"(an object, {"text":"…"} or {"hash":"…"})");
    if (!fields.object(v, {v.key()})) return false;
    StdinSource& source = spec.stdinSource.emplace();
    for (const JsonView member : v) {
        const FieldPath at{.member = "stdin", .inner = member.key()};
        if (member.key() == "hash") {
            if (!fields.hash(member, at, source.chunk.emplace())) return false;
        } else if (member.key() == "text") {
            if (member.kind() != JsonKind::String || member.string().size() > kMaxStdinText)
                return fields.refuse(at, fmt::format("text of at most {} bytes; put more as a chunk and give its "
                                                     "\"hash\"",
                                                     kMaxStdinText));
            source.text = member.string();
        } else {
            return fields.refuseUnknown(at);
        }
    }
    return v.count() == 1 || fields.refuse({"stdin"}, "an object with either \"hash\" or \"text\"");
}

bool readTty(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.object(v, {v.key()})) return false;
    TerminalSize& size = spec.tty.emplace();
    size = {.rows = 0, .cols = 0};
    for (const JsonView side : v) {
        const FieldPath at{.member = "tty", .inner = side.key()};
        if (side.key() != "rows" && side.key() != "cols") return fields.refuseUnknown(at);
        if (!fields.integer(side, at, 1, kMaxTerminalSide, side.key() == "rows" ? size.rows : size.cols))
            return false;
    }
    return (size.rows != 0 && size.cols != 0) || fields.refuse({"tty"}, "an object with \"rows\" and \"cols\"");
}

bool readDeadline(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.seconds(v, {v.key()}, false, spec.deadline.emplace());
}

bool readPriority(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.integer(v, {v.key()}, -kMaxPriority, kMaxPriority, spec.priority);
}

bool readNotBefore(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.integer(v, {v.key()}, 0, kMaxExactInteger, spec.notBefore);
}

bool readResources(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.object(v, {v.key()}, kMaxNamedResources + 3)) return false;
    Resources& resources = spec.resources.emplace();
    for (const JsonView amount : v) {
        const FieldPath at{.member = "resources", .inner = amount.key()};
        if (amount.key() == "cores") {
            if (!fields.thousandths(amount, at, 1, kMaxMilliCores, resources.milliCores)) return false;
            spec.coresGiven = true;
        } else if (amount.key() == "memory_mb" && amount.kind() == JsonKind::String &&
                   amount.string() == kLearnedMemory) {
            spec.memoryLearned = true; // where nothing is known, it is as if it were absent
        } else if (amount.key() == "memory_mb") {
            if (!fields.integer(amount, at, 0, kMaxMemoryMb, resources.memoryMb)) return false;
            spec.memoryGiven = true;
        } else if (!readNamedResource(fields, amount, resources)) {
            return false;
        }
    }
    return finishResources(fields, resources);
}

bool readLocks(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.array(v, {v.key()}, 0, kMaxLocks)) return false;
    for (const JsonView lock : v) {
        if (lock.kind() != JsonKind::String || !isLockName(lock.string()))
            return fields.refuse({"locks"},
                                 "names of 1 to 128 letters, digits or \".\", \"_\", \":\", \"@\", \"-\"");
        // Naming a lock twice must not make an action wait for itself.
        if (std::ranges::find(spec.locks, lock.string()) == spec.locks.end())
            spec.locks.emplace_back(lock.string());
    }
    return true;
}

bool readDependencyOn(JsonFields& fields, JsonView v, const FieldPath& at, DependencyOn& out) {
    const std::string_view word = v.kind() == JsonKind::String ? v.string() : std::string_view{};
    if (word == "completed")
        out = DependencyOn::Completed;
    else if (word == "any")
        out = DependencyOn::Any;
    else if (word == "failed")
        out = DependencyOn::Failed;
    else
        return fields.refuse(at, "\"completed\", \"any\" or \"failed\"");
    return true;
}

bool readId(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.identifier(v, {v.key()}, kMaxIdBytes, spec.id);
}

/// {"lsn": 12}, {"array": 12} or {"id": "compile"}, each with "on".
bool readDependencyObject(JsonFields& fields, JsonView v, std::int64_t index, ActionSpec& spec) {
    constexpr std::int64_t kMaxLsn = INT64_MAX;
    Dependency dependency{};
    Reference reference;
    int given = 0;
    for (const JsonView member : v) {
        const FieldPath at{.member = "after", .index = index, .inner = member.key()};
        if (member.key() == "on") {
            if (!readDependencyOn(fields, member, at, dependency.on)) return false;
            continue;
        }
        ++given;
        if (member.key() == "id") {
            if (!fields.identifier(member, at, kMaxIdBytes, reference.id)) return false;
        } else if (member.key() == "lsn" || member.key() == "array") {
            dependency.isArray = member.key() == "array";
            if (!fields.integer(member, at, 1, kMaxLsn, dependency.lsn.value)) return false;
        } else {
            return fields.refuseUnknown(at);
        }
    }
    if (given != 1) return fields.refuse({.member = "after", .index = index}, kDependencyForms);
    reference.on = dependency.on;
    if (reference.id.empty())
        spec.after.push_back(dependency);
    else
        spec.references.push_back(std::move(reference));
    return true;
}

bool readDependency(JsonFields& fields, JsonView v, std::int64_t index, ActionSpec& spec) {
    const FieldPath at{.member = "after", .index = index};
    if (v.isObject()) return readDependencyObject(fields, v, index, spec);
    if (v.kind() == JsonKind::String)
        return fields.identifier(v, at, kMaxIdBytes, spec.references.emplace_back().id);
    if (v.kind() == JsonKind::Integer)
        return fields.integer(v, at, 1, INT64_MAX, spec.after.emplace_back().lsn.value);
    return fields.refuse(at, kDependencyForms);
}

bool readAfter(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.array(v, {v.key()}, 0, kMaxDependencies)) return false;
    spec.after.reserve(v.count());
    std::int64_t index = 0;
    for (const JsonView dependency : v)
        if (!readDependency(fields, dependency, index++, spec)) return false;
    return true;
}

bool readArray(JsonFields& fields, JsonView v, ActionSpec& spec) {
    if (!fields.object(v, {v.key()})) return false;
    ArrayRange range{.from = -1, .to = -1};
    for (const JsonView bound : v) {
        const FieldPath at{.member = "array", .inner = bound.key()};
        if (bound.key() != "from" && bound.key() != "to") return fields.refuseUnknown(at);
        std::int64_t& out = bound.key() == "from" ? range.from : range.to;
        if (!fields.integer(bound, at, 0, kMaxExactInteger, out)) return false;
    }
    if (range.from < 0 || range.to < range.from || range.count() > kMaxArrayCount)
        return fields.refuse(
            {"array"}, fmt::format("\"from\" and \"to\" with from <= to and at most {} elements", kMaxArrayCount));
    spec.array = range;
    return true;
}

bool readMachine(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.machines(v, {v.key()}, spec.machines);
}

bool readPlatform(JsonFields& fields, JsonView v, ActionSpec& spec) {
    return fields.identifier(v, {v.key()}, kMaxPlatformBytes, spec.platform);
}

bool readReplaces(JsonFields& fields, JsonView v, ActionSpec& spec) {
    const auto read = [&](JsonView lsn, const FieldPath& at) {
        return fields.integer(lsn, at, 1, kMaxExactInteger, spec.replaces.emplace_back().value);
    };
    if (v.kind() != JsonKind::Array) return read(v, {v.key()});
    if (!fields.array(v, {v.key()}, 0, kMaxDependencies)) return false;
    for (const JsonView lsn : v)
        if (!read(lsn, {.member = "replaces", .index = std::ssize(spec.replaces)})) return false;
    return true;
}

bool readLimit(JsonFields& fields, JsonView v, std::optional<int>& out) {
    std::int64_t limit = 0;
    if (!fields.integer(v, {v.key()}, 0, kMaxRetryLimit, limit)) return false;
    out = static_cast<int>(limit);
    return true;
}

enum class Takes : unsigned char { Anyone, OnlyExec, OnlyRegistered };

struct Member {
    std::string_view name;
    Takes takes;
    bool (*read)(JsonFields&, JsonView, ActionSpec&);
};

constexpr std::array kMembers = {
    Member{"worker", Takes::Anyone, readWorker},
    Member{"argv", Takes::OnlyExec, readArgv},
    Member{"cwd", Takes::OnlyExec, readCwd},
    Member{"function", Takes::OnlyRegistered, readFunction},
    Member{"args", Takes::OnlyRegistered, [](JsonFields&, JsonView, ActionSpec&) { return true; }}, // as text below
    Member{"label", Takes::Anyone, readLabel},
    Member{"id", Takes::Anyone, readId},
    Member{"inputs", Takes::Anyone, readInputs},
    Member{"expect", Takes::Anyone, readExpect},
    Member{"sandbox", Takes::OnlyExec,
           [](JsonFields& fields, JsonView v, ActionSpec& spec) {
               return fields.boolean(v, {v.key()}, spec.sandbox);
           }},
    Member{"env", Takes::Anyone, readEnv},
    Member{"engine_env", Takes::OnlyExec,
           [](JsonFields& fields, JsonView v, ActionSpec& spec) {
               return fields.boolean(v, {v.key()}, spec.engineEnv);
           }},
    Member{"stdin", Takes::OnlyExec, readStdin},
    Member{"tty", Takes::OnlyExec, readTty},
    Member{"deadline_s", Takes::Anyone, readDeadline},
    Member{"priority", Takes::Anyone, readPriority},
    Member{"not_before", Takes::Anyone, readNotBefore},
    Member{
        "hold", Takes::Anyone,
        [](JsonFields& fields, JsonView v, ActionSpec& spec) { return fields.boolean(v, {v.key()}, spec.hold); }},
    Member{"resources", Takes::Anyone, readResources},
    Member{"locks", Takes::Anyone, readLocks},
    Member{"after", Takes::Anyone, readAfter},
    Member{"array", Takes::Anyone, readArray},
    Member{"replaces", Takes::Anyone, readReplaces},
    Member{"machine", Takes::Anyone, readMachine},
    Member{"platform", Takes::Anyone, readPlatform},
    Member{"jobserver", Takes::Anyone,
           [](JsonFields& fields, JsonView v, ActionSpec& spec) {
               return readJobserver(fields, v, spec.jobserver.emplace());
           }},
    Member{"max_retries", Takes::Anyone,
           [](JsonFields& fields, JsonView v, ActionSpec& spec) {
               return readLimit(fields, v, spec.retryLimits.retries);
           }},
    Member{"max_interruptions", Takes::Anyone,
           [](JsonFields& fields, JsonView v, ActionSpec& spec) {
               return readLimit(fields, v, spec.retryLimits.interruptions);
           }},
};

/// Members that are there but do not go with the worker; a command that the system cannot start.
bool checkTogether(JsonFields& fields, const ActionSpec& spec, std::uint32_t seen) {
    if (spec.worker.empty()) return fields.refuseMissing("worker", "\"exec\", a worker's id, name or name@version");
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
        if (!(seen >> i & 1u)) continue;
        const std::string name = quoted(kMembers[i].name);
        if (kMembers[i].takes == Takes::OnlyExec && !spec.isExec())
            return fields.refuseWith({kMembers[i].name},
                                     fmt::format("Remove {}: only the worker \"exec\" takes it.", name));
        if (kMembers[i].takes == Takes::OnlyRegistered && spec.isExec())
            return fields.refuseWith({kMembers[i].name},
                                     fmt::format("Remove {}: the worker \"exec\" takes \"argv\" instead.", name));
    }
    if (spec.isExec() && spec.argv.empty())
        return fields.refuseMissing("argv", "the worker \"exec\" needs a program and its arguments");
    if (spec.tty && spec.stdinSource)
        return fields.refuseWith({"tty"}, "Remove \"stdin\" or \"tty\": a terminal is the program's stdin.");
    std::size_t bytes = 0;
    for (const std::string& argument : spec.argv) bytes += argument.size() + 1;
    for (const auto& [name, value] : spec.env) bytes += name.size() + value.size() + 2;
    if (bytes > kMaxCommandBytes)
        return fields.refuseWith(
            {spec.argv.empty() ? "env" : "argv"},
            fmt::format("Shorten \"argv\" and \"env\" to {} bytes together, or pass the data as "
                        "an input.",
                        kMaxCommandBytes));
    return true;
}

Result<ParsedAction> readAction(JsonView action, std::string_view text, std::string_view defaultWorker) {
    JsonFields fields("an action");
    if (!action.isObject()) return invalid("", "Give each action as a JSON object.");
    auto spec = std::make_shared<ActionSpec>();
    std::uint32_t seen = 0;
    static_assert(kMembers.size() <= 32);
    for (const JsonView value : action) {
        const auto member = std::ranges::find(kMembers, value.key(), &Member::name);
        if (member == kMembers.end()) {
            fields.refuseUnknown({value.key()});
            return fields.error();
        }
        seen |= 1u << (member - kMembers.begin());
        if (value.kind() == JsonKind::Raw) spec->args = text.substr(value.node().offset, value.node().size);
        if (!member->read(fields, value, *spec)) return fields.error();
    }
    ParsedAction parsed;
    if (spec->worker.empty() && !defaultWorker.empty()) {
        spec->worker = defaultWorker;
        JsonWriter writer(parsed.text);
        writer.openObject();
        writer.member("worker", defaultWorker);
        if (action.count() > 0) parsed.text += ',';
        parsed.text += text.substr(1);
    } else {
        parsed.text = text;
    }
    if (!defaultWorker.empty() && spec->worker != defaultWorker)
        fields.refuseWith({"worker"}, fmt::format("Remove \"worker\" or give it as {}, the worker of the route.",
                                                  quoted(defaultWorker)));
    if (fields.failed() || !checkTogether(fields, *spec, seen)) return fields.error();
    if (!spec->replaces.empty()) parsed.text = withoutMember(parsed.text, "replaces");
    parsed.spec = std::move(spec);
    return parsed;
}

} // namespace

Result<ParsedActions> parseActions(std::string_view json, std::string_view defaultWorker) {
    ParsedActions parsed;
    const auto take = [&](JsonView action, std::string_view text) -> Result<void> {
        auto one = readAction(action, text, defaultWorker);
        if (!one) return std::unexpected(std::move(one.error()));
        parsed.actions.push_back(std::move(*one));
        return {};
    };
    const auto isList = readJsonElements(json, "args", take, kByteMembers);
    if (!isList) return std::unexpected(isList.error());
    parsed.isList = *isList;
    if (auto found = findParents(parsed.actions, parsed.isList); !found)
        return std::unexpected(std::move(found.error()));
    return parsed;
}

Result<ParsedAction> parseAction(std::string_view json, std::string_view defaultWorker) {
    auto parsed = parseActions(json, defaultWorker);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    if (parsed->isList) return invalid("", "Give one action as a JSON object, not a list.");
    return std::move(parsed->actions.front());
}

} // namespace yard

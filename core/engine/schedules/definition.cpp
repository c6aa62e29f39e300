#include "core/engine/schedules/definition.h"

#include "core/json/json_reader.h"
#include "core/model/action_spec.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

namespace yard::engine {

namespace {

bool isScheduleName(std::string_view name) {
    return isPlainName(name) && name != "next"; // a word of the routes
}

std::unexpected<Error> wrongType(std::string_view member, std::string_view what) {
    return invalid(std::string(member), "Give \"" + std::string(member) + "\" as " + std::string(what) + ".");
}

Result<void> readText(JsonView value, std::string& text) {
    if (value.kind() != JsonKind::String) return wrongType(value.key(), "text");
    text = value.string();
    return {};
}

Result<void> readSeconds(JsonView value, double& seconds) {
    if (value.kind() == JsonKind::Integer)
        seconds = static_cast<double>(value.node().integer);
    else if (value.kind() == JsonKind::Number)
        seconds = value.node().number;
    else
        return wrongType(value.key(), "a number of seconds");
    return {};
}

Result<void> readMicros(JsonView value, WallMicros& micros) {
    if (value.kind() != JsonKind::Integer) return wrongType(value.key(), "microseconds since 1970");
    micros = value.node().integer;
    return {};
}

Result<void> readName(JsonView value, ScheduleDefinition& into) {
    if (value.kind() != JsonKind::String || !isScheduleName(value.string()))
        return invalid("name",
                       "A name has 1 to 64 letters, digits, \".\", \"_\" and \"-\", begins with a letter, and is "
                       "not \"next\".");
    into.name = value.string();
    return {};
}

/// Another kind of time than before takes its place.
void forgetTime(ScheduleDefinition& into) {
    into.cron.clear();
    into.everySeconds = 0;
    into.at = 0;
}

Result<void> readCron(JsonView value, ScheduleDefinition& into) {
    forgetTime(into);
    return readText(value, into.cron);
}

Result<void> readEvery(JsonView value, ScheduleDefinition& into) {
    forgetTime(into);
    auto read = readSeconds(value, into.everySeconds);
    // 0 would mean that there is none.
    if (read && into.everySeconds == 0) into.everySeconds = -1;
    return read;
}

Result<void> readAt(JsonView value, ScheduleDefinition& into) {
    forgetTime(into);
    auto read = readMicros(value, into.at);
    if (read && into.at == 0) into.at = -1;
    return read;
}

Result<void> readZone(JsonView value, ScheduleDefinition& into) {
    return readText(value, into.timezone);
}

Result<void> readMissed(JsonView value, ScheduleDefinition& into) {
    const auto word = value.kind() == JsonKind::String ? schedule::missedIn(value.string()) : std::nullopt;
    if (!word) return wrongType("missed", "\"once\", \"skip\" or \"all\"");
    into.missed = *word;
    return {};
}

Result<void> readOverlap(JsonView value, ScheduleDefinition& into) {
    const auto word = value.kind() == JsonKind::String ? schedule::overlapIn(value.string()) : std::nullopt;
    if (!word) return wrongType("overlap", "\"skip\", \"queue\", \"cancel_previous\" or \"allow\"");
    into.overlap = *word;
    return {};
}

Result<void> readQueue(JsonView value, ScheduleDefinition& into) {
    if (value.kind() == JsonKind::Integer)
        into.queue = std::to_string(value.node().integer);
    else if (value.kind() == JsonKind::String)
        into.queue = value.string();
    else
        return wrongType("queue", "a queue's number or token");
    if (!into.queue.empty() && !parseQueueRef(into.queue)) return wrongType("queue", "a queue's number or token");
    return {};
}

Result<void> readJitter(JsonView value, ScheduleDefinition& into) {
    if (auto read = readSeconds(value, into.jitterSeconds); !read) return read;
    if (!(into.jitterSeconds >= 0 && into.jitterSeconds <= kMostJitterSeconds))
        return wrongType("jitter_s", "seconds from 0 to 86400");
    return {};
}

Result<void> readPaused(JsonView value, ScheduleDefinition& into) {
    if (value.kind() != JsonKind::Bool) return wrongType("paused", "true or false");
    into.isPaused = value.node().boolean;
    return {};
}

Result<void> readAnchor(JsonView value, ScheduleDefinition& into) {
    return readMicros(value, into.anchor);
}

struct Member {
    std::string_view name;
    Result<void> (*read)(JsonView, ScheduleDefinition&);
    bool isKeptOnly;
};
constexpr std::array<Member, 11> kMembers = {{{.name = "name", .read = &readName, .isKeptOnly = false},
                                              {.name = "cron", .read = &readCron, .isKeptOnly = false},
                                              {.name = "every_s", .read = &readEvery, .isKeptOnly = false},
                                              {.name = "at", .read = &readAt, .isKeptOnly = false},
                                              {.name = "timezone", .read = &readZone, .isKeptOnly = false},
                                              {.name = "missed", .read = &readMissed, .isKeptOnly = false},
                                              {.name = "overlap", .read = &readOverlap, .isKeptOnly = false},
                                              {.name = "queue", .read = &readQueue, .isKeptOnly = false},
                                              {.name = "jitter_s", .read = &readJitter, .isKeptOnly = false},
                                              {.name = "paused", .read = &readPaused, .isKeptOnly = false},
                                              {.name = "anchor", .read = &readAnchor, .isKeptOnly = true}}};

bool isActionMember(std::string_view name) {
    return name == "action" || name == "list";
}

Result<void> readMember(JsonView value, ScheduleDefinition& into, ScheduleSource source) {
    const auto* const member = std::ranges::find(kMembers, value.key(), &Member::name);
    const bool isThere = member != kMembers.end() && (!member->isKeptOnly || source == ScheduleSource::Journal);
    if (!isThere)
        return invalid(std::string(value.key()),
                       "A schedule has no member \"" + std::string(value.key()) +
                           "\". It has name, action or list, cron, every_s or at, timezone, "
                           "missed, overlap, queue, jitter_s and paused.");
    return member->read(value, into);
}

/// What is given as "action" or "list", as text: on the tape it would have to be written again.
Result<void> takeActions(std::string_view json, std::string_view member, ScheduleDefinition& into) {
    const auto read = readJsonElements(json, member, [&](JsonView object, std::string_view text) -> Result<void> {
        for (const JsonView value : object) {
            if (value.key() != member) continue;
            into.action = text.substr(value.node().offset, value.node().size);
            into.isList = member == "list";
        }
        return {};
    });
    if (!read) return std::unexpected(read.error());
    return {};
}

/// Nothing holds a chunk for a schedule: it would be gone by the time that is due.
Result<void> checkChunks(const std::vector<ParsedAction>& actions) {
    constexpr std::string_view kNoChunks =
        "A schedule cannot name chunks: they are not kept for it. Name a path, or give stdin as text.";
    for (const ParsedAction& action : actions) {
        if (!action.spec->inputs.empty()) return invalid("inputs", std::string(kNoChunks));
        if (action.spec->stdinSource && action.spec->stdinSource->chunk)
            return invalid("stdin", std::string(kNoChunks));
    }
    return {};
}

Result<void> checkActions(const ScheduleDefinition& definition) {
    const std::string_view member = definition.isList ? "list" : "action";
    if (definition.action.empty())
        return invalid("action", "Give what is to run: \"action\", or a \"list\" of them.");
    auto parsed = parseActions(definition.action);
    if (!parsed) {
        Error error = std::move(parsed.error());
        if (error.field.empty()) error.field = member;
        return std::unexpected(std::move(error));
    }
    if (parsed->isList != definition.isList)
        return wrongType(member,
                         definition.isList ? "a list of actions" : "one action; a list of them is \"list\"");
    if (parsed->actions.empty() || parsed->actions.size() > kMostScheduleActions)
        return invalid(std::string(member), "A list has 1 to 100 actions. Give more as an array.");
    return checkChunks(parsed->actions);
}

Result<void> checkTime(const ScheduleDefinition& definition) {
    if (definition.cron.empty() && definition.everySeconds == 0 && definition.at == 0)
        return invalid("cron", "Give when it is due: \"cron\", \"every_s\" or \"at\".");
    const auto timing = timingOf(definition);
    if (!timing) return std::unexpected(timing.error());
    if (definition.everySeconds != 0 && definition.jitterSeconds >= definition.everySeconds)
        return invalid("jitter_s", "Give a \"jitter_s\" below \"every_s\": else it starts when it is due again.");
    return {};
}

} // namespace

Result<ScheduleDefinition> readSchedule(std::string_view json, ScheduleDefinition base, ScheduleSource source) {
    if (json.size() > kMostScheduleBytes)
        return fail(ErrorKind::TooLarge,
                    "A schedule has at most 256 KiB. Put what is long into a file or a script.");
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return fail(ErrorKind::Malformed, "Give a schedule as a JSON object.");
    int times = 0;
    int actions = 0;
    for (const JsonView value : tape->root()) {
        const std::string_view key = value.key();
        if (isActionMember(key)) {
            ++actions;
            if (auto taken = takeActions(json, key, base); !taken) return std::unexpected(taken.error());
        } else if (auto read = readMember(value, base, source); !read) {
            return std::unexpected(read.error());
        }
        if (key == "cron" || key == "every_s" || key == "at") ++times;
    }
    if (times > 1) return invalid("cron", "Give one of \"cron\", \"every_s\" and \"at\".");
    if (actions > 1) return invalid("action", "Give one of \"action\" and \"list\".");
    if (base.name.empty()) return invalid("name", "Give the schedule a name.");
    // What the journal has was good; a zone that went since is told, and the rest stands.
    if (source == ScheduleSource::Journal) return base;
    if (auto good = checkTime(base); !good) return std::unexpected(good.error());
    if (auto good = checkActions(base); !good) return std::unexpected(good.error());
    return base;
}

void writeSchedule(JsonWriter& writer, const ScheduleDefinition& definition) {
    writer.member("name", definition.name);
    writer.key(definition.isList ? "list" : "action");
    writer.raw(definition.action);
    if (!definition.cron.empty()) writer.member("cron", definition.cron);
    if (definition.everySeconds != 0) writer.member("every_s", definition.everySeconds);
    if (definition.at != 0) writer.member("at", definition.at);
    if (!definition.timezone.empty()) writer.member("timezone", definition.timezone);
    writer.member("missed", schedule::missedWord(definition.missed));
    writer.member("overlap", schedule::overlapWord(definition.overlap));
    if (!definition.queue.empty()) writer.member("queue", definition.queue);
    writer.member("jitter_s", definition.jitterSeconds);
    writer.member("paused", definition.isPaused);
    writer.member("anchor", definition.anchor);
}

Result<schedule::Timing> timingOf(const ScheduleDefinition& definition) {
    if (!definition.cron.empty()) return schedule::Timing::cron(definition.cron, definition.timezone);
    if (definition.at != 0) return schedule::Timing::once(definition.at);
    return schedule::Timing::every(definition.everySeconds, definition.anchor);
}

} // namespace yard::engine

#include "core/lifecycle/hooks.h"

#include "core/json/canonical_json.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace yard::lifecycle {

namespace {

/// What stands in a name in place of something that an event has.
enum class HookPart : std::uint8_t { None, Type, From, To, Effect };

struct HookWord {
    std::string_view text{}; ///< where `part` is None
    HookPart part = HookPart::None;
};

constexpr std::size_t kMostWords = 7;

struct HookRow {
    HookPoint point;
    std::array<HookWord, kMostWords> words{};
    std::size_t count = 0;
};

constexpr HookRow two(HookPoint point, HookWord first, std::string_view last) {
    return {.point = point, .words = {first, HookWord{last}}, .count = 2};
}

constexpr HookRow ofTransition(HookPoint point, std::string_view last) {
    return {.point = point,
            .words = {HookWord{"transition"}, HookWord{{}, HookPart::Type}, HookWord{"from"},
                      HookWord{{}, HookPart::From}, HookWord{"to"}, HookWord{{}, HookPart::To}, HookWord{last}},
            .count = 7};
}

constexpr HookRow ofEffect(HookPoint point, std::string_view last) {
    return {.point = point,
            .words = {HookWord{"sideeffect"}, HookWord{{}, HookPart::Effect}, HookWord{last}},
            .count = 3};
}

constexpr HookWord kOrchestrator{"orchestrator"};
constexpr HookWord kActor{"actor"};
constexpr HookWord kType{{}, HookPart::Type};

/// In the order of the points.
constexpr std::array<HookRow, kHookPoints> kHookRows = {
    two(HookPoint::OrchestratorStartup, kOrchestrator, "startup"),
    two(HookPoint::OrchestratorTickStarted, kOrchestrator, "tick_started"),
    two(HookPoint::OrchestratorIdle, kOrchestrator, "idle"),
    two(HookPoint::OrchestratorShutdown, kOrchestrator, "shutdown"),
    two(HookPoint::ActorStartup, kActor, "startup"),
    two(HookPoint::ActorTickStart, kActor, "tick_start"),
    two(HookPoint::ActorTickEnd, kActor, "tick_end"),
    two(HookPoint::ActorTickException, kActor, "tick_exception"),
    two(HookPoint::ActorShutdown, kActor, "shutdown"),
    two(HookPoint::Init, kType, "init"),
    two(HookPoint::Clean, kType, "clean"),
    two(HookPoint::Save, kType, "save"),
    two(HookPoint::Created, kType, "created"),
    two(HookPoint::Updated, kType, "updated"),
    two(HookPoint::Deleted, kType, "deleted"),
    ofTransition(HookPoint::TransitionStart, "start"),
    ofTransition(HookPoint::TransitionEnd, "end"),
    ofEffect(HookPoint::EffectStarted, "started"),
    ofEffect(HookPoint::EffectSucceeded, "succeeded"),
    ofEffect(HookPoint::EffectFailed, "failed")};

std::span<const HookWord> wordsOf(HookPoint point) {
    const HookRow& row = kHookRows[std::to_underlying(point)];
    return std::span(row.words).first(row.count);
}

std::string_view textOf(const HookWord& word, const HookEvent& event) {
    switch (word.part) {
    case HookPart::None: return word.text;
    case HookPart::Type: return event.type;
    case HookPart::From: return event.from;
    case HookPart::To: return event.to;
    case HookPart::Effect: return event.effect;
    }
    return {};
}

/// A part of a pattern can be any name: letters, digits, ".", "-" and "_".
bool isHookText(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '.';
    });
}

/// Whether some event of these words could have this name. A name of something may have "_" in it, so each end is tried.
bool couldName(std::string_view pattern, std::span<const HookWord> words) {
    if (words.empty()) return pattern.empty();
    const bool isLast = words.size() == 1;
    for (std::size_t end = isLast ? pattern.size() : 1; end <= pattern.size(); ++end) {
        if (!isLast && (end == pattern.size() || pattern[end] != '_')) continue;
        const std::string_view part = pattern.substr(0, end);
        const bool fits =
            part == "*" || (words.front().part == HookPart::None ? part == words.front().text : isHookText(part));
        if (!fits) continue;
        if (isLast) return true;
        if (couldName(pattern.substr(end + 1), words.subspan(1))) return true;
    }
    return false;
}

} // namespace

std::string hookName(const HookEvent& event) {
    std::string name;
    for (const HookWord& word : wordsOf(event.point)) {
        if (!name.empty()) name += '_';
        name += textOf(word, event);
    }
    return name;
}

static void writeHookObject(JsonWriter& writer, const HookEvent& event) {
    const HookObject& object = *event.object;
    writer.key("object");
    writer.openObject();
    if (object.id.value != 0) writer.member("id", object.id.value);
    if (!event.type.empty()) writer.member("type", event.type);
    writer.member("status", object.status);
    if (object.retryAt != 0) writer.member("retry_at", object.retryAt);
    if (object.key) writer.member("key", *object.key);
    if (object.parent.value != 0) writer.member("parent", object.parent.value);
    if (object.id.value != 0) {
        writer.member("revision", object.revision);
        writer.member("retries", object.retries);
    }
    if (!object.fields.empty()) {
        writer.key("fields");
        writer.raw(object.fields);
    }
    writer.closeObject();
}

std::string hookJson(const HookEvent& event) {
    std::string json;
    JsonWriter writer(json);
    writer.openObject();
    writer.member("hook", hookName(event));
    if (!event.type.empty()) writer.member("type", event.type);
    if (event.object) writeHookObject(writer, event);
    if (!event.actor.empty()) writer.member("actor", event.actor);
    if (!event.from.empty()) writer.member("from", event.from);
    if (!event.to.empty()) writer.member("to", event.to);
    if (!event.error.empty()) writer.member("error", event.error);
    if (!event.effect.empty()) writer.member("effect", event.effect);
    writer.closeObject();
    return json;
}

// --- patterns

Result<HookPattern> HookPattern::parse(std::string_view text) {
    constexpr std::size_t kMostBytes = 255; // of a file's name
    HookPattern pattern;
    pattern.text_ = text;
    if (text.size() <= kMostBytes)
        for (const HookRow& row : kHookRows)
            pattern.points_.set(std::to_underlying(row.point),
                                couldName(text, std::span(row.words).first(row.count)));
    if (pattern.points_.none())
        return invalid("hook", fmt::format("\"{}\" is not the name of a hook; docs/objects.md has them.", text));
    return pattern;
}

bool HookPattern::matches(const HookEvent& event) const {
    if (!points_.test(std::to_underlying(event.point))) return false;
    std::string_view rest = text_;
    bool isFirst = true;
    for (const HookWord& word : wordsOf(event.point)) {
        if (!std::exchange(isFirst, false)) {
            if (!rest.starts_with('_')) return false;
            rest.remove_prefix(1);
        }
        const std::string_view text = rest.starts_with('*') ? std::string_view("*") : textOf(word, event);
        if (!rest.starts_with(text)) return false;
        rest.remove_prefix(text.size());
    }
    return rest.empty();
}

// --- what a write tells

std::vector<HookEvent> hooksBefore(const Type& type, const Write& write, const HookObject& object,
                                   const std::string& actor) {
    std::vector<HookEvent> events;
    if (write.newRevision == write.revision) return events; // a time of the next look alone
    const HookEvent event{.type = type.name, .object = object, .actor = actor};
    if (write.moves) {
        HookEvent& start = events.emplace_back(event);
        start.point = HookPoint::TransitionStart;
        start.from = type.states[write.from].name;
        start.to = type.states[write.to].name;
    }
    events.emplace_back(event).point = HookPoint::Save;
    return events;
}

std::vector<HookEvent> hooksAfter(const Type& type, const Write& write, HookObject object,
                                  const std::string& actor) {
    std::vector<HookEvent> events;
    if (write.newRevision == write.revision) return events;
    object.status = type.states[write.to].name;
    object.revision = write.newRevision;
    object.retryAt = write.retryAt;
    object.retries = write.retries;
    HookEvent event{.point = HookPoint::Updated, .type = type.name, .object = std::move(object), .actor = actor};
    events.push_back(event);
    if (write.moves) {
        event.point = HookPoint::TransitionEnd;
        event.from = type.states[write.from].name;
        event.to = type.states[write.to].name;
        events.push_back(std::move(event));
    }
    return events;
}

Result<std::string> cleanedFields(const Type& type, std::string_view said) {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = said.find_first_not_of(kBlank);
    if (first == said.npos) return std::string();
    const auto tape = readJson(said);
    if (!tape) return fail(ErrorKind::Malformed, "it is not JSON");
    JsonView fields = tape->root();
    if (!fields.isObject()) return fail(ErrorKind::Malformed, "it is not an object of fields");
    const auto wrapped = memberOf(fields, "fields");
    if (wrapped && fields.count() == 1 && !type.field("fields")) fields = *wrapped;
    if (!fields.isObject()) return fail(ErrorKind::Malformed, "it is not an object of fields");
    return canonicalJson(fields);
}

} // namespace yard::lifecycle

#include "core/alerts/rule.h"

#include "core/alerts/hours.h"
#include "core/alerts/url.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace yard::alerts {

namespace {

/// What a filter of this kind of rule may look at.
enum class Filters : unsigned char { None, Actions, Queue, Machine, Name };

struct KindInfo {
    std::string_view word;
    bool isEvent = false;
    Filters filters = Filters::None;
    double least = 0; ///< of `over`
    double most = 0;  ///< 0: it has none
    double usual = 0;
};
constexpr double kDay = 86'400;
constexpr std::array<KindInfo, kKinds> kInfos = {{
    {.word = "queue_age",
     .isEvent = false,
     .filters = Filters::Queue,
     .least = 1,
     .most = 366 * kDay,
     .usual = 3'600},
    {.word = "silence",
     .isEvent = false,
     .filters = Filters::Actions,
     .least = 0,
     .most = 366 * kDay,
     .usual = 600},
    {.word = "failures", .isEvent = false, .filters = Filters::Actions, .least = 1, .most = 1e6, .usual = 3},
    {.word = "failure_rate", .isEvent = false, .filters = Filters::Actions, .least = 0.1, .most = 100, .usual = 20},
    {.word = "memory", .isEvent = false, .filters = Filters::None, .least = 1, .most = 100, .usual = 90},
    {.word = "disk", .isEvent = false, .filters = Filters::None, .least = 1, .most = 100, .usual = 95},
    {.word = "machine", .isEvent = false, .filters = Filters::Machine, .least = 0, .most = 0, .usual = 0},
    {.word = "queue_finished", .isEvent = true, .filters = Filters::Queue, .least = 1, .most = 1e9, .usual = 1},
    {.word = "action_finished", .isEvent = true, .filters = Filters::Actions, .least = 0, .most = 0, .usual = 0},
    {.word = "stuck_objects", .isEvent = false, .filters = Filters::Name, .least = 0, .most = 0, .usual = 0},
    {.word = "regression", .isEvent = true, .filters = Filters::Name, .least = 0, .most = 0, .usual = 0},
    {.word = "orphan", .isEvent = false, .filters = Filters::Name, .least = 0, .most = 0, .usual = 0},
    {.word = "schedule_missed", .isEvent = true, .filters = Filters::Name, .least = 0, .most = 0, .usual = 0},
    {.word = "gpu_lost", .isEvent = false, .filters = Filters::Name, .least = 0, .most = 0, .usual = 0},
}};
const KindInfo& infoOf(Kind kind) {
    return kInfos[std::to_underlying(kind)];
}
constexpr double kUsualWindow = 3'600;

constexpr std::array<std::string_view, 3> kSeverityWords = {"info", "warning", "critical"};

std::unexpected<Error> wrongType(std::string_view member, std::string_view what) {
    return invalid(std::string(member), fmt::format("Give \"{}\" as {}.", member, what));
}

Result<void> readNumber(JsonView value, double least, double most, double& into) {
    double number = -1;
    if (value.kind() == JsonKind::Integer) number = static_cast<double>(value.node().integer);
    if (value.kind() == JsonKind::Number) number = value.node().number;
    if (!(number >= least && number <= most))
        return wrongType(value.key(), fmt::format("a number from {} to {}", least, most));
    into = number;
    return {};
}

Result<void> readText(JsonView value, std::size_t most, std::string& into) {
    if (value.kind() != JsonKind::String || value.string().size() > most)
        return wrongType(value.key(), fmt::format("text of at most {} bytes", most));
    into = value.string();
    return {};
}

Result<void> readKind(JsonView value, Rule& into) {
    const auto kind = value.kind() == JsonKind::String ? kindIn(value.string()) : std::nullopt;
    if (!kind) {
        std::string words;
        for (const KindInfo& info : kInfos) words += fmt::format("{}\"{}\"", words.empty() ? "" : ", ", info.word);
        return wrongType("kind", "one of " + words);
    }
    into.kind = *kind;
    return {};
}

/// Beside its kind; a kind without "over" refuses it.
Result<void> readCondition(JsonView value, Rule& into) {
    const KindInfo& info = infoOf(into.kind);
    const std::string_view key = value.key();
    if (key == "kind") return {};
    if (key == "filter") return readText(value, kMaxFilterBytes, into.filter);
    if (key == "over" && info.most > 0) return readNumber(value, info.least, info.most, into.over);
    if (key == "for_s" && !info.isEvent) return readNumber(value, 0, kMostSeconds, into.forSeconds);
    return invalid(std::string(key),
                   fmt::format("\"on\" of kind \"{}\" has no member \"{}\". It has kind, filter{}{}.", info.word,
                               key, info.most > 0 ? ", over" : "", info.isEvent ? "" : ", for_s"));
}

Result<void> readOn(JsonView value, Rule& into) {
    if (!value.isObject()) return wrongType("on", "an object with \"kind\"");
    into.filter.clear();
    into.forSeconds = 0;
    bool hasKind = false;
    for (const JsonView member : value) {
        if (member.key() != "kind") continue;
        hasKind = true;
        if (auto read = readKind(member, into); !read) return read;
    }
    if (!hasKind) return invalid("kind", "\"on\" needs a \"kind\", such as \"queue_finished\".");
    into.over = infoOf(into.kind).usual;
    if (into.kind == Kind::FailureRate) into.forSeconds = kUsualWindow;
    for (const JsonView member : value)
        if (auto read = readCondition(member, into); !read) return read;
    if (into.kind == Kind::FailureRate && into.forSeconds < 1) return wrongType("for_s", "a second or more");
    return {};
}

Result<void> readCommand(JsonView value, Target& into) {
    into.channel = Channel::Command;
    if (value.kind() != JsonKind::Array || value.count() == 0 || value.count() > kMostCommandWords)
        return wrongType("command", fmt::format("a list of 1 to {} words", kMostCommandWords));
    for (const JsonView word : value) {
        if (word.kind() != JsonKind::String || word.string().find('\0') != std::string_view::npos)
            return wrongType("command", "a list of words");
        into.command.emplace_back(word.string());
    }
    if (into.command.front().empty()) return wrongType("command", "a list of words, the program first");
    return {};
}

Result<void> readWebhook(JsonView value, Target& into) {
    into.channel = Channel::Webhook;
    if (auto read = readText(value, kMostUrlBytes, into.webhook); !read) return read;
    const auto url = parseUrl(into.webhook);
    if (!url) return std::unexpected(url.error());
    return {};
}

Result<void> readForm(JsonView value, Target& into) {
    const std::string_view word = value.kind() == JsonKind::String ? value.string() : std::string_view();
    if (word != "slack" && word != "json") return wrongType("template", "\"slack\" or \"json\"");
    into.form = word == "slack" ? Form::Slack : Form::Json;
    return {};
}

Result<void> readThen(JsonView value, Rule& into) {
    if (value.kind() != JsonKind::Array || value.count() > kMostTargets)
        return wrongType("then", fmt::format("a list of at most {} ways to be told", kMostTargets));
    into.then.clear();
    for (const JsonView one : value) {
        auto target = readTarget(one);
        if (!target) return std::unexpected(target.error());
        into.then.push_back(*std::move(target));
    }
    return {};
}

Result<void> readHours(JsonView value, Rule& into) {
    if (auto read = readText(value, 11, into.hours); !read) return read;
    const auto hours = Hours::parse(into.hours);
    if (!hours) return std::unexpected(hours.error());
    return {};
}

Result<void> readRepeat(JsonView value, Rule& into) {
    if (auto read = readNumber(value, 0, kMostSeconds, into.repeatSeconds); !read) return read;
    if (into.repeatSeconds > 0 && into.repeatSeconds < 1) return wrongType("repeat_s", "0, or a second or more");
    return {};
}

Result<void> readSeverity(JsonView value, Rule& into) {
    const std::string_view word = value.kind() == JsonKind::String ? value.string() : std::string_view();
    const auto* const found = std::ranges::find(kSeverityWords, word);
    if (found == kSeverityWords.end()) return wrongType("severity", "\"info\", \"warning\" or \"critical\"");
    into.severity = static_cast<Severity>(found - kSeverityWords.begin());
    return {};
}

Result<void> readMember(JsonView value, Rule& into) {
    const std::string_view key = value.key();
    if (key == "on") return readOn(value, into);
    if (key == "then") return readThen(value, into);
    if (key == "quiet_s") return readNumber(value, 0, kMostSeconds, into.quietSeconds);
    if (key == "repeat_s") return readRepeat(value, into);
    if (key == "hours") return readHours(value, into);
    if (key == "severity") return readSeverity(value, into);
    if (key != "name")
        return invalid(std::string(key), fmt::format("A rule has no member \"{}\". It has name, on, then, quiet_s, "
                                                     "repeat_s, hours and severity.",
                                                     key));
    if (value.kind() != JsonKind::String || !isPlainName(value.string()) || value.string() == "test")
        return invalid("name",
                       "A name has 1 to 64 letters, digits, \".\", \"_\" and \"-\", begins with a letter, and "
                       "is not \"test\".");
    into.name = value.string();
    return {};
}

/// What decides whether an action of a kind counts, before its row is read.
bool isSure(FilterKey key) {
    using enum FilterKey;
    return key == State || key == Queue || key == Worker || key == Function || key == Label || key == Reason;
}

bool isFor(Filters filters, FilterKey key) {
    using enum FilterKey;
    switch (filters) {
    case Filters::None: return false;
    case Filters::Queue: return key == Queue;
    case Filters::Machine: return key == Machine;
    case Filters::Name: return key == Label || key == Name || key == Text;
    case Filters::Actions: return key != After && key != Mark && key != Comment; // those need the journal
    }
    return false;
}

std::string_view filterWords(Filters filters) {
    switch (filters) {
    case Filters::None: break;
    case Filters::Queue: return "looks at queues: give \"queue:…\"";
    case Filters::Machine: return "looks at machines: give \"machine:…\"";
    case Filters::Name: return "looks at names: give \"label:…\" or a word";
    case Filters::Actions: return "cannot look at after, mark and comment";
    }
    return "takes no filter";
}

} // namespace

Duration secondsOf(double seconds) {
    return Duration(std::llround(seconds * 1e6));
}

std::string_view kindWord(Kind kind) {
    return infoOf(kind).word;
}

std::optional<Kind> kindIn(std::string_view word) {
    const auto* const found = std::ranges::find(kInfos, word, &KindInfo::word);
    if (found == kInfos.end()) return std::nullopt;
    return static_cast<Kind>(found - kInfos.begin());
}

bool isEvent(Kind kind) {
    return infoOf(kind).isEvent;
}

std::string_view severityWord(Severity severity) {
    return kSeverityWords[std::to_underlying(severity)];
}

Result<Target> readTarget(JsonView json) {
    Target target;
    if (!json.isObject()) return wrongType("then", "a list of objects");
    int ways = 0;
    bool hasForm = false;
    for (const JsonView value : json) {
        const std::string_view key = value.key();
        Result<void> read;
        if (key == "command")
            read = readCommand(value, target);
        else if (key == "webhook")
            read = readWebhook(value, target);
        else if (key == "template")
            read = readForm(value, target);
        else if (key != "desktop" || value.kind() != JsonKind::Bool || !value.node().boolean)
            read = invalid("then",
                           R"(Each of "then" is {"desktop":true}, {"command":["…"]} or {"webhook":"https://…"}.)");
        if (!read) return std::unexpected(read.error());
        if (key == "template")
            hasForm = true;
        else
            ++ways;
    }
    if (ways != 1) return invalid("then", "Each of \"then\" has one of desktop, command and webhook.");
    if (hasForm && target.channel != Channel::Webhook)
        return invalid("template", "\"template\" goes with \"webhook\".");
    return target;
}

Result<Rule> readRule(JsonView json, Rule base) {
    if (!json.isObject()) return fail(ErrorKind::Malformed, "Give a rule as a JSON object.");
    bool hasOn = !base.name.empty();
    for (const JsonView value : json) {
        hasOn |= value.key() == "on";
        if (auto read = readMember(value, base); !read) return std::unexpected(read.error());
    }
    if (base.name.empty()) return invalid("name", "Give the rule a name.");
    if (!hasOn) return invalid("on", R"(Give what it is about: "on", such as {"kind":"queue_finished"}.)");
    if (const auto filter = splitFilter(base, 0); !filter) return std::unexpected(filter.error());
    return base;
}

Result<Rule> readRule(std::string_view json, Rule base) {
    if (json.size() > kMostRuleBytes)
        return fail(ErrorKind::TooLarge, "A rule has at most 64 KiB. Put what is long into a script.");
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    return readRule(tape->root(), std::move(base));
}

void writeTarget(JsonWriter& writer, const Target& target) {
    writer.openObject();
    switch (target.channel) {
    case Channel::Desktop: writer.member("desktop", true); break;
    case Channel::Command:
        writer.key("command");
        writer.openArray();
        for (const std::string& word : target.command) writer.string(word);
        writer.closeArray();
        break;
    case Channel::Webhook:
        writer.member("webhook", target.webhook);
        writer.member("template", target.form == Form::Slack ? "slack" : "json");
        break;
    }
    writer.closeObject();
}

void writeRule(JsonWriter& writer, const Rule& rule) {
    const KindInfo& info = infoOf(rule.kind);
    writer.member("name", rule.name);
    writer.key("on");
    writer.openObject();
    writer.member("kind", info.word);
    if (!rule.filter.empty()) writer.member("filter", rule.filter);
    if (info.most > 0) writer.member("over", rule.over);
    if (!info.isEvent) writer.member("for_s", rule.forSeconds);
    writer.closeObject();
    writer.key("then");
    writer.openArray();
    for (const Target& target : rule.then) writeTarget(writer, target);
    writer.closeArray();
    writer.member("quiet_s", rule.quietSeconds);
    writer.member("repeat_s", rule.repeatSeconds);
    if (!rule.hours.empty()) writer.member("hours", rule.hours);
    writer.member("severity", severityWord(rule.severity));
}

Result<SplitFilter> splitFilter(const Rule& rule, WallMicros now) {
    auto filter = parseFilter(rule.filter, now);
    if (!filter) {
        Error error = std::move(filter.error());
        error.field = "filter";
        return std::unexpected(std::move(error));
    }
    const Filters filters = infoOf(rule.kind).filters;
    SplitFilter split;
    for (FilterTerm& term : filter->terms) {
        if (!isFor(filters, term.key))
            return invalid("filter",
                           fmt::format("A filter of \"{}\" {}.", kindWord(rule.kind), filterWords(filters)));
        (isSure(term.key) ? split.sure : split.rest).terms.push_back(std::move(term));
    }
    return split;
}

} // namespace yard::alerts

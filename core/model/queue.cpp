#include "core/model/queue.h"

#include "core/base/text.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/model/action_spec.h"
#include "core/model/json_fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace yard {

namespace {

bool readLabelLimits(JsonFields& fields, JsonView v, QueueConfig& config) {
    if (!fields.object(v, {v.key()}, kMaxLabelLimits)) return false;
    config.labelLimits.clear();
    for (const JsonView limit : v) {
        int most = 0;
        if (!fields.integer(limit, {.member = "label_limits", .inner = limit.key()}, 1, kMaxRunning, most))
            return false;
        config.labelLimits.emplace_back(limit.key(), most);
    }
    return true;
}

bool readExitCodes(JsonFields& fields, JsonView v, const FieldPath& at, RetryRule& rule) {
    if (!fields.array(v, at, 0, kMaxExitCodes)) return false;
    for (const JsonView code : v)
        if (!fields.integer(code, at, 0, 255, rule.exitCodes.emplace_back())) return false;
    return true;
}

bool readReasons(JsonFields& fields, JsonView v, const FieldPath& at, RetryRule& rule) {
    if (!fields.array(v, at, 0, kReasons)) return false;
    for (const JsonView word : v) {
        const auto reason = word.kind() == JsonKind::String ? reasonFrom(word.string()) : std::nullopt;
        if (!reason) return fields.refuse(at, "reasons of results, such as \"exit_code\" or \"deadline\"");
        rule.reasons.push_back(*reason);
    }
    return true;
}

bool readRule(JsonFields& fields, JsonView v, std::int64_t index, RetryRule& rule) {
    const FieldPath whole{.member = "retry_rules", .index = index};
    if (!fields.object(v, whole)) return false;
    for (const JsonView member : v) {
        const FieldPath at{.member = "retry_rules", .index = index, .inner = member.key()};
        bool good = false;
        if (member.key() == "exit_codes")
            good = readExitCodes(fields, member, at, rule);
        else if (member.key() == "reasons")
            good = readReasons(fields, member, at, rule);
        else if (member.key() == "retry")
            good = fields.boolean(member, at, rule.retry);
        else
            good = fields.refuseUnknown(at);
        if (!good) return false;
    }
    if (rule.exitCodes.empty() && rule.reasons.empty())
        return fields.refuse(whole, "an object with \"exit_codes\", \"reasons\" or both");
    if (rule.retry && std::ranges::find(rule.reasons, Reason::Cancelled) != rule.reasons.end())
        return fields.refuseWith(whole,
                                 "Remove \"cancelled\" from \"retry_rules\": what was cancelled is never retried.");
    return true;
}

bool readRules(JsonFields& fields, JsonView v, QueueConfig& config) {
    if (!fields.array(v, {v.key()}, 0, kMaxRules)) return false;
    config.retryRules.clear();
    for (const JsonView rule : v) {
        const auto index = static_cast<std::int64_t>(config.retryRules.size());
        if (!readRule(fields, rule, index, config.retryRules.emplace_back())) return false;
    }
    return true;
}

using Fields = JsonFields;
using Config = QueueConfig;

struct Setting {
    std::string_view name;
    bool (*read)(Fields&, JsonView, Config&);
    void (*reset)(Config&);
};

/// A setting that is one field: read with `member`, back to the default by null.
template<auto Field>
void resetField(Config& config) {
    config.*Field = Config{}.*Field;
}
template<auto Field, int Most>
bool readCount(Fields& fields, JsonView v, Config& config) {
    return fields.integer(v, {v.key()}, 0, Most, config.*Field);
}
template<auto Field>
bool readSeconds(Fields& fields, JsonView v, Config& config) {
    return fields.seconds(v, {v.key()}, true, config.*Field);
}
bool readWeight(Fields& fields, JsonView v, Config& config) {
    return fields.number(v, {v.key()}, kLeastWeight, kMostWeight, config.weight);
}
bool readDeadline(Fields& fields, JsonView v, Config& config) {
    Duration deadline{};
    if (!fields.seconds(v, {v.key()}, false, deadline)) return false;
    config.deadline = deadline;
    return true;
}

bool readMachine(Fields& fields, JsonView v, Config& config) {
    return fields.machines(v, {v.key()}, config.machines);
}

bool readCourtesy(Fields& fields, JsonView v, Config& config) {
    constexpr std::string_view kWords = "\"follow\" or \"ignore\"";
    if (v.kind() != JsonKind::String) return fields.refuse({v.key()}, kWords);
    const std::string word(v.string());
    if (word != "follow" && word != "ignore") return fields.refuse({v.key()}, kWords);
    config.ignoresCourtesy = word == "ignore";
    return true;
}

bool readTokens(Fields& fields, JsonView v, Config& config) {
    return readJobserver(fields, v, config.jobserver);
}

bool readLearn(Fields& fields, JsonView v, Config& config) {
    constexpr std::string_view kWords = "\"suggest\", \"apply\" or null";
    if (v.kind() != JsonKind::String) return fields.refuse({v.key()}, kWords);
    const std::string word(v.string());
    if (word != "suggest" && word != "apply") return fields.refuse({v.key()}, kWords);
    config.learn = word == "apply" ? Learn::Apply : Learn::Suggest;
    return true;
}

constexpr std::array kSettings{
    Setting{"max_retries", readCount<&Config::maxRetries, kMaxRetryLimit>, resetField<&Config::maxRetries>},
    Setting{"max_interruptions", readCount<&Config::maxInterruptions, kMaxRetryLimit>,
            resetField<&Config::maxInterruptions>},
    Setting{"weight", readWeight, resetField<&Config::weight>},
    Setting{"max_running", readCount<&Config::maxRunning, kMaxRunning>, resetField<&Config::maxRunning>},
    Setting{"label_limits", readLabelLimits, resetField<&Config::labelLimits>},
    Setting{"stop_after_failures", readCount<&Config::stopAfterFailures, kMaxRunning>,
            resetField<&Config::stopAfterFailures>},
    Setting{"deadline_s", readDeadline, resetField<&Config::deadline>},
    Setting{"backoff_s", readSeconds<&Config::backoff>, resetField<&Config::backoff>},
    Setting{"backoff_max_s", readSeconds<&Config::backoffMax>, resetField<&Config::backoffMax>},
    Setting{"retry_rules", readRules, resetField<&Config::retryRules>},
    Setting{"idle_expiry_s", readSeconds<&Config::idleExpiry>, resetField<&Config::idleExpiry>},
    Setting{"courtesy", readCourtesy, resetField<&Config::ignoresCourtesy>},
    Setting{"machine", readMachine, resetField<&Config::machines>},
    Setting{"jobserver", readTokens, resetField<&Config::jobserver>},
    Setting{"learn", readLearn, resetField<&Config::learn>},
};

void writeRule(JsonWriter& writer, const RetryRule& rule) {
    writer.openObject();
    if (!rule.exitCodes.empty()) {
        writer.key("exit_codes");
        writer.openArray();
        for (const int code : rule.exitCodes) writer.integer(code);
        writer.closeArray();
    }
    if (!rule.reasons.empty()) {
        writer.key("reasons");
        writer.openArray();
        for (const Reason reason : rule.reasons) writer.string(name(reason));
        writer.closeArray();
    }
    writer.member("retry", rule.retry);
    writer.closeObject();
}

} // namespace

Result<QueueConfig> applyQueueConfig(const QueueConfig& base, std::string_view json) {
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return invalid("config", "Give \"config\" as an object.");
    JsonFields fields("a queue's config");
    QueueConfig config = base;
    for (const JsonView member : tape->root()) {
        const auto setting = std::ranges::find(kSettings, member.key(), &Setting::name);
        if (setting == kSettings.end())
            fields.refuseUnknown({member.key()});
        else if (member.kind() == JsonKind::Null)
            setting->reset(config);
        else
            setting->read(fields, member, config);
        if (fields.failed()) return fields.error();
    }
    return config;
}

std::string toJson(const QueueConfig& config) {
    std::string out;
    JsonWriter writer(out);
    writer.openObject();
    writer.member("max_retries", config.maxRetries);
    writer.member("max_interruptions", config.maxInterruptions);
    writer.member("weight", config.weight);
    writer.member("max_running", config.maxRunning);
    writer.key("label_limits");
    writer.openObject();
    for (const auto& [label, most] : config.labelLimits) writer.member(label, most);
    writer.closeObject();
    writer.member("stop_after_failures", config.stopAfterFailures);
    if (config.deadline) writer.member("deadline_s", inSeconds(*config.deadline));
    writer.member("backoff_s", inSeconds(config.backoff));
    writer.member("backoff_max_s", inSeconds(config.backoffMax));
    writer.key("retry_rules");
    writer.openArray();
    for (const RetryRule& rule : config.retryRules) writeRule(writer, rule);
    writer.closeArray();
    writer.member("idle_expiry_s", inSeconds(config.idleExpiry));
    if (config.ignoresCourtesy) writer.member("courtesy", "ignore");
    if (config.machines.size() == 1) writer.member("machine", config.machines.front());
    if (config.machines.size() > 1) {
        writer.key("machine");
        writer.openArray();
        for (const std::string& word : config.machines) writer.string(word);
        writer.closeArray();
    }
    writeJobserver(writer, config.jobserver);
    if (config.learn != Learn::None) writer.member("learn", config.learn == Learn::Apply ? "apply" : "suggest");
    writer.closeObject();
    return out;
}

std::optional<QueueRef> parseQueueRef(std::string_view text) {
    constexpr std::size_t kTokenDigits = 24;
    if (text.size() == kTokenDigits) {
        const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
        if (!std::ranges::all_of(text, isHex)) return std::nullopt;
        return QueueRef{.number = std::nullopt, .token = std::string(text)};
    }
    if (!isDigits(text)) return std::nullopt;
    std::int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec != std::errc{}) return std::nullopt; // more digits than a queue's number has
    return QueueRef{.number = QueueId(number), .token = {}};
}

} // namespace yard

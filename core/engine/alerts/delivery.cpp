#include "core/engine/alerts/delivery.h"

#include "core/alerts/url.h"
#include "core/json/document.h"
#include "core/json/lenient.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

alerts::Severity severityIn(JsonView value) {
    for (const auto severity : {alerts::Severity::Info, alerts::Severity::Critical})
        if (textOrEmpty(value) == alerts::severityWord(severity)) return severity;
    return alerts::Severity::Warning;
}

/// As Slack wants it: else "<!channel>" in the name of an action calls everybody.
std::string escapedForSlack(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '&')
            escaped += "&amp;";
        else if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else
            escaped += c;
    }
    return escaped;
}

} // namespace

Duration pauseAfter(int tries) {
    const int doublings = std::clamp(tries - 1, 0, 10);
    return std::min(kFirstPause * (1 << doublings), kLongestPause);
}

void writeMessage(JsonWriter& writer, const alerts::Message& message) {
    writer.openObject();
    writer.member("rule", message.rule);
    writer.member("severity", alerts::severityWord(message.severity));
    writer.member("state", message.isResolved ? "resolved" : "firing");
    writer.member("t", message.t);
    writer.member("count", message.count);
    writer.member("text", message.text);
    if (!message.key.empty()) writer.member("key", message.key);
    if (message.lsn.value > 0) writer.member("lsn", message.lsn.value);
    if (message.queue) writer.member("queue_id", message.queue->value);
    writer.closeObject();
}

alerts::Message readMessage(JsonView json) {
    alerts::Message message;
    if (!json.isObject()) return message;
    for (const JsonView value : json) {
        const std::string_view key = value.key();
        if (key == "rule") message.rule = textOrEmpty(value);
        if (key == "severity") message.severity = severityIn(value);
        if (key == "state") message.isResolved = textOrEmpty(value) == "resolved";
        if (key == "t") message.t = integerOrZero(value);
        if (key == "count") message.count = integerOrZero(value);
        if (key == "text") message.text = textOrEmpty(value);
        if (key == "key") message.key = textOrEmpty(value);
        if (key == "lsn") message.lsn = Lsn(integerOrZero(value));
        if (key == "queue_id") message.queue = QueueId(integerOrZero(value));
    }
    return message;
}

std::string writeDelivery(const Delivery& delivery) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("target");
    alerts::writeTarget(writer, delivery.target);
    writer.key("message");
    writeMessage(writer, delivery.message);
    writer.member("tries", delivery.tries);
    writer.member("next", delivery.next);
    if (!delivery.error.empty()) writer.member("error", delivery.error);
    writer.closeObject();
    return text;
}

std::optional<Delivery> readDelivery(std::string_view id, std::string_view json) {
    const auto tape = readDocument(json);
    if (!tape) return std::nullopt;
    Delivery delivery{.id = std::string(id), .target = {}, .message = {}, .error = {}};
    bool hasTarget = false;
    for (const JsonView value : tape->root()) {
        const std::string_view key = value.key();
        if (key == "message") delivery.message = readMessage(value);
        if (key == "tries")
            delivery.tries = static_cast<int>(std::clamp<std::int64_t>(integerOrZero(value), 0, 1'000'000));
        if (key == "next") delivery.next = integerOrZero(value);
        if (key == "error") delivery.error = textOrEmpty(value);
        if (key != "target") continue;
        auto target = alerts::readTarget(value);
        if (!target) return std::nullopt;
        delivery.target = *std::move(target);
        hasTarget = true;
    }
    if (!hasTarget || delivery.message.rule.empty()) return std::nullopt;
    return delivery;
}

void writeDeliveryResult(JsonWriter& writer, const DeliveryResult& result) {
    writer.openObject();
    writer.member("t", result.t);
    writer.member("to", result.to);
    writer.member("done", result.isDone);
    writer.member("text", result.text);
    if (result.lsn.value > 0) writer.member("lsn", result.lsn.value);
    writer.closeObject();
}

DeliveryResult readDeliveryResult(JsonView json) {
    DeliveryResult result;
    if (!json.isObject()) return result;
    for (const JsonView value : json) {
        if (value.key() == "t") result.t = integerOrZero(value);
        if (value.key() == "to") result.to = textOrEmpty(value);
        if (value.key() == "done") result.isDone = isTrue(value);
        if (value.key() == "text") result.text = textOrEmpty(value);
        if (value.key() == "lsn") result.lsn = Lsn(integerOrZero(value));
    }
    return result;
}

std::string messageText(const alerts::Message& message) {
    std::string text;
    JsonWriter writer(text);
    writeMessage(writer, message);
    return text;
}

std::string hookBody(const Delivery& delivery) {
    if (delivery.target.form == alerts::Form::Json) return messageText(delivery.message);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("text", escapedForSlack(delivery.message.text));
    writer.closeObject();
    return text;
}

std::string commandAction(const Delivery& delivery, std::string_view file) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("worker", "exec");
    writer.key("argv");
    writer.openArray();
    for (const std::string& word : delivery.target.command) writer.string(word);
    writer.string(delivery.message.text);
    writer.closeArray();
    writer.key("env");
    writer.openObject();
    writer.member("YARD_ALERT", file);
    writer.closeObject();
    writer.member("label", fmt::format("alert {}", delivery.message.rule));
    writer.member("deadline_s", inSeconds(kDeliveryLimit));
    writer.closeObject();
    return text;
}

std::string recipientOf(const alerts::Target& target) {
    if (target.channel == alerts::Channel::Desktop) return "desktop";
    if (target.channel == alerts::Channel::Command) return "command";
    const auto url = alerts::parseUrl(target.webhook);
    return url ? url->authority() : "webhook";
}

} // namespace yard::engine

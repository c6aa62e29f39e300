// Alerts, the rules that send messages: docs/alerts.md.
#include "core/http/route.h"

#include "core/alerts/url.h"
#include "core/engine/alerts/alerts.h"
#include "core/http/error_map.h"
#include "core/http/json_answer.h"
#include "core/http/permission.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

namespace {

constexpr auto kLongestSilence = static_cast<std::int64_t>(alerts::kMostSeconds);

/// Addresses of webhooks hold secrets, and so may words of commands: only who may change a rule sees them.
void hideTargets(alerts::Rule& rule) {
    for (alerts::Target& target : rule.then) {
        if (!target.command.empty()) target.command = {target.command.front()};
        if (target.channel != alerts::Channel::Webhook) continue;
        if (auto url = alerts::parseUrl(target.webhook)) {
            url->target = "/";
            target.webhook = url->text();
        }
    }
}

void writeMessages(JsonWriter& writer, std::string_view key, const std::vector<alerts::Message>& messages) {
    writer.key(key);
    writer.openArray();
    for (const alerts::Message& message : messages) engine::writeMessage(writer, message);
    writer.closeArray();
}

void writeAlert(JsonWriter& writer, const engine::AlertView& view) {
    writer.openObject();
    alerts::writeRule(writer, view.rule);
    writer.member("state", alerts::name(view.state));
    if (view.since > 0) writer.member("since", view.since);
    if (view.silencedUntil > 0) writer.member("silenced_until", view.silencedUntil);
    writer.member("firing", view.firing);
    writer.member("waiting", view.waiting);
    if (!view.waitingError.empty()) writer.member("waiting_error", view.waitingError);
    if (view.last) {
        writer.key("last");
        engine::writeDeliveryResult(writer, *view.last);
    }
    writeMessages(writer, "messages", view.messages);
    writer.closeObject();
}

Response alertResponse(Call& call, Result<engine::AlertView> view) {
    if (!view) return errorResponse(view.error());
    if (!mayDo(call, Right::Operate)) hideTargets(view->rule);
    std::string text;
    JsonWriter writer(text);
    writeAlert(writer, *view);
    return jsonResponse(std::move(text));
}

coro::Task<Response> listAlerts(Call& call) {
    auto list = co_await call.engine.ask(&engine::Alerts::list);
    if (!mayDo(call, Right::Operate))
        for (engine::AlertView& view : list.rules) hideTargets(view.rule);
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("alerts");
        writer.openArray();
        for (const engine::AlertView& view : list.rules) writeAlert(writer, view);
        writer.closeArray();
        writeMessages(writer, "fired", list.fired);
    });
}

coro::Task<Response> createAlert(Call& call) {
    co_return alertResponse(call, co_await call.engine.ask(&engine::Alerts::create, std::move(call.request.body)));
}

coro::Task<Response> getAlert(Call& call) {
    co_return alertResponse(call, co_await call.engine.ask(&engine::Alerts::get, call.capture()));
}

coro::Task<Response> changeAlert(Call& call) {
    co_return alertResponse(
        call, co_await call.engine.ask(&engine::Alerts::change, call.capture(), std::move(call.request.body)));
}

coro::Task<Response> removeAlert(Call& call) {
    const auto done = co_await call.engine.ask(&engine::Alerts::remove, call.capture());
    if (!done) co_return errorResponse(done.error());
    co_return objectOf([&](JsonWriter& writer) { writer.member("name", call.capture()); });
}

coro::Task<Response> silenceAlert(Call& call) {
    const auto seconds = call.body.integer("s", 0, kLongestSilence);
    if (!seconds) co_return errorResponse(seconds.error());
    if (!*seconds) co_return errorResponse(invalid("s", "Give \"s\": for how many seconds; 0 ends it.").error());
    co_return alertResponse(
        call, co_await call.engine.ask(&engine::Alerts::silence, call.capture(), static_cast<double>(**seconds)));
}

/// A message of a dry run.
void writeTried(JsonWriter& writer, const alerts::Message& message) {
    writer.openObject();
    writer.member("t", message.t);
    writer.member("text", message.text);
    writer.member("resolved", message.isResolved);
    writer.member("count", message.count);
    if (message.lsn.value > 0) writer.member("lsn", message.lsn.value);
    writer.closeObject();
}

coro::Task<Response> testAlert(Call& call) {
    const auto answer = co_await call.engine.ask(&engine::Alerts::test, std::move(call.request.body));
    if (!answer) co_return errorResponse(answer.error());
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("fired");
        writer.openArray();
        for (const alerts::Message& message : answer->fired) writeTried(writer, message);
        writer.closeArray();
        writer.member("count", answer->count);
        writer.member("looked", answer->looked);
        writer.member("whole", answer->isWhole);
        if (!answer->note.empty()) writer.member("note", answer->note);
    });
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Route> alertRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "alerts", Global, None, Needs::Read},
         &listAlerts,
         {.id = "listAlerts",
          .summary = "What is told to whom, by name, and what was told last",
          .answers = {{{200, "Alerts"}}}}},
        {{Post, "alerts", Global, Json, Needs::Operate},
         &createAlert,
         {.id = "createAlert",
          .summary = "Tell somebody when something happens",
          .members = kReadsItself,
          .request = "NewAlert",
          .answers = {{{200, "Alert"}}}}},
        {{Post, "alerts/test", Global, Json, Needs::Operate},
         &testAlert,
         {.id = "testAlert",
          .summary = "When a rule would have fired, by what is kept",
          .members = kReadsItself,
          .request = "AlertTest",
          .answers = {{{200, "AlertTested"}}}}},
        {{Get, "alerts/{name}", Global, None, Needs::Read},
         &getAlert,
         {.id = "getAlert", .summary = "One alert, with its last messages", .answers = {{{200, "Alert"}}}}},
        {{Patch, "alerts/{name}", Global, Json, Needs::Operate},
         &changeAlert,
         {.id = "changeAlert",
          .summary = "Change what is given of an alert",
          .members = kReadsItself,
          .request = "AlertChange",
          .answers = {{{200, "Alert"}}}}},
        {{Delete, "alerts/{name}", Global, OptionalJson, Needs::Operate},
         &removeAlert,
         {.id = "removeAlert",
          .summary = "Forget an alert; what is on its way is still told",
          .answers = {{{200, "AnyObject"}}}}},
        {{Post, "alerts/{name}/silence", Global, Json, Needs::Operate},
         &silenceAlert,
         {.id = "silenceAlert",
          .summary = "Tell nothing of it for a while",
          .members = "s",
          .request = "AlertSilence",
          .answers = {{{200, "Alert"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

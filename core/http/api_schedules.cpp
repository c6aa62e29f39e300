// What runs at certain times: docs/schedules.md.
#include "core/http/route.h"

#include "core/engine/schedules/schedules.h"
#include "core/http/error_map.h"
#include "core/http/json_answer.h"
#include "core/http/permission.h"
#include "core/model/action_spec.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

namespace {

constexpr std::int64_t kTimesAtFirst = 10;
constexpr std::int64_t kMostTimes = 1'000;

void writeRunObject(JsonWriter& writer, const engine::ScheduleRun& run) {
    writer.openObject();
    engine::writeRun(writer, run);
    writer.closeObject();
}

void writeTimes(JsonWriter& writer, const std::vector<WallMicros>& times) {
    writer.key("times");
    writer.openArray();
    for (const WallMicros time : times) writer.integer(time);
    writer.closeArray();
}

/// With all of its runs and its next times, or as a row of a list.
void writeView(JsonWriter& writer, const engine::ScheduleView& view, bool isWhole) {
    writer.openObject();
    engine::writeSchedule(writer, view.definition);
    if (view.next > 0) writer.member("next", view.next);
    writer.member("unfinished", view.unfinished);
    if (view.broken) writer.member("broken", view.broken->message);
    if (!view.runs.empty()) {
        writer.key("last");
        writeRunObject(writer, view.runs.front());
    }
    if (isWhole) {
        writeTimes(writer, view.times);
        writer.key("runs");
        writer.openArray();
        for (const engine::ScheduleRun& run : view.runs) writeRunObject(writer, run);
        writer.closeArray();
    }
    writer.closeObject();
}

Response viewResponse(const Result<engine::ScheduleView>& view) {
    if (!view) return errorResponse(view.error());
    std::string text;
    JsonWriter writer(text);
    writeView(writer, *view, true);
    return jsonResponse(std::move(text));
}

/// As of an action in its queue.
coro::Task<bool> maySeeInputsOf(Call& call, const engine::ScheduleDefinition& definition) {
    if (!mayDo(call, Right::Submit)) co_return false;
    const auto queue = parseQueueRef(definition.queue).value_or(QueueRef{QueueId(0), {}});
    co_return (co_await checkReachOfQueue(call, queue)).has_value();
}

/// Nothing is left of actions that cannot be read any more.
void hideInputs(engine::ScheduleDefinition& definition) {
    std::string shown;
    if (const auto parsed = parseActions(definition.action))
        for (const ParsedAction& action : parsed->actions)
            shown += (shown.empty() ? "" : ",") + withoutInputs(action.text);
    if (definition.isList) shown = "[" + shown + "]";
    definition.action = shown.empty() ? "{}" : std::move(shown);
}

coro::Task<Response> listSchedules(Call& call) {
    auto views = co_await call.engine.ask(&engine::Schedules::list);
    std::map<std::string, bool> shown; // by queue: the engine is asked once for each
    for (engine::ScheduleView& view : views) {
        const auto [known, isNew] = shown.try_emplace(view.definition.queue, false);
        if (isNew) known->second = co_await maySeeInputsOf(call, view.definition);
        if (!known->second) hideInputs(view.definition);
    }
    co_return objectOf([&](JsonWriter& writer) {
        writer.key("schedules");
        writer.openArray();
        for (const engine::ScheduleView& view : views) writeView(writer, view, false);
        writer.closeArray();
    });
}

coro::Task<Response> createSchedule(Call& call) {
    co_return viewResponse(co_await call.engine.ask(&engine::Schedules::create, std::move(call.request.body)));
}

coro::Task<Response> getSchedule(Call& call) {
    auto view = co_await call.engine.ask(&engine::Schedules::get, call.capture());
    if (view && !co_await maySeeInputsOf(call, view->definition)) hideInputs(view->definition);
    co_return viewResponse(view);
}

coro::Task<Response> changeSchedule(Call& call) {
    co_return viewResponse(
        co_await call.engine.ask(&engine::Schedules::change, call.capture(), std::move(call.request.body)));
}

coro::Task<Response> removeSchedule(Call& call) {
    const auto done = co_await call.engine.ask(&engine::Schedules::remove, call.capture());
    if (!done) co_return errorResponse(done.error());
    co_return objectOf([&](JsonWriter& writer) { writer.member("name", call.capture()); });
}

coro::Task<Response> runSchedule(Call& call) {
    const auto run = co_await call.engine.ask(&engine::Schedules::runNow, call.capture());
    if (!run) co_return errorResponse(run.error());
    std::string text;
    JsonWriter writer(text);
    writeRunObject(writer, *run);
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> pauseSchedule(Call& call) {
    co_return viewResponse(co_await call.engine.ask(&engine::Schedules::setPaused, call.capture(), true));
}

coro::Task<Response> resumeSchedule(Call& call) {
    co_return viewResponse(co_await call.engine.ask(&engine::Schedules::setPaused, call.capture(), false));
}

coro::Task<Response> nextTimes(Call& call) {
    const auto cron = call.query.text("cron");
    if (!cron) co_return errorResponse(invalid("cron", "Give a line, as \"0 3 * * 1-5\".").error());
    const auto from = call.query.integer("from", 0, kLatest);
    if (!from) co_return errorResponse(from.error());
    const auto count = call.query.integer("n", 1, kMostTimes);
    if (!count) co_return errorResponse(count.error());
    const auto times = co_await call.engine.ask(&engine::Schedules::next, std::string(*cron),
                                                std::string(call.query.text("timezone").value_or("")), *from,
                                                static_cast<std::size_t>(count->value_or(kTimesAtFirst)));
    if (!times) co_return errorResponse(times.error());
    co_return objectOf([&](JsonWriter& writer) { writeTimes(writer, *times); });
}

} // namespace

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const Route> scheduleRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "schedules", Global, None, Needs::Read},
         &listSchedules,
         {.id = "listSchedules",
          .summary = "What runs at certain times, by name",
          .answers = {{{200, "Schedules"}}}}},
        {{Post, "schedules", Global, Json, Needs::Operate},
         &createSchedule,
         {.id = "createSchedule",
          .summary = "Run actions at certain times",
          .members = kReadsItself,
          .request = "NewSchedule",
          .answers = {{{200, "Schedule"}}}}},
        {{Get, "schedules/next", Global, None, Needs::Read},
         &nextTimes,
         {.id = "nextTimes",
          .summary = "When a line of crontab would be due",
          .query = "cron timezone from n=times",
          .answers = {{{200, "ScheduleTimes"}}}}},
        {{Get, "schedules/{name}", Global, None, Needs::Read},
         &getSchedule,
         {.id = "getSchedule",
          .summary = "One schedule, with its next times and its last runs",
          .answers = {{{200, "Schedule"}}}}},
        {{Patch, "schedules/{name}", Global, Json, Needs::Operate},
         &changeSchedule,
         {.id = "changeSchedule",
          .summary = "Change what is given of a schedule",
          .members = kReadsItself,
          .request = "ScheduleChange",
          .answers = {{{200, "Schedule"}}}}},
        {{Delete, "schedules/{name}", Global, OptionalJson, Needs::Operate},
         &removeSchedule,
         {.id = "removeSchedule",
          .summary = "Forget a schedule; what runs goes on",
          .answers = {{{200, "AnyObject"}}}}},
        {{Post, "schedules/{name}/run", Global, OptionalJson, Needs::Operate},
         &runSchedule,
         {.id = "runSchedule",
          .summary = "Run it now, also while it is paused",
          .answers = {{{200, "ScheduleRun"}}}}},
        {{Post, "schedules/{name}/pause", Global, OptionalJson, Needs::Operate},
         &pauseSchedule,
         {.id = "pauseSchedule", .summary = "Let nothing of it be due", .answers = {{{200, "Schedule"}}}}},
        {{Post, "schedules/{name}/resume", Global, OptionalJson, Needs::Operate},
         &resumeSchedule,
         {.id = "resumeSchedule",
          .summary = "Go on with the next time; what came meanwhile is not missed",
          .answers = {{{200, "Schedule"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

// What ran when, in which slot.
#include "core/http/route.h"

#include "core/engine/running/stats_sampler.h"
#include "core/engine/running/timeline_keeper.h"
#include "core/history/stats_history.h"
#include "core/http/error_map.h"
#include "core/http/time_span.h"
#include "core/http/trace_producer.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace yard::http {

namespace {

using timeline::Column;

void writeBar(JsonWriter& writer, const timeline::Span& bar, const engine::TimelineView& timelines) {
    writer.openObject();
    writer.member("lsn", bar.lsn.value);
    writer.member("n", bar.attempt);
    writer.member("state", name(bar.state));
    if (bar.retried) writer.member("retried", true);
    if (const auto at = timelines.functions.find(bar.cls); at != timelines.functions.end() && !at->second.empty())
        writer.member("function", at->second);
    if (const auto at = timelines.labels.find(bar.label); at != timelines.labels.end() && !at->second.empty())
        writer.member("label", at->second);
    if (const auto at = timelines.commands.find(bar.lsn); at != timelines.commands.end())
        writer.member("name", at->second);
    if (const auto at = timelines.indices.find(bar.lsn); at != timelines.indices.end())
        writer.member("index", at->second);
    writer.member("submitting", bar.begin);
    if (bar.running != 0) writer.member("running", bar.running);
    if (bar.exited != 0) writer.member("exited", bar.exited);
    if (!bar.isOpen()) writer.member("end", bar.end);
    writer.closeObject();
}

template<class F>
void writeList(JsonWriter& writer, std::string_view key, const std::vector<Column>& columns, F value) {
    writer.key(key);
    writer.openArray();
    for (const Column& column : columns) value(column);
    writer.closeArray();
}

void writeLane(JsonWriter& writer, const timeline::LaneView& lane, const engine::TimelineView& timelines) {
    writer.openObject();
    writer.member("slot", lane.number);
    writer.member("machine_slot", lane.slot);
    writer.key("bars");
    writer.openArray();
    for (const timeline::Span& bar : lane.bars) writeBar(writer, bar, timelines);
    writer.closeArray();
    writer.key("columns");
    writer.openObject();
    writeList(writer, "t", lane.columns, [&](const Column& column) { writer.integer(column.t); });
    writeList(writer, "covered", lane.columns,
              [&](const Column& column) { writer.number(std::round(column.covered * 1'000) / 1'000); });
    writeList(writer, "state", lane.columns,
              [&](const Column& column) { writer.string(column.retried ? "retry" : name(column.state)); });
    writeList(writer, "count", lane.columns, [&](const Column& column) { writer.integer(column.count); });
    writeList(writer, "lsn", lane.columns, [&](const Column& column) { writer.integer(column.lsn.value); });
    writer.closeObject();
    writer.closeObject();
}

std::string toJson(const engine::TimelineView& timelines) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("from", timelines.view.from);
    writer.member("to", timelines.view.to);
    writer.member("now", timelines.now);
    writer.member("resolution", std::chrono::duration<double>(Duration(timelines.view.resolution)).count());
    writer.key("workers");
    writer.openArray();
    const std::vector<timeline::LaneView>& lanes = timelines.view.lanes;
    for (std::size_t at = 0; at < lanes.size();) {
        const std::uint32_t worker = lanes[at].worker;
        writer.openObject();
        writer.member("worker", timelines.workers[worker].id);
        writer.member("worker_name", timelines.workers[worker].name);
        writer.key("lanes");
        writer.openArray();
        for (; at < lanes.size() && lanes[at].worker == worker; ++at) writeLane(writer, lanes[at], timelines);
        writer.closeArray();
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    return text;
}

/// `query` says from when to when: the same for all of it, however long it takes.
coro::Task<Response> traceResponse(Call& call, engine::TimelineQuery query) {
    query.to = query.to.value_or(wallNow());
    query.from = query.from.value_or(std::max<WallMicros>(*query.to - engine::TimelineKeeper::kUsualSpan, 0));
    history::StatsView figures =
        co_await call.engine.ask(&engine::StatsSampler::query, {query.from, query.to, query.resolution});
    Response response;
    response.contentType = "application/json";
    response.producer =
        std::make_unique<TraceProducer>(call.engine, *call.request.link, std::move(query), std::move(figures));
    co_return response;
}

coro::Task<Response> getTimelines(Call& call) {
    const auto span = readSpan(call.query);
    if (!span) co_return errorResponse(span.error());
    engine::TimelineQuery query{std::string(call.query.text("worker").value_or("")), span->from, span->to,
                                span->resolution};
    const std::string_view format = call.query.text("format").value_or("json");
    if (format != "json" && format != "chrome")
        co_return errorResponse(invalid("format", "Give \"format\" as json or chrome.").error());
    if (format == "chrome") co_return co_await traceResponse(call, std::move(query));
    auto timelines = std::make_shared<engine::TimelineView>(
        co_await call.engine.ask(&engine::TimelineKeeper::query, std::move(query)));
    // Up to some megabytes of text: not on this thread.
    co_return jsonResponse(
        co_await call.helpers.run([timelines = std::move(timelines)] { return toJson(*timelines); }));
}

} // namespace

std::span<const Route> timelineRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "timelines", Global, None, Needs::Read},
         &getTimelines,
         {.id = "getTimelines",
          .summary = "Spans of work for each worker",
          .query = "worker from to resolution format",
          .answers = {{{200, "TimelinesOrTrace"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

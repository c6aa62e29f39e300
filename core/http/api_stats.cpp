// Figures over time.
#include "core/http/route.h"

#include "core/engine/running/stats_sampler.h"
#include "core/history/stats_history.h"
#include "core/http/error_map.h"
#include "core/http/time_span.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cmath>

namespace yard::http {

namespace {

template<class F>
void writeSeries(JsonWriter& writer, std::string_view name, const history::StatsView& stats, F value) {
    writer.key(name);
    writer.openArray();
    for (const history::StatsView::Row& row : stats.rows) {
        if (row.sample)
            value(*row.sample);
        else
            writer.raw("null");
    }
    writer.closeArray();
}

std::string toJson(const history::StatsView& stats) {
    constexpr std::size_t kUsualRowBytes = 80;
    using Sample = history::StatsSample;
    std::string text;
    text.reserve(stats.rows.size() * kUsualRowBytes + 256);
    JsonWriter writer(text);
    const auto cores = [&](double value) { writer.number(std::round(value * 1'000) / 1'000); };
    const auto whole = [&](std::int64_t Sample::* member) {
        return [&writer, member](const Sample& sample) { writer.integer(sample.*member); };
    };
    writer.openObject();
    writer.member("resolution", std::chrono::duration<double>(stats.resolution).count());
    writer.key("t");
    writer.openArray();
    for (const history::StatsView::Row& row : stats.rows) writer.integer(row.t);
    writer.closeArray();
    writer.key("series");
    writer.openObject();
    writeSeries(writer, "cpu_actions", stats, [&](const Sample& sample) { cores(sample.cpuActions); });
    writeSeries(writer, "cpu_others", stats, [&](const Sample& sample) { cores(sample.cpuOthers); });
    writeSeries(writer, "memory_bytes", stats, whole(&Sample::memoryBytes));
    writeSeries(writer, "pending", stats, whole(&Sample::pending));
    writeSeries(writer, "running", stats, whole(&Sample::running));
    writeSeries(writer, "completed", stats, whole(&Sample::completed));
    writeSeries(writer, "failed", stats, whole(&Sample::failed));
    const auto gpuPercent = [&](const Sample& sample) {
        sample.gpuPercent ? writer.number(std::round(*sample.gpuPercent * 10) / 10) : writer.raw("null");
    };
    const auto gpuMemory = [&](const Sample& sample) {
        sample.gpuMemoryBytes ? writer.integer(*sample.gpuMemoryBytes) : writer.raw("null");
    };
    const auto has = [&stats](auto member) {
        return std::ranges::any_of(stats.rows, [member](const history::StatsView::Row& row) {
            return row.sample && ((*row.sample).*member).has_value();
        });
    };
    if (has(&Sample::gpuPercent)) writeSeries(writer, "gpu_percent", stats, gpuPercent);
    if (has(&Sample::gpuMemoryBytes)) writeSeries(writer, "gpu_memory_bytes", stats, gpuMemory);
    writer.closeObject();
    writer.closeObject();
    return text;
}

} // namespace

Result<TimeSpan> readSpan(const Query& parameters) {
    TimeSpan span;
    const auto from = parameters.integer("from", 0, kLatest);
    if (!from) return std::unexpected(from.error());
    const auto to = parameters.integer("to", 0, kLatest);
    if (!to) return std::unexpected(to.error());
    const auto resolution = parameters.seconds("resolution", kLongestStep);
    if (!resolution) return std::unexpected(resolution.error());
    if (*from && *to && **from > **to) return invalid("from", "\"from\" is after \"to\": exchange them.");
    span.from = *from;
    span.to = *to;
    if (*resolution && **resolution > Duration::zero()) span.resolution = *resolution;
    return span;
}

namespace {

coro::Task<Response> getStats(Call& call) {
    const auto span = readSpan(call.query);
    if (!span) co_return errorResponse(span.error());
    const history::StatsView stats =
        co_await call.engine.ask(&engine::StatsSampler::query, {span->from, span->to, span->resolution});
    co_return jsonResponse(toJson(stats));
}

} // namespace

std::span<const Route> statsRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "stats", Global, None, Needs::Read},
         &getStats,
         {.id = "getStats",
          .summary = "Figures over time",
          .query = "from to resolution",
          .answers = {{{200, "Stats"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

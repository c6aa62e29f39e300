// The memory of work: kinds with their figures, which of them are flaky, and what got slower or larger.
#include "core/http/route.h"

#include "core/engine/running/kind_keeper.h"
#include "core/engine/state/kinds_view.h"
#include "core/http/error_map.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace yard::http {

namespace {

using engine::KindDetail;
using engine::KindFigures;
using engine::KindRow;

/// In the order of kinds::Quantity; durations in seconds, the others in bytes.
constexpr std::array<std::string_view, kinds::kQuantities> kQuantityNames = {"duration", "cpu", "memory_bytes",
                                                                             "wait", "output_bytes"};
constexpr std::array<std::string_view, kinds::kChangeKinds> kChangeNames = {"duration", "memory"};

/// Members of the object that is open.
void writeFigures(JsonWriter& writer, const KindFigures& figures) {
    writer.member("runs", figures.runs);
    writer.member("failed", figures.failed);
    writer.key("reasons");
    writer.openObject();
    for (std::size_t i = 1; i < kReasons; ++i)
        if (figures.reasons[i] > 0)
            writer.member(name(static_cast<Reason>(i)), static_cast<std::uint64_t>(figures.reasons[i]));
    writer.closeObject();
    for (std::size_t i = 0; i < kinds::kQuantities; ++i) {
        if (!figures.quantiles[i]) continue;
        const KindFigures::Quantiles& q = *figures.quantiles[i];
        writer.key(kQuantityNames[i]);
        writer.openObject();
        writer.member("p50", q.p50);
        writer.member("p90", q.p90);
        writer.member("p95", q.p95);
        writer.member("p99", q.p99);
        writer.closeObject();
    }
}

/// Members of the object that is open.
void writeChange(JsonWriter& writer, const kinds::Change& change) {
    writer.member("what", kChangeNames[std::to_underlying(change.what)]);
    writer.member("t", change.t);
    writer.member("before", change.before);
    writer.member("after", change.after);
    writer.member("ratio", change.ratio());
    writer.member("p", change.p);
    if (change.version.empty() && change.machine.empty()) return;
    writer.key("since");
    writer.openObject();
    if (!change.version.empty()) writer.member("version", change.version);
    if (!change.machine.empty()) writer.member("machine", change.machine);
    writer.closeObject();
}

/// Members of the object that is open.
void writeKind(JsonWriter& writer, const KindRow& row) {
    writer.member("kind", row.kind);
    writeFigures(writer, row.figures);
    writer.member("last", row.last);
    if (row.estimate) {
        writer.key("estimate");
        writer.openObject();
        writer.member("median", row.estimate->median);
        if (row.estimate->low) writer.member("low", *row.estimate->low);
        if (row.estimate->high) writer.member("high", *row.estimate->high);
        writer.member("runs", row.estimate->runs);
        writer.closeObject();
    }
    if (row.learnedMemory) writer.member("learned_memory_bytes", *row.learnedMemory);
    if (row.askedMemory) writer.member("asked_memory_bytes", *row.askedMemory);
    if (row.flaky) {
        writer.key("flaky");
        writer.openObject();
        writer.member("is_flaky", row.flaky->isFlaky());
        writer.member("probability", row.flaky->probability);
        writer.member("rate", row.flaky->rate);
        writer.member("inputs", static_cast<std::uint64_t>(row.mixed));
        writer.closeObject();
    }
    if (!row.regression) return;
    writer.key("regression");
    writer.openObject();
    writeChange(writer, *row.regression);
    writer.closeObject();
}

std::string toJson(const engine::KindList& list) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("kinds");
    writer.openArray();
    for (const KindRow& row : list.kinds) {
        writer.openObject();
        writeKind(writer, row);
        writer.key("versions");
        writer.openArray();
        for (const std::string& version : row.versions) writer.string(version);
        writer.closeArray();
        writer.closeObject();
    }
    writer.closeArray();
    if (list.dropped > 0) {
        writer.member("dropped", list.dropped);
        writer.member("last_dropped", list.lastDropped);
    }
    if (list.next > 0) writer.member("cursor", fmt::format("{}", list.next));
    writer.closeObject();
    return text;
}

std::string toJson(const KindDetail& detail) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writeKind(writer, detail.row);
    const auto write = [&](std::string_view list, std::string_view key,
                           const std::vector<KindDetail::Part>& parts) {
        writer.key(list);
        writer.openArray();
        for (const KindDetail::Part& part : parts) {
            writer.openObject();
            if (part.name.empty())
                writer.member(key, part.start);
            else
                writer.member(key, part.name);
            writeFigures(writer, part.figures);
            writer.closeObject();
        }
        writer.closeArray();
    };
    write("versions", "version", detail.versions);
    write("machines", "machine", detail.machines);
    write("days", "t", detail.days);
    write("weeks", "t", detail.weeks);
    writer.closeObject();
    return text;
}

std::string toJson(const engine::KindFlakiness& flaky) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("inputs");
    writer.openArray();
    for (const kinds::Work& work : flaky.inputs) {
        writer.openObject();
        writer.member("spec", fmt::format("{:016x}", work.key));
        writer.member("completed", static_cast<std::uint64_t>(work.completed));
        writer.member("failed", static_cast<std::uint64_t>(work.failed));
        writer.key("lsns");
        writer.openArray();
        for (const Lsn lsn : work.lsns)
            if (lsn.value > 0) writer.integer(lsn.value);
        writer.closeArray();
        writer.closeObject();
    }
    writer.closeArray();
    writer.key("lines");
    writer.openArray();
    for (const kinds::FailureLine& line : flaky.lines) {
        writer.openObject();
        writer.member("line", line.line);
        writer.member("count", static_cast<std::uint64_t>(line.count));
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    return text;
}

std::string toJson(const engine::RegressionList& all) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("regressions");
    writer.openArray();
    for (const engine::KindRegression& one : all) {
        writer.openObject();
        writer.member("kind", one.kind);
        writeChange(writer, one.change);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    return text;
}

Result<engine::KindQuery> readKindQuery(const Query& parameters) {
    constexpr std::int64_t kMostPlace = kinds::KindTable::kMaxKinds;
    engine::KindQuery query;
    const auto since = parameters.integer("since", 0, kLatest);
    if (!since) return std::unexpected(since.error());
    query.since = since->value_or(0);
    const auto limit = parameters.integer("limit", 1, engine::kMostKindsShown);
    if (!limit) return std::unexpected(limit.error());
    query.limit = static_cast<std::size_t>(limit->value_or(static_cast<std::int64_t>(query.limit)));
    const auto from = parameters.integer("cursor", 0, kMostPlace);
    if (!from) return std::unexpected(from.error());
    query.from = static_cast<std::size_t>(from->value_or(0));
    std::string_view sort = parameters.text("sort").value_or("-last");
    query.descending = sort.starts_with('-');
    if (query.descending) sort.remove_prefix(1);
    const auto* const found = std::ranges::find(engine::kKindOrders, sort);
    if (found == engine::kKindOrders.end())
        return invalid("sort", fmt::format("\"sort\" is one of {}, with - before it for descending.",
                                           fmt::join(engine::kKindOrders, ", ")));
    query.order = static_cast<engine::KindOrder>(found - engine::kKindOrders.begin());
    return query;
}

coro::Task<Response> getKinds(Call& call) {
    const auto query = readKindQuery(call.query);
    if (!query) co_return errorResponse(query.error());
    const auto list = co_await call.engine.ask(&engine::KindKeeper::list, *query);
    co_return list ? jsonResponse(toJson(*list)) : errorResponse(list.error());
}

coro::Task<Response> getKind(Call& call) {
    const auto detail = co_await call.engine.ask(&engine::KindKeeper::show, call.capture());
    co_return detail ? jsonResponse(toJson(*detail)) : errorResponse(detail.error());
}

coro::Task<Response> getKindFlaky(Call& call) {
    const auto flaky = co_await call.engine.ask(&engine::KindKeeper::flaky, call.capture());
    co_return flaky ? jsonResponse(toJson(*flaky)) : errorResponse(flaky.error());
}

coro::Task<Response> getRegressions(Call& call) {
    const auto all = co_await call.engine.ask(&engine::KindKeeper::regressions);
    co_return all ? jsonResponse(toJson(*all)) : errorResponse(all.error());
}

} // namespace

std::span<const Route> kindRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "kinds", Global, None, Needs::Read},
         &getKinds,
         {.id = "getKinds",
          .summary =
              "What is remembered of each kind of work: runs, failures, quantiles, flaky or not, regressions",
          .query = "since=ran_since sort=kinds_sort limit=kinds cursor=kinds_cursor",
          .answers = {{{200, "Kinds"}}}}},
        {{Get, "kinds/{kind}", Global, None, Needs::Read},
         &getKind,
         {.id = "getKind",
          .summary = "One kind of work by version, machine, day and week",
          .answers = {{{200, "KindDetail"}}}}},
        {{Get, "kinds/{kind}/flaky", Global, None, Needs::Read},
         &getKindFlaky,
         {.id = "getKindFlaky",
          .summary = "The inputs of a kind that both worked and failed, and the lines of its failures",
          .answers = {{{200, "KindFlakiness"}}}}},
        {{Get, "regressions", Global, None, Needs::Read},
         &getRegressions,
         {.id = "getRegressions",
          .summary = "Kinds of work that got slower or larger, the latest first",
          .answers = {{{200, "Regressions"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

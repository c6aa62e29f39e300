// Failures by likeness: those that ended with the same line, but for numbers and paths; and who wants to hear of them.
#include "core/http/route.h"

#include "core/engine/reading/failures.h"
#include "core/engine/state/failure_mutes.h"
#include "core/engine/state/failures_view.h"
#include "core/http/error_map.h"
#include "core/http/list_filter.h"
#include "core/json/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

using engine::FailureCounts;
using engine::FailureDetail;
using engine::FailureGroup;
using engine::FailureGroups;

/// The list as an array, each value written by `write`.
void writeFailureList(JsonWriter& writer, std::string_view name, const auto& list, auto write) {
    writer.key(name);
    writer.openArray();
    for (const auto& value : list) write(value);
    writer.closeArray();
}

/// Members of the object that is open.
void writeGroupMembers(JsonWriter& writer, const FailureGroup& group) {
    writer.member("id", group.id);
    writer.member("line", group.line);
    if (group.reason != Reason::None) writer.member("reason", name(group.reason));
    writer.member("count", group.count);
    writer.member("first", group.first);
    writer.member("last", group.last);
    const auto string = [&](const std::string& text) { writer.string(text); };
    const auto number = [&](const auto& id) { writer.integer(id.value); };
    writeFailureList(writer, "queues", group.queues, number);
    writeFailureList(writer, "workers", group.workers, string);
    writeFailureList(writer, "machines", group.machines, string);
    writeFailureList(writer, "lsns", group.lsns, number);
    writer.member("filter", fmt::format("failure:{}", group.id));
    writer.member("muted", group.mutedUntil != 0);
    if (group.mutedUntil != 0) writer.member("muted_until", group.mutedUntil);
}

std::string toJson(const FailureGroups& groups) {
    constexpr std::size_t kUsualGroupBytes = 500;
    std::string text;
    text.reserve(groups.groups.size() * kUsualGroupBytes + 64);
    JsonWriter writer(text);
    writer.openObject();
    writer.member("total", groups.total);
    writer.member("exact", groups.isExact);
    if (groups.others > 0) writer.member("others", groups.others);
    writeFailureList(writer, "groups", groups.groups, [&](const FailureGroup& group) {
        writer.openObject();
        writeGroupMembers(writer, group);
        writeFailureList(writer, "hours", group.hours, [&](std::int64_t count) { writer.integer(count); });
        writer.closeObject();
    });
    writer.closeObject();
    return text;
}

void writeCounts(JsonWriter& writer, const FailureCounts& counts) {
    writeFailureList(writer, "values", counts.values, [&](const auto& value) {
        writer.openObject();
        writer.member("value", value.first);
        writer.member("count", value.second);
        writer.closeObject();
    });
    if (counts.others > 0) writer.member("others", counts.others);
}

std::string toJson(const FailureDetail& detail) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("exact", detail.isExact);
    writeGroupMembers(writer, detail.group);
    writer.key("by");
    writer.openObject();
    for (const auto& [name, counts] : {std::pair{"queue", &detail.queues}, std::pair{"worker", &detail.workers},
                                       std::pair{"machine", &detail.machines}}) {
        writer.key(name);
        writer.openObject();
        writeCounts(writer, *counts);
        writer.closeObject();
    }
    writer.closeObject();
    writeFailureList(writer, "hours", detail.hours, [&](const auto& hour) {
        writer.openObject();
        writer.member("t", hour.first);
        writer.member("count", hour.second);
        writer.closeObject();
    });
    writeFailureList(writer, "parts", detail.parts, [&](const FailureDetail::Part& part) {
        writer.openObject();
        writer.member("mask", textOf(part.mask));
        writeCounts(writer, part.values);
        writer.closeObject();
    });
    writer.closeObject();
    return text;
}

Result<engine::FailureQuery> readFailureQuery(const Query& parameters) {
    engine::FailureQuery query;
    const auto since = parameters.integer("since", 0, kLatest);
    if (!since) return std::unexpected(since.error());
    query.since = *since;
    if (const auto filter = parameters.text("q"))
        if (const auto good = readFilter(*filter, "q", query.which); !good) return std::unexpected(good.error());
    return query;
}

std::unexpected<Error> noGroup() {
    return invalid("group", "Give the id of a group of failures; GET failures has them.");
}

coro::Task<Response> getFailures(Call& call) {
    auto query = readFailureQuery(call.query);
    if (!query) co_return errorResponse(query.error());
    if (const auto group = call.query.text("group")) {
        if (!isFailureId(*group)) co_return errorResponse(noGroup().error());
        const auto detail =
            co_await call.engine.ask(&engine::Failures::detail, std::move(*query), std::string(*group));
        co_return detail ? jsonResponse(toJson(*detail)) : errorResponse(detail.error());
    }
    const auto groups = co_await call.engine.ask(&engine::Failures::groups, std::move(*query));
    co_return groups ? jsonResponse(toJson(*groups)) : errorResponse(groups.error());
}

coro::Task<Response> muteFailures(Call& call) {
    constexpr std::size_t kMostGroupBytes = 64;
    const auto group = call.body.word("group", kMostGroupBytes);
    if (!group) co_return errorResponse(group.error());
    if (!isFailureId(*group)) co_return errorResponse(noGroup().error());
    const auto until = call.body.integer("until", 0, kLatest);
    if (!until) co_return errorResponse(until.error());
    if (!*until)
        co_return errorResponse(
            invalid("until", "Give the time until which the group is muted, in microseconds; 0 ends the mute.")
                .error());
    const auto muted = co_await call.engine.ask(&engine::FailureMutes::set, *group, **until);
    if (!muted) co_return errorResponse(muted.error());
    co_return jsonResponse(fmt::format(R"({{"group":"{}","until":{}}})", *group, **until));
}

} // namespace

std::span<const Route> failureRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "failures", Global, None, Needs::Read},
         &getFailures,
         {.id = "getFailures",
          .summary = "Failures by likeness: the same line but for numbers and paths; with group, the counts of one",
          .query = "since=ended_since q group",
          .answers = {{{200, "Failures"}}}}},
        {{Post, "failures/mute", Global, Json, Needs::Operate},
         &muteFailures,
         {.id = "muteFailures",
          .summary = "Mark a group of failures as known until a time",
          .members = "group until",
          .request = "MuteFailures",
          .answers = {{{200, "MutedFailures"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

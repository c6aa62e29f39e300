// Changes of one action or of many: by their LSNs, or of all that a filter finds.
#include "core/http/api.h"

#include "core/coro/parallel.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/list_filter.h"
#include "core/model/json_writer.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

constexpr std::size_t kMaxBulk = 1000;
constexpr std::size_t kBulkAtOnce = 64;
/// Refusals that are told one by one.
constexpr std::size_t kMaxRefused = 1000;

} // namespace

std::optional<engine::BulkKind> Api::liveKind(Change change) {
    switch (change) {
    case Change::Cancel: return engine::BulkKind::Cancel;
    case Change::Hold: return engine::BulkKind::Hold;
    case Change::Release: return engine::BulkKind::Release;
    case Change::Set: return engine::BulkKind::Set;
    case Change::Retry:
    case Change::Retire: break;
    }
    return std::nullopt;
}

coro::Task<Result<void>> Api::changeOne(Call& call, const BulkChange& change, Lsn lsn) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return inQueue;
    switch (change.change) {
    case Change::Cancel: co_return co_await engine_.cancel(lsn);
    case Change::Retire: co_return co_await engine_.retire(lsn);
    case Change::Hold: co_return co_await engine_.hold(lsn);
    case Change::Release: co_return co_await engine_.release(lsn);
    case Change::Set: co_return co_await engine_.change(lsn, change.set);
    case Change::Retry: break;
    }
    const auto count = co_await engine_.reschedule(lsn, change.force);
    if (!count) co_return std::unexpected(count.error());
    co_return Result<void>{};
}

coro::Task<void> Api::changeAll(Call& call, const BulkChange& change, std::vector<Lsn> lsns, BulkOutcome& outcome) {
    std::vector<coro::Task<Result<void>>> tasks;
    tasks.reserve(lsns.size());
    for (const Lsn lsn : lsns) tasks.push_back(changeOne(call, change, lsn));
    const std::vector<Result<void>> outcomes = co_await coro::runInParallel(std::move(tasks), kBulkAtOnce);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (outcomes[i])
            ++outcome.changed;
        else if (outcome.refused.size() < kMaxRefused)
            outcome.refused.emplace_back(lsns[i], outcomes[i].error());
    }
}

/// All that match and could be changed so. What lives is changed by one operation of the engine; what has finished
/// page by page in the order of the numbers: others get their turn in between.
coro::Task<Result<void>> Api::changeFiltered(Call& call, const BulkChange& change, std::string_view filter,
                                             BulkOutcome& outcome) {
    engine::ListQuery query;
    if (auto read = readFilter(filter, "filter", query); !read) co_return read;
    if (call.queue && query.queue)
        co_return invalid("filter", "Remove \"queue:\": the route names a queue already.");
    if (call.queue) query.queue = call.queue;
    if (const auto kind = liveKind(change.change)) {
        auto answer =
            co_await engine_.changeMatching({.kind = *kind, .which = std::move(query), .set = change.set});
        if (!answer) co_return std::unexpected(answer.error());
        outcome.changed = answer->changed;
        outcome.refused = std::move(answer->refused);
        co_return Result<void>{};
    }
    query.sort.descending = false;
    query.limit = static_cast<int>(kMaxBulk);
    if (query.states.empty() && !query.heldOnly && !query.retryOnly)
        query.states = change.change == Change::Retry ? std::vector{ActionState::Failed, ActionState::Abandoned}
                                                      : std::vector{ActionState::Completed, ActionState::Failed,
                                                                    ActionState::Abandoned, ActionState::Cancelled};
    for (;;) {
        const auto page = co_await engine_.list(query);
        if (!page) co_return std::unexpected(page.error());
        std::vector<Lsn> lsns;
        for (const ActionResult& job : page->jobs) lsns.push_back(job.lsn);
        co_await changeAll(call, change, std::move(lsns), outcome);
        if (page->cursor.empty()) co_return Result<void>{};
        query.cursor = page->cursor;
    }
}

namespace {

Result<engine::ActionChange> readSet(std::string_view json) {
    const auto body = JsonRequest::parse(json, {"priority", "queue"});
    if (!body) return std::unexpected(body.error());
    const auto priority = body->integer("priority", -100, 100);
    if (!priority) return std::unexpected(priority.error());
    const auto queue = body->queue("queue");
    if (!queue) return std::unexpected(queue.error());
    engine::ActionChange change;
    if (*priority) change.priority = static_cast<int>(**priority);
    change.queue = *queue;
    if (!change.priority && !change.queue) return invalid("priority", "Give \"priority\", \"queue\" or both.");
    return change;
}

} // namespace

coro::Task<Response> Api::patchJob(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    auto change = readSet(call.request.body);
    if (!change) co_return errorResponse(change.error());
    const auto done = co_await changeOne(call, {.change = Change::Set, .force = false, .set = *change}, call.lsn());
    if (!done) co_return errorResponse(done.error());
    const auto result = co_await engine_.action(call.lsn());
    co_return result ? jsonResponse(toJson(*result)) : errorResponse(result.error());
}

coro::Task<Response> Api::changeMany(Call& call, Change which) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const auto body = which == Change::Retry ? JsonRequest::parse(call.request.body, {"lsns", "filter", "force"})
                      : which == Change::Set
                          ? JsonRequest::parse(call.request.body, {"lsns", "filter", "set"}, "set")
                          : JsonRequest::parse(call.request.body, {"lsns", "filter"});
    if (!body) co_return errorResponse(body.error());
    BulkChange change{.change = which, .force = false, .set = {}};
    const auto force = body->flag("force");
    if (!force) co_return errorResponse(force.error());
    change.force = *force;
    if (which == Change::Set) {
        if (!body->raw().starts_with('{'))
            co_return errorResponse(
                invalid("set", "Give \"set\" as an object with \"priority\", \"queue\" or both.").error());
        auto set = readSet(body->raw());
        if (!set) co_return errorResponse(set.error());
        change.set = *set;
    }
    BulkOutcome outcome;
    if (body->has("filter")) {
        if (body->has("lsns"))
            co_return errorResponse(invalid("lsns", "Give \"lsns\" or \"filter\", not both.").error());
        const auto filter = body->word("filter", kMaxFilterBytes);
        if (!filter) co_return errorResponse(filter.error());
        if (filter->find_first_not_of(' ') == std::string::npos)
            co_return errorResponse(
                invalid("filter", "An empty filter would mean every action; say which.").error());
        const auto done = co_await changeFiltered(call, change, *filter, outcome);
        if (!done) co_return errorResponse(done.error());
    } else if (!body->has("lsns")) {
        co_return errorResponse(
            invalid("lsns", fmt::format("Give \"lsns\", a list of 1 to {} LSNs, or \"filter\".", kMaxBulk))
                .error());
    } else {
        auto lsns = body->lsns("lsns", kMaxBulk);
        if (!lsns) co_return errorResponse(lsns.error());
        co_await changeAll(call, change, std::move(*lsns), outcome);
    }

    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("changed", outcome.changed);
    writer.key("refused");
    writer.openArray();
    for (const auto& [lsn, error] : outcome.refused) {
        writer.openObject();
        writer.member("lsn", lsn.value);
        writer.member("error", errorName(error.kind));
        writer.member("message", error.message);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> Api::patchJobs(Call& call) {
    return changeMany(call, Change::Set);
}
coro::Task<Response> Api::cancelJobs(Call& call) {
    return changeMany(call, Change::Cancel);
}
coro::Task<Response> Api::retryJobs(Call& call) {
    return changeMany(call, Change::Retry);
}
coro::Task<Response> Api::retireJobs(Call& call) {
    return changeMany(call, Change::Retire);
}
coro::Task<Response> Api::holdJobs(Call& call) {
    return changeMany(call, Change::Hold);
}
coro::Task<Response> Api::releaseJobs(Call& call) {
    return changeMany(call, Change::Release);
}

} // namespace yard::http

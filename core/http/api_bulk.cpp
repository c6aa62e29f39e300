// Changes of one action or of many: by their LSNs, or of all that a filter finds.
#include "core/http/api.h"

#include "core/coro/parallel.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/list_filter.h"
#include "core/model/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>

namespace yard::http {

namespace {

constexpr std::size_t kMaxBulk = 1000;
constexpr std::size_t kBulkAtOnce = 64;
/// Refusals that are told one by one.
constexpr std::size_t kMaxRefused = 1000;

} // namespace

/// Those that came back with it are added to `revived`.
coro::Task<Result<void>> Api::changeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn,
                                        std::vector<Lsn>& revived) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return inQueue;
    switch (deed.kind) {
    case engine::BulkKind::Cancel: co_return co_await engine_.cancel(lsn);
    case engine::BulkKind::Retire: co_return co_await engine_.retire(lsn);
    case engine::BulkKind::Hold: co_return co_await engine_.hold(lsn);
    case engine::BulkKind::Release: co_return co_await engine_.release(lsn);
    case engine::BulkKind::Set: co_return co_await engine_.change(lsn, deed.set);
    case engine::BulkKind::Retry: break;
    }
    const auto done = co_await engine_.reschedule(lsn, deed.force);
    if (!done) co_return std::unexpected(done.error());
    revived.insert(revived.end(), done->revived.begin(), done->revived.end());
    co_return Result<void>{};
}

coro::Task<Result<void>> Api::mayChangeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn, std::vector<Lsn>&) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return inQueue;
    co_return co_await engine_.mayChange(deed, lsn);
}

/// One of changeOne() and mayChangeOne() for each; answers those it was accepted for.
coro::Task<std::vector<Lsn>> Api::forEach(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns,
                                          ForOne forOne, engine::BulkAnswer& answer) {
    std::vector<coro::Task<Result<void>>> tasks;
    tasks.reserve(lsns.size());
    std::vector<Lsn> revived;
    for (const Lsn lsn : lsns) tasks.push_back((this->*forOne)(call, deed, lsn, revived));
    const std::vector<Result<void>> outcomes = co_await coro::runInParallel(std::move(tasks), kBulkAtOnce);
    std::ranges::sort(revived);
    std::vector<Lsn> accepted;
    std::int64_t amongThem = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        // One that waits for another of them is refused, or comes back with that one.
        const bool isRevived = std::ranges::binary_search(revived, lsns[i]);
        amongThem += static_cast<std::int64_t>(isRevived);
        if (outcomes[i] || isRevived)
            accepted.push_back(lsns[i]);
        else if (answer.refused.size() < kMaxRefused)
            answer.refused.emplace_back(lsns[i], outcomes[i].error());
    }
    answer.revived += std::ssize(revived) - amongThem;
    co_return accepted;
}

coro::Task<void> Api::changeAll(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns,
                                engine::BulkAnswer& answer) {
    const auto changed = co_await forEach(call, deed, std::move(lsns), &Api::changeOne, answer);
    answer.changed += std::ssize(changed);
    if (deed.kind == engine::BulkKind::Cancel) answer.ending += co_await engine_.beingCancelled(changed);
}

/// Of retry: others come back with the chosen ones, `revived` of the answer. Those of them that were refused alone,
/// because they wait for one of the chosen, are chosen as well.
coro::Task<Result<void>> Api::chooseDependents(const engine::BulkDeed& deed, std::vector<Lsn>& chosen,
                                               engine::BulkAnswer& answer) {
    if (deed.kind != engine::BulkKind::Retry) co_return Result<void>{};
    const auto back = co_await engine_.wouldRevive(chosen);
    if (!back) co_return std::unexpected(back.error());
    answer.revived = std::ssize(*back);
    std::erase_if(answer.refused, [&](const std::pair<Lsn, Error>& refusal) {
        if (!std::ranges::binary_search(*back, refusal.first)) return false;
        chosen.push_back(refusal.first);
        --answer.revived;
        return true;
    });
    co_return Result<void>{};
}

/// With a bound: changes those that could be, unless they are more, or only their number was asked for.
coro::Task<Result<engine::BulkAnswer>> Api::changeCounted(Call& call, const BulkAsked& asked,
                                                          std::vector<Lsn> chosen, engine::BulkAnswer answer) {
    if (auto good = co_await chooseDependents(asked.deed, chosen, answer); !good)
        co_return std::unexpected(good.error());
    if (asked.stopsAt(std::ssize(chosen))) {
        answer.counted = std::ssize(chosen);
        co_return answer;
    }
    answer.revived = 0; // each change counts its own
    for (std::size_t at = 0; at < chosen.size(); at += kMaxBulk) {
        const auto part = std::span(chosen).subspan(at, std::min(kMaxBulk, chosen.size() - at));
        co_await changeAll(call, asked.deed, {part.begin(), part.end()}, answer);
    }
    co_return answer;
}

coro::Task<Result<engine::BulkAnswer>> Api::changeListed(Call& call, BulkAsked asked, std::vector<Lsn> lsns) {
    engine::BulkAnswer answer;
    if (asked.isBounded()) {
        lsns = co_await forEach(call, asked.deed, std::move(lsns), &Api::mayChangeOne, answer);
        co_return co_await changeCounted(call, asked, std::move(lsns), std::move(answer));
    }
    co_await changeAll(call, asked.deed, std::move(lsns), answer);
    co_return answer;
}

/// All that match and could be changed so.
coro::Task<Result<engine::BulkAnswer>> Api::changeFiltered(Call& call, BulkAsked asked, std::string_view filter) {
    engine::ListQuery query;
    if (auto read = readFilter(filter, "filter", query); !read) co_return std::unexpected(read.error());
    if (call.queue && query.queue)
        co_return invalid("filter", "Remove \"queue:\": the route names a queue already.");
    if (call.queue) query.queue = call.queue;
    const engine::BulkKind kind = asked.deed.kind;
    if (kind != engine::BulkKind::Retry && kind != engine::BulkKind::Retire)
        co_return co_await engine_.changeMatching({.deed = std::move(asked.deed),
                                                   .which = std::move(query),
                                                   .dryRun = asked.dryRun,
                                                   .atMost = asked.atMost});
    query.sort.descending = false;
    query.limit = static_cast<int>(kMaxBulk);
    if (query.states.empty() && !query.heldOnly && !query.retryOnly)
        query.states = kind == engine::BulkKind::Retry
                           ? std::vector{ActionState::Failed, ActionState::Abandoned}
                           : std::vector{ActionState::Completed, ActionState::Failed, ActionState::Abandoned,
                                         ActionState::Cancelled};
    co_return co_await changeFinished(call, std::move(asked), std::move(query));
}

/// Page by page: others get their turn in between. With a bound all pages are looked at first, and only those that
/// were counted are changed.
coro::Task<Result<engine::BulkAnswer>> Api::changeFinished(Call& call, BulkAsked asked, engine::ListQuery query) {
    engine::BulkAnswer answer;
    std::vector<Lsn> chosen;
    for (;;) {
        const auto page = co_await engine_.list(query);
        if (!page) co_return std::unexpected(page.error());
        std::vector<Lsn> lsns;
        for (const ActionResult& job : page->jobs) lsns.push_back(job.lsn);
        if (asked.isBounded()) {
            lsns = co_await forEach(call, asked.deed, std::move(lsns), &Api::mayChangeOne, answer);
            chosen.insert(chosen.end(), lsns.begin(), lsns.end());
        } else {
            co_await changeAll(call, asked.deed, std::move(lsns), answer);
        }
        if (page->cursor.empty()) break;
        query.cursor = page->cursor;
    }
    if (!asked.isBounded()) co_return answer;
    co_return co_await changeCounted(call, asked, std::move(chosen), std::move(answer));
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

Result<void> readBound(const JsonRequest& body, bool& dryRun, std::optional<std::int64_t>& atMost) {
    const auto dry = body.flag("dry_run");
    if (!dry) return std::unexpected(dry.error());
    const auto most = body.integer("at_most", 0, std::numeric_limits<std::int64_t>::max());
    if (!most) return std::unexpected(most.error());
    dryRun = *dry;
    atMost = *most;
    return {};
}

Response tooMany(std::int64_t count) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("error", errorName(ErrorKind::AtLimit));
    writer.member("message",
                  fmt::format("This would change {} actions, more than \"at_most\": nothing was changed. "
                              "Give a higher \"at_most\", or name fewer.",
                              count));
    writer.member("count", count);
    writer.closeObject();
    return jsonResponse(std::move(text), statusOf(ErrorKind::AtLimit));
}

Response answerOf(const engine::BulkAnswer& answer, engine::BulkKind kind) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("changed", answer.changed);
    if (answer.counted) writer.member("count", *answer.counted);
    if (kind == engine::BulkKind::Retry) writer.member("revived", answer.revived);
    if (answer.ending > 0) writer.member("ending", answer.ending);
    writer.key("refused");
    writer.openArray();
    for (const auto& [lsn, error] : answer.refused) {
        writer.openObject();
        writer.member("lsn", lsn.value);
        writer.member("error", errorName(error.kind));
        writer.member("message", error.message);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    return jsonResponse(std::move(text));
}

} // namespace

coro::Task<Response> Api::patchJob(Call& call) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    auto change = readSet(call.request.body);
    if (!change) co_return errorResponse(change.error());
    std::vector<Lsn> revived;
    const auto done =
        co_await changeOne(call, {.kind = engine::BulkKind::Set, .set = *change}, call.lsn(), revived);
    if (!done) co_return errorResponse(done.error());
    const auto result = co_await engine_.action(call.lsn());
    co_return result ? jsonResponse(toJson(*result)) : errorResponse(result.error());
}

Result<Api::BulkAsked> Api::readAsked(const JsonRequest& body, engine::BulkKind kind) {
    BulkAsked asked{.deed = {.kind = kind}};
    const auto force = body.flag("force");
    if (!force) return std::unexpected(force.error());
    asked.deed.force = *force;
    if (auto bound = readBound(body, asked.dryRun, asked.atMost); !bound) return std::unexpected(bound.error());
    if (kind != engine::BulkKind::Set) return asked;
    if (!body.raw().starts_with('{'))
        return invalid("set", "Give \"set\" as an object with \"priority\", \"queue\" or both.");
    auto set = readSet(body.raw());
    if (!set) return std::unexpected(set.error());
    asked.deed.set = *set;
    return asked;
}

coro::Task<Result<engine::BulkAnswer>> Api::changeAsked(Call& call, const JsonRequest& body, BulkAsked asked) {
    if (!body.has("filter") && !body.has("lsns"))
        co_return invalid("lsns", fmt::format("Give \"lsns\", a list of 1 to {} LSNs, or \"filter\".", kMaxBulk));
    if (body.has("filter") && body.has("lsns")) co_return invalid("lsns", "Give \"lsns\" or \"filter\", not both.");
    if (body.has("lsns")) {
        auto lsns = body.lsns("lsns", kMaxBulk);
        if (!lsns) co_return std::unexpected(lsns.error());
        co_return co_await changeListed(call, std::move(asked), std::move(*lsns));
    }
    const auto filter = body.word("filter", kMaxFilterBytes);
    if (!filter) co_return std::unexpected(filter.error());
    if (filter->find_first_not_of(' ') == std::string::npos)
        co_return invalid("filter", "An empty filter would mean every action; say which.");
    co_return co_await changeFiltered(call, std::move(asked), *filter);
}

coro::Task<Response> Api::changeMany(Call& call, engine::BulkKind kind) {
    if (const auto known = call.query.allowOnly({}); !known) co_return errorResponse(known.error());
    const std::string& text = call.request.body;
    const auto body = kind == engine::BulkKind::Retry
                          ? JsonRequest::parse(text, {"lsns", "filter", "dry_run", "at_most", "force"})
                      : kind == engine::BulkKind::Set
                          ? JsonRequest::parse(text, {"lsns", "filter", "dry_run", "at_most", "set"}, "set")
                          : JsonRequest::parse(text, {"lsns", "filter", "dry_run", "at_most"});
    if (!body) co_return errorResponse(body.error());
    const auto asked = readAsked(*body, kind);
    if (!asked) co_return errorResponse(asked.error());
    const auto answer = co_await changeAsked(call, *body, *asked);
    if (!answer) co_return errorResponse(answer.error());
    const bool isTooMany = answer->counted && !asked->dryRun;
    co_return isTooMany ? tooMany(*answer->counted) : answerOf(*answer, kind);
}

coro::Task<Response> Api::patchJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Set);
}
coro::Task<Response> Api::cancelJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Cancel);
}
coro::Task<Response> Api::retryJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Retry);
}
coro::Task<Response> Api::retireJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Retire);
}
coro::Task<Response> Api::holdJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Hold);
}
coro::Task<Response> Api::releaseJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Release);
}

} // namespace yard::http

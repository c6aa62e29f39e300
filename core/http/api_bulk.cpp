// Changes of one action or of many: by their LSNs, or of all that a filter finds.
#include "core/http/handler_steps.h"

#include "core/coro/parallel.h"
#include "core/engine/commands/annotating.h"
#include "core/engine/commands/operations.h"
#include "core/engine/commands/rescheduling.h"
#include "core/engine/reading/action_details.h"
#include "core/engine/reading/action_rows.h"
#include "core/engine/reading/listing.h"
#include "core/http/error_map.h"
#include "core/http/json_request.h"
#include "core/http/list_filter.h"
#include "core/http/permission.h"
#include "core/json/json_writer.h"
#include "core/model/limits.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <span>

namespace yard::http {

namespace {

constexpr std::size_t kBulkAtOnce = 64;
/// Refusals that are told one by one.
constexpr std::size_t kMaxRefused = 1000;

/// A change of many actions as it was asked for.
struct BulkAsked {
    engine::BulkDeed deed{};
    std::optional<Mark> mark{}; ///< instead of the deed
    bool dryRun = false;
    std::optional<std::int64_t> atMost{};
    bool isBounded() const { return dryRun || atMost; }
    /// Nothing is changed where it would be so many.
    bool stopsAt(std::int64_t count) const { return dryRun || (atMost && count > *atMost); }
};
using ForOne = coro::Task<Result<void>> (*)(Call&, const engine::BulkDeed&, Lsn, std::vector<Lsn>&);

} // namespace

Result<engine::ListQuery> readChosen(const Call& call) {
    const auto filter = call.body.word("filter", kMaxFilterBytes);
    if (!filter) return std::unexpected(filter.error());
    if (filter->find_first_not_of(' ') == std::string::npos)
        return invalid("filter", "An empty filter would mean every action; say which.");
    engine::ListQuery query;
    if (auto read = readFilter(*filter, "filter", query); !read) return std::unexpected(read.error());
    if (call.queue && query.queue) return invalid("filter", "Remove \"queue:\": the route names a queue already.");
    if (call.queue) query.queue = call.queue;
    return query;
}

void writeRefused(JsonWriter& writer, std::span<const std::pair<Lsn, Error>> refused) {
    writer.key("refused");
    writer.openArray();
    for (const auto& [lsn, error] : refused) {
        writer.openObject();
        writer.member("lsn", lsn.value);
        writer.member("error", errorName(error.kind));
        writer.member("message", error.message);
        writer.closeObject();
    }
    writer.closeArray();
}

coro::Task<Result<void>> changeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn, std::vector<Lsn>& revived) {
    switch (deed.kind) {
    case engine::BulkKind::Cancel: co_return co_await call.engine.ask(&engine::Operations::cancel, lsn);
    case engine::BulkKind::Retire: co_return co_await call.engine.ask(&engine::Operations::retire, lsn);
    case engine::BulkKind::Hold: co_return co_await call.engine.ask(&engine::Operations::hold, lsn);
    case engine::BulkKind::Release: co_return co_await call.engine.ask(&engine::Operations::release, lsn);
    case engine::BulkKind::Set: co_return co_await call.engine.ask(&engine::Operations::change, lsn, deed.set);
    case engine::BulkKind::Retry: break;
    }
    const auto done = co_await call.engine.ask(&engine::Rescheduling::reschedule, lsn, deed.force);
    if (!done) co_return std::unexpected(done.error());
    revived.insert(revived.end(), done->revived.begin(), done->revived.end());
    co_return Result<void>{};
}

namespace {

coro::Task<Result<void>> mayChangeOne(Call& call, const engine::BulkDeed& deed, Lsn lsn, std::vector<Lsn>&) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return inQueue;
    co_return co_await call.engine.ask(&engine::Operations::mayChange, deed, lsn);
}

coro::Task<Result<void>> changeOneInQueue(Call& call, const engine::BulkDeed& deed, Lsn lsn,
                                          std::vector<Lsn>& revived) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue) co_return inQueue;
    co_return co_await changeOne(call, deed, lsn, revived);
}

/// One of changeOneInQueue() and mayChangeOne() for each; answers those it was accepted for.
coro::Task<std::vector<Lsn>> forEach(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns, ForOne forOne,
                                     engine::BulkAnswer& answer) {
    std::vector<coro::Task<Result<void>>> tasks;
    tasks.reserve(lsns.size());
    std::vector<Lsn> revived;
    for (const Lsn lsn : lsns) tasks.push_back(forOne(call, deed, lsn, revived));
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

coro::Task<void> changeAll(Call& call, const engine::BulkDeed& deed, std::vector<Lsn> lsns,
                           engine::BulkAnswer& answer) {
    const auto changed = co_await forEach(call, deed, std::move(lsns), &changeOneInQueue, answer);
    answer.changed += std::ssize(changed);
    if (deed.kind == engine::BulkKind::Cancel)
        answer.ending += co_await call.engine.ask(&engine::Operations::beingCancelled, changed);
    if (deed.kind == engine::BulkKind::Retry)
        answer.terminals += co_await call.engine.ask(&engine::ActionDetails::withTerminal, changed);
}

/// Of retry: others come back with the chosen ones, `revived` of the answer. Those of them that were refused alone,
/// because they wait for one of the chosen, are chosen as well.
coro::Task<Result<void>> chooseDependents(Call& call, const engine::BulkDeed& deed, std::vector<Lsn>& chosen,
                                          engine::BulkAnswer& answer) {
    if (deed.kind != engine::BulkKind::Retry) co_return Result<void>{};
    const auto back = co_await call.engine.ask(&engine::Rescheduling::wouldRevive, chosen);
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
coro::Task<Result<engine::BulkAnswer>> changeCounted(Call& call, const BulkAsked& asked, std::vector<Lsn> chosen,
                                                     engine::BulkAnswer answer) {
    if (auto good = co_await chooseDependents(call, asked.deed, chosen, answer); !good)
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

coro::Task<Result<engine::BulkAnswer>> changeListed(Call& call, BulkAsked asked, std::vector<Lsn> lsns) {
    engine::BulkAnswer answer;
    if (asked.isBounded()) {
        lsns = co_await forEach(call, asked.deed, std::move(lsns), &mayChangeOne, answer);
        co_return co_await changeCounted(call, asked, std::move(lsns), std::move(answer));
    }
    co_await changeAll(call, asked.deed, std::move(lsns), answer);
    co_return answer;
}

/// Those of a page that match and are meant.
coro::Task<std::vector<Lsn>> meantOf(Call& call, const engine::BulkDeed& deed, std::vector<ActionResult> page,
                                     engine::BulkAnswer& answer) {
    std::vector<Lsn> lsns;
    if (deed.kind != engine::BulkKind::Retry) {
        for (const ActionResult& job : page) lsns.push_back(job.lsn);
        co_return lsns;
    }
    engine::RetryChoice choice = co_await call.engine.ask(&engine::Rescheduling::meantToRetry, std::move(page));
    answer.replacedLeft += choice.replaced;
    answer.terminalsLeft += choice.terminals;
    co_return std::move(choice.lsns);
}

/// Page by page: others get their turn in between. With a bound all pages are looked at first, and only those that
/// were counted are changed.
coro::Task<Result<engine::BulkAnswer>> changeFinished(Call& call, BulkAsked asked, engine::ListQuery query) {
    engine::BulkAnswer answer;
    std::vector<Lsn> chosen;
    for (;;) {
        auto page = co_await call.engine.ask(&engine::Listing::list, query);
        if (!page) co_return std::unexpected(page.error());
        std::vector<Lsn> lsns = co_await meantOf(call, asked.deed, std::move(page->jobs), answer);
        if (asked.isBounded()) {
            lsns = co_await forEach(call, asked.deed, std::move(lsns), &mayChangeOne, answer);
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

/// Whether it is there.
coro::Task<Result<void>> mayMarkOne(Call& call, const engine::BulkDeed&, Lsn lsn, std::vector<Lsn>&) {
    auto inQueue = co_await checkQueue(call, lsn);
    if (!inQueue || call.queue) co_return inQueue;
    const auto there = co_await call.engine.ask(&engine::ActionRows::action, lsn);
    if (!there) co_return std::unexpected(there.error());
    co_return Result<void>{};
}

/// In parts: each is in the journal before the next.
coro::Task<Result<void>> markChosen(Call& call, Mark mark, std::span<const Lsn> chosen,
                                    engine::BulkAnswer& answer) {
    for (std::size_t at = 0; at < chosen.size(); at += kMaxBulk) {
        const auto part = chosen.subspan(at, std::min(kMaxBulk, chosen.size() - at));
        const auto marked = co_await call.engine.ask(&engine::Annotating::mark, {part.begin(), part.end()}, mark);
        if (!marked)
            co_return fail(marked.error().kind,
                           answer.changed == 0
                               ? marked.error().message
                               : fmt::format("{} {} actions are changed.", marked.error().message, answer.changed));
        answer.changed += marked->marked;
    }
    co_return Result<void>{};
}

/// Where more would change than may, or nothing is to, the count alone.
coro::Task<Result<engine::BulkAnswer>> markOrCount(Call& call, const BulkAsked& asked, const std::vector<Lsn>& lsns,
                                                   engine::BulkAnswer answer) {
    if (asked.stopsAt(std::ssize(lsns)))
        answer.counted = std::ssize(lsns);
    else if (auto done = co_await markChosen(call, *asked.mark, lsns, answer); !done)
        co_return std::unexpected(done.error());
    co_return answer;
}

coro::Task<Result<engine::BulkAnswer>> markListed(Call& call, BulkAsked asked, std::vector<Lsn> lsns) {
    engine::BulkAnswer answer;
    lsns = co_await forEach(call, asked.deed, std::move(lsns), &mayMarkOne, answer);
    co_return co_await markOrCount(call, asked, lsns, std::move(answer));
}

/// Of any state, page by page; with a bound all pages are looked at first.
coro::Task<Result<engine::BulkAnswer>> markFiltered(Call& call, BulkAsked asked, engine::ListQuery query) {
    engine::BulkAnswer answer;
    std::vector<Lsn> chosen;
    for (bool more = true; more;) {
        auto page = co_await call.engine.ask(&engine::Listing::list, query);
        if (!page) co_return std::unexpected(page.error());
        for (const ActionResult& job : page->jobs) chosen.push_back(job.lsn);
        query.cursor = page->cursor;
        more = !page->cursor.empty();
        if (asked.isBounded()) continue;
        if (auto done = co_await markChosen(call, *asked.mark, chosen, answer); !done)
            co_return std::unexpected(done.error());
        chosen.clear();
    }
    if (!asked.isBounded()) co_return answer;
    co_return co_await markOrCount(call, asked, chosen, std::move(answer));
}

/// All that match and could be changed so.
/// What lives is changed by one operation of the engine, which its next start finishes. Retry and retire, of
/// what has finished, go page by page, and an action at a time: whether one may be put back (limit of retries,
/// state of its queue) is decided as it is, each that was counted is kept, and none is taken twice, as a
/// retired one is gone and one put back is not failed any more. What the end of an engine leaves undone, the
/// same request finishes.
coro::Task<Result<engine::BulkAnswer>> changeFiltered(Call& call, BulkAsked asked, engine::ListQuery query) {
    const engine::BulkKind kind = asked.deed.kind;
    if (asked.mark) {
        query.sort.descending = false;
        query.limit = static_cast<int>(kMaxBulk);
        co_return co_await markFiltered(call, std::move(asked), std::move(query));
    }
    if (kind != engine::BulkKind::Retry && kind != engine::BulkKind::Retire)
        co_return co_await call.engine.ask(&engine::Operations::changeMatching, {.deed = std::move(asked.deed),
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

/// Members of what an action is set to.
constexpr std::string_view kSetMembers = "priority queue mark";

/// A mark fits every state, the others what is pending: so it comes alone, and is done or not as a whole.
Result<void> readSet(const JsonRequest& body, BulkAsked& asked) {
    const auto priority = body.integer("priority", -kMaxPriority, kMaxPriority);
    if (!priority) return std::unexpected(priority.error());
    const auto queue = body.queue("queue");
    if (!queue) return std::unexpected(queue.error());
    const auto mark = readMark(body);
    if (!mark) return std::unexpected(mark.error());
    engine::ActionChange& change = asked.deed.set;
    if (*priority) change.priority = static_cast<int>(**priority);
    change.queue = *queue;
    asked.mark = *mark;
    const bool isSomething = change.priority || change.queue;
    if (isSomething && asked.mark)
        return invalid("mark",
                       "Give \"mark\" in a request of its own: \"priority\" and \"queue\" are refused once an "
                       "action has started, a mark is not.");
    if (!isSomething && !asked.mark)
        return invalid("priority", "Give \"priority\", \"queue\" or both, or \"mark\".");
    return {};
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
    if (answer.terminals > 0) writer.member("terminals", answer.terminals);
    if (answer.replacedLeft + answer.terminalsLeft > 0) {
        writer.key("passed_over");
        writer.openObject();
        if (answer.replacedLeft > 0) writer.member("replaced", answer.replacedLeft);
        if (answer.terminalsLeft > 0) writer.member("terminals", answer.terminalsLeft);
        writer.closeObject();
    }
    writeRefused(writer, answer.refused);
    writer.closeObject();
    return jsonResponse(std::move(text));
}

/// Where actions are moved to.
coro::Task<Result<void>> checkTarget(Call& call, const BulkAsked& asked) {
    const std::optional<QueueRef>& queue = asked.deed.set.queue;
    if (!queue) co_return Result<void>{};
    co_return co_await checkReachOfQueue(call, *queue);
}

coro::Task<Response> patchJob(Call& call) {
    BulkAsked asked{.deed = {.kind = engine::BulkKind::Set}};
    if (auto read = readSet(call.body, asked); !read) co_return errorResponse(read.error());
    if (auto reached = co_await checkTarget(call, asked); !reached) co_return errorResponse(reached.error());
    const Lsn lsn = call.lsn();
    Result<void> done;
    if (asked.mark) {
        const auto marked = co_await call.engine.ask(&engine::Annotating::mark, std::vector{lsn}, *asked.mark);
        if (!marked) co_return errorResponse(marked.error());
    } else {
        std::vector<Lsn> revived;
        done = co_await changeOne(call, asked.deed, lsn, revived);
    }
    if (!done) co_return errorResponse(done.error());
    const auto result =
        co_await call.engine.ask(&engine::ActionRows::action, lsn); // of one to mark that is not there: says so
    co_return result ? jsonResponse(toJson(*result)) : errorResponse(result.error());
}

Result<BulkAsked> readAsked(const JsonRequest& body, engine::BulkKind kind) {
    BulkAsked asked{.deed = {.kind = kind}};
    const auto force = body.flag("force");
    if (!force) return std::unexpected(force.error());
    asked.deed.force = *force;
    if (auto bound = readBound(body, asked.dryRun, asked.atMost); !bound) return std::unexpected(bound.error());
    if (kind != engine::BulkKind::Set) return asked;
    if (!body.raw().starts_with('{'))
        return invalid("set", "Give \"set\" as an object with \"priority\", \"queue\" or both, or with \"mark\".");
    const auto members = JsonRequest::parse(body.raw(), kSetMembers);
    if (!members) return std::unexpected(members.error());
    if (auto set = readSet(*members, asked); !set) return std::unexpected(set.error());
    return asked;
}

coro::Task<Result<engine::BulkAnswer>> changeAsked(Call& call, BulkAsked asked) {
    const JsonRequest& body = call.body;
    if (!body.has("filter") && !body.has("lsns"))
        co_return invalid("lsns", fmt::format("Give \"lsns\", a list of 1 to {} LSNs, or \"filter\".", kMaxBulk));
    if (body.has("filter") && body.has("lsns")) co_return invalid("lsns", "Give \"lsns\" or \"filter\", not both.");
    if (body.has("lsns")) {
        auto lsns = body.lsns("lsns", kMaxBulk);
        if (!lsns) co_return std::unexpected(lsns.error());
        if (asked.mark) co_return co_await markListed(call, std::move(asked), std::move(*lsns));
        co_return co_await changeListed(call, std::move(asked), std::move(*lsns));
    }
    auto chosen = readChosen(call);
    if (!chosen) co_return std::unexpected(chosen.error());
    co_return co_await changeFiltered(call, std::move(asked), std::move(*chosen));
}

coro::Task<Response> changeMany(Call& call, engine::BulkKind kind) {
    const auto asked = readAsked(call.body, kind);
    if (!asked) co_return errorResponse(asked.error());
    if (auto reached = co_await checkTarget(call, *asked); !reached) co_return errorResponse(reached.error());
    const auto answer = co_await changeAsked(call, *asked);
    if (!answer) co_return errorResponse(answer.error());
    const bool isTooMany = answer->counted && !asked->dryRun;
    co_return isTooMany ? tooMany(*answer->counted) : answerOf(*answer, kind);
}

coro::Task<Response> patchJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Set);
}
coro::Task<Response> cancelJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Cancel);
}
coro::Task<Response> retryJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Retry);
}
coro::Task<Response> retireJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Retire);
}
coro::Task<Response> holdJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Hold);
}
coro::Task<Response> releaseJobs(Call& call) {
    return changeMany(call, engine::BulkKind::Release);
}

} // namespace

std::span<const Route> bulkRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Patch, "jobs", Both, Json, Needs::Steer},
         &patchJobs,
         {.id = "patchJobs",
          .summary = "Change priority or queue of pending actions, or the mark of any",
          .members = "lsns filter dry_run at_most set",
          .rawMember = "set",
          .request = "PatchMany",
          .answers = {{{200, "Changed"}}}}},
        {{Post, "jobs/cancel", Both, Json, Needs::Steer},
         &cancelJobs,
         {.id = "cancelJobs",
          .summary = "Cancel actions",
          .members = "lsns filter dry_run at_most",
          .request = "ChangeMany",
          .answers = {{{200, "Changed"}}}}},
        {{Post, "jobs/retry", Both, Json, Needs::Steer},
         &retryJobs,
         {.id = "retryJobs",
          .summary = "Run failed or abandoned actions again",
          .members = "lsns filter dry_run at_most force",
          .request = "RetryMany",
          .answers = {{{200, "Changed"}}}}},
        {{Post, "jobs/retire", Both, Json, Needs::Steer},
         &retireJobs,
         {.id = "retireJobs",
          .summary = "Forget finished actions",
          .members = "lsns filter dry_run at_most",
          .request = "ChangeMany",
          .answers = {{{200, "Changed"}}}}},
        {{Post, "jobs/hold", Both, Json, Needs::Steer},
         &holdJobs,
         {.id = "holdJobs",
          .summary = "Hold pending actions back",
          .members = "lsns filter dry_run at_most",
          .request = "ChangeMany",
          .answers = {{{200, "Changed"}}}}},
        {{Post, "jobs/release", Both, Json, Needs::Steer},
         &releaseJobs,
         {.id = "releaseJobs",
          .summary = "Let held actions go on",
          .members = "lsns filter dry_run at_most",
          .request = "ChangeMany",
          .answers = {{{200, "Changed"}}}}},
        {{Patch, "jobs/{lsn}", Both, Json, Needs::Steer},
         &patchJob,
         {.id = "patchJob",
          .summary = "Change priority or queue of a pending action, or the mark of any",
          .members = kSetMembers,
          .request = "PatchOne",
          .answers = {{{200, "Result"}, {202, "Result"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http

// Operations: one change of many live actions, carried out in parts with turns for others in between.
#include "core/engine/commands/operations.h"

#include "core/base/log.h"
#include "core/engine/state/slice.h"
#include "core/session/action_commands.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <unordered_map>

namespace yard::engine {

namespace {

/// Parts on their way to the journal at once: one group.
constexpr std::size_t kPartsAhead = 4;
/// Sets in more pieces than this are put into words by a helper.
constexpr std::size_t kManyRuns = 1'000;
/// A part that is spread over the journal has as many times fewer.
constexpr int kFarApart = 7;
constexpr std::size_t kMostRefused = 1'000;

/// Goes through a set in parts.
class InParts {
public:
    explicit InParts(const store::LsnSet& set)
        : set_(set) {}
    bool atEnd() const { return run_ == set_.runs().size(); }
    /// `most`: fewer where they are far apart, as each then costs a page of the journal.
    template<class F>
    void next(int most, F each) {
        for (; most > 0 && !atEnd(); --most) {
            const store::LsnRun& run = set_.runs()[run_];
            if (at_ == 0 && run_ > 0 && run.first.value - set_.runs()[run_ - 1].last().value > store::kSamePage)
                most -= kFarApart;
            each(Lsn{run.first.value + at_});
            if (++at_ < run.count) continue;
            at_ = 0;
            ++run_;
        }
    }

private:
    const store::LsnSet& set_;
    std::size_t run_ = 0;
    std::int64_t at_ = 0;
};

void refuse(BulkAnswer& answer, Lsn lsn, Error error) {
    if (answer.refused.size() < kMostRefused) answer.refused.emplace_back(lsn, std::move(error));
}

} // namespace

/// Those that match and could be changed; those that match and could not are refused.
coro::Task<store::LsnSet> Operations::choose(const BulkRequest& request, const store::BulkChange& change,
                                             std::optional<QueueId> queue, BulkAnswer& answer) {
    LiveMatcher matcher = parts_.selection.matcher(request.which, queue);
    const bool wantsPending = request.deed.kind != BulkKind::Cancel;
    store::LsnSet chosen;
    for (Lsn next{1}; next.value > 0;) {
        next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
            if (live.ending || isEnded(live.state) || !matcher.matches(live)) return;
            if (wantsPending && live.state != ActionState::Pending)
                refuse(answer, live.lsn,
                       fail(ErrorKind::WrongState,
                            fmt::format(
                                "Action {} is {}: only what is pending can be changed, but it can be cancelled.",
                                live.lsn.value, name(live.state)))
                           .error());
            else if (auto may = mayChangeLive(live.lsn, change); !may)
                refuse(answer, live.lsn, std::move(may.error()));
            else
                chosen.add(live.lsn);
        });
        if (next.value > 0) co_await coro::yieldNow();
    }
    co_return chosen;
}

Result<store::BulkChange> Operations::wantedChange(const ActionChange& what) {
    if (what.priority && (*what.priority < -100 || *what.priority > 100))
        return invalid("priority", "Give \"priority\" as a number from -100 to 100.");
    store::BulkChange change;
    change.priority = what.priority;
    if (what.queue) {
        const auto to = parts_.queues.existing(*what.queue);
        if (!to) return std::unexpected(to.error());
        change.queue = *to;
    }
    return change;
}

Result<store::BulkChange> Operations::bulkChange(const BulkDeed& deed) {
    if (deed.kind == BulkKind::Set) {
        Result<store::BulkChange> change = wantedChange(deed.set);
        if (change && change->queue)
            if (auto accepts = parts_.session.queues().accepts(*change->queue); !accepts)
                return std::unexpected(accepts.error());
        return change;
    }
    store::BulkChange change;
    if (deed.kind == BulkKind::Cancel) change.cancelRequested = true;
    if (deed.kind == BulkKind::Hold || deed.kind == BulkKind::Release) change.held = deed.kind == BulkKind::Hold;
    return change;
}

/// What changeLive() would answer.
Result<void> Operations::mayChangeLive(Lsn lsn, const store::BulkChange& change) const {
    if (change.cancelRequested) return parts_.session.actions().mayCancel(lsn);
    if (change.held) return *change.held ? parts_.session.actions().mayHold(lsn) : Result<void>{};
    if (auto may = parts_.session.actions().mayMove(lsn); !may) return may;
    return change.queue ? parts_.session.queues().accepts(*change.queue) : Result<void>{};
}

Result<void> Operations::changeLive(Lsn lsn, const store::BulkChange& change) {
    if (change.cancelRequested) return parts_.session.actions().cancel(lsn, parts_.outbox);
    if (change.held)
        return *change.held ? parts_.session.actions().hold(lsn, parts_.outbox)
                            : parts_.session.actions().release(lsn);
    if (change.queue)
        if (auto moved = parts_.session.actions().setQueue(lsn, *change.queue); !moved) return moved;
    if (change.priority) return parts_.session.actions().setPriority(lsn, *change.priority);
    return {};
}

coro::Task<Result<BulkAnswer>> Operations::changeMatching(BulkRequest request) {
    YARD_ASSERT_OWNER(owner_);
    const auto queue = parts_.queues.numberIfNamed(request.which.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const auto guard = co_await bulkMutex_.lock();
    Result<ListQuery> which = co_await parts_.selection.lookUp(std::move(request.which));
    if (!which) co_return std::unexpected(which.error());
    request.which = std::move(*which);
    if (const auto whole = co_await parts_.selection.findCommands(request.which, MonoTime::max()); !whole)
        co_return std::unexpected(whole.error());
    const Result<store::BulkChange> change = bulkChange(request.deed);
    if (!change) co_return std::unexpected(change.error());
    BulkAnswer answer;
    const store::LsnSet chosen = co_await choose(request, *change, *queue, answer);
    if (request.dryRun || (request.atMost && chosen.size() > *request.atMost)) answer.counted = chosen.size();
    if (answer.counted || chosen.empty()) co_return answer;

    if (auto kept = co_await remember(chosen, *change); !kept) co_return std::unexpected(kept.error());
    const Result<void> done = request.deed.kind == BulkKind::Cancel
                                  ? co_await cancelChosen(chosen, answer)
                                  : co_await changeChosen(chosen, *change, answer);
    if (!done) co_return std::unexpected(done.error());
    co_return answer;
}

/// Before anything of it happens: what it is, and which actions it means.
coro::Task<Result<void>> Operations::remember(const store::LsnSet& chosen, const store::BulkChange& change) {
    store::BulkOp op{.change = change, .runs = chosen.runs()};
    store::OpRow row{.id = ++lastOp_, .body = {}, .last = chosen.last(), .cursor = {}};
    if (op.runs.size() > kManyRuns)
        row.body = co_await parts_.helpers.run([op = std::move(op)] { return store::toText(op); });
    else
        row.body = store::toText(op);
    const store::AckDetail kept = co_await commit(store::PutOp{std::move(row)});
    if (kept.error) co_return std::unexpected(*kept.error);
    co_return Result<void>{};
}

/// Part by part; the answer comes when all of it is in the journal.
coro::Task<Result<void>> Operations::changeChosen(const store::LsnSet& chosen, const store::BulkChange& change,
                                                  BulkAnswer& answer) {
    std::deque<std::unique_ptr<coro::OneShot<store::AckDetail>>> posted;
    std::optional<Error> failed;
    // Awaited where it is made: it outlives none of what it captures.
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-capturing-lambda-coroutines)
    const auto takeOne = [&]() -> coro::Task<void> {
        const store::AckDetail detail = co_await posted.front()->get();
        posted.pop_front();
        if (detail.error && !failed) failed = detail.error;
    };
    InParts parts(chosen);
    while (!parts.atEnd() && !failed) {
        store::LsnSet changed;
        parts.next(kPerSlice, [&](Lsn lsn) {
            const Result<void> done = changeLive(lsn, change);
            if (done)
                changed.add(lsn);
            else if (done.error().kind != ErrorKind::NotFound) // it ended meanwhile
                refuse(answer, lsn, done.error());
        });
        answer.changed += changed.size();
        store::UpdateMany update{
            .runs = changed.runs(), .change = change, .op = lastOp_, .endsTheOp = parts.atEnd()};
        posted.push_back(parts_.post(std::move(update)));
        parts_.wake();
        co_await coro::yieldNow();
        if (posted.size() > kPartsAhead) co_await takeOne();
    }
    while (!posted.empty()) co_await takeOne();
    if (failed)
        co_return fail(failed->kind,
                       fmt::format("{} {} of {} actions are changed; the next start carries out the rest.",
                                   failed->message, answer.changed, chosen.size()));
    co_return Result<void>{};
}

coro::Task<std::int64_t> Operations::beingCancelled(std::vector<Lsn> lsns) {
    co_return std::ranges::count_if(lsns, [this](Lsn lsn) {
        const auto live = parts_.session.views().live(lsn);
        return live && live->cancelRequested && !live->ending && !isEnded(live->state);
    });
}

/// None of them starts from now on. Those that wait end in the background, as the journal takes them.
coro::Task<Result<void>> Operations::cancelChosen(const store::LsnSet& chosen, BulkAnswer& answer) {
    store::LsnSet waiting;
    store::LsnSet running;
    // In one turn: the end of those of an earlier part that run would start them.
    std::unordered_map<Lsn, bool> atOnce;
    for (const Lsn lsn : parts_.notBegun())
        if (chosen.contains(lsn))
            if (const auto later = parts_.session.actions().cancelLater(lsn, parts_.outbox))
                atOnce.emplace(lsn, *later);
    InParts parts(chosen);
    while (!parts.atEnd()) {
        parts.next(kPerSlice, [&](Lsn lsn) {
            const auto known = atOnce.find(lsn);
            const Result<bool> later = known != atOnce.end()
                                           ? Result<bool>(known->second)
                                           : parts_.session.actions().cancelLater(lsn, parts_.outbox);
            if (!later) return; // it ended meanwhile
            ++answer.changed;
            (*later ? waiting : running).add(lsn);
            answer.ending += *later || known != atOnce.end() ? 0 : 1;
        });
        parts_.wake();
        co_await coro::yieldNow();
    }
    parts_.spawn("cancelling", endCancelled(lastOp_, std::move(waiting), std::move(running)));
    co_return Result<void>{};
}

/// The operation stays in the journal until the end of each of them is, or that it was asked for.
coro::Task<void> Operations::endCancelled(std::int64_t op, store::LsnSet waiting, store::LsnSet running) {
    for (InParts parts(waiting); !parts.atEnd();) {
        co_await parts_.room();
        parts.next(kPerSlice, [this](Lsn lsn) { parts_.session.actions().finishCancelled(lsn, parts_.outbox); });
        parts_.wake();
        co_await coro::yieldNow();
    }
    while (!parts_.outbox.finish.empty()) co_await coro::yieldNow(); // posted by the pump: before what follows
    std::optional<Error> failed;
    for (InParts parts(running); !parts.atEnd() && !failed;) {
        store::LsnSet part;
        parts.next(kPerSlice, [&part](Lsn lsn) { part.add(lsn); });
        const store::AckDetail done = co_await commit(store::UpdateMany{
            .runs = part.runs(), .change = {.held = {}, .cancelRequested = true, .priority = {}, .queue = {}}});
        failed = done.error;
    }
    if (!failed) failed = (co_await commit(store::DropOp{op})).error;
    if (failed)
        logWarning("engine",
                   "a cancellation of many actions stays in the journal, the next start looks at it again: {}",
                   failed->message);
}

} // namespace yard::engine

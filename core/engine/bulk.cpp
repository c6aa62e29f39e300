// One change of many live actions: chosen by a walk in memory, remembered in the journal, carried out in parts with
// turns for others in between.
//
// What is chosen is written down as LSNs before anything of it happens, so a start after a crash carries out the
// same and nothing else. Each part goes to the session and into the journal's FIFO without a suspension in between:
// what others do to the same actions has one order in both.
#include "core/engine/engine_core.h"

#include "core/base/log.h"

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
class Parts {
public:
    explicit Parts(const store::LsnSet& set)
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

LiveMatcher::Parts EngineCore::matcherParts() {
    return {.dictionary = dictionary_,
            .queueNames =
                [this](QueueId id) {
                    const QueueEntry* entry = queues_.find(id);
                    return entry ? std::vector{entry->tag, entry->token} : std::vector<std::string>();
                },
            .complete =
                [this](ActionResult& result) {
                    overlay(result);
                    if (result.times[ActionState::Submitting] != 0) result.machine = machineName_;
                },
            .wallOf = [this](MonoTime at) { return scale_.at(at); },
            .now = scale_.at(MonoClock::now())};
}

/// Those that match and could be changed; those that match and could not are refused.
coro::Task<store::LsnSet> EngineCore::choose(const BulkRequest& request, const store::BulkChange& change,
                                             std::optional<QueueId> queue, BulkAnswer& answer) {
    LiveMatcher matcher(matcherParts(), request.which, queue);
    const bool wantsPending = request.deed.kind != BulkKind::Cancel;
    store::LsnSet chosen;
    for (Lsn next{1}; next.value > 0;) {
        next = session_->walkLive(next, kPerSlice, [&](const session::LiveView& live) {
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

Result<store::BulkChange> EngineCore::wantedChange(const ActionChange& what) {
    if (what.priority && (*what.priority < -100 || *what.priority > 100))
        return invalid("priority", "Give \"priority\" as a number from -100 to 100.");
    store::BulkChange change;
    change.priority = what.priority;
    if (what.queue) {
        const auto to = findQueue(*what.queue);
        if (!to) return std::unexpected(to.error());
        change.queue = (*to)->id;
    }
    return change;
}

Result<store::BulkChange> EngineCore::bulkChange(const BulkDeed& deed) {
    if (deed.kind == BulkKind::Set) {
        Result<store::BulkChange> change = wantedChange(deed.set);
        if (change && change->queue)
            if (auto accepts = session_->accepts(*change->queue); !accepts) return std::unexpected(accepts.error());
        return change;
    }
    store::BulkChange change;
    if (deed.kind == BulkKind::Cancel) change.cancelRequested = true;
    if (deed.kind == BulkKind::Hold || deed.kind == BulkKind::Release) change.held = deed.kind == BulkKind::Hold;
    return change;
}

/// What changeLive() would answer.
Result<void> EngineCore::mayChangeLive(Lsn lsn, const store::BulkChange& change) const {
    if (change.cancelRequested) return session_->mayCancel(lsn);
    if (change.held) return *change.held ? session_->mayHold(lsn) : Result<void>{};
    if (auto may = session_->mayMove(lsn); !may) return may;
    return change.queue ? session_->accepts(*change.queue) : Result<void>{};
}

Result<void> EngineCore::changeLive(Lsn lsn, const store::BulkChange& change) {
    if (change.cancelRequested) return session_->cancel(lsn, outbox_);
    if (change.held) return *change.held ? session_->hold(lsn, outbox_) : session_->release(lsn);
    if (change.queue)
        if (auto moved = session_->setQueue(lsn, *change.queue); !moved) return moved;
    if (change.priority) return session_->setPriority(lsn, *change.priority);
    return {};
}

coro::Task<Result<BulkAnswer>> EngineCore::changeMatching(BulkRequest request) {
    const auto queue = queueIdOf(request.which.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const auto guard = co_await bulkMutex_.lock();
    Result<ListQuery> which = co_await withDependents(std::move(request.which));
    if (!which) co_return std::unexpected(which.error());
    request.which = std::move(*which);
    if (const auto whole = co_await findCommands(request.which, MonoTime::max()); !whole)
        co_return std::unexpected(whole.error());
    const Result<store::BulkChange> change = bulkChange(request.deed);
    if (!change) co_return std::unexpected(change.error());
    BulkAnswer answer;
    store::BulkOp op{.change = *change, .runs = {}};
    const store::LsnSet chosen = co_await choose(request, *change, *queue, answer);
    if (request.dryRun || (request.atMost && chosen.size() > *request.atMost)) answer.counted = chosen.size();
    if (answer.counted || chosen.empty()) co_return answer;

    op.runs = chosen.runs();
    store::OpRow row{.id = ++lastOp_, .body = {}, .last = chosen.last(), .cursor = {}};
    if (op.runs.size() > kManyRuns)
        row.body = co_await helpers_->run([op = std::move(op)] { return store::toText(op); });
    else
        row.body = store::toText(op);
    const store::AckDetail kept = co_await committer_.commit(store::PutOp{std::move(row)});
    if (kept.error) co_return std::unexpected(*kept.error);

    const Result<void> done = request.deed.kind == BulkKind::Cancel
                                  ? co_await cancelChosen(chosen, answer)
                                  : co_await changeChosen(chosen, *change, answer);
    if (!done) co_return std::unexpected(done.error());
    co_return answer;
}

/// Part by part; the answer comes when all of it is in the journal.
coro::Task<Result<void>> EngineCore::changeChosen(const store::LsnSet& chosen, const store::BulkChange& change,
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
    Parts parts(chosen);
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
        posted.push_back(committer_.begin(std::move(update)));
        wake();
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

coro::Task<std::int64_t> EngineCore::beingCancelled(std::vector<Lsn> lsns) {
    co_return std::ranges::count_if(lsns, [this](Lsn lsn) {
        const auto live = session_->live(lsn);
        return live && live->cancelRequested && !live->ending && !isEnded(live->state);
    });
}

/// None of them starts from now on. Those that wait end in the background, as the journal takes them.
coro::Task<Result<void>> EngineCore::cancelChosen(const store::LsnSet& chosen, BulkAnswer& answer) {
    store::LsnSet waiting;
    store::LsnSet running;
    // In one turn: the end of those of an earlier part that run would start them.
    std::unordered_map<Lsn, bool> atOnce;
    for (const Lsn lsn : dispatcher_->notBegun())
        if (chosen.contains(lsn))
            if (const auto later = session_->cancelLater(lsn, outbox_)) atOnce.emplace(lsn, *later);
    Parts parts(chosen);
    while (!parts.atEnd()) {
        parts.next(kPerSlice, [&](Lsn lsn) {
            const auto known = atOnce.find(lsn);
            const Result<bool> later =
                known != atOnce.end() ? Result<bool>(known->second) : session_->cancelLater(lsn, outbox_);
            if (!later) return; // it ended meanwhile
            ++answer.changed;
            (*later ? waiting : running).add(lsn);
            answer.ending += *later || known != atOnce.end() ? 0 : 1;
        });
        wake();
        co_await coro::yieldNow();
    }
    loop_.spawn("cancelling", endCancelled(lastOp_, std::move(waiting), std::move(running)));
    co_return Result<void>{};
}

/// The operation stays in the journal until the end of each of them is, or that it was asked for.
coro::Task<void> EngineCore::endCancelled(std::int64_t op, store::LsnSet waiting, store::LsnSet running) {
    for (Parts parts(waiting); !parts.atEnd();) {
        while (committer_.outstandingResults() >= kResultsAhead) co_await roomMade_.wait();
        parts.next(kPerSlice, [this](Lsn lsn) { session_->finishCancelled(lsn, outbox_); });
        wake();
        co_await coro::yieldNow();
    }
    while (!outbox_.finish.empty()) co_await coro::yieldNow(); // posted by the pump: before what follows
    std::optional<Error> failed;
    for (Parts parts(running); !parts.atEnd() && !failed;) {
        store::LsnSet part;
        parts.next(kPerSlice, [&part](Lsn lsn) { part.add(lsn); });
        const store::AckDetail done = co_await committer_.commit(store::UpdateMany{
            .runs = part.runs(), .change = {.held = {}, .cancelRequested = true, .priority = {}, .queue = {}}});
        failed = done.error;
    }
    if (!failed) failed = (co_await committer_.commit(store::DropOp{op})).error;
    if (failed)
        logWarning("engine",
                   "a cancellation of many actions stays in the journal, the next start looks at it again: {}",
                   failed->message);
}

} // namespace yard::engine

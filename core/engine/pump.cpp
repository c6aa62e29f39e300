// The turns of the engine thread: take what came in, let the session decide, carry it out.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

/// Why an action failed that waited for others.
std::string inVain(const session::Predecessor& because) {
    if (because.count > 0 && because.on == DependencyOn::Failed)
        return fmt::format("it waited for one of array {} to fail, and none did", because.lsn.value);
    const bool isOfArray = because.count > 0 && because.otherwise.value > 0;
    return fmt::format("it waited for action {}{} to {}, and that one is {}",
                       isOfArray ? because.otherwise.value : because.lsn.value,
                       isOfArray ? fmt::format(" of array {}", because.lsn.value) : std::string(),
                       because.on == DependencyOn::Failed ? "fail" : "be completed", name(because.state));
}

// Of one operation that ends many.
constexpr std::size_t kEndsAtOnce = 1'000;
static_assert(kEndsAtOnce <= store::kMostAtOnce);
constexpr std::size_t kRunsAtOnce = 128;

} // namespace

coro::Task<void> EngineCore::pump() {
    for (;;) {
        co_await work_.wait();
        work_.clear();
        while (takeTurn()) co_await coro::yieldNow();
        timersChanged_.set();
        if (!isBusy()) idle_.notifyAll();
    }
}

void EngineCore::placeThreads() {
    const session::SessionCounts counts = session_->counts();
    // With more than this at once the threads have different ones to work on, and one CPU is less than they can
    // use.
    constexpr std::int64_t kFew = 2;
    if (counts.all.active() - counts.held > kFew)
        together_.part();
    else
        together_.look(MonoClock::now(), dispatcher_->processes() == 0);
}

/// One turn; true when another one is due at once.
bool EngineCore::takeTurn() {
    placeThreads();
    takeAcks();
    bool more = false;
    const bool hasRoom = committer_.outstandingResults() < kResultsAhead;
    if (hasRoom && session_->hasMoreWork()) session_->step(outbox_);
    // Nothing new starts while the journal cannot take results, nobody could run it, or memory is short.
    const bool mayStart = committer_.writable() && runner_ && runner_->isAccepting() && !guards_->isHolding();
    more = session_->schedule(MonoClock::now(), outbox_, mayStart);
    carryOut();
    takeIdleMemory();
    dispatcher_->balance(MonoClock::now());
    noteWritable();
    return more || (hasRoom && session_->hasMoreWork()) || committer_.hasAcks() || !outbox_.empty();
}

void EngineCore::takeAcks() {
    const std::vector<ResultAck> acks = committer_.takeAcks();
    for (const ResultAck& ack : acks) {
        if (!ack.ok) {
            logError("engine", "the end of action {}{} could not be written; the next start runs it again",
                     ack.lsn.value, ack.more.empty() ? "" : " and others");
            continue;
        }
        counters_.commit.observe(MonoClock::now() - ack.posted);
        if (ack.more.empty()) tellEnd(ack, ack.lsn);
        for (const store::LsnRun& run : ack.more)
            for (std::int64_t i = 0; i < run.count; ++i) tellEnd(ack, Lsn{run.first.value + i});
    }
    if (acks.empty()) return;
    roomMade_.notifyAll();
    locks_->lookSoon();
}

void EngineCore::tellEnd(const ResultAck& ack, Lsn lsn) {
    const auto live = session_->live(lsn);
    if (live && live->attempt) dispatcher_->stored(lsn, live->attempt);
    if (ack.kind == ResultAck::Kind::Retry) {
        ++counters_.retried[std::to_underlying(ack.reason)];
        session_->retryStored(lsn, outbox_);
        return;
    }
    (void)specs_.take(lsn); // of one that never started, or was given back
    unkept_.ended(lsn, ack.state);
    ++counters_.finished[std::to_underlying(ack.state)][std::to_underlying(ack.reason)];
    ending_ = &ack;
    if (live && live->ending) predecessors_.ended(lsn, *live->ending);
    session_->finishStored(lsn, outbox_);
    ending_ = nullptr;
    retention_->noteFinished();
    if (live) {
        noteQueueUsed(live->queue);
        QueueEntry* entry = ack.state == ActionState::Completed ? queues_.find(live->queue) : nullptr;
        if (entry) entry->completed.note(MonoClock::now());
    }
    waiters_.tell(lsn);
}

void EngineCore::carryOut() {
    // What is carried out may raise new events, so the session gets an outbox of its own meanwhile.
    session::Outbox now;
    std::swap(now, outbox_);
    if (!now.start.empty()) {
        dispatcher_->begin(now.start, scale_);
        guards_->started();
        figures_->wake();
    }
    for (const session::HoldKey key : now.granted) warm_->granted(key);
    for (const session::TakeBack& what : now.takeBack) dispatcher_->takeBack(what);
    // What waits in the launcher first: the end of what runs there would start it.
    for (const bool begun : {false, true})
        for (const session::Stop& what : now.stop)
            if (dispatcher_->hasBegun({what.lsn, what.attempt}) == begun) dispatcher_->stop(what);
    for (const session::Retry& retry : now.retry) postRetry(retry);
    postFinishes(now.finish);
    for (const QueueId id : now.stopped) queueStopped(id);
    for (const QueueId id : now.forgotten) forgetQueueNow(id);
    committer_.flush();
}

void EngineCore::postRetry(const session::Retry& retry) {
    store::Retry row;
    row.lsn = retry.lsn;
    row.attempt = dispatcher_->record({retry.lsn, retry.endedAttempt}, retry.state, retry.reason, true, row.chunks);
    row.retryCount = static_cast<std::uint32_t>(retry.retries.retryCount);
    row.ownFailures = static_cast<std::uint32_t>(retry.retries.ownFailures);
    row.interruptions = static_cast<std::uint32_t>(retry.retries.interruptions);
    row.tPending = row.attempt.times[retry.state];
    if (retry.notBefore != MonoTime{}) row.notBefore = scale_.at(retry.notBefore);
    committer_.retry(std::move(row));
}

/// Many that end alike, without an attempt, go as one operation: as much of them as makes a group of the journal.
void EngineCore::postFinishes(const std::vector<session::Finish>& finishes) {
    const auto isPlain = [](const session::Finish& finish) {
        return finish.attempt == 0 &&
               (finish.state == ActionState::Cancelled || finish.state == ActionState::Abandoned);
    };
    for (std::size_t at = 0; at < finishes.size();) {
        const session::Finish& first = finishes[at];
        std::size_t end = at + 1;
        store::FinishMany many{.runs = {{first.lsn, 1}},
                               .state = first.state,
                               .reason = first.reason,
                               .tEnd = scale_.at(MonoClock::now())};
        while (isPlain(first) && end < finishes.size() && end - at < kEndsAtOnce &&
               many.runs.size() < kRunsAtOnce && isPlain(finishes[end]) && finishes[end].state == first.state &&
               finishes[end].reason == first.reason) {
            const Lsn lsn = finishes[end++].lsn;
            if (many.runs.back().last().value + 1 == lsn.value)
                ++many.runs.back().count;
            else
                many.runs.push_back({lsn, 1});
        }
        if (end - at < 2)
            postFinish(first);
        else
            committer_.finishMany(std::move(many));
        at = end;
    }
}

void EngineCore::postFinish(const session::Finish& finish) {
    // A warm action takes 10 us: who asks for it may not have got round to waiting. Company there is in a crowd
    // only.
    const Attempt* attempt = finish.attempt ? dispatcher_->find(finish.lsn) : nullptr;
    const bool isAlone = attempt && attempt->warm && dispatcher_->inFlight() <= 1;
    const bool hurries = isAlone || waiters_.contains(finish.lsn);
    store::Finish row;
    row.lsn = finish.lsn;
    row.state = finish.state;
    row.reason = finish.reason;
    if (finish.attempt) {
        row.attempt =
            dispatcher_->record({finish.lsn, finish.attempt}, finish.state, finish.reason, false, row.chunks);
        row.tEnd = row.attempt->times[finish.state];
    } else {
        row.tEnd = scale_.at(MonoClock::now());
    }
    if (finish.reason == Reason::DependencyFailed) row.note = inVain(finish.because);
    if (waiters_.contains(finish.lsn))
        if (auto result = resultOf(row)) waiters_.keep(finish.lsn, std::move(*result));
    committer_.finish(std::move(row), hurries);
}

void EngineCore::queueStopped(QueueId id) {
    logWarning("engine", "queue {} is held: as many of its actions failed as its \"stop_after_failures\" says",
               id.value);
    loop_.spawn("hold queue", [](EngineCore& core, QueueId queue) -> coro::Task<void> {
        const Result<QueueView> done = co_await core.commitQueue(queue);
        if (!done)
            logWarning("engine", "that queue {} is held could not be written: {}", queue.value,
                       done.error().message);
    }(*this, id));
}

void EngineCore::forgetQueueNow(QueueId id) {
    queues_.remove(id);
    noteChange(ChangeEntry::Kind::Queue, id);
    loop_.spawn("forget queue", [](EngineCore& core, QueueId queue) -> coro::Task<void> {
        const store::AckDetail done = co_await core.committer_.commit(store::DropQueue{queue});
        if (done.error) logWarning("engine", "queue {} could not be removed: {}", queue.value, done.error->message);
    }(*this, id));
}

coro::Task<void> EngineCore::watchRunner() {
    for (;;) {
        const int err = co_await runnerWatch_->readable();
        if (err != 0) co_return;
        const bool wasAccepting = runner_->isAccepting();
        runner_->onReadable();
        if (runner_->isAccepting() && !wasAccepting) wake();
    }
}

coro::Task<void> EngineCore::watchWarm() {
    for (;;) {
        const int err = co_await warmWatch_->readable();
        if (err != 0) co_return;
        warm_->onReadable();
    }
}

coro::Task<void> EngineCore::watchTimers() {
    for (;;) {
        timersChanged_.clear();
        std::optional<MonoTime> next = session_->nextWake();
        if (const auto balance = dispatcher_->nextBalance()) next = next ? std::min(*next, *balance) : *balance;
        if (!next) {
            co_await timersChanged_.wait();
            continue;
        }
        const Duration left = *next - MonoClock::now();
        if (left <= Duration::zero()) {
            wake();
            co_await coro::yieldNow();
            co_await timersChanged_.wait();
            continue;
        }
        const bool changed = co_await coro::comesWithin(left, timersChanged_);
        if (!changed) wake();
    }
}

/// Something of the queue was asked for or ended: its idle time begins anew.
void EngineCore::noteQueueUsed(QueueId id) {
    QueueEntry* entry = queues_.find(id);
    const QueueConfig* config = session_->queueConfig(id);
    if (!entry || !config) return;
    entry->lastUsed = MonoClock::now();
    if (id.value == 0 || config->idleExpiry == Duration::zero()) return;
    if (!nextExpiry_ || entry->lastUsed + config->idleExpiry < *nextExpiry_) queuesChanged_.set();
}

coro::Task<void> EngineCore::expireQueues() {
    for (;;) {
        queuesChanged_.clear();
        const MonoTime now = MonoClock::now();
        nextExpiry_.reset();
        for (QueueEntry* entry : queues_.all()) {
            const QueueConfig* config = session_->queueConfig(entry->id);
            const auto status = session_->queueStatus(entry->id);
            if (entry->id.value == 0 || !config || !status || config->idleExpiry == Duration::zero()) continue;
            if (status->counters.active() > 0)
                continue; // its end sets lastUsed, and we look again then at the latest
            const MonoTime due = entry->lastUsed + config->idleExpiry;
            if (due > now) {
                nextExpiry_ = nextExpiry_ ? std::min(*nextExpiry_, due) : due;
                continue;
            }
            logInfo("engine", "queue {} was idle for {} s and is deleted", entry->id.value,
                    config->idleExpiry.count() / 1'000'000);
            entry->forgetting = true;
            noteChange(ChangeEntry::Kind::Queue, entry->id);
            if (auto gone = session_->forgetQueue(entry->id, outbox_); !gone)
                logWarning("engine", "queue {}: {}", entry->id.value, gone.error().message);
            wake();
        }
        if (nextExpiry_)
            co_await coro::comesWithin(*nextExpiry_ - MonoClock::now(), queuesChanged_);
        else
            co_await queuesChanged_.wait();
    }
}

} // namespace yard::engine

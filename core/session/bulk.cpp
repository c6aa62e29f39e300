// Operations on a whole queue or on everything: effective at once, carried out in steps.
#include "core/session/impl.h"

namespace yard::session {

namespace {

constexpr int kPerStep = 1'000;
/// Records looked at cost a fraction of those that end.
constexpr int kScanPerStep = 4'096;
constexpr std::int64_t kFewDead = 4'096;

} // namespace

void Session::Impl::startCancel(std::uint32_t queue, Outbox& out) {
    Queue& q = order_.queue(queue);
    q.state = QueueState::Cancelled;
    order_.endClaimsOf(queue);
    if (abandoned_) return;
    for (const std::uint32_t record : outstanding_)
        if (lanes_[records_[record].lane].queue == queue && records_[record].phase != Phase::Ending)
            cancelAttempt(record, out);
    cancelling_.push_back(queue);
    ++q.jobs;
}

void Session::Impl::tryForget(std::uint32_t queue, Outbox& out) {
    Queue& q = order_.queue(queue);
    if (!q.forgetting || q.gone || q.tally.stored.active() > 0) return;
    q.gone = true;
    queueIndex_.erase(q.id.value);
    out.forgotten.push_back(q.id);
    order_.removeIfUnused(queue);
}

void Session::Impl::sweepAbandoned(std::uint32_t record, std::uint32_t attempt, Outbox& out) {
    records_[record].set(Record::kSwept);
    finish(record, attempt, ActionState::Abandoned, Reason::Abandoned, out);
}

bool Session::Impl::wantsSweep() const {
    return dead_ > std::max(kFewDead, sweepAbove_) && dead_ * 2 > static_cast<std::int64_t>(records_.used());
}

bool Session::Impl::hasMoreWork() const {
    return !resolving_.empty() || !cancelling_.empty() || !scanWanted_.empty() || !scanning_.empty() || scanAll_ ||
           sweeping_ || wantsSweep();
}

void Session::Impl::step(Outbox& out) {
    int budget = stepResolve(kPerStep, out);
    budget = stepCancel(budget, out);
    if (budget > 0) stepScan(budget, out);
    if (wantsSweep()) sweeping_ = true;
    if (!sweeping_) return;
    const Lanes::Sweeper sweeper{
        .isDead = [this](std::uint32_t record) { return records_[record].phase == Phase::Dead; },
        .dropped =
            [this](std::uint32_t record) {
                records_[record].unset(Record::kInLane);
                entryDropped(record);
            },
        .popFirst =
            [this](std::uint32_t lane) {
                const std::uint32_t record = lanes_[lane].first;
                order_.popFirst(lane);
                entryDropped(record);
            }};
    sweeping_ = lanes_.sweep(kPerStep, sweeper);
    if (!sweeping_) sweepAbove_ = dead_ + kFewDead;
}

/// Empties the lanes of queues that are cancelled (or of all, in an abandoned session). Returns what is left of
/// `budget`.
int Session::Impl::stepCancel(int budget, Outbox& out) {
    while (budget > 0 && !cancelling_.empty()) {
        const std::uint32_t queue = cancelling_.back();
        Queue& q = order_.queue(queue);
        for (; budget > 0; --budget) {
            const std::uint32_t record = order_.takeAny(queue);
            if (record == kNone) break;
            if (records_[record].phase == Phase::Waiting)
                finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
            else
                entryDropped(record);
        }
        if (budget == 0) break;
        cancelling_.pop_back();
        if (q.waiting > 0) { // held, or behind timers: in no lane
            scanWanted_.push_back(queue);
            continue;
        }
        --q.jobs;
        tryForget(queue, out);
        if (order_.hasQueue(queue)) order_.removeIfUnused(queue);
        --budget;
    }
    return budget;
}

/// Walks over all records: those that wait in cancelled queues outside of lanes, or everything of an abandoned
/// session.
int Session::Impl::stepScan(int budget, Outbox& out) {
    if (scanning_.empty() && !scanAll_) {
        if (scanWanted_.empty()) return budget;
        scanning_.swap(scanWanted_);
        scanAt_ = 0;
    }
    for (int look = kScanPerStep; look > 0 && budget > 0 && scanAt_ < records_.end(); --look) {
        const std::uint32_t record = scanAt_;
        scanAt_ = records_.next(record);
        if (!records_.present(record)) continue;
        const Record& r = records_[record];
        if (scanAll_ && (isPendingPhase(r.phase) || isRunningPhase(r.phase)))
            sweepAbandoned(record, r.has(Record::kOut) ? r.attempt : 0, out);
        else if (!scanAll_ && r.phase == Phase::Waiting && queueOf(r).state == QueueState::Cancelled)
            finish(record, 0, ActionState::Cancelled, Reason::Cancelled, out);
        else
            continue;
        --budget;
    }
    if (scanAt_ < records_.end()) return budget;
    for (const std::uint32_t queue : scanning_) {
        --order_.queue(queue).jobs;
        tryForget(queue, out);
        if (order_.hasQueue(queue)) order_.removeIfUnused(queue);
    }
    scanning_.clear();
    if (scanAll_) { // nothing will start any more: the entries in the lanes go too
        scanAll_ = false;
        for (std::uint32_t queue = 0; queue < order_.queuesEnd(); ++queue) {
            if (!order_.hasQueue(queue)) continue;
            cancelling_.push_back(queue);
            ++order_.queue(queue).jobs;
        }
    }
    return budget;
}

} // namespace yard::session

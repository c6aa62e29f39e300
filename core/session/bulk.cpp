#include "core/session/bulk.h"

#include <algorithm>

namespace yard::session {

namespace {

constexpr int kPerStep = 1'000;
/// Records looked at cost a fraction of those that end.
constexpr int kScanPerStep = 4'096;
constexpr std::int64_t kFewDead = 4'096;

} // namespace

void BulkWork::cancelQueue(std::uint32_t queue, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Queue& q = order_.queue(queue);
    q.state = QueueState::Cancelled;
    order_.endClaimsOf(queue);
    if (service_.isAbandoned()) return;
    for (const std::uint32_t record : attempts_.all())
        if (lanes_[records_[record].lane].queue == queue && records_[record].phase != Phase::Ending)
            attempts_.cancel(record, out);
    cancelling_.push_back(queue);
    ++q.jobs;
}

void BulkWork::abandonAll() {
    YARD_ASSERT_OWNER(owner_);
    scanAll_ = true;
    scanAt_ = 0;
    for (auto* list : {&cancelling_, &scanWanted_, &scanning_}) {
        for (const std::uint32_t queue : *list) --order_.queue(queue).jobs;
        list->clear();
    }
}

bool BulkWork::hasMore() const {
    return ends_.hasMore() || !cancelling_.empty() || !scanWanted_.empty() || !scanning_.empty() || scanAll_ ||
           sweeping_ || wantsSweep();
}

void BulkWork::step(Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    int budget = ends_.resolve(kPerStep, out);
    budget = stepCancel(budget, out);
    if (budget > 0) stepScan(budget, out);
    if (wantsSweep()) sweeping_ = true;
    if (sweeping_) sweepLanes();
}

/// A list has the queue no more.
void BulkWork::endJob(std::uint32_t queue, Outbox& out) {
    --order_.queue(queue).jobs;
    ledger_.tryForget(queue, out);
    if (order_.hasQueue(queue)) order_.removeIfUnused(queue);
}

/// Empties the lanes of queues that are cancelled (or of all, in an abandoned session). Returns what is left of
/// `budget`.
int BulkWork::stepCancel(int budget, Outbox& out) {
    while (budget > 0 && !cancelling_.empty()) {
        const std::uint32_t queue = cancelling_.back();
        for (; budget > 0; --budget) {
            const std::uint32_t record = order_.takeAny(queue);
            if (record == kNone) break;
            if (records_[record].phase == Phase::Waiting)
                ends_.cancel(record, 0, out);
            else
                ledger_.entryDropped(record);
        }
        if (budget == 0) break;
        cancelling_.pop_back();
        if (order_.queue(queue).waiting > 0) { // held, or behind timers: in no lane
            scanWanted_.push_back(queue);
            continue;
        }
        endJob(queue, out);
        --budget;
    }
    return budget;
}

/// Walks over all records: those that wait in cancelled queues outside of lanes, or everything of an abandoned
/// session.
int BulkWork::stepScan(int budget, Outbox& out) {
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
            ends_.abandon(record, r.has(Record::kOut) ? r.attempt : 0, out);
        else if (!scanAll_ && r.phase == Phase::Waiting && ledger_.queueOf(r).state == QueueState::Cancelled)
            ends_.cancel(record, 0, out);
        else
            continue;
        --budget;
    }
    if (scanAt_ >= records_.end()) endScan(out);
    return budget;
}

void BulkWork::endScan(Outbox& out) {
    for (const std::uint32_t queue : scanning_) endJob(queue, out);
    scanning_.clear();
    if (!scanAll_) return;
    scanAll_ = false; // nothing will start any more: the entries in the lanes go too
    for (std::uint32_t queue = 0; queue < order_.queuesEnd(); ++queue) {
        if (!order_.hasQueue(queue)) continue;
        cancelling_.push_back(queue);
        ++order_.queue(queue).jobs;
    }
}

// -- dead records

bool BulkWork::wantsSweep() const {
    return ledger_.dead() > std::max(kFewDead, sweepAbove_) &&
           ledger_.dead() * 2 > static_cast<std::int64_t>(records_.used());
}

/// A part of the lanes; once through all of them, the next sweep waits until there is as much again.
void BulkWork::sweepLanes() {
    const Lanes::Sweeper sweeper{
        .isDead = [this](std::uint32_t record) { return records_[record].phase == Phase::Dead; },
        .dropped =
            [this](std::uint32_t record) {
                records_[record].unset(Record::kInLane);
                ledger_.entryDropped(record);
            },
        .popFirst =
            [this](std::uint32_t lane) {
                const std::uint32_t record = lanes_[lane].first;
                order_.popFirst(lane);
                ledger_.entryDropped(record);
            }};
    sweeping_ = lanes_.sweep(kPerStep, sweeper);
    if (!sweeping_) sweepAbove_ = ledger_.dead() + kFewDead;
}

} // namespace yard::session

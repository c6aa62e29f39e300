// Each part asserts what its header says must hold, and recomputes each counter. The order and the lanes do so
// themselves.
#include "core/session/impl.h"

#include <cassert>
#include <map>

#ifndef NDEBUG

namespace yard::session {

namespace {

struct Expected {
    QueueCounters counters; ///< pending and running only
    std::int64_t closingPending = 0;
    std::int64_t closingRunning = 0;
    std::int64_t waiting = 0;
    std::int64_t records = 0;
    std::int64_t held = 0;
};

void count(Expected& e, const Record& r) {
    ++e.records;
    if (isPendingPhase(r.phase) && r.has(Record::kHeld)) ++e.held;
    if (r.phase == Phase::Waiting) ++e.waiting;
    if (r.phase == Phase::Dead || r.has(Record::kStored)) return;
    const bool running = r.has(Record::kCountsRunning);
    ++(running ? e.counters.running : e.counters.pending);
    if (r.phase == Phase::Ending && !r.has(Record::kSwept)) ++(running ? e.closingRunning : e.closingPending);
}

} // namespace

void Ledger::checkRecord(std::uint32_t place) const {
    const Record& r = records_[place];
    assert(lanes_.present(r.lane) && order_.hasQueue(lanes_[r.lane].queue));
    assert(r.priority() == lanes_[r.lane].priority);
    assert((r.phase == Phase::Dead) != (records_.find(records_.lsnOf(r)) == place) &&
           "all but the dead are found by LSN");
    assert(r.phase != Phase::Dead || (isReferredTo(r) && !r.has(Record::kOut)));
    assert(r.unmet == 0 || !r.has(Record::kInLane));
    if (r.has(Record::kOut))
        assert(r.phase == Phase::Leased || r.phase == Phase::Submitting || r.phase == Phase::Running ||
               (r.phase == Phase::Ending && r.has(Record::kSwept)));
    else
        assert(r.phase != Phase::Leased && r.phase != Phase::Submitting && r.phase != Phase::Running);
    assert(r.has(Record::kOut) || (!r.has(Record::kAhead) && !r.has(Record::kStored)));
    assert(isPendingPhase(r.phase) ? !r.has(Record::kCountsRunning) : true);
    assert(isRunningPhase(r.phase) ? r.has(Record::kCountsRunning) : true);
}

void Ledger::check() const {
    std::map<std::uint32_t, Expected> expected;
    std::map<std::uint32_t, std::uint32_t> refs;
    Expected all;
    std::int64_t submitting = 0, dead = 0, moved = 0;
    std::uint32_t found = 0, inLane = 0;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i)) {
        if (!records_.present(i)) continue;
        ++found;
        const Record& r = records_[i];
        checkRecord(i);
        count(expected[lanes_[r.lane].queue], r);
        count(all, r);
        ++refs[r.lane];
        inLane += r.has(Record::kInLane);
        submitting += r.phase == Phase::Submitting;
        dead += r.phase == Phase::Dead;
        moved += r.isMoved() && isPendingPhase(r.phase);
    }
    assert(found == records_.used());
    assert(submitting == submitting_ && all.held == held_ && dead == dead_ && moved == moved_);
    assert(total_.stored.pending == all.counters.pending && total_.stored.running == all.counters.running);
    assert(total_.closingPending == all.closingPending && total_.closingRunning == all.closingRunning);

    std::uint32_t laneEntries = 0, lanes = 0;
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i)) continue;
        ++lanes;
        assert(lanes_[i].refs == refs[i]);
        lanes_.forEachEntry(i, [&](std::uint32_t) { ++laneEntries; });
    }
    assert(lanes == lanes_.used() && laneEntries == inLane);

    for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i) {
        if (!order_.hasQueue(i)) continue;
        const Queue& q = order_.queue(i);
        const Expected& e = expected[i];
        assert(q.gone || queueIndex_.find(q.id.value) == i);
        assert(q.tally.stored.pending == e.counters.pending && q.tally.stored.running == e.counters.running);
        assert(q.tally.closingPending == e.closingPending && q.tally.closingRunning == e.closingRunning);
        assert(q.waiting == e.waiting && q.records == e.records && q.heldActions == e.held);
        assert(!q.gone || q.records > 0 || q.listings > 0 || q.jobs > 0);
    }
    order_.check();
    places_.check();
}

void Places::check() const {
    for (const auto& [queue, kept] : queues_) {
        std::uint32_t expected = 0;
        for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
            expected += records_.present(i) && isPendingPhase(records_[i].phase) &&
                        lanes_[records_[i].lane].queue == queue &&
                        (kept.next.value == 0 || records_.lsnOf(records_[i]) < kept.next);
        assert(kept.order.size() == expected);
        std::uint32_t before = kNone;
        kept.order.forEach([&](std::uint32_t record) {
            assert(isPendingPhase(records_[record].phase) && lanes_[records_[record].lane].queue == queue);
            assert(before == kNone || records_.less(before, record));
            before = record;
        });
    }
}

void Timers::check() const {
    std::uint32_t found = 0;
    std::int64_t backingOff = 0;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i)) {
        if (!records_.present(i)) continue;
        backingOff += records_[i].has(Record::kBackoff);
        if (!of(records_[i])) continue;
        ++found;
        assert(timers_[records_[i].timer].record == i);
        assert(records_[i].phase == Phase::Waiting || records_[i].phase == Phase::Retrying);
    }
    assert(found == timers_.size() && backingOff == backingOff_);
}

void Entrance::check(bool isAbandoned) const {
    std::uint32_t parked = 0, inGates = 0;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i)) {
        if (!records_.present(i)) continue;
        const Record& r = records_[i];
        if (r.has(Record::kParked)) {
            ++parked;
            assert(r.phase == Phase::Waiting && !r.has(Record::kHeld | Record::kOut | Record::kInLane));
            assert(r.unmet == 0);
            continue;
        }
        assert(!r.has(Record::kInLane) || r.timer == kNone);
        assert(!r.has(Record::kCancel) || r.phase != Phase::Waiting || r.timer == kNone);
        const bool mayStart = r.phase == Phase::Waiting && !r.has(Record::kHeld | Record::kCancel) &&
                              r.timer == kNone && r.unmet == 0;
        const bool beingCancelled = ledger_.queueOf(r).state == QueueState::Cancelled || isAbandoned;
        assert((!mayStart || r.has(Record::kInLane) || beingCancelled) && "what may start is in its lane");
    }
    std::size_t listed = 0;
    for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i) {
        if (!order_.hasQueue(i)) continue;
        listed += order_.queue(i).openingListed;
        if (!order_.queue(i).gates) continue;
        order_.queue(i).gates->check([&](std::uint32_t record) {
            ++inGates;
            assert(lanes_[records_[record].lane].queue == i);
        });
    }
    assert(parked == inGates && listed == opening_.size());
}

void ResourceHolds::check() const {
    assert(withCores_ ==
           std::ranges::count_if(held_, [](const Hold& hold) { return hold.resources.milliCores > 0; }));
}

void Attempts::check() const {
    std::map<std::uint32_t, std::int32_t> outOf, aheadOf;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i)) {
        if (!records_.present(i) || !records_[i].has(Record::kOut)) continue;
        const Record& r = records_[i];
        assert(outstanding_[r.timer] == i && !r.has(Record::kInLane) && r.attempt > 0);
        ++outOf[lanes_[r.lane].queue];
        aheadOf[lanes_[r.lane].queue] += r.has(Record::kAhead);
    }
    std::size_t out = 0;
    for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i) {
        if (!order_.hasQueue(i)) continue;
        const Queue& q = order_.queue(i);
        assert(q.outstanding == outOf[i] && q.ahead == aheadOf[i]);
        out += static_cast<std::size_t>(q.outstanding);
    }
    assert(out == outstanding_.size() && out == machines_.size());
    assert(outstanding_.size() <= static_cast<std::size_t>(options_.maxOutstanding + gated_) + keeping_.size());
    assert(keeping_.size() <= static_cast<std::size_t>(options_.maxKeeping));
    std::int32_t shared = 0, partCores = 0, gated = 0;
    for (const std::uint32_t record : outstanding_) {
        if (isKept(record)) continue;
        const std::uint32_t cls = lanes_[records_[record].lane].cls;
        gated += classes_.isGated(cls);
        if (classes_.isOneCore(cls) || classes_.isGated(cls)) continue;
        ++shared;
        partCores += classes_.resourcesOf(cls).milliCores > 0;
    }
    assert(shared == shared_ && partCores == partCores_ && gated == gated_ && shared_ <= options_.sharedSlots);
}

void BulkWork::check() const {
    std::map<std::uint32_t, std::uint32_t> listed;
    for (const auto* list : {&cancelling_, &scanWanted_, &scanning_})
        for (const std::uint32_t queue : *list) ++listed[queue];
    for ([[maybe_unused]] const auto& [queue, times] : listed)
        assert(order_.hasQueue(queue) && order_.queue(queue).jobs >= times);
}

void Session::Impl::check() const {
    ledger.check();
    timers.check();
    dependencies.check();
    entrance.check(service.isAbandoned());
    attempts.check();
    holds.check();
    bulk.check();
}

} // namespace yard::session

#else

void yard::session::Ledger::check() const {}
void yard::session::Timers::check() const {}
void yard::session::Entrance::check(bool) const {}
void yard::session::Attempts::check() const {}
void yard::session::ResourceHolds::check() const {}
void yard::session::BulkWork::check() const {}
void yard::session::Session::Impl::check() const {}

#endif

// Walks everything and asserts what impl.h, lanes.h and order.h say must hold. Recomputes each counter.
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
    std::int32_t outstanding = 0;
    std::int32_t ahead = 0;
};

void count(Expected& e, const Record& r) {
    ++e.records;
    if (isPendingPhase(r.phase) && r.has(Record::kHeld)) ++e.held;
    if (r.phase == Phase::Waiting) ++e.waiting;
    if (r.has(Record::kOut)) ++e.outstanding;
    if (r.has(Record::kAhead) && r.has(Record::kOut)) ++e.ahead;
    if (r.phase == Phase::Dead || r.has(Record::kStored)) return;
    const bool running = r.has(Record::kCountsRunning);
    ++(running ? e.counters.running : e.counters.pending);
    if (r.phase == Phase::Ending && !r.has(Record::kSwept)) ++(running ? e.closingRunning : e.closingPending);
}

} // namespace

void Session::Impl::checkRecord(std::uint32_t place) const {
    const Record& r = records_[place];
    assert(lanes_.present(r.lane) && order_.hasQueue(lanes_[r.lane].queue));
    assert(r.priority() == lanes_[r.lane].priority);
    assert((r.phase == Phase::Dead) != (records_.find(records_.lsnOf(r)) == place) &&
           "all but the dead are found by LSN");
    assert(r.phase != Phase::Dead || (isReferredTo(r) && !r.has(Record::kOut)));
    assert(r.unmet == 0 || !r.has(Record::kInLane));
    if (r.has(Record::kParked)) {
        assert(r.phase == Phase::Waiting && !r.has(Record::kHeld | Record::kOut | Record::kInLane) && r.unmet == 0);
        return;
    }
    if (r.has(Record::kOut)) {
        assert(outstanding_[r.timer] == place && !r.has(Record::kInLane) && r.attempt > 0);
        assert(r.phase == Phase::Leased || r.phase == Phase::Submitting || r.phase == Phase::Running ||
               (r.phase == Phase::Ending && r.has(Record::kSwept)));
    } else {
        assert(r.phase != Phase::Leased && r.phase != Phase::Submitting && r.phase != Phase::Running);
        assert(!r.has(Record::kAhead) && !r.has(Record::kStored));
        if (r.timer != kNone) {
            assert(timers_[r.timer].record == place && !r.has(Record::kInLane));
            assert(r.phase == Phase::Waiting || r.phase == Phase::Retrying);
        }
    }
    assert(!r.has(Record::kCancel) || r.phase != Phase::Waiting || r.timer == kNone);
    const bool mayStart =
        r.phase == Phase::Waiting && !r.has(Record::kHeld | Record::kCancel) && r.timer == kNone && r.unmet == 0;
    const bool beingCancelled = queueOf(r).state == QueueState::Cancelled || abandoned_;
    assert((!mayStart || r.has(Record::kInLane) || beingCancelled) && "what may start is in its lane");
    assert(isPendingPhase(r.phase) ? !r.has(Record::kCountsRunning) : true);
    assert(isRunningPhase(r.phase) ? r.has(Record::kCountsRunning) : true);
}

void Session::Impl::check() const {
    std::map<std::uint32_t, Expected> expected;
    std::map<std::uint32_t, std::uint32_t> refs;
    std::map<std::uint32_t, std::uint32_t> entries;
    Expected all;
    std::int64_t submitting = 0, held = 0, dead = 0, backingOff = 0;
    std::uint32_t found = 0, inLane = 0;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i)) {
        if (!records_.present(i)) continue;
        ++found;
        const Record& r = records_[i];
        checkRecord(i);
        count(expected[lanes_[r.lane].queue], r);
        count(all, r);
        ++refs[r.lane];
        if (r.has(Record::kInLane)) ++inLane;
        if (r.phase == Phase::Submitting) ++submitting;
        if (r.phase == Phase::Dead) ++dead;
        if (isPendingPhase(r.phase) && r.has(Record::kHeld)) ++held;
        if (r.has(Record::kBackoff)) ++backingOff;
    }
    assert(found == records_.used());
    assert(submitting == submitting_ && held == held_ && dead == dead_ && backingOff == backingOff_);
    assert(static_cast<std::size_t>(all.outstanding) == outstanding_.size());
    assert(outstanding_.size() <= static_cast<std::size_t>(options_.maxOutstanding + gated_) + keeping_.size());
    assert(keeping_.size() <= static_cast<std::size_t>(options_.maxKeeping));
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

    checkEdges();
    std::uint32_t parked = 0, inGates = 0;
    for (std::uint32_t i = 0; i < records_.end(); i = records_.next(i))
        if (records_.present(i) && records_[i].has(Record::kParked)) ++parked;
    for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i)
        if (order_.hasQueue(i) && order_.queue(i).gates)
            order_.queue(i).gates->check([&](std::uint32_t record) {
                ++inGates;
                assert(lanes_[records_[record].lane].queue == i);
            });
    assert(parked == inGates);

    std::int32_t shared = 0, partCores = 0, gated = 0;
    for (const Hold& hold : holds_) partCores += hold.resources.milliCores > 0;
    for (const std::uint32_t record : outstanding_) {
        if (keeping_.contains(record)) continue;
        const std::uint32_t cls = lanes_[records_[record].lane].cls;
        gated += order_.isGated(cls);
        if (order_.isOneCore(cls) || order_.isGated(cls)) continue;
        ++shared;
        partCores += order_.resourcesOf(cls).milliCores > 0;
    }
    assert(shared == shared_ && partCores == partCores_ && gated == gated_ && shared_ <= options_.sharedSlots);
    for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i) {
        if (!order_.hasQueue(i)) continue;
        const Queue& q = order_.queue(i);
        const Expected& e = expected[i];
        assert(q.gone || queueIndex_.find(q.id.value) == i);
        assert(q.tally.stored.pending == e.counters.pending && q.tally.stored.running == e.counters.running);
        assert(q.tally.closingPending == e.closingPending && q.tally.closingRunning == e.closingRunning);
        assert(q.waiting == e.waiting && q.records == e.records && q.heldActions == e.held);
        assert(q.outstanding == e.outstanding && q.ahead == e.ahead);
        assert(!q.gone || q.records > 0 || q.listings > 0 || q.jobs > 0);
    }
    for (std::uint32_t i = 0; i < timers_.size(); ++i)
        assert(records_[timers_[i].record].timer == i && !records_[timers_[i].record].has(Record::kOut));
    order_.check();
}

} // namespace yard::session

#else

void yard::session::Session::Impl::check() const {}

#endif

#include "core/session/attempts.h"

#include "core/session/indexed_resources.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

Attempts::Attempts(Ledger& ledger, Capacity& capacity, Entrance& entrance, const SessionOptions& options)
    : ledger_(ledger)
    , records_(ledger.records())
    , lanes_(ledger.lanes())
    , classes_(ledger.classes())
    , order_(ledger.order())
    , capacity_(capacity)
    , indexed_(capacity.indexed())
    , entrance_(entrance)
    , options_(options)
    , placer_(capacity, ledger.order(), ledger.classes(), options) {
    outstanding_.reserve(static_cast<std::size_t>(options_.maxOutstanding) +
                         static_cast<std::size_t>(options_.maxKeeping));
    machines_.reserve(outstanding_.capacity());
}

// -- handing out

void Attempts::handOut(const Order::Pick& picked, bool ahead, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Queue& q = order_.queue(picked.queue);
    const std::uint32_t cls = lanes_[picked.lane].cls;
    // Before the order counts the start: by what was kept when it was picked.
    const MachineId machine = capacity_.hasSeveral() ? placer_.placeOf(cls, ahead) : fleet::kLocal;
    const std::uint32_t record = order_.start(picked);
    Record& r = records_[record];
    r.unset(Record::kOfAttempt);
    if (picked.oldest) r.set(Record::kOldestPick);
    if (ahead) {
        r.set(Record::kAhead);
        ++q.ahead;
        q.lowestAhead = std::min(q.lowestAhead, r.priority());
    }
    ++starts_;
    countOut(record, machine);
    const bool gated = classes_.isGated(cls);
    out.start.push_back({.lsn = records_.lsnOf(r),
                         .attempt = r.attempt,
                         .queue = q.id,
                         .cls = ClassId(cls),
                         .ahead = ahead,
                         .shared = !gated && !classes_.isOneCore(cls),
                         .warm = gated,
                         .machine = machine});
}

void Attempts::takeOver(std::uint32_t record, MachineId machine) {
    YARD_ASSERT_OWNER(owner_);
    assert(!records_[record].has(Record::kInLane | Record::kOut | Record::kParked));
    countOut(record, machine);
}

/// It is a runner's from now on.
void Attempts::countOut(std::uint32_t record, MachineId machine) {
    Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    Queue& q = order_.queue(lane.queue);
    r.set(Record::kOut);
    ++r.attempt;
    ++q.outstanding;
    (void)classes_.countGate(lane.cls, 1);
    if (classes_.takes(lane.cls)) {
        const Demand need = classes_.demandOf(lane.cls);
        capacity_.take(need, machine);
        if (indexed_ && machine == fleet::kLocal) indexed_->take({.isHold = false, .key = record}, *need.amounts);
    }
    countSlot(lane.cls, 1);
    if (q.gates) q.gates->count(r.label, 1);
    r.timer = static_cast<std::uint32_t>(outstanding_.size());
    outstanding_.push_back(record);
    machines_.push_back(machine);
    ledger_.setPhase(record, Phase::Leased);
}

/// What it takes of the machine, or its place at its gate, is free for others.
void Attempts::giveResources(std::uint32_t record) {
    const std::uint32_t cls = lanes_[records_[record].lane].cls;
    const Demand taken = classes_.demandOf(cls);
    (void)classes_.countGate(cls, -1);
    if (classes_.takes(cls)) {
        capacity_.give(taken, machineOf(records_[record]));
        if (indexed_ && !taken.amounts->named.empty()) indexed_->give({.isHold = false, .key = record});
    }
    order_.reservation().attemptEnded(record, taken);
    countSlot(cls, -1);
}

void Attempts::giveBack(std::uint32_t record) {
    Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    Queue& q = order_.queue(lane.queue);
    if (keeping_.erase(record) == 0) giveResources(record);
    order_.giveLocks(lane.cls);
    if (q.gates) {
        q.gates->count(r.label, -1);
        entrance_.listOpening(lane.queue);
    }
    if (r.has(Record::kAhead) && --q.ahead == 0) q.lowestAhead = 101;
    --q.outstanding;
    const std::uint32_t last = outstanding_.back();
    outstanding_[r.timer] = last;
    machines_[r.timer] = machines_.back();
    records_[last].timer = r.timer;
    outstanding_.pop_back();
    machines_.pop_back();
    r.timer = kNone;
    r.unset(Record::kOut | Record::kAhead);
    if (q.config.maxRunning > 0) order_.wake(lane.queue);
}

void Attempts::keep(std::uint32_t record) {
    if (isKept(record) || static_cast<int>(keeping_.size()) >= options_.maxKeeping) return;
    giveResources(record);
    keeping_.insert(record);
}

void Attempts::endAhead(std::uint32_t record) {
    Record& r = records_[record];
    if (!r.has(Record::kAhead)) return;
    Queue& q = ledger_.queueOf(r);
    r.unset(Record::kAhead);
    if (--q.ahead == 0) q.lowestAhead = 101;
}

void Attempts::countSlot(std::uint32_t cls, int by) {
    if (classes_.isGated(cls)) gated_ += by;
    if (classes_.isOneCore(cls) || classes_.isGated(cls)) return;
    shared_ += by;
    if (classes_.resourcesOf(cls).milliCores > 0) partCores_ += by;
}

Order::Room Attempts::room(bool mustFit) const {
    return {.mustFit = mustFit,
            .onlyGated = ungated() >= options_.maxOutstanding,
            // Where there are fewer slots than cores, the runner would send back what is over this.
            .slotsFull = inCoreSlots() >= options_.slotCount * (1 + options_.aheadPerSlot),
            .sharedFull = isSharedFull()};
}

GivenResources Attempts::givenTo(const Record& r) const {
    if (!indexed_ || !r.has(Record::kOut)) return {};
    return indexed_->given({.isHold = false, .key = outstanding_[r.timer]});
}

// -- events

std::uint32_t Attempts::find(Lsn lsn, std::uint32_t attempt) {
    const std::uint32_t record = records_.find(lsn);
    if (record != kNone && records_[record].has(Record::kOut) && records_[record].attempt == attempt) return record;
    ++ignored_;
    return kNone;
}

// -- what runners are asked

void Attempts::stop(std::uint32_t record, StopCause cause, Outbox& out) {
    Record& r = records_[record];
    if (r.has(Record::kStopAsked)) return;
    r.set(Record::kStopAsked);
    out.stop.push_back({.lsn = records_.lsnOf(r), .attempt = r.attempt, .cause = cause});
}

void Attempts::takeBack(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    if (r.has(Record::kTakeBackAsked)) return;
    r.set(Record::kTakeBackAsked);
    out.takeBack.push_back({.lsn = records_.lsnOf(r), .attempt = r.attempt});
}

void Attempts::cancel(std::uint32_t record, Outbox& out) {
    Record& r = records_[record];
    r.set(Record::kCancel);
    ledger_.tellChange(r, seenOf(r));
    if (isAhead(r))
        takeBack(record, out);
    else
        stop(record, StopCause::Cancel, out);
}

void Attempts::takeBackOvertaken(Outbox& out) {
    entrance_.takeOvertaken([&](std::uint32_t queue) {
        const int arrived = order_.queue(queue).arrived;
        for (const std::uint32_t record : outstanding_) {
            const Record& r = records_[record];
            // The turn of the oldest is not taken back: under a steady stream of urgent ones it would never come.
            if (lanes_[r.lane].queue == queue && isAhead(r) && !r.has(Record::kOldestPick) &&
                r.priority() < arrived)
                takeBack(record, out);
        }
    });
}

void Attempts::takeBackAhead(std::uint32_t queue, Outbox& out) {
    if (order_.queue(queue).ahead == 0) return;
    for (const std::uint32_t record : outstanding_) {
        const Record& r = records_[record];
        if (lanes_[r.lane].queue == queue && isAhead(r)) takeBack(record, out);
    }
}

void Attempts::takeBackAllAhead(Outbox& out) {
    for (const std::uint32_t record : outstanding_)
        if (const Record& r = records_[record]; isAhead(r)) takeBack(record, out);
}

} // namespace yard::session

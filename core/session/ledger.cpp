#include "core/session/ledger.h"

#include <cassert>

namespace yard::session {

const TransitionTable<Phase, kPhases>& phaseTransitions() {
    static constexpr TransitionTable<Phase, kPhases> kTable{
        {Phase::Free, {Phase::Waiting}},
        {Phase::Waiting, {Phase::Leased, Phase::Ending, Phase::Dead, Phase::Free}},
        {Phase::Leased, {Phase::Waiting, Phase::Submitting, Phase::Running, Phase::Ending}},
        {Phase::Submitting, {Phase::Waiting, Phase::Running, Phase::Ending}},
        {Phase::Running, {Phase::Waiting, Phase::Retrying, Phase::Ending}},
        {Phase::Retrying, {Phase::Waiting, Phase::Ending}},
        {Phase::Ending, {Phase::Dead, Phase::Free}},
        {Phase::Dead, {Phase::Free}},
    };
    return kTable;
}

Ledger::Ledger(const Capacity& capacity)
    : lanes_(records_, [this](std::uint32_t record) { entryDropped(record); })
    , classes_(capacity)
    , order_(records_, lanes_, classes_, capacity, [this](std::uint32_t record) { entryDropped(record); }) {}

// -- queues

const Queue* Ledger::queueNamed(QueueId id) const {
    const std::uint32_t at = findQueue(id);
    return at == kNone ? nullptr : &order_.queue(at);
}

std::uint32_t Ledger::addQueue(QueueId id, const QueueCounters& ended) {
    YARD_ASSERT_OWNER(owner_);
    std::uint32_t at = findQueue(id);
    if (at == kNone) {
        at = order_.addQueue(id);
        queueIndex_.insert(id.value, at);
    }
    Queue& q = order_.queue(at);
    assert(q.tally.stored == QueueCounters{} && "a queue is added once, before its actions");
    addEnded(q.tally.stored, ended);
    addEnded(total_.stored, ended);
    return at;
}

void Ledger::addEnded(QueueCounters& to, const QueueCounters& ended) {
    to.completed += ended.completed;
    to.failed += ended.failed;
    to.abandoned += ended.abandoned;
    to.cancelled += ended.cancelled;
}

void Ledger::tryForget(std::uint32_t queue, Outbox& out) {
    Queue& q = order_.queue(queue);
    if (!q.forgetting || q.gone || q.tally.stored.active() > 0) return;
    q.gone = true;
    queueIndex_.erase(q.id.value);
    out.forgotten.push_back(q.id);
    order_.removeIfUnused(queue);
}

// -- records

/// The one function that moves a record. Everything that is counted by phase is counted here.
void Ledger::setPhase(std::uint32_t record, Phase to) {
    Record& r = records_[record];
    Queue& q = queueOf(r);
    const Phase from = r.phase;
    assert(phaseTransitions().allows(from, to));
    const auto change = [&](auto& counter, auto holds) {
        counter += static_cast<int>(holds(to)) - static_cast<int>(holds(from));
    };
    change(q.waiting, [](Phase p) { return p == Phase::Waiting; });
    change(submitting_, [](Phase p) { return p == Phase::Submitting; });
    change(dead_, [](Phase p) { return p == Phase::Dead; });
    if (r.isMoved()) change(moved_, isPendingPhase);
    if (r.has(Record::kHeld)) {
        change(held_, isPendingPhase);
        change(q.heldActions, isPendingPhase);
    }

    for (Tally* tally : {&q.tally, &total_}) {
        QueueCounters& c = tally->stored;
        if (from == Phase::Free) ++c.pending;
        if (from == Phase::Waiting && (to == Phase::Dead || to == Phase::Free))
            --c.pending; // it lives on in another one
        const int moved = static_cast<int>(isRunningPhase(to) && !r.has(Record::kCountsRunning)) -
                          static_cast<int>(isPendingPhase(to) && r.has(Record::kCountsRunning));
        c.running += moved;
        c.pending -= moved;
    }
    if (isRunningPhase(to)) r.set(Record::kCountsRunning);
    if (isPendingPhase(to)) r.unset(Record::kCountsRunning);
    if (places_.isUsed() && isPendingPhase(from) != isPendingPhase(to)) {
        if (isPendingPhase(to))
            places_.entered(record);
        else
            places_.left(record);
    }
    r.phase = to;
    touch(r);
    tellMove(r, from, to);
}

/// Leases, resets and ends on their way to the journal do not show; who counts an end tells of it.
void Ledger::tellMove(const Record& r, Phase from, Phase to) {
    if (to == Phase::Submitting || to == Phase::Running)
        tellChange(r, to == Phase::Running ? ActionState::Running : ActionState::Submitting);
    else if (to == Phase::Waiting && from != Phase::Leased)
        tellChange(r, ActionState::Pending);
    else if (from == Phase::Waiting && (to == Phase::Dead || to == Phase::Free))
        tellChange(r, ActionState::Pending); // moved away: the counters of its queue change
    else if (to == Phase::Ending && r.has(Record::kSwept))
        tellChange(r, ActionState::Abandoned);
}

void Ledger::sendChange(const Record& r, ActionState seen, const StoredEnd* end) {
    const Lane& lane = lanes_[r.lane];
    changeSink_({.lsn = records_.lsnOf(r),
                 .queue = order_.queue(lane.queue).id,
                 .cls = ClassId(lane.cls),
                 .label = LabelId(r.label),
                 .state = seen,
                 .end = end ? std::optional(*end) : std::nullopt});
}

void Ledger::setHeld(std::uint32_t record, bool held) {
    Record& r = records_[record];
    if (r.has(Record::kHeld) == held) return;
    const bool isPending = isPendingPhase(r.phase);
    if (isPending) {
        held_ += held ? 1 : -1;
        queueOf(r).heldActions += held ? 1 : -1;
    }
    if (held)
        r.set(Record::kHeld);
    else
        r.unset(Record::kHeld);
    touch(r);
    if (isPending) tellChange(r, ActionState::Pending);
}

std::uint32_t Ledger::make(const NewAction& action, std::uint32_t queue) {
    YARD_ASSERT_OWNER(owner_);
    assert(records_.find(action.lsn) == kNone && classes_.isDefined(action.cls));
    const std::uint32_t place = records_.allocate(action.lsn);
    Record& r = records_[place];
    r.key = Record::makeKey(action.priority, action.submitTime);
    if (action.place) records_.setPlace(place, *action.place);
    r.lane = lanes_.acquire(queue, action.cls.value, action.priority);
    r.label = action.label.value;
    r.attempt = action.attempts;
    r.setRetries(action.retries);
    ++order_.queue(queue).records;
    records_.map(action.lsn, place);
    setPhase(place, Phase::Waiting);
    return place;
}

void Ledger::moveInPlace(std::uint32_t record, std::uint32_t queue, int priority) {
    Record& r = records_[record];
    const std::uint32_t fromLane = r.lane;
    const std::uint32_t fromQueue = lanes_[fromLane].queue;
    if (queue != fromQueue) tellChange(r, ActionState::Pending); // the counters of its queue change
    for (const auto& [at, by] : {std::pair{fromQueue, -1}, std::pair{queue, 1}}) {
        Queue& q = order_.queue(at);
        q.tally.stored.pending += by;
        q.waiting += by;
        q.records += by;
        if (r.has(Record::kHeld)) q.heldActions += by;
    }
    if (places_.isUsed()) places_.left(record);
    r.key = Record::makeKey(priority, r.time()) | (r.key & Record::kMoved);
    r.lane = lanes_.acquire(queue, lanes_[fromLane].cls, priority);
    lanes_.release(fromLane);
    if (places_.isUsed()) places_.entered(record);
    touch(r);
    tellChange(r, ActionState::Pending);
    order_.removeIfUnused(fromQueue);
}

void Ledger::setPlace(std::uint32_t record, const PlaceKey& to) {
    const bool isPending = isPendingPhase(records_[record].phase);
    const bool stands = places_.isUsed() && isPending;
    if (isPending && !records_[record].isMoved()) ++moved_;
    if (stands) places_.left(record);
    records_.setPlace(record, to);
    if (stands) places_.entered(record);
    touch(records_[record]);
    tellChange(records_[record], ActionState::Pending);
}

void Ledger::retire(std::uint32_t record) {
    Record& r = records_[record];
    records_.unmap(records_.lsnOf(r));
    if (isReferredTo(r))
        setPhase(record, Phase::Dead);
    else
        free(record);
}

void Ledger::free(std::uint32_t record) {
    setPhase(record, Phase::Free);
    const std::uint32_t lane = records_[record].lane;
    const std::uint32_t queue = lanes_[lane].queue;
    lanes_.release(lane);
    records_.release(record);
    --order_.queue(queue).records;
    order_.removeIfUnused(queue);
}

void Ledger::entryDropped(std::uint32_t record) {
    if (records_[record].phase == Phase::Dead && !isReferredTo(records_[record])) free(record);
}

// -- ends

void Ledger::countClosing(const Record& r) {
    assert(r.phase == Phase::Ending);
    for (Tally* tally : {&queueOf(r).tally, &total_})
        ++(r.has(Record::kCountsRunning) ? tally->closingRunning : tally->closingPending);
}

void Ledger::countEnd(const Record& r) {
    for (Tally* tally : {&queueOf(r).tally, &total_}) {
        QueueCounters& c = tally->stored;
        --(r.has(Record::kCountsRunning) ? c.running : c.pending);
        if (!r.has(Record::kSwept))
            --(r.has(Record::kCountsRunning) ? tally->closingRunning : tally->closingPending);
        switch (r.target()) {
        case ActionState::Completed: ++c.completed; break;
        case ActionState::Failed: ++c.failed; break;
        case ActionState::Abandoned: ++c.abandoned; break;
        default: ++c.cancelled; break;
        }
    }
}

void Ledger::takeEndBack(std::uint32_t queue, ActionState was) {
    assert(was == ActionState::Failed || was == ActionState::Abandoned);
    for (Tally* tally : {&order_.queue(queue).tally, &total_})
        --(was == ActionState::Failed ? tally->stored.failed : tally->stored.abandoned);
}

std::size_t Ledger::memoryBytes() const {
    return records_.memoryBytes() + lanes_.memoryBytes() + classes_.memoryBytes() + order_.memoryBytes() +
           queueIndex_.memoryBytes() + places_.memoryBytes();
}

} // namespace yard::session

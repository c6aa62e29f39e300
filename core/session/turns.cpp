// Waiting for locks, and the turn of the oldest: what it does for those that lack something (order.h).
#include "core/session/heap.h"
#include "core/session/order.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

// -- locks

void Order::blockLane(Queue& queue, QueueShape& of, std::uint32_t i, LockId lock) {
    leaveHeaps(of, i);
    Lane& lane = lanes_[i];
    lane.blocked = true;
    ++of.blocked;
    heapPush(locks_.waitingFor(lock, lane.queue, of.shape), i, laneLess(), keyMoved());
    if (lane.refusals < kRefusedBefore) ++lane.refusals;
    const bool needsSeveral = locks_.locksOf(classes_.locksOf(lane.cls)).size() > 1;
    if (lane.turn || (lane.refusals == kRefusedBefore && needsSeveral)) claim(i);
    if (needsSeveral) wakeBehind(i); // for those of its locks that are free
    if (needsSeveral && !lane.claims) locks_.remindOf(lock, i, kRefusedBefore - lane.refusals % kRefusedBefore);
    if (lane.turn) return; // a place of its label stays its own
    heapPush(of.blockedByAge, i, laneOlder(), ageMoved());
    if (!queue.gates) return;
    // It had been let through its gate to start now: another one of its label may instead.
    queue.gates->offerAgain(records_[lane.first].label);
    gatesToOpen_.push_back(lane.queue);
}

void Order::leaveBlocked(QueueShape& of, std::uint32_t i) {
    Lane& lane = lanes_[i];
    lane.blocked = false;
    --of.blocked;
    const std::uint32_t agePos = std::exchange(lane.agePos, kNone);
    if (agePos != kNone) heapRemove(of.blockedByAge, agePos, laneOlder(), ageMoved());
}

/// The lock that a blocked lane waits for.
std::optional<LockId> Order::lockWaitedFor(std::uint32_t i) {
    const Lane& lane = lanes_[i];
    for (const LockId lock : locks_.locksOf(classes_.locksOf(lane.cls))) {
        const auto* waiting = locks_.findWaiting(lock, lane.queue, classes_.shapeOf(lane.cls));
        if (waiting && lane.keyPos < waiting->size() && (*waiting)[lane.keyPos] == i) return lock;
    }
    return std::nullopt;
}

/// Out of the heap of those that wait for its lock, be it without a first action.
void Order::leaveLock(std::uint32_t i) {
    Lane& lane = lanes_[i];
    const std::optional<LockId> lock = lockWaitedFor(i);
    assert(lane.blocked && lock);
    const std::uint32_t shape = classes_.shapeOf(lane.cls);
    heapRemove(locks_.waitingFor(*lock, lane.queue, shape), std::exchange(lane.keyPos, kNone), laneLess(),
               keyMoved());
    locks_.forgetIfIdle(*lock, lane.queue, shape);
    leaveBlocked(queueShape(*queues_[lane.queue], shape), i);
}

/// Back into the heaps of those that may start, to be met again.
void Order::wakeLane(std::uint32_t i) {
    leaveLock(i);
    const Lane& lane = lanes_[i];
    assert(lane.first != kNone);
    QueueShape& of = queueShape(*queues_[lane.queue], classes_.shapeOf(lane.cls));
    heapPush(of.byKey, i, laneLess(), keyMoved());
    heapPush(of.byAge, i, laneOlder(), ageMoved());
    list(lane.queue, of);
    ++lanesWoken_;
}

void Order::wakeFor(LockId lock) {
    const auto* state = locks_.find(lock);
    if (!state || !state->isFree()) return;
    std::vector<std::uint32_t> first;
    if (state->claims.empty()) {
        for (const std::uint32_t lane : locks_.takeDue(lock)) {
            if (!lanes_.present(lane) || !lanes_[lane].blocked || lockWaitedFor(lane) != lock) continue;
            lanes_[lane].refusals = std::max<std::uint8_t>(lanes_[lane].refusals, kRefusedBefore - 1);
            wakeLane(lane);
        }
        if (state = locks_.find(lock); !state) return; // they were all
        for (const auto& [of, lanes] : state->waiting) first.push_back(lanes.front());
    } else { // the others would be refused
        const std::uint32_t claimant = state->claims.front();
        if (lanes_[claimant].blocked && lockWaitedFor(claimant) == lock) first.push_back(claimant);
    }
    for (const std::uint32_t lane : first) wakeLane(lane);
}

void Order::wakeAll(std::uint32_t queue) {
    std::vector<std::uint32_t> all;
    locks_.forEachBlocked([&](LockId, std::uint32_t lane) {
        if (lanes_[lane].queue == queue) all.push_back(lane);
    });
    for (const std::uint32_t lane : all) wakeLane(lane);
}

void Order::wakeBehind(std::uint32_t i) {
    const Lane& lane = lanes_[i];
    const std::uint32_t set = classes_.locksOf(lane.cls);
    if (set == LockTable::kNoLocks) return;
    const bool isAwake = !lane.blocked && lane.keyPos != kNone;
    for (const LockId lock : locks_.locksOf(set)) {
        if (!locks_.isOpen(lock)) continue;
        const auto* waiting = locks_.findWaiting(lock, lane.queue, classes_.shapeOf(lane.cls));
        if (!waiting || (isAwake && before(i, waiting->front()))) continue;
        wakeLane(waiting->front());
    }
}

bool Order::wakeOlder(QueueShape& of, std::uint32_t than) {
    // Down the heap, past those that are refused: what is below one that could start is younger than it.
    constexpr int kMostRefused = 64;
    int refused = 0;
    std::uint32_t found = kNone;
    std::vector<std::uint32_t> next;
    if (!of.blockedByAge.empty()) next.push_back(0);
    while (!next.empty() && refused < kMostRefused) {
        const std::uint32_t at = next.back();
        next.pop_back();
        const std::uint32_t lane = of.blockedByAge[at];
        const std::uint32_t limit = found == kNone ? than : found;
        if (limit != kNone && !records_.older(lanes_[lane].first, lanes_[limit].first)) continue;
        if (!locks_.refusal(classes_.locksOf(lanes_[lane].cls), lane)) {
            found = lane;
            continue;
        }
        ++refused;
        for (const std::uint32_t child : {2 * at + 1, 2 * at + 2})
            if (child < of.blockedByAge.size()) next.push_back(child);
    }
    if (found == kNone) return false;
    wakeLane(found);
    return true;
}

void Order::recheckLane(std::uint32_t lane) {
    if (lanes_[lane].blocked) wakeLane(lane);
}

void Order::giveLocks(std::uint32_t cls) {
    const std::uint32_t set = classes_.locksOf(cls);
    if (set == LockTable::kNoLocks) return;
    locks_.give(set);
    for (const LockId lock : locks_.locksOf(set)) wakeFor(lock);
}

void Order::setLockElsewhere(LockId lock, bool held) {
    locks_.setElsewhere(lock, held);
    if (!held) {
        // Those that claim it may have the turn of the oldest again.
        locks_.forEachBlocked([&](LockId, std::uint32_t i) {
            const Lane& lane = lanes_[i];
            const std::vector<LockId>& locks = locks_.locksOf(classes_.locksOf(lane.cls));
            if (lane.turn || lane.agePos != kNone || !std::ranges::binary_search(locks, lock)) return;
            QueueShape& of = queueShape(*queues_[lane.queue], classes_.shapeOf(lane.cls));
            heapPush(of.blockedByAge, i, laneOlder(), ageMoved());
        });
        return wakeFor(lock);
    }
    const auto* state = locks_.find(lock);
    if (!state) return;
    for (const std::uint32_t lane : std::vector(state->claims)) {
        endClaim(lane);
        recheckLane(lane);
    }
}

void Order::claim(std::uint32_t i) {
    Lane& lane = lanes_[i];
    const std::uint32_t set = classes_.locksOf(lane.cls);
    if (lane.claims || locks_.isElsewhere(set) || locks_.claimants().size() >= kMostClaims) return;
    lane.claims = true;
    locks_.claim(i, set);
}

void Order::endClaim(std::uint32_t i) {
    Lane& lane = lanes_[i];
    if (!lane.claims) return;
    lane.claims = false;
    const std::uint32_t set = classes_.locksOf(lane.cls);
    locks_.endClaim(i, set);
    for (const LockId lock : locks_.locksOf(set)) wakeFor(lock);
}

void Order::endClaimsOf(std::uint32_t queue) {
    for (const std::uint32_t lane : std::vector(locks_.claimants())) {
        if (lanes_[lane].queue != queue) continue;
        endClaim(lane);
        recheckLane(lane);
    }
}

// -- turns

std::uint32_t Order::oldestBlocked(Queue& queue, QueueShape& of, int& budget) {
    while (!of.blockedByAge.empty() && budget > 0) {
        const std::uint32_t lane = of.blockedByAge.front();
        const std::uint32_t record = lanes_[lane].first;
        const bool waiting = waits(record);
        const bool open = !queue.gates || queue.gates->isOpen(records_[record].label, false);
        const bool elsewhere = locks_.isElsewhere(classes_.locksOf(lanes_[lane].cls));
        if (waiting && open && !elsewhere) return record;
        --budget;
        if (waiting && elsewhere) { // has no turn before it was met again
            lanes_[lane].agePos = kNone;
            heapRemove(of.blockedByAge, 0, laneOlder(), ageMoved());
            continue;
        }
        popEntry(of, lane);
        if (!waiting) {
            dropped_(record);
            continue;
        }
        queue.gates->park(record);
        queue.gates->nextToOldest(records_[record].label);
    }
    return kNone;
}

/// The oldest that can start; is there an older one, that one is to be remembered.
Order::Pick Order::pickOldest(std::uint32_t queue, const Room& room, int& budget) {
    Queue& q = *queues_[queue];
    Pick picked{.queue = queue, .lane = kNone, .oldest = true, .keep = kNone};
    std::uint32_t oldest = kNone;
    const auto consider = [&](std::uint32_t record) {
        if (record != kNone && (oldest == kNone || records_.older(record, oldest))) oldest = record;
    };
    for (QueueShape& of : q.shapes) {
        std::uint32_t lane = topLane(q, of, true, budget);
        while (budget > 0 && wakeOlder(of, lane)) lane = topLane(q, of, true, budget);
        if (budget <= 0) return {};
        consider(oldestBlocked(q, of, budget));
        if (budget <= 0) return {};
        if (lane == kNone) continue;
        if (!mayFit(of.shape, room)) {
            // Of those that need the same resources one at a time has a turn kept: they start one by one anyway.
            if (!lanes_[lane].turn) consider(lanes_[lane].first);
        } else if (picked.lane == kNone || records_.older(lanes_[lane].first, lanes_[picked.lane].first)) {
            picked.lane = lane;
        }
    }
    if (picked && oldest != kNone && records_.older(oldest, lanes_[picked.lane].first)) picked.keep = oldest;
    return picked;
}

void Order::changeLane(std::uint32_t record, bool turn) {
    Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    const std::uint32_t to = lanes_.acquire(lane.queue, lane.cls, lane.priority, turn);
    lanes_.release(std::exchange(r.lane, to));
}

void Order::grantTurn(std::uint32_t record) {
    Record& r = records_[record];
    assert(waits(record) && !r.has(Record::kInLane | Record::kParked | Record::kTurn));
    Queue& q = *queues_[lanes_[r.lane].queue];
    r.set(Record::kTurn);
    ++q.turns;
    if (q.gates) q.gates->keep(r.label);
}

/// The first of its lane, which lacks something, goes before others from now on.
void Order::keepTurn(std::uint32_t record) {
    const Record& r = records_[record];
    const std::uint32_t cls = lanes_[r.lane].cls;
    Queue& q = *queues_[lanes_[r.lane].queue];
    QueueShape& of = queueShape(q, classes_.shapeOf(cls));
    assert(lanes_[r.lane].first == record);
    popEntry(of, r.lane);
    grantTurn(record);
    enter(record);
    const std::uint32_t set = classes_.locksOf(cls);
    if (set == LockTable::kNoLocks || lanes_[r.lane].blocked) return;
    // Its locks are kept from now on, not only once it is met.
    if (const auto lock = locks_.refusal(set, r.lane)) blockLane(q, of, r.lane, *lock);
}

void Order::giveUpTurn(std::uint32_t record) {
    Record& r = records_[record];
    if (!r.has(Record::kTurn)) return;
    const std::uint32_t queue = lanes_[r.lane].queue;
    Queue& q = *queues_[queue];
    r.unset(Record::kTurn);
    --q.turns;
    if (!q.gates) return;
    q.gates->endKeep(r.label);
    q.gates->offerAgain(r.label);
    gatesToOpen_.push_back(queue);
}

void Order::leave(std::uint32_t record) {
    const std::uint32_t lane = records_[record].lane;
    giveUpTurn(record);
    if (!lanes_[lane].claims || lanes_[lane].first != record) return;
    endClaim(lane);
    recheckLane(lane);
}

/// One of its queue and shape that claims the lock, too, comes before it and is awake.
bool Order::isGuarded(LockId lock, std::uint32_t i) const {
    for (const QueueShape& of : queues_[lanes_[i].queue]->shapes)
        for (std::uint32_t k = 0; k < of.byKey.size(); ++k) {
            const Lane& lane = lanes_[of.byKey[k]];
            const std::uint32_t set = classes_.locksOf(lane.cls);
            if (set == LockTable::kNoLocks || classes_.shapeOf(lane.cls) != classes_.shapeOf(lanes_[i].cls))
                continue;
            if (std::ranges::binary_search(locks_.locksOf(set), lock) && before(of.byKey[k], i)) return true;
        }
    return false;
}

void Order::checkLocks() const {
    std::map<std::uint32_t, std::uint32_t> listed;
    locks_.forEachBlocked([&]([[maybe_unused]] LockId lock, std::uint32_t i) {
        ++listed[i];
        assert(lanes_.present(i) && lanes_[i].blocked);
        [[maybe_unused]] const Lane& lane = lanes_[i];
        assert(std::ranges::binary_search(locks_.locksOf(classes_.locksOf(lane.cls)), lock));
        assert((!locks_.isOpen(lock) || isGuarded(lock, i)) && "a lane waits for something, or behind another one");
    });
    [[maybe_unused]] std::uint32_t counted = 0;
    [[maybe_unused]] std::uint32_t blocked = 0;
    for (std::uint32_t i = 0; i < queues_.size(); ++i)
        if (queues_[i])
            for (const QueueShape& of : queues_[i]->shapes) counted += of.blocked;
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i) || !lanes_[i].blocked) continue;
        ++blocked;
        assert(listed[i] == 1 && "a lane that waits is in one list");
    }
    assert(counted == blocked && listed.size() == blocked);
    [[maybe_unused]] std::uint32_t claims = 0;
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i))
        if (lanes_.present(i) && lanes_[i].claims) ++claims;
    assert(claims == locks_.claimants().size());
    assert(std::ranges::all_of(locks_.claimants(), [this](std::uint32_t i) {
        return lanes_.present(i) && lanes_[i].claims && lanes_[i].first != kNone;
    }));
}

} // namespace yard::session

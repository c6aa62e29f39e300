#include "core/session/order.h"

#include "core/session/heap.h"

#include <cassert>

namespace yard::session {

void Order::defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks,
                        std::optional<GateId> gate, const RetryLimits& limits, const Where& where) {
    const std::vector<std::uint32_t> waiting = takeOutOf(id);
    classes_.define(id, resources, locks_.setFor(std::move(locks)), gate, limits, where);
    listings_.growTo(classes_.shapes());
    reservation_.growTo(classes_.shapes());
    for (const std::uint32_t lane : waiting) {
        const std::uint32_t queue = lanes_[lane].queue;
        QueueShape& of = queueShape(*queues_[queue], classes_.shapeOf(id.value));
        heapPush(of.byKey, lane, laneLess(), keyMoved());
        heapPush(of.byAge, lane, laneOlder(), ageMoved());
        list(queue, of);
    }
}

/// The heaps are those of the shape that its class has.
std::vector<std::uint32_t> Order::takeOutOf(ClassId id) {
    std::vector<std::uint32_t> waiting;
    if (!classes_.isDefined(id)) return waiting;
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i) || lanes_[i].cls != id.value || lanes_[i].first == kNone) continue;
        endClaim(i);
        recheckLane(i);
        leaveHeaps(queueShape(*queues_[lanes_[i].queue], classes_.shapeOf(id.value)), i);
        waiting.push_back(i);
    }
    return waiting;
}

bool Order::hasListed() const {
    for (std::uint32_t s = 0; s < listings_.shapes(); ++s)
        if (classes_.takesShape(s) && !listings_.isEmpty(s)) return true;
    return false;
}

// -- queues

std::uint32_t Order::addQueue(QueueId id) {
    std::uint32_t at = queues_.size();
    if (freeQueues_.empty()) {
        queues_.push(std::make_unique<Queue>());
    } else {
        at = freeQueues_.back();
        freeQueues_.pop_back();
        queues_[at] = std::make_unique<Queue>();
    }
    queues_[at]->id = id;
    queues_[at]->virtualTime = now_;
    return at;
}

void Order::removeIfUnused(std::uint32_t queue) {
    const Queue& q = *queues_[queue];
    if (!q.gone || q.records > 0 || q.listings > 0 || q.jobs > 0) return;
    queues_[queue].reset();
    freeQueues_.push_back(queue);
}

QueueShape& Order::queueShape(Queue& queue, std::uint32_t shape) {
    for (QueueShape& of : queue.shapes)
        if (of.shape == shape) return of;
    QueueShape& made = queue.shapes.emplace_back();
    made.shape = shape;
    return made;
}

void Order::list(std::uint32_t i, QueueShape& of) {
    Queue& q = *queues_[i];
    if (of.listed || of.byKey.empty() || !q.eligible()) return;
    // A queue that was idle re-enters at the present: it neither saved up time nor lost its turn.
    if (q.listings == 0 && q.virtualTime < now_) q.virtualTime = now_;
    of.listed = true;
    ++q.listings;
    listings_.push(of.shape, {q.virtualTime, i});
}

void Order::forgetListings() {
    listings_.clear();
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
        if (!queues_[i]) continue;
        queues_[i]->listings = 0;
        for (QueueShape& of : queues_[i]->shapes) of.listed = false;
    }
}

void Order::wake(std::uint32_t i) {
    for (QueueShape& of : queues_[i]->shapes) list(i, of);
}

// -- lanes

void Order::enter(std::uint32_t record) {
    Record& r = records_[record];
    assert(waits(record) && !r.has(Record::kInLane | Record::kParked) && r.timer == kNone && r.unmet == 0);
    if (lanes_[r.lane].turn != r.has(Record::kTurn)) changeLane(record, r.has(Record::kTurn));
    r.set(Record::kInLane);
    const std::uint32_t lane = r.lane;
    if (!lanes_.push(lane, record)) return;
    const std::uint32_t queue = lanes_[lane].queue;
    QueueShape& of = queueShape(*queues_[queue], classes_.shapeOf(lanes_[lane].cls));
    if (lanes_[lane].blocked) {
        if (lanes_[lane].agePos != kNone) siftUp(of.blockedByAge, lanes_[lane].agePos, laneOlder(), ageMoved());
        const LockId lock = *lockWaitedFor(lane);
        siftUp(locks_.waitingFor(lock, queue, of.shape), lanes_[lane].keyPos, laneLess(), keyMoved());
        if (locks_.isOpen(lock)) wakeLane(lane); // it may come before the one that it waited behind
    } else if (lanes_[lane].keyPos == kNone) {
        heapPush(of.byKey, lane, laneLess(), keyMoved());
        heapPush(of.byAge, lane, laneOlder(), ageMoved());
        list(queue, of);
    } else {
        siftUp(of.byKey, lanes_[lane].keyPos, laneLess(), keyMoved());
        siftUp(of.byAge, lanes_[lane].agePos, laneOlder(), ageMoved());
    }
}

/// Takes the first entry of the lane out and puts the lane where it belongs now, or out of the heaps.
void Order::popEntry(QueueShape& of, std::uint32_t i) {
    Lane& lane = lanes_[i];
    records_[lane.first].unset(Record::kInLane);
    lanes_.pop(i);
    if (lane.first != kNone) {
        if (lane.blocked) {
            if (lane.agePos != kNone) siftDown(of.blockedByAge, lane.agePos, laneOlder(), ageMoved());
            siftDown(locks_.waitingFor(*lockWaitedFor(i), lane.queue, of.shape), lane.keyPos, laneLess(),
                     keyMoved());
            return;
        }
        siftDown(of.byKey, lane.keyPos, laneLess(), keyMoved());
        // Within a lane age follows order, so this cannot move up either.
        siftDown(of.byAge, lane.agePos, laneOlder(), ageMoved());
        wakeBehind(i);
        return;
    }
    if (lane.blocked) {
        leaveLock(i);
    } else {
        leaveHeaps(of, i);
        wakeBehind(i);
    }
    endClaim(i);
}

void Order::leaveHeaps(QueueShape& of, std::uint32_t i) {
    // The heaps compare first entries: the lane leaves before anything looks at its missing one.
    Lane& lane = lanes_[i];
    const std::uint32_t keyPos = lane.keyPos;
    const std::uint32_t agePos = lane.agePos;
    lane.keyPos = lane.agePos = kNone;
    heapRemove(of.byKey, keyPos, laneLess(), keyMoved());
    heapRemove(of.byAge, agePos, laneOlder(), ageMoved());
}

// -- the tops of the heaps

std::uint32_t Order::topLane(Queue& queue, QueueShape& of, bool byAge, int& budget) {
    GrowArray<std::uint32_t>& heap = byAge ? of.byAge : of.byKey;
    while (!heap.empty()) {
        const std::uint32_t lane = heap.front();
        const std::uint32_t record = lanes_[lane].first;
        const bool waiting = waits(record);
        const bool turn = records_[record].has(Record::kTurn);
        const bool open = !queue.gates || queue.gates->isOpen(records_[record].label, turn);
        const std::uint32_t set = classes_.locksOf(lanes_[lane].cls);
        const auto lock = waiting && open && set != LockTable::kNoLocks ? locks_.refusal(set, lane) : std::nullopt;
        const bool strays = waiting && lanes_[lane].turn != turn; // it was held, or the like, and has no turn now
        if (waiting && open && !lock && !strays) return lane;
        if (budget <= 0) return kNone;
        --budget;
        // What another engine holds may take forever: neither a lock nor a place of a label is kept meanwhile.
        const bool turnEnds = lock && turn && locks_.isElsewhere(set);
        if (lock && !strays && !turnEnds) {
            blockLane(queue, of, lane, *lock);
            continue;
        }
        popEntry(of, lane);
        if (!waiting) {
            dropped_(record);
            continue;
        }
        giveUpTurn(record);
        if (strays || turnEnds) {
            enter(record);
            continue;
        }
        queue.gates->park(record);
        if (isTurnOf(queue)) queue.gates->nextToOldest(records_[record].label);
    }
    return kNone;
}

std::uint32_t Order::topQueue(std::uint32_t shape, int& budget) {
    while (!listings_.isEmpty(shape) && budget > 0) {
        const Listings::Entry top = listings_.of(shape).front();
        Queue& q = *queues_[top.queue];
        if (q.virtualTime != top.virtualTime) {
            listings_.moveFront(shape, q.virtualTime);
            continue;
        }
        QueueShape& of = queueShape(q, shape);
        if (q.eligible() && topLane(q, of, false, budget) != kNone) return top.queue;
        if (budget <= 0) return kNone;
        // What a lane let go of may have made another queue come first.
        if (listings_.of(shape).front().queue != top.queue) continue;
        of.listed = false;
        --q.listings;
        listings_.popFront(shape);
        removeIfUnused(top.queue);
    }
    return kNone;
}

// -- deciding

bool Order::mayFit(std::uint32_t i, const Room& room) const {
    const WorkClasses::Shape& shape = classes_.shape(i);
    if (shape.gate != kNone && !(room.mustFit && classes_.hasPlace(shape.gate))) return false;
    if (!classes_.takesShape(i)) return true;
    if (shape.gate != kNone) return capacity_.fits(classes_.demandOfShape(i)) && reservation_.allows(i);
    if (room.onlyGated) return false;
    if (!room.mustFit) return capacity_.everFits(classes_.demandOfShape(i));
    if (shape.oneCore ? room.slotsFull : room.sharedFull) return false;
    return capacity_.fits(classes_.demandOfShape(i)) && reservation_.allows(i);
}

unsigned Order::likes(std::uint32_t shape, unsigned most) const {
    const GrowArray<Listings::Entry>& listed = listings_.of(shape);
    std::int64_t all = 0;
    for (std::uint32_t k = 0; k < listed.size() && k < most && all < most; ++k) {
        const Queue& q = *queues_[listed[k].queue];
        std::int64_t found = 0; // a lane counts those that run, too
        for (const QueueShape& of : q.shapes)
            for (std::uint32_t i = 0; of.shape == shape && i < of.byKey.size() && all + found < most; ++i)
                found += lanes_[of.byKey[i]].refs;
        all += std::min(found, q.waiting);
    }
    return static_cast<unsigned>(std::clamp<std::int64_t>(all, 1, std::max(most, 1u)));
}

Lsn Order::keptFor() const {
    if (!reservation_.isActive()) return {};
    const GrowArray<Listings::Entry>& listed = listings_.of(reservation_.shape());
    for (std::uint32_t k = 0; k < listed.size(); ++k)
        for (const QueueShape& of : queues_[listed[k].queue]->shapes)
            if (of.shape == reservation_.shape() && !of.byKey.empty() && waits(lanes_[of.byKey.front()].first))
                return records_.lsnOf(records_[lanes_[of.byKey.front()].first]);
    return {};
}

void Order::endVainReservation(int& budget) {
    if (reservation_.isActive() && topQueue(reservation_.shape(), budget) == kNone && budget > 0)
        reservation_.end();
}

bool Order::lacksCores(int& budget) {
    for (std::uint32_t s = 0; s < listings_.shapes(); ++s) {
        const Demand need = classes_.demandOfShape(s);
        if (classes_.shape(s).gate != kNone || listings_.isEmpty(s) || capacity_.fits(need)) continue;
        // What is listed may have started since, or be gone.
        if (capacity_.lacksCoresHere(need) && (topQueue(s, budget) != kNone || budget <= 0)) return true;
    }
    return false;
}

Order::Pick Order::pick(const Room& room, int& budget) {
    endVainReservation(budget);
    std::uint32_t best = kNone;
    for (std::uint32_t s = 0; s < listings_.shapes(); ++s) {
        if (listings_.isEmpty(s) || !mayFit(s, room)) continue;
        const std::uint32_t q = topQueue(s, budget);
        if (budget <= 0) return {};
        if (q == kNone || q == best) continue;
        if (best == kNone || queues_[q]->virtualTime < queues_[best]->virtualTime ||
            (queues_[q]->virtualTime == queues_[best]->virtualTime && q < best))
            best = q;
    }
    if (best == kNone) return {};

    // A turn that is kept comes first, and does not use up that of the next one.
    const bool isTurn = isTurnOf(*queues_[best]);
    if (isTurn && queues_[best]->turns == 0) return pickOldest(best, room, budget);
    const Pick first = pickByKey(best, room, budget);
    return !isTurn || first.oldest || budget <= 0 ? first : pickOldest(best, room, budget);
}

Order::Pick Order::pickByKey(std::uint32_t queue, const Room& room, int& budget) {
    Queue& q = *queues_[queue];
    Pick picked{.queue = queue};
    for (QueueShape& of : q.shapes) {
        if (of.byKey.empty() || !mayFit(of.shape, room)) continue;
        const std::uint32_t lane = topLane(q, of, false, budget);
        if (budget <= 0) return {};
        if (lane == kNone) continue;
        // What waits for more than a slot does not keep short ones from waiting at the runner.
        if (!room.mustFit && lanes_[lane].turn && !classes_.shape(of.shape).oneCore) continue;
        if (picked.lane == kNone || before(lane, picked.lane)) picked.lane = lane;
    }
    picked.oldest = picked && lanes_[picked.lane].turn;
    return picked;
}

std::uint32_t Order::start(const Pick& picked) {
    Queue& q = *queues_[picked.queue];
    const std::uint32_t record = lanes_[picked.lane].first;
    const std::uint32_t cls = lanes_[picked.lane].cls;
    const bool kept = records_[record].has(Record::kTurn);
    if (const std::uint32_t set = classes_.locksOf(cls); set != LockTable::kNoLocks) {
        locks_.take(set, records_.lsnOf(records_[record]));
        lanes_[picked.lane].refusals = 0;
        endClaim(picked.lane);
    }
    popEntry(queueShape(q, classes_.shapeOf(cls)), picked.lane);
    if (kept) {
        records_[record].unset(Record::kTurn);
        --q.turns;
        if (q.gates) q.gates->endKeep(records_[record].label);
        changeLane(record, false);
    }
    reservation_.started(classes_.shapeOf(cls));
    if (q.virtualTime > now_) now_ = q.virtualTime;
    const double cost = classes_.shareOf(cls) / q.config.weight;
    const double credit = q.credit < cost ? q.credit : cost;
    q.credit -= credit;
    q.virtualTime += cost - credit;
    if (!kept || !isTurnOf(q)) ++q.starts;
    if (picked.keep != kNone) keepTurn(picked.keep);
    return record;
}

void Order::refund(std::uint32_t queue, std::uint32_t cls) {
    Queue& q = *queues_[queue];
    // Virtual time must not run backwards under the entries of heaps; the next start is cheaper instead.
    q.credit += classes_.shareOf(cls) / q.config.weight;
}

void Order::popFirst(std::uint32_t lane) {
    popEntry(queueShape(*queues_[lanes_[lane].queue], classes_.shapeOf(lanes_[lane].cls)), lane);
}

std::uint32_t Order::takeAny(std::uint32_t queue) {
    for (QueueShape& of : queues_[queue]->shapes) {
        if (of.blocked > 0) wakeAll(queue);
        if (of.byKey.empty()) continue;
        const std::uint32_t lane = of.byKey.front();
        const std::uint32_t record = lanes_[lane].first;
        popEntry(of, lane);
        return record;
    }
    return kNone;
}

// -- looking

std::size_t Order::memoryBytes() const {
    std::size_t bytes =
        locks_.memoryBytes() + queues_.memoryBytes() + listings_.memoryBytes() + reservation_.memoryBytes();
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
        if (!queues_[i]) continue;
        if (queues_[i]->gates) bytes += queues_[i]->gates->memoryBytes();
        bytes += sizeof(Queue) + queues_[i]->shapes.capacity() * sizeof(QueueShape);
        for (const QueueShape& of : queues_[i]->shapes)
            bytes += of.byKey.memoryBytes() + of.byAge.memoryBytes() + of.blockedByAge.memoryBytes();
    }
    return bytes;
}

void Order::check() const {
    reservation_.check();
    std::vector<std::uint32_t> listings(queues_.size());
    for (std::uint32_t s = 0; s < listings_.shapes(); ++s) {
        const GrowArray<Listings::Entry>& heap = listings_.of(s);
        for (std::uint32_t k = 0; k < heap.size(); ++k) {
            [[maybe_unused]] const Queue& q = *queues_[heap[k].queue];
            ++listings[heap[k].queue];
            assert(heap[k].virtualTime <= q.virtualTime && "an entry is never too late");
            assert(k == 0 || heap[(k - 1) / 2].virtualTime <= heap[k].virtualTime);
        }
    }
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
        if (!queues_[i]) continue;
        const Queue& q = *queues_[i];
        assert(listings[i] == q.listings);
        for (const QueueShape& of : q.shapes) {
            assert(of.byKey.size() == of.byAge.size());
            assert((of.listed || of.byKey.empty() || !q.eligible()) && "a queue that could start is listed");
            for (std::uint32_t k = 0; k < of.byKey.size(); ++k) {
                [[maybe_unused]] const Lane& lane = lanes_[of.byKey[k]];
                assert(lane.queue == i && lane.keyPos == k && classes_.shapeOf(lane.cls) == of.shape);
                assert(lanes_[of.byAge[k]].agePos == k);
                assert(k == 0 || !before(of.byKey[k], of.byKey[(k - 1) / 2]));
                assert(k == 0 || !records_.older(lanes_[of.byAge[k]].first, lanes_[of.byAge[(k - 1) / 2]].first));
            }
            for (std::uint32_t k = 0; k < of.blockedByAge.size(); ++k) {
                [[maybe_unused]] const Lane& lane = lanes_[of.blockedByAge[k]];
                assert(lane.queue == i && lane.blocked && !lane.turn && lane.agePos == k);
                assert(k == 0 || !records_.older(lane.first, lanes_[of.blockedByAge[(k - 1) / 2]].first));
            }
        }
    }
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i)) continue;
        lanes_.check(i);
        assert((lanes_[i].first == kNone) == (lanes_[i].keyPos == kNone));
        assert(!lanes_[i].blocked || lanes_[i].first != kNone);
    }
    checkLocks();
}

} // namespace yard::session

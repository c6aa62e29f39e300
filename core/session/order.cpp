#include "core/session/order.h"

#include "core/session/heap.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace yard::session {

namespace {

/// Up to the next of 1, 1.5, 2, 3, 4, 6, 8, … so that a bucket wastes at most half.
std::int64_t roundUp(std::int64_t n) {
    if (n <= 2) return n;
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
    if (n == power) return n;
    return n <= power + power / 2 ? power + power / 2 : 2 * power;
}

auto laneLess(const Records& records, const Lanes& lanes) {
    return [&records, &lanes](std::uint32_t a, std::uint32_t b) {
        return records.less(lanes[a].first, lanes[b].first);
    };
}
auto laneOlder(const Records& records, const Lanes& lanes) {
    return [&records, &lanes](std::uint32_t a, std::uint32_t b) {
        return records.older(lanes[a].first, lanes[b].first);
    };
}
auto keyMoved(Lanes& lanes) {
    return [&lanes](std::uint32_t lane, std::uint32_t at) { lanes[lane].keyPos = at; };
}
auto ageMoved(Lanes& lanes) {
    return [&lanes](std::uint32_t lane, std::uint32_t at) { lanes[lane].agePos = at; };
}

bool isExactlyOneCore(const Resources& resources) {
    // Memory and named amounts held by a lease that only waits would be overbooked: such classes get none ahead.
    return resources.milliCores == 1000 && resources.memoryMb == 0 && resources.named.empty();
}

/// Whole cores stay whole: a bucket of 1.024 cores would leave a core unused beside it.
std::int64_t roundUpCores(std::int64_t milli) {
    return milli > 1000 ? 1000 * roundUp((milli + 999) / 1000) : std::min<std::int64_t>(roundUp(milli), 1000);
}

} // namespace

// -- classes and shapes

std::uint32_t Order::vectorFor(const Resources& resources) {
    const auto [it, made] = vectorIndex_.try_emplace(resources, static_cast<std::uint32_t>(vectors_.size()));
    if (made) {
        vectors_.push_back({&it->first, capacity_.dominantShare(resources), isExactlyOneCore(resources)});
    }
    return it->second;
}

std::uint32_t Order::shapeFor(const Resources& resources, bool oneCore, std::uint32_t gate) {
    if (const auto it = shapeIndex_.find({resources, oneCore, gate}); it != shapeIndex_.end()) return it->second;
    Resources bucket = resources;
    // What is most frequent is never rounded.
    if (shapes_.size() >= kExactShapes && !oneCore && gate == kNone) {
        bucket.milliCores = roundUpCores(bucket.milliCores);
        bucket.memoryMb = roundUp(bucket.memoryMb);
        for (auto& [name, amount] : bucket.named) amount = roundUp(amount);
        // A bucket larger than the machine would never start what the machine can hold.
        if (!capacity_.everFits(bucket)) bucket = resources;
    }
    const auto [it, made] =
        shapeIndex_.try_emplace({bucket, oneCore, gate}, static_cast<std::uint32_t>(shapes_.size()));
    if (made) {
        shapes_.push_back(std::make_unique<Shape>());
        shapes_.back()->resources = bucket;
        shapes_.back()->oneCore = oneCore;
        shapes_.back()->gate = gate;
    }
    return it->second;
}

void Order::defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks,
                        std::optional<GateId> gate) {
    while (classes_.size() <= id.value) classes_.push({});
    const std::uint32_t place = gate ? gate->value : kNone;
    if (gate && gates_.size() <= place) gates_.resize(place + 1);
    // What claims a lock waits in no slot behind something else: it would hold the lock while it does.
    const bool oneCore = isExactlyOneCore(resources) && locks.empty();
    classes_[id.value] = {.shape = shapeFor(resources, oneCore, place),
                          .vector = vectorFor(resources),
                          .locks = locks_.setFor(std::move(locks))};
}

void Order::setGate(GateId gate, int most) {
    if (gates_.size() <= gate.value) gates_.resize(gate.value + 1);
    gates_[gate.value].most = most;
}

bool Order::countGate(std::uint32_t cls, int by) {
    if (!isGated(cls)) return false;
    gates_[shapes_[classes_[cls].shape]->gate].out += by;
    return true;
}

bool Order::hasListed() const {
    return std::ranges::any_of(shapes_,
                               [](const auto& shape) { return shape->gate == kNone && !shape->queues.empty(); });
}

bool Order::isCrowded() const {
    return std::ranges::any_of(shapes_, [this](const auto& shape) {
        return shape->gate == kNone && !shape->queues.empty() &&
               (!capacity_.fits(shape->resources) || !leavesReserved(shape->resources));
    });
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
    heapPush(shapes_[of.shape]->queues, Listing{q.virtualTime, i}, Sooner{});
}

void Order::wake(std::uint32_t i) {
    for (QueueShape& of : queues_[i]->shapes) list(i, of);
}

// -- lanes

void Order::enter(std::uint32_t record) {
    Record& r = records_[record];
    assert(waits(record) && !r.has(Record::kInLane | Record::kParked) && r.timer == kNone && r.unmet == 0);
    r.set(Record::kInLane);
    const std::uint32_t lane = r.lane;
    if (!lanes_.push(lane, record) || lanes_[lane].blocked) return;
    const std::uint32_t queue = lanes_[lane].queue;
    QueueShape& of = queueShape(*queues_[queue], classes_[lanes_[lane].cls].shape);
    if (lanes_[lane].keyPos == kNone) {
        heapPush(of.byKey, lane, laneLess(records_, lanes_), keyMoved(lanes_));
        heapPush(of.byAge, lane, laneOlder(records_, lanes_), ageMoved(lanes_));
        list(queue, of);
    } else {
        siftUp(of.byKey, lanes_[lane].keyPos, laneLess(records_, lanes_), keyMoved(lanes_));
        siftUp(of.byAge, lanes_[lane].agePos, laneOlder(records_, lanes_), ageMoved(lanes_));
    }
}

/// Takes the first entry of the lane out and puts the lane where it belongs now, or out of the heaps.
void Order::popEntry(QueueShape& of, std::uint32_t i) {
    Lane& lane = lanes_[i];
    records_[lane.first].unset(Record::kInLane);
    lanes_.pop(i);
    if (lane.first != kNone) {
        if (lane.blocked) return;
        siftDown(of.byKey, lane.keyPos, laneLess(records_, lanes_), keyMoved(lanes_));
        // Within a lane age follows order, so this cannot move up either.
        siftDown(of.byAge, lane.agePos, laneOlder(records_, lanes_), ageMoved(lanes_));
        return;
    }
    if (lane.blocked) {
        lane.blocked = false;
        --of.blocked;
        locks_.unblock(classes_[lane.cls].locks, i);
    } else {
        leaveHeaps(of, i);
    }
    if (locks_.reservedLane() == i) endLockReservation();
}

void Order::leaveHeaps(QueueShape& of, std::uint32_t i) {
    // The heaps compare first entries: the lane leaves before anything looks at its missing one.
    Lane& lane = lanes_[i];
    const std::uint32_t keyPos = lane.keyPos;
    const std::uint32_t agePos = lane.agePos;
    lane.keyPos = lane.agePos = kNone;
    heapRemove(of.byKey, keyPos, laneLess(records_, lanes_), keyMoved(lanes_));
    heapRemove(of.byAge, agePos, laneOlder(records_, lanes_), ageMoved(lanes_));
}

// -- locks

void Order::blockLane(Queue& queue, QueueShape& of, std::uint32_t i, LockId lock) {
    leaveHeaps(of, i);
    Lane& lane = lanes_[i];
    lane.blocked = true;
    ++of.blocked;
    locks_.block(lock, i);
    if (lane.refusals < kRefusedBefore) ++lane.refusals;
    const std::uint32_t set = classes_[lane.cls].locks;
    if (lane.refusals == kRefusedBefore && !locks_.reservedLane() && locks_.locksOf(set).size() > 1 &&
        !locks_.isElsewhere(set))
        locks_.reserve(i, set);
    if (!queue.gates) return;
    // It had been let through its gate to start now: another one of its label may instead.
    queue.gates->offerAgain(records_[lane.first].label);
    gatesToOpen_.push_back(lane.queue);
}

void Order::unblockLane(std::uint32_t i) {
    Lane& lane = lanes_[i];
    assert(lane.blocked && lane.first != kNone);
    lane.blocked = false;
    QueueShape& of = queueShape(*queues_[lane.queue], classes_[lane.cls].shape);
    --of.blocked;
    heapPush(of.byKey, i, laneLess(records_, lanes_), keyMoved(lanes_));
    heapPush(of.byAge, i, laneOlder(records_, lanes_), ageMoved(lanes_));
    list(lane.queue, of);
}

void Order::unblockLanes(const std::vector<std::uint32_t>& lanes) {
    for (const std::uint32_t lane : lanes) unblockLane(lane);
}

void Order::giveLocks(std::uint32_t cls) {
    const std::uint32_t set = classes_[cls].locks;
    if (set == LockBook::kNoLocks) return;
    locks_.give(set);
    for (const LockId lock : locks_.locksOf(set)) unblockLanes(locks_.wakeFor(lock));
}

void Order::setLockElsewhere(LockId lock, bool held) {
    locks_.setElsewhere(lock, held);
    if (!held) unblockLanes(locks_.wakeFor(lock));
}

/// What the locks are kept for could start, were they free.
bool Order::reservationHolds() const {
    const Lane& lane = lanes_[*locks_.reservedLane()];
    return waits(lane.first) && queues_[lane.queue]->eligible() && !locks_.isElsewhere(classes_[lane.cls].locks);
}

void Order::endLockReservation() {
    for (const LockId lock : locks_.endReservation()) unblockLanes(locks_.wakeFor(lock));
}

std::uint32_t Order::topLane(Queue& queue, QueueShape& of, bool byAge, int& budget) {
    GrowArray<std::uint32_t>& heap = byAge ? of.byAge : of.byKey;
    while (!heap.empty()) {
        const std::uint32_t lane = heap.front();
        const std::uint32_t record = lanes_[lane].first;
        const bool waiting = waits(record);
        const bool open = !queue.gates || queue.gates->isOpen(records_[record].label);
        const std::uint32_t set = classes_[lanes_[lane].cls].locks;
        const auto lock = waiting && open && set != LockBook::kNoLocks ? locks_.refusal(set, lane) : std::nullopt;
        if (waiting && open && !lock) return lane;
        if (budget <= 0) return kNone;
        --budget;
        if (lock) {
            blockLane(queue, of, lane, *lock);
            continue;
        }
        popEntry(of, lane);
        if (waiting)
            queue.gates->park(record);
        else
            dropped_(record);
    }
    return kNone;
}

std::uint32_t Order::topQueue(std::uint32_t shape, int& budget) {
    GrowArray<Listing>& heap = shapes_[shape]->queues;
    while (!heap.empty() && budget > 0) {
        const Listing top = heap.front();
        Queue& q = *queues_[top.queue];
        if (q.virtualTime != top.virtualTime) {
            heap.front().virtualTime = q.virtualTime;
            siftDown(heap, 0, Sooner{});
            continue;
        }
        QueueShape& of = queueShape(q, shape);
        if (q.eligible() && topLane(q, of, false, budget) != kNone) return top.queue;
        if (budget <= 0) return kNone;
        of.listed = false;
        --q.listings;
        heapRemove(heap, 0, Sooner{});
        removeIfUnused(top.queue);
    }
    return kNone;
}

// -- deciding

bool Order::mayFit(std::uint32_t i, bool now) const {
    const Shape& shape = *shapes_[i];
    if (shape.gate != kNone) return now && gates_[shape.gate].out < gates_[shape.gate].most;
    if (onlyGated_) return false;
    if (!now) return capacity_.everFits(shape.resources);
    if (!shape.oneCore && sharedFull_) return false;
    if (!capacity_.fits(shape.resources)) return false;
    return reserved_ == kNone || reserved_ == i || capacity_.leaves(shape.resources, shapes_[reserved_]->resources);
}

bool Order::isReservedAway(std::uint32_t cls) const {
    const std::uint32_t shape = classes_[cls].shape;
    return reserved_ != kNone && reserved_ != shape &&
           !capacity_.leaves(shapes_[shape]->resources, shapes_[reserved_]->resources);
}

void Order::endReservation() {
    if (reserved_ == kNone) return;
    shapes_[reserved_]->passedOver = 0;
    shapes_[reserved_]->passedSince = {};
    reserved_ = kNone;
}

/// Something started: what waits and does not fit was passed over.
void Order::countPassedOver(std::uint32_t started) {
    if (shapes_[started]->gate != kNone) return; // it took nothing that others wait for
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        Shape& shape = *shapes_[s];
        if (shape.gate != kNone) continue;
        if (s == started || shape.queues.empty() || capacity_.fits(shape.resources)) {
            shape.passedOver = 0;
            shape.passedSince = {};
            if (s == reserved_ && s == started) reserved_ = kNone;
            continue;
        }
        if (shape.passedOver++ == 0) shape.passedSince = present_;
        const bool overdue = shape.passedOver >= kPassedOver || present_ - shape.passedSince >= kPassedOverFor;
        if (reserved_ == kNone && overdue && capacity_.everFits(shape.resources)) reserved_ = s;
    }
}

Order::Pick Order::pick(bool mustFit, int& budget) {
    // What it was made for may have been held or cancelled.
    if (reserved_ != kNone && topQueue(reserved_, budget) == kNone && budget > 0) endReservation();
    if (locks_.reservedLane() && !reservationHolds()) endLockReservation();
    std::uint32_t best = kNone;
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        if (shapes_[s]->queues.empty() || !mayFit(s, mustFit)) continue;
        const std::uint32_t q = topQueue(s, budget);
        if (budget <= 0) return {};
        if (q == kNone || q == best) continue;
        if (best == kNone || queues_[q]->virtualTime < queues_[best]->virtualTime ||
            (queues_[q]->virtualTime == queues_[best]->virtualTime && q < best))
            best = q;
    }
    if (best == kNone) return {};

    Queue& q = *queues_[best];
    Pick picked{.queue = best, .lane = kNone, .oldest = q.starts % kOldestEvery == kOldestEvery - 1};
    for (QueueShape& of : q.shapes) {
        if (of.byKey.empty() || !mayFit(of.shape, mustFit)) continue;
        const std::uint32_t lane = topLane(q, of, picked.oldest, budget);
        if (budget <= 0) return {};
        if (lane == kNone) continue;
        const std::uint32_t first = lanes_[lane].first;
        if (picked.lane == kNone || (picked.oldest ? records_.older(first, lanes_[picked.lane].first)
                                                   : records_.less(first, lanes_[picked.lane].first)))
            picked.lane = lane;
    }
    return picked;
}

std::uint32_t Order::start(const Pick& picked) {
    Queue& q = *queues_[picked.queue];
    const std::uint32_t record = lanes_[picked.lane].first;
    const std::uint32_t cls = lanes_[picked.lane].cls;
    if (const std::uint32_t set = classes_[cls].locks; set != LockBook::kNoLocks) {
        locks_.take(set, records_.lsnOf(records_[record]));
        lanes_[picked.lane].refusals = 0;
        if (locks_.reservedLane() == picked.lane) (void)locks_.endReservation();
    }
    popEntry(queueShape(q, classes_[cls].shape), picked.lane);
    countPassedOver(classes_[cls].shape);
    if (q.virtualTime > now_) now_ = q.virtualTime;
    const double cost = shareOf(cls) / q.config.weight;
    const double credit = q.credit < cost ? q.credit : cost;
    q.credit -= credit;
    q.virtualTime += cost - credit;
    ++q.starts;
    return record;
}

void Order::refund(std::uint32_t queue, std::uint32_t cls, bool wasOldest) {
    Queue& q = *queues_[queue];
    // Virtual time must not run backwards under the entries of heaps; the next start is cheaper instead.
    q.credit += shareOf(cls) / q.config.weight;
    if (wasOldest) q.starts |= kOldestEvery - 1;
}

void Order::popFirst(std::uint32_t lane) {
    popEntry(queueShape(*queues_[lanes_[lane].queue], classes_[lanes_[lane].cls].shape), lane);
}

std::uint32_t Order::takeAny(std::uint32_t queue) {
    for (QueueShape& of : queues_[queue]->shapes) {
        if (of.blocked > 0)
            unblockLanes(locks_.wakeIf([this, queue](std::uint32_t lane) { return lanes_[lane].queue == queue; }));
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
    std::size_t bytes = locks_.memoryBytes() + classes_.memoryBytes() + queues_.memoryBytes() +
                        vectors_.size() * (sizeof(Vector) + 160);
    for (const auto& shape : shapes_) bytes += sizeof(Shape) + shape->queues.memoryBytes();
    for (std::uint32_t i = 0; i < queues_.size(); ++i) {
        if (!queues_[i]) continue;
        if (queues_[i]->gates) bytes += queues_[i]->gates->memoryBytes();
        bytes += sizeof(Queue) + queues_[i]->shapes.capacity() * sizeof(QueueShape);
        for (const QueueShape& of : queues_[i]->shapes) bytes += of.byKey.memoryBytes() + of.byAge.memoryBytes();
    }
    return bytes;
}

void Order::check() const {
    std::vector<std::uint32_t> listings(queues_.size());
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        const GrowArray<Listing>& heap = shapes_[s]->queues;
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
                assert(lane.queue == i && lane.keyPos == k && classes_[lane.cls].shape == of.shape);
                assert(lanes_[of.byAge[k]].agePos == k);
                assert(k == 0 || !records_.less(lane.first, lanes_[of.byKey[(k - 1) / 2]].first));
                assert(k == 0 || !records_.older(lanes_[of.byAge[k]].first, lanes_[of.byAge[(k - 1) / 2]].first));
            }
        }
    }
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i)) continue;
        lanes_.check(i);
        assert((lanes_[i].first == kNone || lanes_[i].blocked) == (lanes_[i].keyPos == kNone));
        assert(!lanes_[i].blocked || lanes_[i].first != kNone);
    }
    checkLocks();
}

void Order::checkLocks() const {
    std::map<std::uint32_t, std::uint32_t> listed;
    locks_.forEachBlocked([&]([[maybe_unused]] LockId lock, std::uint32_t lane) {
        ++listed[lane];
        assert(lanes_.present(lane) && lanes_[lane].blocked);
        assert(std::ranges::binary_search(locks_.locksOf(classes_[lanes_[lane].cls].locks), lock));
        assert(locks_.refusal(classes_[lanes_[lane].cls].locks, lane) && "a lane waits for something");
    });
    std::uint32_t counted = 0, blocked = 0;
    for (std::uint32_t i = 0; i < queues_.size(); ++i)
        if (queues_[i])
            for (const QueueShape& of : queues_[i]->shapes) counted += of.blocked;
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i)) {
        if (!lanes_.present(i) || !lanes_[i].blocked) continue;
        ++blocked;
        assert(listed[i] == 1 && "a lane that waits is in one list");
    }
    assert(counted == blocked && listed.size() == blocked);
    assert(!locks_.reservedLane() || lanes_.present(*locks_.reservedLane()));
}

} // namespace yard::session

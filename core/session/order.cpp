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
                        std::optional<GateId> gate, const RetryLimits& limits) {
    while (classes_.size() <= id.value) classes_.push({});
    const std::uint32_t place = gate ? gate->value : kNone;
    if (gate && gates_.size() <= place) gates_.resize(place + 1);
    // What claims a lock waits in no slot behind something else: it would hold the lock while it does.
    const bool oneCore = isExactlyOneCore(resources) && locks.empty();
    classes_[id.value] = {.shape = shapeFor(resources, oneCore, place),
                          .vector = vectorFor(resources),
                          .locks = locks_.setFor(std::move(locks)),
                          .limits = limits};
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

/// MB that these needs lack, and nothing else; else 0.
static double memoryLackOf(const std::vector<ResourceNeed>& needs) {
    double lack = 0;
    for (const ResourceNeed& need : needs) {
        if (need.need <= need.free) continue;
        if (need.resource != "memory_mb") return 0;
        lack = need.need - need.free;
    }
    return lack;
}

std::int64_t Order::lackOf(std::uint32_t shape) const {
    // Looked at in each turn of a busy engine: most need no memory, and describing them costs more than that.
    const Resources& resources = shapes_[shape]->resources;
    if (resources.memoryMb == 0 || capacity_.fits(resources)) return 0;
    return static_cast<std::int64_t>(memoryLackOf(capacity_.describe(resources)));
}

std::uint32_t Order::leastLacking() const {
    if (reserved_ != kNone && lackOf(reserved_) > 0) return reserved_;
    std::uint32_t found = kNone;
    std::int64_t least = 0;
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        if (shapes_[s]->gate != kNone || shapes_[s]->queues.empty()) continue;
        const std::int64_t lack = lackOf(s);
        if (lack <= 0 || (found != kNone && lack >= least)) continue;
        least = lack;
        found = s;
    }
    return found;
}

std::int64_t Order::memoryLack() const {
    const std::uint32_t shape = leastLacking();
    return shape == kNone ? 0 : lackOf(shape);
}

void Order::keepForLack() {
    if (reserved_ != kNone) return;
    const std::uint32_t shape = leastLacking();
    if (shape != kNone && !shapes_[shape]->standing) reserve(shape);
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

void Order::forgetListings() {
    for (const auto& shape : shapes_) shape->queues.clear();
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
    QueueShape& of = queueShape(*queues_[queue], classes_[lanes_[lane].cls].shape);
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
        const std::uint32_t set = classes_[lanes_[lane].cls].locks;
        const auto lock = waiting && open && set != LockBook::kNoLocks ? locks_.refusal(set, lane) : std::nullopt;
        const bool strays = waiting && lanes_[lane].turn != turn; // it was held, or the like, and has no turn now
        if (waiting && open && !lock && !strays) return lane;
        if (budget <= 0) return kNone;
        --budget;
        // What another engine holds may take for ever: neither a lock nor a place of a label is kept meanwhile.
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
        if (heap.front().queue != top.queue) continue; // what a lane let go of made another queue come first
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
    if (shape.oneCore ? slotsFull_ : sharedFull_) return false;
    if (!capacity_.fits(shape.resources)) return false;
    return reserved_ == kNone || reserved_ == i || capacity_.leaves(shape.resources, shapes_[reserved_]->resources);
}

bool Order::isReservedAway(std::uint32_t cls) const {
    const std::uint32_t shape = classes_[cls].shape;
    return reserved_ != kNone && reserved_ != shape &&
           !capacity_.leaves(shapes_[shape]->resources, shapes_[reserved_]->resources);
}

std::optional<MonoTime> Order::reservationEnds() const {
    if (reserved_ == kNone) return std::nullopt;
    return reservedSince_ + reserve_ * (1 << shapes_[reserved_]->doublings);
}

void Order::reserve(std::uint32_t shape) {
    reserved_ = shape;
    reservedSince_ = present_;
}

void Order::forgetPassedOver(Shape& shape) {
    shape.passedOver = 0;
    shape.passedSince = {};
    shape.doublings = 0;
    if (std::exchange(shape.standing, nullptr)) --standing_;
}

void Order::endReservation() {
    if (reserved_ == kNone) return;
    forgetPassedOver(*shapes_[reserved_]);
    reserved_ = kNone;
}

void Order::giveUpReservation(std::unique_ptr<Standing> standing) {
    if (reserved_ == kNone) return;
    Shape& shape = *shapes_[std::exchange(reserved_, kNone)];
    shape.standing = std::move(standing);
    ++standing_;
}

void Order::attemptEnded(std::uint32_t record, std::uint32_t cls) {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s)
        if (shapes_[s]->standing) shapes_[s]->standing->attemptEnded(record, resourcesOf(cls));
}

void Order::holdEnded(HoldKey key, const Resources& resources) {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s)
        if (shapes_[s]->standing) shapes_[s]->standing->holdEnded(key, resources);
}

void Order::renewReservation() {
    for (std::uint32_t s = 0; standing_ > 0 && s < shapes_.size(); ++s) {
        Shape& shape = *shapes_[s];
        if (!shape.standing || !shape.standing->leavesRoomFor(shape.resources)) continue;
        shape.standing.reset();
        --standing_;
        // All that it waited for had an end: what runs now has one, too, if a later one.
        shape.doublings = std::min(shape.doublings + 1, kMostDoublings);
        if (reserved_ == kNone && !shape.queues.empty()) reserve(s);
    }
}

Lsn Order::keptFor() const {
    if (reserved_ == kNone) return {};
    std::uint32_t best = kNone;
    const GrowArray<Listing>& listed = shapes_[reserved_]->queues;
    for (std::uint32_t k = 0; k < listed.size() && best == kNone; ++k)
        for (const QueueShape& of : queues_[listed[k].queue]->shapes)
            if (of.shape == reserved_ && !of.byKey.empty() && waits(lanes_[of.byKey.front()].first))
                best = lanes_[of.byKey.front()].first;
    return best == kNone ? Lsn{} : records_.lsnOf(records_[best]);
}

/// Something started: what waits and does not fit was passed over.
void Order::countPassedOver(std::uint32_t started) {
    if (shapes_[started]->gate != kNone) return; // it took nothing that others wait for
    for (std::uint32_t s = 0; s < shapes_.size(); ++s) {
        Shape& shape = *shapes_[s];
        if (shape.gate != kNone) continue;
        if (s == started || shape.queues.empty() || capacity_.fits(shape.resources)) {
            forgetPassedOver(shape);
            if (s == reserved_ && s == started) reserved_ = kNone;
            continue;
        }
        if (shape.passedOver++ == 0) shape.passedSince = present_;
        const bool overdue = shape.passedOver >= kPassedOver || present_ - shape.passedSince >= kPassedOverFor;
        if (reserved_ == kNone && overdue && !shape.standing && capacity_.everFits(shape.resources)) reserve(s);
    }
}

void Order::endVainReservation(int& budget) {
    if (reserved_ != kNone && topQueue(reserved_, budget) == kNone && budget > 0) endReservation();
}

Order::Pick Order::pick(bool mustFit, int& budget) {
    endVainReservation(budget);
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

    // A turn that is kept comes first, and does not use up that of the next one.
    const bool isTurn = isTurnOf(*queues_[best]);
    if (isTurn && queues_[best]->turns == 0) return pickOldest(best, mustFit, budget);
    const Pick first = pickByKey(best, mustFit, budget);
    return !isTurn || first.oldest || budget <= 0 ? first : pickOldest(best, mustFit, budget);
}

Order::Pick Order::pickByKey(std::uint32_t queue, bool mustFit, int& budget) {
    Queue& q = *queues_[queue];
    Pick picked{.queue = queue};
    for (QueueShape& of : q.shapes) {
        if (of.byKey.empty() || !mayFit(of.shape, mustFit)) continue;
        const std::uint32_t lane = topLane(q, of, false, budget);
        if (budget <= 0) return {};
        if (lane == kNone) continue;
        // What waits for more than a slot does not keep short ones from waiting at the runner.
        if (!mustFit && lanes_[lane].turn && !shapes_[of.shape]->oneCore) continue;
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
    if (const std::uint32_t set = classes_[cls].locks; set != LockBook::kNoLocks) {
        locks_.take(set, records_.lsnOf(records_[record]));
        lanes_[picked.lane].refusals = 0;
        endClaim(picked.lane);
    }
    popEntry(queueShape(q, classes_[cls].shape), picked.lane);
    if (kept) {
        records_[record].unset(Record::kTurn);
        --q.turns;
        if (q.gates) q.gates->endKeep(records_[record].label);
        changeLane(record, false);
    }
    countPassedOver(classes_[cls].shape);
    if (q.virtualTime > now_) now_ = q.virtualTime;
    const double cost = shareOf(cls) / q.config.weight;
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
    q.credit += shareOf(cls) / q.config.weight;
}

void Order::popFirst(std::uint32_t lane) {
    popEntry(queueShape(*queues_[lanes_[lane].queue], classes_[lanes_[lane].cls].shape), lane);
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
    std::size_t bytes = locks_.memoryBytes() + classes_.memoryBytes() + queues_.memoryBytes() +
                        vectors_.size() * (sizeof(Vector) + 160);
    for (const auto& shape : shapes_) bytes += sizeof(Shape) + shape->queues.memoryBytes();
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
    assert(std::ranges::count_if(shapes_, [](const auto& shape) { return shape->standing != nullptr; }) ==
           standing_);
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

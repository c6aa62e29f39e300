#include "core/session/lanes.h"

#include "core/session/heap.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace yard::session {

namespace {

/// Entries of a heap of those out of order before the dead among them are looked for.
constexpr std::uint32_t kCrowded = 64;

std::uint64_t hashOf(std::uint32_t queue, std::uint32_t cls, int priority, bool turn) {
    std::uint64_t x = (static_cast<std::uint64_t>(queue) << 32 | cls) * 0x9E37'79B9'7F4A'7C15u;
    x ^= (x >> 29) + static_cast<std::uint64_t>(priority + (turn ? 640 : 128)) * 0xBF58'476D'1CE4'E5B9u;
    x *= 0x94D0'49BB'1331'11EBu;
    return x ^ x >> 31;
}

} // namespace

Lanes::~Lanes() {
    for (std::uint32_t i = 0; i < lanes_.end(); i = lanes_.next(i))
        if (present(i) && lanes_[i].side != kNone) delete sides_[lanes_[i].side].heap;
}

// -- the table of lanes

std::uint32_t Lanes::bucketOf(std::uint64_t hash) const {
    const auto narrow = static_cast<std::uint32_t>(hash & ((std::uint64_t{1} << level_) - 1));
    return narrow >= split_ ? narrow : static_cast<std::uint32_t>(hash & ((std::uint64_t{2} << level_) - 1));
}

void Lanes::growBuckets() {
    if (buckets_.empty()) {
        buckets_.push(kNone);
        return;
    }
    const std::uint32_t from = split_;
    std::uint32_t chain = buckets_[from];
    buckets_[from] = kNone;
    buckets_.push(kNone);
    if (++split_ == 1u << level_) {
        split_ = 0;
        ++level_;
    }
    while (chain != kNone) {
        Lane& lane = lanes_[chain];
        const std::uint32_t next = lane.bucketNext;
        const std::uint32_t to = bucketOf(hashOf(lane.queue, lane.cls, lane.priority, lane.turn));
        lane.bucketNext = buckets_[to];
        buckets_[to] = chain;
        chain = next;
    }
}

std::uint32_t Lanes::acquire(std::uint32_t queue, std::uint32_t cls, int priority, bool turn) {
    if (lanes_.used() >= buckets_.size()) growBuckets();
    std::uint32_t& head = buckets_[bucketOf(hashOf(queue, cls, priority, turn))];
    for (std::uint32_t i = head; i != kNone; i = lanes_[i].bucketNext) {
        Lane& lane = lanes_[i];
        if (lane.queue == queue && lane.cls == cls && lane.priority == priority && lane.turn == turn) {
            ++lane.refs;
            return i;
        }
    }
    const std::uint32_t made = lanes_.allocate();
    lanes_[made] = Lane{.queue = queue,
                        .cls = cls,
                        .refs = 1,
                        .first = kNone,
                        .tail = kNone,
                        .side = kNone,
                        .keyPos = kNone,
                        .agePos = kNone,
                        .bucketNext = head,
                        .priority = static_cast<std::int8_t>(priority),
                        .alive = true,
                        .blocked = false,
                        .turn = turn,
                        .claims = false,
                        .refusals = 0};
    head = made;
    return made;
}

void Lanes::release(std::uint32_t i) {
    Lane& lane = lanes_[i];
    assert(lane.refs > 0);
    if (--lane.refs > 0) return;
    assert(lane.first == kNone && lane.tail == kNone && lane.side == kNone && lane.keyPos == kNone &&
           lane.agePos == kNone);
    unlink(i);
    if (sweep_.lane == i) sweepNextLane(i);
    lane.alive = false;
    lanes_.release(i);
    if (lanes_.used() == 0) {
        buckets_.clear();
        level_ = split_ = 0;
    }
}

void Lanes::unlink(std::uint32_t i) {
    const Lane& lane = lanes_[i];
    std::uint32_t* link = &buckets_[bucketOf(hashOf(lane.queue, lane.cls, lane.priority, lane.turn))];
    while (*link != i) link = &lanes_[*link].bucketNext;
    *link = lane.bucketNext;
}

// -- entries

bool Lanes::push(std::uint32_t i, std::uint32_t record) {
    Lane& lane = lanes_[i];
    if (lane.first == kNone) {
        lane.first = record;
        return true;
    }
    if (records_.less(record, lane.first)) {
        pushSide(lane, lane.first);
        lane.first = record;
        return true;
    }
    if (lane.tail == kNone || !records_.less(record, lastOf(lane)))
        append(lane, record);
    else
        pushSide(lane, record);
    return false;
}

void Lanes::pop(std::uint32_t i) {
    Lane& lane = lanes_[i];
    assert(lane.first != kNone);
    const std::uint32_t front = frontOf(lane);
    const std::uint32_t side = lane.side == kNone ? kNone : sides_[lane.side].heap->front();
    if (side != kNone && (front == kNone || records_.less(side, front))) {
        lane.first = popSide(lane);
    } else {
        lane.first = front;
        if (front != kNone) popFront(lane);
    }
}

std::uint32_t Lanes::frontOf(const Lane& lane) const {
    if (lane.tail == kNone) return kNone;
    const Chunk& head = chunks_[chunks_[lane.tail].next];
    return head.records[head.begin];
}

std::uint32_t Lanes::lastOf(const Lane& lane) const {
    const Chunk& tail = chunks_[lane.tail];
    return tail.records[tail.end - 1];
}

void Lanes::append(Lane& lane, std::uint32_t record) {
    if (lane.tail == kNone || chunks_[lane.tail].end == kChunkEntries) {
        const std::uint32_t made = chunks_.allocate();
        chunks_[made].begin = chunks_[made].end = 0;
        if (lane.tail == kNone) {
            chunks_[made].next = made;
        } else {
            chunks_[made].next = chunks_[lane.tail].next;
            chunks_[lane.tail].next = made;
        }
        lane.tail = made;
    }
    Chunk& tail = chunks_[lane.tail];
    tail.records[tail.end++] = record;
}

void Lanes::popFront(Lane& lane) {
    const std::uint32_t head = chunks_[lane.tail].next;
    Chunk& chunk = chunks_[head];
    if (++chunk.begin == chunk.end) dropChunk(lane, lane.tail, head);
}

void Lanes::dropChunk(Lane& lane, std::uint32_t previous, std::uint32_t chunk) {
    const std::uint32_t next = chunks_[chunk].next;
    if (sweep_.previous == chunk) sweep_.previous = previous;
    if (next == chunk) { // the only one
        lane.tail = kNone;
        if (sweep_.chunk == chunk) sweep_.chunk = sweep_.previous = kNone;
    } else {
        chunks_[previous].next = next;
        if (lane.tail == chunk) lane.tail = previous;
        if (sweep_.chunk == chunk) sweep_.chunk = next;
    }
    chunks_.release(chunk);
}

void Lanes::pushSide(Lane& lane, std::uint32_t record) {
    if (lane.side == kNone) {
        lane.side = sides_.allocate();
        sides_[lane.side].heap = new GrowArray<std::uint32_t>;
        sides_[lane.side].crowded = kCrowded;
    }
    Side& side = sides_[lane.side];
    if (side.heap->size() >= side.crowded) dropDead(side);
    GrowArray<std::uint32_t>& heap = *side.heap;
    sideBytes_ -= heap.memoryBytes();
    heapPush(heap, record, [this](std::uint32_t a, std::uint32_t b) { return records_.less(a, b); });
    sideBytes_ += heap.memoryBytes();
}

/// Who is moved to and fro leaves a dead entry each time. Looked at whenever the heap has doubled, so it costs a push
/// little.
void Lanes::dropDead(Side& side) {
    GrowArray<std::uint32_t> all;
    std::swap(all, *side.heap);
    sideBytes_ -= all.memoryBytes();
    std::vector<std::uint32_t> dead;
    for (std::uint32_t k = 0; k < all.size(); ++k) {
        if (records_[all[k]].phase == Phase::Dead)
            dead.push_back(all[k]);
        else
            heapPush(*side.heap, all[k], [this](std::uint32_t a, std::uint32_t b) { return records_.less(a, b); });
    }
    sideBytes_ += side.heap->memoryBytes();
    side.crowded = std::max(kCrowded, 2 * side.heap->size());
    for (const std::uint32_t record : dead) {
        records_[record].unset(Record::kInLane);
        if (dropped_) dropped_(record);
    }
}

std::uint32_t Lanes::popSide(Lane& lane) {
    GrowArray<std::uint32_t>& heap = *sides_[lane.side].heap;
    const std::uint32_t record = heap.front();
    sideBytes_ -= heap.memoryBytes();
    heapRemove(heap, 0, [this](std::uint32_t a, std::uint32_t b) { return records_.less(a, b); });
    if (heap.empty()) {
        delete &heap;
        sides_.release(lane.side);
        lane.side = kNone;
    } else {
        sideBytes_ += heap.memoryBytes();
    }
    return record;
}

// -- sweeping

void Lanes::sweepNextLane(std::uint32_t after) {
    std::uint32_t lane = after == kNone ? 0 : lanes_.next(after);
    while (lane < lanes_.end() && !present(lane)) lane = lanes_.next(lane);
    sweep_ = {.lane = lane, .chunk = kNone, .previous = kNone};
}

bool Lanes::sweep(int budget, const Sweeper& sweeper) {
    if (sweep_.lane == kNone) sweepNextLane(kNone);
    while (budget > 0) {
        if (sweep_.lane >= lanes_.end() || !present(sweep_.lane)) {
            sweep_ = {};
            return false;
        }
        Lane& lane = lanes_[sweep_.lane];
        --budget;
        if (sweep_.chunk == kNone && lane.first != kNone && sweeper.isDead(lane.first)) {
            sweeper.popFirst(sweep_.lane);
            continue;
        }
        if (sweep_.chunk == kNone && lane.tail != kNone) {
            sweep_.previous = lane.tail;
            sweep_.chunk = chunks_[lane.tail].next;
        }
        if (sweep_.chunk == kNone) {
            sweepNextLane(sweep_.lane);
        } else {
            const bool last = sweep_.chunk == lane.tail;
            budget -= sweepChunk(lane, sweeper);
            if (last || lane.tail == kNone) sweepNextLane(sweep_.lane);
        }
    }
    return true;
}

/// Compacts sweep_.chunk within itself and goes on to the next one. Returns the entries it looked at.
int Lanes::sweepChunk(Lane& lane, const Sweeper& sweeper) {
    const std::uint32_t at = sweep_.chunk;
    Chunk& chunk = chunks_[at];
    const int looked = chunk.end - chunk.begin;
    std::uint8_t kept = chunk.begin;
    for (std::uint8_t i = chunk.begin; i < chunk.end; ++i) {
        const std::uint32_t record = chunk.records[i];
        if (sweeper.isDead(record))
            sweeper.dropped(record);
        else
            chunk.records[kept++] = record;
    }
    chunk.end = kept;
    if (chunk.begin == chunk.end) {
        dropChunk(lane, sweep_.previous, at);
    } else {
        sweep_.previous = at;
        sweep_.chunk = chunk.next;
    }
    return looked;
}

// -- looking

void Lanes::forEachEntry(std::uint32_t i, const std::function<void(std::uint32_t)>& visit) const {
    const Lane& lane = lanes_[i];
    if (lane.first != kNone) visit(lane.first);
    if (lane.side != kNone) {
        const GrowArray<std::uint32_t>& heap = *sides_[lane.side].heap;
        for (std::uint32_t k = 0; k < heap.size(); ++k) visit(heap[k]);
    }
    if (lane.tail == kNone) return;
    std::uint32_t at = lane.tail;
    do {
        at = chunks_[at].next;
        const Chunk& chunk = chunks_[at];
        for (int k = chunk.begin; k < chunk.end; ++k) visit(chunk.records[k]);
    } while (at != lane.tail);
}

std::size_t Lanes::memoryBytes() const {
    return lanes_.memoryBytes() + chunks_.memoryBytes() + sides_.memoryBytes() + sideBytes_ +
           buckets_.memoryBytes();
}

void Lanes::check(std::uint32_t i) const {
    const Lane& lane = lanes_[i];
    assert(lane.alive && lane.refs > 0);
    std::uint32_t entries = 0;
    forEachEntry(i, [&]([[maybe_unused]] std::uint32_t record) {
        ++entries;
        assert(records_[record].lane == i && records_[record].has(Record::kInLane));
        assert(record == lane.first || !records_.less(record, lane.first));
    });
    assert(entries <= lane.refs);
    assert((lane.first == kNone) == (entries == 0));
    if (lane.tail == kNone) return;
    [[maybe_unused]] std::uint32_t before = kNone;
    std::uint32_t at = lane.tail;
    do {
        at = chunks_[at].next;
        const Chunk& chunk = chunks_[at];
        assert(chunk.begin < chunk.end && chunk.end <= kChunkEntries);
        for (int k = chunk.begin; k < chunk.end; ++k) {
            assert(before == kNone || !records_.less(chunk.records[k], before));
            before = chunk.records[k];
        }
    } while (at != lane.tail);
}

// -- counting

double Lanes::countBefore(std::uint32_t i, std::uint32_t record, const std::function<bool(std::uint32_t)>& waits,
                          Counting& counting) const {
    const Lane& lane = lanes_[i];
    if (lane.first == kNone || !records_.less(lane.first, record)) return 0;
    double count = 0;
    const auto look = [&](std::uint32_t other) {
        if (other == record || !records_.less(other, record)) return false;
        --counting.exact;
        count += waits(other) ? 1 : 0;
        return true;
    };
    look(lane.first);
    if (lane.side != kNone) {
        const GrowArray<std::uint32_t>& heap = *sides_[lane.side].heap;
        for (std::uint32_t k = 0; k < heap.size() && counting.steps > 0; ++k, --counting.steps) look(heap[k]);
    }
    if (lane.tail == kNone) return count;
    const std::uint32_t head = chunks_[lane.tail].next;
    for (std::uint32_t at = head;; at = chunks_[at].next) {
        const Chunk& chunk = chunks_[at];
        if (--counting.steps <= 0) return std::max(count, estimateBefore(lane, record));
        if (counting.exact <= 0 && records_.less(chunk.records[chunk.end - 1], record)) {
            count += chunk.end - chunk.begin;
        } else {
            for (int k = chunk.begin; k < chunk.end; ++k)
                if (!look(chunk.records[k])) return count;
        }
        if (at == lane.tail) return count;
    }
}

/// Its share of the lane, by where its number is between those of the first and the last one.
double Lanes::estimateBefore(const Lane& lane, std::uint32_t record) const {
    const std::uint32_t last = lastOf(lane);
    if (records_.less(last, record)) return lane.refs;
    const auto number = [this](std::uint32_t r) { return static_cast<double>(records_.lsnOf(records_[r]).value); };
    const double from = number(lane.first);
    const double to = number(last);
    if (to <= from) return 0;
    return lane.refs * std::clamp((number(record) - from) / (to - from), 0.0, 1.0);
}

} // namespace yard::session

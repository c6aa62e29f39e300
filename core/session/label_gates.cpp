#include "core/session/label_gates.h"

#include "core/session/heap.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

namespace {

auto olderIn(const Records& records) {
    return [&records](std::uint32_t a, std::uint32_t b) { return records.older(a, b); };
}
auto movedIn(Records& records) {
    return [&records](std::uint32_t record, std::uint32_t at) { records[record].timer = at; };
}

} // namespace

LabelGates::Gate* LabelGates::find(std::uint32_t label) {
    const auto at = std::ranges::lower_bound(gates_, label, {}, &Gate::label);
    return at == gates_.end() || at->label != label ? nullptr : &*at;
}

void LabelGates::setLimits(std::vector<std::pair<LabelId, int>> limits,
                           const std::function<int(LabelId)>& running) {
    for (Gate& gate : gates_) {
        const auto still = std::ranges::find(limits, LabelId(gate.label), &std::pair<LabelId, int>::first);
        gate.limit = still == limits.end() ? kUnlimited : still->second;
    }
    for (const auto& [label, most] : limits) {
        if (find(label.value)) continue;
        Gate gate;
        gate.label = label.value;
        gate.limit = most;
        gate.running = running(label);
        gates_.insert(std::ranges::lower_bound(gates_, label.value, {}, &Gate::label), std::move(gate));
    }
    dropIdle();
    for (Gate& gate : gates_) offer(gate, gate.limit);
}

void LabelGates::dropIdle() {
    std::erase_if(gates_,
                  [](const Gate& gate) { return gate.limit == kUnlimited && gate.waiting == 0 && gate.kept == 0; });
}

bool LabelGates::isOpen(std::uint32_t label, bool turn) const {
    const Gate* gate = find(label);
    return !gate || std::int64_t{gate->running} + (turn ? 0 : gate->kept) < gate->limit;
}

void LabelGates::nextToOldest(std::uint32_t label) {
    if (Gate* gate = find(label)) gate->starts = kOldestThroughGate;
}

void LabelGates::keep(std::uint32_t label) {
    Gate* gate = find(label);
    if (!gate) return;
    ++gate->kept;
    offer(*gate, 0);
}

void LabelGates::endKeep(std::uint32_t label) {
    // Of one whose turn was kept before there was a limit nothing was counted.
    if (Gate* gate = find(label); gate && gate->kept > 0) --gate->kept;
}

/// So many more places may be free.
void LabelGates::offer(Gate& gate, int places) {
    const std::int64_t free = std::max<std::int64_t>(std::int64_t{gate.limit} - gate.running - gate.kept, 0);
    gate.toOffer = static_cast<int>(std::min<std::int64_t>(std::int64_t{gate.toOffer} + places, free));
    if (gate.toOffer > 0 && gate.waiting > 0) wantsOpening_ = true;
}

void LabelGates::count(std::uint32_t label, int by) {
    Gate* gate = find(label);
    if (!gate) return;
    gate->running += by;
    if (by > 0 && gate->starts < kOldestThroughGate) ++gate->starts;
    offer(*gate, by < 0 ? 1 : 0);
}

void LabelGates::offerAgain(std::uint32_t label) {
    if (Gate* gate = find(label)) offer(*gate, 1);
}

void LabelGates::park(std::uint32_t record) {
    Record& r = records_[record];
    Gate* gate = find(r.label);
    assert(gate && r.phase == Phase::Waiting && !r.has(Record::kInLane | Record::kParked) && r.timer == kNone);
    r.set(Record::kParked);
    const auto group = std::ranges::lower_bound(gate->byPriority, r.priority(), std::greater{}, &Parked::priority);
    Parked& parked = group != gate->byPriority.end() && group->priority == r.priority()
                         ? *group
                         : *gate->byPriority.insert(group, Parked{r.priority(), {}});
    heapPush(parked.oldestFirst, record, olderIn(records_), movedIn(records_));
    ++gate->waiting;
    gate->toOffer = 0; // it is here because no place is free
}

void LabelGates::take(Gate& gate, std::size_t group, std::uint32_t at) {
    GrowArray<std::uint32_t>& heap = gate.byPriority[group].oldestFirst;
    Record& r = records_[heap[at]];
    heapRemove(heap, at, olderIn(records_), movedIn(records_));
    r.timer = kNone;
    r.unset(Record::kParked);
    --gate.waiting;
    if (heap.empty()) gate.byPriority.erase(gate.byPriority.begin() + static_cast<std::ptrdiff_t>(group));
}

void LabelGates::unpark(std::uint32_t record) {
    const Record& r = records_[record];
    Gate* gate = find(r.label);
    assert(gate && r.has(Record::kParked));
    const auto group = std::ranges::find(gate->byPriority, r.priority(), &Parked::priority);
    take(*gate, static_cast<std::size_t>(group - gate->byPriority.begin()), r.timer);
}

LabelGates::Opened LabelGates::takeNext(Gate& gate) {
    std::size_t group = 0;
    const bool turn = gate.starts >= kOldestThroughGate - 1;
    if (turn) {
        gate.starts = 0;
        for (std::size_t i = 1; i < gate.byPriority.size(); ++i)
            if (records_.older(gate.byPriority[i].oldestFirst.front(), gate.byPriority[group].oldestFirst.front()))
                group = i;
    }
    const std::uint32_t record = gate.byPriority[group].oldestFirst.front();
    take(gate, group, 0);
    return {.record = record, .turn = turn};
}

std::vector<LabelGates::Opened> LabelGates::openNext(int budget) {
    std::vector<Opened> opened;
    wantsOpening_ = false;
    for (Gate& gate : gates_) {
        for (; budget > 0 && gate.toOffer > 0 && gate.waiting > 0; --budget, --gate.toOffer)
            opened.push_back(takeNext(gate));
        if (gate.toOffer > 0 && gate.waiting > 0) wantsOpening_ = true;
    }
    dropIdle();
    return opened;
}

std::optional<LabelGates::Limit> LabelGates::limitOf(std::uint32_t label) const {
    const Gate* gate = find(label);
    if (!gate || gate->limit == kUnlimited) return std::nullopt;
    return Limit{.most = gate->limit, .running = gate->running + gate->kept};
}

std::vector<std::pair<LabelId, int>> LabelGates::limits() const {
    std::vector<std::pair<LabelId, int>> all;
    for (const Gate& gate : gates_)
        if (gate.limit != kUnlimited) all.emplace_back(gate.label, gate.limit);
    return all;
}

std::size_t LabelGates::memoryBytes() const {
    std::size_t bytes = gates_.capacity() * sizeof(Gate);
    for (const Gate& gate : gates_)
        for (const Parked& parked : gate.byPriority) bytes += sizeof(Parked) + parked.oldestFirst.memoryBytes();
    return bytes;
}

void LabelGates::check(const std::function<void(std::uint32_t)>& visit) const {
    for (const Gate& gate : gates_) {
        std::uint32_t waiting = 0;
        for (const Parked& parked : gate.byPriority) {
            assert(!parked.oldestFirst.empty());
            for (std::uint32_t i = 0; i < parked.oldestFirst.size(); ++i, ++waiting) {
                const std::uint32_t record = parked.oldestFirst[i];
                [[maybe_unused]] const Record& r = records_[record];
                assert(r.has(Record::kParked) && r.timer == i && r.label == gate.label);
                assert(r.priority() == parked.priority && r.phase == Phase::Waiting && !r.has(Record::kHeld));
                assert(i == 0 || !records_.older(record, parked.oldestFirst[(i - 1) / 2]));
                visit(record);
            }
        }
        assert(waiting == gate.waiting);
        assert((gate.toOffer == 0 || gate.waiting == 0 || wantsOpening_) && "a free place is offered");
    }
}

} // namespace yard::session

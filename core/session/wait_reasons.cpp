#include "core/session/wait_reasons.h"

#include <algorithm>
#include <tuple>

namespace yard::session {

namespace {

/// Entries that are looked at one by one; past them whole chunks are counted.
constexpr int kExact = 1'000;
/// Chunks, and lanes, that are looked at; past them the rest is estimated.
constexpr int kMostSteps = 2'000;

/// As Capacity::describe() says it.
double amountOf(const Resources& resources, std::string_view resource) {
    constexpr double kMilli = 1'000;
    if (resource == "cores") return static_cast<double>(resources.milliCores) / kMilli;
    if (resource == "memory_mb") return static_cast<double>(resources.memoryMb);
    for (const auto& [name, amount] : resources.named)
        if (name == resource) return static_cast<double>(amount) / kMilli;
    return 0;
}

} // namespace

/// What was handed out and takes one core, beyond the slots that the runner has for that: it waits there.
std::int64_t WaitReasons::waitingInSlots() const {
    return std::max<std::int64_t>(attempts_.inCoreSlots() - options_.slotCount, 0);
}

/// Of those the ones of a queue, that come before this record (kNone: all).
std::int64_t WaitReasons::waitingInSlots(const Queue& queue, std::uint32_t before) const {
    const std::int64_t most = waitingInSlots();
    std::int64_t found = 0;
    for (std::size_t i = 0; found < most && i < attempts_.all().size(); ++i) {
        const Record& r = records_[attempts_.all()[i]];
        if (r.phase != Phase::Leased || r.has(Record::kCancel) || &parts_.ledger.queueOf(r) != &queue) continue;
        if (!classes_.isOneCore(lanes_[r.lane].cls)) continue;
        found += before == kNone || records_.less(attempts_.all()[i], before) ? 1 : 0;
    }
    return found;
}

/// Of a queue, what a runner has and is to begin when it has a warm process for it: it comes before what waits here.
std::int64_t WaitReasons::waitingForProcess(const Queue& queue) const {
    if (attempts_.gated() == 0) return 0;
    return std::ranges::count_if(attempts_.all(), [&](std::uint32_t record) {
        const Record& r = records_[record];
        return r.phase == Phase::Leased && !r.has(Record::kCancel) && classes_.isGated(lanes_[r.lane].cls) &&
               &parts_.ledger.queueOf(r) == &queue;
    });
}

/// Actions of the same queue that come before this one.
Waiting::Position WaitReasons::positionOf(std::uint32_t record) const {
    const Queue& q = order_.queue(lanes_[records_[record].lane].queue);
    const auto waits = [this](std::uint32_t other) {
        return records_[other].phase == Phase::Waiting && !records_[other].has(Record::kHeld | Record::kCancel);
    };
    Lanes::Counting counting{.exact = kExact, .steps = kMostSteps};
    auto before = static_cast<double>(waitingInSlots(q, kNone) + waitingForProcess(q));
    const bool turn = lanes_[records_[record].lane].turn;
    const auto countBefore = [&](std::uint32_t lane) -> double {
        if (lanes_[lane].turn != turn) return turn ? 0 : lanes_[lane].refs; // a turn that is kept comes first
        return lanes_.countBefore(lane, record, waits, counting);
    };
    for (const QueueShape& of : q.shapes) {
        const std::uint32_t all = of.byKey.size();
        double counted = 0;
        std::uint32_t looked = 0;
        for (; looked < all && counting.steps > 0; ++looked) {
            --counting.steps;
            counted += countBefore(of.byKey[looked]);
        }
        // The heap has the lanes in no particular order but its top: the rest is like what was seen.
        if (looked > 0 && looked < all) counted *= static_cast<double>(all) / looked;
        before += counted;
    }
    order_.locks().forEachBlocked([&](LockId, std::uint32_t lane) {
        if (&order_.queue(lanes_[lane].queue) != &q || counting.steps <= 0) return;
        --counting.steps;
        before += countBefore(lane);
    });
    return {.before = static_cast<std::int64_t>(before), .isExact = counting.exact > 0 && counting.steps > 0};
}

/// Those of its locks that it cannot have now.
std::vector<Waiting::Lock> WaitReasons::locksWaitedFor(std::uint32_t lane) const {
    const std::uint32_t set = classes_.locksOf(lanes_[lane].cls);
    std::vector<Waiting::Lock> all;
    if (set == LockTable::kNoLocks) return all;
    for (const LockId lock : order_.locks().refusals(set, lane)) {
        const LockTable::State* state = order_.locks().find(lock);
        all.push_back({.lock = lock, .holder = state->holder, .elsewhere = state->elsewhere});
    }
    return all;
}

std::vector<LockStatus> WaitReasons::locks(int most) const {
    std::vector<LockStatus> all;
    order_.locks().forEach([&all](LockId lock, const LockTable::State& state) {
        all.push_back({.lock = lock, .holder = state.holder, .elsewhere = state.elsewhere, .waiting = {}});
    });
    int looks = kMostSteps;
    for (std::uint32_t lane = 0; lane < lanes_.end() && !all.empty(); lane = lanes_.next(lane)) {
        if (!lanes_.present(lane) || lanes_[lane].first == kNone) continue;
        const std::uint32_t set = classes_.locksOf(lanes_[lane].cls);
        if (set == LockTable::kNoLocks) continue;
        std::vector<Lsn> found;
        bool more = false;
        lanes_.forEachEntry(lane, [&](std::uint32_t record) {
            const Record& r = records_[record];
            if (r.phase != Phase::Waiting || r.has(Record::kHeld | Record::kCancel)) return;
            more = std::ssize(found) >= most || --looks <= 0;
            if (!more) found.push_back(records_.lsnOf(r));
        });
        for (const LockId lock : order_.locks().locksOf(set)) {
            const auto at = std::ranges::lower_bound(all, lock, {}, &LockStatus::lock);
            if (at == all.end() || at->lock != lock) continue;
            at->waiting.insert(at->waiting.end(), found.begin(), found.end());
            at->hasMore = at->hasMore || more;
        }
    }
    for (LockStatus& status : all) {
        std::ranges::sort(status.waiting);
        if (std::ssize(status.waiting) <= most) continue;
        status.waiting.resize(static_cast<std::size_t>(most));
        status.hasMore = true;
    }
    return all;
}

std::vector<ResourceHolder> WaitReasons::holders(std::string_view resource, std::size_t most) const {
    std::vector<ResourceHolder> all;
    for (const std::uint32_t record : attempts_.all()) {
        const Record& r = records_[record];
        const std::uint32_t cls = lanes_[r.lane].cls;
        const bool isAhead = r.phase == Phase::Leased && r.has(Record::kAhead); // of what others still have
        if (isAhead || attempts_.isKept(record) || !classes_.takes(cls)) continue;
        const double amount = amountOf(*classes_.demandOf(cls).amounts, resource);
        if (amount > 0) all.push_back({.lsn = records_.lsnOf(r), .hold = {}, .amount = amount});
    }
    for (const ResourceHolds::Hold& hold : parts_.holds.held())
        if (const double amount = amountOf(hold.resources, resource); amount > 0)
            all.push_back({.lsn = {}, .hold = hold.key, .amount = amount});
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
    std::ranges::partial_sort(all, last, [](const ResourceHolder& a, const ResourceHolder& b) {
        return std::tie(b.amount, a.lsn, a.hold) < std::tie(a.amount, b.lsn, b.hold);
    });
    all.erase(last, all.end());
    return all;
}

std::optional<Waiting> WaitReasons::of(Lsn lsn, bool withPosition) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || parts_.service.isAbandoned() || !isPendingPhase(records_[record].phase))
        return std::nullopt;
    const Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    Waiting w;
    w.held = r.has(Record::kHeld);
    w.sessionHolds = !parts_.service.startsWork();
    w.unmet = r.unmet;
    const auto wakes = parts_.timers.of(r);
    if (wakes) w.wakesAt = *wakes;
    w.backoff = wakes && r.has(Record::kBackoff);
    describeQueue(w, order_.queue(lane.queue), r);
    w.cls = ClassId(lane.cls);
    if (r.phase == Phase::Waiting) w.locks = locksWaitedFor(r.lane);
    w.starting = r.phase == Phase::Leased;
    describeRoom(w, lane.cls);
    if (withPosition && r.phase == Phase::Leased && w.isOneCore && waitingInSlots() > 0)
        w.position = {.before = waitingInSlots(order_.queue(lane.queue), record), .isExact = true};
    else if (withPosition && r.has(Record::kInLane))
        w.position = positionOf(record);
    return w;
}

/// What its queue and its label say.
void WaitReasons::describeQueue(Waiting& w, const Queue& q, const Record& r) const {
    w.queueHeld = q.held;
    w.queueYields = q.yields;
    w.failures = q.held && q.config.stopAfterFailures > 0 ? q.failuresSinceRelease() : 0;
    if (w.failures < q.config.stopAfterFailures) w.failures = 0;
    if (q.config.maxRunning > 0 && q.outstanding >= q.config.maxRunning)
        w.queueLimit = Waiting::Limit{.most = q.config.maxRunning, .running = q.outstanding};
    w.label = LabelId(r.label);
    const auto limit = q.gates ? q.gates->limitOf(r.label) : std::nullopt;
    if (limit && limit->running >= limit->most)
        w.labelLimit = Waiting::Limit{.most = limit->most, .running = limit->running};
}

/// What the machine, or the gate of its class, has room for.
void WaitReasons::describeRoom(Waiting& w, std::uint32_t cls) const {
    if (classes_.isGated(cls)) {
        const int most = classes_.mostAt(cls);
        w.needs.push_back(
            {"warm", 1, static_cast<double>(most), static_cast<double>(most - classes_.outAtGateOf(cls))});
        if (!classes_.takes(cls)) return;
        const std::vector<ResourceNeed> own = parts_.capacity.describe(classes_.demandOf(cls));
        w.needs.insert(w.needs.end(), own.begin(), own.end());
        w.reservedForLarger = !order_.reservation().allows(classes_.shapeOf(cls));
        if (w.reservedForLarger) w.keptFor = order_.keptFor();
        return;
    }
    w.needs = parts_.capacity.describe(classes_.demandOf(cls));
    w.machines = parts_.capacity.why(classes_.demandOf(cls));
    w.reservedForLarger = !order_.reservation().allows(classes_.shapeOf(cls));
    if (w.reservedForLarger) w.keptFor = order_.keptFor();
    w.isOneCore = classes_.isOneCore(cls);
    w.noSlot = !w.isOneCore && attempts_.isSharedFull();
}

std::int64_t WaitReasons::waitingAt(GateId gate) const {
    constexpr std::uint32_t kMost = 10'000;
    std::int64_t waiting = 0;
    for (std::uint32_t i = 0, looked = 0; i < lanes_.end() && looked < kMost; i = lanes_.next(i), ++looked)
        if (lanes_.present(i) && classes_.isAt(gate, lanes_[i].cls)) waiting += lanes_[i].refs;
    const auto isKeeping = [&](std::uint32_t record) {
        return classes_.isAt(gate, lanes_[records_[record].lane].cls);
    };
    return std::max<std::int64_t>(
        waiting - classes_.outAt(gate) - std::ranges::count_if(attempts_.allKept(), isKeeping), 0);
}

} // namespace yard::session

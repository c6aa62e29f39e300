// Why a pending action has not started, with numbers, without walking more than a bounded part of the structure.
#include "core/session/impl.h"

#include <algorithm>

namespace yard::session {

namespace {

/// Entries that are looked at one by one; past them whole chunks are counted.
constexpr int kExact = 1'000;
/// Chunks, and lanes, that are looked at; past them the rest is estimated.
constexpr int kMostSteps = 2'000;

} // namespace

/// Actions of the same queue that come before this one.
Waiting::Position Session::Impl::positionOf(std::uint32_t record) const {
    const Queue& q = order_.queue(lanes_[records_[record].lane].queue);
    const auto waits = [this](std::uint32_t other) {
        return records_[other].phase == Phase::Waiting && !records_[other].has(Record::kHeld | Record::kCancel);
    };
    Lanes::Counting counting{.exact = kExact, .steps = kMostSteps};
    double before = 0;
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

std::optional<Waiting::Lock> Session::Impl::lockOf(std::uint32_t lane) const {
    const std::uint32_t set = order_.locksOf(lanes_[lane].cls);
    if (set == LockBook::kNoLocks) return std::nullopt;
    const auto lock = order_.locks().refusal(set, lane);
    if (!lock) return std::nullopt;
    const LockBook::State* state = order_.locks().find(*lock);
    if (!state) return Waiting::Lock{.lock = *lock};
    return Waiting::Lock{.lock = *lock, .holder = state->holder, .elsewhere = state->elsewhere};
}

std::vector<LockStatus> Session::Impl::locks(int most) const {
    std::vector<LockStatus> all;
    order_.locks().forEach([&all](LockId lock, const LockBook::State& state) {
        all.push_back({.lock = lock, .holder = state.holder, .elsewhere = state.elsewhere, .waiting = {}});
    });
    int looks = kMostSteps;
    for (std::uint32_t lane = 0; lane < lanes_.end() && !all.empty(); lane = lanes_.next(lane)) {
        if (!lanes_.present(lane) || lanes_[lane].first == kNone) continue;
        const std::uint32_t set = order_.locksOf(lanes_[lane].cls);
        if (set == LockBook::kNoLocks) continue;
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

std::optional<Waiting> Session::Impl::waiting(Lsn lsn, bool withPosition) const {
    const std::uint32_t record = records_.find(lsn);
    if (record == kNone || abandoned_ || !isPendingPhase(records_[record].phase)) return std::nullopt;
    const Record& r = records_[record];
    const Lane& lane = lanes_[r.lane];
    const Queue& q = order_.queue(lane.queue);
    Waiting w;
    w.held = r.has(Record::kHeld);
    w.queueHeld = q.held;
    w.failures = q.held && q.config.stopAfterFailures > 0 ? q.tally.stored.failed + q.failing - q.failedBefore : 0;
    if (w.failures < q.config.stopAfterFailures) w.failures = 0;
    w.sessionHolds = !startsWork();
    w.unmet = r.unmet;
    const bool hasTimer = !r.has(Record::kOut | Record::kParked) && r.timer != kNone;
    if (hasTimer) w.wakesAt = timers_[r.timer].at;
    w.backoff = hasTimer && r.has(Record::kBackoff);
    if (q.config.maxRunning > 0 && q.outstanding >= q.config.maxRunning)
        w.queueLimit = Waiting::Limit{.most = q.config.maxRunning, .running = q.outstanding};
    if (const auto limit = q.gates ? q.gates->limitOf(r.label) : std::nullopt;
        limit && limit->running >= limit->most)
        w.labelLimit = Waiting::Limit{.most = limit->most, .running = limit->running};
    w.label = LabelId(r.label);
    w.cls = ClassId(lane.cls);
    if (r.phase == Phase::Waiting) w.lock = lockOf(r.lane);
    w.starting = r.phase == Phase::Leased;
    if (order_.isGated(lane.cls)) {
        const int most = order_.mostAt(lane.cls);
        w.needs.push_back(
            {"warm", 1, static_cast<double>(most), static_cast<double>(most - order_.outAtGateOf(lane.cls))});
    } else {
        w.needs = capacity_->describe(order_.resourcesOf(lane.cls));
    }
    w.reservedForLarger = !order_.isGated(lane.cls) && order_.isReservedAway(lane.cls);
    if (w.reservedForLarger) w.keptFor = order_.keptFor();
    w.isOneCore = !order_.isGated(lane.cls) && order_.isOneCore(lane.cls);
    w.noSlot = !order_.isGated(lane.cls) && !order_.isOneCore(lane.cls) && order_.isSharedFull();
    if (withPosition && r.has(Record::kInLane)) w.position = positionOf(record);
    return w;
}

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

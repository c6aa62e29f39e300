#include "core/session/outliner.h"

#include "core/session/patience.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::session {

namespace {

constexpr std::uint32_t kMostLooks = 262'144;
constexpr std::uint32_t kBlock = 64;      ///< records in a row, where not all are looked at
constexpr std::size_t kMostKinds = 512;   ///< per queue, that are told apart whatever their number
constexpr std::int64_t kLeastOfQueue = 8; ///< items, of one that has so much to do

/// So many items for each queue that all together are about `most`; those that have less to do leave it to others.
std::int64_t shareOf(std::vector<std::int64_t> waiting, std::int64_t most) {
    std::ranges::sort(waiting);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        const auto left = static_cast<std::int64_t>(waiting.size() - i);
        if (waiting[i] > most / left) return std::max(most / left, kLeastOfQueue);
        most -= waiting[i];
    }
    return std::numeric_limits<std::int64_t>::max();
}

class Outliner {
public:
    Outliner(const OutlineParts& of, int most)
        : of_(of)
        , records_(of.ledger.records())
        , workClasses_(of.ledger.classes())
        , order_(of.ledger.order()) {
        std::vector<std::int64_t> waiting;
        for (std::uint32_t i = 0; i < order_.queuesEnd(); ++i)
            if (order_.hasQueue(i)) waiting.push_back(order_.queue(i).waiting);
        share_ = shareOf(std::move(waiting), most);
    }

    void lookAtAll() {
        const std::uint32_t end = records_.end();
        if (end <= kMostLooks) {
            for (std::uint32_t i = 0; i < end; i = records_.next(i)) look(i);
        } else {
            every_ = static_cast<double>(end) / kMostLooks;
            for (double from = 0; from < end; from += kBlock * every_) {
                const auto begin = static_cast<std::uint32_t>(from);
                for (std::uint32_t i = begin; i < std::min(begin + kBlock, end); ++i) look(i);
            }
        }
        for (const std::uint32_t record : of_.attempts.all()) lookAtRunning(record);
    }

    /// Of queues that start what they get.
    void addComing(MonoTime now) {
        for (const Arrivals::Steady& steady : of_.arrivals.steady(now)) {
            const std::uint32_t queue = of_.ledger.findQueue(steady.kind.queue);
            if (queue == kNone || order_.queue(queue).held) continue;
            if (order_.queue(queue).state != QueueState::Active) continue;
            Outline::Item item{.key = steady.kind.rank,
                               .place = {},
                               .lsn = {},
                               .label = LabelId(steady.kind.label),
                               .notBefore = {}};
            item.queue = samplingOf(queue).part;
            item.cls = classOf(steady.kind.cls);
            out_.coming.push_back({item, steady.every});
        }
    }

    Outline take() {
        for (const auto& [queue, sampling] : queues_) out_.queues[sampling.part].each = sampling.stands;
        std::ranges::sort(out_.waiting,
                          [](const Outline::Item& a, const Outline::Item& b) { return a.startsBefore(b); });
        for (const ResourceHolds::Hold& hold : of_.holds.held()) out_.holds.emplace_back(hold.key, hold.resources);
        order_.locks().forEach([this](LockId lock, const LockTable::State& state) {
            if (state.elsewhere) out_.elsewhere.push_back(lock);
        });
        addPassed();
        out_.capacity = of_.capacity.idle();
        out_.options = std::make_shared<SessionOptions>(of_.options);
        out_.virtualNow = order_.virtualNow();
        return std::move(out_);
    }

private:
    struct Sampling {
        std::size_t part = 0;
        std::int64_t each = 1; ///< so many per item
        double stands = 1;     ///< the same, of those that were not looked at, too
        std::int64_t seen = 0;
        std::size_t moved = 0;                                          ///< of those that stand for themselves
        std::uint64_t last = std::numeric_limits<std::uint64_t>::max(); ///< kind of the one before
        std::unordered_set<std::uint64_t> kinds;
    };

    void addPassed() {
        std::vector<std::uint32_t> classes;
        for (const auto& [cls, place] : classes_) classes.push_back(cls);
        out_.passed = passedOver(of_.ledger, classes);
        for (Passed& passed : out_.passed)
            passed.cls = ClassId(static_cast<std::uint32_t>(classes_.at(passed.cls.value)));
        out_.reserve = order_.reservation().limit();
    }

    Sampling& samplingOf(std::uint32_t at) {
        const auto [it, made] = queues_.try_emplace(at);
        if (!made) return it->second;
        const Queue& q = order_.queue(at);
        Sampling& sampling = it->second;
        sampling.part = out_.queues.size();
        sampling.each = q.waiting <= share_ ? 1 : (q.waiting + share_ - 1) / share_;
        sampling.stands = static_cast<double>(sampling.each) * every_;
        Outline::QueuePart& part = out_.queues.emplace_back();
        part.id = q.id;
        part.config = q.config;
        part.virtualTime = q.virtualTime;
        part.starts = q.starts;
        part.stands = q.held || q.yields || q.state == QueueState::Cancelled;
        part.held = q.heldActions;
        if (q.gates) part.labelLimits = q.gates->limits();
        return sampling;
    }

    std::size_t classOf(std::uint32_t cls) {
        const auto [it, made] = classes_.try_emplace(cls, out_.classes.size());
        if (!made) return it->second;
        Outline::ClassPart& part = out_.classes.emplace_back();
        part.id = ClassId(cls);
        part.resources = workClasses_.resourcesOf(cls);
        if (const Where* where = workClasses_.allOf(cls).where) part.where = *where;
        if (const std::uint32_t set = workClasses_.locksOf(cls); set != LockTable::kNoLocks)
            part.locks = order_.locks().locksOf(set);
        // Before the first process of a warm worker came up it has no place: one is on its way.
        if (workClasses_.isGated(cls))
            part.gate = {GateId(workClasses_.gateOf(cls)), std::max(workClasses_.mostAt(cls), 1)};
        return it->second;
    }

    Outline::Item itemOf(std::uint32_t place, std::size_t part) {
        const Record& r = records_[place];
        return {.key = r.orderKey(),
                .place = records_.placeOf(place),
                .lsn = records_.lsnOf(r),
                .queue = part,
                .cls = classOf(of_.ledger.lanes()[r.lane].cls),
                .label = LabelId(r.label),
                .notBefore = {},
                .keeping = of_.attempts.holdsNothing(r),
                .leased = r.phase == Phase::Leased};
    }

    void look(std::uint32_t place) {
        if (!records_.present(place)) return;
        const Record& r = records_[place];
        const bool isAhead = r.phase == Phase::Leased && r.has(Record::kAhead);
        if ((r.phase != Phase::Waiting && r.phase != Phase::Retrying && !isAhead) || r.has(Record::kCancel)) return;
        Sampling& sampling = samplingOf(of_.ledger.lanes()[r.lane].queue);
        Outline::QueuePart& part = out_.queues[sampling.part];
        if (r.has(Record::kHeld)) return;
        if (r.unmet > 0) {
            ++part.unmet;
            return;
        }
        ++part.waiting;
        const std::uint64_t kind = std::uint64_t{of_.ledger.lanes()[r.lane].cls} << 32 | r.label;
        // One that was moved says nothing of where those are that came with it.
        const bool isMoved = sampling.each > 1 && r.isMoved() && sampling.moved < kMostKinds;
        sampling.moved += isMoved ? 1 : 0;
        const bool isTurn = !isMoved && sampling.seen++ % sampling.each == 0;
        const bool isNew = sampling.each > 1 && std::exchange(sampling.last, kind) != kind &&
                           sampling.kinds.size() < kMostKinds && sampling.kinds.insert(kind).second;
        if (!isTurn && !isNew && !isMoved) return;
        Outline::Item item = itemOf(place, sampling.part);
        if (isTurn) item.stands = sampling.stands;
        if (const auto wakes = of_.timers.of(r)) item.notBefore = *wakes;
        out_.waiting.push_back(item);
    }

    void lookAtRunning(std::uint32_t place) {
        const Record& r = records_[place];
        const bool isAhead = r.phase == Phase::Leased && r.has(Record::kAhead);
        if (isAhead || (r.phase != Phase::Leased && r.phase != Phase::Submitting && r.phase != Phase::Running))
            return;
        out_.running.push_back(itemOf(place, samplingOf(of_.ledger.lanes()[r.lane].queue).part));
    }

    const OutlineParts& of_;
    const Records& records_;
    const WorkClasses& workClasses_;
    const Order& order_;
    std::int64_t share_ = 0;
    double every_ = 1; ///< one of so many records is looked at
    Outline out_;
    std::unordered_map<std::uint32_t, Sampling> queues_;
    std::unordered_map<std::uint32_t, std::size_t> classes_;
};

} // namespace

Outline outlineOf(const OutlineParts& parts, int most, MonoTime now) {
    Outliner outliner(parts, most);
    outliner.lookAtAll();
    outliner.addComing(now);
    return outliner.take();
}

} // namespace yard::session

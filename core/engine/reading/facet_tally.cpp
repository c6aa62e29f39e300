#include "core/engine/reading/facet_tally.h"

#include "core/coro/sync.h"
#include "core/engine/state/slice.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

/// Moves what `from` says about a facet into a query of its own.
ListQuery takeTerms(FacetKey key, ListQuery& from, bool isQueueFixed) {
    ListQuery own;
    if (key == FacetKey::State) {
        own.states = std::exchange(from.states, {});
        own.heldOnly = std::exchange(from.heldOnly, false);
        own.retryOnly = std::exchange(from.retryOnly, false);
    }
    if (key == FacetKey::Queue && !isQueueFixed) own.queue = std::exchange(from.queue, std::nullopt);
    if (key == FacetKey::Worker) own.worker = std::exchange(from.worker, {});
    if (key == FacetKey::Label) own.label = std::exchange(from.label, {});
    const auto isOwn = [is = facetInfo(key).filter](const FilterTerm& term) { return term.key == is; };
    std::ranges::copy_if(from.filter.terms, std::back_inserter(own.filter.terms), isOwn);
    std::erase_if(from.filter.terms, isOwn);
    return own;
}

/// The largest of many counts, and the sum of the others. Equal ones: those that were met first.
class Largest {
public:
    struct Entry {
        std::int64_t count;
        std::size_t value;
    };
    void add(Entry entry) {
        if (entry.count == 0) return;
        if (entries_.size() == kMaxFacetValues) {
            others_ += std::min(entry.count, entries_.front().count);
            if (entry.count <= entries_.front().count) return;
            std::ranges::pop_heap(entries_, isLarger);
            entries_.pop_back();
        }
        entries_.push_back(entry);
        std::ranges::push_heap(entries_, isLarger);
    }
    const std::vector<Entry>& entries() const { return entries_; }
    std::int64_t others() const { return others_; }

private:
    static bool isLarger(const Entry& a, const Entry& b) {
        return a.count != b.count ? a.count > b.count : a.value < b.value;
    }
    std::vector<Entry> entries_; ///< a heap, the smallest in front
    std::int64_t others_ = 0;
};

} // namespace

FacetTally::FacetTally(Parts parts, FacetQuery& query)
    : parts_(std::move(parts))
    , machines_{std::string(), parts_.machineName} {
    for (const FacetKey key : query.by) {
        Facet& facet = facets_.emplace_back();
        facet.key = key;
        if (query.underOwn) continue;
        facet.own = takeTerms(key, query.which, query.isQueueFixed);
        facet.hasTerms = facet.own != ListQuery{};
    }
}

void FacetTally::add(const FacetKind& kind, std::int64_t count) {
    Facet* onlyOne = nullptr;
    for (Facet& facet : facets_) {
        if (holds(facet, kind)) continue;
        if (onlyOne) return;
        onlyOne = &facet;
    }
    if (onlyOne) {
        addTo(*onlyOne, kind, count);
        return;
    }
    total_ += count;
    for (Facet& facet : facets_) addTo(facet, kind, count);
}

bool FacetTally::holds(Facet& facet, const FacetKind& kind) {
    if (!facet.hasTerms) return true;
    const std::size_t at = caseOf(facet.key, kind);
    if (at >= facet.known.size()) facet.known.resize(at * 2 + 64, Holds::NotYet);
    Holds& known = facet.known[at];
    if (known == Holds::NotYet) known = parts_.matches(facet.own, asRow(facet.key, kind)) ? Holds::Yes : Holds::No;
    return known == Holds::Yes;
}

/// What the terms of a facet tell apart: more than its values.
std::size_t FacetTally::caseOf(FacetKey key, const FacetKind& kind) {
    switch (key) {
    case FacetKey::State:
        return static_cast<std::size_t>(kind.state) * 4 + (kind.held ? 2 : 0) + (kind.isInBackoff ? 1 : 0);
    case FacetKey::Queue: return placeOf(kind.queue);
    case FacetKey::Worker: return kind.cls ? std::size_t{*kind.cls} + 1 : 0;
    case FacetKey::Label: return kind.label;
    case FacetKey::Reason: return static_cast<std::size_t>(kind.reason);
    case FacetKey::Machine: return placeOfMachine(kind);
    }
    return 0;
}

std::optional<std::size_t> FacetTally::valueOf(FacetKey key, const FacetKind& kind) {
    const auto unlessFirst = [](std::size_t value) { return value == 0 ? std::nullopt : std::optional(value); };
    switch (key) {
    case FacetKey::State: return static_cast<std::size_t>(kind.state);
    case FacetKey::Queue: return placeOf(kind.queue);
    case FacetKey::Worker: return kind.cls ? std::optional(placeOfWorker(*kind.cls)) : std::nullopt;
    case FacetKey::Label: return unlessFirst(kind.label);
    case FacetKey::Reason: return unlessFirst(static_cast<std::size_t>(kind.reason));
    case FacetKey::Machine: return unlessFirst(placeOfMachine(kind));
    }
    return std::nullopt;
}

void FacetTally::addTo(Facet& facet, const FacetKind& kind, std::int64_t count) {
    const std::optional<std::size_t> value = valueOf(facet.key, kind);
    if (!value) return;
    if (*value >= facet.counts.size()) facet.counts.resize(*value * 2 + 16);
    facet.counts[*value] += count;
}

std::size_t FacetTally::placeOf(QueueId queue) {
    const auto [at, isNew] = queuePlaces_.try_emplace(queue.value, queues_.size());
    if (isNew) queues_.push_back(queue);
    return at->second;
}

/// Versions of a worker, and its kinds of action, are one value.
std::size_t FacetTally::placeOfWorker(std::uint32_t cls) {
    if (cls >= workerOfClass_.size()) workerOfClass_.resize(std::size_t{cls} * 2 + 16, kNoPlace);
    std::size_t& place = workerOfClass_[cls];
    if (place == kNoPlace) {
        const ClassKey& key = parts_.dictionary.classKey(cls);
        const std::string_view name = key.workerName.empty() ? key.workerId : key.workerName;
        const auto [at, isNew] = workerPlaces_.try_emplace(name, workers_.size());
        if (isNew) workers_.push_back(name);
        place = at->second;
    }
    return place;
}

std::size_t FacetTally::placeOfMachine(const FacetKind& kind) {
    if (!kind.wasStarted) return 0;
    if (kind.machine.empty() || kind.machine == parts_.machineName) return 1;
    const auto [at, isNew] = machinePlaces_.try_emplace(kind.machine, machines_.size());
    if (isNew) machines_.push_back(kind.machine);
    return at->second;
}

/// An action of which only what the facet's terms look at is known.
ActionResult FacetTally::asRow(FacetKey key, const FacetKind& kind) const {
    ActionResult row;
    switch (key) {
    case FacetKey::State:
        row.state = kind.state;
        row.held = kind.held;
        row.retryAt = kind.isInBackoff ? 1 : 0;
        break;
    case FacetKey::Queue: row.queue = kind.queue; break;
    case FacetKey::Worker:
        if (!kind.cls) break;
        row.workerId = parts_.dictionary.classKey(*kind.cls).workerId;
        row.workerName = parts_.dictionary.classKey(*kind.cls).workerName;
        break;
    case FacetKey::Label: row.label = parts_.dictionary.label(kind.label); break;
    case FacetKey::Reason: row.outcome.emplace().reason = kind.reason; break;
    case FacetKey::Machine:
        if (kind.wasStarted) row.machine = kind.machine.empty() ? parts_.machineName : kind.machine;
        break;
    }
    return row;
}

std::string FacetTally::text(FacetKey key, std::size_t value) const {
    switch (key) {
    case FacetKey::State: return std::string(name(static_cast<ActionState>(value)));
    case FacetKey::Queue: return fmt::format("{}", queues_[value].value);
    case FacetKey::Worker: return std::string(workers_[value]);
    case FacetKey::Label: return parts_.dictionary.label(static_cast<std::uint32_t>(value));
    case FacetKey::Reason: return std::string(name(static_cast<Reason>(value)));
    case FacetKey::Machine: return machines_[value];
    }
    return {};
}

coro::Task<std::vector<FacetList>> FacetTally::lists() const {
    std::vector<FacetList> lists;
    for (const Facet& facet : facets_) {
        Largest largest;
        for (std::size_t value = 0; value < facet.counts.size(); ++value) {
            largest.add({facet.counts[value], value});
            if (value % kPerSlice == kPerSlice - 1) co_await coro::yieldNow();
        }
        FacetList& list = lists.emplace_back();
        list.key = facet.key;
        list.others = largest.others();
        for (const auto& [count, value] : largest.entries())
            list.values.emplace_back(text(facet.key, value), count);
        std::ranges::sort(list.values, [](const auto& a, const auto& b) {
            return a.second != b.second ? a.second > b.second : a.first < b.first;
        });
    }
    co_return lists;
}

} // namespace yard::engine

#include "core/session/indexed_resources.h"

#include "core/fleet/fleet.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace yard::session {

namespace {

IndexPool::Ask askOf(std::string_view resource, std::int64_t amount, const Resources& need) {
    return {amount, resource == kGpus ? need.gpuMemoryMb : 0};
}

} // namespace

IndexedResources::IndexedResources(ResourceNames names, std::vector<std::int64_t> gpuMemory) {
    for (auto& [resource, pieces] : names) {
        const std::size_t count = pieces.size();
        IndexPool pool = resource == kGpus ? IndexPool(count, std::exchange(gpuMemory, {})) : IndexPool(count);
        pools_.emplace(resource, Pool{.names = std::move(pieces), .pieces = std::move(pool)});
    }
}

std::vector<std::int64_t> IndexedResources::gpuMemory() const {
    const auto at = pools_.find(kGpus);
    return at == pools_.end() ? std::vector<std::int64_t>() : at->second.pieces.memory();
}

ResourceNames IndexedResources::names() const {
    ResourceNames names;
    for (const auto& [resource, pool] : pools_) names.emplace(resource, pool.names);
    return names;
}

template<class Each>
bool IndexedResources::forAll(const Resources& need, Each each) const {
    return std::ranges::all_of(need.named, [&](const auto& entry) {
        const auto at = entry.second > 0 ? pools_.find(entry.first) : pools_.end();
        return at == pools_.end() || each(*at, askOf(entry.first, entry.second, need));
    });
}

bool IndexedResources::fits(const Resources& need) const {
    return forAll(need, [](const auto& pool, IndexPool::Ask ask) { return pool.second.pieces.fits(ask); });
}

bool IndexedResources::isAmount(const Resources& need) const {
    return forAll(need, [](const auto&, IndexPool::Ask ask) { return IndexPool::isAmount(ask.amount); });
}

bool IndexedResources::everFits(const Resources& need) const {
    return forAll(need, [](const auto& pool, IndexPool::Ask ask) { return pool.second.pieces.everFits(ask); });
}

bool IndexedResources::leaves(const Resources& need, const Resources& reserved) const {
    return forAll(need, [&](const auto& pool, IndexPool::Ask ask) {
        const std::int64_t kept = fleet::amountOf(reserved, pool.first);
        if (kept == 0 || !pool.second.pieces.fits(ask)) return true;
        IndexPool after = pool.second.pieces;
        (void)after.take(ask);
        return after.fits(askOf(pool.first, kept, reserved));
    });
}

unsigned IndexedResources::room(const Resources& need, unsigned most) const {
    unsigned room = most;
    (void)forAll(need, [&](const auto& pool, IndexPool::Ask ask) {
        IndexPool after = pool.second.pieces;
        unsigned count = 0;
        for (; count < room && after.fits(ask); ++count) (void)after.take(ask);
        room = count;
        return true;
    });
    return room;
}

std::optional<IndexedResources::Fitting> IndexedResources::fitting(std::string_view resource,
                                                                   const Resources& need) const {
    const auto at = pools_.find(resource);
    if (at == pools_.end()) return std::nullopt;
    const IndexPool& pool = at->second.pieces;
    const IndexPool::Ask ask = askOf(resource, fleet::amountOf(need, resource), need);
    return Fitting{.pieces = pool.fitting(ask),
                   .all = pool.size(),
                   .isAmount = IndexPool::isAmount(ask.amount),
                   .memory = ask.memory,
                   .lacksMemory = !pool.fits(ask) && pool.fits(ask.amount),
                   .isTooLarge = !pool.everFits(ask) && pool.everFits(ask.amount)};
}

std::optional<std::int64_t> IndexedResources::free(std::string_view resource) const {
    const auto at = pools_.find(resource);
    return at == pools_.end() ? std::nullopt : std::optional(at->second.pieces.free());
}

void IndexedResources::take(Holder holder, const Resources& need) {
    std::vector<Taken> taken;
    for (const auto& [name, amount] : need.named) {
        const auto at = amount > 0 ? pools_.find(name) : pools_.end();
        if (at == pools_.end()) continue;
        const IndexPool::Ask ask = askOf(name, amount, need);
        taken.push_back({.of = &*at, .ask = ask, .pieces = at->second.pieces.take(ask)});
    }
    if (taken.empty()) return;
    [[maybe_unused]] const bool isNew = held_.emplace(holder, std::move(taken)).second;
    assert(isNew);
}

void IndexedResources::give(Holder holder) {
    const auto at = held_.find(holder);
    if (at == held_.end()) return;
    for (const Taken& taken : at->second) taken.of->second.pieces.give(taken.pieces, taken.ask);
    held_.erase(at);
}

void IndexedResources::takeAs(Holder holder, const IndexedResources& other) {
    const auto at = other.held_.find(holder);
    if (at == other.held_.end()) return;
    std::vector<Taken> taken;
    for (const Taken& one : at->second) {
        const auto own = pools_.find(one.of->first);
        if (own == pools_.end()) continue;
        own->second.pieces.takeThese(one.pieces, one.ask);
        taken.push_back({.of = &*own, .ask = one.ask, .pieces = one.pieces});
    }
    if (!taken.empty()) held_.emplace(holder, std::move(taken));
}

GivenResources IndexedResources::given(Holder holder) const {
    GivenResources given;
    const auto at = held_.find(holder);
    if (at == held_.end()) return given;
    for (const Taken& taken : at->second) {
        const auto& [resource, pool] = *taken.of;
        GivenResource& one = given.emplace_back(GivenResource{.resource = resource, .names = {}});
        for (const IndexPool::Index piece : taken.pieces) one.names.push_back(pool.names[piece]);
    }
    return given;
}

void IndexedResources::setLost(std::string_view resource, std::string_view name, bool isLost) {
    const auto at = pools_.find(resource);
    if (at == pools_.end()) return;
    const auto piece = std::ranges::find(at->second.names, name);
    if (piece != at->second.names.end())
        at->second.pieces.setLost(static_cast<IndexPool::Index>(piece - at->second.names.begin()), isLost);
}

} // namespace yard::session

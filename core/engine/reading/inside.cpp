#include "core/engine/reading/inside.h"

#include "core/base/memory_ledger.h"

#include <utility>

namespace yard::engine {

std::vector<CacheView> Inside::caches() const {
    if (!parts_) return {};
    const SpecCache& specs = parts_->specs;
    const SortedListCache& lists = parts_->lists;
    return {{.part = {.name = kSpecs, .bytes = specs.bytes(), .items = specs.size(), .budget = specs.limit()},
             .hits = specs.hits(),
             .misses = specs.misses()},
            {.part = {.name = kLists,
                      .bytes = lists.lsns() * sizeof(Lsn),
                      .items = lists.size(),
                      .budget = SortedListCache::kMostLsns * sizeof(Lsn)},
             .hits = lists.hits(),
             .misses = lists.misses()}};
}

bool Inside::emptyCache(std::string name) {
    if (!parts_) return false;
    if (name == kSpecs) {
        parts_->specs.clear();
    } else if (name == kLists) {
        parts_->lists.clear();
    } else {
        return false;
    }
    logWarning("engine", "the cache of {} was emptied on request", name);
    return true;
}

std::vector<MemoryPart> Inside::memory() const {
    if (!parts_) return {};
    std::vector<MemoryPart> all;
    all.push_back({.name = "scheduler", .bytes = parts_->session.memoryBytes()});
    for (const CacheView& cache : caches()) all.push_back(cache.part);
    all.push_back({.name = "values that are never kept",
                   .bytes = parts_->unkept.bytes(),
                   .items = parts_->unkept.size(),
                   .budget = parts_->unkept.limit()});
    constexpr std::pair<std::string_view, MemoryOwner> kCounted[] = {
        {"cooperative threads", MemoryOwner::Functions}, {"journal", MemoryOwner::Journal},
        {"timelines", MemoryOwner::Timelines},           {"history", MemoryOwner::History},
        {"changes for watchers", MemoryOwner::Changes},  {"buffers of connections", MemoryOwner::Http},
        {"outputs on their way", MemoryOwner::Outputs},  {"buffers of the pool", MemoryOwner::Pool},
        {"buffers of links", MemoryOwner::Links}};
    for (const auto& [name, owner] : kCounted) {
        const MemoryCharge charge = memoryOf(owner);
        all.push_back({.name = name, .bytes = charge.bytes, .items = charge.items});
    }
    return all;
}

} // namespace yard::engine

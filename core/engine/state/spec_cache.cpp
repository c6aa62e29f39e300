#include "core/engine/state/spec_cache.h"

namespace yard::engine {

void SpecCache::put(Lsn lsn, SpecPtr spec) {
    const std::size_t bytes = spec->footprint();
    if (bytes > limit_) return;
    const auto [at, isNew] = entries_.try_emplace(lsn, Entry{std::move(spec), bytes});
    if (!isNew) return;
    order_.push_back(lsn);
    bytes_ += bytes;
    while (bytes_ > limit_) {
        const Lsn oldest = order_.front();
        order_.pop_front();
        remove(oldest);
    }
    // Entries that were taken leave their place in the order behind; at most as many again are kept.
    while (order_.size() > 2 * entries_.size() + 64) {
        const Lsn oldest = order_.front();
        order_.pop_front();
        if (entries_.contains(oldest)) order_.push_back(oldest);
    }
}

SpecPtr SpecCache::take(Lsn lsn) {
    SpecPtr spec = remove(lsn);
    ++(spec ? hits_ : misses_);
    return spec;
}

SpecPtr SpecCache::remove(Lsn lsn) {
    const auto at = entries_.find(lsn);
    if (at == entries_.end()) return nullptr;
    SpecPtr spec = std::move(at->second.spec);
    bytes_ -= at->second.bytes;
    entries_.erase(at);
    return spec;
}

void SpecCache::clear() {
    entries_.clear();
    order_.clear();
    bytes_ = 0;
}

} // namespace yard::engine

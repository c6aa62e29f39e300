#include "core/session/id_map.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

std::size_t IdMap::lowerBound(std::int64_t number) const {
    const auto it = std::lower_bound(directories_.begin(), directories_.end(), number,
                                     [](const auto& directory, std::int64_t n) { return directory->number < n; });
    return static_cast<std::size_t>(it - directories_.begin());
}

std::uint32_t IdMap::find(std::int64_t id) const {
    if (id < 0) return kNone;
    const std::int64_t number = id >> 24;
    if (!recent_ || recent_->number != number) {
        const std::size_t at = lowerBound(number);
        if (at == directories_.size() || directories_[at]->number != number) return kNone;
        recent_ = directories_[at].get();
    }
    const Leaf* leaf = recent_->leaves[(id >> 12) & 4095].get();
    return leaf ? leaf->at[id & 4095] : kNone;
}

std::pair<std::int64_t, std::uint32_t> IdMap::next(std::int64_t id) const {
    id = std::max<std::int64_t>(id, 0);
    for (std::size_t at = lowerBound(id >> 24); at < directories_.size(); ++at) {
        const Directory& directory = *directories_[at];
        id = std::max(id, directory.number << 24);
        for (std::int64_t end = (directory.number + 1) << 24; id < end;) {
            const Leaf* leaf = directory.leaves[(id >> 12) & 4095].get();
            const std::int64_t leafEnd = ((id >> 12) + 1) << 12;
            if (leaf)
                for (; id < leafEnd; ++id)
                    if (leaf->at[id & 4095] != kNone) return {id, leaf->at[id & 4095]};
            id = leafEnd;
        }
    }
    return {-1, kNone};
}

void IdMap::insert(std::int64_t id, std::uint32_t place) {
    assert(id >= 0 && place != kNone);
    const std::int64_t number = id >> 24;
    if (!recent_ || recent_->number != number) {
        const std::size_t at = lowerBound(number);
        if (at == directories_.size() || directories_[at]->number != number) {
            auto made = std::make_unique<Directory>();
            made->number = number;
            directories_.insert(directories_.begin() + static_cast<std::ptrdiff_t>(at), std::move(made));
        }
        recent_ = directories_[at].get();
    }
    auto& leaf = recent_->leaves[(id >> 12) & 4095];
    if (!leaf) {
        leaf = std::make_unique<Leaf>();
        leaf->at.fill(kNone);
        ++recent_->used;
    }
    std::uint32_t& entry = leaf->at[id & 4095];
    if (entry == kNone) ++leaf->used;
    entry = place;
}

void IdMap::erase(std::int64_t id) {
    [[maybe_unused]] const std::uint32_t place = find(id); // leaves its directory in recent_
    assert(place != kNone);
    auto& leaf = recent_->leaves[(id >> 12) & 4095];
    leaf->at[id & 4095] = kNone;
    if (--leaf->used > 0) return;
    leaf.reset();
    if (--recent_->used > 0) return;
    directories_.erase(directories_.begin() + static_cast<std::ptrdiff_t>(lowerBound(recent_->number)));
    recent_ = nullptr;
}

std::size_t IdMap::memoryBytes() const {
    std::size_t bytes = directories_.capacity() * sizeof(void*);
    for (const auto& directory : directories_) bytes += sizeof(Directory) + directory->used * sizeof(Leaf);
    return bytes;
}

} // namespace yard::session

#include "core/lifecycle/orphans.h"

namespace yard::lifecycle {

void Orphans::add(const Object& object, OrphanReason why) {
    if (!reasons_.emplace(object.id, why).second) return;
    if (counts_.size() <= object.type) counts_.resize(std::size_t{object.type} + 1);
    ++counts_[object.type][std::to_underlying(why)];
}

void Orphans::remove(const Object& object) {
    if (const auto was = reasons_.extract(object.id); !was.empty())
        --counts_[object.type][std::to_underlying(was.mapped())];
}

void Orphans::warn(Object& object) {
    if (!object.isWarned) unwarned_.push_back(object.id);
    object.isWarned = true;
}

std::vector<WarnOrphan> Orphans::first(std::size_t most) const {
    std::vector<WarnOrphan> some;
    for (const auto& [id, why] : reasons_) {
        if (some.size() == most) break;
        some.push_back({.object = id, .why = why});
    }
    return some;
}

std::size_t Orphans::count(TypeNumber type, OrphanReason why) const {
    return type < counts_.size() ? counts_[type][std::to_underlying(why)] : 0;
}

} // namespace yard::lifecycle

#include "core/session/capacity.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

CoreCapacity::CoreCapacity(std::int64_t milliCores)
    : total_(milliCores) {
    assert(milliCores > 0);
}

bool CoreCapacity::fits(const Resources& need) const {
    return inUse_ + need.milliCores <= total_;
}

bool CoreCapacity::everFits(const Resources& need) const {
    return need.milliCores <= total_;
}

double CoreCapacity::dominantShare(const Resources& need) const {
    return static_cast<double>(std::max<std::int64_t>(need.milliCores, 1)) / static_cast<double>(total_);
}

void CoreCapacity::take(const Resources& need) {
    inUse_ += need.milliCores;
}

void CoreCapacity::give(const Resources& need) {
    inUse_ -= need.milliCores;
    assert(inUse_ >= 0);
}

} // namespace yard::session

#include "core/launcher/guest_times.h"

#include <algorithm>
#include <cassert>

namespace yard::runners {

void GuestTimes::set(std::uint32_t group, BootTime until) {
    assert(group >= 1 && group <= kMaxGuestGroup);
    times_[group] = {.until = until, .isTold = false};
}

bool GuestTimes::mayRun(std::uint32_t group, BootTime now) const {
    if (group == 0) return true;
    const auto at = times_.find(group);
    return at != times_.end() && now < at->second.until;
}

std::vector<std::uint32_t> GuestTimes::takeOver(BootTime now) {
    std::vector<std::uint32_t> over;
    for (auto& [group, time] : times_) {
        if (time.isTold || now < time.until) continue;
        time.isTold = true;
        over.push_back(group);
    }
    return over;
}

BootTime GuestTimes::next() const {
    BootTime at = BootTime::max();
    for (const auto& [group, time] : times_)
        if (!time.isTold) at = std::min(at, time.until);
    return at;
}

} // namespace yard::runners

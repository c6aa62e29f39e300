#include "core/courtesy/freezer.h"

#include <algorithm>
#include <ranges>

namespace yard::courtesy {

Freezer::Steps Freezer::look(Extent wanted, std::span<const Freezable> running, MonoTime now) {
    Steps steps;
    due_.reset();
    const std::set<Freezable> there(running.begin(), running.end());
    for (auto at = standing_.begin(); at != standing_.end();) {
        if (wanted != Extent::Nothing && there.contains(*at)) {
            ++at;
            continue;
        }
        steps.goOn.push_back(*at);
        at = standing_.erase(at);
    }
    if (wanted == Extent::Nothing) {
        stepped_.reset();
        return steps;
    }
    std::vector<Freezable> going;
    for (const Freezable& one : running | std::views::reverse)
        if (!standing_.contains(one)) going.push_back(one);
    if (going.empty()) return steps;
    if (wanted == Extent::Newest) {
        if (stepped_ && now - *stepped_ < kBetweenSteps) {
            due_ = *stepped_ + kBetweenSteps;
            return steps;
        }
        stepped_ = now;
        going.resize((going.size() + 1) / 2);
        if (standing_.size() + going.size() < there.size()) due_ = now + kBetweenSteps;
    }
    standing_.insert(going.begin(), going.end());
    steps.stop = std::move(going);
    return steps;
}

} // namespace yard::courtesy

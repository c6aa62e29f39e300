#include "core/runners/warm_release.h"

#include <algorithm>

namespace yard::runners {

bool WarmRelease::giveMemory(std::int64_t memoryMb) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t idle = 0;
    std::int64_t coming = 0;
    for (const auto& [number, process] : processes_.all()) {
        const auto inPool = shared_.pool.process(process->inPool);
        const std::int64_t holds = process->worker->descriptor->resources.memoryMb;
        if (inPool && inPool->state == pool::ProcessState::Idle) idle += holds;
        if (inPool && inPool->state == pool::ProcessState::Stopping) coming += holds;
    }
    if (idle + coming < memoryMb) return false;
    while (coming < memoryMb) {
        const auto group = shared_.pool.evictIdle([this](pool::GroupId id) { return workers_.memoryOf(id) > 0; },
                                                  MonoClock::now(), shared_.out);
        if (!group) break;
        coming += workers_.memoryOf(*group);
    }
    return coming >= memoryMb;
}

bool WarmRelease::keepAny() const {
    return std::ranges::any_of(processes_.all(), [](const auto& process) { return !process.second->kept.empty(); });
}

bool WarmRelease::giveNamed(const std::string& name) {
    YARD_ASSERT_OWNER(owner_);
    const bool isComing = std::ranges::any_of(processes_.all(), [&](const auto& entry) {
        const WarmProcess& process = *entry.second;
        const auto inPool = shared_.pool.process(process.inPool);
        return workers_.keeps(process.worker->group, name) && inPool &&
               inPool->state == pool::ProcessState::Stopping;
    });
    return isComing || shared_.pool.evictIdle([&](pool::GroupId id) { return workers_.keeps(id, name); },
                                              MonoClock::now(), shared_.out);
}

void WarmRelease::endThoseWith(const std::string& resource, const std::string& name) {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& [number, process] : processes_.all())
        if (wasGiven(process->kept, resource, name))
            shared_.pool.detach(process->inPool, pool::WhyEnded::Detached, MonoClock::now(), shared_.out);
}

} // namespace yard::runners

// Allocators, given what they need of the others.
#include "core/engine/kernel/wiring.h"

#include "core/engine/kernel/wires.h"
#include "core/model/worker.h"
#include "core/session/outline.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace yard::engine {

/// Work that waits for nothing but a place, and may run on a machine that comes: a command that is not told to stay, of
/// a class without locks.
static bool mayGoElsewhere(const session::Outline::ClassPart& cls) {
    if (!cls.locks.empty() || cls.gate) return false;
    if (!cls.where.platform.empty() && cls.where.platform != thisPlatform()) return false;
    // Names and tags are of machines that there are; what a pilot will be called nobody knows.
    return cls.where.machines.empty();
}

static allocators::WaitingWork shapeOf(const Resources& resources) {
    allocators::WaitingWork work;
    work.cores = static_cast<double>(resources.milliCores) / 1'000;
    work.memoryMb = static_cast<std::uint64_t>(std::max<std::int64_t>(resources.memoryMb, 0));
    work.gpus = static_cast<double>(resources.amountOf(kGpus)) / 1'000;
    return work;
}

/// Likes together; of long queues each so many-th action stands for those between.
std::vector<allocators::WaitingWork> Wiring::workForPilots(MonoTime now) {
    constexpr int kMostItems = 2'000;
    const session::Outline outline = services_.session->outline(kMostItems, now);
    using Key = std::tuple<std::size_t, std::size_t, std::uint32_t>; // class, queue, label
    std::map<Key, std::pair<allocators::WaitingWork, double>> likes;
    std::map<session::ClassId, Duration> usual; // the longest that is known of each class
    for (const session::Outline::Item& item : outline.waiting) {
        if (item.notBefore > now || outline.queues[item.queue].stands) continue;
        const session::Outline::ClassPart& cls = outline.classes[item.cls];
        if (!mayGoElsewhere(cls)) continue;
        const auto [at, isNew] = likes.try_emplace({item.cls, item.queue, item.label.value});
        auto& [work, count] = at->second;
        if (isNew) {
            work = shapeOf(cls.resources);
            work.seconds = services_.estimates->usual(outline.queues[item.queue].id, cls.id, item.label);
            if (cls.where.longest > Duration::zero()) work.longest = cls.where.longest;
            if (work.seconds) usual[cls.id] = std::max(usual[cls.id], *work.seconds);
        }
        count += item.stands;
    }
    for (const auto& [cls, time] : usual) services_.classes->usually(cls, time);
    std::vector<allocators::WaitingWork> all;
    for (auto& [key, like] : likes) {
        like.first.count = static_cast<std::uint64_t>(std::llround(like.second));
        all.push_back(like.first);
    }
    return all;
}

void Wiring::openAllocators() {
    services_.allocators.emplace(Allocators::Parts{
        .tickets = ground_.pilotTickets,
        .engineId = ground_.directory->engineId(),
        .yardName = ground_.machineName,
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .waiting = [this](MonoTime now) { return workForPilots(now); },
        .machines = [this] { return services_.machines->list(); },
        .removeMachine = [this](std::uint32_t id) { return services_.machines->remove(id, false); },
        .spawn = spawningOn(ground_.loop),
        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Machines); },
        .now = [this] { return ground_.loop.now(); }});
}

} // namespace yard::engine

#include "core/allocators/demand.h"

#include <algorithm>
#include <cmath>

namespace yard::allocators {

namespace {

/// How much of a machine one takes, 1 is all of it; over 1 it does not fit.
double shareOf(const WaitingWork& work, const Shape& shape) {
    constexpr double kDoesNotFit = 2;
    double share = 0;
    const auto take = [&share](double need, double has) {
        if (need <= 0) return;
        share = std::max(share, has > 0 ? need / has : kDoesNotFit);
    };
    take(work.cores, shape.cores);
    take(work.gpus, shape.gpus);
    if (shape.memoryMb > 0) take(static_cast<double>(work.memoryMb), static_cast<double>(shape.memoryMb));
    return share;
}

Duration lengthOf(const WaitingWork& work) {
    return work.seconds.value_or(work.deadline ? std::min(kUnseen, *work.deadline) : kUnseen);
}

/// An action goes where its deadline fits, or what its kind takes if that is shorter.
bool fitsLifetime(const WaitingWork& work, Duration lifetime) {
    if (work.longest) return *work.longest <= lifetime;
    Duration longest = lengthOf(work);
    if (work.deadline && !work.seconds) longest = *work.deadline;
    return longest <= lifetime;
}

/// As a count of machines; more than any `max` where it is larger than a number holds.
unsigned machines(double count) {
    constexpr double kMost = 1'000'000;
    return static_cast<unsigned>(std::ceil(std::min(count, kMost)));
}

} // namespace

Demand demandOf(std::span<const WaitingWork> work, const Shape& shape, const Limits& limits) {
    Demand demand;
    double beside = 0; // machines that all of them fill at once
    for (const WaitingWork& likes : work) {
        if (likes.count == 0) continue;
        const double share = shareOf(likes, shape);
        if (share > 1 || !fitsLifetime(likes, limits.lifetime)) {
            demand.unfit += likes.count;
            continue;
        }
        const double perMachine = share > 0 ? std::floor(1 / share) : static_cast<double>(likes.count);
        const double filled = static_cast<double>(likes.count) / std::max(perMachine, 1.0);
        demand.actions += likes.count;
        beside += filled;
        demand.machineSeconds += filled * std::chrono::duration<double>(lengthOf(likes)).count();
    }
    const double backlog = std::max(std::chrono::duration<double>(limits.backlog).count(), 1.0);
    const unsigned needed = std::min(machines(demand.machineSeconds / backlog), machines(beside));
    const unsigned most = std::max(limits.min, limits.max);
    demand.wanted = std::clamp(needed, limits.min, most);
    if (needed > most) {
        demand.because = Because::AtMost;
    } else if (needed < limits.min) {
        demand.because = Because::AtLeast;
    } else if (demand.actions > 0) {
        demand.because = Because::Backlog;
    } else {
        demand.because = demand.unfit > 0 ? Because::NothingFits : Because::NothingWaits;
    }
    return demand;
}

} // namespace yard::allocators

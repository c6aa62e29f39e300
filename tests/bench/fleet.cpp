#include "tests/bench/fleet.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

namespace yard::bench {

Resources Amounts::resources() const {
    Resources all{.milliCores = 1000 * cores, .memoryMb = memoryMb, .named = {}};
    if (gpus > 0) all.named = {{"gpus", 1000 * gpus}};
    return all;
}

Amounts Amounts::of(const Resources& resources) {
    return {.cores = resources.milliCores / 1000,
            .memoryMb = resources.memoryMb,
            .gpus = resources.named.empty() ? 0 : resources.named.front().second / 1000};
}

Fleet::Fleet(std::vector<Amounts> machines, const std::vector<Amounts>& kinds)
    : kinds_(kinds)
    , candidates_(kinds.size() * (kinds.size() + 1)) {
    assert(kinds.size() <= 16);
    for (const Amounts& has : machines) {
        machines_.push_back({.has = has, .free = has, .fits = 0});
        total_.cores += has.cores;
        total_.memoryMb += has.memoryMb;
        total_.gpus += has.gpus;
    }
    for (std::size_t i = machines_.size(); i > 0; --i) refresh(static_cast<std::int32_t>(i - 1));
}

void Fleet::refresh(std::int32_t at) const {
    Machine& machine = machines_[static_cast<std::size_t>(at)];
    Mask fits = 0;
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
        if (machine.free.holds(kinds_[kind]) && (at != kept_ || kind == keptFor_))
            fits = static_cast<Mask>(fits | 1u << kind);
    machine.fits = fits;
    const auto others = static_cast<std::size_t>(std::popcount(fits));
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
        if (fits & 1u << kind) candidates_[kind * (kinds_.size() + 1) + others].push_back(at);
}

std::int32_t Fleet::best(std::size_t kind) const {
    for (std::size_t others = 1; others <= kinds_.size(); ++others) {
        auto& list = candidates_[kind * (kinds_.size() + 1) + others];
        for (; !list.empty(); list.pop_back()) {
            const Mask fits = machines_[static_cast<std::size_t>(list.back())].fits;
            if ((fits & 1u << kind) && static_cast<std::size_t>(std::popcount(fits)) == others) return list.back();
        }
    }
    return -1;
}

std::size_t Fleet::kindOf(const Resources& need) const {
    const Amounts asked = Amounts::of(need);
    for (std::size_t kind = 0; kind < kinds_.size(); ++kind)
        if (kinds_[kind].holds(asked) && asked.holds(kinds_[kind])) return kind;
    std::abort(); // kinds are given at the start
}

void Fleet::beginTurn() {
    if (!asked_ && kept_ >= 0) refresh(std::exchange(kept_, -1));
    asked_ = false;
}

std::int32_t Fleet::nextPlace() {
    const std::int32_t place = placed_.at(told_++);
    if (told_ == placed_.size()) {
        placed_.clear();
        told_ = 0;
    }
    return place;
}

bool Fleet::fits(const session::Demand& need) const {
    return best(kindOf(*need.amounts)) >= 0;
}

bool Fleet::everFits(const session::Demand& need) const {
    const Amounts asked = Amounts::of(*need.amounts);
    return std::ranges::any_of(machines_, [&](const Machine& machine) { return machine.has.holds(asked); });
}

/// The machine that could hold this kind and has most of its cores free.
void Fleet::keepFor(std::size_t kind) const {
    std::int32_t most = -1;
    for (std::size_t i = 0; i < machines_.size(); ++i)
        if (machines_[i].has.holds(kinds_[kind]) &&
            (most < 0 || machines_[i].free.cores > machines_[static_cast<std::size_t>(most)].free.cores))
            most = static_cast<std::int32_t>(i);
    kept_ = most;
    keptFor_ = kind;
    refresh(most);
}

bool Fleet::leaves(const session::Demand& need, const session::Demand& reserved) const {
    asked_ = true;
    const std::size_t kind = kindOf(*reserved.amounts);
    if (kept_ >= 0 && keptFor_ != kind) refresh(std::exchange(kept_, -1));
    if (kept_ < 0) keepFor(kind);
    return best(kindOf(*need.amounts)) >= 0;
}

double Fleet::dominantShare(const Resources& need) const {
    const Amounts asked = Amounts::of(need);
    const auto share = [](std::int64_t part, std::int64_t of) {
        return of > 0 ? static_cast<double>(part) / static_cast<double>(of) : 0.0;
    };
    return std::max({share(std::max<std::int64_t>(asked.cores, 1), total_.cores),
                     share(asked.memoryMb, total_.memoryMb), share(asked.gpus, total_.gpus)});
}

std::vector<session::ResourceNeed> Fleet::describe(const session::Demand& need) const {
    Amounts free;
    for (const Machine& machine : machines_) free.cores += machine.free.cores;
    return {{"cores", static_cast<double>(need.amounts->milliCores) / 1000, static_cast<double>(total_.cores),
             static_cast<double>(free.cores)}};
}

Resources Fleet::taken() const {
    Amounts taken = total_;
    for (const Machine& machine : machines_) {
        taken.cores -= machine.free.cores;
        taken.memoryMb -= machine.free.memoryMb;
        taken.gpus -= machine.free.gpus;
    }
    return taken.resources();
}

void Fleet::take(const session::Demand& need, fleet::MachineId) {
    const std::size_t kind = kindOf(*need.amounts);
    const std::int32_t at = best(kind);
    if (at < 0) std::abort(); // the session asked fits() before
    if (at == kept_) kept_ = -1;
    Amounts& free = machines_[static_cast<std::size_t>(at)].free;
    free.cores -= kinds_[kind].cores;
    free.memoryMb -= kinds_[kind].memoryMb;
    free.gpus -= kinds_[kind].gpus;
    refresh(at);
    placed_.push_back(at);
}

void Fleet::give(const session::Demand& need, fleet::MachineId) {
    const Amounts asked = Amounts::of(*need.amounts);
    Amounts& free = machines_.at(static_cast<std::size_t>(giving_)).free;
    free.cores += asked.cores;
    free.memoryMb += asked.memoryMb;
    free.gpus += asked.gpus;
    refresh(giving_);
    giving_ = -1;
}

std::unique_ptr<session::Capacity> Fleet::idle(bool /*isOpen*/) const {
    return std::make_unique<session::MachineCapacity>(total_.resources());
}

} // namespace yard::bench

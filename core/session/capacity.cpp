#include "core/session/capacity.h"

#include "core/model/worker.h"

#include <algorithm>
#include <cassert>

namespace yard::session {

namespace {

bool isThisOne(std::string_view word) {
    return word == "local" || word == "any";
}

bool isNamed(const Where& where) {
    return where.machines.empty() || std::ranges::any_of(where.machines, isThisOne);
}

/// As a fleet of this machine alone would say, but for its name and tags, which are not known here.
bool isHere(const Where* where) {
    return !where || (isNamed(*where) && (where->platform.empty() || where->platform == thisPlatform()));
}

/// What none but this machine could be.
bool isOnlyHere(const Where& where) {
    return where.machines.size() == 1 && where.machines.front() == "local";
}

} // namespace

bool Capacity::mayFit(const Demand& need) const {
    if (everFits(need)) return true;
    if (!need.where || isOnlyHere(*need.where)) return false;
    const std::vector<fleet::WhyNot> all = why(need);
    const auto is = [](fleet::Unfit unfit) {
        return [unfit](const fleet::WhyNot& machine) { return machine.unfit == unfit; };
    };
    if (std::ranges::any_of(all, is(fleet::Unfit::Unknown))) return true;
    // Of the platform there is none, or none that takes workers; else each one of it is too small.
    const auto others = std::ranges::count_if(all, is(fleet::Unfit::NotNamed));
    const auto foreign = std::ranges::count_if(all, is(fleet::Unfit::Platform)) +
                         std::ranges::count_if(all, is(fleet::Unfit::Workers));
    return foreign > 0 && foreign + others == std::ssize(all);
}

MachineCapacity::MachineCapacity(const Resources& total)
    : cores_{total.milliCores, 0}
    , memory_{total.memoryMb, 0} {
    assert(total.milliCores > 0);
    for (const auto& [name, amount] : total.named) named_[name].total = amount;
}

std::unique_ptr<Capacity> MachineCapacity::idle(bool) const {
    auto machine = std::make_unique<MachineCapacity>(*this);
    machine->cores_.used = machine->memory_.used = 0;
    for (auto& [name, amount] : machine->named_) amount.used = 0;
    return machine;
}

const MachineCapacity::Amount& MachineCapacity::named(const std::string& name) const {
    static const Amount kNothing;
    const auto at = named_.find(name);
    return at == named_.end() ? kNothing : at->second;
}

bool MachineCapacity::fits(const Demand& demand) const {
    const Resources& need = *demand.amounts;
    return isHere(demand.where) && cores_.holds(need.milliCores) && memory_.holds(need.memoryMb) &&
           std::ranges::all_of(need.named,
                               [this](const auto& amount) { return named(amount.first).holds(amount.second); });
}

bool MachineCapacity::everFits(const Demand& demand) const {
    const Resources& need = *demand.amounts;
    return isHere(demand.where) && need.milliCores <= cores_.total && need.memoryMb <= memory_.total &&
           std::ranges::all_of(need.named,
                               [this](const auto& amount) { return amount.second <= named(amount.first).total; });
}

bool MachineCapacity::lacksCoresHere(const Demand& demand) const {
    Resources others = *demand.amounts;
    others.milliCores = 0;
    return everFits(demand) && !cores_.holds(demand.amounts->milliCores) &&
           fits({others, demand.slots, demand.where});
}

bool MachineCapacity::leaves(const Demand& demand, const Demand& keptFor) const {
    const Resources& need = *demand.amounts;
    const Resources& reserved = *keptFor.amounts;
    const auto enough = [](const Amount& amount, std::int64_t taken, std::int64_t kept) {
        return taken == 0 || kept == 0 || amount.free() - taken >= kept;
    };
    if (!enough(cores_, need.milliCores, reserved.milliCores) || !enough(memory_, need.memoryMb, reserved.memoryMb))
        return false;
    return std::ranges::all_of(need.named, [&](const auto& taken) {
        return enough(named(taken.first), taken.second, fleet::amountOf(reserved, taken.first));
    });
}

double MachineCapacity::dominantShare(const Resources& need) const {
    const auto share = [](std::int64_t part, const Amount& of) {
        return of.total > 0 ? static_cast<double>(part) / static_cast<double>(of.total) : 0.0;
    };
    double largest = share(std::max<std::int64_t>(need.milliCores, 1), cores_);
    largest = std::max(largest, share(need.memoryMb, memory_));
    for (const auto& [name, amount] : need.named) largest = std::max(largest, share(amount, named(name)));
    return largest;
}

std::vector<ResourceNeed> MachineCapacity::describe(const Demand& demand) const {
    const Resources& need = *demand.amounts;
    std::vector<ResourceNeed> all;
    const auto add = [&all](std::string name, std::int64_t asked, const Amount& amount, double unit) {
        if (asked == 0) return;
        all.push_back({std::move(name), static_cast<double>(asked) / unit, static_cast<double>(amount.total) / unit,
                       static_cast<double>(amount.free()) / unit});
    };
    add("cores", need.milliCores, cores_, 1000);
    add("memory_mb", need.memoryMb, memory_, 1);
    for (const auto& [name, amount] : need.named) add(name, amount, named(name), 1000);
    return all;
}

std::vector<fleet::WhyNot> MachineCapacity::why(const Demand& need) const {
    std::vector<fleet::WhyNot> all;
    if (!need.where || everFits(need)) return all;
    fleet::Unfit here = fleet::Unfit::TooSmall;
    if (!isHere(need.where)) here = isNamed(*need.where) ? fleet::Unfit::Platform : fleet::Unfit::NotNamed;
    all.push_back({.id = fleet::kLocal, .name = "local", .unfit = here});
    for (const std::string& word : need.where->machines)
        if (!isThisOne(word)) all.push_back({.id = fleet::kLocal, .name = word, .unfit = fleet::Unfit::Unknown});
    return all;
}

Resources MachineCapacity::taken() const {
    Resources taken{.milliCores = cores_.taken(), .memoryMb = memory_.taken(), .named = {}};
    for (const auto& [name, amount] : named_) taken.named.emplace_back(name, amount.taken());
    return taken;
}

Resources MachineCapacity::used() const {
    Resources used{.milliCores = cores_.used, .memoryMb = memory_.used, .named = {}};
    for (const auto& [name, amount] : named_) used.named.emplace_back(name, amount.used);
    return used;
}

void MachineCapacity::count(const Resources& by, int sign) {
    const auto add = [sign](Amount& amount, std::int64_t n) {
        amount.used += sign * n;
        assert(amount.used >= 0);
    };
    add(cores_, by.milliCores);
    add(memory_, by.memoryMb);
    for (const auto& [name, amount] : by.named)
        if (amount != 0) add(named_[name], amount);
}

void MachineCapacity::take(const Demand& need, fleet::MachineId) {
    count(*need.amounts, 1);
}

void MachineCapacity::give(const Demand& need, fleet::MachineId) {
    count(*need.amounts, -1);
}

} // namespace yard::session

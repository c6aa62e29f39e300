#include "core/fleet/fleet.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <tuple>
#include <utility>

namespace yard::fleet {

std::int64_t amountOf(const Resources& resources, std::string_view name) {
    const auto at =
        std::ranges::find(resources.named, name, [](const auto& entry) { return std::string_view(entry.first); });
    return at == resources.named.end() ? 0 : at->second;
}

namespace {

/// How many times `need` goes into what is left of `total`.
std::int64_t times(std::int64_t need, std::int64_t total, std::int64_t used) {
    if (need <= 0) return std::numeric_limits<std::int64_t>::max();
    return std::max<std::int64_t>(0, total - used) / need;
}

/// How many of `need` fit beside `used`, by amounts alone.
std::int64_t copies(const Resources& need, const Resources& total, const Resources& used) {
    std::int64_t most = std::min(times(need.milliCores, total.milliCores, used.milliCores),
                                 times(need.memoryMb, total.memoryMb, used.memoryMb));
    for (const auto& [name, amount] : need.named)
        most = std::min(most, times(amount, amountOf(total, name), amountOf(used, name)));
    return most;
}

void change(Resources& used, const Resources& by, int sign) {
    used.milliCores += sign * by.milliCores;
    used.memoryMb += sign * by.memoryMb;
    for (const auto& [name, amount] : by.named) {
        const auto at = std::ranges::find(used.named, name, [](const auto& entry) { return entry.first; });
        if (at != used.named.end())
            at->second += sign * amount;
        else
            used.named.emplace_back(name, sign * amount);
    }
}

/// Whether `need` can be taken of `free` without taking what `reserved` waits for, or could start with.
bool leavesOf(std::int64_t need, std::int64_t reserved, std::int64_t free) {
    return need == 0 || reserved == 0 || free - need >= reserved;
}

/// The part of what is needed that is not free, summed over the resources.
double lackOf(const Resources& need, const Resources& total, const Resources& used) {
    double lack = 0;
    const auto add = [&lack](std::int64_t asked, std::int64_t free) {
        if (asked > free) lack += static_cast<double>(asked - free) / static_cast<double>(asked);
    };
    add(need.milliCores, total.milliCores - used.milliCores);
    add(need.memoryMb, total.memoryMb - used.memoryMb);
    for (const auto& [name, amount] : need.named) add(amount, amountOf(total, name) - amountOf(used, name));
    return lack;
}

const Resources kNothing{.milliCores = 0, .memoryMb = 0, .named = {}};

constexpr std::int64_t kAnyFree = std::numeric_limits<std::int64_t>::min();

/// A machine with less takes none of it. Leases ahead take more cores than there are; what asks for none does not mind.
std::int64_t leastFree(const Ask& ask) {
    return ask.need.milliCores > 0 ? ask.need.milliCores : kAnyFree;
}

bool contains(const std::vector<MachineId>& ids, MachineId id) {
    return std::ranges::find(ids, id) != ids.end();
}

} // namespace

std::string_view name(Unfit unfit) {
    constexpr std::array<std::string_view, 14> kNames = {
        "none",     "unknown",   "not_named", "platform", "unsandboxed", "workers",  "too_small",
        "lifetime", "kept_from", "refused",   "silent",   "paused",      "draining", "full"};
    return kNames[std::to_underlying(unfit)];
}

const Fleet::Place* Fleet::find(MachineId id) const {
    return id.value < machines_.size() && machines_[id.value].isHere ? &machines_[id.value] : nullptr;
}

template<class Change>
void Fleet::changeFree(Place& place, Change change) {
    const std::int64_t before = place.free();
    change(place);
    if (place.free() == before) return;
    auto node = byFree_.extract({.milliCores = before, .id = place.id});
    assert(!node.empty());
    node.value().milliCores = place.free();
    byFree_.insert(std::move(node));
}

template<class Each>
void Fleet::byFree(const Ask& ask, std::int64_t least, Each each) const {
    if (ask.where.size() == 1 && ask.where.front() == "local") { // the usual one of commands
        const Place* local = find(kLocal);
        if (local && local->free() >= least) (void)each(*local);
        return;
    }
    for (const Free& one : byFree_)
        if (one.milliCores < least || !each(machines_[one.id.value])) return;
}

void Fleet::add(MachineId id, Machine machine) {
    assert(!has(id));
    if (machines_.size() <= id.value) machines_.resize(id.value + std::size_t{1});
    Place& place = machines_[id.value] = Place{};
    place.id = id;
    place.isHere = true;
    place.machine = std::move(machine);
    closest_.reset();
    byFree_.insert({.milliCores = place.free(), .id = id});
}

void Fleet::remove(MachineId id) {
    Place* place = find(id);
    if (!place) return;
    byFree_.erase({.milliCores = place->free(), .id = id});
    *place = Place{};
    closest_.reset();
}

void Fleet::change(MachineId id, Machine machine) {
    closest_.reset();
    if (Place* place = find(id)) changeFree(*place, [&](Place& of) { of.machine = std::move(machine); });
}

void Fleet::setGate(MachineId id, Gate gate) {
    closest_.reset();
    if (Place* place = find(id)) place->machine.gate = gate;
}

/// What is in use of these slots; nullptr: it takes none.
std::uint32_t* Fleet::countOf(Place& place, Slots slots) {
    switch (slots) {
    case Slots::Cores: return &place.attempts;
    case Slots::Others: return &place.others;
    case Slots::None: break;
    }
    return nullptr;
}

void Fleet::take(MachineId id, const Resources& need, Slots slots) {
    Place* place = find(id);
    if (!place) return;
    if (closest_ && closest_->second == id) closest_.reset();
    changeFree(*place, [&](Place& of) { fleet::change(of.used, need, 1); });
    if (std::uint32_t* count = countOf(*place, slots)) ++*count;
}

void Fleet::give(MachineId id, const Resources& need, Slots slots) {
    Place* place = find(id);
    if (!place) return;
    closest_.reset();
    changeFree(*place, [&](Place& of) { fleet::change(of.used, need, -1); });
    if (std::uint32_t* count = countOf(*place, slots)) {
        assert(*count > 0);
        --*count;
    }
}

bool Fleet::isNamed(MachineId id, const Machine& machine, const Ask& ask) {
    if (ask.where.empty()) return true;
    return std::ranges::any_of(ask.where, [&](std::string_view word) { return isCalled(id, machine, word); });
}

bool Fleet::isCalled(MachineId id, const Machine& machine, std::string_view word) {
    constexpr std::string_view kTag = "tag:";
    if (word == "any") return true;
    if (word == "local") return id == kLocal;
    if (!word.starts_with(kTag)) return word == machine.name;
    word.remove_prefix(kTag.size());
    return std::ranges::find(machine.tags, word) != machine.tags.end();
}

/// What does not change by waiting.
Unfit Fleet::lastingUnfit(MachineId id, const Machine& machine, const Ask& ask) {
    if (!isNamed(id, machine, ask)) return Unfit::NotNamed;
    if (!ask.platform.empty() && ask.platform != machine.platform) return Unfit::Platform;
    if (ask.isUnsandboxed && !machine.takesUnsandboxed) return Unfit::Unsandboxed;
    if (ask.isWorker && !machine.takesWorkers) return Unfit::Workers;
    const std::uint32_t slots = ask.slots == Slots::Others ? machine.otherSlots : machine.slots;
    if ((slots == 0 && ask.slots != Slots::None) || copies(ask.need, machine.total, kNothing) == 0)
        return Unfit::TooSmall;
    return Unfit::None;
}

std::int64_t Fleet::slotsLeft(const Place& place, Slots slots) {
    const auto left = [](std::uint32_t all, std::uint32_t used) -> std::int64_t {
        return all > used ? all - used : 0;
    };
    switch (slots) {
    case Slots::Cores: return left(place.machine.slots, place.attempts);
    case Slots::Others: return left(place.machine.otherSlots, place.others);
    case Slots::None: break;
    }
    return std::numeric_limits<std::uint32_t>::max();
}

unsigned Fleet::room(const Place& place, const Ask& ask) {
    return static_cast<unsigned>(
        std::min(slotsLeft(place, ask.slots), copies(ask.need, place.machine.total, place.used)));
}

Unfit Fleet::unfit(MachineId id, const Place& place, const Ask& ask) {
    const Machine& machine = place.machine;
    if (const Unfit lasting = lastingUnfit(id, machine, ask); lasting != Unfit::None) return lasting;
    if (machine.lifetime && ask.expected > *machine.lifetime) return Unfit::Lifetime;
    if (contains(ask.keptFrom, id)) return Unfit::KeptFrom;
    switch (machine.gate) {
    case Gate::Open: break;
    case Gate::Refused: return Unfit::Refused;
    case Gate::Silent: return Unfit::Silent;
    case Gate::Paused: return Unfit::Paused;
    case Gate::Draining: return Unfit::Draining;
    }
    return room(place, ask) > 0 ? Unfit::None : Unfit::Full;
}

/// In the order of machines. At most `most`, those with the most cores free, and those with its files.
std::vector<Fleet::Candidate> Fleet::candidates(const Ask& ask, std::size_t most) {
    std::vector<Candidate> all;
    const auto add = [&](const Place& place, bool isFirst) {
        if (unfit(place.id, place, ask) == Unfit::None)
            all.push_back({.id = place.id, .place = find(place.id), .room = room(place, ask), .isFirst = isFirst});
    };
    for (const MachineId id : ask.hasContent)
        if (const Place* place = find(id)) add(*place, true);
    const std::size_t enough = all.size() + most;
    byFree(ask, leastFree(ask), [&](const Place& place) {
        if (!contains(ask.hasContent, place.id)) add(place, false);
        return all.size() < enough;
    });
    std::ranges::sort(all, {}, &Candidate::id);
    if (all.size() > 1) std::erase_if(all, [&](const Candidate& one) { return ask.avoid == one.id; });
    return all;
}

std::optional<MachineId> Fleet::place(const Ask& ask) {
    const std::vector<Candidate> all = candidates(ask, kLooked);
    const auto best = std::ranges::max_element(all, [](const Candidate& a, const Candidate& b) {
        if (a.isFirst != b.isFirst) return b.isFirst;
        if (a.room != b.room) return a.room < b.room;
        return a.place->lastTurn > b.place->lastTurn;
    });
    if (best == all.end()) return std::nullopt;
    best->place->lastTurn = ++turn_;
    return best->id;
}

std::vector<Share> Fleet::split(const Ask& ask, unsigned count) {
    std::vector<Candidate> all = candidates(ask, std::max<std::size_t>(count, kLooked));
    std::uint64_t rooms = 0;
    for (const Candidate& one : all) rooms += one.room;
    const std::uint64_t placed = std::min<std::uint64_t>(count, rooms);
    if (placed == 0) return {};
    struct Part {
        std::size_t at;
        std::uint64_t whole;
        std::uint64_t rest; ///< of the division: who is owed most gets one more
    };
    std::vector<Part> parts;
    std::uint64_t left = placed;
    for (std::size_t at = 0; at < all.size(); ++at) {
        const std::uint64_t product = placed * all[at].room;
        parts.push_back({.at = at, .whole = product / rooms, .rest = product % rooms});
        left -= parts.back().whole;
    }
    std::ranges::sort(parts, [&](const Part& a, const Part& b) {
        if (a.rest != b.rest) return a.rest > b.rest;
        if (all[a.at].isFirst != all[b.at].isFirst) return all[a.at].isFirst;
        const std::uint64_t aTurn = all[a.at].place->lastTurn;
        const std::uint64_t bTurn = all[b.at].place->lastTurn;
        return aTurn != bTurn ? aTurn < bTurn : a.at < b.at;
    });
    // Fewer are left than parts with a rest, and such a part is below its machine's room: one more fits.
    for (Part& part : parts) {
        if (left == 0) break;
        ++part.whole;
        --left;
    }
    std::ranges::sort(parts, {}, &Part::at);
    std::vector<Share> shares;
    for (const Part& part : parts) {
        if (part.whole == 0) continue;
        all[part.at].place->lastTurn = ++turn_;
        shares.push_back({.machine = all[part.at].id, .count = static_cast<unsigned>(part.whole)});
    }
    return shares;
}

std::optional<MachineId> Fleet::placeAhead(const Ask& ask) const {
    std::optional<MachineId> best;
    double least = 0;
    for (const Place& place : machines_) {
        if (!place.isHere) continue;
        const Unfit why = unfit(place.id, place, ask);
        if ((why != Unfit::None && why != Unfit::Full) || slotsLeft(place, ask.slots) == 0) continue;
        const double taken = static_cast<double>(place.used.milliCores) /
                             static_cast<double>(std::max<std::int64_t>(place.machine.total.milliCores, 1));
        if (best && taken >= least) continue;
        best = place.id;
        least = taken;
    }
    return best;
}

bool Fleet::fits(const Ask& ask) const {
    bool isAny = false;
    byFree(ask, leastFree(ask), [&](const Place& place) {
        isAny = unfit(place.id, place, ask) == Unfit::None;
        return !isAny;
    });
    return isAny;
}

std::optional<MachineId> Fleet::closest(const Ask& ask) const {
    if (closest_ && closest_->first == ask) return closest_->second;
    const auto found = findClosest(ask);
    closest_.reset();
    if (found) closest_.emplace(ask, *found);
    return found;
}

std::optional<MachineId> Fleet::findClosest(const Ask& ask) const {
    // First those that take it once there is room, then those that are shut, then those that are too small: of these
    // rather one that lacks an amount than one that lacks slots of its kind.
    const auto rankOf = [&](MachineId id, const Machine& machine, Unfit why) {
        if (why == Unfit::None || why == Unfit::Full) return 0;
        const Unfit lasting = lastingUnfit(id, machine, ask);
        if (lasting == Unfit::None) return 1;
        return lasting == Unfit::TooSmall && copies(ask.need, machine.total, kNothing) == 0 ? 2 : 3;
    };
    struct Choice {
        MachineId id;
        int rank = 0;
        double lack = 0;
        unsigned room = 0;
    };
    std::optional<Choice> best;
    std::size_t alike = 0; // of those that lack as little as the best one
    const auto look = [&](const Place& place) {
        Choice own{.id = place.id, .rank = rankOf(place.id, place.machine, unfit(place.id, place, ask))};
        own.lack = lackOf(ask.need, place.machine.total, own.rank < 2 ? place.used : kNothing);
        own.room = room(place, ask);
        // Of those that are alike the first: they come by what is free.
        const auto of = [](const Choice& one, unsigned otherRoom, MachineId id) {
            return std::tuple(one.rank, one.lack, otherRoom, id);
        };
        const bool isLess = best && std::tuple(own.rank, own.lack) < std::tuple(best->rank, best->lack);
        alike = !best || isLess ? 1 : alike + (own.rank == best->rank && own.lack == best->lack ? 1 : 0);
        if (!best || of(own, best->room, own.id) < of(*best, own.room, best->id)) best = own;
    };
    byFree(ask, kAnyFree, [&](const Place& place) {
        // Whoever comes later has fewer cores free, and lacks no less of them.
        const double least = lackOf({.milliCores = ask.need.milliCores, .memoryMb = 0, .named = {}},
                                    place.machine.total, place.used);
        if (best && best->rank == 0 && (least > best->lack || alike >= kLooked)) return false;
        look(place);
        return true;
    });
    if (!best) // nothing that it asks for is there
        for (const Free& one : byFree_) look(machines_[one.id.value]);
    if (!best) return std::nullopt;
    return best->id;
}

bool Fleet::leavesThere(MachineId id, const Resources& need, const Resources& reserved) const {
    const Place* place = find(id);
    if (!place) return true;
    const Resources& total = place->machine.total;
    const Resources& used = place->used;
    if (!leavesOf(need.milliCores, reserved.milliCores, total.milliCores - used.milliCores) ||
        !leavesOf(need.memoryMb, reserved.memoryMb, total.memoryMb - used.memoryMb))
        return false;
    return std::ranges::all_of(need.named, [&](const auto& taken) {
        return leavesOf(taken.second, amountOf(reserved, taken.first),
                        amountOf(total, taken.first) - amountOf(used, taken.first));
    });
}

bool Fleet::leaves(const Ask& ask, MachineId kept, const Resources& reserved) const {
    // Where there is room now it goes there; where there is none, the question is what it would wait for.
    for (const Unfit wanted : {Unfit::None, Unfit::Full}) {
        bool isAny = false;
        bool isElsewhere = false;
        const bool isNow = wanted == Unfit::None;
        byFree(ask, isNow ? leastFree(ask) : kAnyFree, [&](const Place& place) {
            if (unfit(place.id, place, ask) != wanted) return true;
            isAny = true;
            isElsewhere = place.id != kept || leavesThere(place.id, ask.need, reserved);
            return !isElsewhere;
        });
        if (isElsewhere) return true;
        if (isAny) return false;
    }
    return true;
}

const Resources* Fleet::totalOf(MachineId id) const {
    const Place* place = find(id);
    return place ? &place->machine.total : nullptr;
}

const Resources* Fleet::usedOf(MachineId id) const {
    const Place* place = find(id);
    return place ? &place->used : nullptr;
}

Fleet Fleet::idle() const {
    Fleet idle = *this;
    idle.byFree_.clear();
    idle.closest_.reset();
    for (Place& place : idle.machines_) {
        if (!place.isHere) continue;
        place.used = kNothing;
        place.attempts = place.others = 0;
        idle.byFree_.insert({.milliCores = place.free(), .id = place.id});
    }
    return idle;
}

unsigned Fleet::roomFor(MachineId id, const Ask& ask) const {
    const Place* place = find(id);
    return place && unfit(id, *place, ask) == Unfit::None ? room(*place, ask) : 0;
}

Unfit Fleet::unfitOf(MachineId id, const Ask& ask) const {
    const Place* place = find(id);
    return place ? unfit(id, *place, ask) : Unfit::NotNamed;
}

std::vector<WhyNot> Fleet::why(const Ask& ask) const {
    std::vector<WhyNot> all;
    for (const Place& place : machines_)
        if (place.isHere)
            all.push_back({.id = place.id, .name = place.machine.name, .unfit = unfit(place.id, place, ask)});
    for (const std::string& word : ask.where) {
        const auto isThis = [&](const Place& place) {
            return place.isHere && isCalled(place.id, place.machine, word);
        };
        if (std::ranges::none_of(machines_, isThis))
            all.push_back({.id = kLocal, .name = word, .unfit = Unfit::Unknown});
    }
    return all;
}

bool Fleet::everFits(const Ask& ask) const {
    return std::ranges::any_of(machines_, [&](const Place& place) {
        return place.isHere && lastingUnfit(place.id, place.machine, ask) == Unfit::None;
    });
}

} // namespace yard::fleet

#include "core/fleet/fleet.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <utility>

namespace yard::fleet {

namespace {

std::int64_t amountOf(const Resources& resources, std::string_view name) {
    const auto at =
        std::ranges::find(resources.named, name, [](const auto& entry) { return std::string_view(entry.first); });
    return at == resources.named.end() ? 0 : at->second;
}

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

bool contains(const std::vector<MachineId>& ids, MachineId id) {
    return std::ranges::find(ids, id) != ids.end();
}

} // namespace

std::string_view name(Unfit unfit) {
    constexpr std::array<std::string_view, 12> kNames = {"none",      "not_named", "platform",  "unsandboxed",
                                                         "too_small", "lifetime",  "kept_from", "refused",
                                                         "silent",    "paused",    "draining",  "full"};
    return kNames[std::to_underlying(unfit)];
}

void Fleet::add(MachineId id, Machine machine) {
    assert(!machines_.contains(id));
    machines_[id].machine = std::move(machine);
}

void Fleet::change(MachineId id, Machine machine) {
    const auto at = machines_.find(id);
    if (at != machines_.end()) at->second.machine = std::move(machine);
}

void Fleet::take(MachineId id, const Resources& need) {
    const auto at = machines_.find(id);
    if (at == machines_.end()) return;
    fleet::change(at->second.used, need, 1);
    ++at->second.attempts;
}

void Fleet::give(MachineId id, const Resources& need) {
    const auto at = machines_.find(id);
    if (at == machines_.end()) return;
    assert(at->second.attempts > 0);
    fleet::change(at->second.used, need, -1);
    --at->second.attempts;
}

bool Fleet::isNamed(MachineId id, const Machine& machine, const Ask& ask) {
    if (ask.where.empty()) return true;
    return std::ranges::any_of(ask.where, [&](std::string_view word) {
        constexpr std::string_view kTag = "tag:";
        if (word == "any") return true;
        if (word == "local") return id == kLocal;
        if (!word.starts_with(kTag)) return word == machine.name;
        word.remove_prefix(kTag.size());
        return std::ranges::find(machine.tags, word) != machine.tags.end();
    });
}

/// What does not change by waiting.
Unfit Fleet::lastingUnfit(MachineId id, const Machine& machine, const Ask& ask) {
    if (!isNamed(id, machine, ask)) return Unfit::NotNamed;
    if (!ask.platform.empty() && ask.platform != machine.platform) return Unfit::Platform;
    if (ask.isUnsandboxed && !machine.takesUnsandboxed) return Unfit::Unsandboxed;
    const Resources nothing{.milliCores = 0, .memoryMb = 0, .named = {}};
    if (machine.slots == 0 || copies(ask.need, machine.total, nothing) == 0) return Unfit::TooSmall;
    return Unfit::None;
}

unsigned Fleet::room(const Place& place, const Ask& ask) {
    const std::uint32_t slots = place.machine.slots;
    const std::int64_t left = slots > place.attempts ? slots - place.attempts : 0;
    return static_cast<unsigned>(std::min(left, copies(ask.need, place.machine.total, place.used)));
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

std::vector<Fleet::Candidate> Fleet::candidates(const Ask& ask) {
    std::vector<Candidate> all;
    for (auto& [id, place] : machines_)
        if (unfit(id, place, ask) == Unfit::None)
            all.push_back(
                {.id = id, .place = &place, .room = room(place, ask), .isFirst = contains(ask.hasContent, id)});
    if (all.size() > 1) std::erase_if(all, [&](const Candidate& one) { return ask.avoid == one.id; });
    return all;
}

std::optional<MachineId> Fleet::place(const Ask& ask) {
    const std::vector<Candidate> all = candidates(ask);
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
    std::vector<Candidate> all = candidates(ask);
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

unsigned Fleet::roomFor(MachineId id, const Ask& ask) const {
    const auto at = machines_.find(id);
    if (at == machines_.end() || unfit(id, at->second, ask) != Unfit::None) return 0;
    return room(at->second, ask);
}

Unfit Fleet::unfitOf(MachineId id, const Ask& ask) const {
    const auto at = machines_.find(id);
    return at == machines_.end() ? Unfit::NotNamed : unfit(id, at->second, ask);
}

std::vector<WhyNot> Fleet::why(const Ask& ask) const {
    std::vector<WhyNot> all;
    for (const auto& [id, place] : machines_)
        all.push_back({.id = id, .name = place.machine.name, .unfit = unfit(id, place, ask)});
    return all;
}

bool Fleet::everFits(const Ask& ask) const {
    return std::ranges::any_of(machines_, [&](const auto& entry) {
        return lastingUnfit(entry.first, entry.second.machine, ask) == Unfit::None;
    });
}

} // namespace yard::fleet

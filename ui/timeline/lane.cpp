#include "ui/timeline/lane.h"

#include <algorithm>
#include <array>
#include <limits>

namespace yard::ui::timeline {

namespace {

constexpr std::array kBySeverity{DisplayState::Completed, DisplayState::Submitting, DisplayState::Running,
                                 DisplayState::Cancelled, DisplayState::Retry,      DisplayState::Abandoned,
                                 DisplayState::Failed};

} // namespace

Names::Names()
    : names_{QString()}
    , numbers_{{QString(), 0}} {}

std::uint32_t Names::add(const QString& name) {
    const auto [at, fresh] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (fresh) names_.push_back(name);
    return at->second;
}

int severity(DisplayState face) {
    switch (face) {
    case DisplayState::Failed: return 6;
    case DisplayState::Abandoned: return 5;
    case DisplayState::Retry: return 4;
    case DisplayState::Cancelled: return 3;
    case DisplayState::Running: return 2;
    case DisplayState::Submitting: return 1;
    case DisplayState::Completed:
    case DisplayState::Pending:
    case DisplayState::Held: return 0;
    }
    return 0;
}

DisplayState faceOfSeverity(int severity) {
    return kBySeverity[static_cast<std::size_t>(std::clamp(severity, 0, 6))];
}

int severity(const Item& item) {
    return severity(item.retried ? DisplayState::Retry : item.face);
}

Lane::Lane(std::vector<Item> items)
    : items_(std::move(items)) {
    std::ranges::sort(items_, [](const Item& a, const Item& b) {
        if (a.begin != b.begin) return a.begin < b.begin;
        return a.isStep > b.isStep; // so that a bar lies on the step it shares
    });
    latestEnd_.reserve(items_.size());
    coveredUpTo_.reserve(items_.size() + 1);
    coveredUpTo_.push_back(0);
    WallMicros latest = 0;
    for (const Item& item : items_) {
        latest = std::max(latest, item.isOpen() ? std::numeric_limits<WallMicros>::max() : item.end);
        latestEnd_.push_back(latest);
        const double length = item.isOpen() ? 0 : static_cast<double>(item.end - item.begin);
        coveredUpTo_.push_back(coveredUpTo_.back() + length * static_cast<double>(item.covered));
    }
    for (std::size_t kind = 0; kind < kSeverities; ++kind) {
        const auto is = [&](const Item& item) { return severity(item) == static_cast<int>(kind); };
        if (std::ranges::none_of(items_, is)) continue;
        std::vector<std::uint32_t>& counts = counts_[kind];
        counts.reserve(items_.size() + 1);
        counts.push_back(0);
        for (const Item& item : items_) counts.push_back(counts.back() + (is(item) ? 1U : 0U));
    }
}

std::size_t Lane::firstEndingAfter(WallMicros at) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(latestEnd_, at) - latestEnd_.begin());
}

std::size_t Lane::firstFrom(WallMicros at, std::size_t hint) const {
    // Doubling steps from the hint, then halving between the last two.
    std::size_t low = hint;
    std::size_t stride = 1;
    while (low < items_.size() && items_[low].begin < at) {
        const std::size_t next = low + stride;
        if (next >= items_.size() || items_[next].begin >= at) {
            std::size_t high = std::min(next, items_.size());
            while (low + 1 < high) {
                const std::size_t middle = low + (high - low) / 2;
                (items_[middle].begin < at ? low : high) = middle;
            }
            return low + 1;
        }
        low = next;
        stride *= 2;
    }
    return std::min(low, items_.size());
}

int Lane::worst(std::size_t first, std::size_t last) const {
    for (std::size_t kind = kSeverities; kind-- > 0;)
        if (!counts_[kind].empty() && counts_[kind][last] != counts_[kind][first]) return static_cast<int>(kind);
    return 0;
}

std::size_t Lane::firstOf(int severity, std::size_t first) const {
    const std::vector<std::uint32_t>& counts = counts_[static_cast<std::size_t>(severity)];
    if (counts.empty() || first >= items_.size()) return items_.size();
    const auto after =
        std::upper_bound(counts.begin() + static_cast<std::ptrdiff_t>(first), counts.end(), counts[first]);
    return after == counts.end() ? items_.size() : static_cast<std::size_t>(after - counts.begin()) - 1;
}

std::size_t Lane::at(WallMicros time, WallMicros now) const {
    std::size_t found = items_.size();
    for (std::size_t i = firstEndingAfter(time); i < items_.size() && items_[i].begin <= time; ++i) {
        if (items_[i].until(now) <= time) continue;
        // A bar before the step it lies on, else the worse one.
        const bool better = found == items_.size() || (items_[found].isStep && !items_[i].isStep) ||
                            severity(items_[i]) > severity(items_[found]);
        if (better) found = i;
    }
    return found;
}

bool Lane::hasWorkIn(Range range) const {
    const std::size_t first = firstEndingAfter(range.from);
    return first < items_.size() && items_[first].begin < range.to;
}

std::size_t Picture::items() const {
    std::size_t all = 0;
    for (const Group& group : groups)
        for (const auto& [slot, lane] : group.lanes) all += lane.size();
    return all;
}

const Group* Picture::group(const QString& worker) const {
    const auto found = std::ranges::find(groups, worker, &Group::worker);
    return found == groups.end() ? nullptr : &*found;
}

std::uint32_t machineSlotOf(const Lane& lane, std::uint32_t slot) {
    return lane.isEmpty() || lane[0].machineSlot == 0 ? slot : lane[0].machineSlot;
}

Picture bySlot(const Picture& picture) {
    std::map<std::uint32_t, std::vector<Item>> machineSlots;
    for (const Group& group : picture.groups)
        for (const auto& [slot, lane] : group.lanes) {
            auto& items = machineSlots[machineSlotOf(lane, slot)];
            items.insert(items.end(), lane.items().begin(), lane.items().end());
        }
    Picture all{picture.range, picture.now, picture.step, {}, picture.names};
    if (machineSlots.empty()) return all;
    Group machine;
    for (auto& [slot, items] : machineSlots) machine.lanes.emplace(slot, Lane(std::move(items)));
    all.groups.push_back(std::move(machine));
    return all;
}

} // namespace yard::ui::timeline

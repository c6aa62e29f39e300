#include "ui/timeline/lane_layout.h"

#include <algorithm>

namespace yard::ui::timeline {

int nextLaneHeight(int height, int by) {
    const auto* at = std::ranges::lower_bound(kLaneHeights, height);
    const auto last = static_cast<std::ptrdiff_t>(kLaneHeights.size()) - 1;
    const std::ptrdiff_t index = std::min(at - kLaneHeights.begin(), last);
    return kLaneHeights[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(index + by, 0, last))];
}

int bodyHeight(int laneHeight) {
    return laneHeight - (laneHeight < 14 ? 2 : 6);
}

LaneLayout::LaneLayout(const std::vector<GroupSlots>& groups, int laneHeight, const std::set<QString>& folded,
                       const std::set<QString>& unfolded)
    : laneHeight_(laneHeight) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const GroupSlots& group = groups[i];
        add({.kind = LayoutRow::Kind::Head, .group = i, .height = kGroupHead});
        if (folded.contains(group.worker)) continue;
        const bool all = unfolded.contains(group.worker);
        int idle = 0;
        bool odd = false;
        for (const auto& [slot, busy] : group.busy) {
            if (!busy) ++idle;
            if (!busy && !all) continue;
            add({.kind = LayoutRow::Kind::Lane, .group = i, .slot = slot, .height = laneHeight, .isOdd = odd});
            odd = !odd;
        }
        if (idle > 0) add({.kind = LayoutRow::Kind::Idle, .group = i, .count = idle, .height = kIdleRow});
    }
}

void LaneLayout::add(LayoutRow row) {
    row.top = height_;
    height_ += row.height;
    rows_.push_back(row);
}

int LaneLayout::rowAt(int y) const {
    if (y < 0 || y >= height_) return -1;
    const auto after = std::ranges::upper_bound(rows_, y, {}, &LayoutRow::top);
    return static_cast<int>(after - rows_.begin()) - 1;
}

int LaneLayout::rowOf(std::size_t group, std::uint32_t slot) const {
    const auto found = std::ranges::find_if(rows_, [&](const LayoutRow& row) {
        return row.kind == LayoutRow::Kind::Lane && row.group == group && row.slot == slot;
    });
    return found == rows_.end() ? -1 : static_cast<int>(found - rows_.begin());
}

int LaneLayout::nextLane(int row, int by) const {
    const int step = by < 0 ? -1 : 1;
    for (int at = row + step; at >= 0 && at < static_cast<int>(rows_.size()); at += step)
        if (rows_[static_cast<std::size_t>(at)].kind == LayoutRow::Kind::Lane) return at;
    return row;
}

std::pair<std::size_t, std::size_t> LaneLayout::within(int top, int bottom) const {
    const auto first =
        std::ranges::upper_bound(rows_, top, {}, [](const LayoutRow& row) { return row.top + row.height; });
    const auto last = std::ranges::lower_bound(rows_, bottom, {}, &LayoutRow::top);
    const auto from = static_cast<std::size_t>(first - rows_.begin());
    return {from, std::max(from, static_cast<std::size_t>(last - rows_.begin()))};
}

} // namespace yard::ui::timeline

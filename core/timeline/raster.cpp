#include "core/timeline/raster.h"

#include <algorithm>
#include <cassert>

namespace yard::timeline {

Raster::Raster(WallMicros from, WallMicros to, std::int64_t resolution, std::size_t most)
    : from_(from)
    , to_(to)
    , resolution_(resolution)
    , most_(most) {
    assert(from < to && resolution > 0);
}

Raster::Cell& Raster::cell(Lane& lane, std::int64_t number) {
    std::vector<Cell>& cells = lane.cells;
    if (!cells.empty() && cells.back().number == number) return cells.back();
    auto at = cells.end();
    if (!cells.empty() && cells.back().number > number)
        at = std::ranges::lower_bound(cells, number, {}, &Cell::number);
    if (at != cells.end() && at->number == number) return *at;
    ++items_;
    Cell fresh;
    fresh.number = number;
    return *cells.insert(at, fresh);
}

/// `covered` of the time from begin to end, evenly.
void Raster::cover(Lane& lane, WallMicros begin, WallMicros end, std::int64_t covered) {
    const double density = end > begin ? static_cast<double>(covered) / static_cast<double>(end - begin) : 0;
    begin = std::max(begin, from_);
    end = std::min(end, to_);
    for (std::int64_t number = (begin - from_) / resolution_; begin < end; ++number) {
        const WallMicros border = std::min(end, from_ + (number + 1) * resolution_);
        cell(lane, number).covered += static_cast<std::int64_t>(density * static_cast<double>(border - begin));
        begin = border;
    }
}

void Raster::mark(Lane& lane, WallMicros at, ActionState state, bool retried, Lsn lsn, std::uint32_t count) {
    const std::int64_t number = (std::clamp(at, from_, to_ - 1) - from_) / resolution_;
    Cell& marked = cell(lane, number);
    marked.count += count;
    if (marked.lsn.value != 0 && severity(state, retried) <= severity(marked.state, marked.retried)) return;
    marked.state = state;
    marked.retried = retried;
    marked.lsn = lsn;
}

void Raster::add(const Span& span) {
    if (isFull() || span.begin == 0 || span.begin >= to_ || (!span.isOpen() && span.end < from_)) return;
    Lane& lane = lanes_[{span.worker, span.slot}];
    if (span.isOpen() || span.length() >= 2 * resolution_) {
        lane.bars.push_back(span);
        ++items_;
        return;
    }
    cover(lane, span.begin, span.end, span.length());
    mark(lane, span.begin, span.state, span.retried, span.lsn, 1);
}

void Raster::add(std::uint32_t worker, std::uint32_t slot, const Segment& segment) {
    if (isFull() || segment.begin >= to_ || segment.end < from_) return;
    Lane& lane = lanes_[{worker, slot}];
    cover(lane, segment.begin, segment.end, segment.covered);
    mark(lane, segment.worstAt, segment.state, segment.retried, segment.lsn, segment.count);
}

View Raster::finish() {
    View view{from_, to_, resolution_, {}};
    view.lanes.reserve(lanes_.size());
    for (auto& [key, lane] : lanes_) {
        LaneView& shown = view.lanes.emplace_back();
        shown.worker = key.first;
        shown.slot = key.second;
        shown.bars = std::move(lane.bars);
        std::ranges::sort(shown.bars, {}, &Span::begin);
        shown.columns.reserve(lane.cells.size());
        // A cell that is covered by a neighbour's span alone has that one's state.
        const Cell* before = nullptr;
        for (const Cell& cell : lane.cells) {
            const Cell& says = cell.lsn.value == 0 && before ? *before : cell;
            shown.columns.push_back(
                {.t = from_ + cell.number * resolution_,
                 .covered = std::min(static_cast<double>(cell.covered) / static_cast<double>(resolution_), 1.0),
                 .count = cell.count,
                 .state = says.state,
                 .retried = says.retried,
                 .lsn = says.lsn});
            before = &says;
        }
    }
    lanes_.clear();
    return view;
}

} // namespace yard::timeline

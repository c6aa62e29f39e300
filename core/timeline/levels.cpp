#include "core/timeline/levels.h"

#include <algorithm>
#include <cassert>

namespace yard::timeline {

namespace {

/// The first that ended at `from` or later, in a list whose ends are about in order: no longer than `slack` out of
/// it.
template<class List>
auto firstAfter(const List& list, WallMicros from) {
    return std::ranges::lower_bound(list, from - Levels::kLong, {}, &List::value_type::end);
}

template<class T>
WallMicros medianEnd(const std::vector<const T*>& all) {
    std::vector<WallMicros> ends;
    ends.reserve(all.size());
    for (const T* one : all) ends.push_back(one->end);
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::ranges::nth_element(ends, middle);
    return *middle;
}

template<class List>
std::size_t dropBefore(List& list, WallMicros before) {
    const std::size_t had = list.size();
    std::erase_if(list, [before](const auto& one) { return one.end <= before; });
    return had - list.size();
}

} // namespace

std::size_t Levels::levelFor(std::int64_t resolution) {
    std::size_t level = 0;
    while (level + 1 < kWidths.size() && 2 * kWidths[level + 1] <= resolution) ++level;
    return level;
}

void Levels::add(const Span& span) {
    assert(!span.isOpen());
    Lane& lane = lanes_[{span.worker, span.slot}];
    if (span.length() >= kLong) {
        lane.longs.push_back(span);
        if (++longs_ > most_) forgetOlderLongs();
        return;
    }
    for (std::size_t level = 0; level < kWidths.size(); ++level) {
        addShort(lane, span, level);
        if (counts_[level] > most_) forgetOlderHalf(level);
    }
}

void Levels::addShort(Lane& lane, const Span& span, std::size_t level) {
    Counted<Segment>& segments = lane.segments[level];
    const std::int64_t width = kWidths[level];
    if (!segments.empty()) {
        Segment& last = segments.back();
        const WallMicros begin = std::min(last.begin, span.begin);
        const WallMicros end = std::max(last.end, span.end);
        if (end - begin <= width) {
            last.begin = begin;
            last.end = end;
            last.covered += span.length();
            ++last.count;
            if (severity(span) > severity(last.state, last.retried)) {
                last.worstAt = span.begin;
                last.lsn = span.lsn;
                last.state = span.state;
                last.retried = span.retried;
            }
            return;
        }
    }
    segments.push_back({span.begin, span.end, span.length(), span.begin, span.lsn, 1, span.state, span.retried});
    ++counts_[level];
}

void Levels::forgetOlderHalf(std::size_t level) {
    std::vector<const Segment*> all;
    for (const auto& [key, lane] : lanes_)
        for (const Segment& segment : lane.segments[level]) all.push_back(&segment);
    const WallMicros middle = medianEnd(all);
    for (auto& [key, lane] : lanes_) counts_[level] -= dropBefore(lane.segments[level], middle);
    since_[level] = std::max(since_[level], middle);
}

void Levels::forgetOlderLongs() {
    std::vector<const Span*> all;
    for (const auto& [key, lane] : lanes_)
        for (const Span& span : lane.longs) all.push_back(&span);
    const WallMicros middle = medianEnd(all);
    for (auto& [key, lane] : lanes_) longs_ -= dropBefore(lane.longs, middle);
    longsSince_ = std::max(longsSince_, middle);
}

bool Levels::covers(WallMicros from, std::int64_t resolution) const {
    if (resolution < kCoarsest) return false;
    return from > longsSince_ && from > since_[levelFor(resolution)];
}

void Levels::draw(Raster& raster, WallMicros from, WallMicros to, std::int64_t resolution,
                  const std::function<bool(std::uint32_t)>& wanted) const {
    const std::size_t level = levelFor(resolution);
    for (const auto& [key, lane] : lanes_) {
        if (!wanted(key.first)) continue;
        // Long ones end out of order only by as much as attempts of one slot overlap.
        for (auto at = firstAfter(lane.longs, from); at != lane.longs.end(); ++at)
            if (at->begin < to) raster.add(*at);
        const Counted<Segment>& segments = lane.segments[level];
        for (auto at = firstAfter(segments, from); at != segments.end() && at->begin < to; ++at)
            raster.add(key.first, key.second, *at);
        if (raster.isFull()) return;
    }
}

} // namespace yard::timeline

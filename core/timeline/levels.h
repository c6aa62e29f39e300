// What is kept in memory of all spans, so that a picture of a day or a month costs what it shows: per lane, spans
// of kLong and longer as they are, shorter ones merged into segments, at three levels of detail:
//
//     level   segments up to   for pictures with steps of at least
//     0       30 s             1 min
//     1       8 min            16 min
//     2       2 h              4 h
//
// A segment says what share of it is covered, the worst state in it and when that was, so nothing that failed is
// lost. Finer pictures are drawn from the spans themselves, which somebody else keeps.
//
// Not thread-safe. Bound: `most` segments a level and as many long spans: a day of 64 lanes that are busy all the
// time, 13 MB at the finest level, 21 MB of long ones. One more, and the older half of them goes: a picture that
// begins before covers() needs the spans.
#pragma once

#include "core/base/memory_ledger.h"
#include "core/timeline/raster.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace yard::timeline {

class Levels {
public:
    static constexpr std::int64_t kSecond = 1'000'000;
    static constexpr std::int64_t kLong = 30 * kSecond;
    static constexpr std::array<std::int64_t, 3> kWidths{kLong, 480 * kSecond, 7'200 * kSecond};
    /// Steps from which on a picture can be drawn from here.
    static constexpr std::int64_t kCoarsest = 2 * kLong;

    explicit Levels(std::size_t most = 262'144)
        : most_(most) {}

    /// One that has ended. In about the order of their ends.
    void add(const Span& span);
    /// Everything from `from` on is here at this resolution, which is kCoarsest or more.
    bool covers(WallMicros from, std::int64_t resolution) const;
    /// Those of the workers for which `wanted` says so.
    void draw(Raster& raster, WallMicros from, WallMicros to, std::int64_t resolution,
              const std::function<bool(std::uint32_t)>& wanted) const;

private:
    template<class T>
    using Counted = std::vector<T, TaggedAllocator<T, MemoryOwner::Timelines>>;
    struct Lane {
        Counted<Span> longs;
        std::array<Counted<Segment>, kWidths.size()> segments;
    };
    static std::size_t levelFor(std::int64_t resolution);
    void addShort(Lane& lane, const Span& span, std::size_t level);
    void forgetOlderHalf(std::size_t level);
    void forgetOlderLongs();

    std::size_t most_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Lane> lanes_;
    std::array<std::size_t, kWidths.size()> counts_{};
    std::array<WallMicros, kWidths.size()> since_{}; ///< what ended before may be gone
    std::size_t longs_ = 0;
    WallMicros longsSince_ = 0;
};

} // namespace yard::timeline

// From spans to what is drawn of them: at a resolution, the step of the picture, a span of at least two steps is a
// bar of its own; shorter ones share columns, one a step, with what share of it they cover and the worst of their
// states. A failure is in some column at any resolution. What goes on is always a bar, without an end.
//
// A value for one picture; no owner. Bound: at most `most` bars and columns; a picture with more is drawn again with
// a coarser step (see coarser()).
#pragma once

#include "core/timeline/span.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace yard::timeline {

struct Column {
    WallMicros t = 0;                           ///< its beginning
    double covered = 0;                         ///< share of it, 0..1
    std::uint32_t count = 0;                    ///< spans that begin in it, or before the picture
    ActionState state = ActionState::Completed; ///< the worst
    bool retried = false;
    Lsn lsn; ///< of the worst, the first one
};

struct LaneView {
    std::uint32_t worker = 0;
    std::uint32_t slot = 0;
    std::uint32_t number = 0;    ///< among those of its worker, from 1; 0: not known (TimelineStore::draw)
    std::vector<Span> bars;      ///< in the order of their beginnings
    std::vector<Column> columns; ///< likewise
};

struct View {
    WallMicros from = 0;
    WallMicros to = 0;
    std::int64_t resolution = 0; ///< microseconds
    std::vector<LaneView> lanes; ///< by worker, then slot; of TimelineStore::draw() by worker, then number
};

/// Several short spans of one lane that are near each other.
struct Segment {
    WallMicros begin = 0;
    WallMicros end = 0;
    std::int64_t covered = 0; ///< microseconds
    WallMicros worstAt = 0;
    Lsn lsn; ///< of the worst
    std::uint32_t count = 0;
    ActionState state = ActionState::Completed; ///< the worst
    bool retried = false;
};

class Raster {
public:
    /// `from` < `to`, resolution over 0.
    Raster(WallMicros from, WallMicros to, std::int64_t resolution, std::size_t most);

    void add(const Span& span);
    /// Its length is at most half a step.
    void add(std::uint32_t worker, std::uint32_t slot, const Segment& segment);
    /// There are more than `most` bars and columns: what is added further counts for nothing.
    bool isFull() const { return items_ > most_; }
    View finish();

    static std::int64_t coarser(std::int64_t resolution) { return resolution * 2; }

private:
    struct Cell {
        std::int64_t number = 0;
        std::int64_t covered = 0;
        std::uint32_t count = 0;
        ActionState state = ActionState::Completed;
        bool retried = false;
        Lsn lsn;
    };
    struct Lane {
        std::vector<Span> bars;
        std::vector<Cell> cells; ///< by number; spans come about in order, so most are added at the end
    };
    void cover(Lane& lane, WallMicros begin, WallMicros end, std::int64_t covered);
    void mark(Lane& lane, WallMicros at, ActionState state, bool retried, Lsn lsn, std::uint32_t count);
    Cell& cell(Lane& lane, std::int64_t number);

    WallMicros from_;
    WallMicros to_;
    std::int64_t resolution_;
    std::size_t most_;
    std::size_t items_ = 0;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Lane> lanes_;
};

} // namespace yard::timeline

#include "ui/timeline/marks.h"

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {

constexpr double kColumnBelow = 2;
constexpr double kStubsAbove = 6;

bool isSevere(DisplayState face) {
    return face == DisplayState::Failed || face == DisplayState::Abandoned || face == DisplayState::Retry;
}

/// Walks one lane from left to right.
class Walk {
public:
    Walk(const Lane& lane, const TimeScale& scale, Range clip, WallMicros now, double pixel,
         std::vector<Mark>& marks)
        : lane_(lane)
        , scale_(scale)
        , clip_(clip)
        , now_(now)
        , pixel_(pixel)
        , perPixel_(scale.microsPerPixel() * pixel)
        , marks_(marks)
        , first_(marks.size()) {}

    void run() {
        std::size_t at = lane_.firstEndingAfter(clip_.from);
        while (at < lane_.size() && lane_[at].begin < clip_.to) {
            if (lane_[at].until(now_) <= clip_.from)
                ++at;
            else if (isWide(lane_[at]))
                addWide(at++);
            else
                at = addColumn(at);
        }
        // Painted over the others, so that none of them hides a failure.
        marks_.insert(marks_.end(), severe_.begin(), severe_.end());
    }

private:
    double widthOf(const Item& item) const {
        return static_cast<double>(item.until(now_) - item.begin) / scale_.microsPerPixel();
    }
    bool isWide(const Item& item) const { return widthOf(item) >= kColumnBelow * pixel_; }

    void addWide(std::size_t at) {
        const Item& item = lane_[at];
        const WallMicros until = item.until(now_);
        Mark mark;
        mark.item = at;
        mark.face = item.face;
        mark.from = scale_.xOf(std::max(item.begin, clip_.from));
        mark.to = scale_.xOf(std::min(until, clip_.to));
        if (item.isStep) {
            mark.kind = Mark::Kind::Block;
            mark.alpha = isSevere(item.face) ? 1 : alphaOf(static_cast<double>(item.covered));
        } else {
            mark.kind = widthOf(item) > kStubsAbove ? Mark::Kind::Bar : Mark::Kind::Block;
        }
        (isSevere(mark.face) ? severe_ : marks_).push_back(mark);
    }

    /// Everything narrow that begins in the pixel of `at`; returns the next one.
    std::size_t addColumn(std::size_t at) {
        const WallMicros begin = std::max(lane_[at].begin, clip_.from);
        const double number = std::floor((scale_.xOf(begin) - scale_.left()) / pixel_);
        const double x = scale_.left() + number * pixel_;
        const WallMicros end = scale_.range().from + static_cast<WallMicros>(std::ceil((number + 1) * perPixel_));
        // What began before the stretch comes one by one: the next one may have ended before it.
        const bool before = lane_[at].begin < clip_.from;
        std::size_t last = before ? at + 1 : std::max(lane_.firstFrom(std::min(end, clip_.to), at), at + 1);
        const WallMicros latest = lane_.endOfAllUpTo(last);
        if (latest > end + static_cast<WallMicros>(kColumnBelow * perPixel_)) {
            // One of them is wide: what goes before shares this pixel, it is drawn by itself.
            for (std::size_t i = at; i < last; ++i)
                if (isWide(lane_[i])) last = i;
        }
        const double share = lane_.covered(at, last) / perPixel_;
        const DisplayState face = faceOfSeverity(lane_.worst(at, last));
        const bool goesOn = face == DisplayState::Running || face == DisplayState::Submitting;
        // One of 1 to 2 pixels reaches into the next.
        const bool reaches = latest > end && latest <= end + static_cast<WallMicros>(kColumnBelow * perPixel_);
        join({Mark::Kind::Column, x, x + (reaches ? 2 : 1) * pixel_, face,
              isSevere(face) || goesOn ? 1 : alphaOf(share), at});
        return last;
    }

    void join(const Mark& mark) {
        std::vector<Mark>& list = isSevere(mark.face) ? severe_ : marks_;
        if (list.size() > (&list == &marks_ ? first_ : 0)) {
            Mark& before = list.back();
            if (before.kind == Mark::Kind::Column && before.face == mark.face && before.alpha == mark.alpha &&
                mark.from <= before.to + pixel_ / 100) {
                before.to = std::max(before.to, mark.to);
                return;
            }
        }
        list.push_back(mark);
    }

    const Lane& lane_;
    const TimeScale& scale_;
    const Range clip_;
    const WallMicros now_;
    const double pixel_;
    const double perPixel_;
    std::vector<Mark>& marks_;
    std::vector<Mark> severe_;
    const std::size_t first_;
};

} // namespace

float alphaOf(double share) {
    if (share < 1.0 / 3) return 0.35F;
    return share < 2.0 / 3 ? 0.65F : 1.0F;
}

void layMarks(const Lane& lane, const TimeScale& scale, Range clip, WallMicros now, double pixel,
              std::vector<Mark>& marks) {
    const Range within = clip.cut(scale.range());
    if (lane.isEmpty() || within.isEmpty()) return;
    Walk(lane, scale, within, now, pixel, marks).run();
}

} // namespace yard::ui::timeline

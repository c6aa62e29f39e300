// Time to pixel and back, zoom, pan, and the steps of the ruler. Pure values; times are microseconds since the Unix
// epoch, as everywhere.
#pragma once

#include "core/base/clock.h"

#include <QString>
#include <QTimeZone>
#include <cstdint>
#include <vector>

namespace yard::ui::timeline {

inline constexpr std::int64_t kMillisecond = 1'000;
inline constexpr std::int64_t kSecond = 1'000'000;
inline constexpr std::int64_t kMinute = 60 * kSecond;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;
inline constexpr std::int64_t kNarrowest = 10 * kMillisecond;
inline constexpr std::int64_t kWidest = 30 * kDay;

/// From `from` to before `to`.
struct Range {
    WallMicros from = 0;
    WallMicros to = 0;
    std::int64_t length() const { return to - from; }
    bool isEmpty() const { return to <= from; }
    bool contains(WallMicros at) const { return at >= from && at < to; }
    bool covers(const Range& other) const { return from <= other.from && to >= other.to; }
    bool touches(const Range& other) const { return from < other.to && other.from < to; }
    Range cut(const Range& by) const { return {std::max(from, by.from), std::min(to, by.to)}; }
    friend bool operator==(const Range&, const Range&) = default;
};

/// As wide as kNarrowest to kWidest around the same middle.
Range clamped(Range range);

/// A range laid over pixels from `left`, `width` wide (at least 1).
class TimeScale {
public:
    TimeScale() = default;
    TimeScale(Range range, double left, double width);

    const Range& range() const { return range_; }
    double left() const { return left_; }
    double width() const { return width_; }
    double right() const { return left_ + width_; }
    double xOf(WallMicros at) const;
    WallMicros timeAt(double x) const;
    double microsPerPixel() const { return static_cast<double>(range_.length()) / width_; }

    /// The range `factor` times as long, what is at `x` stays there (unless an end of the limits is reached).
    Range zoomed(double factor, double x) const;
    /// Moved so that what was at x is at x + pixels.
    Range panned(double pixels) const;

private:
    Range range_{0, kMinute};
    double left_ = 0;
    double width_ = 1;
};

/// The smallest step of the ruler whose labels stand at least `apart` pixels from each other.
std::int64_t rulerStep(double microsPerPixel, double apart = 88);
/// Multiples of `step` in the range, aligned to the clock of `zone`; at most `most`.
std::vector<WallMicros> ticks(Range range, std::int64_t step, const QTimeZone& zone, std::size_t most = 1'000);
/// "09:45", with seconds and milliseconds only if the step needs them; the date at midnight.
QString tickLabel(WallMicros at, std::int64_t step, const QTimeZone& zone);
/// The time at the cursor: as exact as a pixel is.
QString cursorLabel(WallMicros at, double microsPerPixel, const QTimeZone& zone);
bool isMidnight(WallMicros at, const QTimeZone& zone);
WallMicros startOfDay(WallMicros at, const QTimeZone& zone);

} // namespace yard::ui::timeline

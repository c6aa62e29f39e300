#include "ui/timeline/time_scale.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace yard::ui::timeline {

namespace {

constexpr std::array<std::int64_t, 27> kSteps{1 * kMillisecond,   2 * kMillisecond,   5 * kMillisecond,
                                              10 * kMillisecond,  20 * kMillisecond,  50 * kMillisecond,
                                              100 * kMillisecond, 200 * kMillisecond, 500 * kMillisecond,
                                              1 * kSecond,        2 * kSecond,        5 * kSecond,
                                              10 * kSecond,       15 * kSecond,       30 * kSecond,
                                              1 * kMinute,        2 * kMinute,        5 * kMinute,
                                              10 * kMinute,       15 * kMinute,       30 * kMinute,
                                              1 * kHour,          2 * kHour,          3 * kHour,
                                              6 * kHour,          12 * kHour,         1 * kDay};

QDateTime scaleDateOf(WallMicros at, const QTimeZone& zone) {
    // Floor, also before 1970.
    const std::int64_t ms = at >= 0 ? at / kMillisecond : -((-at + kMillisecond - 1) / kMillisecond);
    return QDateTime::fromMSecsSinceEpoch(ms, zone);
}

std::int64_t offsetOf(WallMicros at, const QTimeZone& zone) {
    return static_cast<std::int64_t>(zone.offsetFromUtc(scaleDateOf(at, zone))) * kSecond;
}

std::int64_t ceilTo(std::int64_t value, std::int64_t step) {
    const std::int64_t rest = value % step;
    return rest == 0 ? value : value - rest + (value > 0 ? step : 0);
}

} // namespace

Range clamped(Range range) {
    const std::int64_t length = std::clamp(range.length(), kNarrowest, kWidest);
    if (length == range.length()) return range;
    const WallMicros middle = range.from + range.length() / 2;
    return {middle - length / 2, middle - length / 2 + length};
}

TimeScale::TimeScale(Range range, double left, double width)
    : range_(clamped(range))
    , left_(left)
    , width_(std::max(width, 1.0)) {}

double TimeScale::xOf(WallMicros at) const {
    return left_ + static_cast<double>(at - range_.from) / static_cast<double>(range_.length()) * width_;
}

WallMicros TimeScale::timeAt(double x) const {
    return range_.from + std::llround((x - left_) / width_ * static_cast<double>(range_.length()));
}

Range TimeScale::zoomed(double factor, double x) const {
    const double share = std::clamp((x - left_) / width_, 0.0, 1.0);
    const WallMicros at = timeAt(left_ + share * width_);
    const double wished = static_cast<double>(range_.length()) * factor;
    const std::int64_t length =
        std::llround(std::clamp(wished, static_cast<double>(kNarrowest), static_cast<double>(kWidest)));
    const WallMicros from = at - std::llround(static_cast<double>(length) * share);
    return {from, from + length};
}

Range TimeScale::panned(double pixels) const {
    const std::int64_t by = std::llround(pixels * microsPerPixel());
    return {range_.from - by, range_.to - by};
}

std::int64_t rulerStep(double microsPerPixel, double apart) {
    const auto* found = std::ranges::find_if(
        kSteps, [&](std::int64_t step) { return static_cast<double>(step) >= microsPerPixel * apart; });
    return found == kSteps.end() ? 7 * kDay : *found;
}

std::vector<WallMicros> ticks(Range range, std::int64_t step, const QTimeZone& zone, std::size_t most) {
    std::vector<WallMicros> found;
    if (range.isEmpty() || step <= 0) return found;
    // Steps of hours and days follow the wall clock over a change of the zone's offset: asked again at every tick.
    WallMicros at = range.from;
    while (found.size() < most) {
        const std::int64_t offset = offsetOf(at, zone);
        WallMicros tick = ceilTo(at + offset, step) - offset;
        const std::int64_t there = offsetOf(tick, zone);
        if (there != offset) tick = std::max(at, ceilTo(at + there, step) - there);
        if (tick >= range.to) break;
        found.push_back(tick);
        at = tick + 1;
    }
    return found;
}

QString tickLabel(WallMicros at, std::int64_t step, const QTimeZone& zone) {
    const QDateTime when = scaleDateOf(at, zone);
    if (isMidnight(at, zone) && step >= kSecond) return QLocale().toString(when, QStringLiteral("ddd d MMM"));
    if (step >= kMinute) return when.time().toString(QStringLiteral("HH:mm"));
    if (step >= kSecond) return when.time().toString(QStringLiteral("HH:mm:ss"));
    return when.time().toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString cursorLabel(WallMicros at, double microsPerPixel, const QTimeZone& zone) {
    const QDateTime when = scaleDateOf(at, zone);
    if (microsPerPixel >= static_cast<double>(kMinute))
        return QLocale().toString(when, QStringLiteral("d MMM HH:mm"));
    if (microsPerPixel >= static_cast<double>(kSecond)) return when.time().toString(QStringLiteral("HH:mm:ss"));
    const QString exact = when.time().toString(QStringLiteral("HH:mm:ss.zzz"));
    return microsPerPixel >= 5'000.0 ? exact.chopped(2) : exact;
}

bool isMidnight(WallMicros at, const QTimeZone& zone) {
    return at == startOfDay(at, zone);
}

WallMicros startOfDay(WallMicros at, const QTimeZone& zone) {
    return scaleDateOf(at, zone).date().startOfDay(zone).toMSecsSinceEpoch() * kMillisecond;
}

} // namespace yard::ui::timeline

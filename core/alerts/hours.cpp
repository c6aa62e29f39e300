#include "core/alerts/hours.h"

#include "core/base/day_time.h"
#include "core/base/moment.h"

#include <optional>

namespace yard::alerts {

namespace {

constexpr WallMicros kMinute = 60'000'000;
/// A day, and what a moved clock may add.
constexpr int kStepsAhead = 27 * 60;

int minuteOfDay(WallMicros at) {
    const std::int64_t local = at / 1'000'000 + utcOffsetAt(at);
    const std::int64_t minute = local / 60 % kMinutesOfDay;
    return static_cast<int>(minute < 0 ? minute + kMinutesOfDay : minute);
}

} // namespace

Result<Hours> Hours::parse(std::string_view text) {
    Hours hours;
    if (text.empty()) return hours;
    const auto from = text.size() == 11 && text[5] == '-' ? dayMinutesIn(text.substr(0, 5)) : std::nullopt;
    const auto to = from ? dayMinutesIn(text.substr(6)) : std::nullopt;
    if (!to) return invalid("hours", R"(Give "hours" as "08:00-20:00", or leave it out.)");
    hours.from_ = *from % kMinutesOfDay;
    hours.to_ = *to % kMinutesOfDay;
    return hours;
}

bool Hours::isWithin(WallMicros at) const {
    if (from_ == to_) return true;
    const int minute = minuteOfDay(at);
    return from_ < to_ ? minute >= from_ && minute < to_ : minute >= from_ || minute < to_;
}

/// Minute by minute: a clock that is moved in between needs no care.
WallMicros Hours::nextWithin(WallMicros at) const {
    if (isWithin(at)) return at;
    WallMicros minute = at - at % kMinute;
    for (int step = 0; step < kStepsAhead; ++step) {
        minute += kMinute;
        if (isWithin(minute)) return minute;
    }
    return minute;
}

} // namespace yard::alerts

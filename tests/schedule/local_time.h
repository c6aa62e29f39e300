// "2026-03-29 01:59" in a zone's offset, as seconds and back: tables of times that can be read.
#pragma once

#include "core/schedule/zone.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace yard::schedule::test {

/// Seconds since the epoch of a time in UTC.
inline std::int64_t utc(int year, unsigned month, unsigned day, int hour = 0, int minute = 0) {
    using namespace std::chrono;
    const sys_days date = std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day);
    return std::int64_t(date.time_since_epoch().count()) * 86'400 + hour * 3'600 + minute * 60;
}

/// What the clock there shows: "2026-03-29 03:00 +02:00".
inline std::string shown(const Zone& zone, std::int64_t second) {
    using namespace std::chrono;
    const std::int64_t offset = zone.spanAt(second).offset;
    const sys_seconds local{seconds(second + offset)};
    const auto day = floor<days>(local);
    const year_month_day date(day);
    const hh_mm_ss time(local - day);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d %c%02d:%02d", int(date.year()),
                  unsigned(date.month()), unsigned(date.day()), int(time.hours().count()),
                  int(time.minutes().count()), offset < 0 ? '-' : '+', int(std::abs(offset) / 3'600),
                  int(std::abs(offset) / 60 % 60));
    return text;
}

} // namespace yard::schedule::test

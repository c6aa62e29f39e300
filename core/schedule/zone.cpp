#include "core/schedule/zone.h"

#include "core/base/environment.h"
#include "core/base/text.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace yard::schedule {

struct Zone::Rules {
    absl::TimeZone zone;
};

namespace {

constexpr std::size_t kLongestName = 64;

/// Names become paths, so nothing leads out of the database, and each file has one spelling: the library keeps each
/// name for good. "right/" counts leap seconds, which no clock here does.
bool isZoneName(std::string_view name) {
    const auto isPlain = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
               c == '+' || c == '/';
    };
    return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, isPlain) &&
           !name.starts_with('/') && !name.ends_with('/') && !name.contains("//") && !name.starts_with("right/");
}

/// The library keeps each name that it was asked for, unknown ones too: it is asked for those that are there only.
bool isInDatabase(std::string_view name) {
    const auto directory = environment("TZDIR").value_or("/usr/share/zoneinfo");
    std::error_code ignored;
    return std::filesystem::is_regular_file(std::filesystem::path(directory) / name, ignored);
}

std::int64_t secondsOf(absl::CivilSecond local) {
    return local - absl::CivilSecond(1970, 1, 1);
}

} // namespace

Result<Zone> Zone::find(std::string_view name) {
    if (name.empty()) return Zone(std::make_shared<const Rules>(Rules{.zone = absl::LocalTimeZone()}));
    if (name == "UTC") return Zone(std::make_shared<const Rules>(Rules{.zone = absl::UTCTimeZone()}));
    absl::TimeZone zone;
    if (!isZoneName(name) || !isInDatabase(name) ||
        !absl::LoadTimeZone(absl::string_view(name.data(), name.size()), &zone))
        return invalid("timezone", "This system knows no time zone \"" + shortened(name, kLongestName) +
                                       "\". Name one of its database, as \"Europe/Berlin\" or \"UTC\".");
    return Zone(std::make_shared<const Rules>(Rules{.zone = zone}));
}

Span Zone::spanAt(std::int64_t second) const {
    const absl::TimeZone& zone = rules_->zone;
    Span span;
    span.offset = zone.At(absl::FromUnixSeconds(second)).offset;
    span.before = span.offset;
    absl::TimeZone::CivilTransition move;
    // The move before the next second is the last one that has happened.
    if (zone.PrevTransition(absl::FromUnixSeconds(second + 1), &move)) {
        span.begin = secondsOf(move.to) - span.offset;
        span.before = secondsOf(move.from) - span.begin;
    }
    if (zone.NextTransition(absl::FromUnixSeconds(second), &move)) span.end = secondsOf(move.from) - span.offset;
    return span;
}

} // namespace yard::schedule

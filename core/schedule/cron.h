// Lines of crontab as values: "0 3 * * mon-fri". Pure; any thread.
#pragma once

#include "core/base/error.h"
#include "core/schedule/zone.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace yard::schedule {

/// Minutes at which something is due. Day of month or weekday is enough where both are given; 7 is Sunday.
class Cron {
public:
    /// Five fields with names, lists, ranges and steps, or "@daily" and its like. Else Invalid, field "cron", with what
    /// is not understood; also for days that never come, as 30 February.
    static Result<Cron> parse(std::string_view text);

    /// The first time after `after`, both seconds since the Unix epoch; nothing: none within 41 years. Times that the
    /// zone's clock skips are due once, at the move. Of those that come twice, every one is due where the minutes begin
    /// with "*", else the first.
    std::optional<std::int64_t> next(const Zone& zone, std::int64_t after) const;

private:
    /// The first minute that matches from `first` to before `end`, as the clock there shows it.
    std::optional<std::int64_t> firstMatch(std::int64_t first, std::int64_t end) const;
    bool isDay(unsigned day, unsigned weekday) const;
    bool comesEver() const;

    // One bit for each value.
    std::uint64_t minutes_ = 0;
    std::uint64_t hours_ = 0;
    std::uint64_t days_ = 0;
    std::uint64_t months_ = 0;
    std::uint64_t weekdays_ = 0;
    // Whether the field begins with "*".
    bool isAnyMinute_ = false;
    bool isAnyDay_ = false;
    bool isAnyWeekday_ = false;
};

} // namespace yard::schedule

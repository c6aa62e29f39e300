// When a schedule is due. Pure values; any thread. Times are wall time: what a person wrote down.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/schedule/cron.h"
#include "core/schedule/zone.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace yard::schedule {

class Timing {
public:
    /// By a line of crontab, in a zone ("": this machine's). Invalid, field "cron" or "timezone".
    static Result<Timing> cron(std::string_view line, std::string_view zone);
    /// Each `seconds` after `anchor`, which itself is none. Invalid, field "every_s", outside 1 s to 10 years.
    static Result<Timing> every(double seconds, WallMicros anchor);
    /// Once. Invalid, field "at", unless it is after 1970 and before the year 9999.
    static Result<Timing> once(WallMicros at);

    /// The first time that is due after `after`.
    std::optional<WallMicros> nextAfter(WallMicros after) const;
    /// The first `count` of them, at most kMostListed.
    std::vector<WallMicros> listAfter(WallMicros after, std::size_t count) const;
    /// The last `count` that are due after `after` and not after `until`, oldest first.
    std::vector<WallMicros> newest(WallMicros after, WallMicros until, std::size_t count) const;

    static constexpr std::size_t kMostListed = 1000;

private:
    struct Calendar {
        Cron cron;
        Zone zone;
    };
    struct Steps {
        std::int64_t length; ///< in us
        WallMicros anchor;
    };
    struct Once {
        WallMicros at;
    };
    using Rule = std::variant<Calendar, Steps, Once>;
    explicit Timing(Rule rule)
        : rule_(std::move(rule)) {}

    static std::optional<WallMicros> nextOf(const Calendar& calendar, WallMicros after);
    static std::optional<WallMicros> nextOf(const Steps& steps, WallMicros after);
    static std::optional<WallMicros> nextOf(const Once& once, WallMicros after);

    Rule rule_;
};

} // namespace yard::schedule

// The hours of a machine: "mon-fri 19:00-07:00". Values; any thread. Times are minutes of the machine's own week.
#pragma once

#include "core/base/clock.h"
#include "core/base/day_time.h"
#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yard::fleet {

/// Monday 00:00 is 0.
inline constexpr int kMinutesOfWeek = 7 * kMinutesOfDay;

/// Of a clock that is so many minutes ahead of UTC.
int weekMinuteAt(WallMicros now, int utcOffset);

/// When a machine takes work. Without rules: always.
class Hours {
public:
    /// Rules with commas between them, at most 16: "[DAY[-DAY] ]HH:MM-HH:MM", days mon to sun, none: each day. A
    /// rule whose end is not after its begin ends on the next day; 24:00 is the end of a day. Empty: always. Else
    /// Invalid, field "hours".
    static Result<Hours> parse(std::string_view text);

    bool isOpen(int minuteOfWeek) const;
    /// Minutes until it opens or closes next; nothing: never.
    std::optional<int> untilChange(int minuteOfWeek) const;
    bool isAlways() const { return spans_.empty(); }

private:
    /// From `begin`, for `length` minutes; may run over the end of the week.
    struct Span {
        int begin = 0;
        int length = 0;
    };
    std::vector<Span> spans_;
};

} // namespace yard::fleet

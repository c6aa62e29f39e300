// The hours of a day in which a rule may speak: "08:00-20:00", also over midnight. Local time of this machine. Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <string_view>

namespace yard::alerts {

class Hours {
public:
    /// All day.
    Hours() = default;
    /// Empty: all day. Invalid, field "hours".
    static Result<Hours> parse(std::string_view text);

    bool isWithin(WallMicros at) const;
    /// `at` itself where it is within, else when they begin next.
    WallMicros nextWithin(WallMicros at) const;

private:
    int from_ = 0; ///< minutes of the day
    int to_ = 0;   ///< the same as `from_`: all day
};

} // namespace yard::alerts

// Courtesy as people and programs see it: conditions, measures in force, changes. Values.
#pragma once

#include "core/base/clock.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct CourtesyMeasure {
    std::string_view name; ///< "idle_priority", "fewer_cores", "hold", "freeze"
    int cores = 0;         ///< fewer_cores: so many are left free
    WallMicros since = 0;
    std::string_view because; ///< name of a condition
};

/// What it does now.
struct CourtesyNow {
    std::string profile; ///< in force: "off", "gentle"
    int cores = 0;       ///< that actions have between them
    std::vector<CourtesyMeasure> measures;
};

struct CourtesyView {
    std::string setting; ///< as set: "auto", …
    WallMicros until =
        0; ///< the profile is in force until then, and the setting's again after; 0: it is the setting's
    CourtesyNow now;
    bool keepsAwake = false;           ///< the machine does not go to sleep by itself
    std::vector<std::string> profiles; ///< that there are
    struct Condition {
        std::string_view name;
        double value = 0;
        std::string_view unit;
        std::string source;
        WallMicros since = 0;
    };
    std::vector<Condition> conditions;
    struct Change {
        WallMicros t = 0;
        std::string_view measure;
        bool isInForce = false; ///< it began, or has another number of cores; else it ended
        int cores = 0;
        std::string_view because;
        std::string profile;
    };
    std::vector<Change> changes; ///< the last hundred, newest last
};

/// What PATCH courtesy asks for.
struct CourtesyChange {
    static constexpr std::chrono::seconds kLongest{std::chrono::hours(24 * 7)}; ///< that forTime may be
    std::string profile;
    std::optional<Duration> forTime; ///< then as before; absent: it is kept as the setting
};

} // namespace yard::engine

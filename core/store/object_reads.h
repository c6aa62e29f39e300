// What can be asked of the journal about objects (docs/objects.md). Values; any thread, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::store {

/// Objects in one page at most.
inline constexpr int kMostObjectRows = 1'000;
/// Actions of an object that it is shown: the newest of each name.
inline constexpr int kMostObjectActions = 100;

/// An object as the journal has it; 0 is "none".
struct ObjectRow {
    std::int64_t id = 0;
    std::int64_t type = 0;
    std::int64_t parent = 0;
    std::int64_t revision = 0;
    std::int64_t retries = 0;
    WallMicros retryAt = 0;
    WallMicros started = 0;
    WallMicros ended = 0;
    WallMicros created = 0;
    WallMicros modified = 0;
    bool isStuck = false;
    std::string status{};
    std::optional<std::string> key{};
    std::string fields{}; ///< a JSON object
    std::string lastError{};
};

struct StatusCount {
    std::string status{};
    std::int64_t count = 0;
};

/// An object with what a look wants to know of its relatives.
struct ObjectWithRelatives {
    ObjectRow row{};
    std::vector<StatusCount> children{};
    std::optional<ObjectRow> parent{};
    std::vector<std::pair<std::string, Lsn>> actions{}; ///< by the names that its looks gave them
};

struct ObjectQuestion {
    std::int64_t type = 0;                                     ///< 0: any
    std::int64_t parent = 0;                                   ///< 0: any
    std::string status{};                                      ///< empty: any
    std::vector<std::string> statuses{};                       ///< those of the type, where `status` is any
    std::vector<std::pair<std::string, std::string>> fields{}; ///< each has this text as its value
    std::int64_t cursor = 0; ///< the number of the last row of the page before; 0 begins
    int limit = 100;         ///< 1..kMostObjectRows
    bool newestFirst = true;
    std::optional<std::vector<std::int64_t>> among{}; ///< of these alone, at most kMostObjectRows
    Duration lookFor{10'000};                         ///< then the page is answered as it is
    WallMicros endedBefore = 0;                       ///< 0: any
    bool isBare = false;                              ///< rows are without their fields
};
struct ObjectPage {
    std::vector<ObjectRow> rows{};
    std::int64_t cursor = 0; ///< 0: that was all
    bool isBounded = false;  ///< it ended for its time: there may be fewer rows than asked for
};

struct ObjectMoveRow {
    WallMicros t = 0;
    std::int64_t tickMs = 0;
    std::string from{};
    std::string to{};
    std::string actor{};
};

/// How long objects of a type usually stay in a status.
struct StatusStay {
    std::string status{};
    Duration usual{};    ///< the median
    std::int64_t of = 0; ///< stays that it was taken from
};

/// A move of an object, with what is known of the object.
struct StayMove {
    std::int64_t object = 0;
    WallMicros created = 0;
    std::int64_t revision = 0;
    WallMicros t = 0;
    std::string from{};
    std::string to{};
};
/// Of moves in the order of their objects and revisions. Where the first ones of an object were cut, or a new version of
/// its type renamed states in between, it is not known when it came into a status: that stay does not count. In the order
/// of `statuses`; those that nobody left are absent.
std::vector<StatusStay> usualStays(const std::vector<StayMove>& moves, const std::vector<std::string>& statuses);

} // namespace yard::store

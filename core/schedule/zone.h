// Time zones of the system's database: what a clock on the wall there shows, and when it was moved. Values; any thread.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>

namespace yard::schedule {

/// Between two moves of the clock. Times are seconds since the Unix epoch, offsets seconds ahead of UTC.
struct Span {
    std::int64_t begin = std::numeric_limits<std::int64_t>::min(); ///< the move; the least number: there was none
    std::int64_t end = std::numeric_limits<std::int64_t>::max();   ///< the next move; the greatest: there is none
    std::int64_t offset = 0;
    std::int64_t before = 0; ///< the offset until `begin`: less than `offset` where times were skipped
};

class Zone {
public:
    /// "Europe/Berlin", "UTC"; empty: that of this machine. Invalid, field "timezone", where the system has no such
    /// zone, also when it had one once. Reads a small file the first time.
    static Result<Zone> find(std::string_view name);

    /// The one that holds then.
    Span spanAt(std::int64_t second) const;

private:
    struct Rules;
    explicit Zone(std::shared_ptr<const Rules> rules)
        : rules_(std::move(rules)) {}
    std::shared_ptr<const Rules> rules_;
};

} // namespace yard::schedule

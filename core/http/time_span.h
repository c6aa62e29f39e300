// `from`, `to` and `resolution` of a request. Values.
#pragma once

#include "core/base/clock.h"
#include "core/http/query.h"

#include <optional>

namespace yard::http {

struct TimeSpan {
    std::optional<WallMicros> from;
    std::optional<WallMicros> to;
    std::optional<Duration> resolution; ///< over 0
};
/// Invalid names the parameter.
Result<TimeSpan> readSpan(const Query& parameters);

} // namespace yard::http

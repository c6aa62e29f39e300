// By what a request is known when it comes again. A value; any thread, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"

#include <string>

namespace yard::store {

/// How long a key is known; the journal forgets it some time later.
inline constexpr WallMicros kIdempotencyAge = 24LL * 3600 * 1'000'000;

struct Idempotency {
    std::string key{};
    Hash256 body{};       ///< of the request's bytes
    std::string answer{}; ///< what a repeat within 24 h gets
};

} // namespace yard::store

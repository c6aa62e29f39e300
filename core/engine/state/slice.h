// How long a walk over many actions goes on. A constant.
#pragma once

namespace yard::engine {

/// Actions looked at, or changed, before others get their turn: well under a millisecond.
inline constexpr int kPerSlice = 1'000;

} // namespace yard::engine

// The output of a running attempt, as far as the runner has told of it. Engine thread.
#pragma once

#include "core/coro/sync.h"

#include <array>
#include <cstdint>
#include <string>

namespace yard::engine {

/// The streams of a running attempt as followers see them. Shared: it outlives the attempt.
struct LiveStreams {
    struct One {
        bool watched = false;
        std::string path; ///< empty: not reported yet
        std::uint64_t size = 0;
        std::uint64_t limit = 0; ///< Lease::streamBytes
    };
    std::array<One, 2> streams; ///< by engine::Stream
    bool ended = false;         ///< and committed
    bool isElsewhere = false;   ///< on another machine: its last bytes may come with its end alone
    coro::ConditionVariable changed;
};

} // namespace yard::engine

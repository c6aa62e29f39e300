// How many machines of one shape the work that waits is worth. Values, no owner.
//
// Source: HyperQueue's automatic allocation, which asks for workers by backlog; here with its reason.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <span>

namespace yard::allocators {

/// Of the machine that a pilot will be.
struct Shape {
    double cores = 1;
    std::uint64_t memoryMb = 0; ///< 0: not said; any memory is taken to fit
    double gpus = 0;
};

/// Likes that wait for nothing but a place: no lock, hold or dependency.
struct WaitingWork {
    std::uint64_t count = 0;
    double cores = 0;
    std::uint64_t memoryMb = 0;
    double gpus = 0;
    std::optional<Duration> seconds{};  ///< of one, as its kind was; absent: kUnseen
    std::optional<Duration> deadline{}; ///< how long one may take at most
    std::optional<Duration>
        longest{}; ///< what a machine has to leave it, where that is known: counts instead of both
};

struct Limits {
    unsigned min = 0;
    unsigned max = 1;
    Duration backlog = std::chrono::seconds(600); ///< within which the work that waits is to be done
    Duration lifetime = std::chrono::hours(1);    ///< of a machine, until it drains
};

/// A kind that was never seen counts as this.
inline constexpr Duration kUnseen = std::chrono::seconds(60);

/// What the number follows from.
enum class Because : std::uint8_t {
    NothingWaits, ///< nothing that such a machine could run
    Backlog,      ///< the work that waits
    AtLeast,      ///< `min`, the work needs fewer
    AtMost,       ///< `max`, the work needs more
    NothingFits   ///< work waits, and none of it fits such a machine
};

struct Demand {
    unsigned wanted = 0;
    Because because = Because::NothingWaits;
    std::uint64_t actions = 0; ///< that wait and fit
    std::uint64_t unfit = 0;   ///< that wait and do not: too large, or longer than a machine lives
    double machineSeconds = 0; ///< that those which fit fill machines for
};

/// Each of `work` fills a machine by the largest of its shares; no more machines than those that fit would fill
/// beside each other.
Demand demandOf(std::span<const WaitingWork> work, const Shape& shape, const Limits& limits);

} // namespace yard::allocators

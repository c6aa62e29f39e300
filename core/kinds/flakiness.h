// Whether work fails now and then for no reason of its inputs: the rate of failures as a posterior under a Jeffreys prior,
// Beta(f + 1/2, n - f + 1/2). Pure functions; any thread.
#pragma once

#include <cstdint>

namespace yard::kinds {

inline constexpr double kFlakyRate = 0.01;
inline constexpr double kFlakyProbability = 0.95;

struct Flakiness {
    double probability = 0; ///< that the rate is over kFlakyRate
    double rate = 0;        ///< its mean
    bool isFlaky() const { return probability > kFlakyProbability; }
};

/// Of `failed` failures among `runs` of inputs that are known to work. `failed` over `runs` counts as `runs`.
Flakiness flakinessOf(std::uint64_t failed, std::uint64_t runs);

} // namespace yard::kinds

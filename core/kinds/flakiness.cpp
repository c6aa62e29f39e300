#include "core/kinds/flakiness.h"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>

namespace yard::kinds {

Flakiness flakinessOf(std::uint64_t failed, std::uint64_t runs) {
    if (runs == 0) return {};
    const auto n = static_cast<double>(runs);
    const auto f = static_cast<double>(std::min(failed, runs));
    const boost::math::beta_distribution<double> posterior(f + 0.5, n - f + 0.5);
    return {.probability = boost::math::cdf(boost::math::complement(posterior, kFlakyRate)),
            .rate = (f + 0.5) / (n + 1)};
}

} // namespace yard::kinds

#include "core/kinds/change_point.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>
#include <vector>

namespace yard::kinds {

namespace {

struct Ranks {
    std::vector<double> of; ///< in the order of the series; equal values share the middle of theirs
    double ties = 0;        ///< sum of t^3 - t over values that are equal
};

Ranks ranked(std::span<const float> series) {
    std::vector<std::size_t> order(series.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return series[i]; });
    Ranks ranks{.of = std::vector<double>(series.size()), .ties = 0};
    for (std::size_t from = 0; from < order.size();) {
        std::size_t to = from + 1;
        while (to < order.size() && series[order[to]] == series[order[from]]) ++to;
        const double middle = static_cast<double>(from + to + 1) / 2;
        for (std::size_t i = from; i < to; ++i) ranks.of[order[i]] = middle;
        const auto equal = static_cast<double>(to - from);
        ranks.ties += equal * equal * equal - equal;
        from = to;
    }
    return ranks;
}

/// How many values are left of the split; 0: there is none.
std::size_t clearestSplit(const std::vector<double>& ranks, std::size_t minRuns) {
    const auto n = static_cast<double>(ranks.size());
    double sum = 0;
    double best = 0;
    std::size_t at = 0;
    for (std::size_t t = 1; t < ranks.size(); ++t) {
        sum += ranks[t - 1] - (n + 1) / 2;
        if (t < minRuns || ranks.size() - t < minRuns) continue;
        const auto left = static_cast<double>(t);
        const double score = sum * sum / (left * (n - left) * (n + 1) / 12);
        if (score <= best) continue;
        best = score;
        at = t;
    }
    return at;
}

/// How much wider the sum of ranks spreads than that of independent runs, where one is like the run before it: (1+r)/(1-r)
/// with the correlation r of neighbours, each side around its own mean. Of runs that alternate it is 1.
double spreadByLikeness(const Ranks& ranks, std::size_t at) {
    double square = 0;
    double product = 0;
    const std::span all(ranks.of);
    for (const auto side : {all.first(at), all.subspan(at)}) {
        const double mean = std::accumulate(side.begin(), side.end(), 0.0) / static_cast<double>(side.size());
        for (std::size_t i = 0; i < side.size(); ++i) {
            square += (side[i] - mean) * (side[i] - mean);
            if (i > 0) product += (side[i] - mean) * (side[i - 1] - mean);
        }
    }
    const double r = square > 0 ? std::clamp(product / square, 0.0, 0.99) : 0.0;
    return (1 + r) / (1 - r);
}

double mannWhitney(const Ranks& ranks, std::size_t at) {
    const auto n1 = static_cast<double>(at);
    const auto n2 = static_cast<double>(ranks.of.size() - at);
    const double n = n1 + n2;
    const double sum = std::accumulate(ranks.of.begin(), ranks.of.begin() + static_cast<std::ptrdiff_t>(at), 0.0);
    const double u = sum - n1 * (n1 + 1) / 2;
    const double variance = n1 * n2 / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
    if (variance <= 0) return 1;
    const double z = (std::abs(u - n1 * n2 / 2) - 0.5) / std::sqrt(variance * spreadByLikeness(ranks, at));
    return std::min(1.0, 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::max(z, 0.0))));
}

double median(std::span<const float> values) {
    std::vector<float> sorted(values.begin(), values.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    return *middle;
}

} // namespace

std::optional<ChangePoint> findChange(std::span<const float> series, const ChangeRules& rules) {
    if (series.size() < 2 * rules.minRuns || rules.minRuns == 0) return std::nullopt;
    const Ranks ranks = ranked(series);
    const std::size_t at = clearestSplit(ranks.of, rules.minRuns);
    if (at == 0) return std::nullopt;
    // The split was chosen as the clearest of so many: each was a chance to be wrong.
    const auto tried = static_cast<double>(series.size() - 2 * rules.minRuns + 1);
    const double p = std::min(1.0, mannWhitney(ranks, at) * tried);
    if (p >= rules.maxP) return std::nullopt;
    const double before = median(series.first(at));
    const double after = median(series.subspan(at));
    if (before <= 0 || std::abs(after - before) <= rules.minEffect * before) return std::nullopt;
    return ChangePoint{.at = at, .before = before, .after = after, .p = p};
}

} // namespace yard::kinds

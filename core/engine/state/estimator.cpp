#include "core/engine/state/estimator.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

/// An attempt counts for an eighth: the mean follows what changes within some twenty.
static constexpr int kMemory = 8;
static constexpr Duration kHalfASecond{500'000};

std::string Estimator::kindOf(std::string_view workerName, std::string_view function, std::string_view label) {
    // No name has a line break; labels of workers' actions say what it is for, not what it does.
    return fmt::format("{}\n{}", workerName, function.empty() ? label : function);
}

void Estimator::learn(Means& means, const std::string& kind, Duration took) {
    if (took < Duration::zero()) return;
    if (means.size() >= kMostKinds && !means.contains(kind)) forgetOldest(means);
    Mean& mean = means[kind];
    mean.count = std::min(mean.count + 1, kMemory);
    mean.micros += (static_cast<double>(took.count()) - mean.micros) / mean.count;
    mean.heard = ++clock_;
}

static std::string ofQueue(QueueId queue, const std::string& kind) {
    return fmt::format("{}\n{}", kind, queue.value);
}

void Estimator::learn(QueueId queue, const std::string& kind, Duration took) {
    learn(ofQueue(queue, kind), took);
    if (!isMixed(kind)) learn(kind, took);
}

std::optional<Duration> Estimator::usual(QueueId queue, const std::string& kind) const {
    const auto here = mean(ofQueue(queue, kind));
    return here ? here : mean(kind);
}

/// A tenth at once, so that it is seldom done.
void Estimator::forgetOldest(Means& means) {
    std::vector<std::uint64_t> heard;
    heard.reserve(means.size());
    for (const auto& [kind, mean] : means) heard.push_back(mean.heard);
    const auto tenth = heard.begin() + static_cast<std::ptrdiff_t>(heard.size() / 10);
    std::ranges::nth_element(heard, tenth);
    std::erase_if(means, [limit = *tenth](const auto& entry) { return entry.second.heard <= limit; });
}

std::optional<Duration> Estimator::mean(const Means& means, const std::string& kind) {
    const auto found = means.find(kind);
    if (found == means.end()) return std::nullopt;
    return Duration(static_cast<Duration::rep>(found->second.micros));
}

std::string roughly(Duration time) {
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kUnits{
        {{86'400, "d"}, {3'600, "h"}, {60, "min"}, {1, "s"}}};
    const double seconds = std::max(std::chrono::duration<double>(time).count(), 0.0);
    for (const auto& [unit, name] : kUnits)
        // Two of the larger unit at least: 90 min says more than 2 h.
        if (seconds >= 2.0 * static_cast<double>(unit))
            return fmt::format("{:.0f} {}", seconds / static_cast<double>(unit), name);
    return time < kHalfASecond ? "less than a second" : fmt::format("{:.0f} s", seconds);
}

std::string leftOf(Duration usual, Duration soFar) {
    const Duration left = usual - soFar;
    if (left >= kHalfASecond) return fmt::format("about {} left", roughly(left));
    // Both below half a second: the look at it comes in between, no more.
    if (left > Duration::zero() || soFar < kHalfASecond) return roughly(Duration::zero()) + " left";
    return fmt::format("usually takes {}, now {}", roughly(usual), roughly(soFar));
}

bool isOverdue(Duration usual, Duration soFar) {
    return soFar >= std::max(usual, kHalfASecond);
}

bool isFarOverdue(Duration usual, Duration soFar) {
    constexpr int kTimes = 10;
    constexpr Duration kAtLeast{60'000'000};
    return soFar > std::max(usual * kTimes, kAtLeast);
}

Duration stillTakes(Duration usual, Duration soFar) {
    constexpr int kPart = 4;
    return std::max(usual - soFar, usual / kPart);
}

} // namespace yard::engine

// What one attempt used of processor and memory while it ran: samples, few and bounded. Values.
#pragma once

#include "core/base/clock.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

/// `cpuPercent` is the mean since the sample before (100: one core), `rssBytes` the most that was seen since then. Of GPUs:
/// the utilisation of those that it was given (100: one of them), whoever used them, and what its processes had of their
/// memory; absent: not known, or it has none.
struct UsageSample {
    WallMicros t = 0;
    float cpuPercent = 0;
    std::int64_t rssBytes = 0;
    std::optional<float> gpuPercent = {};
    std::optional<std::int64_t> gpuMemoryBytes = {};
    friend bool operator==(const UsageSample&, const UsageSample&) = default;
};

/// Samples in the order of time, at most kMost. One more than fit: of the older half each two become one, so that
/// what is old is there in coarser steps.
class UsageSeries {
public:
    static constexpr std::size_t kMost = 120;

    /// The time of the first sample is counted from `begun`.
    explicit UsageSeries(WallMicros begun = 0)
        : begun_(begun) {}
    void add(const UsageSample& sample);
    const std::vector<UsageSample>& all() const { return samples_; }
    std::int64_t mostRss() const; ///< bytes; 0 without samples

private:
    void thinOut();

    WallMicros begun_;
    std::vector<UsageSample> samples_;
};

/// With one decimal, as JSON has it.
double shownPercent(float percent);

/// Bytes for the journal, 20 a sample, where one has something of GPUs 32; nothing for none.
std::string encodeUsage(const std::vector<UsageSample>& samples);
/// What cannot be is left out.
std::vector<UsageSample> decodeUsage(std::string_view bytes);

} // namespace yard

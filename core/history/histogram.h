// Durations counted in fixed buckets, as Prometheus wants them. Owner: whoever counts; copied for readers.
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace yard::history {

class Histogram {
public:
    /// Upper bounds in microseconds, inclusive; what is longer is only in count().
    static constexpr std::array<std::int64_t, 16> kBounds{
        50,      100,       250,       500,        1'000,      2'500,       10'000,        50'000,
        250'000, 1'000'000, 5'000'000, 30'000'000, 60'000'000, 600'000'000, 3'600'000'000, 21'600'000'000};

    void observe(Duration took) {
        const std::int64_t us = took.count() < 0 ? 0 : took.count();
        ++count_;
        sumMicros_ += us;
        for (std::size_t i = 0; i < kBounds.size(); ++i)
            if (us <= kBounds[i]) {
                ++buckets_[i];
                return;
            }
    }
    /// In the bucket itself, not summed with those below.
    std::uint64_t inBucket(std::size_t i) const { return buckets_[i]; }
    std::uint64_t count() const { return count_; }
    std::int64_t sumMicros() const { return sumMicros_; }

private:
    std::array<std::uint64_t, kBounds.size()> buckets_{};
    std::uint64_t count_ = 0;
    std::int64_t sumMicros_ = 0;
};

} // namespace yard::history

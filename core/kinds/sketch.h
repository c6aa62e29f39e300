// Quantiles of many values in little memory: a DDSketch (Masson, Rim, Lee, "DDSketch", VLDB 2019). Each value is counted
// in a bucket whose bounds are two per cent apart, so a quantile is wrong by at most one per cent of itself.
//
// Bounded: at most `kMaxBuckets` buckets. Where values spread wider, the lowest are counted together in the lowest
// bucket that is kept, so high quantiles stay right. Two sketches merge into what one would have been.
//
// A value. Owner: whoever counts. Not positive and not finite values are counted as zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace yard::kinds {

/// The bucket of a value. The same for all sketches, so that it is computed once for several of them.
struct Bucket {
    static constexpr std::int32_t kZero = INT32_MIN;
    std::int32_t index = kZero;
};
Bucket bucketOf(double value);
/// The value in the middle of the bucket, as far from both bounds.
double valueOf(Bucket bucket);

class Sketch {
public:
    static constexpr double kRelativeError = 0.01;
    static constexpr std::size_t kMaxBuckets =
        512; ///< from the lowest to the highest kept value: a factor of 28,000

    void add(double value) { add(bucketOf(value)); }
    void add(Bucket bucket, std::uint32_t count = 1);
    void merge(const Sketch& other);

    std::uint64_t count() const { return count_; }
    /// Of `q` in 0..1. Nothing without values.
    std::optional<double> quantile(double q) const;

    /// As it is written down: the counts of `buckets` from `lowest` on, and how many are zero.
    struct State {
        std::uint64_t zeros = 0;
        std::int32_t lowest = 0;
        std::vector<std::uint32_t> buckets{};
        friend bool operator==(const State&, const State&) = default;
    };
    State state() const { return {.zeros = zeros_, .lowest = lowest_, .buckets = buckets_}; }
    /// False, and nothing changed, for a state that no sketch has: too many buckets, or none can be so high.
    bool restore(State state);
    std::size_t bytes() const { return buckets_.capacity() * sizeof(std::uint32_t); }

private:
    std::uint32_t& at(std::int32_t index);
    void makeRoomBelow(std::int32_t index);
    void makeRoomAbove(std::int32_t index);

    std::uint64_t count_ = 0;
    std::uint64_t zeros_ = 0;
    std::int32_t lowest_ = 0;            ///< index of buckets_.front()
    std::vector<std::uint32_t> buckets_; ///< stop at their largest number, they do not wrap
};

} // namespace yard::kinds

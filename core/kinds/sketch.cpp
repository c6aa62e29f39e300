#include "core/kinds/sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace yard::kinds {

namespace {

constexpr double kGamma = (1 + Sketch::kRelativeError) / (1 - Sketch::kRelativeError);
// How many doublings a bucket is.
const double kPerBucket = std::log2(kGamma);
// Buckets of values from 1e-9 to 1e18: what is beyond is counted at the edge.
constexpr std::int32_t kLowestIndex = -1'100;
constexpr std::int32_t kHighestIndex = 2'200;
constexpr std::uint32_t kMaxCount = std::numeric_limits<std::uint32_t>::max();

void addTo(std::uint32_t& count, std::uint64_t more) {
    count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMaxCount, count + more));
}

} // namespace

Bucket bucketOf(double value) {
    if (!(value > 0) || !std::isfinite(value)) return {};
    const double index = std::ceil(std::log2(value) / kPerBucket);
    return {static_cast<std::int32_t>(
        std::clamp(index, static_cast<double>(kLowestIndex), static_cast<double>(kHighestIndex)))};
}

double valueOf(Bucket bucket) {
    if (bucket.index == Bucket::kZero) return 0;
    return 2 * std::pow(kGamma, bucket.index) / (kGamma + 1);
}

void Sketch::add(Bucket bucket, std::uint32_t count) {
    count_ += count;
    if (bucket.index == Bucket::kZero)
        zeros_ += count;
    else
        addTo(at(bucket.index), count);
}

std::uint32_t& Sketch::at(std::int32_t index) {
    if (buckets_.empty()) {
        lowest_ = index;
        buckets_.push_back(0);
    }
    if (index < lowest_) makeRoomBelow(index);
    if (index >= lowest_ + static_cast<std::int32_t>(buckets_.size())) makeRoomAbove(index);
    return buckets_[static_cast<std::size_t>(std::max(index, lowest_) - lowest_)];
}

/// As far down as there may be buckets.
void Sketch::makeRoomBelow(std::int32_t index) {
    const auto size = static_cast<std::int32_t>(buckets_.size());
    const std::int32_t lowest = std::max(index, lowest_ + size - static_cast<std::int32_t>(kMaxBuckets));
    if (lowest >= lowest_) return;
    buckets_.insert(buckets_.begin(), static_cast<std::size_t>(lowest_ - lowest), 0);
    lowest_ = lowest;
}

/// What does not fit below goes into the lowest bucket that stays.
void Sketch::makeRoomAbove(std::int32_t index) {
    const std::int32_t lowest = std::max(lowest_, index + 1 - static_cast<std::int32_t>(kMaxBuckets));
    std::uint64_t below = 0;
    const auto gone = std::min(static_cast<std::size_t>(lowest - lowest_), buckets_.size());
    for (std::size_t i = 0; i < gone; ++i) below += buckets_[i];
    buckets_.erase(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(gone));
    lowest_ = lowest;
    buckets_.resize(static_cast<std::size_t>(index - lowest_) + 1, 0);
    addTo(buckets_.front(), below);
}

void Sketch::merge(const Sketch& other) {
    zeros_ += other.zeros_;
    count_ += other.zeros_;
    // From the highest down: what is collapsed then is what one sketch of all would have collapsed.
    for (std::size_t i = other.buckets_.size(); i-- > 0;)
        if (const std::uint32_t count = other.buckets_[i])
            add(Bucket{other.lowest_ + static_cast<std::int32_t>(i)}, count);
}

std::optional<double> Sketch::quantile(double q) const {
    if (count_ == 0) return std::nullopt;
    const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_ - 1);
    double below = static_cast<double>(zeros_);
    if (rank < below) return 0.0;
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        below += buckets_[i];
        if (rank < below) return valueOf({lowest_ + static_cast<std::int32_t>(i)});
    }
    return buckets_.empty() ? 0.0 : valueOf({lowest_ + static_cast<std::int32_t>(buckets_.size()) - 1});
}

bool Sketch::restore(State state) {
    if (state.buckets.size() > kMaxBuckets || state.lowest < kLowestIndex ||
        state.lowest > kHighestIndex + 1 - static_cast<std::int32_t>(state.buckets.size()) ||
        state.zeros > std::numeric_limits<std::uint64_t>::max() / 2)
        return false;
    count_ = zeros_ = state.zeros;
    lowest_ = state.lowest;
    buckets_ = std::move(state.buckets);
    for (const std::uint32_t count : buckets_) count_ += count;
    return true;
}

} // namespace yard::kinds

#include "core/model/usage.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace yard {

namespace {

constexpr std::size_t kSampleBytes = 20;
/// What has figures of GPUs begins with this byte. Whatever has none is a multiple of kSampleBytes, and so never as long.
constexpr char kWithGpus = 2;
constexpr std::size_t kGpuSampleBytes = 32;
static_assert(kSampleBytes % 2 == 0 && kGpuSampleBytes % 2 == 0);
constexpr float kNoPercent = -1;
constexpr std::int64_t kNoBytes = -1;

template<class T>
void put(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof value);
}

template<class T>
T take(std::string_view& from) {
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    from.remove_prefix(sizeof value);
    return value;
}

/// What both have; of one that has nothing the other's.
template<class T, class Join>
std::optional<T> joined(const std::optional<T>& a, const std::optional<T>& b, Join join) {
    return a && b ? std::optional<T>(join(*a, *b)) : a ? a : b;
}

} // namespace

void UsageSeries::add(const UsageSample& sample) {
    if (samples_.size() >= kMost) thinOut();
    samples_.push_back(sample);
}

std::int64_t UsageSeries::mostRss() const {
    return samples_.empty() ? 0 : std::ranges::max(samples_, {}, &UsageSample::rssBytes).rssBytes;
}

void UsageSeries::thinOut() {
    std::vector<UsageSample> fewer;
    fewer.reserve(kMost);
    const std::size_t older = samples_.size() / 4 * 2; // an even half
    WallMicros before = begun_;
    for (std::size_t i = 0; i + 1 < older; i += 2) {
        const UsageSample& a = samples_[i];
        const UsageSample& b = samples_[i + 1];
        const auto first = static_cast<double>(std::max<WallMicros>(a.t - before, 1));
        const auto second = static_cast<double>(std::max<WallMicros>(b.t - a.t, 1));
        const auto mean = [&](float one, float other) {
            return static_cast<float>((static_cast<double>(one) * first + static_cast<double>(other) * second) /
                                      (first + second));
        };
        const auto most = [](std::int64_t one, std::int64_t other) { return std::max(one, other); };
        fewer.push_back({.t = b.t,
                         .cpuPercent = mean(a.cpuPercent, b.cpuPercent),
                         .rssBytes = std::max(a.rssBytes, b.rssBytes),
                         .gpuPercent = joined(a.gpuPercent, b.gpuPercent, mean),
                         .gpuMemoryBytes = joined(a.gpuMemoryBytes, b.gpuMemoryBytes, most)});
        before = b.t;
    }
    fewer.insert(fewer.end(), samples_.begin() + static_cast<std::ptrdiff_t>(older), samples_.end());
    samples_ = std::move(fewer);
}

double shownPercent(float percent) {
    return std::round(static_cast<double>(percent) * 10) / 10;
}

std::string encodeUsage(const std::vector<UsageSample>& samples) {
    const bool hasGpus = std::ranges::any_of(
        samples, [](const UsageSample& sample) { return sample.gpuPercent || sample.gpuMemoryBytes; });
    std::string bytes;
    bytes.reserve(1 + samples.size() * (hasGpus ? kGpuSampleBytes : kSampleBytes));
    if (hasGpus) bytes += kWithGpus;
    for (const UsageSample& sample : samples) {
        put(bytes, sample.t);
        put(bytes, sample.cpuPercent);
        put(bytes, sample.rssBytes);
        if (!hasGpus) continue;
        put(bytes, sample.gpuPercent.value_or(kNoPercent));
        put(bytes, sample.gpuMemoryBytes.value_or(kNoBytes));
    }
    return bytes;
}

std::vector<UsageSample> decodeUsage(std::string_view bytes) {
    std::vector<UsageSample> samples;
    const bool hasGpus = bytes.size() % 2 != 0 && bytes.front() == kWithGpus;
    if (hasGpus) bytes.remove_prefix(1);
    const std::size_t size = hasGpus ? kGpuSampleBytes : kSampleBytes;
    while (bytes.size() >= size && samples.size() < UsageSeries::kMost) {
        UsageSample sample;
        sample.t = take<WallMicros>(bytes);
        sample.cpuPercent = take<float>(bytes);
        sample.rssBytes = take<std::int64_t>(bytes);
        if (hasGpus) {
            const auto percent = take<float>(bytes);
            const auto memory = take<std::int64_t>(bytes);
            if (std::isfinite(percent) && percent >= 0) sample.gpuPercent = percent;
            if (memory >= 0) sample.gpuMemoryBytes = memory;
        }
        const bool isReal =
            sample.t > 0 && std::isfinite(sample.cpuPercent) && sample.cpuPercent >= 0 && sample.rssBytes >= 0;
        if (isReal && (samples.empty() || samples.back().t < sample.t)) samples.push_back(sample);
    }
    return samples;
}

} // namespace yard

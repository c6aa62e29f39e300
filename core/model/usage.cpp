#include "core/model/usage.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace yard {

namespace {

constexpr std::size_t kSampleBytes = 20;

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
        const double mean =
            (static_cast<double>(a.cpuPercent) * first + static_cast<double>(b.cpuPercent) * second) /
            (first + second);
        fewer.push_back({b.t, static_cast<float>(mean), std::max(a.rssBytes, b.rssBytes)});
        before = b.t;
    }
    fewer.insert(fewer.end(), samples_.begin() + static_cast<std::ptrdiff_t>(older), samples_.end());
    samples_ = std::move(fewer);
}

double shownPercent(float percent) {
    return std::round(static_cast<double>(percent) * 10) / 10;
}

std::string encodeUsage(const std::vector<UsageSample>& samples) {
    std::string bytes;
    bytes.reserve(samples.size() * kSampleBytes);
    for (const UsageSample& sample : samples) {
        put(bytes, sample.t);
        put(bytes, sample.cpuPercent);
        put(bytes, sample.rssBytes);
    }
    return bytes;
}

std::vector<UsageSample> decodeUsage(std::string_view bytes) {
    std::vector<UsageSample> samples;
    while (bytes.size() >= kSampleBytes && samples.size() < UsageSeries::kMost) {
        UsageSample sample;
        sample.t = take<WallMicros>(bytes);
        sample.cpuPercent = take<float>(bytes);
        sample.rssBytes = take<std::int64_t>(bytes);
        const bool isReal =
            sample.t > 0 && std::isfinite(sample.cpuPercent) && sample.cpuPercent >= 0 && sample.rssBytes >= 0;
        if (isReal && (samples.empty() || samples.back().t < sample.t)) samples.push_back(sample);
    }
    return samples;
}

} // namespace yard

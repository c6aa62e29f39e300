// What is measured of an attempt's processes, one row each. From the rows follow its place in results (JSON), to sort
// and to filter by, the journal's columns and those of tables. Values; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace yard {

enum class Measure : unsigned char { CpuTime, PeakMemory, DiskBytes };
inline constexpr std::size_t kMeasures = 3;

enum class MeasureUnit : unsigned char {
    Microseconds, ///< in JSON seconds
    Bytes
};

struct MeasureInfo {
    Measure measure;
    MeasureUnit unit;
    std::string_view name;    ///< in JSON, and to sort by
    std::string_view filter;  ///< key of the filter language
    std::string_view column;  ///< of `done` and `attempt` in the journal
    std::string_view heading; ///< of a column
    std::string_view label;   ///< beside the value
    std::string_view help;    ///< in a few words
    bool isPeak;              ///< of several processes the largest, else the sum
};

/// In the order of Measure.
inline constexpr std::array<MeasureInfo, kMeasures> kMeasureTable{{
    {Measure::CpuTime, MeasureUnit::Microseconds, "cpu_seconds", "cpu", "cpu_us", "CPU", "processor",
     "processor time of all its processes", false},
    {Measure::PeakMemory, MeasureUnit::Bytes, "max_rss_bytes", "mem", "max_rss", "Memory", "memory",
     "most memory of its processes at once", true},
    {Measure::DiskBytes, MeasureUnit::Bytes, "io_bytes", "io", "io_bytes", "I/O", "disk",
     "what its processes read from disks and wrote to them", false},
}};

constexpr const MeasureInfo& measureInfo(Measure measure) {
    return kMeasureTable[std::to_underlying(measure)];
}

/// As JSON and filters have it: in seconds, or bytes.
constexpr double inItsUnit(const MeasureInfo& info, std::int64_t value) {
    return static_cast<double>(value) / (info.unit == MeasureUnit::Microseconds ? 1e6 : 1);
}

/// Values of one attempt, or of some of its processes; absent: not known. In microseconds and bytes.
class Measures {
public:
    std::optional<std::int64_t>& operator[](Measure measure) { return values_[std::to_underlying(measure)]; }
    const std::optional<std::int64_t>& operator[](Measure measure) const {
        return values_[std::to_underlying(measure)];
    }
    /// With what others used beside: each known value of theirs is added to ours, or is ours if it is a larger peak.
    void add(const Measures& others) {
        for (const MeasureInfo& info : kMeasureTable) {
            const auto& other = others[info.measure];
            auto& own = (*this)[info.measure];
            if (!other) continue;
            own = info.isPeak ? std::max(own.value_or(0), *other) : own.value_or(0) + *other;
        }
    }
    /// One that a second look found: whichever is more.
    void atLeast(Measure measure, std::int64_t value) {
        auto& own = (*this)[measure];
        own = std::max(own.value_or(0), value);
    }
    friend bool operator==(const Measures&, const Measures&) = default;

private:
    std::array<std::optional<std::int64_t>, kMeasures> values_{};
};

} // namespace yard

// What processes have of GPUs by the accounts that their drivers keep for each open device (/proc/PID/fdinfo, the kernel's
// drm-usage-stats). NVIDIA's own driver keeps none. Functions and values; each call blocks on /proc: for helpers.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace yard::host {

/// What an engine of a GPU did for somebody, counted up. `total` 0: `used` is in nanoseconds; else both are cycles.
struct GpuEngineUse {
    std::int64_t used = 0;
    std::int64_t total = 0;
    std::int64_t capacity = 1; ///< so many of its kind there are
    friend bool operator==(const GpuEngineUse&, const GpuEngineUse&) = default;
};
struct GpuUse {
    std::int64_t memoryBytes = 0; ///< of the GPU's own memory; of one that has none what is resident elsewhere
    std::map<std::string, GpuEngineUse> engines;
    friend bool operator==(const GpuUse&, const GpuUse&) = default;
};
/// By PCI address, of all these processes together. What several descriptors or processes share counts once. `root`: "/" but
/// in tests. Nothing: the descriptors of one that lives may not be looked at. At most 4,096 of each process are.
std::optional<std::map<std::string, GpuUse>> gpuUseOf(const std::vector<int>& pids, const std::string& root = "/");

/// How busy they kept the busiest kind of engine between two readings, 0 to 100.
double gpuPercentBetween(const GpuUse& before, const GpuUse& now, Duration span);

} // namespace yard::host

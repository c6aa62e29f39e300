// A GPU of this machine, and what it does now. Values; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::host {

enum class GpuMaker : std::uint8_t { Nvidia, Amd, Intel, Other };
/// "nvidia", "amd", "intel", "other".
std::string_view name(GpuMaker maker);

struct Gpu {
    std::string index; ///< "0": as the piece of `gpus` is called
    GpuMaker maker = GpuMaker::Other;
    int ofMaker = 0;              ///< its number among those of its maker, as their libraries count
    std::string uuid;             ///< empty: it has none
    std::string name;             ///< "NVIDIA A100-SXM4-80GB"; empty: not known
    std::int64_t memoryBytes = 0; ///< 0: not known
    std::string pci;              ///< "0000:3b:00.0"
    std::optional<int> numaNode;
    std::vector<std::string> devices; ///< device nodes that a program needs to use it
    std::vector<std::string> shared;  ///< those that it uses besides, if they are there: a driver makes them late
    friend bool operator==(const Gpu&, const Gpu&) = default;
};

struct GpuProcess {
    int pid = 0;
    std::int64_t memoryBytes = 0; ///< of the GPU
    friend bool operator==(const GpuProcess&, const GpuProcess&) = default;
};

/// Absent: it does not tell.
struct GpuFigures {
    std::string lost;    ///< why it cannot be used any more, as a sentence without a full stop; empty: it can
    std::string unknown; ///< why nothing is known of it now, in the same way; empty: it is known
    std::optional<double> utilisationPercent;
    std::optional<std::int64_t> memoryUsedBytes;
    std::optional<double> powerWatts;
    std::optional<double> temperatureC;
    std::optional<std::vector<GpuProcess>> processes; ///< that have memory of it, by their numbers here
    friend bool operator==(const GpuFigures&, const GpuFigures&) = default;
};

} // namespace yard::host

// The GPUs of this machine (docs/gpus.md). NVIDIA's are found by their driver's library, else in /proc/driver/nvidia; where
// there are none of these, AMD's, Intel's and others in /sys/class/drm.
//
// Any one thread at a time; it blocks: for helpers, and for a start. Lifetime: as long as figures are wanted.
#pragma once

#include "core/base/clock.h"
#include "core/host/gpu.h"
#include "core/host/nvml.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::host {

class Gpus {
public:
    /// `root`: "/" but in tests. `library`: NVML; empty: that of YARD_NVML, else the driver's own.
    explicit Gpus(std::string root = "/", std::string library = {});

    /// As they were found when it was made; their indexes are their places.
    const std::vector<Gpu>& all() const { return all_; }
    /// What each does now, in the same order.
    std::vector<GpuFigures> look() const;

private:
    std::vector<Gpu> ofNvidia();
    std::vector<Gpu> ofOthers() const;
    GpuFigures figuresInSys(const Gpu& gpu) const;
    std::optional<double> powerIn(const std::string& sensors) const;

    /// What a sensor of energy said last.
    struct Energy {
        std::int64_t microjoules = 0;
        MonoTime at{};
    };

    std::string root_;
    std::unique_ptr<Nvml> nvml_;
    bool byNvml_ = false; ///< it named them: it knows them by their UUIDs
    std::vector<Gpu> all_;
    mutable std::map<std::string, Energy> energy_; ///< by sensor
};

} // namespace yard::host

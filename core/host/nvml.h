// NVIDIA's GPUs, as their driver's library tells: loaded at run time, or not there.
//
// Any one thread at a time; each call blocks for milliseconds, with a driver in trouble for longer: for helpers, and for a
// start. Lifetime: loaded until destroyed. What the library says is checked for length only: it is the driver's.
#pragma once

#include "core/host/gpu.h"
#include "core/host/nvml_abi.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::host {

class Nvml {
public:
    /// Null where it cannot be loaded (by the static program never) or does not start: there is no such driver.
    static std::unique_ptr<Nvml> load(const std::string& library);
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    /// At most 64, in the library's order.
    std::vector<Gpu> gpus() const;
    /// Of one by its UUID.
    GpuFigures figures(const std::string& uuid) const;

private:
    struct Functions {
        nvml::InitFunction* init;
        nvml::ShutdownFunction* shutdown;
        nvml::CountFunction* count;
        nvml::HandleFunction* handle;
        nvml::HandleByUuidFunction* handleByUuid;
        nvml::TextFunction* uuid;
        nvml::TextFunction* name;
        nvml::NumberFunction* minor;
        nvml::MemoryFunction* memory;
        nvml::PciFunction* pci;
        // those may be missing
        nvml::UtilizationFunction* utilization;
        nvml::NumberFunction* power;
        nvml::TemperatureFunction* temperature;
        nvml::ErrorsFunction* errors;
        nvml::ProcessesFunction* computing;
        nvml::ProcessesFunction* drawing;
    };
    Nvml(void* library, const Functions& functions, bool namesOurs)
        : library_(library)
        , functions_(functions)
        , namesOurs_(namesOurs) {}
    Gpu gpuOf(nvml::Device device) const;
    std::optional<std::vector<GpuProcess>> processesOf(nvml::Device device) const;

    void* library_;
    Functions functions_;
    bool namesOurs_; ///< its numbers of processes are those that they have here
};

} // namespace yard::host

// What is used of NVIDIA's Management Library, declared by hand: names, numbers and layouts of nvml.h of CUDA 12 (NVML
// API reference, docs.nvidia.com/deploy/nvml-api), which have been stable since the versions that their suffixes name.
// The library is loaded at run time; nothing of it is needed to build. Private to core/host, and to the tests' own
// library in its place.
#pragma once

#include <array>

namespace yard::host::nvml {

using Device = struct nvmlDevice_st*;
using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kNotFound = 6;
inline constexpr Return kGpuIsLost = 15;
inline constexpr unsigned kUuidBytes = 96;    // NVML_DEVICE_UUID_V2_BUFFER_SIZE
inline constexpr unsigned kNameBytes = 96;    // NVML_DEVICE_NAME_V2_BUFFER_SIZE
inline constexpr int kTemperatureOfGpu = 0;   // NVML_TEMPERATURE_GPU
inline constexpr int kUncorrectedErrors = 1;  // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
inline constexpr int kSinceDriverStarted = 0; // NVML_VOLATILE_ECC

struct Memory { // nvmlMemory_t
    unsigned long long total;
    unsigned long long free;
    unsigned long long used;
};
struct Utilization { // nvmlUtilization_t
    unsigned gpu;
    unsigned memory;
};
struct PciInfo { // nvmlPciInfo_t
    std::array<char, 16> busIdLegacy;
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned pciDeviceId;
    unsigned pciSubSystemId;
    std::array<char, 32> busId;
};
struct ProcessInfo { // nvmlProcessInfo_t of the functions with _v3
    unsigned pid;
    unsigned long long usedGpuMemory; // all bits set: not known
    unsigned gpuInstanceId;
    unsigned computeInstanceId;
};
static_assert(sizeof(ProcessInfo) == 24);
static_assert(sizeof(Memory) == 24 && sizeof(Utilization) == 8 && sizeof(PciInfo) == 68);

using InitFunction = Return();                              // nvmlInit_v2
using ShutdownFunction = Return();                          // nvmlShutdown
using CountFunction = Return(unsigned*);                    // nvmlDeviceGetCount_v2
using HandleFunction = Return(unsigned, Device*);           // nvmlDeviceGetHandleByIndex_v2
using HandleByUuidFunction = Return(const char*, Device*);  // nvmlDeviceGetHandleByUUID
using TextFunction = Return(Device, char*, unsigned);       // nvmlDeviceGetUUID, nvmlDeviceGetName
using NumberFunction = Return(Device, unsigned*);           // nvmlDeviceGetMinorNumber, …PowerUsage (milliwatts)
using MemoryFunction = Return(Device, Memory*);             // nvmlDeviceGetMemoryInfo
using UtilizationFunction = Return(Device, Utilization*);   // nvmlDeviceGetUtilizationRates
using PciFunction = Return(Device, PciInfo*);               // nvmlDeviceGetPciInfo_v3
using TemperatureFunction = Return(Device, int, unsigned*); // nvmlDeviceGetTemperature
using ProcessesFunction = Return(Device, unsigned*,
                                 ProcessInfo*); // nvmlDeviceGetComputeRunningProcesses_v3, …Graphics…
using ErrorsFunction = Return(Device, int, int, unsigned long long*); // nvmlDeviceGetTotalEccErrors

} // namespace yard::host::nvml

#include "core/host/nvml.h"

#include "core/host/loading.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <sys/stat.h>

namespace yard::host {

namespace {

constexpr unsigned kMostOfNvidia = 64;
constexpr unsigned kMostProcesses = 1'024; // of one GPU

template<class Function>
Function* find(void* library, const char* symbol) {
    return reinterpret_cast<Function*>(::dlsym(library, symbol));
}

/// What the library wrote, with or without a zero after it.
template<std::size_t N>
std::string textOf(const std::array<char, N>& text) {
    return {text.begin(), std::ranges::find(text, '\0')};
}

template<std::size_t N>
std::string asked(nvml::TextFunction* function, nvml::Device device) {
    std::array<char, N> text{};
    return function(device, text.data(), N) == nvml::kSuccess ? textOf(text) : std::string();
}

/// A driver names processes by their numbers in the machine's first namespace. In another one those are somebody else's.
bool isInFirstPidNamespace() {
    constexpr ino_t kFirst = 0xEFFFFFFC; // PROC_PID_INIT_INO of the kernel
    struct stat facts{};
    return ::stat("/proc/self/ns/pid", &facts) == 0 && facts.st_ino == kFirst;
}

} // namespace

std::unique_ptr<Nvml> Nvml::load(const std::string& path) {
    void* library = mayLoadLibraries() ? ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!library) return nullptr;
    const Functions functions{
        .init = find<nvml::InitFunction>(library, "nvmlInit_v2"),
        .shutdown = find<nvml::ShutdownFunction>(library, "nvmlShutdown"),
        .count = find<nvml::CountFunction>(library, "nvmlDeviceGetCount_v2"),
        .handle = find<nvml::HandleFunction>(library, "nvmlDeviceGetHandleByIndex_v2"),
        .handleByUuid = find<nvml::HandleByUuidFunction>(library, "nvmlDeviceGetHandleByUUID"),
        .uuid = find<nvml::TextFunction>(library, "nvmlDeviceGetUUID"),
        .name = find<nvml::TextFunction>(library, "nvmlDeviceGetName"),
        .minor = find<nvml::NumberFunction>(library, "nvmlDeviceGetMinorNumber"),
        .memory = find<nvml::MemoryFunction>(library, "nvmlDeviceGetMemoryInfo"),
        .pci = find<nvml::PciFunction>(library, "nvmlDeviceGetPciInfo_v3"),
        .utilization = find<nvml::UtilizationFunction>(library, "nvmlDeviceGetUtilizationRates"),
        .power = find<nvml::NumberFunction>(library, "nvmlDeviceGetPowerUsage"),
        .temperature = find<nvml::TemperatureFunction>(library, "nvmlDeviceGetTemperature"),
        .errors = find<nvml::ErrorsFunction>(library, "nvmlDeviceGetTotalEccErrors"),
        .computing = find<nvml::ProcessesFunction>(library, "nvmlDeviceGetComputeRunningProcesses_v3"),
        .drawing = find<nvml::ProcessesFunction>(library, "nvmlDeviceGetGraphicsRunningProcesses_v3"),
    };
    const bool isWhole = functions.init && functions.shutdown && functions.count && functions.handle &&
                         functions.handleByUuid && functions.uuid && functions.name && functions.minor &&
                         functions.memory && functions.pci;
    // The library of the tests names processes as they do.
    const bool namesOurs = isInFirstPidNamespace() || ::dlsym(library, "yardNamesOurProcesses") != nullptr;
    if (isWhole && functions.init() == nvml::kSuccess)
        return std::unique_ptr<Nvml>(new Nvml(library, functions, namesOurs)); // the constructor is private
    ::dlclose(library);
    return nullptr;
}

Nvml::~Nvml() {
    (void)functions_.shutdown();
    ::dlclose(library_);
}

Gpu Nvml::gpuOf(nvml::Device device) const {
    Gpu gpu;
    gpu.maker = GpuMaker::Nvidia;
    gpu.uuid = asked<nvml::kUuidBytes>(functions_.uuid, device);
    gpu.name = asked<nvml::kNameBytes>(functions_.name, device);
    nvml::Memory memory{};
    if (functions_.memory(device, &memory) == nvml::kSuccess)
        gpu.memoryBytes = static_cast<std::int64_t>(memory.total);
    nvml::PciInfo pci{};
    if (functions_.pci(device, &pci) == nvml::kSuccess)
        gpu.pci = fmt::format("{:04x}:{:02x}:{:02x}.0", pci.domain, pci.bus, pci.device); // as /sys has it
    unsigned minor = 0;
    if (functions_.minor(device, &minor) == nvml::kSuccess)
        gpu.devices.push_back(fmt::format("/dev/nvidia{}", minor));
    return gpu;
}

std::vector<Gpu> Nvml::gpus() const {
    std::vector<Gpu> all;
    unsigned count = 0;
    if (functions_.count(&count) != nvml::kSuccess) return all;
    for (unsigned i = 0; i < std::min(count, kMostOfNvidia); ++i) {
        nvml::Device device = nullptr;
        if (functions_.handle(i, &device) != nvml::kSuccess) continue;
        Gpu gpu = gpuOf(device);
        gpu.ofMaker = static_cast<int>(i);
        if (!gpu.uuid.empty()) all.push_back(std::move(gpu));
    }
    return all;
}

/// Who computes and draws is in both lists, with the same memory. Of more than kMostProcesses nothing is told.
std::optional<std::vector<GpuProcess>> Nvml::processesOf(nvml::Device device) const {
    std::optional<std::vector<GpuProcess>> all;
    if (!namesOurs_) return all;
    for (nvml::ProcessesFunction* const list : {functions_.computing, functions_.drawing}) {
        std::vector<nvml::ProcessInfo> infos(kMostProcesses);
        unsigned count = kMostProcesses;
        if (!list || list(device, &count, infos.data()) != nvml::kSuccess) continue;
        if (!all) all.emplace();
        for (const nvml::ProcessInfo& info : std::span(infos).first(std::min(count, kMostProcesses))) {
            const auto pid = static_cast<int>(info.pid);
            const bool isKnown = info.usedGpuMemory != std::numeric_limits<unsigned long long>::max();
            if (isKnown && std::ranges::find(*all, pid, &GpuProcess::pid) == all->end())
                all->push_back({.pid = pid, .memoryBytes = static_cast<std::int64_t>(info.usedGpuMemory)});
        }
    }
    return all;
}

GpuFigures Nvml::figures(const std::string& uuid) const {
    GpuFigures figures;
    nvml::Device device = nullptr;
    nvml::Memory memory{};
    nvml::Return answer = functions_.handleByUuid(uuid.c_str(), &device);
    if (answer == nvml::kSuccess) answer = functions_.memory(device, &memory);
    if (answer == nvml::kGpuIsLost || answer == nvml::kNotFound) {
        figures.lost = "it has fallen off the bus";
        return figures;
    }
    if (answer != nvml::kSuccess) return figures; // the driver has trouble: that says nothing of this one
    figures.memoryUsedBytes = static_cast<std::int64_t>(memory.used);
    unsigned long long errors = 0;
    if (functions_.errors &&
        functions_.errors(device, nvml::kUncorrectedErrors, nvml::kSinceDriverStarted, &errors) == nvml::kSuccess &&
        errors > 0)
        figures.lost = "its memory has errors that cannot be corrected";
    nvml::Utilization utilization{};
    if (functions_.utilization && functions_.utilization(device, &utilization) == nvml::kSuccess)
        figures.utilisationPercent = utilization.gpu;
    unsigned number = 0;
    if (functions_.power && functions_.power(device, &number) == nvml::kSuccess)
        figures.powerWatts = number / 1000.0;
    if (functions_.temperature &&
        functions_.temperature(device, nvml::kTemperatureOfGpu, &number) == nvml::kSuccess)
        figures.temperatureC = number;
    figures.processes = processesOf(device);
    return figures;
}

} // namespace yard::host

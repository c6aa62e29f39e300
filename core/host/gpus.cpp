#include "core/host/gpus.h"

#include "core/base/environment.h"
#include "core/host/small_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace yard::host {

namespace {

constexpr const char* kLibrary = "libnvidia-ml.so.1";
constexpr std::size_t kMostGpus = 64;
/// Which of them there are depends on the driver, which makes some when it is first used; a program uses all that there are.
constexpr std::array<const char*, 4> kControlNodes = {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools",
                                                      "/dev/nvidia-modeset"};

std::string libraryOf(std::string library) {
    if (library.empty()) library = environmentOrEmpty("YARD_NVML");
    return library.empty() ? kLibrary : library;
}

/// Names in a directory that begin with it, in the order of their lengths and letters.
std::vector<std::string> namesIn(const std::string& directory, std::string_view prefix) {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        std::string entry = at->path().filename().string();
        if (entry.starts_with(prefix) && names.size() < kMostGpus) names.push_back(std::move(entry));
    }
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    return names;
}

std::string firstLine(const std::string& path) {
    const std::string text = readSmallFile(path);
    return text.substr(0, text.find('\n'));
}

std::string trimmed(std::string_view text) {
    const auto from = std::min(text.find_first_not_of(" \t"), text.size());
    return std::string(text.substr(from));
}

GpuMaker makerOf(std::string_view vendor) {
    if (vendor == "0x10de") return GpuMaker::Nvidia;
    if (vendor == "0x1002") return GpuMaker::Amd;
    return vendor == "0x8086" ? GpuMaker::Intel : GpuMaker::Other;
}

std::optional<int> numaNodeOf(const std::string& root, const std::string& pci) {
    const auto node = leadingNumber(readSmallFile(fmt::format("{}sys/bus/pci/devices/{}/numa_node", root, pci)));
    return node && *node >= 0 ? std::optional(static_cast<int>(*node)) : std::nullopt;
}

} // namespace

std::string_view name(GpuMaker maker) {
    constexpr std::array<std::string_view, 4> kNames = {"nvidia", "amd", "intel", "other"};
    return kNames[std::to_underlying(maker)];
}

Gpus::Gpus(std::string root, std::string library)
    : root_(std::move(root))
    , nvml_(Nvml::load(libraryOf(std::move(library)))) {
    all_ = ofNvidia();
    if (all_.empty()) all_ = ofOthers();
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i].index = std::to_string(i);
}

std::vector<Gpu> Gpus::ofNvidia() {
    std::vector<Gpu> gpus = nvml_ ? nvml_->gpus() : std::vector<Gpu>();
    byNvml_ = !gpus.empty();
    if (!byNvml_)
        for (const std::string& pci : namesIn(root_ + "proc/driver/nvidia/gpus", "")) {
            const std::string facts =
                readSmallFile(fmt::format("{}proc/driver/nvidia/gpus/{}/information", root_, pci));
            Gpu& gpu = gpus.emplace_back();
            gpu.maker = GpuMaker::Nvidia;
            gpu.ofMaker = static_cast<int>(gpus.size()) - 1;
            gpu.pci = pci;
            gpu.uuid = trimmed(lineOf(facts, "GPU UUID:"));
            gpu.name = trimmed(lineOf(facts, "Model:"));
            if (const auto minor = leadingNumber(lineOf(facts, "Device Minor:")))
                gpu.devices.push_back(fmt::format("/dev/nvidia{}", *minor));
        }
    for (Gpu& gpu : gpus) {
        gpu.numaNode = numaNodeOf(root_, gpu.pci);
        gpu.shared.assign(kControlNodes.begin(), kControlNodes.end());
    }
    return gpus;
}

std::vector<Gpu> Gpus::ofOthers() const {
    std::vector<Gpu> gpus;
    std::array<int, 4> counts{};
    for (const std::string& node : namesIn(root_ + "dev/dri", "renderD")) {
        const std::string device = fmt::format("{}sys/class/drm/{}/device/", root_, node);
        Gpu& gpu = gpus.emplace_back();
        gpu.maker = makerOf(firstLine(device + "vendor"));
        gpu.ofMaker = counts[std::to_underlying(gpu.maker)]++;
        gpu.pci = lineOf(readSmallFile(device + "uevent"), "PCI_SLOT_NAME=");
        gpu.uuid = firstLine(device + "unique_id");
        if (!gpu.uuid.empty()) gpu.uuid.insert(0, "GPU-"); // as ROCm calls it
        gpu.name = firstLine(device + "product_name");
        gpu.memoryBytes = leadingNumber(readSmallFile(device + "mem_info_vram_total")).value_or(0);
        gpu.numaNode = numaNodeOf(root_, gpu.pci);
        gpu.devices.push_back("/dev/dri/" + node);
        std::error_code error;
        if (gpu.maker == GpuMaker::Amd && std::filesystem::exists(root_ + "dev/kfd", error))
            gpu.devices.emplace_back("/dev/kfd");
    }
    return gpus;
}

GpuFigures Gpus::figuresInSys(const Gpu& gpu) const {
    GpuFigures figures;
    if (gpu.pci.empty()) return figures;
    const std::string device = fmt::format("{}sys/bus/pci/devices/{}/", root_, gpu.pci);
    std::error_code error;
    if (!std::filesystem::exists(device, error) && !error) {
        figures.lost = "it has fallen off the bus";
        return figures;
    }
    if (const auto busy = leadingNumber(readSmallFile(device + "gpu_busy_percent")))
        figures.utilisationPercent = static_cast<double>(*busy);
    figures.memoryUsedBytes = leadingNumber(readSmallFile(device + "mem_info_vram_used"));
    for (const std::string& monitor : namesIn(device + "hwmon", "hwmon")) {
        const std::string sensors = fmt::format("{}hwmon/{}/", device, monitor);
        if (const auto watts = powerIn(sensors)) figures.powerWatts = watts;
        for (const char* name : {"temp1_input", "temp2_input"}) { // xe has that of the whole as its second
            const auto thousandths = leadingNumber(readSmallFile(sensors + name));
            if (!thousandths) continue;
            figures.temperatureC = static_cast<double>(*thousandths) / 1e3;
            break;
        }
    }
    return figures;
}

/// amdgpu tells the power, i915 and xe the energy since they began.
std::optional<double> Gpus::powerIn(const std::string& sensors) const {
    for (const char* name : {"power1_average", "power1_input"})
        if (const auto microwatts = leadingNumber(readSmallFile(sensors + name)))
            return static_cast<double>(*microwatts) / 1e6;
    const auto microjoules = leadingNumber(readSmallFile(sensors + "energy1_input"));
    if (!microjoules) return std::nullopt;
    const Energy now{.microjoules = *microjoules, .at = MonoClock::now()};
    const auto last = energy_.find(sensors);
    const std::optional<Energy> before = last == energy_.end() ? std::nullopt : std::optional(last->second);
    energy_[sensors] = now;
    if (!before || now.at <= before->at || now.microjoules < before->microjoules) return std::nullopt;
    return static_cast<double>(now.microjoules - before->microjoules) /
           static_cast<double>((now.at - before->at).count());
}

std::vector<GpuFigures> Gpus::look() const {
    std::vector<GpuFigures> figures;
    for (const Gpu& gpu : all_) figures.push_back(byNvml_ ? nvml_->figures(gpu.uuid) : figuresInSys(gpu));
    return figures;
}

} // namespace yard::host

#include "core/engine/running/gpu_environment.h"

#include "core/engine/running/given_environment.h"
#include "core/sandbox/plan.h"

#include <algorithm>
#include <memory>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

/// By UUID where that is understood: numbers change with what else is hidden.
std::string wordsOf(const std::vector<host::Gpu>& gpus, host::GpuMaker maker, bool byUuid) {
    std::string words;
    for (const host::Gpu& gpu : gpus) {
        if (gpu.maker != maker) continue;
        if (!words.empty()) words += ',';
        words += byUuid && !gpu.uuid.empty() ? gpu.uuid : std::to_string(gpu.ofMaker);
    }
    return words;
}

} // namespace

std::vector<host::Gpu> gpusOf(const GivenResources& given, const std::vector<host::Gpu>& all) {
    std::vector<host::Gpu> gpus;
    const auto has = std::ranges::find(given, kGpus, &GivenResource::resource);
    if (has == given.end()) return gpus;
    for (const std::string& index : has->names)
        if (const auto at = std::ranges::find(all, index, &host::Gpu::index); at != all.end()) gpus.push_back(*at);
    return gpus;
}

void addGpus(runners::Lease& lease, const std::vector<host::Gpu>& gpus) {
    using enum host::GpuMaker;
    if (std::string words = wordsOf(gpus, Nvidia, true); !words.empty()) {
        setVariable(lease, "NVIDIA_VISIBLE_DEVICES", words);
        setVariable(lease, "CUDA_VISIBLE_DEVICES", std::move(words));
    }
    if (std::string words = wordsOf(gpus, Amd, true); !words.empty())
        setVariable(lease, "ROCR_VISIBLE_DEVICES", std::move(words));
    if (std::string words = wordsOf(gpus, Intel, false); !words.empty())
        setVariable(lease, "ZE_AFFINITY_MASK", std::move(words));
    if (!lease.sandbox || gpus.empty()) return;
    auto plan = std::make_shared<sandbox::Plan>(*lease.sandbox); // others may have the one that was made
    const auto show = [&devices = plan->devices](const std::string& device) {
        if (devices.size() < sandbox::kMaxDevices && std::ranges::find(devices, device) == devices.end())
            devices.push_back(device);
    };
    for (const host::Gpu& gpu : gpus) {
        std::ranges::for_each(gpu.devices, show);
        for (const std::string& device : gpu.shared)
            if (::access(device.c_str(), F_OK) == 0) show(device);
    }
    lease.sandbox = std::move(plan);
}

} // namespace yard::engine

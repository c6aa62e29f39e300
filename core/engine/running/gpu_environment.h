// What tells the libraries of GPUs which of them a program may use (docs/gpus.md). Functions; any thread.
#pragma once

#include "core/host/gpu.h"
#include "core/lease/runner.h"
#include "core/model/given_resources.h"

#include <string>
#include <vector>

namespace yard::engine {

/// Those of `all` that were given; what is called otherwise than any of them is left out.
std::vector<host::Gpu> gpusOf(const GivenResources& given, const std::vector<host::Gpu>& all);
/// Sets CUDA_VISIBLE_DEVICES and NVIDIA_VISIBLE_DEVICES, ROCR_VISIBLE_DEVICES, ZE_AFFINITY_MASK, each where there is a GPU of
/// that maker. A sandbox shows the device nodes of these GPUs and no others; of Gpu::shared those that exist now.
void addGpus(runners::Lease& lease, const std::vector<host::Gpu>& gpus);

} // namespace yard::engine

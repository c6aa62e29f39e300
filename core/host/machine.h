// What this machine has to give: found at the start, overridden by settings. Any thread; reads a few small files.
#pragma once

#include "core/model/action_spec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::host {

/// What settings say about resources; what is absent is as found.
struct ResourceSettings {
    std::optional<std::int64_t> memoryMb;
    std::vector<std::pair<std::string, std::int64_t>>
        named; ///< "gpus", "licence.x": thousandths; the last one counts
};

/// Memory in MiB: of the machine, or of our control group when that is less. `root` is "/" but in tests.
std::int64_t memoryOfMachine(const std::string& root = "/");
/// What the machine is called.
std::string hostName();

/// All that may be in use at once: `capacity` cores, the `gpus` that were found (gpus.h), and the rest.
Resources machineResources(int capacity, std::size_t gpus, const ResourceSettings& settings,
                           const std::string& root = "/");

} // namespace yard::host

// Whether what runs gets on: the processor time of process trees. Any thread; reads /proc, blocks.
#pragma once

#include "core/engine/running/leaders.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// Processor time in microseconds of each of these processes and all that descend from them, are in their session
/// or lost their parent (leaders.h), also of children that have ended and were waited for. Those that are gone are
/// left out. `root` is "/" but in tests.
std::unordered_map<int, std::int64_t> processorTimes(const std::vector<Leader>& leaders, const Adopter& adopter,
                                                     const std::string& root = "/");

} // namespace yard::engine

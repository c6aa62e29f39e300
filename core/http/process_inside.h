// What the system and the allocator know of this process: its memory and its
// descriptors, by kind. Blocks for a look into /proc: for helpers. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::http {

struct ResidentMemory {
    std::uint64_t bytes = 0;
    std::uint64_t ofFiles = 0; ///< of them: pages of files
};
/// Nothing where the system does not say.
std::optional<ResidentMemory> residentMemory();

struct ProcessMemory {
    ResidentMemory resident{};
    std::uint64_t allocated = 0; ///< in use, of what malloc has
    std::uint64_t kept = 0;      ///< free, of what malloc has
};
ProcessMemory processMemory();

struct ProcessDescriptors {
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
    std::vector<std::pair<std::string_view, std::uint64_t>> owners{}; ///< the largest first; none that has none
};
/// Owners by what each descriptor is open on. Linear in their number.
ProcessDescriptors processDescriptors(const std::string& dataDir);

} // namespace yard::http

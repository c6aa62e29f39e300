// What the system and the allocator know of this process: its memory and its
// descriptors, by kind. Blocks for a look into /proc: for helpers. Any thread.
#pragma once

#include "core/base/clock.h"

#include <cstddef>
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

struct OpenDescriptor {
    int number = -1;
    std::string owner{};
    std::string target{};          ///< what it is open on, as the system calls it
    std::string opener{};          ///< the line of code that opened it; empty: a library did
    std::optional<Duration> age{}; ///< of one with an opener
};

struct ProcessDescriptors {
    std::uint64_t limit = 0;
    std::uint64_t used = 0;
    std::vector<std::pair<std::string, std::uint64_t>> owners{}; ///< the largest first; none that has none
    std::vector<OpenDescriptor> listed{};                        ///< the oldest first; those asked for
};
/// Of those that are listed.
inline constexpr std::size_t kMostDescriptors = 1'000;
/// Owners by the part of the program that opened each, else by what it is open on. Lists those of `owner`, none where
/// that is empty. Linear in their number.
ProcessDescriptors processDescriptors(const std::string& dataDir, std::string_view owner = {});

} // namespace yard::http

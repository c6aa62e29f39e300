// What a person wrote down as an allocator, and its JSON. Values; any thread.
#pragma once

#include "core/allocators/allocator.h"
#include "core/allocators/commands.h"
#include "core/allocators/slurm.h"
#include "core/base/error.h"
#include "core/json/json_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

enum class AllocatorKind : std::uint8_t { Slurm, Command };
std::string_view name(AllocatorKind kind);

struct AllocatorDefinition {
    std::string name;
    AllocatorKind kind = AllocatorKind::Slurm;
    // Of Slurm.
    std::string partition; ///< empty: Slurm's default
    std::vector<std::string> options;
    std::string program = "yardmaster"; ///< there
    // Of commands.
    allocators::CommandOptions commands;
    // Of both.
    std::int64_t walltimeS = 3'600;
    double cores = 1;
    std::int64_t memoryMb = 0; ///< 0: not said
    double gpus = 0;
    std::int64_t min = 0;
    std::int64_t max = 1;
    std::int64_t pendingMax = 2;
    std::int64_t backlogS = 600;
    std::int64_t idleS = 300;
    bool keeps = false;     ///< its machines go on when the engine ends
    bool isPaused = false;  ///< by a person
    bool isRemoved = false; ///< it goes once its jobs have
};

inline constexpr std::size_t kMostAllocatorBytes = 64u << 10;
inline constexpr std::int64_t kMostPilots = 1'000; ///< of one allocator

/// Where a definition comes from: the journal has what people may not give.
enum class AllocatorSource : unsigned char { Person, Journal };
/// The members that JSON names, over those of `base`. Malformed, TooLarge, or Invalid with the member's name.
Result<AllocatorDefinition> readAllocator(std::string_view json, AllocatorDefinition base,
                                          AllocatorSource source = AllocatorSource::Person);
/// Its members, without braces. `withCommands`: what may have passwords in it, too.
void writeAllocator(JsonWriter& writer, const AllocatorDefinition& definition, bool withCommands);

allocators::Settings settingsOf(const AllocatorDefinition& definition);
allocators::SlurmOptions slurmOf(const AllocatorDefinition& definition);

} // namespace yard::engine

// First processes that are looked at, and who belongs to them without descending from them. Any thread but the
// engine's: it blocks on /proc.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::engine {

/// The first process of an attempt, or one of the warm pool.
struct Leader {
    int pid = 0;
    std::int64_t lsn = 0;         ///< as the environment of its processes has it; 0: not known
    std::int64_t memoryLimit = 0; ///< bytes; 0: none. Over it what several processes share counts once
    bool namesMembers = false;    ///< its reading says which processes its tree has
};

/// The launcher: a process that loses its parent, and is in no sandbox, becomes a child of its main thread.
struct Adopter {
    int pid = 0; ///< 0: there is none
    std::string token;
};

/// By leader: processes that lost their parent, and are one of these leaders' (core/lease/orphans.h). One that hides
/// whose it is is nobody's here. At most 1,000 are looked at.
std::unordered_map<int, std::vector<int>> orphansOf(const std::vector<Leader>& leaders, const Adopter& adopter);

} // namespace yard::engine

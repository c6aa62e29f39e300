// What a loop's cooperative threads did while they were looked at: the functions that ran, as a tree of calls, and
// when each thread ran. coro/profiler.h fills one; profile_file.h keeps it; report.h shows it.
//
// Values. Invariant: a node stands after its parent; nodes without a parent are threads.
#pragma once

#include "core/base/clock.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::profile {

inline constexpr std::uint32_t kNoParent = 0xffffffff;

/// What `Cost::calls` counts. Whoever samples sees no calls: how often a function was found on the processor says nothing of
/// how often it was called.
enum class Counted : std::uint8_t { Calls, Samples };

/// Of a function itself, without what it called. Times are of its OS thread, while it ran.
struct Cost {
    std::uint64_t calls = 0; ///< of a thread: how often it had its turn; or samples, as `Profile::counted` says
    std::uint64_t wallNanos = 0;
    std::uint64_t userMicros = 0;
    std::uint64_t systemMicros = 0;
    std::uint64_t voluntarySwitches = 0;
    std::uint64_t involuntarySwitches = 0;
    std::uint64_t minorFaults = 0;
    std::uint64_t majorFaults = 0;
    std::uint64_t allocatedBytes = 0; ///< asked of operator new; 0 in files of version 1

    Cost& operator+=(const Cost& other);
    bool operator==(const Cost&) const = default;
};

/// Every member, in the order of a file and of the page.
inline constexpr std::array kCostParts = {&Cost::calls,        &Cost::wallNanos,         &Cost::userMicros,
                                          &Cost::systemMicros, &Cost::voluntarySwitches, &Cost::involuntarySwitches,
                                          &Cost::minorFaults,  &Cost::majorFaults,       &Cost::allocatedBytes};
/// Of them in a file of version 1.
inline constexpr std::size_t kCostPartsOfVersion1 = 8;

/// A coroutine, or the name of threads: digits in it are one `#`.
struct Function {
    std::string name{};
    std::string file{}; ///< empty: a thread
    std::uint32_t line = 0;
    bool operator==(const Function&) const = default;
};

struct Node {
    std::uint32_t function = 0;
    std::uint32_t parent = kNoParent;
    Cost self{};
    bool operator==(const Node&) const = default;
};

/// A thread had its turn.
struct Slice {
    std::uint32_t node = 0;        ///< of the thread
    std::uint64_t startMicros = 0; ///< since the begin
    std::uint32_t ranMicros = 0;
    bool operator==(const Slice&) const = default;
};

struct Profile {
    std::string loop{};
    Counted counted = Counted::Calls;
    WallMicros began = 0;
    std::uint64_t lastedMicros = 0;
    std::vector<Function> functions{};
    std::vector<Node> nodes{};
    std::vector<Slice> slices{};     ///< the latest, oldest first
    std::uint64_t slicesLeftOut = 0; ///< older ones
    std::uint64_t callsLeftOut = 0;  ///< calls counted as their caller's: the tree was full
    bool operator==(const Profile&) const = default;
};

/// Of each node: its own cost and that of all below it.
std::vector<Cost> totals(const Profile& profile);
/// The nodes from the thread to this one, by their index.
std::vector<std::uint32_t> pathOf(const Profile& profile, std::uint32_t node);
/// Only what is in a function (or a thread) with this text in its name, and the way to it. Empty text: all.
Profile within(const Profile& profile, std::string_view text);

} // namespace yard::profile

// The session and the fleet of an engine in virtual time: what a plan of work would take on so many machines. No
// processes, no files, no network, no clock but that of the processor for the decisions a second.
//
// Modelled: one queue, machines that are alike, actions that succeed. A turn of the scheduler takes in what happened
// within a part of a second, as an engine's does, longer where there is much of it (docs/simulate.md).
//
// Any thread; a call keeps nothing.
#pragma once

#include "core/base/error.h"
#include "core/simulate/work.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::simulate {

inline constexpr int kMostMachines = 100'000;
inline constexpr int kMostCores = 100'000; ///< of one machine
inline constexpr std::int64_t kMostCoresInAll = 10'000'000;

struct FleetSize {
    int machines = 1;
    int cores = 1;             ///< of each
    std::int64_t memoryMb = 0; ///< of each; 0: as much as is asked for
};

enum class Policy : unsigned char {
    Usual,         ///< as an engine decides
    NoReserve,     ///< nothing is kept for what was passed over
    ShortestFirst, ///< kinds that take less have a higher priority
    LongestFirst
};
std::string_view name(Policy policy);
std::optional<Policy> policyFrom(std::string_view word);
/// "usual, no-reserve, …"
std::string policyNames();

/// One attempt, once its start is decided.
struct Span {
    std::uint32_t machine = 0;
    std::uint32_t kind = 0;
    std::int64_t number = 0; ///< of the action, from 1, by arrival
    Duration arrival{};
    Duration start{};
    Duration end{};
};

struct Options {
    FleetSize fleet;
    Policy policy = Policy::Usual;
    std::uint64_t seed = 1;
    std::function<void(const Span&)> started{}; ///< in the order of starts; empty: nobody asks
};

struct KindWait {
    std::string kind;
    double p50 = 0; ///< seconds from arrival to start
    double p95 = 0;
};

struct Answer {
    double makespan = 0; ///< seconds, from the first arrival to the last end
    double bound = 0;    ///< what no scheduler can do better than: work over capacity, or one action alone
    std::vector<std::pair<double, double>> utilisation; ///< from a time on, the part of all cores in use
    std::vector<KindWait> waits;                        ///< of kinds of which there are any
    double decisionsPerSecond = 0;                      ///< of the processor's time in which starts were decided
    std::size_t peakMemoryBytes = 0;                    ///< of the session and of what is waited for
};

/// Runs to the end of the last action. Invalid: what is over a limit, or would never start.
Result<Answer> play(const Work& work, const Options& options);

} // namespace yard::simulate

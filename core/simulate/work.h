// What a simulation is given to do: kinds of actions, and each action with its arrival and how long it takes. Values;
// any thread.
//
// Invariants: jobs are in the order of their arrival, which counts from 0; each has a kind that is there.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/action_spec.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::simulate {

inline constexpr std::int64_t kMostActions = 10'000'000;
inline constexpr std::size_t kMostKinds = 1'000;
inline constexpr std::size_t kMostModelBytes = 1u << 20;

struct Kind {
    std::string name;
    Resources need;
};

struct Job {
    Duration arrival{};
    Duration took{};
    std::uint32_t kind = 0;
};

struct Work {
    std::vector<Kind> kinds;
    std::vector<Job> jobs;
};

/// Actions drawn from a model (docs/simulate.md): {"actions","kinds":[{"name","share","cores","memory_mb",
/// "seconds":{"p50","p95"}}],"arrival_s"}. Run times are log-normal, arrivals even. The same text and seed make the same
/// work. Malformed, or Invalid with the member.
Result<Work> workFromModel(std::string_view json, std::uint64_t seed);
/// Takes them into the order of their arrival, the first at 0. Of jobs that were seen, or that a test wrote down.
Work workOf(std::vector<Kind> kinds, std::vector<Job> jobs);

} // namespace yard::simulate

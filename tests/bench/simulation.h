// The scheduler's own code in virtual time, against many model machines and many actions.
//
// What is modelled: one Session with the FleetCapacity that an engine has for several machines: each has its own cores,
// memory and perhaps a GPU, and an action starts only where one machine can hold all of it. Five kinds of
// actions, from one core to a whole machine; one in twenty waits for an earlier one, one attempt in fifty fails and
// is tried again after its back-off, one action in ten is urgent; queues have weights, one in ten a limit. They
// arrive over the first half of the ideal time. What is not: processes, output, the journal, the network.
//
// A ledger of its own counts what is on each machine, apart from the scheduler.
#pragma once

#include <cstdint>

namespace yard::bench {

struct SimulationOptions {
    std::int64_t actions = 10'000'000;
    int machines = 10'000;
    int queues = 100;
    unsigned seed = 1;
};

struct SimulationResult {
    std::int64_t finished = 0;
    std::int64_t attempts = 0;
    std::int64_t overbooked = 0; ///< starts on a machine that had not enough left
    std::int64_t mostQueued = 0;
    std::int64_t left = 0; ///< resources still taken at the end, in cores
    double makespan = 0;   ///< seconds of virtual time
    double workBound = 0;  ///< seconds: the scarcest resource, work over capacity
    double chainBound = 0; ///< seconds: longest chain of actions that wait for each other, from its first arrival
    double decidingSeconds = 0; ///< CPU time of schedule()
    double addingSeconds = 0;
    double endingSeconds = 0;
    double bound() const { return workBound > chainBound ? workBound : chainBound; }
};

/// Runs to the end of the last action, or until nothing can start any more (then `finished` is less).
SimulationResult simulate(const SimulationOptions& options);

} // namespace yard::bench

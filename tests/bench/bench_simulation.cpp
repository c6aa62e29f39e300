// The scheduler's own code in virtual time, against many machines and many actions (simulation.h says what is
// modelled): decisions a second, and the makespan beside the lower bound of any scheduler (work over capacity, the
// longest chain).
//
//     bench_simulation [--actions N] [--machines M] [--queues Q] [--seed S]     (10 million, 10 thousand, 100, 1)
#include "tests/bench/simulation.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

using namespace yard::bench;

namespace {

SimulationOptions parse(int argc, char** argv) {
    SimulationOptions options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const long value = std::max(1L, std::atol(argv[i + 1]));
        if (std::strcmp(argv[i], "--actions") == 0)
            options.actions = value;
        else if (std::strcmp(argv[i], "--machines") == 0)
            options.machines = static_cast<int>(value);
        else if (std::strcmp(argv[i], "--queues") == 0)
            options.queues = static_cast<int>(value);
        else if (std::strcmp(argv[i], "--seed") == 0)
            options.seed = static_cast<unsigned>(value);
    }
    return options;
}

} // namespace

int main(int argc, char** argv) {
    const SimulationOptions options = parse(argc, argv);
    const SimulationResult result = simulate(options);
    const auto attempts = static_cast<double>(result.attempts);
    fmt::print("{} actions, {} attempts, {} machines, {} queues; at most {} queued\n", options.actions,
               result.attempts, options.machines, options.queues, result.mostQueued);
    fmt::print("decisions: {:.0f} a second, {:.2f} us each, looking for a machine included (at most 2)\n",
               attempts / result.decidingSeconds, result.decidingSeconds / attempts * 1e6);
    fmt::print("  adding {:.2f} us, ending {:.2f} us each, clock included\n",
               result.addingSeconds / static_cast<double>(options.actions) * 1e6,
               result.endingSeconds / attempts * 1e6);
    fmt::print("makespan: {:.0f} s of virtual time; lower bound {:.0f} s (work / capacity {:.0f} s, longest chain "
               "{:.0f} s); ratio {:.3f}\n",
               result.makespan, result.bound(), result.workBound, result.chainBound,
               result.makespan / result.bound());
    fmt::print("overbooked: {}; not finished: {}\n", result.overbooked, options.actions - result.finished);
    return result.overbooked == 0 && result.finished == options.actions ? 0 : 1;
}

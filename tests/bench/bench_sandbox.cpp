// The sandbox row: /bin/true in the full sandbox through the whole engine (journal on, output kept, a directory for
// each, two slots), against the same namespaces, mounts and limits with nothing else, in pairs.
//
//   bench_sandbox [ACTIONS] [ROUNDS]
#include "core/base/log.h"
#include "core/engine/engine.h"
#include "core/launcher/launcher.h"
#include "tests/bench/bare_sandbox.h"
#include "tests/bench/true_actions.h"
#include "tests/bench/usage.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace yard;

namespace {

[[noreturn]] void die(const std::string& why) {
    flushLog();
    fmt::print(stderr, "bench_sandbox: {}\n", why);
    std::exit(1);
}

const std::string kMembers = R"("sandbox":true)";
constexpr long kWarmUp = 50;

} // namespace

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    const long count = argc > 1 ? std::atol(argv[1]) : 500;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
    const bench::ScratchDirectory scratch("bench_sandbox");
    engine::Options options;
    options.dataDir = scratch.path() + "/data";
    options.capacity = 2;
    auto engine = engine::Engine::open(std::move(options));
    if (!engine) die(engine.error().message);
    bench::run(bench::runTrueActions(**engine, kMembers, kWarmUp, kWarmUp));
    long completed = kWarmUp;
    const int launcher = bench::childNamed("yard-launcher");
    if (launcher == 0) die("there is no launcher");
    std::vector<double> ratios;
    std::vector<double> cpuRatios;
    for (int round = -1; round < rounds; ++round) { // the first is a warm-up
        double cpu = bench::cpuSeconds();
        const double bare = bench::bareSandboxRate(scratch.path() + "/bare", count);
        const double bareCpu = (bench::cpuSeconds() - cpu) / static_cast<double>(count) * 1e6;
        cpu = bench::cpuSeconds(launcher);
        const MonoTime from = MonoClock::now();
        const auto before = bench::threadUse(launcher);
        completed += count;
        bench::run(bench::runTrueActions(**engine, kMembers, count, completed));
        const double ours = bench::rate(count, from);
        const double oursCpu = (bench::cpuSeconds(launcher) - cpu) / static_cast<double>(count) * 1e6;
        if (round < 0) continue;
        ratios.push_back(ours / bare);
        cpuRatios.push_back(bareCpu / oursCpu);
        fmt::print("sandboxed {:.0f}/s {:.0f} us  bare {:.0f}/s {:.0f} us  ratio {:.3f}, of CPU {:.3f}\n  {}\n",
                   ours, oursCpu, bare, bareCpu, ratios.back(), cpuRatios.back(),
                   bench::describe(before, bench::threadUse(launcher), count));
        std::fflush(stdout);
    }
    fmt::print("ratio to the bare sandbox (at least 0.85): {}\n", bench::spread(ratios));
    fmt::print("ratio of CPU time                        : {}\n", bench::spread(cpuRatios));
    (*engine)->close();
    flushLog();
    return 0;
}

// How near the local runner comes to bare spawning: /bin/true leases, 8 ahead per slot, against a loop of clone3
// and waitpid on two pinned threads in the same run (R of tests/bench/README.md). Rates in actions a second; only
// the ratio means much.
//
//   bench_runner [ACTIONS] [ROUNDS] [AHEAD] [SLOTS]
#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/launcher/launcher.h"
#include "core/runners/local_runner.h"
#include "tests/bench/bare_spawn.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <poll.h>
#include <vector>

using namespace yard;
using namespace yard::runners;

namespace {

struct Driver {
    LocalRunner* runner = nullptr;
    long count = 0;
    long submitted = 0;
    long ended = 0;
    long wakeups = 0;
    std::int64_t base = 0;
    unsigned depth = 8;

    void fill() {
        std::vector<Lease> batch;
        while (submitted < count && submitted - ended < static_cast<long>(runner->capacity() * depth)) {
            Lease lease;
            lease.id = {Lsn(base + ++submitted), 1};
            lease.group = 1;
            lease.argv = {"/bin/true"};
            lease.cwd = "/";
            batch.push_back(std::move(lease));
        }
        if (!batch.empty()) runner->submit(std::move(batch));
    }
    void take(const std::vector<Update>& batch) {
        ++wakeups;
        for (const Update& update : batch) {
            const auto* end = std::get_if<Ended>(&update.what);
            if (!end) continue;
            if (end->exitCode != 0) {
                fmt::print(stderr, "action {} ended otherwise: {} {}\n", update.id.lsn.value, name(end->cause),
                           end->spawn.message);
                std::abort();
            }
            ++ended;
            runner->acknowledge(end->slot, update.id);
        }
        fill();
    }
};

} // namespace

int main(int argc, char** argv) {
    if (const auto code = runLauncherIfAsked(argc, argv)) return *code;
    const long count = argc > 1 ? std::atol(argv[1]) : 4000;
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    const bench::ScratchDirectory scratch("bench_runner");

    Driver driver;
    driver.depth = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 8;
    LauncherConfig config;
    config.dataDir = scratch.path();
    config.ownerToken = randomHex(16);
    config.slots = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 2;
    auto runner = LocalRunner::start(config, [&](std::vector<Update> batch) { driver.take(batch); });
    if (!runner) {
        fmt::print(stderr, "{}\n", runner.error().message);
        return 1;
    }
    driver.runner = runner->get();

    std::vector<double> ratios;
    const int launcher = (*runner)->launcherPid();
    for (int round = 0; round < rounds; ++round) {
        double cpu = bench::cpuSeconds();
        const double bare = bench::bareRate(count);
        const double bareCpu = (bench::cpuSeconds() - cpu) / static_cast<double>(count) * 1e6;
        driver.base += 10'000'000;
        driver.submitted = driver.ended = driver.wakeups = 0;
        driver.count = count;
        const auto before = bench::threadUse(launcher);
        cpu = bench::cpuSeconds(launcher);
        const MonoTime from = MonoClock::now();
        driver.fill();
        while (driver.ended < count) {
            pollfd p{(*runner)->pollFd(), POLLIN, 0};
            ::poll(&p, 1, -1);
            (*runner)->onReadable();
        }
        const double ours = bench::rate(count, from);
        const double oursCpu = (bench::cpuSeconds(launcher) - cpu) / static_cast<double>(count) * 1e6;
        ratios.push_back(ours / bare);
        fmt::print("runner {:.0f}/s {:.0f} us  bare {:.0f}/s {:.0f} us  ratio {:.3f}, of CPU {:.3f}; wake-ups "
                   "{:.3f}\n  {}\n",
                   ours, oursCpu, bare, bareCpu, ours / bare, bareCpu / oursCpu,
                   static_cast<double>(driver.wakeups) / static_cast<double>(count),
                   bench::describe(before, bench::threadUse(launcher), count));
        std::fflush(stdout);
    }
    fmt::print("ratio to R: {}\n", bench::spread(ratios));
    runner->reset();
    return 0;
}

// The process row: /bin/true as exec actions through the whole engine (journal on, output kept, two slots), from
// the first submission to the last result that is kept, against bare spawning in the same run (R).
//
//   bench_engine [ACTIONS] [ROUNDS]
#include "core/base/log.h"
#include "core/coro/loop.h"
#include "core/engine/engine.h"
#include "core/runners/launcher.h"
#include "tests/bench/bare_spawn.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

using namespace yard;

namespace {

constexpr long kBatch = 500;
constexpr long kInFlight = 32; ///< more than the slots and what waits in them

[[noreturn]] void die(const std::string& why) {
    flushLog();
    fmt::print(stderr, "bench_engine: {}\n", why);
    std::exit(1);
}

std::vector<ParsedAction> trueActions(long count) {
    std::string text = "[";
    for (long i = 0; i < count; ++i)
        text += fmt::format(R"({}{{"worker":"exec","argv":["/bin/true"],"cwd":"/"}})", i == 0 ? "" : ",");
    auto parsed = parseActions(text + "]");
    if (!parsed) die(parsed.error().message);
    return std::move(parsed->actions);
}

coro::Task<Lsn> submitAll(engine::Engine& engine, long count) {
    Lsn last;
    for (long done = 0; done < count; done += kBatch) {
        engine::Submission submission;
        submission.actions = trueActions(std::min(kBatch, count - done));
        const auto answer = co_await engine.submit(std::move(submission));
        if (!answer) die(answer.error().message);
        last = answer->items.back().first;
    }
    co_return last;
}

/// Submits, then waits until all have completed. They start in order, so those that end last are among the last.
coro::Task<void> runThrough(engine::Engine& engine, long count, long target) {
    const Lsn last = co_await submitAll(engine, count);
    for (Lsn lsn = last; lsn.value > last.value - kInFlight; --lsn.value) {
        const auto end = co_await engine.waitForAction(lsn, std::chrono::seconds(600));
        if (!end || end->state != ActionState::Completed) die("an action did not complete");
    }
    const engine::SessionView view = co_await engine.session();
    if (view.counts[static_cast<std::size_t>(ActionState::Completed)] < target) die("some are missing");
}

void onLoop(coro::Task<void> task) {
    coro::Loop loop;
    loop.spawn("bench", std::move(task));
    loop.run();
}

} // namespace

int main(int argc, char** argv) {
    if (const auto code = runners::runLauncherIfAsked(argc, argv)) return *code;
    const long count = std::max(kBatch, argc > 1 ? std::atol(argv[1]) : 2000);
    const int rounds = std::max(1, argc > 2 ? std::atoi(argv[2]) : 15);
    const bench::ScratchDirectory scratch("bench_engine");
    engine::Options options;
    options.dataDir = scratch.path() + "/data";
    options.capacity = 2;
    options.noSandbox = true;
    auto engine = engine::Engine::open(std::move(options));
    if (!engine) die(engine.error().message);
    onLoop(runThrough(**engine, kBatch, kBatch)); // the launcher has its name by then
    const int launcher = bench::childNamed("yard-launcher");
    if (launcher == 0) die("there is no launcher");

    std::vector<double> ratios;
    std::vector<double> cpuRatios;
    long completed = kBatch;
    for (int round = -1; round < rounds; ++round) { // the first is a warm-up; limit and engine take turns
        double cpu = bench::cpuSeconds();
        const double bare = bench::bareRate(count);
        const double bareCpu = (bench::cpuSeconds() - cpu) / static_cast<double>(count) * 1e6;
        const auto before = bench::threadUse(launcher);
        cpu = bench::cpuSeconds(launcher);
        const MonoTime from = MonoClock::now();
        completed += count;
        onLoop(runThrough(**engine, count, completed));
        const double ours = bench::rate(count, from);
        const double oursCpu = (bench::cpuSeconds(launcher) - cpu) / static_cast<double>(count) * 1e6;
        if (round < 0) continue;
        ratios.push_back(ours / bare);
        cpuRatios.push_back(bareCpu / oursCpu);
        fmt::print("engine {:.0f}/s {:.0f} us  bare {:.0f}/s {:.0f} us  ratio {:.3f}, of CPU {:.3f}\n  {}\n", ours,
                   oursCpu, bare, bareCpu, ratios.back(), cpuRatios.back(),
                   bench::describe(before, bench::threadUse(launcher), count));
        std::fflush(stdout);
    }
    fmt::print("ratio to R (at least 0.85): {}\n", bench::spread(ratios));
    fmt::print("ratio of CPU time         : {}\n", bench::spread(cpuRatios));
    (*engine)->close();
    flushLog();
    return 0;
}

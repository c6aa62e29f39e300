// The sandbox row: /bin/true in the full sandbox through the whole engine (journal on, output kept, a directory for
// each, two slots), against the same namespaces, mounts and limits with nothing else, in pairs.
//
//   bench_sandbox [ACTIONS] [ROUNDS]
#include "core/base/log.h"
#include "core/coro/loop.h"
#include "core/coro/suspend.h"
#include "core/engine/engine.h"
#include "core/runners/launcher.h"
#include "tests/bench/bare_sandbox.h"
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

coro::Task<void> runThrough(engine::Engine& engine, long count) {
    std::string text = "[";
    for (long i = 0; i < count; ++i)
        text += fmt::format(R"({}{{"worker":"exec","argv":["/bin/true"],"sandbox":true}})", i == 0 ? "" : ",");
    auto parsed = parseActions(text + "]");
    if (!parsed) die(parsed.error().message);
    engine::Submission submission;
    submission.actions = std::move(parsed->actions);
    const auto answer = co_await engine.submit(std::move(submission));
    if (!answer) die(answer.error().message);
    for (const auto& item : answer->items) {
        const auto end = co_await engine.waitForAction(item.first, std::chrono::seconds(600));
        if (!end || end->state != ActionState::Completed) die("an action did not complete");
    }
}

void onLoop(coro::Task<void> task) {
    coro::Loop loop;
    loop.spawn("bench", std::move(task));
    loop.run();
}

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
    onLoop(runThrough(**engine, 50));
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
        onLoop(runThrough(**engine, count));
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

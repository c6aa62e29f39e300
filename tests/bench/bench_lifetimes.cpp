// What outlives its owner, and how fast it goes: a start over orphaned scratch directories, and the end of a
// thousand running actions; and what two thousand that sleep cost. docs/lifetimes.md.
// bench_lifetimes [ORPHANS] [ACTIONS] [SLEEPERS] [SECONDS], 0: not that part
#include "core/base/files.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/operations.h"
#include "core/engine/engine.h"
#include "core/engine/reading/overview.h"
#include "core/engine/state/metrics.h"
#include "core/launcher/launcher.h"
#include "tests/bench/on_loop.h"
#include "tests/bench/usage.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>

using namespace yard;

namespace {

constexpr int kSlotsBesides = 40;

using bench::run;

template<class T>
T must(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
}
void must(Result<void> result) {
    if (result) return;
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
}

double since(MonoTime begun) {
    return std::chrono::duration<double>(MonoClock::now() - begun).count();
}

template<class F>
void until(F holds) {
    while (!holds()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

std::unique_ptr<engine::Engine> open(const std::string& directory, int actions) {
    engine::Options options;
    options.dataDir = directory + "/data";
    options.lockDir = directory + "/locks";
    options.noSandbox = true;
    options.slotCount = actions + kSlotsBesides;
    return must(engine::Engine::open(std::move(options)));
}

/// Half of them below slots that the engine has, half in slots of their own; each with a file.
void makeOrphans(const std::string& scratch, int count) {
    for (int i = 0; i < count; ++i) {
        const std::string path = i % 2 == 0 ? fmt::format("{}/{}/{}.1", scratch, i % 16, 1'000'000 + i)
                                            : fmt::format("{}/{}/{}.1", scratch, 10'000 + i, 1'000'000 + i);
        must(makeDirectories(path + "/outputs"));
        must(makeDirectories(path + "/inputs"));
        must(writeFileAtomically(path + "/outputs/half", "half a result", 0600));
    }
}

void startOverOrphans(const std::string& directory, int orphans) {
    constexpr int kActions = 1'000;
    open(directory, kActions)->close(); // the data directory is there
    MonoTime begun = MonoClock::now();
    open(directory, kActions)->close();
    const double usual = since(begun);
    makeOrphans(directory + "/data/scratch", orphans);
    begun = MonoClock::now();
    const auto engine = open(directory, kActions);
    const double serving = since(begun);
    until([&] {
        return run(engine->ask(&engine::Overview::session)).janitor.reaped >= static_cast<std::uint64_t>(orphans);
    });
    std::printf(
        "start over %d orphans: serving after %.2f s (target 1; start and end without any: %.2f), all reaped "
        "after %.1f s (target 20)\n",
        orphans, serving, usual, since(begun));
    std::fflush(stdout);
    engine->close();
}

/// Returns once all of them sleep.
void startSleepers(engine::Engine& engine, int actions) {
    engine::Submission submission;
    const std::string json = fmt::format(
        R"({{"worker":"exec","argv":["/bin/sleep","1000"],"cwd":"/","resources":{{"cores":0.001}},"array":{{"from":1,"to":{}}}}})",
        actions);
    submission.actions = must(parseActions(json)).actions;
    const MonoTime begun = MonoClock::now();
    (void)must(run(engine.ask(&engine::Intake::submit, std::move(submission), Duration::zero())));
    until([&] {
        return run(engine.ask(&engine::Overview::session)).counts[static_cast<std::size_t>(ActionState::Running)] ==
               actions;
    });
    std::printf("%d running after %.2f s\n", actions, since(begun));
}

/// They are looked at ever less often: what is measured begins once that has settled.
void costOfSleepers(const std::string& directory, int actions, int seconds) {
    constexpr auto kSettles = std::chrono::seconds(120);
    const auto engine = open(directory, actions);
    startSleepers(*engine, actions);
    const int launcher = bench::childNamed("yard-launcher");
    const auto used = [launcher] { return bench::processSeconds(::getpid()) + bench::processSeconds(launcher); };
    const auto during = [&](std::chrono::seconds span) {
        const MonoTime begun = MonoClock::now();
        const double before = used();
        std::this_thread::sleep_for(span);
        return (used() - before) / since(begun) * 100;
    };
    const double first = during(kSettles);
    std::printf(
        "%d asleep: %.2f %% of a core in the first two minutes, %.2f %% in the %d s after (target 1 for 2,000)\n",
        actions, first, during(std::chrono::seconds(seconds)), seconds);
    std::fflush(stdout);
    engine->close();
}

void endOfMany(const std::string& directory, int actions) {
    const auto engine = open(directory, actions);
    startSleepers(*engine, actions);
    engine::BulkRequest cancel;
    cancel.deed.kind = engine::BulkKind::Cancel;
    MonoTime begun = MonoClock::now();
    (void)must(run(engine->ask(&engine::Operations::changeMatching, std::move(cancel))));
    until([&] { return run(engine->ask(&engine::Overview::metrics)).attemptsInFlight == 0; });
    std::printf("%d cancelled: the last process gone after %.2f s (target 5)\n", actions, since(begun));
    engine->close();

    const auto again = open(directory, actions);
    startSleepers(*again, actions);
    begun = MonoClock::now();
    again->close();
    std::printf("the engine ended with %d running: after %.2f s (target 5)\n", actions, since(begun));
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const int orphans = argc > 1 ? std::atoi(argv[1]) : 10'000;
    const int actions = argc > 2 ? std::atoi(argv[2]) : 1'000;
    const char* temporary = std::getenv("TMPDIR");
    const std::string directory = fmt::format("{}/bench_lifetimes.{}", temporary ? temporary : "/tmp", ::getpid());
    std::filesystem::create_directories(directory);
    const int sleepers = argc > 3 ? std::atoi(argv[3]) : 2'000;
    const int seconds = argc > 4 ? std::atoi(argv[4]) : 120;
    if (orphans > 0) startOverOrphans(directory, orphans);
    if (actions > 0) endOfMany(directory, actions);
    std::filesystem::create_directories(directory + "/sleepers");
    if (sleepers > 0) costOfSleepers(directory + "/sleepers", sleepers, seconds);
    std::filesystem::remove_all(directory);
}

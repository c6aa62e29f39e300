// Clearing a million finished actions up while somebody submits: how long submissions take meanwhile, against how
// long they take when nothing is cleared up, in the same run. Every tenth action has an output of its own. Target:
// the p99 does not double.
//
//     bench_retention [ACTIONS] [DIRECTORY]
#include "core/engine/commands/intake.h"
#include "core/engine/engine.h"
#include "core/engine/running/retention.h"
#include "core/engine/state/settings_service.h"
#include "core/launcher/launcher.h"
#include "core/model/action_spec.h"
#include "core/model/class_key.h"
#include "core/store/journal.h"
#include "tests/bench/on_loop.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>

using namespace yard;

namespace {

constexpr std::int64_t kGroup = 500;
constexpr int kListOf = 50;
constexpr Duration kBetween{2'000};
constexpr Duration kCalm = std::chrono::seconds(10);

[[noreturn]] void die(const std::string& why) {
    std::fprintf(stderr, "bench_retention: %s\n", why.c_str());
    std::exit(1);
}

template<class T>
T must(Result<T> result) {
    if (!result) die(result.error().message);
    return std::move(*result);
}

std::vector<store::Operation> life(std::int64_t first, bool withClass) {
    std::vector<store::Operation> operations;
    store::Accept accept;
    accept.now = wallNow();
    if (withClass) {
        ClassKey key;
        key.workerId = key.workerName = "exec";
        key.resources.milliCores = 1000;
        accept.classes.push_back({1, key.text(), "exec", "exec", ""});
    }
    for (std::int64_t lsn = first; lsn < first + kGroup; ++lsn) {
        store::AcceptItem& item = accept.items.emplace_back();
        item.row.lsn = Lsn(lsn);
        item.row.classNumber = 1;
        item.row.tNew = item.row.tPending = accept.now;
        item.spec =
            fmt::format(R"({{"worker":"exec","argv":["/bin/echo","{}","{}"]}})", lsn, std::string(200, 'x'));
    }
    operations.push_back({.tag = 1, .unhurried = false, .action = std::move(accept)});
    for (std::int64_t lsn = first; lsn < first + kGroup; ++lsn) {
        store::Finish finish;
        finish.lsn = Lsn(lsn);
        finish.tEnd = wallNow();
        AttemptRecord& attempt = finish.attempt.emplace();
        attempt.outcome.state = ActionState::Completed;
        attempt.outcome.out = attempt.outcome.err = ChunkRef{Hash256::ofNothing(), 0};
        if (lsn % 10 == 0) {
            std::string output = fmt::format("{} {}", lsn, std::string(500, 'y'));
            attempt.outcome.out = ChunkRef{Sha256::of(output), output.size()};
            finish.chunks.push_back({attempt.outcome.out->hash, std::move(output)});
        }
        attempt.times[ActionState::Completed] = finish.tEnd;
        operations.push_back({.tag = 1, .unhurried = false, .action = std::move(finish)});
    }
    return operations;
}

/// A journal with so many finished actions, as an engine leaves it.
void fill(const std::string& directory, std::int64_t actions) {
    auto files = must(store::ChunkFiles::open(directory + "/chunks", false, std::chrono::hours(1)));
    std::mutex mutex;
    std::condition_variable changed;
    std::int64_t answered = 0;
    store::StoreOptions options;
    options.path = directory + "/journal.sqlite";
    const auto count = [&](store::Acks acks) {
        for (const store::Ack& ack : acks.acks)
            if (!ack.ok()) die(ack.detail->error->message);
        const std::lock_guard lock(mutex);
        answered += std::ssize(acks.acks);
        changed.notify_one();
    };
    auto store =
        must(store::Store::open(options, *files, {.acks = count, .specs = [](std::vector<store::FetchedSpec>) {}}));
    const store::Restored restored = must(store->restore([](std::span<store::PendingRow>) {}));
    store->start();
    if (!store->carryOutAndWait(store::ReserveLsns{actions})) die("no LSNs");
    const std::int64_t first = restored.lsns.end.value; // what was just reserved follows the first block
    for (std::int64_t done = 0; done < actions; done += kGroup) {
        if (auto posted = store->post(life(first + done, done == 0)); !posted) die(posted.error().message);
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return answered >= (done / kGroup - 4) * (kGroup + 1); });
    }
}

using bench::run;

engine::Submission submission() {
    std::string list = "[";
    for (int i = 0; i < kListOf; ++i)
        list += std::string(i ? "," : "") + R"({"worker":"exec","argv":["/bin/true"],"cwd":"/","hold":true})";
    engine::Submission submission;
    submission.actions = must(parseActions(list + "]")).actions;
    return submission;
}

struct Latencies {
    double p50 = 0, p99 = 0, most = 0;
    std::size_t count = 0;
};

/// Milliseconds from a list's hand-over to its answer, one after another, until `isOver`.
template<class F>
Latencies submitUntil(engine::Engine& engine, F isOver) {
    std::vector<double> times;
    while (!isOver()) {
        const MonoTime begun = MonoClock::now();
        (void)must(run(engine.ask(&engine::Intake::submit, submission(), Duration::zero())));
        times.push_back(std::chrono::duration<double, std::milli>(MonoClock::now() - begun).count());
        std::this_thread::sleep_for(kBetween);
    }
    std::ranges::sort(times);
    return {times[times.size() / 2], times[times.size() * 99 / 100], times.back(), times.size()};
}

Latencies calm(engine::Engine& engine) {
    return submitUntil(engine, [until = MonoClock::now() + kCalm] { return MonoClock::now() >= until; });
}

void print(const char* what, const Latencies& latencies) {
    std::printf("%-28s p50 %.2f  p99 %.2f  most %.2f ms  (%zu lists of %d)\n", what, latencies.p50, latencies.p99,
                latencies.most, latencies.count, kListOf);
    std::fflush(stdout);
}

} // namespace

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    const std::int64_t actions = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
    const char* temporary = std::getenv("TMPDIR");
    const std::string directory =
        argc > 2 ? argv[2] : std::string(temporary ? temporary : "/tmp") + "/bench_retention";
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
    fill(directory, actions);

    engine::Options options;
    options.dataDir = directory;
    options.noSandbox = true;
    options.slotCount = 32;
    options.retentionYoungest = Duration::zero();
    options.set = {"keep_actions=0", "keep_disk_percent=0", "chunk_grace_s=1"};
    auto engine = must(engine::Engine::open(std::move(options)));
    (void)calm(*engine); // warm
    const Latencies before = calm(*engine);
    print("nothing is cleared up", before);

    (void)must(run(engine->ask(&engine::SettingsService::change, R"({"keep_actions":1})"))); // begins a pass
    std::atomic<bool> over{false};
    engine::GcReport report;
    const MonoTime begun = MonoClock::now();
    std::thread clearing([&] {
        report = must(run(engine->ask(&engine::Retention::pass, false))); // after that pass: what it left
        over = true;
    });
    const Latencies during = submitUntil(*engine, [&] { return over.load(); });
    const double seconds = std::chrono::duration<double>(MonoClock::now() - begun).count();
    clearing.join();
    print("while clearing up", during);
    const Latencies after = calm(*engine);
    print("afterwards", after);
    std::printf("cleared up in %.1f s: %.0f actions/s; %lld finished actions are left\n", seconds,
                static_cast<double>(actions) / seconds, static_cast<long long>(report.actionsKept));
    const double usual = (before.p99 + after.p99) / 2;
    std::printf("p99 while clearing up / without: %.2f (target: below 2)\n", during.p99 / usual);
    engine->close();
    std::filesystem::remove_all(directory);
}

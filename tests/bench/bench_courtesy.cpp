// What a person feels while the machine is full of work: how late a thread is that wants to run 60 times a second, as one
// that draws a window does. By turns with nothing else, with actions on every core and on memory under the profile `off`,
// and with the same under `gentle` while somebody is active. Target: p99 under `gentle` at most 1.5 times that of the empty
// machine.
//
//   bench_courtesy [--seconds N] [--rounds N] [--memory MIB]     (default: 5, 3 and a quarter of what is free, 2,048 at most)
#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/courtesy/desk.h"
#include "core/engine/commands/intake.h"
#include "core/engine/commands/operations.h"
#include "core/engine/engine.h"
#include "core/engine/reading/overview.h"
#include "core/launcher/launcher.h"
#include "core/model/action_spec.h"
#include "tests/bench/on_loop.h"
#include "tests/bench/usage.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

using namespace yard;
using namespace yard::bench;

namespace {

constexpr std::int64_t kFrameNanoseconds = 1'000'000'000 / 60;
constexpr double kTarget = 1.5;
constexpr long kMostMib = 2'048;
/// An action for each core, and one more that turns memory over: it takes of a core what the others leave.
constexpr double kCoreEach = 0.99;
constexpr int kMemoryActions = 1;

[[noreturn]] void die(const std::string& why) {
    fmt::print(stderr, "bench_courtesy: {}\n", why);
    std::exit(1);
}

std::int64_t nanoseconds(const timespec& t) {
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// How late each frame was, in microseconds, ascending.
std::vector<double> lateness(double seconds) {
    std::vector<double> late;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t begun = nanoseconds(now);
    const auto frames = static_cast<std::int64_t>(seconds * 60);
    for (std::int64_t frame = 1; frame <= frames; ++frame) {
        const std::int64_t due = begun + frame * kFrameNanoseconds;
        const timespec until{.tv_sec = due / 1'000'000'000, .tv_nsec = due % 1'000'000'000};
        while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
        }
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        late.push_back(static_cast<double>(nanoseconds(now) - due) / 1e3);
    }
    std::ranges::sort(late);
    return late;
}

double p99(const std::vector<double>& late) {
    return late[std::min(late.size() - 1, late.size() * 99 / 100)];
}

/// Somebody uses the machine all the time.
class BusyPerson final : public courtesy::Desk {
public:
    explicit BusyPerson(courtesy::DeskSink sink)
        : sink_(std::move(sink)) {}
    void setWatching(bool on) override {
        if (!on) return;
        courtesy::DeskReadings readings;
        readings.input = courtesy::InputReading{.comesNow = true, .idle = Duration::zero(), .source = "bench"};
        sink_(std::move(readings));
    }
    void keepAwake(const std::string&) override {}
    bool isKeptAwake() const override { return false; }
    void delaySleep(const std::string&) override {}
    void readyToSleep() override {}
    bool isSleepDelayed() const override { return false; }

private:
    courtesy::DeskSink sink_;
};

/// One core that counts, until it is ended.
[[noreturn]] void spin() {
    for (volatile unsigned n = 0;; n = n + 1) {
    }
}

/// Memory that is written to again and again, so that it cannot be anything else's.
[[noreturn]] void churn(long mib) {
    std::vector<char> all(static_cast<std::size_t>(mib) << 20);
    for (char value = 1;; ++value)
        for (std::size_t at = 0; at < all.size(); at += 4'096) all[at] = value;
}

long freeMib() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    while (file >> word)
        if (word == "MemAvailable:") {
            long kib = 0;
            file >> kib;
            return kib >> 10;
        }
    return 0;
}

/// An engine on a directory of its own with work for every core that does not end by itself.
class FullMachine {
public:
    FullMachine(const char* profile, long mib)
        : place_(makePlace()) {
        engine::Options options;
        options.dataDir = place_ + "/data";
        options.lockDir = place_ + "/locks";
        options.noSandbox = true;
        options.set.push_back(fmt::format("courtesy={}", profile));
        options.set.emplace_back("guard_hold_percent=0");
        options.openDesk = [](courtesy::DeskSink sink) { return std::make_unique<BusyPerson>(std::move(sink)); };
        auto opened = engine::Engine::open(std::move(options));
        if (!opened) die(opened.error().message);
        engine_ = std::move(*opened);
        if (std::strcmp(profile, "off") != 0) awaitCourtesy();
        const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
        for (int i = 0; i < kMemoryActions; ++i)
            submit(fmt::format(R"({{"worker":"exec","argv":["{}","--churn","{}"],"resources":{{"cores":0.01}}}})",
                               self, mib));
        const auto cores = static_cast<int>(std::thread::hardware_concurrency());
        submit(fmt::format(
            R"({{"worker":"exec","argv":["{}","--spin"],"array":{{"from":1,"to":{}}},"resources":{{"cores":{}}}}})",
            self, cores, kCoreEach));
        const bool leavesOne = std::strcmp(profile, "off") != 0 && cores > 1;
        wanted_ = cores - (leavesOne ? 1 : 0) + kMemoryActions;
        awaitWork();
        // Until memory is theirs.
        std::this_thread::sleep_for(std::chrono::seconds(2));
        check();
    }
    ~FullMachine() {
        engine_->close();
        engine_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(place_, ignored);
    }
    FullMachine(const FullMachine&) = delete;
    FullMachine& operator=(const FullMachine&) = delete;

    /// That the machine is as full as it is to be: else what was measured says nothing.
    void check() {
        if (const std::int64_t now = running(); now != wanted_)
            die(fmt::format("{} actions run, and {} are to", now, wanted_));
    }

private:
    std::int64_t running() {
        return run(engine_->ask(&engine::Overview::session)).counts[static_cast<std::size_t>(ActionState::Running)];
    }
    void awaitWork() {
        constexpr int kLooks = 3'000;
        for (int i = 0; i < kLooks; ++i) {
            if (running() == wanted_) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        check();
    }
    static std::string makePlace() {
        const char* const base = std::getenv("TMPDIR");
        std::string path = std::string(base ? base : "/tmp") + "/bench-courtesy-XXXXXX";
        if (::mkdtemp(path.data()) == nullptr) die("no directory can be made in " + path);
        return path;
    }
    void awaitCourtesy() {
        constexpr int kLooks = 500;
        for (int i = 0; i < kLooks; ++i) {
            if (!run(engine_->ask(&engine::Overview::session)).courtesy.measures.empty()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        die("courtesy does not begin");
    }
    void submit(const std::string& json) {
        auto parsed = parseActions(json);
        if (!parsed) die(parsed.error().message);
        engine::Submission submission;
        submission.actions = std::move(parsed->actions);
        const auto answer = run(engine_->ask(&engine::Intake::submit, std::move(submission), Duration::zero()));
        if (!answer) die(answer.error().message);
    }

    std::string place_;
    std::unique_ptr<engine::Engine> engine_;
    std::int64_t wanted_ = 0; ///< actions that run
};

struct Measured {
    const char* name;
    std::vector<double> p99s{};
    double median() const {
        std::vector<double> sorted = p99s;
        std::ranges::sort(sorted);
        return sorted[sorted.size() / 2];
    }
};

long numberBehind(int argc, char** argv, const char* option, long usual) {
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], option) != 0) continue;
        long value = 0;
        const std::string_view text = argv[i + 1];
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        if (read.ec != std::errc() || value <= 0) die(fmt::format("{} needs a number", option));
        return value;
    }
    return usual;
}

} // namespace

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    if (argc > 1 && std::strcmp(argv[1], "--spin") == 0) spin();
    if (argc > 2 && std::strcmp(argv[1], "--churn") == 0) churn(std::atol(argv[2]));
    const auto seconds = static_cast<double>(numberBehind(argc, argv, "--seconds", 5));
    const long rounds = numberBehind(argc, argv, "--rounds", 3);
    const long mib = numberBehind(argc, argv, "--memory", std::clamp(freeMib() / 4, 1L, kMostMib));
    std::array<Measured, 3> all{{{.name = "empty"}, {.name = "off"}, {.name = "gentle"}}};
    for (long round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::optional<FullMachine> full;
            if (i > 0) full.emplace(all[i].name, mib);
            const std::vector<double> late = lateness(seconds);
            if (full) full->check();
            all[i].p99s.push_back(p99(late));
            fmt::print("{:<7} p50 {:>7.0f} us, p99 {:>7.0f} us, most {:>7.0f} us\n", all[i].name,
                       late[late.size() / 2], p99(late), late.back());
        }
    }
    const double empty = all[0].median();
    const double ratio = all[2].median() / empty;
    fmt::print(
        "{} cores full, {} MiB turned over: p99 empty {:.0f} us, off {:.0f} us ({:.2f} of it), gentle {:.0f} us\n",
        std::thread::hardware_concurrency(), mib, empty, all[1].median(), all[1].median() / empty, all[2].median());
    fmt::print("lateness under gentle, of the empty machine: median {:.2f} (target: at most {})\n", ratio, kTarget);
}

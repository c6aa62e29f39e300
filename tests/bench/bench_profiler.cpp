// What the profiler costs: compiled in and off against a build without it (target: under 0.5 %), and on against off
// (target: under 10 %). A round is calls of coroutines and switches of threads, with about as much work between them as a
// request of the API has. The two programs take turns, round by round, so that both see the same machine.
//
//     bench_profiler            the pairs, as medians
//     bench_profiler --round    one round, in nanoseconds; bench_profiler_without knows that alone
#include "core/coro/loop.h"
#include "core/coro/profiler.h"
#include "core/coro/suspend.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

using namespace yard;
using namespace yard::coro;

namespace {

constexpr int kThreads = 16;
constexpr int kTurns = 20'000; // of each thread
constexpr int kPairs = 21;

std::uint64_t work(std::uint64_t seed) {
    for (int step = 0; step < 1'500; ++step) seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed;
}

[[gnu::noinline]] Task<std::uint64_t> leaf(std::uint64_t seed) {
    co_return work(seed);
}
[[gnu::noinline]] Task<std::uint64_t> middle(std::uint64_t seed) {
    const std::uint64_t first = co_await leaf(seed);
    co_return co_await leaf(first);
}
Task<void> turns(std::uint64_t& sum) {
    for (int turn = 0; turn < kTurns; ++turn) {
        sum += co_await middle(sum);
        co_await yieldNow();
    }
}

/// Nanoseconds of a turn.
double roundOf(bool isMeasured) {
    Loop loop({.name = "bench"});
    std::uint64_t sum = 1;
    const MonoTime begin = MonoClock::now();
    loop.spawn("starter", [](std::uint64_t& result, bool measured) -> Task<void> {
        if (measured && !startProfile({})) std::abort();
        for (int thread = 0; thread < kThreads; ++thread) spawn(fmt::format("worker {}", thread), turns(result));
        co_return;
    }(sum, isMeasured));
    loop.run();
    const Duration took = MonoClock::now() - begin;
    if (sum == 0) std::abort(); // the work was done
    return static_cast<double>(took.count()) * 1e3 / (double{kThreads} * kTurns);
}

double roundOfProgram(const std::string& program) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen((program + " --round").c_str(), "re"),
                                                               &::pclose);
    double nanos = 0;
    if (!pipe || std::fscanf(pipe.get(), "%lf", &nanos) != 1) {
        fmt::print(stderr, "{} does not run; build it, too\n", program);
        std::exit(1);
    }
    return nanos;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "--round") {
        fmt::print("{:.3f}\n", roundOf(false));
        return 0;
    }
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::vector<double> offParts;
    std::vector<double> onParts;
    std::vector<double> off;
    for (int pair = 0; pair < kPairs; ++pair) {
        const double without = roundOfProgram(self + "_without");
        off.push_back(roundOfProgram(self));
        offParts.push_back(off.back() / without - 1);
        const double still = roundOf(false);
        onParts.push_back(roundOf(true) / still - 1);
    }
    fmt::print("a turn with three calls {:9.0f} ns\n", median(off));
    fmt::print("compiled in, and off    {:9.2f} %  (target: under 0.5)\n", median(offParts) * 100);
    fmt::print("on                      {:9.2f} %  (target: under 10)\n", median(onParts) * 100);
    return 0;
}

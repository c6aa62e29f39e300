#include "tests/kinds/simulated_series.h"

#include "core/kinds/kind.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <span>
#include <string_view>

namespace yard::kinds::test {

namespace {

constexpr WallMicros kStart = 1'700'000'000'000'000;
constexpr WallMicros kEvery = 10'000'000;
constexpr int kSeries = 100;
constexpr int kLongSeries = 50; // they take most of the time

using Random = std::mt19937_64;
/// The next factor by which a duration differs from its level.
using Noise = std::function<double(Random&)>;
struct NoiseKind {
    std::string_view name;
    std::function<Noise()> make;
    bool isIndependent = true;
};

Noise normal(double width) {
    return [of = std::normal_distribution<double>(1.0, width)](Random& random) mutable {
        return std::max(0.01, of(random));
    };
}
Noise lognormal(double width) {
    return [of = std::lognormal_distribution<double>(0.0, width)](Random& random) mutable { return of(random); };
}
Noise outliers() {
    return [of = normal(0.03)](Random& random) mutable {
        const bool isOut = random() % 20 == 0;
        return of(random) * (isOut ? 1.4 : 1.0);
    };
}
Noise twoModes() {
    return [of = normal(0.05)](Random& random) mutable {
        const bool isSlow = random() % 10 < 3;
        return of(random) * (isSlow ? 3.0 : 1.0);
    };
}
Noise remembering(double share) {
    return [of = std::normal_distribution<double>(0.0, 0.1 * std::sqrt(1 - share * share)), at = 0.0,
            share](Random& random) mutable {
        at = share * at + of(random);
        return std::max(0.01, 1 + at);
    };
}

std::vector<NoiseKind> noises() {
    return {{"normal, 3 %", [] { return normal(0.03); }},
            {"normal, 10 %", [] { return normal(0.10); }},
            {"lognormal, 30 %", [] { return lognormal(0.30); }},
            {"3 %, one in 20 takes 40 % longer", [] { return outliers(); }},
            {"5 %, three in 10 take three times as long", [] { return twoModes(); }},
            {"10 %, each run half like the last", [] { return remembering(0.5); }, false},
            {"10 %, each run nine tenths like the last", [] { return remembering(0.9); }, false}};
}

struct Seen {
    int alarms = 0;        ///< before there was a change
    int later = 0;         ///< beyond the one
    bool isFound = false;  ///< in the right direction
    std::size_t delay = 0; ///< runs from the change until it is known
};

/// `runs` runs, from `changeAt` on `step` times as long.
Seen simulate(const Noise& made, std::uint64_t seed, std::size_t runs, std::size_t changeAt, double step) {
    Kind kind("w:f");
    Random random(seed);
    Noise noise = made;
    Seen seen;
    for (std::size_t i = 0; i < runs; ++i) {
        Run run{
            .kind = "w:f", .version = "1", .machine = "here", .end = kStart + static_cast<WallMicros>(i) * kEvery};
        run.duration = (i < changeAt ? 1.0 : step) * noise(random);
        run.work = i;
        if (!kind.add(run) || !kind.look()) continue;
        const Change& change = kind.changes().back();
        if (i < changeAt)
            ++seen.alarms;
        else if (!seen.isFound && (change.ratio() > 1) == (step > 1)) {
            seen.isFound = true;
            seen.delay = i - changeAt;
        } else
            ++seen.later;
    }
    return seen;
}

std::size_t middle(std::vector<std::size_t> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void withoutChange(KnownTruth& truth) {
    constexpr std::size_t runs = 10'000;
    truth.lines.emplace_back("| noise | series of 10,000 runs | with an alarm | alarms | most in one |");
    truth.lines.emplace_back("|---|---|---|---|---|");
    for (const NoiseKind& noise : noises()) {
        int alarms = 0;
        int most = 0;
        int touched = 0;
        for (int series = 0; series < kLongSeries; ++series) {
            const Seen seen = simulate(noise.make(), 1'000 + static_cast<std::uint64_t>(series), runs, runs, 1.0);
            alarms += seen.alarms;
            most = std::max(most, seen.alarms);
            touched += seen.alarms > 0 ? 1 : 0;
        }
        if (noise.isIndependent) truth.alarmsPerSeries = std::max(truth.alarmsPerSeries, most);
        truth.lines.push_back(
            fmt::format("| {} | {} | {} | {} | {} |", noise.name, kLongSeries, touched, alarms, most));
    }
}

void withChange(KnownTruth& truth) {
    constexpr std::array<double, 5> steps{1.1, 1.2, 1.5, 2.0, 0.8};
    truth.lines.emplace_back("| noise | change at run 500 of 1,000 | missed of 100 | runs until known: middle | "
                             "longest | alarms before | more than one |");
    truth.lines.emplace_back("|---|---|---|---|---|---|---|");
    const auto all = noises();
    for (const NoiseKind& noise : std::span(all).first(5))
        for (const double step : steps) {
            std::vector<std::size_t> delays;
            int before = 0;
            int later = 0;
            for (int series = 0; series < kSeries; ++series) {
                const Seen seen =
                    simulate(noise.make(), 5'000 + static_cast<std::uint64_t>(series), 1'000, 500, step);
                if (seen.isFound) delays.push_back(seen.delay);
                before += seen.alarms;
                later += seen.later > 0 ? 1 : 0;
            }
            const int missed = kSeries - static_cast<int>(delays.size());
            if (step == 1.2 && noise.name.starts_with("normal")) truth.missedOfTwenty += missed;
            truth.lines.push_back(
                fmt::format("| {} | {:+.0f} % | {} | {} | {} | {} | {} |", noise.name, (step - 1) * 100, missed,
                            middle(delays), delays.empty() ? 0 : *std::ranges::max_element(delays), before, later));
        }
}

/// 2,000 runs over 100 inputs; a failed one is tried again until it works.
void flaky(KnownTruth& truth) {
    truth.lines.emplace_back(
        "| runs that fail for no reason | kinds of 2,000 runs | called flaky | runs until then: middle |");
    truth.lines.emplace_back("|---|---|---|---|");
    for (const double rate : {0.0, 0.001, 0.005, 0.02, 0.05, 0.2}) {
        int called = 0;
        std::vector<std::size_t> until;
        for (int series = 0; series < kSeries; ++series) {
            Kind kind("w:f");
            Random random(9'000 + static_cast<std::uint64_t>(series));
            std::uniform_real_distribution<double> share(0.0, 1.0);
            std::size_t first = 0;
            for (std::size_t i = 0; i < 2'000; ++i) {
                Run run{.kind = "w:f", .end = kStart, .work = i % 100};
                while (share(random) < rate) ++run.failedBefore;
                (void)kind.add(run);
                if (first == 0 && run.failedBefore > 0 && kind.flakiness().isFlaky()) first = i + 1;
            }
            if (!kind.flakiness().isFlaky()) continue;
            ++called;
            until.push_back(first);
        }
        if (rate == 0.0) truth.flakyWithoutReason = called;
        if (rate == 0.05) truth.flakyMissed = kSeries - called;
        truth.lines.push_back(fmt::format("| {:g} % | {} | {} | {} |", rate * 100, kSeries, called,
                                          until.empty() ? std::string("-") : fmt::format("{}", middle(until))));
    }
}

} // namespace

KnownTruth simulateKnownTruth() {
    KnownTruth truth;
    withoutChange(truth);
    withChange(truth);
    flaky(truth);
    return truth;
}

} // namespace yard::kinds::test

// yardctl simulate: what a plan of work, or what was done lately, would take on other machines.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/finished_work.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/simulate/answer.h"
#include "core/simulate/simulation.h"
#include "core/simulate/trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::int64_t kMostDays = 366;
constexpr std::int64_t kMostSeed = INT64_MAX;

Outcome<std::int64_t> numberIn(const Arguments& arguments, std::string_view option, std::int64_t least,
                               std::int64_t most, std::int64_t usual) {
    const auto word = arguments.value(option);
    if (!word) return usual;
    const std::string name = fmt::format("--{}", option);
    const auto number = parseInteger(*word, name);
    if (!number) return std::unexpected(number.error());
    if (*number >= least && *number <= most) return *number;
    return usageError(fmt::format("{} is {} to {}, not '{}'", name, least, most, printable(*word)));
}

Outcome<simulate::Policy> policyIn(const Arguments& arguments, std::string_view option, simulate::Policy usual) {
    const auto word = arguments.value(option);
    if (!word) return usual;
    if (const auto policy = simulate::policyFrom(*word)) return *policy;
    return usageError(
        fmt::format("--{} is one of {}, not '{}'", option, simulate::policyNames(), printable(*word)));
}

/// Machines, cores and policy; what is not said is as in `usual`.
Outcome<simulate::Options> optionsIn(const Arguments& arguments, const std::string& prefix,
                                     const simulate::Options& usual) {
    simulate::Options out = usual;
    const auto machines =
        numberIn(arguments, prefix + "machines", 1, simulate::kMostMachines, usual.fleet.machines);
    if (!machines) return std::unexpected(machines.error());
    const auto cores = numberIn(arguments, prefix + "cores", 1, simulate::kMostCores, usual.fleet.cores);
    if (!cores) return std::unexpected(cores.error());
    const auto policy = policyIn(arguments, prefix + "policy", usual.policy);
    if (!policy) return std::unexpected(policy.error());
    out.fleet.machines = static_cast<int>(*machines);
    out.fleet.cores = static_cast<int>(*cores);
    out.policy = *policy;
    return out;
}

struct Sets {
    simulate::Options a;
    std::optional<simulate::Options> b;
};

Outcome<Sets> setsOf(const Arguments& arguments, std::uint64_t seed) {
    simulate::Options usual;
    usual.seed = seed;
    if (const auto word = arguments.value("memory")) {
        const auto bytes = parseSize(*word, "--memory");
        if (!bytes) return std::unexpected(bytes.error());
        usual.fleet.memoryMb = std::max<std::int64_t>(*bytes >> 20, 1);
    }
    auto a = optionsIn(arguments, "", usual);
    if (!a) return std::unexpected(a.error());
    Sets sets{.a = std::move(*a), .b = std::nullopt};
    constexpr std::array kAgainst{"against-machines", "against-cores", "against-policy"};
    if (std::ranges::none_of(kAgainst, [&](const char* option) { return arguments.has(option); })) return sets;
    auto b = optionsIn(arguments, "against-", sets.a);
    if (!b) return std::unexpected(b.error());
    sets.b = std::move(*b);
    return sets;
}

Outcome<simulate::Work> workOf(const Invocation& invocation, std::uint64_t seed) {
    const Arguments& arguments = invocation.arguments;
    if (arguments.has("recording"))
        return usageError("there are no recordings yet: give --model FILE or --history DAYS");
    if (arguments.has("model") == arguments.has("history"))
        return usageError("'simulate' wants either --model FILE or --history DAYS");
    if (arguments.has("history")) {
        const auto days = numberIn(arguments, "history", 1, kMostDays, 1);
        if (!days) return std::unexpected(days.error());
        return finishedWork(invocation.engine, *days);
    }
    const auto text = readFile(*arguments.value("model"), simulate::kMostModelBytes);
    if (!text) return failedWith(text.error());
    auto work = simulate::workFromModel(*text, seed);
    if (!work) return failedWith(work.error());
    return std::move(*work);
}

std::string percentWords(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

/// Over the whole time.
double meanShare(const simulate::Answer& answer) {
    double sum = 0;
    for (std::size_t i = 0; i < answer.utilisation.size(); ++i) {
        const bool isLast = i + 1 == answer.utilisation.size();
        const double end = isLast ? answer.makespan : answer.utilisation[i + 1].first;
        sum += (end - answer.utilisation[i].first) * answer.utilisation[i].second;
    }
    return answer.makespan > 0 ? sum / answer.makespan : 0;
}

std::string setWords(const simulate::Options& options) {
    return fmt::format("{} x {} cores, {}", options.fleet.machines, options.fleet.cores, name(options.policy));
}

std::string kindWaitWords(const simulate::Answer& answer, const std::string& kind) {
    const auto at = std::ranges::find(answer.waits, kind, &simulate::KindWait::kind);
    return at == answer.waits.end() ? "-" : fmt::format("{}, {}", durationWords(at->p50), durationWords(at->p95));
}

/// A column for each answer.
void printAnswers(const std::vector<std::pair<std::string, simulate::Answer>>& answers) {
    std::vector<Table::Column> columns{{"", false, kWhole}};
    for (const auto& [what, answer] : answers) columns.push_back({what, true, kWhole});
    Table table(std::move(columns));
    const auto add = [&](std::string head, const auto& wordsOf) {
        std::vector<std::string> cells{std::move(head)};
        for (const auto& [what, answer] : answers) cells.push_back(wordsOf(answer));
        table.add(std::move(cells));
    };
    add("takes", [](const simulate::Answer& a) { return durationWords(a.makespan); });
    add("at best", [](const simulate::Answer& a) { return durationWords(a.bound); });
    add("cores in use", [](const simulate::Answer& a) { return percentWords(meanShare(a)); });
    for (const simulate::KindWait& wait : answers.front().second.waits)
        add(fmt::format("{} waits (p50, p95)", printable(wait.kind)),
            [&](const simulate::Answer& a) { return kindWaitWords(a, wait.kind); });
    add("decisions a second",
        [](const simulate::Answer& a) { return fmt::format("{:.0f}", a.decisionsPerSecond); });
    add("memory", [](const simulate::Answer& a) { return sizeWords(a.peakMemoryBytes); });
    fmt::print("{}", table.text(terminalWidth()));
}

Outcome<simulate::Answer> played(const simulate::Work& work, simulate::Options options, simulate::Trace* trace) {
    if (trace) options.started = [trace](const simulate::Span& span) { trace->add(span); };
    auto answer = simulate::play(work, options);
    if (!answer) return failedWith(answer.error());
    return std::move(*answer);
}

Outcome<void> writeTrace(const simulate::Trace& trace, const std::string& path) {
    if (auto written = writeNamedFile(path, trace.json(), 0644); !written) return failedWith(written.error());
    if (trace.omitted() > 0)
        fmt::print(stderr, "yardctl: {} has the first {} attempts; {} more are not in it\n", path,
                   simulate::Trace::kMostSpans, trace.omitted());
    return {};
}

Outcome<int> simulateCommand(const Invocation& invocation) {
    const auto seed = numberIn(invocation.arguments, "seed", 0, kMostSeed, 1);
    if (!seed) return std::unexpected(seed.error());
    const auto sets = setsOf(invocation.arguments, static_cast<std::uint64_t>(*seed));
    if (!sets) return std::unexpected(sets.error());
    const auto work = workOf(invocation, static_cast<std::uint64_t>(*seed));
    if (!work) return std::unexpected(work.error());
    const auto path = invocation.arguments.value("trace");
    simulate::Trace trace(*work);
    const auto a = played(*work, sets->a, path ? &trace : nullptr);
    if (!a) return std::unexpected(a.error());
    if (path)
        if (auto written = writeTrace(trace, *path); !written) return std::unexpected(written.error());
    std::vector<std::pair<std::string, simulate::Answer>> answers{{setWords(sets->a), *a}};
    if (sets->b) {
        const auto b = played(*work, *sets->b, nullptr);
        if (!b) return std::unexpected(b.error());
        answers.emplace_back(setWords(*sets->b), *b);
    }
    if (!invocation.json)
        printAnswers(answers);
    else if (sets->b)
        fmt::print("{}\n", toJson(answers[0].second, answers[1].second));
    else
        fmt::print("{}\n", toJson(answers[0].second));
    return 0;
}

} // namespace

Command simulateRow() {
    return {.name = "simulate",
            .usage = "--model FILE|--history DAYS [options]",
            .summary = "what work would take on other machines",
            .details =
                "The scheduler itself in virtual time: nothing runs. A model is JSON, as in docs/simulate.md; the "
                "history is what completed here in the last days, as it arrived and as long as it took. With "
                "--against-… there are two columns, the second with what these say. The same command answers the "
                "same, but for decisions a second.",
            .examples = "yardctl simulate --model night.json --machines 4 --cores 16\n"
                        "yardctl simulate --history 7 --cores 8 --against-machines 3\n"
                        "yardctl simulate --model night.json --machines 4 --cores 16 --trace t.json",
            .options = {{"model", 0, "FILE", "kinds of actions, how many, and when they arrive"},
                        {"history", 0, "DAYS", "what completed here in so many days"},
                        {"recording", 0, "FILE", "not yet"},
                        {"machines", 0, "N", "so many machines (1)"},
                        {"cores", 0, "N", "cores of each (1)"},
                        {"memory", 0, "SIZE", "memory of each, as 64G; else as much as is asked for"},
                        {"policy", 0, "NAME", "usual, no-reserve, shortest-first or longest-first"},
                        {"seed", 0, "N", "of what is drawn by chance (1)"},
                        {"against-machines", 0, "N", "beside it with so many machines"},
                        {"against-cores", 0, "N", "beside it with so many cores of each"},
                        {"against-policy", 0, "NAME", "beside it with this policy"},
                        {"trace", 0, "FILE", "write what ran where, for viewers of Chrome's traces"}},
            .maxOperands = 0,
            .function = simulateCommand};
}

} // namespace yard::ctl

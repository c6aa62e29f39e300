// yardctl kinds: what is remembered of each kind of work: how long, how large, how often it fails, and what changed.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/pages.h"
#include "core/base/clock.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

namespace yard::ctl {

namespace {

constexpr std::array<std::string_view, 4> kKindVerbs{"ls", "show", "flaky", "regressions"};
constexpr std::int64_t kUsualKinds = 100;
constexpr std::int64_t kKindsOfPage = 1'000; // as many as the engine gives at once

// --- words

std::string kindSizeWords(double bytes) {
    constexpr double kMost = 9e18; // more is no size
    if (!std::isfinite(bytes) || bytes < 0 || bytes > kMost) return "-";
    return sizeWords(static_cast<std::uint64_t>(std::llround(bytes)));
}

bool isOfBytes(std::string_view quantity) {
    return quantity.starts_with("memory") || quantity.starts_with("output");
}

std::string amountOf(const json::object& object, std::string_view key, std::string_view quantity) {
    const auto value = numberOf(object, key);
    if (!value) return "-";
    if (isOfBytes(quantity)) return kindSizeWords(*value);
    constexpr double kLeast = 0.001;
    constexpr double kMost = 0.9995; // rounds to 1 s
    return *value >= kLeast && *value < kMost ? fmt::format("{:.3g} ms", 1000 * *value) : durationWords(*value);
}

/// "-" of a quantity that is not known.
std::string quantileWords(const json::object& figures, std::string_view quantity, std::string_view quantile) {
    const json::object* of = objectOf(figures, quantity);
    return of ? amountOf(*of, quantile, quantity) : "-";
}

std::string percentWords(double part) {
    if (part > 0 && part < 0.01) return "<1 %";
    return fmt::format("{:.0f} %", 100 * part);
}

std::string momentWords(const json::object& object, std::string_view key) {
    const auto t = integerOf(object, key);
    return t ? timeWords(*t, wallNow()) : "-";
}

/// Days and weeks are those of UTC.
std::string dayWords(const json::object& period) {
    using namespace std::chrono;
    const auto t = integerOf(period, "t");
    if (!t) return "-";
    const year_month_day day{floor<days>(sys_time<microseconds>{microseconds(*t)})};
    return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                       static_cast<unsigned>(day.day()));
}

std::string ratioWords(const json::object& change) {
    constexpr double kMany = 1e6;
    const double ratio = numberOf(change, "ratio").value_or(0);
    if (ratio >= kMany) return fmt::format("{:.1e}", ratio);
    return fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : 0);
}

/// "1.90 times as long", "2.10 times as much memory".
std::string changeWords(const json::object& change) {
    return fmt::format("{} times as {}", ratioWords(change),
                       textOf(change, "what") == "memory" ? "much memory" : "long");
}

/// "version 3", "machine desk"; empty: nothing came then.
std::string originWords(const json::object& change) {
    const json::object* since = objectOf(change, "since");
    for (const std::string_view name : {"version", "machine"})
        if (const auto came = since ? textOf(*since, name) : std::string_view(); !came.empty())
            return fmt::format("{} {}", name, printable(came));
    return "";
}

/// "flaky, 1.90 times as long".
std::string noteOfKind(const json::object& kind) {
    std::string note;
    if (const json::object* flaky = objectOf(kind, "flaky"); flaky && isTrue(*flaky, "is_flaky")) note = "flaky";
    if (const json::object* change = objectOf(kind, "regression"))
        note += fmt::format("{}{}", note.empty() ? "" : ", ", changeWords(*change));
    return note;
}

// --- many

struct KindsRead {
    json::array kinds;
    json::object last; ///< the answer that came last, without its kinds
    bool isCut = false;
};

struct KindsAsked {
    std::string query; ///< "&since=…&sort=…"
    std::int64_t limit = kUsualKinds;
    bool flakyOnly = false; ///< those with inputs that both worked and failed
};

Outcome<KindsAsked> askedOf(const Arguments& arguments, bool flakyOnly) {
    KindsAsked asked{.query = {}, .limit = kUsualKinds, .flakyOnly = flakyOnly};
    if (const auto word = arguments.value("limit")) {
        const auto limit = parseInteger(*word, "--limit");
        if (!limit) return std::unexpected(limit.error());
        if (*limit < 0) return usageError("--limit wants 0 (all) or more");
        asked.limit = *limit == 0 ? std::numeric_limits<std::int64_t>::max() : *limit;
    }
    if (const auto since = arguments.value("since")) {
        const auto moment = parseMoment(*since, wallNow());
        if (!moment) return std::unexpected(moment.error());
        asked.query += fmt::format("&since={}", std::max<std::int64_t>(*moment, 0));
    }
    if (const auto sort = arguments.value("sort")) asked.query += "&sort=" + percentEncode(*sort);
    return asked;
}

/// The engine has at most 10,000 kinds: all of them are a few pages.
Outcome<KindsRead> readKinds(Engine& engine, const KindsAsked& asked) {
    KindsRead read;
    Pages pages(engine);
    const auto left = [&] { return asked.limit - std::ssize(read.kinds); };
    while (!pages.atEnd() && left() > 0) {
        // Of a page some may be left out: there it is not known how many are needed.
        const std::int64_t most = asked.flakyOnly ? kKindsOfPage : std::min(left(), kKindsOfPage);
        auto page = pages.next(fmt::format("kinds?limit={}{}", most, asked.query));
        if (!page) return std::unexpected(page.error());
        if (const json::array* kinds = arrayOf(page->object, "kinds"))
            for (const json::value& value : *kinds) {
                const json::object* kind = value.if_object();
                if (!kind || (asked.flakyOnly && !objectOf(*kind, "flaky"))) continue;
                if (left() <= 0)
                    read.isCut = true;
                else
                    read.kinds.push_back(value);
            }
        page->object.erase("kinds");
        read.last = std::move(page->object);
    }
    read.isCut = read.isCut || !pages.atEnd();
    return read;
}

void printKinds(const json::array& kinds) {
    Table table({{"KIND", false, 16},
                 {"RUNS", true},
                 {"FAILED", true},
                 {"DURATION", true},
                 {"P95", true, kWhole, 3},
                 {"MEMORY", true, kWhole, 4},
                 {"WAIT", true, kWhole, 1},
                 {"LAST", false, kWhole, 2},
                 {"NOTE", false, 8}});
    for (const json::value& value : kinds) {
        const json::object& kind = value.get_object();
        table.add({printable(textOf(kind, "kind")), countText(kind, "runs"), countText(kind, "failed"),
                   quantileWords(kind, "duration", "p50"), quantileWords(kind, "duration", "p95"),
                   quantileWords(kind, "memory_bytes", "p50"), quantileWords(kind, "wait", "p50"),
                   momentWords(kind, "last"), noteOfKind(kind)});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

void printFlakyKinds(const json::array& kinds) {
    Table table({{"KIND", false, 16},
                 {"RUNS", true, kWhole, 2},
                 {"INPUTS", true},
                 {"RATE", true},
                 {"CERTAIN", true},
                 {"LAST", false, kWhole, 1},
                 {"NOTE", false, 8}});
    for (const json::value& value : kinds) {
        const json::object& kind = value.get_object();
        const json::object* flaky = objectOf(kind, "flaky");
        if (!flaky) continue;
        table.add({printable(textOf(kind, "kind")), countText(kind, "runs"), countText(*flaky, "inputs"),
                   percentWords(numberOf(*flaky, "rate").value_or(0)),
                   percentWords(numberOf(*flaky, "probability").value_or(0)), momentWords(kind, "last"),
                   isTrue(*flaky, "is_flaky") ? "flaky" : ""});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

/// Besides what was asked for: a pipe gets the table alone.
void tellOfOthers(const KindsRead& read) {
    if (read.isCut) fmt::print(stderr, "There are more: --limit N, or --limit 0 for all.\n");
    const std::int64_t dropped = integerOf(read.last, "dropped").value_or(0);
    if (dropped > 0)
        fmt::print(stderr, "{} kind{} forgotten for others since the engine started, {} last.\n", dropped,
                   dropped == 1 ? " was" : "s were", printable(textOf(read.last, "last_dropped")));
}

Outcome<int> listKinds(const Invocation& invocation, bool flakyOnly) {
    const auto asked = askedOf(invocation.arguments, flakyOnly);
    if (!asked) return std::unexpected(asked.error());
    auto read = readKinds(invocation.engine, *asked);
    if (!read) return std::unexpected(read.error());
    if (invocation.json) {
        json::object all;
        all["kinds"] = std::move(read->kinds);
        if (flakyOnly) read->last.erase("cursor"); // it is behind kinds that were left out
        for (const auto& member : read->last) all.insert(member);
        fmt::print("{}\n", compactJson(json::value(std::move(all))));
        return 0;
    }
    if (read->kinds.empty())
        fmt::print("{}\n", flakyOnly ? "No kind of work both worked and failed with the same inputs."
                                     : "Nothing is known of any kind of work.");
    else if (flakyOnly)
        printFlakyKinds(read->kinds);
    else
        printKinds(read->kinds);
    tellOfOthers(*read);
    return 0;
}

// --- one

/// "120 runs, 3 failed (exit_code: 2, signal: 1), the last one 09:45:31".
std::string runsWords(const json::object& kind) {
    const std::int64_t runs = integerOf(kind, "runs").value_or(0);
    std::string words = fmt::format("{} run{}", runs, runs == 1 ? "" : "s");
    std::string reasons;
    if (const json::object* by = objectOf(kind, "reasons"))
        for (const auto& [reason, count] : *by)
            if (count.is_number())
                reasons +=
                    fmt::format("{}{}: {}", reasons.empty() ? "" : ", ", printable(reason), countText(*by, reason));
    if (integerOf(kind, "failed").value_or(0) > 0) {
        words += fmt::format(", {} failed", countText(kind, "failed"));
        if (!reasons.empty()) words += fmt::format(" ({})", reasons);
    }
    return words + fmt::format(", the last one {}", momentWords(kind, "last"));
}

void printQuantities(const json::object& kind) {
    Table table({{"  FIGURE"}, {"MEDIAN", true}, {"90 %", true}, {"95 %", true}, {"99 %", true}});
    constexpr std::array<std::string_view, 5> kQuantities{"duration", "cpu", "memory_bytes", "wait",
                                                          "output_bytes"};
    constexpr std::array<std::string_view, 5> kNames{"  duration", "  processor time", "  memory", "  wait",
                                                     "  output"};
    for (std::size_t i = 0; i < kQuantities.size(); ++i)
        if (objectOf(kind, kQuantities[i]))
            table.add({std::string(kNames[i]), quantileWords(kind, kQuantities[i], "p50"),
                       quantileWords(kind, kQuantities[i], "p90"), quantileWords(kind, kQuantities[i], "p95"),
                       quantileWords(kind, kQuantities[i], "p99")});
    if (!table.empty()) fmt::print("{}", table.text(terminalWidth()));
}

/// ", of 4.0 GB that it asks for: 3.1 times as many would fit"; nothing where nobody wants to know, or it is no less.
std::string askedWords(const json::object& kind) {
    const double learned = numberOf(kind, "learned_memory_bytes").value_or(0);
    const double asked = numberOf(kind, "asked_memory_bytes").value_or(0);
    if (!(learned > 0) || asked <= learned) return {};
    return fmt::format(", of {} that it asks for: {:.1f} times as many would fit",
                       amountOf(kind, "asked_memory_bytes", "memory"), asked / learned);
}

void printExpectations(const json::object& kind) {
    if (const json::object* estimate = objectOf(kind, "estimate")) {
        const bool hasBounds = numberOf(*estimate, "low") && numberOf(*estimate, "high");
        fmt::print("  expected: {}{}, by {} that completed\n", amountOf(*estimate, "median", "duration"),
                   hasBounds ? fmt::format(", the median is in {} to {}", amountOf(*estimate, "low", "duration"),
                                           amountOf(*estimate, "high", "duration"))
                             : "",
                   countText(*estimate, "runs"));
    }
    if (numberOf(kind, "learned_memory_bytes"))
        fmt::print("  memory that is enough: {}{}\n", amountOf(kind, "learned_memory_bytes", "memory"),
                   askedWords(kind));
    if (const json::object* flaky = objectOf(kind, "flaky"))
        fmt::print("  {}: {} of the runs of inputs that work fail, {} certain that it is over 1 %\n",
                   isTrue(*flaky, "is_flaky") ? "flaky" : "perhaps flaky",
                   percentWords(numberOf(*flaky, "rate").value_or(0)),
                   percentWords(numberOf(*flaky, "probability").value_or(0)));
    if (const json::object* change = objectOf(kind, "regression")) {
        const std::string_view what = textOf(*change, "what");
        const std::string origin = originWords(*change);
        fmt::print("  {} since {}: {} before, {} after{}{}\n", changeWords(*change), momentWords(*change, "t"),
                   amountOf(*change, "before", what), amountOf(*change, "after", what),
                   origin.empty() ? "" : ", with ", origin);
    }
}

/// `key`: of what names one, a version or machine, or "t", the begin of a day or week.
void printParts(const json::object& kind, std::string_view list, std::string_view key, std::string_view head) {
    const json::array* parts = arrayOf(kind, list);
    if (!parts || parts->empty()) return;
    Table table({{std::string(head), false, 8},
                 {"RUNS", true},
                 {"FAILED", true},
                 {"DURATION", true},
                 {"P95", true, kWhole, 2},
                 {"MEMORY", true},
                 {"WAIT", true, kWhole, 1}});
    for (const json::value& value : *parts) {
        const json::object* part = value.if_object();
        if (!part) continue;
        table.add({key == "t" ? dayWords(*part) : printable(textOf(*part, key)), countText(*part, "runs"),
                   countText(*part, "failed"), quantileWords(*part, "duration", "p50"),
                   quantileWords(*part, "duration", "p95"), quantileWords(*part, "memory_bytes", "p50"),
                   quantileWords(*part, "wait", "p50")});
    }
    fmt::print("\n{}", table.text(terminalWidth()));
}

void printKind(const json::object& kind) {
    fmt::print("{}\n  {}\n", printable(textOf(kind, "kind")), runsWords(kind));
    printExpectations(kind);
    printQuantities(kind);
    printParts(kind, "versions", "version", "VERSION");
    printParts(kind, "machines", "machine", "MACHINE");
    printParts(kind, "days", "t", "DAY, UTC");
    printParts(kind, "weeks", "t", "WEEK, UTC");
}

void printFlakiness(const json::object& answer) {
    Table inputs({{"INPUTS"}, {"COMPLETED", true}, {"FAILED", true}, {"FAILED ACTIONS", false, 8}});
    if (const json::array* all = arrayOf(answer, "inputs"))
        for (const json::value& value : *all) {
            const json::object* input = value.if_object();
            if (!input) continue;
            std::vector<std::string> failed;
            const json::array* lsns = arrayOf(*input, "lsns");
            for (const json::value& lsn : lsns ? *lsns : json::array())
                if (lsn.is_int64()) failed.push_back(fmt::format("{}", lsn.get_int64()));
            inputs.add({printable(textOf(*input, "spec")), countText(*input, "completed"),
                        countText(*input, "failed"), fmt::format("{}", fmt::join(failed, " "))});
        }
    if (inputs.empty())
        fmt::print("No inputs of it both worked and failed.\n");
    else
        fmt::print("{}", inputs.text(terminalWidth()));
    Table lines({{"COUNT", true}, {"LINE", false, 8}});
    if (const json::array* all = arrayOf(answer, "lines"))
        for (const json::value& value : *all)
            if (const json::object* line = value.if_object())
                lines.add({countText(*line, "count"), printable(textOf(*line, "line"))});
    if (!lines.empty()) fmt::print("\n{}", lines.text(terminalWidth()));
}

void printRegressions(const json::object& answer) {
    Table table({{"SINCE", false, kWhole, 2},
                 {"KIND", false, 16},
                 {"WHAT"},
                 {"BEFORE", true, kWhole, 3},
                 {"AFTER", true, kWhole, 3},
                 {"TIMES", true},
                 {"WITH", false, 8, 1}});
    if (const json::array* all = arrayOf(answer, "regressions"))
        for (const json::value& value : *all) {
            const json::object* one = value.if_object();
            if (!one) continue;
            const std::string_view what = textOf(*one, "what");
            table.add({momentWords(*one, "t"), printable(textOf(*one, "kind")), printable(what),
                       amountOf(*one, "before", what), amountOf(*one, "after", what), ratioWords(*one),
                       originWords(*one)});
        }
    if (table.empty())
        fmt::print("No kind of work got slower or larger.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> shownKinds(const Invocation& invocation, std::string path, void (*show)(const json::object&)) {
    const auto answer = invocation.engine.get(std::move(path));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        show(answer->object);
    return 0;
}

Outcome<int> kindsCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    const std::vector<std::string>& words = arguments.operands();
    const std::string verb = words.empty() ? std::string(kKindVerbs.front()) : words.front();
    if (std::ranges::find(kKindVerbs, verb) == kKindVerbs.end())
        return usageError(fmt::format("'{}' is none of ls, show, flaky and regressions", printable(verb)));
    // Names have blanks: they may be typed without quotes.
    const bool isNamed = words.size() > 1;
    const std::string path =
        isNamed ? "kinds/" + percentEncode(fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "))) : "";
    if (isNamed && (verb == "ls" || verb == "regressions"))
        return usageError(fmt::format("'{}' lists all; 'show' and 'flaky' take one", verb));
    if (!isNamed && verb == "show")
        return usageError("name one as 'yardctl kinds' has it: yardctl kinds show exec:make");
    const bool isList = verb == "ls" || (verb == "flaky" && !isNamed);
    if (isList) return listKinds(invocation, verb == "flaky");
    for (const std::string_view option : {"since", "sort", "limit"})
        if (arguments.has(option)) return usageError(fmt::format("--{} goes with lists of kinds", option));
    if (verb == "regressions") return shownKinds(invocation, "regressions", printRegressions);
    if (verb == "flaky") return shownKinds(invocation, path + "/flaky", printFlakiness);
    return shownKinds(invocation, path, printKind);
}

} // namespace

Command kindsRow() {
    return {
        .name = "kinds",
        .usage = "[options] [ls | show NAME | flaky [NAME] | regressions]",
        .summary = "what is remembered of each kind of work",
        .details =
            "A kind is the worker and function of actions; of programs their label, else the program and its "
            "first word: 'thumbs:thumb', 'exec:nightly', 'exec:git log'. Durations, memory and waits in the "
            "list are medians. Figures are of all runs that are remembered, with --since of the days since "
            "then.\n"
            "\n"
            "'flaky' has the kinds of which the same inputs both worked and failed, with NAME these inputs and "
            "the lines of the failures. Flaky is one that fails in more than one run of a hundred, with 95 % "
            "certainty. 'regressions' has what got slower or larger, the latest first, and the version or "
            "machine that came then.",
        .examples = "yardctl kinds --sort -duration\n"
                    "yardctl kinds ls --since -7d --limit 20\n"
                    "yardctl kinds show exec:git log\n"
                    "yardctl kinds flaky\n"
                    "yardctl kinds regressions",
        .options = {{"since", 0, "TIME", "of those that ran from then on: -1h, 09:45, yesterday"},
                    {"sort", 's', "ORDER",
                     "by last, runs, failed, duration, memory_bytes or kind; - before it for descending (-last)"},
                    {"limit", 'n', "N", "at most so many (100); 0 for all"}},
        .function = kindsCommand};
}

} // namespace yard::ctl

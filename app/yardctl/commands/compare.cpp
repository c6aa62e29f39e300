// yardctl compare: in what two runs differ.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_attempt.h"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kWidestValue = 48;
constexpr std::size_t kLeastColumns = 4; ///< columns of a terminal

/// What one side has, in the unit that the name of the difference says.
std::string comparedWords(const json::object& difference, std::string_view side) {
    const json::value* value = difference.if_contains(side);
    if (!value) return "-";
    const std::string_view name = textOf(difference, "name");
    if (value->is_number() && name.ends_with("_bytes") && value->to_number<double>() >= 0)
        return bytesWords(value->to_number<double>());
    if (value->is_number() && (textOf(difference, "what") == "times" || name == "deadline_s"))
        return durationWords(value->to_number<double>());
    if (const json::object* chunk = value->if_object(); chunk && chunk->contains("hash") && chunk->contains("size"))
        return fmt::format("{}, {:.12}", bytesWords(numberOf(*chunk, "size").value_or(0)), textOf(*chunk, "hash"));
    const std::string text = value->is_string() ? std::string(value->get_string()) : compactJson(*value);
    return fitted(printable(text), kWidestValue);
}

/// What differs, in words: "argv", "input photo.jpg", "stdout, line 7".
std::string differenceWords(const json::object& difference) {
    const std::string_view what = textOf(difference, "what");
    std::string name = printable(textOf(difference, "name"));
    if (what == "inputs") return "input " + name;
    if (what == "environment") return "variable " + name;
    if (what == "worker") return "worker " + name;
    if (what == "machine") return name == "name" ? "machine" : "asks for " + name;
    if (what == "output") return fmt::format("{}, line {}", name, integerOf(difference, "line").value_or(0));
    return name;
}

/// "12.2"; the first attempt is told as one where another one of the same action stands beside it.
std::string runHeading(const json::object& answer, std::string_view side) {
    const auto of = [&](std::string_view which, std::string_view member) {
        const json::object* run = objectOf(answer, which);
        return run ? integerOf(*run, member).value_or(0) : 0;
    };
    const bool isApart = of("a", "lsn") == of("b", "lsn") && of("a", "attempt") != of("b", "attempt");
    const std::int64_t attempt = of(side, "attempt");
    return fmt::format("{}{}", of(side, "lsn"),
                       attempt > 1 || (isApart && attempt == 1) ? fmt::format(".{}", attempt) : "");
}

void printComparison(const json::object& answer) {
    const std::string first = runHeading(answer, "a");
    const std::string second = runHeading(answer, "b");
    Table table({{"WHAT", false, kLeastColumns}, {first, false, kLeastColumns}, {second, false, kLeastColumns}});
    const json::array* all = arrayOf(answer, "differences");
    for (const json::value& one : all ? *all : json::array()) {
        const json::object* difference = one.if_object();
        if (!difference) continue;
        std::string here = comparedWords(*difference, "a");
        std::string there = comparedWords(*difference, "b");
        // No two runs take the same time to the microsecond.
        if (textOf(*difference, "what") == "times" && here == there) continue;
        table.add({differenceWords(*difference), std::move(here), std::move(there)});
    }
    if (table.empty())
        fmt::print("{} and {} do not differ.\n", first, second);
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> compareCommand(const Invocation& invocation) {
    const auto& operands = invocation.arguments.operands();
    const auto first = namedAttempt("compare", operands.front());
    if (!first) return std::unexpected(first.error());
    std::string query = first->attempt == 0 ? "" : fmt::format("attempt={}", first->attempt);
    if (operands.size() > 1) {
        const auto second = namedAttempt("compare", operands.back());
        if (!second) return std::unexpected(second.error());
        query += fmt::format("{}with={}", query.empty() ? "" : "&", second->words());
    }
    const auto answer =
        invocation.engine.get(fmt::format("jobs/{}/compare{}{}", first->lsn, query.empty() ? "" : "?", query));
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    printComparison(answer->object);
    return 0;
}

} // namespace

Command compareRow() {
    return {.name = "compare",
            .usage = "A[.N] [B[.N]]",
            .summary = "in what two runs differ",
            .details =
                "In what was submitted, inputs, worker, variables, machine, limits, how they ended, how long "
                "they took, and in the first line of their output that differs. What is alike is left out. "
                "12.2 is the second attempt of action 12, 12 its last one. Without B it is compared with the "
                "last good run of the same work.",
            .examples = "yardctl compare 12 19\n"
                        "yardctl compare 12.1 12.2\n"
                        "yardctl compare 12",
            .options = {},
            .minOperands = 1,
            .maxOperands = 2,
            .function = compareCommand};
}

} // namespace yard::ctl

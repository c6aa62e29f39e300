// yardctl ls: a page, or all, of the actions that match a filter, or how many there are of each state, queue and so on.
#include "app/yardctl/action_view.h"
#include "app/yardctl/columns.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/help_texts.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/pages.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"
#include "core/model/facet.h"
#include "core/model/states.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kMaxPage = 1000;

/// A number or a token; a tag is for the filter language alone.
bool isReference(std::string_view queue) {
    constexpr std::size_t kTokenLength = 24;
    return queue.size() == kTokenLength || queue.find_first_not_of("0123456789") == std::string_view::npos;
}

/// A filter whose terms are all plain "key:value" of keys that have a parameter of their own goes as these
/// parameters: every engine knows them. Anything else is for the filter language.
std::string queryOf(const std::vector<std::string>& words) {
    std::string filter = fmt::format("{}", fmt::join(words, " "));
    std::string out;
    std::string seen;
    std::string_view rest = filter;
    while (!rest.empty()) {
        const std::size_t space = std::min(rest.find(' '), rest.size());
        const std::string_view term = rest.substr(0, space);
        rest.remove_prefix(std::min(space + 1, rest.size()));
        if (term.empty()) continue;
        const std::size_t colon = term.find(':');
        const std::string key(term.substr(0, colon));
        const std::string_view value =
            colon == std::string_view::npos ? std::string_view() : term.substr(colon + 1);
        const bool known = key == "state" || key == "queue" || key == "worker" || key == "label";
        const bool plain = !value.empty() && value.find_first_of("*\"'<>") == std::string_view::npos &&
                           value.find("..") == std::string_view::npos &&
                           (key == "state" || value.find(',') == std::string_view::npos) &&
                           (key != "queue" || isReference(value));
        if (!known || !plain || seen.find(" " + key) != std::string::npos) return "&q=" + percentEncode(filter);
        seen += " " + key;
        out += fmt::format("&{}={}", key, percentEncode(value));
    }
    return out;
}

struct Shown {
    std::vector<const ActionColumn*> columns;
    bool areNamed = false;
};

Outcome<Shown> shownColumns(const Invocation& invocation) {
    const auto names = invocation.arguments.value("columns");
    if (!names) return Shown{.columns = invocation.arguments.has("fold") ? foldedColumns() : usualColumns()};
    if (invocation.json) return usageError("--columns is for tables: --json prints all of each action");
    auto columns = columnsNamed(*names);
    if (!columns) return std::unexpected(columns.error());
    return Shown{.columns = std::move(*columns), .areNamed = true};
}

void addRow(Table& table, const Shown& shown, const json::object& action, std::int64_t now) {
    std::vector<std::string> cells;
    for (const ActionColumn* column : shown.columns) cells.push_back(column->cell(action, now));
    table.add(std::move(cells));
}

/// For who wrote a state, or something else, where a filter has a word: that is looked for in names.
void tellOfWords(const std::vector<std::string>& words, bool foundAny) {
    constexpr std::string_view kWhere = "looked for in names, labels, functions and notes";
    for (const std::string& word : words) {
        const std::string shown = printable(word);
        if (word == "held" || word == "retry" || actionStateFrom(word))
            fmt::print(stderr, "'{0}' is {1}; 'yardctl ls state:{0}' lists those in that state.\n", shown, kWhere);
        else if (!foundAny && !isLsns(word) && word.find_first_of(":<>") == std::string::npos)
            fmt::print(stderr,
                       "'{}' is {}; for anything else write KEY:VALUE ('yardctl ls --help' has the keys).\n", shown,
                       kWhere);
    }
}

/// A filter may name a queue that does not exist: said where nothing was found.
Outcome<void> tellOfNothing(const Invocation& invocation, bool isFiltered) {
    if (auto known = checkQueues(invocation.engine, invocation.arguments.operands()); !known) return known;
    if (invocation.json) return {};
    fmt::print(stderr, "{}\n", isFiltered ? "No action matches." : "There are no actions.");
    return {};
}

/// VALUE, COUNT of one facet, the largest count first.
std::string countsOf(FacetKey facet, const json::object& answer, bool isExact) {
    const json::object* lists = objectOf(answer, "facets");
    const json::object* list = lists ? objectOf(*lists, name(facet)) : nullptr;
    std::vector<std::pair<std::string, std::int64_t>> counts;
    if (list)
        for (const auto& [value, count] : *list)
            counts.emplace_back(printable(value), integerOf(*list, value).value_or(0));
    std::ranges::sort(counts, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    const json::object* others = objectOf(answer, "others");
    if (const auto left = others ? integerOf(*others, name(facet)) : std::nullopt)
        counts.emplace_back("(others)", *left);
    Table table({{upperCase(name(facet)), false, 12}, {"COUNT", true}});
    for (auto& [value, count] : counts)
        table.add({std::move(value), fmt::format("{}{}", isExact ? "" : ">= ", count)});
    return table.text(terminalWidth());
}

/// What `ls` would list, by each of the facets; `query` begins with "&".
Outcome<int> countBy(const Invocation& invocation, const std::string& by, const std::string& query) {
    for (const std::string_view option : {"limit", "sort", "columns", "fold"})
        if (invocation.arguments.has(option))
            return usageError(fmt::format("--{} is for lists: --count-by counts all that match", option));
    const auto facets = parseFacets(by);
    if (!facets) return usageError(facets.error().message);
    std::string names;
    for (const FacetKey facet : *facets) names += fmt::format("{}{}", names.empty() ? "" : ",", name(facet));
    const auto answer =
        invocation.engine.get(fmt::format("jobs/facets?own=1&by={}{}", percentEncode(names), query));
    if (!answer) return std::unexpected(wrongInFilter(invocation.engine, failedByWords(answer.error()).error()));
    const bool foundAny = integerOf(answer->object, "total").value_or(0) > 0;
    if (!foundAny)
        if (auto told = tellOfNothing(invocation, !query.empty()); !told) return std::unexpected(told.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const json::value* exact = answer->object.if_contains("exact");
    const bool isExact = !exact || !exact->is_bool() || exact->get_bool();
    for (std::size_t i = 0; foundAny && i < facets->size(); ++i)
        fmt::print("{}{}", i == 0 ? "" : "\n", countsOf((*facets)[i], answer->object, isExact));
    tellOfWords(invocation.arguments.operands(), foundAny);
    return 0;
}

Outcome<int> listCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    std::int64_t left = kDefaultLimit;
    if (const auto word = arguments.value("limit")) {
        auto limit = parseInteger(*word, "--limit");
        if (!limit) return std::unexpected(limit.error());
        if (*limit < 0) return usageError("--limit wants 0 (all) or more");
        left = *limit == 0 ? std::numeric_limits<std::int64_t>::max() : *limit;
    }
    const auto terms = listTerms(arguments.operands());
    if (!terms) return std::unexpected(terms.error());
    std::string query = queryOf(*terms);
    if (const auto queue = arguments.value("queue")) query += "&queue=" + percentEncode(*queue);
    if (const auto by = arguments.value("count-by")) return countBy(invocation, *by, query);
    if (const auto sort = arguments.value("sort")) query += "&sort=" + percentEncode(*sort);
    const bool isFiltered = !query.empty();
    if (arguments.has("fold")) query += "&fold=1";
    const auto shown = shownColumns(invocation);
    if (!shown) return std::unexpected(shown.error());
    Table table = tableOf(shown->columns, shown->areNamed);
    const std::int64_t now = wallNow();
    bool foundAny = false;
    Pages pages(invocation.engine);
    while (!pages.atEnd() && left > 0) {
        const auto page = pages.next(fmt::format("jobs?limit={}{}", std::min(left, kMaxPage), query));
        if (!page) return std::unexpected(wrongInFilter(invocation.engine, page.error()));
        if (const json::array* jobs = arrayOf(page->object, "jobs"))
            for (const json::value& job : *jobs) {
                if (!job.is_object() || left-- <= 0) continue;
                foundAny = true;
                if (invocation.json)
                    fmt::print("{}\n", compactJson(job));
                else
                    addRow(table, *shown, job.get_object(), now);
            }
    }
    if (!foundAny)
        if (auto told = tellOfNothing(invocation, isFiltered); !told) return std::unexpected(told.error());
    if (invocation.json) return 0;
    if (foundAny) fmt::print("{}", table.text(terminalWidth()));
    tellOfWords(arguments.operands(), foundAny);
    if (!pages.atEnd() && foundAny) fmt::print(stderr, "There are more: --limit N, or --limit 0 for all.\n");
    return 0;
}

} // namespace

Command listRow() {
    static const std::string details = listDetails();
    return {.name = "ls",
            .usage = "[options] [LSN…] [FILTER…]",
            .summary = "list actions",
            .details = details,
            .examples = "yardctl ls 12 15..20\n"
                        "yardctl ls state:failed,cancelled queue:7\n"
                        "yardctl ls 'worker:thumb*' -state:completed\n"
                        "yardctl ls 'finished>-1h' reason:exit_code,signal\n"
                        "yardctl ls started:yesterday..today 'label:\"night job\"'\n"
                        "yardctl ls 'mem>4GB' 'runtime:10min..2h' --sort -lsn\n"
                        "yardctl ls --columns lsn,exit_code,finished,name state:failed\n"
                        "yardctl ls --fold queue:nightly\n"
                        "yardctl ls --count-by label,reason state:failed 'finished>-1h'",
            .options = {{"limit", 'n', "N", "at most so many (100); 0 for all"},
                        queueOption(),
                        {"sort", 's', "FIELD", "by a field of the result, - before it for descending (-lsn)"},
                        {"columns", 'c', "COLUMNS", "these columns: lsn,state,name"},
                        {"fold", 0, "", "arrays and lists as one row each"},
                        {"count-by", 0, "FACETS", "numbers instead, by state,queue,worker,label,reason,machine"}},
            .takesFilter = true,
            .function = listCommand,
            .alias = "ps"};
}

} // namespace yard::ctl

// yardctl ls: a page, or all, of the actions that match a filter.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/pages.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace yard::ctl {

namespace {

constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kMaxPage = 1000;
constexpr std::size_t kNoteWidth = 100; ///< columns; 'show' has all of it

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

/// "12", "12..20", "12,14": what other commands take as actions.
bool isLsns(std::string_view word) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const bool fits = word.find_first_not_of("0123456789.,") == std::string_view::npos;
    return fits && !word.empty() && isDigit(word.front()) && isDigit(word.back());
}

/// LSNs among the words become one term: any of them.
std::vector<std::string> termsOf(const std::vector<std::string>& words) {
    std::vector<std::string> terms;
    std::string lsns;
    for (const std::string& word : words)
        if (isLsns(word))
            lsns += (lsns.empty() ? "lsn:" : ",") + word;
        else
            terms.push_back(word);
    if (!lsns.empty()) terms.push_back(std::move(lsns));
    return terms;
}

/// When its last attempt began.
std::string startedColumn(const json::object& action) {
    const json::object* times = objectOf(action, "timestamps");
    if (!times) return "-";
    for (const std::string_view state : {"running", "submitting"})
        if (const auto at = integerOf(*times, state)) return timeWords(*at, wallNow());
    return "-";
}

void addRow(Table& table, const json::object& action) {
    const auto seconds = runSeconds(action);
    table.add({fmt::format("{}", integerOf(action, "lsn").value_or(0)), stateWords(action),
               fmt::format("{}", integerOf(action, "queue_id").value_or(0)), startedColumn(action),
               seconds ? durationWords(*seconds) : "-", cpuWords(action), memoryWords(action),
               fitted(whatWords(action), 40), fitted(noteWords(action), kNoteWidth)});
}

Table emptyTable() {
    return Table({{"LSN", true},
                  {"STATE"},
                  {"QUEUE", true},
                  {"STARTED"},
                  {"TIME", true},
                  {"CPU", true},
                  {"MEMORY", true},
                  {"WHAT"},
                  {"NOTE"}});
}

} // namespace

Outcome<int> listCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    std::int64_t left = kDefaultLimit;
    if (const auto word = arguments.value("limit")) {
        auto limit = parseInteger(*word, "--limit");
        if (!limit) return std::unexpected(limit.error());
        if (*limit < 0) return usageError("--limit wants 0 (all) or more");
        left = *limit == 0 ? std::numeric_limits<std::int64_t>::max() : *limit;
    }
    std::string query = queryOf(termsOf(arguments.operands()));
    if (const auto sort = arguments.value("sort")) query += "&sort=" + percentEncode(*sort);
    Table table = emptyTable();
    Pages pages(invocation.engine);
    while (!pages.atEnd() && left > 0) {
        const auto page = pages.next(fmt::format("jobs?limit={}{}", std::min(left, kMaxPage), query));
        if (!page) return std::unexpected(page.error());
        if (const json::array* jobs = arrayOf(page->object, "jobs"))
            for (const json::value& job : *jobs) {
                if (!job.is_object() || left-- <= 0) continue;
                if (invocation.json)
                    fmt::print("{}\n", compactJson(job));
                else
                    addRow(table, job.get_object());
            }
    }
    if (invocation.json) return 0;
    if (table.empty())
        fmt::print(stderr, "{}\n", query.empty() ? "There are no actions." : "No action matches.");
    else
        fmt::print("{}", table.text(terminalWidth()));
    if (!pages.atEnd() && !table.empty()) fmt::print(stderr, "There are more: --limit N, or --limit 0 for all.\n");
    return 0;
}

} // namespace yard::ctl

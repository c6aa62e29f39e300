// yardctl search: lines with a text in the outputs of actions, as the engine finds them.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/log_lines.h"
#include "app/yardctl/work_options.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// It says once a second how far it is, but for the time that the first page of a list takes.
constexpr std::chrono::minutes kSearchSilence{2};
/// An object of the answer; the engine's have a few KiB.
constexpr std::size_t kMostSearchLine = 1024 * 1024;

/// The answer, line by line, printed as it comes.
class SearchPrinter {
public:
    SearchPrinter(bool isJson, bool hasNumbers)
        : isJson_(isJson)
        , hasNumbers_(hasNumbers) {}

    Result<void> take(std::string_view bytes) {
        rest_ += bytes;
        std::string text;
        std::size_t begin = 0;
        for (std::size_t end; (end = rest_.find('\n', begin)) != std::string::npos; begin = end + 1)
            if (const auto good = addLine(std::string_view(rest_).substr(begin, end - begin), text); !good)
                return good;
        rest_.erase(0, begin);
        if (rest_.size() > kMostSearchLine) return fail(ErrorKind::Io, "the engine's answer is no list of lines");
        return text.empty() ? Result<void>() : out_.write(text);
    }
    std::int64_t found() const { return found_; }
    /// The last object; empty: the answer was cut off.
    const json::object& last() const { return last_; }

private:
    Result<void> addLine(std::string_view line, std::string& text) {
        boost::system::error_code error;
        const json::value value = parseJson(line, error);
        const json::object* object = error ? nullptr : value.if_object();
        if (!object) return fail(ErrorKind::Io, "the engine's answer is no list of lines");
        if (object->contains("whole")) last_ = *object;
        if (object->contains("text")) ++found_;
        if (isJson_)
            text += fmt::format("{}\n", line);
        else if (object->contains("text"))
            text += lineWords(*object);
        else if (object->contains("more"))
            text += fmt::format("{}: … more of its {} has it\n", integerOf(*object, "lsn").value_or(0),
                                printable(textOf(*object, "stream")));
        return {};
    }
    std::string lineWords(const json::object& found) const {
        const std::int64_t lsn = integerOf(found, "lsn").value_or(0);
        std::string text(textOf(found, "text"));
        std::ranges::replace(text, '\t', ' ');
        text = printable(text);
        return hasNumbers_ ? fmt::format("{}:{}: {}\n", lsn, integerOf(found, "line").value_or(0), text)
                           : fmt::format("{}: {}\n", lsn, text);
    }

    const bool isJson_;
    const bool hasNumbers_;
    LockedOutput out_{STDOUT_FILENO};
    std::string rest_;
    json::object last_;
    std::int64_t found_ = 0;
};

Outcome<std::string> searchPath(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.operands();
    std::string path = "jobs/search?text=" + percentEncode(words.front());
    if (arguments.has("case")) path += "&case=1";
    if (const auto word = arguments.value("limit")) {
        const auto limit = parseInteger(*word, "--limit");
        if (!limit) return std::unexpected(limit.error());
        if (*limit < 1) return usageError("--limit wants 1 or more");
        path += fmt::format("&lines={}", *limit);
    }
    if (const auto queue = arguments.value("queue")) path += "&queue=" + percentEncode(*queue);
    const auto terms = listTerms({words.begin() + 1, words.end()});
    if (!terms) return std::unexpected(terms.error());
    if (!terms->empty()) path += "&q=" + percentEncode(fmt::format("{}", fmt::join(*terms, " ")));
    return path;
}

/// What of the outputs was not looked at, and why nothing is there; with --json only whether the queues are there.
Outcome<void> tellOfSearch(const Invocation& invocation, const SearchPrinter& printer) {
    const json::object& last = printer.last();
    const std::int64_t actions = integerOf(last, "actions").value_or(0);
    if (printer.found() == 0) {
        const std::vector<std::string>& words = invocation.arguments.operands();
        if (auto known = checkQueues(invocation.engine, {words.begin() + 1, words.end()}); !known) return known;
    }
    if (invocation.json) return {};
    if (printer.found() == 0)
        fmt::print(stderr, "Nothing found in the output of {} action{}.\n", actions, actions == 1 ? "" : "s");
    const json::value* whole = last.if_contains("whole");
    if (whole && whole->is_bool() && !whole->get_bool())
        fmt::print(stderr, "There may be more: --limit N, at most 10000, or a narrower filter.\n");
    if (const auto skipped = integerOf(last, "skipped"))
        fmt::print(stderr, "{} output{} could not be read.\n", *skipped, *skipped == 1 ? "" : "s");
    return {};
}

Outcome<int> searchCommand(const Invocation& invocation) {
    const auto path = searchPath(invocation.arguments);
    if (!path) return std::unexpected(path.error());
    SearchPrinter printer(invocation.json, invocation.arguments.has("line-number"));
    const auto done = invocation.engine.stream({.method = "GET", .path = *path, .silence = kSearchSilence},
                                               [&](std::string_view bytes) { return printer.take(bytes); });
    if (!done) return std::unexpected(wrongInFilter(invocation.engine, failedByWords(done.error()).error()));
    if (printer.last().empty()) return failed("the engine ended the search before it was through");
    if (auto told = tellOfSearch(invocation, printer); !told) return std::unexpected(told.error());
    return printer.found() > 0 ? 0 : kExitFailed;
}

} // namespace

Command searchRow() {
    return {.name = "search",
            .usage = "[options] TEXT [LSN…] [FILTER…]",
            .summary = "lines with a text in the output of actions",
            .details =
                "Of all actions that match, the newest first: lines of the stdout and stderr of their last attempt "
                "that have the text, each behind its LSN. Capitals do not count. Of a stream the first 100 lines "
                "are shown, of a long line what is around the text. A search that finds nothing exits 1.",
            .examples = "yardctl search 'no space left'\n"
                        "yardctl search X3004 state:failed queue:nightly\n"
                        "yardctl search --line-number warning 12 15..20",
            .options = {{"limit", 'n', "N", "at most so many lines (1000)"},
                        {"line-number", 0, "", "with the number of the line: 12:88: text"},
                        {"case", 0, "", "capitals count"},
                        queueOption()},
            .minOperands = 1,
            .takesFilter = true,
            .function = searchCommand};
}

} // namespace yard::ctl

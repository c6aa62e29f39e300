// yardctl events: what changes, a line or a frame of JSON each, until it is ended.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/event_stream.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/pages.h"
#include "app/yardctl/told_lines.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace yard::ctl {

namespace {

/// Without the time.
std::string lineOf(const json::object& action) {
    std::string line = fmt::format("{}  {}", integerOf(action, "lsn").value_or(0), stateWords(action));
    const std::string what = textOf(action, "name").empty() ? std::string() : whatWords(action);
    for (const std::string& more : {what, noteWords(action)})
        if (!more.empty()) line += "  " + more;
    return line;
}

/// Says of actions that are not told any more what became of them.
class Departures {
public:
    Departures(Engine& engine, const std::string& filter)
        : engine_(engine)
        , filter_(filter) {}

    void print(const json::array& lsns) {
        constexpr std::size_t kMostRows = 1'000;
        std::vector<std::int64_t> left;
        for (const json::value& lsn : lsns)
            if (lsn.is_int64()) left.push_back(lsn.get_int64());
        for (std::size_t at = 0; at < left.size(); at += kMostRows)
            printSome(std::span(left).subspan(at, std::min(kMostRows, left.size() - at)));
    }

private:
    using Rows = std::map<std::int64_t, json::object>;

    /// Nothing when the engine does not say.
    std::optional<Rows> rowsOf(std::span<const std::int64_t> lsns, const std::string& filter) {
        Rows rows;
        std::string path = fmt::format("jobs?limit=1000&lsn={}", fmt::join(lsns, ","));
        if (!filter.empty()) path += "&q=" + percentEncode(filter);
        for (Pages pages(engine_); !pages.atEnd();) {
            auto page = pages.next(path);
            if (!page) return std::nullopt;
            if (const json::array* jobs = arrayOf(page->object, "jobs"))
                for (const json::value& job : *jobs)
                    if (const json::object* row = job.if_object())
                        rows.emplace(integerOf(*row, "lsn").value_or(0), *row);
        }
        return rows;
    }

    void printSome(std::span<const std::int64_t> lsns) {
        const auto known = rowsOf(lsns, {});
        const auto matching =
            !known || filter_.empty() ? known.transform([](const Rows&) { return Rows(); }) : rowsOf(lsns, filter_);
        for (const std::int64_t lsn : lsns) {
            std::string what = "left the filter, or was retired";
            if (matching && matching->contains(lsn))
                what = "has made room for newer ones"; // of a filter the newest 1,000 are told
            else if (matching && known->contains(lsn))
                what = fmt::format("left the filter: {}", endWords(known->at(lsn)));
            else if (matching)
                what = "retired";
            fmt::print("{}  {}  {}\n", timeWords(wallNow(), wallNow()), lsn, what);
        }
    }

    Engine& engine_;
    const std::string filter_;
};

/// What was there before the first change is no event.
/// `told`: null where each row is an end, which may be like the one before it.
void printActions(const json::object& frame, Departures& departures, ToldLines* told) {
    if (frame.contains("all_actions")) return;
    const json::array* actions = arrayOf(frame, "actions");
    for (const json::value& value : actions ? *actions : json::array()) {
        const json::object* action = value.if_object();
        if (!action) continue;
        const std::string line = lineOf(*action);
        if (!told || told->isNews(integerOf(*action, "lsn").value_or(0), line))
            fmt::print("{}  {}\n", timeWords(wallNow(), wallNow()), line);
    }
    const json::array* gone = arrayOf(frame, "gone");
    if (!gone) return;
    for (const json::value& lsn : *gone)
        if (told && lsn.is_int64()) told->forget(lsn.get_int64());
    departures.print(*gone);
}

/// The engine refused what it was asked to tell: of one message, that is the filter.
std::unexpected<Failure> refusedBy(const json::object& frame) {
    const std::string_view word = textOf(frame, "error");
    for (const ErrorKind kind : {ErrorKind::Invalid, ErrorKind::Malformed})
        if (word == errorName(kind)) return failedByWords(fail(kind, printable(textOf(frame, "message"))).error());
    return failed(printable(textOf(frame, "message")));
}

Outcome<int> eventsCommand(const Invocation& invocation) {
    std::string filter;
    for (const std::string& word : invocation.arguments.operands()) filter += (filter.empty() ? "" : " ") + word;
    const json::object which = filter.empty() ? json::object{{"finished", true}} : json::object{{"filter", filter}};
    // The engine tells of a filter for as long as somebody listens, also where it never has anything to tell.
    if (auto known = checkQueues(invocation.engine, invocation.arguments.operands()); !known)
        return std::unexpected(known.error());
    const auto location = locate(invocation.engine.options());
    if (!location) return failedWith(location.error());
    const auto stream = EventStream::open(*location, compactJson(json::object{{"watch", which}}));
    if (!stream) return failedWith(stream.error());
    Departures departures(invocation.engine, filter);
    ToldLines told;
    for (;;) {
        const auto text = (*stream)->next();
        if (!text) return failedWith(text.error());
        if (!*text) return failed("the engine ended");
        boost::system::error_code ec;
        const json::value frame = json::parse(**text, ec);
        if (ec || !frame.is_object()) return failed("the engine sent something that is no event");
        const json::object& object = frame.get_object();
        if (object.contains("error")) return refusedBy(object);
        if (invocation.json)
            fmt::print("{}\n", **text);
        else
            printActions(object, departures, filter.empty() ? nullptr : &told);
        // Nobody takes what is printed: main says so.
        if (std::fflush(stdout) != 0) return kExitFailed;
    }
}

} // namespace

Command eventsRow() {
    return {.name = "events",
            .usage = "[FILTER…]",
            .summary = "what changes, as it happens",
            .details =
                "A line for each change of an action that FILTER means; without one for each end. What leaves the "
                "filter is told once more, with its state. With --json the engine's own frames, a line each. It "
                "goes on until it is interrupted, or the engine ends.",
            .examples = "yardctl events queue:nightly\n"
                        "yardctl events --json state:failed",
            .options = {},
            .function = eventsCommand};
}

} // namespace yard::ctl

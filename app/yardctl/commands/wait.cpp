// yardctl wait: until actions, those that match a filter, or a whole queue have ended.
#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/pages.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace yard::ctl {

namespace {

using Clock = std::chrono::steady_clock;
using Lsns = std::vector<std::int64_t>;

constexpr double kLongPoll = 60; ///< seconds
constexpr std::size_t kMostRows = 1'000;
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{2'000};

std::string line(const json::object& action) {
    std::string out = fmt::format("{}  {}", integerOf(action, "lsn").value_or(0), stateWords(action));
    if (const auto what = whatWords(action); !what.empty()) out += fmt::format("  {}", what);
    if (const auto seconds = runSeconds(action)) out += fmt::format("  {}", durationWords(*seconds));
    const std::string note = noteWords(action);
    if (!note.empty() && textOf(action, "state") != "completed") out += fmt::format("  {}", note);
    return out;
}

/// The limit of --timeout, from its making on.
class Limit {
public:
    static Outcome<Limit> of(const Arguments& arguments) {
        const auto word = arguments.value("timeout");
        if (!word) return Limit();
        auto seconds = parseDuration(*word);
        if (!seconds) return std::unexpected(seconds.error());
        return Limit(*seconds);
    }
    Limit() = default;
    explicit Limit(double seconds)
        : seconds_(seconds) {}
    /// Seconds that are left, never negative; nothing without a limit.
    std::optional<double> left() const {
        if (!seconds_) return std::nullopt;
        return std::max(0.0, *seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count());
    }
    bool hasPassed() const { return left() == 0.0; }
    std::string words() const { return durationWords(seconds_.value_or(0)); }

private:
    std::optional<double> seconds_;
    Clock::time_point begin_ = Clock::now();
};

/// Prints an action that has ended and saves what --out asks for. The exit code so far.
Outcome<int> report(const Invocation& invocation, const json::object& action, const std::string& text) {
    fmt::print("{}\n", invocation.json ? text : line(action));
    std::fflush(stdout);
    if (auto saved = saveIfAsked(invocation, action); !saved) return std::unexpected(saved.error());
    return textOf(action, "state") == "completed" ? 0 : kExitFailed;
}

Outcome<int> waitInOrder(const Invocation& invocation, const Lsns& lsns, const Limit& limit) {
    int worst = 0;
    for (const std::int64_t lsn : lsns) {
        auto answer = awaitEnd(invocation.engine, lsn, limit.left());
        if (!answer) return failedWith(answer.error());
        if (!isEnded(answer->object))
            return failed(fmt::format("action {} is still {} after {}; it goes on", lsn, stateWords(answer->object),
                                      limit.words()));
        auto code = report(invocation, answer->object, answer->text);
        if (!code) return code;
        worst = std::max(worst, *code);
    }
    return worst;
}

/// The rows of at most kMostRows actions.
Outcome<std::vector<json::object>> rowsOf(Engine& engine, std::span<const std::int64_t> lsns) {
    std::vector<json::object> rows;
    for (Pages pages(engine, Pages::Asking::Patiently); !pages.atEnd();) {
        auto page = pages.next(fmt::format("jobs?limit={}&lsn={}", kMostRows, fmt::join(lsns, ",")));
        if (!page) return std::unexpected(page.error());
        if (json::value* jobs = page->object.if_contains("jobs"); jobs && jobs->is_array())
            for (json::value& job : jobs->get_array())
                if (job.is_object()) rows.push_back(std::move(job.get_object()));
    }
    return rows;
}

/// Looks at all of them again and again, until the first one of the kind that is waited for has ended.
Outcome<int> waitForFirst(const Invocation& invocation, const Lsns& lsns, const Limit& limit, bool failFast) {
    std::set<std::int64_t> waiting(lsns.begin(), lsns.end());
    for (auto pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
        const Lsns look(waiting.begin(), waiting.end());
        for (std::size_t at = 0; at < look.size(); at += kMostRows) {
            const auto part = std::span(look).subspan(at, std::min(kMostRows, look.size() - at));
            auto rows = rowsOf(invocation.engine, part);
            if (!rows) return std::unexpected(rows.error());
            if (rows->size() < part.size()) {
                std::set<std::int64_t> unknown(part.begin(), part.end());
                for (const json::object& row : *rows) unknown.erase(integerOf(row, "lsn").value_or(0));
                if (!unknown.empty()) return failed(fmt::format("there is no action {}", *unknown.begin()));
            }
            for (const json::object& row : *rows) {
                if (!isEnded(row)) continue;
                auto code = report(invocation, row, compactJson(row));
                if (!code || !failFast || *code != 0) return code;
                waiting.erase(integerOf(row, "lsn").value_or(0));
            }
        }
        if (waiting.empty()) return 0;
        if (limit.hasPassed())
            return failed(fmt::format("{} of {} actions have not ended after {}; they go on", waiting.size(),
                                      lsns.size(), limit.words()));
        const std::chrono::duration<double> left(limit.left().value_or(kLongPoll));
        std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(pause, left));
    }
}

/// "9..4,2" of jobs/lsns.
Lsns expanded(std::string_view text) {
    Lsns out;
    while (!text.empty()) {
        const std::string_view part = text.substr(0, text.find(','));
        text.remove_prefix(std::min(part.size() + 1, text.size()));
        const std::size_t dots = part.find("..");
        std::int64_t first = 0;
        std::int64_t last = 0;
        std::from_chars(part.data(), part.data() + std::min(dots, part.size()), first);
        if (dots == part.npos)
            last = first;
        else
            std::from_chars(part.data() + dots + 2, part.data() + part.size(), last);
        for (std::int64_t lsn = first;; lsn += last < first ? -1 : 1) {
            out.push_back(lsn);
            if (lsn == last) break;
        }
    }
    return out;
}

/// Those that --queue and --filter name in these states.
Outcome<Lsns> thoseIn(const Invocation& invocation, std::string_view states) {
    std::string query = fmt::format("?limit=100000&state={}", states);
    if (const auto queue = invocation.arguments.value("queue")) query += "&queue=" + percentEncode(*queue);
    if (const auto filter = invocation.arguments.value("filter")) query += "&q=" + percentEncode(*filter);
    Lsns all;
    for (Pages pages(invocation.engine, Pages::Asking::Patiently); !pages.atEnd();) {
        const auto page = pages.next("jobs/lsns" + query);
        if (!page) return std::unexpected(page.error());
        std::ranges::copy(expanded(textOf(page->object, "lsns")), std::back_inserter(all));
    }
    std::ranges::sort(all);
    return all;
}

Outcome<int> waitFor(const Invocation& invocation, const Lsns& lsns, const Limit& limit) {
    const bool failFast = invocation.arguments.has("fail-fast");
    if (failFast || invocation.arguments.has("any")) return waitForFirst(invocation, lsns, limit, failFast);
    return waitInOrder(invocation, lsns, limit);
}

Outcome<Lsns> activeOnes(const Invocation& invocation) {
    return thoseIn(invocation, "pending,submitting,running");
}

/// Those that match now, and say how many of them had ended otherwise than completed before.
Outcome<int> waitForMatching(const Invocation& invocation, const Limit& limit) {
    constexpr std::size_t kNamed = 5;
    auto active = activeOnes(invocation);
    if (!active) return std::unexpected(active.error());
    auto before = thoseIn(invocation, "failed,cancelled,abandoned"); // after the others: none is missed
    if (!before) return std::unexpected(before.error());
    std::erase_if(*before, [&](std::int64_t lsn) { return std::ranges::binary_search(*active, lsn); });
    auto code = waitFor(invocation, *active, limit);
    if (!code || before->empty() || invocation.arguments.has("any")) return code;
    const auto named = std::span(*before).first(std::min(before->size(), kNamed));
    return failed(fmt::format("{} of those that match had ended otherwise than completed before: {}{}",
                              before->size(), fmt::join(named, ", "), before->size() > kNamed ? ", …" : ""));
}

/// Until nothing is active: actions that came meanwhile are waited for too.
Outcome<int> waitForQueue(const Invocation& invocation, const Limit& limit) {
    int worst = 0;
    for (;;) {
        auto lsns = activeOnes(invocation);
        if (!lsns) return std::unexpected(lsns.error());
        if (lsns->empty()) return worst;
        auto code = waitFor(invocation, *lsns, limit);
        if (!code || invocation.arguments.has("any")) return code;
        worst = std::max(worst, *code);
        if (worst != 0 && invocation.arguments.has("fail-fast")) return worst;
    }
}

} // namespace

Outcome<void> saveIfAsked(const Invocation& invocation, const json::object& action) {
    const auto directory = invocation.arguments.value("out");
    if (!directory) return {};
    if (directory->empty()) return usageError("--out wants a directory");
    if (auto saved = saveOutputs(invocation.engine, action, *directory); !saved)
        return std::unexpected(saved.error());
    return {};
}

Result<Answer> awaitEnd(Engine& engine, std::int64_t lsn, std::optional<double> seconds) {
    const Limit limit = seconds ? Limit(*seconds) : Limit();
    while (true) {
        const double wait = std::min(limit.left().value_or(kLongPoll), kLongPoll);
        const auto silence = std::chrono::milliseconds(static_cast<std::int64_t>(wait * 1000) + 30'000);
        auto answer = engine.callPatiently({.path = fmt::format("jobs/{}?wait={}", lsn, wait), .silence = silence});
        if (!answer || isEnded(answer->object) || (seconds && wait <= 0)) return answer;
    }
}

Outcome<int> waitForAll(const Invocation& invocation, const std::vector<std::int64_t>& lsns) {
    auto limit = Limit::of(invocation.arguments);
    if (!limit) return std::unexpected(limit.error());
    return waitInOrder(invocation, lsns, *limit);
}

Outcome<int> waitCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    auto lsns = parseLsns(arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    auto limit = Limit::of(arguments);
    if (!limit) return std::unexpected(limit.error());
    if (arguments.has("any") && arguments.has("fail-fast"))
        return usageError("--any and --fail-fast exclude each other");
    const bool bySet = arguments.has("queue") || arguments.has("filter");
    if (bySet != lsns->empty())
        return usageError("name actions, or --queue or --filter; 'yardctl wait --help' explains");
    if (!bySet) return waitFor(invocation, *lsns, *limit);
    return arguments.has("filter") ? waitForMatching(invocation, *limit) : waitForQueue(invocation, *limit);
}

} // namespace yard::ctl

// yardctl wait: until actions, those that match a filter, or a whole queue have ended.
#include "app/yardctl/action_progress.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/notify.h"
#include "app/yardctl/pages.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/work_options.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <thread>

namespace yard::ctl {

std::string endLine(const json::object& action) {
    std::string out = fmt::format("{}  {}", integerOf(action, "lsn").value_or(0), stateWords(action));
    if (const auto what = whatWords(action); !what.empty()) out += fmt::format("  {}", what);
    if (const auto seconds = runSeconds(action)) out += fmt::format("  {}", durationWords(*seconds));
    const std::string note = noteWords(action);
    if (!note.empty() && textOf(action, "state") != "completed") out += fmt::format("  {}", note);
    return out;
}

namespace {

using Clock = std::chrono::steady_clock;
using Lsns = std::vector<std::int64_t>;

constexpr double kLongPoll = 60;         ///< seconds
constexpr std::size_t kMostRows = 1'000; ///< of a page
constexpr std::size_t kMostNamed = 200;  ///< whose numbers, of any length, one request line takes
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{2'000};

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
    /// What is asked of the engine then ends with the limit.
    void bound(Engine& engine) const {
        constexpr double kMost = 1e9; // of seconds: no clock here goes further
        if (seconds_ && *seconds_ < kMost)
            engine.giveUpAt(begin_ +
                            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*seconds_)));
    }
    std::string words() const { return durationWords(seconds_.value_or(0)); }

private:
    std::optional<double> seconds_;
    Clock::time_point begin_ = Clock::now();
};

std::unexpected<Failure> timedOut(std::string message) {
    return std::unexpected(Failure(std::move(message), kExitDeadline, "timeout"));
}

/// The engine did not answer until the limit had passed: that is the limit, not the engine's matter.
Outcome<int> byLimit(const Limit& limit, Outcome<int> code) {
    if (code || !limit.hasPassed()) return code;
    const std::string_view word = code.error().code;
    if (word != errorName(ErrorKind::Io) && word != errorName(ErrorKind::NotAccepting)) return code;
    return timedOut(
        fmt::format("{} have passed, and the engine does not answer: {}", limit.words(), code.error().message));
}

/// The rows of at most kMostNamed actions, as far as they are there.
Outcome<std::vector<json::object>> rowsThereAre(Engine& engine, std::span<const std::int64_t> lsns) {
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

/// The same. Fails where one of them does not exist.
Outcome<std::vector<json::object>> rowsOf(Engine& engine, std::span<const std::int64_t> lsns) {
    auto found = rowsThereAre(engine, lsns);
    if (!found || found->size() >= lsns.size()) return found;
    const std::vector<json::object>& rows = *found;
    std::set<std::int64_t> unknown(lsns.begin(), lsns.end());
    for (const json::object& row : rows) unknown.erase(integerOf(row, "lsn").value_or(0));
    if (!unknown.empty())
        return std::unexpected(Failure(fmt::format("there is no action {}", *unknown.begin()), kExitFailed,
                                       errorName(ErrorKind::NotFound)));
    return found;
}

/// The action that was submitted in the place of one that has ended, and whose end counts for it. 0: there is none.
std::int64_t successorOf(const json::object& action) {
    return isEnded(action) ? integerOf(action, "replaced_by").value_or(0) : 0;
}

/// Before the wait for the first of several, which may be long.
Outcome<void> checkThereAre(Engine& engine, const Lsns& lsns) {
    if (lsns.size() < 2) return {};
    for (std::size_t at = 0; at < lsns.size(); at += kMostNamed)
        if (auto rows = rowsOf(engine, std::span(lsns).subspan(at, std::min(kMostNamed, lsns.size() - at))); !rows)
            return std::unexpected(rows.error());
    return {};
}

/// Those that --queue and --filter name in these states, and that match another term.
Outcome<Lsns> thoseIn(const Invocation& invocation, std::string_view states, std::string_view also = {}) {
    std::string query = fmt::format("?limit=100000&state={}", states);
    if (const auto queue = invocation.arguments.value("queue")) query += "&queue=" + percentEncode(*queue);
    std::string filter = invocation.arguments.value("filter").value_or("");
    if (!also.empty()) filter += fmt::format("{}{}", filter.empty() ? "" : " ", also);
    if (!filter.empty()) query += "&q=" + percentEncode(filter);
    Lsns all;
    for (Pages pages(invocation.engine, Pages::Asking::Patiently); !pages.atEnd();) {
        const auto page = pages.next("jobs/lsns" + query);
        if (!page) return std::unexpected(page.error());
        std::ranges::copy(listedLsns(textOf(page->object, "lsns")), std::back_inserter(all));
    }
    std::ranges::sort(all);
    return all;
}

/// One wait, within its limit. It knows what it has reported.
class Wait {
public:
    /// `named`: those by whose own LSN it is asked for them.
    Wait(const Invocation& invocation, const Limit& limit, std::set<std::int64_t> named = {})
        : invocation_(invocation)
        , limit_(limit)
        , named_(std::move(named)) {}

    /// What has come of it so far, in words.
    std::string sentence() const {
        const std::string ended =
            fmt::format("{} action{} ended", reported_.size(), reported_.size() == 1 ? " has" : "s have");
        return otherwise_ == 0 ? ended : fmt::format("{}, {} otherwise than completed", ended, otherwise_);
    }

    /// These, in the order given; then what was submitted in their place.
    Outcome<int> forAll(Lsns lsns) {
        int worst = 0;
        for (std::size_t i = 0; i < lsns.size(); ++i) {
            const std::int64_t lsn = lsns[i];
            if (reported_.contains(lsn)) continue;
            auto answer = awaitOne(lsn);
            if (!answer) return failedWith(answer.error());
            if (!isEnded(answer->object))
                return timedOut(fmt::format("action {} is still {} after {}; it goes on", lsn,
                                            stateWords(answer->object), limit_.words()));
            auto code = report(answer->object, answer->text);
            if (!code) return code;
            worst = std::max(worst, *code);
            if (const std::int64_t next = successorOf(answer->object)) lsns.push_back(next);
        }
        return worst;
    }

    /// These, as the options say.
    Outcome<int> forThese(const Lsns& lsns) { return failsFast() || isForAny() ? forFirst(lsns) : forAll(lsns); }

    /// Those that match a filter now, and none of them failed before.
    Outcome<int> forMatching() {
        auto active = activeOnes();
        if (!active) return std::unexpected(active.error());
        auto before = failedUnseen(*active); // after the others: none is missed
        if (!before) return std::unexpected(before.error());
        if (auto added = addSuccessors(*active, *before); !added) return std::unexpected(added.error());
        if (failsFast() && !before->empty()) return tellOfFailed(*before);
        if (active->empty() && before->empty()) return forNone();
        auto code = forThese(*active);
        if (!code || before->empty() || isForAny()) return code;
        return tellOfFailed(*before);
    }

    /// Until nothing of the queue is active: actions that came meanwhile are waited for too. Whether one failed before
    /// the wait began, or between two looks, is a matter of chance: all count.
    Outcome<int> forQueue() {
        int worst = 0;
        for (;;) {
            const auto active = activeOnes();
            if (!active) return std::unexpected(active.error());
            const bool looksAtFailed = active->empty() || failsFast();
            const auto before = looksAtFailed && !isForAny() ? failedUnseen(*active) : Outcome<Lsns>();
            if (!before) return std::unexpected(before.error());
            if (!before->empty()) return tellOfFailed(*before);
            if (active->empty()) return worst;
            auto code = forThese(*active);
            if (!code || isForAny()) return code;
            worst = std::max(worst, *code);
            if (worst != 0 && failsFast()) return worst;
        }
    }

private:
    bool failsFast() const { return invocation_.arguments.has("fail-fast"); }
    bool isForAny() const { return invocation_.arguments.has("any"); }

    /// The end of one, within the limit; meanwhile how far it is, where that is asked for.
    Result<Answer> awaitOne(std::int64_t lsn) {
        constexpr double kStep = 1; // seconds between two looks
        if (!progress_.isShown()) return awaitEnd(invocation_.engine, lsn, limit_.left());
        for (;;) {
            auto answer = awaitEnd(invocation_.engine, lsn, std::min(limit_.left().value_or(kStep), kStep));
            if (!answer || isEnded(answer->object) || limit_.hasPassed()) {
                progress_.clear();
                return answer;
            }
            progress_.show(answer->object);
        }
    }

    /// Nothing is left to wait for. A filter that finds nothing at all was mistyped, unless it narrows a queue, which
    /// may well have nothing of the kind.
    Outcome<int> forNone() const {
        const std::string filter = invocation_.arguments.value("filter").value_or("");
        const auto queue = invocation_.arguments.value("queue");
        const auto any = findsAny(invocation_.engine, filter, queue);
        if (!any) return std::unexpected(any.error());
        if (*any) return 0;
        if (auto known = checkQueues(invocation_.engine, {filter}); !known) return std::unexpected(known.error());
        if (!queue) return failed(fmt::format("no action matches '{}'", printable(filter)));
        if (!invocation_.json)
            fmt::print(stderr, "{}",
                       errorLine(false, {}, fmt::format("no action of the queue matches '{}'", printable(filter))));
        return 0;
    }

    Outcome<Lsns> activeOnes() const { return thoseIn(invocation_, "pending,submitting,running"); }

    /// Neither reported nor among those that are waited for, and nothing was submitted in their place.
    Outcome<Lsns> failedUnseen(const Lsns& active) const {
        auto failedOnes = thoseIn(invocation_, "failed,cancelled,abandoned", "replaced:no");
        if (!failedOnes) return failedOnes;
        std::erase_if(*failedOnes, [&](std::int64_t lsn) {
            return reported_.contains(lsn) || std::ranges::binary_search(active, lsn);
        });
        return failedOnes;
    }

    /// What was submitted in the place of those that match counts for them, whether it matches or not.
    Outcome<void> addSuccessors(Lsns& active, Lsns& failedOnes) const {
        auto look = thoseIn(invocation_, "failed,cancelled,abandoned", "replaced:yes");
        if (!look) return std::unexpected(look.error());
        std::set<std::int64_t> seen(active.begin(), active.end());
        seen.insert(failedOnes.begin(), failedOnes.end());
        for (std::size_t at = 0; at < look->size();) { // it grows: what replaced may be replaced
            const auto rest = std::span(*look).subspan(at);
            const Lsns part(rest.begin(), rest.begin() + std::min(std::ssize(rest), std::ptrdiff_t{kMostNamed}));
            at += part.size();
            const auto rows = rowsThereAre(invocation_.engine, part);
            if (!rows) return std::unexpected(rows.error());
            for (const json::object& row : *rows) {
                const std::int64_t lsn = integerOf(row, "lsn").value_or(0);
                if (const std::int64_t next = successorOf(row)) {
                    if (seen.insert(next).second) look->push_back(next);
                } else if (!isEnded(row)) {
                    active.push_back(lsn);
                } else if (textOf(row, "state") != "completed" && !isReplaced(row)) {
                    failedOnes.push_back(lsn);
                }
            }
        }
        return {};
    }

    std::unexpected<Failure> tellOfFailed(const Lsns& lsns) const {
        constexpr std::size_t kNamed = 5;
        const bool isFilter = invocation_.arguments.has("filter");
        const auto named = std::span(lsns).first(std::min(lsns.size(), kNamed));
        return failed(fmt::format("{} of {} had ended otherwise than completed before: {}{}{}", lsns.size(),
                                  isFilter ? "those that match" : "the queue", fmt::join(named, ", "),
                                  lsns.size() > kNamed ? ", …" : "",
                                  isFilter ? "" : "; add --filter 'new>-1h' to leave out what is older"));
    }

    /// Prints an action that has ended and saves what --out asks for. The exit code so far. How one ended in whose
    /// place another one was submitted says nothing: that one is waited for. Where it is kept no more, of many.
    Outcome<int> report(const json::object& action, const std::string& text) {
        const std::int64_t lsn = integerOf(action, "lsn").value_or(0);
        reported_.insert(lsn);
        fmt::print("{}\n", invocation_.json ? text : endLine(action));
        std::fflush(stdout);
        if (auto saved = saveIfAsked(invocation_, action); !saved) return std::unexpected(saved.error());
        const bool counts = successorOf(action) == 0 && (!isReplaced(action) || named_.contains(lsn));
        if (textOf(action, "state") == "completed" || !counts) return 0;
        ++otherwise_;
        return kExitFailed;
    }

    /// Looks at all of them again and again, until the first one of the kind that is waited for has ended.
    Outcome<int> forFirst(const Lsns& lsns) {
        std::set<std::int64_t> waiting(lsns.begin(), lsns.end());
        for (auto pause = kFirstPause;; pause = std::min(pause * 2, kLongestPause)) {
            const Lsns look(waiting.begin(), waiting.end());
            for (std::size_t at = 0; at < look.size(); at += kMostNamed) {
                const auto part = std::span(look).subspan(at, std::min(kMostNamed, look.size() - at));
                auto rows = rowsOf(invocation_.engine, part);
                if (!rows) return std::unexpected(rows.error());
                for (const json::object& row : *rows) {
                    if (!isEnded(row)) continue;
                    auto code = report(row, compactJson(row));
                    const std::int64_t next = successorOf(row);
                    if (!code || *code != 0 || (!failsFast() && next == 0)) return code;
                    waiting.erase(integerOf(row, "lsn").value_or(0));
                    if (next != 0 && !reported_.contains(next)) waiting.insert(next);
                }
            }
            if (waiting.empty()) return 0;
            if (limit_.hasPassed())
                return timedOut(fmt::format("{} of {} actions have not ended after {}; they go on", waiting.size(),
                                            lsns.size(), limit_.words()));
            const std::chrono::duration<double> left(limit_.left().value_or(kLongPoll));
            std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(pause, left));
        }
    }

    const Invocation& invocation_;
    const Limit& limit_;
    const std::set<std::int64_t> named_;
    ActionProgress progress_{invocation_.arguments.has("progress") && !invocation_.json};
    std::set<std::int64_t> reported_;
    std::size_t otherwise_ = 0; ///< of those: did not complete
};

/// Of words such as 12 and 3..10 the numbers that stand by themselves.
std::set<std::int64_t> namedAlone(const std::vector<std::string>& words) {
    std::set<std::int64_t> lsns;
    for (const std::string& word : words)
        if (const auto lsn = word.contains("..") ? std::nullopt : std::optional(parseInteger(word, "LSN"));
            lsn && *lsn)
            lsns.insert(**lsn);
    return lsns;
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
    limit->bound(invocation.engine);
    Wait wait(invocation, *limit, {lsns.begin(), lsns.end()});
    auto code = byLimit(*limit, wait.forAll(lsns));
    if (invocation.arguments.has("notify"))
        notifyOf("yardctl submit", code ? wait.sentence() : code.error().message);
    return code;
}

namespace {

Outcome<int> waitFor(const Invocation& invocation, Wait& wait) {
    const Arguments& arguments = invocation.arguments;
    if (arguments.has("queue") || arguments.has("filter"))
        return arguments.has("filter") ? wait.forMatching() : wait.forQueue();
    const auto lsns = namedActions(invocation.engine, arguments.operands());
    if (!lsns) return std::unexpected(lsns.error());
    const bool looksAtAll = arguments.has("any") || arguments.has("fail-fast"); // each time
    if (auto known = looksAtAll ? Outcome<void>() : checkThereAre(invocation.engine, *lsns); !known)
        return std::unexpected(known.error());
    return wait.forThese(*lsns);
}

Outcome<int> waitCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    auto limit = Limit::of(arguments);
    if (!limit) return std::unexpected(limit.error());
    if (arguments.has("all") + arguments.has("any") + arguments.has("fail-fast") > 1)
        return usageError("--all, --any and --fail-fast exclude each other");
    const bool bySet = arguments.has("queue") || arguments.has("filter");
    if (bySet != arguments.operands().empty())
        return usageError("name actions, or --queue or --filter; 'yardctl wait --help' explains");
    limit->bound(invocation.engine);
    Wait wait(invocation, *limit, namedAlone(arguments.operands()));
    auto code = byLimit(*limit, waitFor(invocation, wait));
    if (arguments.has("notify")) notifyOf("yardctl wait", code ? wait.sentence() : code.error().message);
    return code;
}

} // namespace

Command waitRow() {
    return {
        .name = "wait",
        .usage = "[options] [LSN…]",
        .summary = "wait until actions have ended",
        .details =
            "Prints a line for each action once it has ended, with --all in the order given. With --queue it "
            "waits until the queue has nothing pending or running; with --filter for those that match now. "
            "What failed or was cancelled before it was asked counts as well, so that the exit code is not a "
            "matter of chance: with --queue all that is kept of the queue does. --queue and --filter together "
            "mean those "
            "of the queue that match. What 'edit' replaced counts as what was submitted in its place, which is "
            "waited for.\n"
            "With --timeout the actions go on when it has passed.",
        .examples = "yardctl wait 12..20\n"
                    "yardctl wait --queue nightly --timeout 2h\n"
                    "yardctl wait --queue 0 --filter 'new:today'\n"
                    "yardctl wait --any 12 13\n"
                    "yardctl wait --fail-fast --filter 'label:test*'",
        .exits =
            "0 when all of them completed, with --any the first that ended; 1 when one ended otherwise, or no "
            "action "
            "at all matches --filter (0 with --queue, which may have none of the kind); 2 when the command line "
            "is wrong, or there is no such action or queue; 124 when --timeout has passed first.",
        .options = {{"timeout", 't', "TIME", "give up after 90, 90s, 10min, 2h"},
                    {"all", 'a', "", "until all of them have ended, as without it"},
                    {"any", 0, "", "until the first of them has ended"},
                    {"fail-fast", 0, "", "until the first of them has ended otherwise than completed"},
                    nextProgressOption(),
                    notifyOption(),
                    queueOption(),
                    filterOption(),
                    outOption()},
        .unknownIsUsage = true,
        .function = waitCommand,
        .live = "active"};
}

} // namespace yard::ctl

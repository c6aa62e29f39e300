// yardctl logs: the output of actions, of one as it is, of several behind their names.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/group_follower.h"
#include "app/yardctl/log_lines.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

/// Each has a connection and a thread for each of its streams.
constexpr std::size_t kMostFollowed = GroupFollower::kMostAtOnce;
constexpr std::size_t kNameWidth = 24; ///< columns

struct LogsRequest {
    std::vector<std::int64_t> lsns;
    std::optional<std::int64_t> attempt;
    std::optional<std::int64_t> since; ///< microseconds since the epoch
    std::optional<std::size_t> tail;   ///< lines of each stream
    std::vector<std::string> streams;
    bool follow = false;
    bool json = false;
};

Outcome<std::optional<std::int64_t>> countOf(const Arguments& arguments, std::string_view option,
                                             std::int64_t least) {
    const auto word = arguments.value(option);
    if (!word) return std::nullopt;
    auto number = parseInteger(*word, fmt::format("--{}", option));
    if (!number) return std::unexpected(number.error());
    if (*number < least) return usageError(fmt::format("--{} wants {} or more", option, least));
    return *number;
}

/// In the order given, each once.
Outcome<std::vector<std::int64_t>> wantedLsns(Engine& engine, const Arguments& arguments) {
    auto lsns = namedActions(engine, arguments.operands());
    if (!lsns) return lsns;
    std::set<std::int64_t> seen;
    std::erase_if(*lsns, [&](std::int64_t lsn) { return !seen.insert(lsn).second; });
    if (arguments.has("follow") && lsns->size() > kMostFollowed)
        return usageError(fmt::format("--follow takes up to {} actions at once", kMostFollowed));
    return lsns;
}

std::vector<std::string> wantedStreams(const Arguments& arguments) {
    const bool both = arguments.has("stdout") == arguments.has("stderr");
    std::vector<std::string> streams;
    if (both || arguments.has("stdout")) streams.emplace_back("stdout");
    if (both || arguments.has("stderr")) streams.emplace_back("stderr");
    return streams;
}

Outcome<LogsRequest> logsRequest(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    LogsRequest out;
    const auto attempt = countOf(arguments, "attempt", 1);
    if (!attempt) return std::unexpected(attempt.error());
    out.attempt = *attempt;
    const auto tail = countOf(arguments, "tail", 0);
    if (!tail) return std::unexpected(tail.error());
    if (*tail) out.tail = static_cast<std::size_t>(**tail);
    if (const auto word = arguments.value("since")) {
        if (out.attempt) return usageError("--since chooses the attempts: leave --attempt out");
        auto since = parseMoment(*word, wallNow());
        if (!since) return std::unexpected(since.error());
        out.since = *since;
    }
    out.streams = wantedStreams(arguments);
    out.follow = arguments.has("follow");
    out.json = invocation.json;
    auto lsns = wantedLsns(invocation.engine, arguments);
    if (!lsns) return std::unexpected(lsns.error());
    out.lsns = std::move(*lsns);
    return out;
}

/// One action whose output is wanted.
struct LogTarget {
    std::int64_t lsn = 0;
    std::int64_t last = 1;              ///< its last attempt so far
    std::vector<std::int64_t> attempts; ///< those that are shown, ascending
    std::vector<std::string> losses;    ///< what to say of those
    std::string prefix;                 ///< of its lines; empty: they are shown as they are
    bool hasNone = false;               ///< it ended without an attempt
};

struct Span {
    std::optional<std::int64_t> begin{};
    std::optional<std::int64_t> end{};
};
/// From the first to the last moment that is known of an attempt.
Span attemptSpanOf(const json::object& attempt) {
    Span span;
    const json::object* times = objectOf(attempt, "timestamps");
    if (!times) return span;
    span.begin = integerOf(*times, "submitting");
    for (const auto& [state, at] : *times)
        if (at.is_int64()) span.end = std::max(span.end.value_or(0), at.get_int64());
    return span;
}

/// Attempts that were not over by then. Lines have no times: of one that had begun before all are shown, and that
/// is said.
std::vector<std::int64_t> attemptsSince(const json::object& action, std::int64_t since, bool tells) {
    std::set<std::int64_t> attempts;
    const auto add = [&](std::int64_t n, const Span& span) {
        if (span.end && *span.end < since) return;
        attempts.insert(n);
        if (tells && span.begin && *span.begin < since)
            fmt::print(stderr,
                       "yardctl: action {}: attempt {} began before that; its lines have no times, so all of them "
                       "are shown\n",
                       integerOf(action, "lsn").value_or(0), n);
    };
    std::set<std::int64_t> ended;
    if (const json::array* list = arrayOf(action, "attempts"))
        for (const json::value& value : *list)
            if (const json::object* attempt = value.if_object())
                if (const auto n = integerOf(*attempt, "n"); n && ended.insert(*n).second)
                    add(*n, attemptSpanOf(*attempt));
    if (const std::int64_t last = attemptNumber(action); !ended.contains(last)) {
        Span span = attemptSpanOf(action);
        if (!isEnded(action)) span.end.reset();
        if (textOf(action, "state") == "pending") span.begin.reset(); // of the attempt before, if any
        add(last, span);
    }
    return {attempts.begin(), attempts.end()};
}

/// Which of these attempts wrote what nobody has: an empty stream alone would say that there was nothing.
std::vector<std::string> lossesOf(const json::object& action, const std::vector<std::int64_t>& attempts) {
    std::vector<std::string> losses;
    const json::array* list = arrayOf(action, "attempts");
    if (!list) return losses;
    for (const json::value& value : *list) {
        const json::object* attempt = value.if_object();
        if (!attempt || !attempt->contains("output_lost")) continue;
        const auto n = integerOf(*attempt, "n");
        if (!n || std::ranges::find(attempts, *n) == attempts.end()) continue;
        const bool isAll = !attempt->contains("stdout") && !attempt->contains("stderr");
        losses.push_back(fmt::format("{} attempt {} of action {} wrote was lost with the {}",
                                     isAll ? "what" : "part of what", *n, integerOf(action, "lsn").value_or(0),
                                     textOf(*attempt, "reason") == "engine_died" ? "engine" : "launcher"));
    }
    return losses;
}

Outcome<std::vector<LogTarget>> targetsOf(Engine& engine, const LogsRequest& request) {
    std::vector<LogTarget> targets;
    std::size_t width = 0;
    for (const std::int64_t lsn : request.lsns) {
        auto answer = engine.get(fmt::format("jobs/{}", lsn));
        if (!answer) return failedWith(answer.error());
        const json::object& action = answer->object;
        LogTarget target{.lsn = lsn, .last = attemptNumber(action), .attempts = {}, .losses = {}, .prefix = {}};
        target.hasNone = endedBeforeItRan(action);
        if (request.since)
            target.attempts = attemptsSince(action, *request.since, !request.json);
        else
            target.attempts = {request.attempt.value_or(target.last)};
        target.losses = lossesOf(action, target.attempts);
        target.prefix = fmt::format("{} {}", lsn, fitted(whatWords(action), kNameWidth));
        width = std::max(width, displayWidth(target.prefix));
        targets.push_back(std::move(target));
    }
    for (LogTarget& target : targets)
        if (targets.size() == 1)
            target.prefix.clear();
        else
            target.prefix += std::string(width - displayWidth(target.prefix), ' ') + " | ";
    return targets;
}

/// Where the output of all goes.
struct Outputs {
    LockedOutput out{STDOUT_FILENO};
    LockedOutput err{STDERR_FILENO};
};

/// Where that of one stream of one action goes.
struct Sink {
    OutputSink take;
    std::function<Result<void>()> finish = [] { return Result<void>(); };
};

template<class Lines>
Sink sinkOf(std::shared_ptr<Lines> lines) {
    return {[lines](std::int64_t attempt, std::string_view bytes) { return lines->take(attempt, bytes); },
            [lines] { return lines->finish(); }};
}

Sink sinkFor(Outputs& outputs, const LogsRequest& request, const LogTarget& target, const std::string& stream) {
    LockedOutput& out = stream == "stderr" ? outputs.err : outputs.out;
    if (request.json) return sinkOf(std::make_shared<JsonLines>(outputs.out, target.lsn, stream));
    if (!target.prefix.empty()) return sinkOf(std::make_shared<PrefixedLines>(out, target.prefix));
    return {[&out](std::int64_t, std::string_view bytes) { return out.write(bytes); }};
}

Outcome<void> followStream(const Invocation& invocation, const LogsRequest& request, const LogTarget& target,
                           const std::string& stream, const Sink& sink) {
    const bool announces = !request.json && stream == request.streams.back();
    OutputFollower follower(invocation.engine.another(),
                            {.lsn = target.lsn,
                             .stream = stream,
                             .firstAttempt = target.attempts.front(),
                             .announceRetries = announces,
                             .tail = request.tail,
                             .tailUntil = target.last,
                             .tellsOfCutTail = !request.json,
                             .tellsOfNone = announces},
                            sink.take);
    auto followed = follower.run();
    if (auto finished = sink.finish(); followed && !finished) return failedWith(finished.error());
    return followed;
}

/// Until all have ended; one that fails does not keep the others.
Outcome<int> followAll(const Invocation& invocation, const LogsRequest& request,
                       const std::vector<LogTarget>& targets) {
    Outputs outputs;
    std::vector<Outcome<void>> ends(targets.size() * request.streams.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const LogTarget& target = targets[i / request.streams.size()];
        const std::string& stream = request.streams[i % request.streams.size()];
        if (target.attempts.empty()) continue;
        threads.emplace_back([&, i] {
            ends[i] = followStream(invocation, request, target, stream, sinkFor(outputs, request, target, stream));
        });
    }
    for (std::thread& t : threads) t.join();
    for (const auto& end : ends)
        if (!end) return std::unexpected(end.error());
    return 0;
}

/// What there is now of one stream of an attempt.
Outcome<void> printOne(Engine& engine, const LogsRequest& request, const LogTarget& target,
                       const std::string& stream, std::int64_t attempt, const Sink& sink) {
    const std::int64_t lsn = target.lsn;
    const bool isLast = !request.attempt && !request.since;
    std::string path = fmt::format("jobs/{}/{}", lsn, stream);
    if (!isLast) path += fmt::format("?attempt={}", attempt);
    Result<void> copied;
    if (request.tail) {
        const auto piece = lastPiece(engine, path, *request.tail);
        if (!piece) copied = std::unexpected(piece.error());
        TailLines tail(*request.tail);
        if (piece) tail.take(piece->bytes);
        const std::string lines = tail.end();
        if (tail.isCut() && !request.json) tellOfCutTail(lsn, stream);
        if (!lines.empty()) copied = sink.take(attempt, lines);
    } else {
        copied = engine.stream(path, std::chrono::seconds(30),
                               [&](std::string_view bytes) { return sink.take(attempt, bytes); });
    }
    // What has not begun has written nothing.
    const bool nothingYet = !copied && copied.error().kind == ErrorKind::NotFound && !request.attempt;
    if (!copied && !nothingYet) return failedWith(copied.error());
    if (!copied && target.hasNone && !request.json && stream == request.streams.back()) tellOfNone(lsn);
    return {};
}

/// All that is shown of one action: attempt by attempt, and where there are several, whose output follows.
Outcome<void> printTarget(Engine& engine, const LogsRequest& request, const LogTarget& target, Outputs& outputs) {
    bool isInLine = false;
    std::vector<Sink> sinks;
    for (const std::string& stream : request.streams) {
        Sink sink = sinkFor(outputs, request, target, stream);
        sink.take = [take = std::move(sink.take), &isInLine](std::int64_t attempt, std::string_view bytes) {
            isInLine = bytes.empty() ? isInLine : !bytes.ends_with('\n');
            return take(attempt, bytes);
        };
        sinks.push_back(std::move(sink));
    }
    const bool marks = target.attempts.size() > 1 && !request.json;
    for (const std::int64_t attempt : target.attempts) {
        if (marks) {
            for (const Sink& sink : sinks) // a line that is kept back belongs before it
                if (auto finished = sink.finish(); !finished) return failedWith(finished.error());
            const bool breaksLine = std::exchange(isInLine, false) && target.prefix.empty();
            (void)outputs.err.write(
                fmt::format("{}yardctl: action {}: attempt {}\n", breaksLine ? "\n" : "", target.lsn, attempt));
        }
        for (std::size_t i = 0; i < sinks.size(); ++i)
            if (auto printed = printOne(engine, request, target, request.streams[i], attempt, sinks[i]); !printed)
                return printed;
    }
    for (const Sink& sink : sinks)
        if (auto finished = sink.finish(); !finished) return failedWith(finished.error());
    return {};
}

Outcome<int> printAll(const Invocation& invocation, const LogsRequest& request,
                      const std::vector<LogTarget>& targets) {
    Outputs outputs;
    for (const LogTarget& target : targets)
        if (auto printed = printTarget(invocation.engine, request, target, outputs); !printed)
            return std::unexpected(printed.error());
    return 0;
}

/// All that runs of a queue or a filter.
Outcome<int> followGroup(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    if (!arguments.has("follow")) return usageError("--queue and --filter follow what runs: add --follow");
    if (!arguments.operands().empty()) return usageError("give LSNs, or --queue and --filter, not both");
    for (const std::string_view option : {"tail", "since", "attempt"})
        if (arguments.has(option)) return usageError(fmt::format("--{} is for actions that are named", option));
    GroupFollower group(invocation.engine, {.queue = arguments.value("queue"),
                                            .filter = arguments.value("filter").value_or(""),
                                            .streams = wantedStreams(arguments),
                                            .json = invocation.json});
    return std::unexpected(group.run());
}

Outcome<int> logsCommand(const Invocation& invocation) {
    if (invocation.arguments.has("queue") || invocation.arguments.has("filter")) return followGroup(invocation);
    if (invocation.arguments.operands().empty())
        return usageError("something is missing: yardctl logs [options] LSN…");
    auto request = logsRequest(invocation);
    if (!request) return std::unexpected(request.error());
    auto targets = targetsOf(invocation.engine, *request);
    if (!targets) return std::unexpected(targets.error());
    for (const LogTarget& target : *targets)
        for (const std::string& loss : target.losses) fmt::print(stderr, "yardctl: {}\n", loss);
    return request->follow ? followAll(invocation, *request, *targets) : printAll(invocation, *request, *targets);
}

} // namespace

Command logsRow() {
    return {
        .name = "logs",
        .usage = "[options] LSN… | --follow --queue REF | --follow --filter F",
        .summary = "the output of actions",
        .details =
            "Their stdout goes to stdout and their stderr to stderr. Of several actions each line begins with "
            "the LSN and the name, and --follow takes up to 32 of them.\n"
            "Lines have no times: --since shows the attempts that were not over by then, each from its "
            "start. TIME is -1h (an hour ago), 09:45, today, yesterday or '2026-11-20 09:45'. --tail keeps "
            "up to 4 MiB of a stream.\n"
            "\n"
            "--follow with --queue or --filter follows all that run and match; what starts later joins, until it "
            "is interrupted. 32 are followed at once; of more 1000 wait until one of these ends.",
        .examples = "yardctl logs 12\n"
                    "yardctl logs -f 12 15..17\n"
                    "yardctl logs --tail 20 -f 12\n"
                    "yardctl logs --since -1h 12..40\n"
                    "yardctl logs --attempt 1 --stderr 12\n"
                    "yardctl logs -f --queue nightly",
        .options = {{"follow", 'f', "", "go on until they have ended"},
                    {"tail", 0, "N", "of each stream of an attempt only the last N lines"},
                    {"since", 0, "TIME", "of all attempts that were not over by then"},
                    {"attempt", 'n', "N", "of this attempt instead of the last"},
                    {"stdout", 0, "", "only their stdout"},
                    {"stderr", 0, "", "only their stderr"},
                    queueOption(),
                    filterOption()},
        .function = logsCommand};
}

} // namespace yard::ctl

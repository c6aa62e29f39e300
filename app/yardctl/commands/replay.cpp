// yardctl replay: runs a recording again, at this engine or another, and says what was different; for people and for CI.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/map/progress.h"
#include "app/yardctl/pages.h"
#include "app/yardctl/signal_watch.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr int kDiffers = 1;
constexpr int kCouldNot = 2;
constexpr int kSignalledReplay = 128;
constexpr std::size_t kMostOfDiff = 2'000; // bytes of a difference as it is printed
constexpr std::chrono::milliseconds kReplayLook{300};

/// A file that has no name.
Outcome<UniqueFd> namelessFile() {
    constexpr mode_t kMode = 0600;
    UniqueFd fd(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, kMode));
    if (!fd) return failedWith(failErrno("cannot make a file in /tmp", errno).error());
    return fd;
}

/// INT, TERM and HUP interrupt requests to both engines. The watch is made before any other thread.
class ReplayInterrupter {
public:
    ReplayInterrupter(SignalWatch& watch, Engine& here, Engine& there)
        : watch_(watch)
        , thread_([this, &here, &there] {
            if (const auto signal = watch_.next()) {
                signal_ = *signal;
                here.interrupt();
                if (&there != &here) there.interrupt();
            }
        }) {}
    ~ReplayInterrupter() {
        watch_.finish();
        thread_.join();
    }
    ReplayInterrupter(const ReplayInterrupter&) = delete;
    ReplayInterrupter& operator=(const ReplayInterrupter&) = delete;
    /// 0: none came.
    int signal() const { return signal_; }

private:
    SignalWatch& watch_;
    std::atomic<int> signal_{0};
    std::thread thread_;
};

/// A recording at an engine, and gone from it afterwards where it was only brought for this.
class BroughtRecording {
public:
    explicit BroughtRecording(Engine& engine)
        : engine_(engine) {}
    ~BroughtRecording() {
        // By a connection of its own: a signal may have interrupted the other one.
        if (isBrought_) (void)engine_.another()->remove("recordings/" + percentEncode(name_));
    }
    BroughtRecording(const BroughtRecording&) = delete;
    BroughtRecording& operator=(const BroughtRecording&) = delete;

    void named(std::string name) { name_ = std::move(name); }
    Outcome<void> bring(int fd) {
        struct stat state{};
        if (::fstat(fd, &state) != 0) return failedWith(failErrno("cannot look at the recording", errno).error());
        name_ = "replayed-" + randomHex(6);
        isBrought_ = true; // where its answer does not come, it may be there all the same
        const auto put = engine_.putFile("recordings/" + percentEncode(name_) + "/file", fd,
                                         static_cast<std::uint64_t>(state.st_size));
        if (!put) return failedWith(put.error());
        return {};
    }
    const std::string& name() const { return name_; }
    bool isBrought() const { return isBrought_; }

private:
    Engine& engine_;
    std::string name_;
    bool isBrought_ = false;
};

Outcome<std::string> replayBody(const Arguments& arguments) {
    json::object body;
    if (const auto worker = arguments.value("worker")) body["replace"] = json::object{{"worker", *worker}};
    if (const auto speed = arguments.value("speed"); speed && *speed != "full") {
        const auto number = parseAmount(*speed, "--speed");
        if (!number) return std::unexpected(number.error());
        body["speed"] = *number;
    }
    if (const auto machine = arguments.value("machine")) body["to"] = *machine;
    if (arguments.has("in-order")) body["order"] = "recorded";
    if (const auto filter = arguments.value("filter")) body["filter"] = *filter;
    json::object compare;
    if (const auto tolerance = arguments.value("tolerance")) {
        const auto number = parseAmount(*tolerance, "--tolerance");
        if (!number) return std::unexpected(number.error());
        compare["numbers"] = json::object{{"tolerance", *number}};
    }
    json::array ignored;
    for (const std::string& what : arguments.values("ignore")) ignored.push_back(json::string(what));
    if (!ignored.empty()) compare["ignore"] = std::move(ignored);
    json::array patterns;
    for (const std::string& pattern : arguments.values("normalise"))
        patterns.push_back(json::object{{"pattern", pattern}, {"with", "…"}});
    if (!patterns.empty()) compare["normalise"] = std::move(patterns);
    if (!compare.empty()) body["compare"] = std::move(compare);
    return json::serialize(body);
}

/// The recording at the engine where it is to be run.
Outcome<void> provide(const Invocation& invocation, const std::string& what, bool isElsewhere,
                      BroughtRecording& recording) {
    const UniqueFd file(::open(what.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat state{};
    const bool isFile = file && ::fstat(file.get(), &state) == 0 && S_ISREG(state.st_mode);
    if (isFile && (what.find('/') != what.npos || what.ends_with(".yrec"))) return recording.bring(file.get());
    if (!isElsewhere) {
        recording.named(what);
        return {};
    }
    auto copy = namelessFile();
    if (!copy) return std::unexpected(copy.error());
    const auto pulled =
        invocation.engine.stream(fmt::format("recordings/{}/file", percentEncode(what)), std::chrono::seconds(60),
                                 [&](std::string_view bytes) { return writeAll(copy->get(), bytes); });
    if (!pulled) return failedWith(pulled.error());
    return recording.bring(copy->get());
}

Outcome<json::object> awaitReplay(Engine& engine, std::int64_t id, bool quiet) {
    MapProgress progress(!quiet && ::isatty(STDERR_FILENO) == 1);
    for (;;) {
        const auto answer = engine.callPatiently({.method = "GET", .path = fmt::format("replays/{}", id)});
        if (!answer) return failedWith(answer.error());
        const auto count = [&](std::string_view key) { return integerOf(answer->object, key).value_or(0); };
        progress.show({.ended = count("ended") + count("impossible"),
                       .failed = count("different"),
                       .total = count("actions")});
        if (textOf(answer->object, "state") != "running") {
            progress.clear();
            return answer->object;
        }
        std::this_thread::sleep_for(kReplayLook);
    }
}

Outcome<json::array> readDifferences(Engine& engine, std::int64_t id) {
    json::array all;
    Pages pages(engine);
    while (!pages.atEnd()) {
        auto page = pages.next(fmt::format("replays/{}/differences?limit=1000", id));
        if (!page) return std::unexpected(page.error());
        if (const json::array* some = arrayOf(page->object, "differences"))
            all.insert(all.end(), some->begin(), some->end());
    }
    return all;
}

std::string jsonOf(const json::object& difference, std::string_view key) {
    const json::value* value = difference.if_contains(key);
    return !value || value->is_null() ? std::string("-") : printable(json::serialize(*value));
}

std::string subjectOf(const json::object& difference) {
    const std::string_view name = textOf(difference, "name");
    return name.empty() ? printable(textOf(difference, "what"))
                        : fmt::format("{} {}", printable(textOf(difference, "what")), printable(name));
}

/// "12 output a/b: …" and, where there are lines, these.
void printDifference(const json::object& difference) {
    const std::int64_t lsn = integerOf(difference, "lsn").value_or(0);
    const std::string_view diff = textOf(difference, "diff");
    if (!integerOf(difference, "replayed")) {
        fmt::print("{} not replayed: {}\n", lsn, printable(diff));
        return;
    }
    if (diff.empty()) {
        fmt::print("{} {}: {} -> {}\n", lsn, subjectOf(difference), jsonOf(difference, "recorded"),
                   jsonOf(difference, "replayed_value"));
        return;
    }
    fmt::print("{} {}:\n", lsn, subjectOf(difference));
    for (std::string_view rest = diff.substr(0, kMostOfDiff); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        fmt::print("    {}\n", printable(rest.substr(0, end)));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

std::string xmlText(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '&': out += "&amp;"; break;
        case '"': out += "&quot;"; break;
        default: out += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? '?' : c;
        }
    }
    return out;
}

/// Why it says nothing of the rest; empty: it was all run. One that ran nothing found nothing out.
std::string whyNotDone(const json::object& replay) {
    const std::string_view state = textOf(replay, "state");
    if (state == "done" && integerOf(replay, "actions") == 0)
        return "Nothing was to be run: no recorded action is meant.";
    if (state == "done") return {};
    const std::string_view why = textOf(replay, "why");
    return why.empty() ? fmt::format("the replay was {}", printable(state)) : printable(why);
}

/// One test case for each action with a difference, one for all whose differences the engine did not keep, one for all
/// that are the same, and one where others were not run.
std::string junitOf(const json::object& replay, const json::array& differences) {
    const auto count = [&](std::string_view key) { return integerOf(replay, key).value_or(0); };
    std::map<std::int64_t, std::string> failures; ///< by LSN
    for (const json::value& value : differences) {
        const json::object* one = value.if_object();
        if (!one) continue;
        std::string& text = failures[integerOf(*one, "lsn").value_or(0)];
        text += fmt::format("{}: {} -> {}\n{}", subjectOf(*one), jsonOf(*one, "recorded"),
                            jsonOf(*one, "replayed_value"), textOf(*one, "diff"));
    }
    const std::int64_t told = std::ssize(failures);
    const std::int64_t different = std::max(count("different"), told);
    const std::int64_t same = std::max<std::int64_t>(0, count("ended") + count("impossible") - different);
    const std::string problem = whyNotDone(replay);
    const std::string name = xmlText(textOf(replay, "recording"));
    std::string out = fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\"{}>\n",
        name, different + same + (problem.empty() ? 0 : 1), different, problem.empty() ? "" : " errors=\"1\"");
    const auto add = [&](const std::string& what, std::string_view kind, const std::string& text) {
        out += fmt::format("<testcase classname=\"{}\" name=\"{}\"><{}>{}</{}></testcase>\n", name, what, kind,
                           xmlText(text), kind);
    };
    for (const auto& [lsn, text] : failures) add(fmt::to_string(lsn), "failure", text);
    if (different > told)
        add(fmt::format("{} more with a difference", different - told), "failure",
            "The engine did not keep which.");
    if (same > 0) out += fmt::format("<testcase classname=\"{}\" name=\"{} without a difference\"/>\n", name, same);
    if (!problem.empty()) add("not all was run", "error", problem);
    return out + "</testsuite>\n";
}

Outcome<int> tellReplay(const Invocation& invocation, Engine& engine, const json::object& replay) {
    const auto count = [&](std::string_view key) { return integerOf(replay, key).value_or(0); };
    const auto differences = readDifferences(engine, count("id"));
    if (!differences) return std::unexpected(differences.error());
    if (const auto file = invocation.arguments.value("junit"))
        if (auto written = writeNamedFile(*file, junitOf(replay, *differences), 0644); !written)
            return failedWith(written.error());
    if (invocation.json) {
        json::object all = replay;
        all["all_differences"] = *differences;
        fmt::print("{}\n", json::serialize(all));
    } else {
        for (const json::value& value : *differences)
            if (const json::object* one = value.if_object()) printDifference(*one);
        fmt::print(stderr, "{} of {} actions are the same\n",
                   count("ended") + count("impossible") - count("different"), count("actions"));
    }
    if (std::string problem = whyNotDone(replay); !problem.empty()) return failed(std::move(problem));
    return count("different") > 0 ? kDiffers : 0;
}

Outcome<int> runReplay(const Invocation& invocation, Engine& engine, bool isElsewhere, const std::string& body,
                       BroughtRecording& recording, std::int64_t& id) {
    if (auto provided = provide(invocation, invocation.arguments.operands().front(), isElsewhere, recording);
        !provided)
        return std::unexpected(provided.error());
    const auto started = engine.post(fmt::format("recordings/{}/replay", percentEncode(recording.name())), body);
    if (!started) return failedByWords(started.error());
    id = integerOf(started->object, "id").value_or(0);
    const auto replay = awaitReplay(engine, id, invocation.json);
    if (!replay) return std::unexpected(replay.error());
    return tellReplay(invocation, engine, *replay);
}

/// After a signal: what has not ended goes. `id` 0: nobody knows it, but of what was brought for this it can be found.
std::string cancelReplay(const Engine& engine, const BroughtRecording& recording, std::int64_t id) {
    const auto other = engine.another();
    if (id == 0 && recording.isBrought()) {
        const auto all = other->get("replays");
        if (const json::array* replays = all ? arrayOf(all->object, "replays") : nullptr)
            for (const json::value& value : *replays)
                if (const json::object* one = value.if_object();
                    one && textOf(*one, "recording") == recording.name())
                    id = integerOf(*one, "id").value_or(0);
    }
    if (id == 0) return "ended by a signal";
    const auto cancelled = other->post(fmt::format("replays/{}/cancel", id), "{}");
    return cancelled ? std::string("ended by a signal: the replay was cancelled")
                     : fmt::format("ended by a signal: the replay could not be cancelled ({})",
                                   cancelled.error().message);
}

Outcome<int> replayAt(const Invocation& invocation, Engine& engine, bool isElsewhere, SignalWatch& watch) {
    const auto body = replayBody(invocation.arguments);
    if (!body) return std::unexpected(body.error());
    BroughtRecording recording(engine);
    const ReplayInterrupter interrupter(watch, invocation.engine, engine);
    std::int64_t id = 0;
    const auto done = runReplay(invocation, engine, isElsewhere, *body, recording, id);
    if (done || interrupter.signal() == 0) return done;
    return std::unexpected(
        Failure(cancelReplay(engine, recording, id), kSignalledReplay + interrupter.signal(), "cancelled"));
}

/// Of the engine at that URL. The token of this one is none for it.
Outcome<GlobalOptions> optionsThere(const Invocation& invocation, const std::string& url) {
    const auto endpoint = Endpoint::parse(url);
    if (!endpoint) return usageError(endpoint.error().message);
    GlobalOptions options = invocation.engine.options();
    options.url = url;
    options.tokenFile = invocation.arguments.value("against-token");
    if (options.tokenFile) return options;
    if (!endpoint->isLoopback()) return usageError("--against wants --against-token FILE");
    options.dataDir.reset();
    return options;
}

Outcome<int> replayCommand(const Invocation& invocation) {
    SignalWatch watch;
    Outcome<int> done = 0;
    if (const auto against = invocation.arguments.value("against")) {
        const auto options = optionsThere(invocation, *against);
        if (!options) return std::unexpected(options.error());
        Engine there(*options);
        done = replayAt(invocation, there, true, watch);
    } else if (invocation.arguments.has("against-token")) {
        return usageError("--against-token goes with --against");
    } else {
        done = replayAt(invocation, invocation.engine, false, watch);
    }
    const bool isSignalled = !done && done.error().exitCode > kSignalledReplay;
    if (!done && !isSignalled) done.error().exitCode = kCouldNot; // 1 says that something is different
    return done;
}

} // namespace

Command replayRow() {
    return {.name = "replay",
            .usage = "[options] NAME|FILE.yrec",
            .summary = "run a recording again, and say what is different",
            .details =
                "Submits the actions of a recording again, in a queue of their own, and holds what they do against "
                "what was "
                "recorded: state, exit code, result, outputs, stdout and stderr. A file, or with --against any "
                "recording, is "
                "brought to the engine for this and removed afterwards; there the token needs the right admin.\n"
                "Prints what was different, for text as diff -u does.",
            .examples = "yardctl replay tonight\n"
                        "yardctl replay tonight --worker thumb@1.3 --junit replay.xml\n"
                        "yardctl replay a.yrec --against https://new:8640 --against-token new.token\n"
                        "yardctl replay tonight --filter state:failed\n"
                        "yardctl replay tonight --normalise '[0-9.]+ ms' --tolerance 1e-6",
            .exits = "0 when all are the same; 1 when something is different; 2 when it could not be run, no "
                     "recorded action is meant, or the command line is wrong; 128 and its number when a signal "
                     "ended it: the replay is cancelled.",
            .options = {{"against", 0, "URL", "at that engine"},
                        {"against-token", 0, "FILE", "with the token in this file"},
                        {"worker", 0, "NAME@V", "this version instead of all others of that name"},
                        {"filter", 'f', "FILTER", "only what this means of what was recorded"},
                        {"speed", 0, "N", "N times as fast as it was recorded, instead of as fast as it goes"},
                        {"machine", 0, "NAME", "all of it runs on this machine, or on those with this tag:"},
                        {"in-order", 0, "", "one after another, as they were recorded"},
                        {"tolerance", 0, "T", "numbers may differ by so much, relative to the larger one"},
                        {"normalise", 0, "PATTERN",
                         "what this finds in a line is any text; may be given several times"},
                        {"ignore", 0, "WHAT", "do not compare state, exit_code, result, output, stdout or stderr"},
                        {"junit", 0, "FILE", "write what was different there, as a CI reads it"}},
            .minOperands = 1,
            .maxOperands = 1,
            .unknownIsUsage = true,
            .function = replayCommand};
}

} // namespace yard::ctl

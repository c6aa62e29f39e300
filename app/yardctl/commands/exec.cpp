// yardctl exec: submits files of actions, waits for all of them, and says what came of it; at an engine of its own, if it
// is to need none.
#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/map/progress.h"
#include "app/yardctl/private_engine.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/signal_watch.h"
#include "app/yardctl/work_options.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <span>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

using Lsns = std::vector<std::int64_t>;

constexpr int kSignalledExec = 128;
constexpr std::size_t kCancelledAtOnce = 1'000;

/// INT, TERM and HUP interrupt requests to an engine, and the reading of files. The watch is made before any other thread.
class Interrupter {
public:
    Interrupter(SignalWatch& watch, Engine& engine)
        : watch_(watch)
        , stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
        , thread_([this, &engine] {
            if (const auto signal = watch_.next()) {
                signal_ = *signal;
                engine.interrupt();
                ::eventfd_write(stop_.get(), 1);
            }
        }) {}
    ~Interrupter() {
        watch_.finish();
        thread_.join();
    }
    Interrupter(const Interrupter&) = delete;
    Interrupter& operator=(const Interrupter&) = delete;
    /// 0: none came.
    int signal() const { return signal_; }
    /// Readable once one has come.
    int stop() const { return stop_.get(); }

private:
    SignalWatch& watch_;
    const UniqueFd stop_;
    std::atomic<int> signal_{0};
    std::thread thread_;
};

/// The actions of one exec, until all have ended.
class Execution {
public:
    explicit Execution(const Invocation& invocation)
        : invocation_(invocation)
        , progress_(!invocation.json && ::isatty(STDERR_FILENO) == 1) {}

    /// `stop`: once it is readable, nothing more is read.
    Outcome<void> submit(int stop) {
        // With --wait submitFile() prints no LSNs: the line of each end names its action.
        Arguments arguments = invocation_.arguments;
        arguments.add("wait", "");
        const Invocation quiet{.arguments = arguments, .engine = invocation_.engine, .json = false};
        for (const std::string& path : arguments.operands()) {
            const auto lsns = submitFile(quiet, path, stop);
            if (!lsns) return std::unexpected(lsns.error());
            lsns_.insert(lsns_.end(), lsns->begin(), lsns->end());
            counts_.total = std::ssize(lsns_);
        }
        return {};
    }

    /// In the order of the files: a line each.
    Outcome<void> wait() {
        for (const std::int64_t lsn : lsns_) {
            const auto answer = awaitEndShowing(lsn);
            if (!answer) return failedWith(answer.error());
            ++counts_.ended;
            const bool isGood = textOf(answer->object, "state") == "completed";
            if (!isGood) ++counts_.failed;
            progress_.clear();
            fmt::print("{}\n", invocation_.json ? answer->text : endLine(answer->object));
            std::fflush(stdout);
            if (auto saved = saveIfAsked(invocation_, answer->object); !saved) return saved;
        }
        progress_.clear();
        return {};
    }

    /// Cancels, by another connection, those that were accepted and have not ended.
    Result<void> cancel() const {
        const auto engine = invocation_.engine.another();
        for (auto rest = std::span(lsns_).subspan(static_cast<std::size_t>(counts_.ended)); !rest.empty();) {
            const auto part = rest.first(std::min(rest.size(), kCancelledAtOnce));
            json::array lsns(part.begin(), part.end());
            const auto done = engine->post("jobs/cancel", json::serialize(json::object{{"lsns", std::move(lsns)}}));
            if (!done) return std::unexpected(done.error());
            rest = rest.subspan(part.size());
        }
        return {};
    }
    std::size_t accepted() const { return lsns_.size(); }
    int code() const { return counts_.failed == 0 ? 0 : kExitFailed; }
    std::string summary() const {
        const std::int64_t failed = counts_.failed;
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        return fmt::format("{} of {} completed{}, in {}", counts_.ended - failed, counts_.total.value_or(0),
                           failed == 0 ? std::string() : fmt::format(", {} did not", failed),
                           durationWords(seconds));
    }

private:
    Result<Answer> awaitEndShowing(std::int64_t lsn) {
        constexpr double kLook = 0.5; // seconds between two pictures of the bar
        constexpr double kLongLook = 60;
        const double look = ::isatty(STDERR_FILENO) == 1 ? kLook : kLongLook;
        for (;;) {
            progress_.show(counts_);
            auto answer = awaitEnd(invocation_.engine, lsn, look);
            if (!answer || isEnded(answer->object)) return answer;
        }
    }

    const Invocation& invocation_;
    MapProgress progress_;
    MapCounts counts_;
    Lsns lsns_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::string cancelledWords(const Execution& execution) {
    const auto cancelled = execution.cancel();
    return cancelled ? "was cancelled" : fmt::format("could not be cancelled ({})", cancelled.error().message);
}

/// A file was refused: those before it do not run alone.
std::unexpected<Failure> refusedAfter(Failure why, const Execution& execution) {
    if (execution.accepted() > 0)
        why.message += fmt::format("; what had been accepted of the files before {}", cancelledWords(execution));
    return std::unexpected(std::move(why));
}

Outcome<int> execute(const Invocation& invocation, SignalWatch& watch) {
    const Interrupter interrupter(watch, invocation.engine);
    Execution execution(invocation);
    const auto submitted = execution.submit(interrupter.stop());
    const auto done = submitted ? execution.wait() : submitted;
    if (interrupter.signal() != 0) {
        // A request that was interrupted may have arrived; nobody knows the LSNs of its actions.
        const bool isUnsure = !submitted && submitted.error().code != kInterrupted;
        return std::unexpected(Failure(fmt::format("ended by a signal: what had not ended {}; {}{}",
                                                   cancelledWords(execution), execution.summary(),
                                                   isUnsure ? "; the file that was being submitted may have been "
                                                              "accepted all the same: 'yardctl ls' shows it"
                                                            : ""),
                                       kSignalledExec + interrupter.signal(), "cancelled"));
    }
    if (!submitted) return refusedAfter(submitted.error(), execution);
    if (!done) return std::unexpected(done.error());
    if (!invocation.json) fmt::print(stderr, "{}\n", execution.summary());
    return execution.code();
}

Outcome<int> execCommand(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    const auto stdins = std::ranges::count(arguments.operands(), "-");
    if (stdins > 1) return usageError("standard input can be read once: give '-' once");
    SignalWatch watch;
    if (!arguments.has("private")) {
        if (arguments.has("keep")) return usageError("--keep goes with --private: another engine stays anyway");
        return execute(invocation, watch);
    }
    const GlobalOptions& given = invocation.engine.options();
    if (given.url || given.dataDir || arguments.has("queue"))
        return usageError("--private has an engine of its own: leave --url, --data-dir and --queue out");
    const bool keep = arguments.has("keep");
    auto own = PrivateEngine::start(keep, watch);
    if (!own && watch.isDue(std::chrono::milliseconds(0)))
        return std::unexpected(
            Failure("ended by a signal", kSignalledExec + watch.next().value_or(SIGTERM), "cancelled"));
    if (!own) return std::unexpected(own.error());
    if (keep) fmt::print(stderr, "yardctl: the engine's directory is {}\n", (*own)->dataDir());
    GlobalOptions options = given;
    options.dataDir = (*own)->dataDir();
    options.tokenFile.reset();
    Engine engine(options);
    return execute({.arguments = arguments, .engine = engine, .json = invocation.json}, watch);
}

} // namespace

Command execRow() {
    return {
        .name = "exec",
        .usage = "[options] FILE…",
        .summary = "run files of actions and wait for them",
        .details =
            "Each FILE has one action, a list of them, or JSON lines; - is standard input:\n"
            "  {\"worker\": \"exec\", \"argv\": [\"make\"], \"cwd\": \"/src\"}\n"
            "'yardctl submit --help' says more of them. An input or a stdin "
            "\"@path\" is that file. Prints a line for each action in the order of the files, once it and "
            "those before have ended, then a summary. --out saves what they leave, in DIR/LSN. A signal "
            "cancels what has not ended.\n"
            "With --private it needs no engine: it starts one for this run, with a data directory of its own, "
            "and ends it afterwards. --keep keeps that directory.",
        .examples = "yardctl exec build.json\n"
                    "yardctl exec --private --out results actions.jsonl",
        .exits =
            "0 when all completed; 1 when one ended otherwise, or was refused; 2 when the command line is wrong; "
            "128 and its number when a signal ended it.",
        .options = joined({{"private", 0, "", "at an engine of its own, which is gone afterwards"},
                           {"keep", 0, "", "with --private: keep the engine's data directory"}},
                          workOptions(Work::Submit)),
        .minOperands = 1,
        .function = execCommand};
}

} // namespace yard::ctl

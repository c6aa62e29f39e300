// yardctl run: one exec action, or an array of them, their output as it comes, their exit code.
#include "app/yardctl/accepted.h"
#include "app/yardctl/action_progress.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/engine_start.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/notify.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/own_terminal.h"
#include "app/yardctl/queue_ref.h"
#include "app/yardctl/run_action.h"
#include "app/yardctl/signal_watch.h"
#include "app/yardctl/terminal_session.h"
#include "app/yardctl/wait_news.h"
#include "app/yardctl/work_options.h"
#include "core/base/hash.h"
#include "core/base/thread_mutex.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <future>
#include <mutex>
#include <numeric>
#include <thread>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

namespace {

constexpr int kSignalBase = 128;
/// What takes no longer needs no word.
constexpr std::chrono::milliseconds kWorthSaying{500};
/// What happens to a terminal that somebody sits at.
constexpr std::array kTerminalSignals = {SIGWINCH, SIGCONT, SIGTSTP};
/// With a terminal, whose modes are put right on every way out.
constexpr std::array kSignalsWithTerminal = {SIGWINCH, SIGCONT, SIGTSTP, SIGQUIT};

/// The action, or the elements of an array: they follow each other.
struct Accepted {
    std::int64_t first = 0;
    std::int64_t count = 1;
    std::string text; ///< the engine's answer

    std::vector<std::int64_t> lsns() const {
        std::vector<std::int64_t> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), first);
        return all;
    }
    std::string name() const {
        return count == 1 ? fmt::format("action {}", first) : fmt::format("actions {}", range());
    }
    std::string range() const {
        return count == 1 ? fmt::format("{}", first) : fmt::format("{}..{}", first, first + count - 1);
    }
};

Outcome<Accepted> submitAction(Engine& engine, const Arguments& arguments, const std::string& action,
                               ChunkSource& files) {
    auto answer = postWithChunks(
        engine, {.method = "POST", .path = jobsPath(arguments), .body = action, .idempotencyKey = randomHex(16)},
        files);
    if (!answer) {
        Error error = answer.error();
        error.message = inOptionWords(error.message);
        return failedWith(std::move(error));
    }
    const auto lsn = integerOf(answer->object, "lsn");
    if (!lsn) return failed("the engine accepted the action but did not say as which; 'yardctl ls' shows it");
    return Accepted{*lsn, integerOf(answer->object, "count").value_or(1), std::move(answer->text)};
}

/// Nothing happens by itself then.
void tellHeld(const Invocation& invocation, const Accepted& accepted) {
    if (invocation.json || !invocation.arguments.has("hold")) return;
    const bool isOne = accepted.count == 1;
    (void)writeOutput(STDERR_FILENO,
                      fmt::format("yardctl: {} {} held; 'yardctl release {}' lets {} start\n", accepted.name(),
                                  isOne ? "is" : "are", accepted.range(), isOne ? "it" : "them"));
}

/// One run, from submission to the end. The thread that made it waits for signals; one worker thread submits and
/// waits for the results, one thread follows each stream, one sends the cancel when it comes to that. With a terminal
/// there are those of TerminalSession as well.
class Run {
public:
    /// `size`: that its terminal begins with; nothing: it has none.
    Run(Invocation invocation, std::optional<TerminalSize> size)
        : signals_(size ? std::span<const int>(kSignalsWithTerminal) : std::span<const int>())
        , invocation_(invocation)
        , size_(size) {
        // A reader that left must end the action, not only this process.
        std::signal(SIGPIPE, SIG_IGN);
    }

    Outcome<int> perform(const std::string& action, ChunkSource& files) {
        std::thread worker([&] {
            code_ = work(action, files);
            signals_.finish();
        });
        if (!signals_.isDue(kWorthSaying) && !isAccepted())
            (void)writeOutput(STDERR_FILENO,
                              errorLine(invocation_.json, "waiting", "the engine has not taken the action yet"));
        while (const auto signal = signals_.next()) {
            if (std::ranges::find(kTerminalSignals, *signal) != kTerminalSignals.end()) {
                atTerminal(*signal);
                continue;
            }
            if (signal_ != 0 || isHangUp(*signal)) leaveAtOnce(kSignalBase + *signal);
            signal_ = *signal;
            requestCancel();
            if (!isAccepted() && !signals_.isDue(kWorthSaying) && !isAccepted()) leaveAtOnce(kSignalBase + *signal);
        }
        worker.join();
        if (canceller_.joinable()) canceller_.join();
        if (invocation_.arguments.has("notify") && !ended_.empty()) notifyOf("yardctl run", ended_);
        return code_;
    }

private:
    /// The exit code: the first that is not 0.
    Outcome<int> work(const std::string& action, ChunkSource& files) {
        auto accepted = submitAction(invocation_.engine, invocation_.arguments, action, files);
        if (!accepted) return std::unexpected(accepted.error());
        tellHeld(invocation_, *accepted);
        {
            const ThreadLock lock(mutex_);
            accepted_ = *accepted;
            if (cancelRequested_) startCancel();
        }
        int worst = 0;
        for (std::int64_t i = 0; i < accepted->count; ++i) {
            auto code = follow(accepted->first + i);
            if (!code) return code;
            if (worst == 0) worst = *code;
        }
        return worst;
    }

    bool isAccepted() {
        const ThreadLock lock(mutex_);
        return accepted_.has_value();
    }

    /// From its making to its end it says what this action waits for.
    class Telling {
    public:
        Telling(Run& run, std::int64_t lsn, bool isRaw)
            : run_(run)
            , teller_(run.invocation_.engine.another(), lsn, run.news_,
                      {.tellsAll = !run.invocation_.json && ::isatty(STDERR_FILENO) == 1,
                       .json = run.invocation_.json,
                       .isRaw = isRaw,
                       .stuck = [&run] { run.leaveStuck(); }}) {
            const ThreadLock lock(run_.mutex_);
            run_.teller_ = &teller_;
            if (run_.cancelRequested_) teller_.expectEnd();
        }
        ~Telling() {
            const ThreadLock lock(run_.mutex_);
            run_.teller_ = nullptr;
        }
        Telling(const Telling&) = delete;
        Telling& operator=(const Telling&) = delete;

    private:
        Run& run_;
        WaitTeller teller_;
    };

    Outcome<int> follow(std::int64_t lsn) {
        Engine& engine = invocation_.engine;
        if (size_) return followAtTerminal(lsn);
        std::optional<Telling> telling(std::in_place, *this, lsn, false);
        if (invocation_.json) {
            auto result = awaitEnd(engine, lsn);
            telling.reset();
            return finish(lsn, std::move(result));
        }
        KnownEnd end;
        std::optional<ProgressBeside> progress;
        if (invocation_.arguments.has("progress") && ::isatty(STDERR_FILENO) == 1)
            progress.emplace(engine.another(), lsn);
        beside_ = progress ? &*progress : nullptr;
        std::thread out([&] { copy(lsn, "stdout", STDOUT_FILENO, end); });
        std::thread err([&] { copy(lsn, "stderr", STDERR_FILENO, end); });
        auto result = awaitEnd(engine, lsn);
        telling.reset();
        if (result) end.tell(result->object);
        out.join();
        err.join();
        beside_ = nullptr;
        progress.reset(); // its line goes before anything is said of the end
        return finish(lsn, std::move(result));
    }

    Outcome<int> followAtTerminal(std::int64_t lsn) {
        if (const auto started = awaitStart(lsn); !started) return finish(lsn, std::unexpected(started.error()));
        terminal_.enterRaw();
        TerminalSession session(terminal_, invocation_.engine.another(),
                                {.lsn = lsn,
                                 .size = *size_,
                                 .seat = seat_,
                                 .leave = [this] { leaveAtOnce(kSignalBase + SIGINT); },
                                 .hungUp = [this] { leaveAtOnce(kSignalBase + SIGHUP); }});
        use(&session);
        std::optional<Telling> telling(std::in_place, *this, lsn, true);
        KnownEnd end;
        std::thread out([&] { copy(lsn, "stdout", STDOUT_FILENO, end); });
        auto result = awaitEnd(invocation_.engine, lsn);
        telling.reset();
        if (result) end.tell(result->object);
        out.join();
        use(nullptr);
        terminal_.leaveRaw();
        return finish(lsn, std::move(result));
    }

    void use(TerminalSession* session) {
        const ThreadLock lock(sessionMutex_);
        session_ = session;
    }

    /// Until its program runs, or it has ended without. Says once what it waits for.
    Result<void> awaitStart(std::int64_t lsn) const {
        const auto begun = std::chrono::steady_clock::now();
        bool isTold = false;
        for (double wait = 0.01;; wait = std::min(2 * wait, 0.2)) { // NOLINT(cert-flp30-c): a pause that grows
            const auto answer =
                invocation_.engine.callPatiently({.path = fmt::format("jobs/{}?wait={}", lsn, wait)});
            if (!answer) return std::unexpected(answer.error());
            const std::string_view state = textOf(answer->object, "state");
            if (state != "pending" && state != "new" && state != "submitting") return {};
            if (isTold || std::chrono::steady_clock::now() - begun < kWorthSaying) continue;
            isTold = true;
            const std::string why = noteWords(answer->object);
            (void)writeOutput(STDERR_FILENO, fmt::format("yardctl: action {} waits{}{}; Ctrl+C cancels it\n", lsn,
                                                         why.empty() ? "" : ": ", why));
        }
    }

    /// A window that was closed ends nothing: what was typed into the program is still in it, and `attach` goes there.
    bool isHangUp(int signal) const { return signal == SIGHUP && size_; }

    void atTerminal(int signal) {
        if (signal == SIGTSTP) terminal_.suspend();
        if (signal == SIGCONT) terminal_.resumed();
        const ThreadLock lock(sessionMutex_);
        if (session_ && signal == SIGCONT) session_->drawAgain();
        if (session_) session_->checkSize();
    }

    Outcome<int> finish(std::int64_t lsn, Result<Answer> result) {
        if (result) ended_ = fmt::format("{}: {}", whatWords(result->object), endWords(result->object));
        if (!result)
            return failed(withMore(result.error().message,
                                   fmt::format("'yardctl show {}' says how action {} ended", lsn, lsn)));
        if (auto saved = saveIfAsked(invocation_, result->object); !saved) return std::unexpected(saved.error());
        return exitCode(lsn, *result);
    }

    void copy(std::int64_t lsn, const char* stream, int fd, KnownEnd& end) {
        OutputFollower follower(invocation_.engine.another(),
                                {.lsn = lsn,
                                 .stream = stream,
                                 .announceRetries = fd == STDERR_FILENO || size_,
                                 .isRaw = size_.has_value(),
                                 .atTerminal = size_.has_value(),
                                 .seat = seat_,
                                 .end = &end,
                                 .lingers = [this] { lookSoon(); }},
                                [this, fd](std::int64_t, std::string_view bytes) { return write(fd, bytes); });
        const auto followed = follower.run();
        if (followed || readerLeft_) return;
        std::string line = errorLine(false, {}, followed.error().message);
        if (size_) line = "\r\n" + line + "\r"; // in raw mode a line feed is no more than that
        (void)writeOutput(STDERR_FILENO, line);
    }

    /// A program whose output nobody takes gets SIGPIPE in a shell, and says nothing of it.
    Result<void> write(int fd, std::string_view bytes) {
        auto written = writeUnlessLeaving(fd, bytes);
        if (written) return written;
        if (size_) leaveAtOnce(kSignalBase + SIGHUP); // the terminal is gone
        if (written.error().sysErrno == EPIPE) readerLeft_ = true;
        isOutputLost_ = true;
        requestCancel();
        return written;
    }

    Result<void> writeUnlessLeaving(int fd, std::string_view bytes) {
        const std::scoped_lock lock(writing_.at(fd == STDERR_FILENO ? 1 : 0));
        if (size_) return terminal_.show(bytes);
        const auto put = [fd, bytes] { return writeOutput(fd, bytes); };
        // What goes into a file or a pipe leaves the line of the terminal as it is.
        return beside_ && ::isatty(fd) == 1 ? beside_->around(bytes, put) : put();
    }

    void lookSoon() {
        const ThreadLock lock(mutex_);
        if (teller_) teller_->lookSoon();
    }

    void requestCancel() {
        const ThreadLock lock(mutex_);
        if (std::exchange(cancelRequested_, true) || !accepted_) return;
        startCancel();
        if (teller_) teller_->expectEnd();
    }

    /// What became of the request to cancel.
    enum class Cancel : unsigned char { Taken, Refused, Unanswered };

    /// The cancel has a thread of its own so that a second signal is heard meanwhile.
    void startCancel() YARD_REQUIRES(mutex_) {
        std::promise<Cancel> told;
        cancel_ = told.get_future();
        canceller_ = std::thread([told = std::move(told), accepted = *accepted_, asJson = invocation_.json,
                                  engine = invocation_.engine.another()]() mutable {
            constexpr std::chrono::seconds kLimit{10};
            Call call{.method = "POST", .path = fmt::format("jobs/{}/cancel", accepted.first), .silence = kLimit};
            if (accepted.count > 1) {
                const auto lsns = accepted.lsns();
                call.path = "jobs/cancel";
                call.body = compactJson(boost::json::object{{"lsns", json::array(lsns.begin(), lsns.end())}});
            }
            const auto answer = engine->callPatiently(call);
            // Already finished is as good.
            const bool isTaken = answer || answer.error().kind == ErrorKind::WrongState;
            const bool isRefused = !isTaken && !isGone(answer.error());
            told.set_value(isTaken ? Cancel::Taken : isRefused ? Cancel::Refused : Cancel::Unanswered);
            if (isTaken) return;
            (void)writeOutput(STDERR_FILENO, errorLine(asJson, errorName(answer.error().kind),
                                                       fmt::format("cannot cancel {}: {}", accepted.name(),
                                                                   answer.error().message)));
        });
    }

    /// Its end is not to be had as long as the engine cannot keep it, which was said.
    void leaveStuck() {
        const int byItself = readerLeft_ ? kSignalBase + SIGPIPE : kExitFailed;
        leaveAtOnce(signal_ != 0 ? kSignalBase + signal_ : byItself);
    }

    /// What is said here is the last that is seen: what the program prints meanwhile is not shown. A write that is
    /// stuck is left behind.
    [[noreturn]] void leaveAtOnce(int code) {
        constexpr std::chrono::milliseconds kWriteOnItsWay{100};
        for (auto& writing : writing_) (void)writing.try_lock_for(kWriteOnItsWay);
        terminal_.leaveRaw();
        const ThreadLock lock(mutex_);
        if (accepted_ && !cancelRequested_) {
            const std::string range = accepted_->range();
            (void)writeOutput(STDERR_FILENO,
                              fmt::format("\nyardctl: {0} is left to the engine and goes on; 'yardctl "
                                          "{2} {1}' {3} it, 'yardctl cancel {1}' ends it\n",
                                          accepted_->name(), range, size_ ? "attach" : "logs -f",
                                          size_ ? "comes back to" : "follows"));
            ::_exit(code);
        }
        if (accepted_) {
            constexpr std::chrono::milliseconds kAnswerOnItsWay{300};
            const bool isTold = cancel_.valid() && cancel_.wait_for(kAnswerOnItsWay) == std::future_status::ready;
            const Cancel cancel = isTold ? cancel_.get() : Cancel::Unanswered;
            const auto* words =
                cancel == Cancel::Taken
                    ? "{} is left to the engine, which cancels it; 'yardctl wait {}' waits for its end"
                : cancel == Cancel::Refused
                    ? "{} is left to the engine and not cancelled; 'yardctl cancel {}' cancels it once that can be "
                      "kept"
                    : "{} is not cancelled: the engine did not answer; 'yardctl cancel {}' cancels it "
                      "once the engine runs";
            const std::string sentence = fmt::format(fmt::runtime(words), accepted_->name(), accepted_->range());
            (void)writeOutput(STDERR_FILENO, errorLine(invocation_.json, "interrupted", sentence));
        } else {
            (void)writeOutput(STDERR_FILENO,
                              errorLine(invocation_.json, "interrupted",
                                        "the engine has not answered: whether it took the action is not known, "
                                        "'yardctl ls' shows it"));
        }
        ::_exit(code);
    }

    /// For who gave a line for the shell as the name of a program. Empty: nobody did.
    std::string lineHint(const json::object& action) const {
        constexpr int kNotFound = 127;
        constexpr std::size_t kMost = 200;
        const auto& words = invocation_.arguments.operands();
        const bool isLine = words.size() == 1 && !invocation_.arguments.has("command") &&
                            words.front().find_first_of(" |;&<>") != std::string::npos;
        if (!isLine || shellExitCode(action) != kNotFound || textOf(action, "reason") == "exit_code") return {};
        const std::vector<std::string> meant{"yardctl", "run", "-c", words.front()};
        return fmt::format("a line for the shell goes behind -c: {}", printable(commandName(meant, kMost)));
    }

    static void say(std::string_view sentence) { (void)writeOutput(STDERR_FILENO, errorLine(false, {}, sentence)); }

    int exitCode(std::int64_t lsn, const Answer& result) const {
        // On a thread of its own: nothing here may throw, as fmt::print does where nothing can be written.
        if (invocation_.json) std::fputs((result.text + '\n').c_str(), stdout);
        const std::string_view state = textOf(result.object, "state");
        if (state == "cancelled" && signal_ != 0) return kSignalBase + signal_;
        // Also when the program was quicker than its cancel: what it printed is lost.
        if ((state == "cancelled" || state == "completed") && isOutputLost_)
            return readerLeft_ ? kSignalBase + SIGPIPE : kExitFailed;
        if (wasInterrupted(result.object) && !invocation_.json) {
            say(fmt::format(
                "action {} was interrupted ({}) and is not begun again by itself; 'yardctl retry {}' runs it "
                "again",
                lsn, endWords(result.object), lsn));
            return kExitNotRun;
        }
        const std::string_view reason = textOf(result.object, "reason");
        // The program's own end needs no comment, any other does.
        if (state != "completed" && reason != "exit_code" && !invocation_.json)
            say(withMore(fmt::format("action {} {}", lsn, endWords(result.object)), lineHint(result.object)));
        if (state == "cancelled" && !integerOf(result.object, "signal") && !integerOf(result.object, "exit_code"))
            return kSignalBase + SIGINT;
        return shellExitCode(result.object);
    }

    SignalWatch signals_; // first: blocks the signals before a thread exists
    const Invocation invocation_;
    const std::optional<TerminalSize> size_;
    const std::string seat_ = randomHex(8);            ///< at the action's terminal
    WaitNews news_{invocation_.arguments.has("hold")}; ///< of one action after the other
    OwnTerminal terminal_;
    ProgressBeside* beside_ = nullptr;        ///< set while nobody writes output
    std::array<std::timed_mutex, 2> writing_; ///< each held by who writes output to stdout, to stderr
    ThreadMutex sessionMutex_;
    TerminalSession* session_ YARD_GUARDED_BY(sessionMutex_) = nullptr;
    Outcome<int> code_ = failed("the run did not begin");
    std::string ended_; ///< the last one, in words
    ThreadMutex mutex_;
    std::optional<Accepted> accepted_ YARD_GUARDED_BY(mutex_);
    WaitTeller* teller_ YARD_GUARDED_BY(mutex_) = nullptr; ///< of the action that is followed
    bool cancelRequested_ YARD_GUARDED_BY(mutex_) = false;
    std::thread canceller_;                              ///< made under mutex_, joined once nobody else is there
    std::future<Cancel> cancel_ YARD_GUARDED_BY(mutex_); ///< by the engine; of the canceller
    std::atomic<int> signal_{0};                         ///< the first that came
    std::atomic<bool> readerLeft_{false};
    std::atomic<bool> isOutputLost_{false};
};

Outcome<int> runCommand(const Invocation& invocation) {
    ChunkSource files;
    Arguments arguments = invocation.arguments;
    if (arguments.has("notify") && arguments.has("detach"))
        return usageError("--notify and --detach do not go together: nobody waits for the end");
    for (const auto* other : {"detach", "tty"})
        if (arguments.has("progress") && arguments.has(other))
            return usageError(fmt::format("--progress and --{} do not go together: {}", other,
                                          other == std::string_view("tty") ? "the program has the terminal"
                                                                           : "nobody waits for the end"));
    // An engine is not started for what cannot be run.
    if (const auto pool = poolSize(arguments); !pool) return std::unexpected(pool.error());
    if (hasAfterRange(arguments)) { // which actions these are is part of the action
        if (auto there = ensureEngine(invocation.engine); !there) return std::unexpected(there.error());
        if (auto resolved = resolveAfterOption(invocation.engine, arguments); !resolved)
            return std::unexpected(resolved.error());
    }
    auto action = actionOfRun({arguments, invocation.engine, invocation.json}, files);
    if (!action) return std::unexpected(action.error());
    if (auto there = ensureEngine(invocation.engine); !there) return std::unexpected(there.error());
    if (auto resolved = resolveQueueOption(invocation.engine, arguments); !resolved)
        return std::unexpected(resolved.error());
    if (auto resolved = resolvePoolOption(invocation.engine, arguments); !resolved)
        return std::unexpected(resolved.error());
    if (!arguments.has("detach"))
        return Run({arguments, invocation.engine, invocation.json}, action->size).perform(action->text, files);
    auto accepted = submitAction(invocation.engine, arguments, action->text, files);
    if (!accepted) return std::unexpected(accepted.error());
    const std::string line = (invocation.json ? accepted->text : accepted->range()) + '\n';
    if (auto told = printAccepted(line, accepted->lsns()); !told) { // 125 is what did not run
        (void)writeOutput(STDERR_FILENO, errorLine(invocation.json, told.error().code, told.error().message));
        return told.error().exitCode;
    }
    tellHeld(invocation, *accepted);
    return 0;
}

} // namespace

Command runRow() {
    return {
        .name = "run",
        .usage = "[options] -- CMD…  or  -c 'LINE'",
        .summary = "run one program and exit as it does",
        .details =
            "As if it was typed here, but queued and kept: in this directory, with this environment and, "
            "unless it is a terminal, this stdin. Stdin is read to its end first; < /dev/null gives none. "
            "The output comes as it is written. INT, TERM or HUP cancels the action and waits for its end; "
            "a second one leaves it to the engine. Where stderr is a terminal it says what an action waits for "
            "that "
            "does not start.\n"
            "\n"
            "The program is begun once. A failure is the end, unless --retries says otherwise. An "
            "interruption (the engine or its launcher ended, the machine needed the memory, a directory did "
            "not answer) is the end as well, with exit code 125, unless --interruptions says how often it "
            "may begin again; stderr tells of each new beginning. An action that has not begun waits on, "
            "also while the engine is restarted.\n"
            "\n"
            "With -t the program has a terminal and keys go to it as they are typed. After Enter, ~. leaves it to "
            "the engine, ~^Z suspends yardctl, ~? lists these, ~~ is a tilde. HUP, as of a window that is closed, "
            "leaves it to the engine as well: 'attach' comes back. It has no deadline but its own.\n"
            "\n"
            "With --json only the result is printed. Values of variables that match the setting "
            "env_never_kept are not kept.\n"
            "\n"
            "Exits as the program; 128 + signal; 124 deadline; 125 it could not be run to its end; 126, 127 "
            "as a shell; 1 an expected output is missing, or the output could not be written here.",
        .examples = "yardctl run -- make -j4\n"
                    "yardctl run -c 'sort | uniq -c' < words\n"
                    "yardctl run -t -- vim notes\n"
                    "yardctl run -d -q nightly --memory 2G --after 12 -- ./report\n"
                    "yardctl run --retries 2 --interruptions 5 -- ./fetch",
        .options = workOptions(Work::Run),
        .firstOperandEndsOptions = true,
        .runsPrograms = true,
        .function = runCommand};
}

} // namespace yard::ctl

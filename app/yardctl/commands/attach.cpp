// yardctl attach: the terminal of an action that runs, for somebody who was there before or comes new.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/own_terminal.h"
#include "app/yardctl/signal_watch.h"
#include "app/yardctl/terminal_session.h"
#include "core/base/hash.h"
#include "core/base/thread_mutex.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr int kEndedBySignal = 128;
/// What of the output so far is shown: some screens.
constexpr std::size_t kMostShown = 16u << 10;
constexpr std::array kSignals = {SIGWINCH, SIGCONT, SIGTSTP, SIGQUIT};

/// The end of a stream and how long it is, whatever comes.
class Tail {
public:
    Result<void> take(std::string_view bytes) {
        size_ += bytes.size();
        text_ += bytes;
        if (text_.size() > 2 * kMostShown) text_.erase(0, text_.size() - kMostShown);
        return {};
    }
    std::uint64_t size() const { return size_; }
    /// From the begin of a line, if it is not all.
    std::string_view text() const {
        std::string_view shown(text_);
        if (shown.size() > kMostShown) shown.remove_prefix(shown.size() - kMostShown);
        if (shown.size() == size_) return shown;
        return shown.substr(std::min(shown.find('\n') + 1, shown.size()));
    }

private:
    std::uint64_t size_ = 0;
    std::string text_;
};

/// A person at the terminal of an action until that ends or they leave. The thread that made it waits for signals; one
/// waits for the end, one follows the output, and there are those of TerminalSession.
class Attachment {
public:
    Attachment(const Invocation& invocation, std::int64_t lsn, std::int64_t attempt, TerminalSize size)
        : signals_(kSignals)
        , invocation_(invocation)
        , lsn_(lsn)
        , attempt_(attempt)
        , size_(size) {}

    Outcome<int> perform() {
        std::thread worker([&] {
            code_ = follow();
            signals_.finish();
        });
        while (const auto signal = signals_.next()) {
            if (*signal != SIGWINCH && *signal != SIGCONT && *signal != SIGTSTP) leave(*signal);
            if (*signal == SIGTSTP) terminal_.suspend();
            if (*signal == SIGCONT) terminal_.resumed();
            const ThreadLock lock(mutex_);
            if (session_ && *signal == SIGCONT) session_->drawAgain();
            if (session_) session_->checkSize();
        }
        worker.join();
        return code_;
    }

private:
    Outcome<int> follow() {
        Tail tail;
        const auto read =
            invocation_.engine.stream(fmt::format("jobs/{}/stdout?attempt={}", lsn_, attempt_), kSilence,
                                      [&](std::string_view bytes) { return tail.take(bytes); });
        if (!read && isGone(read.error())) return failedWith(read.error());
        terminal_.enterRaw();
        (void)terminal_.show(tail.text());
        askToDraw();
        TerminalSession session(terminal_, invocation_.engine.another(),
                                {.lsn = lsn_,
                                 .size = size_,
                                 .seat = seat_,
                                 .leave = [this] { leave(SIGINT); },
                                 .hungUp = [this] { leave(SIGHUP); }});
        use(&session);
        KnownEnd end;
        std::thread out([&] { copy(tail.size(), end); });
        auto result = awaitEnd(invocation_.engine, lsn_);
        if (result) end.tell(result->object);
        out.join();
        use(nullptr);
        terminal_.leaveRaw();
        if (!result)
            return failed(
                fmt::format("{}; 'yardctl show {}' says how action {} ended", result.error().message, lsn_, lsn_));
        const std::string_view state = textOf(result->object, "state");
        if (state != "completed" && textOf(result->object, "reason") != "exit_code")
            say(fmt::format("action {} {}", lsn_, endWords(result->object)));
        return shellExitCode(result->object);
    }

    /// Where the program has our size already, it gets one that is a row apart first, and ours from the session.
    void askToDraw() {
        const TerminalSize own = OwnTerminal::size();
        if (own != size_) return;
        const TerminalSize apart = rowApart(own);
        const auto sent =
            invocation_.engine.call({.method = "PATCH",
                                     .path = fmt::format("jobs/{}/terminal", lsn_),
                                     .body = fmt::format(R"({{"rows":{},"cols":{}}})", apart.rows, apart.cols)});
        if (sent) size_ = apart;
    }

    /// What comes after the first `shown` bytes of the attempt.
    void copy(std::uint64_t shown, KnownEnd& end) {
        const std::int64_t first = attempt_;
        std::uint64_t left = shown;
        OutputFollower follower(invocation_.engine.another(),
                                {.lsn = lsn_,
                                 .firstAttempt = first,
                                 .announceRetries = true,
                                 .isRaw = true,
                                 .atTerminal = true,
                                 .seat = seat_,
                                 .end = &end},
                                [this, first, left](std::int64_t attempt, std::string_view bytes) mutable {
                                    const std::uint64_t old =
                                        attempt == first ? std::min<std::uint64_t>(left, bytes.size()) : 0;
                                    left -= old;
                                    return terminal_.show(bytes.substr(old));
                                });
        if (const auto followed = follower.run(); !followed) say(followed.error().message);
    }

    void use(TerminalSession* session) {
        const ThreadLock lock(mutex_);
        session_ = session;
    }

    void say(std::string_view sentence) {
        std::string line = errorLine(false, {}, sentence);
        if (isAttached()) line = "\r\n" + line + "\r"; // in raw mode a line feed is no more than that
        (void)writeOutput(STDERR_FILENO, line);
    }
    bool isAttached() {
        const ThreadLock lock(mutex_);
        return session_ != nullptr;
    }

    [[noreturn]] void leave(int signal) {
        terminal_.leaveRaw();
        (void)writeOutput(STDERR_FILENO,
                          fmt::format("\nyardctl: action {0} goes on; 'yardctl attach {0}' comes back to it, "
                                      "'yardctl cancel {0}' ends it\n",
                                      lsn_));
        ::_exit(kEndedBySignal + signal);
    }

    static constexpr std::chrono::seconds kSilence{30};

    SignalWatch signals_; // first: blocks the signals before a thread exists
    const Invocation& invocation_;
    const std::int64_t lsn_;
    const std::int64_t attempt_;
    TerminalSize size_;                     ///< of the action's terminal
    const std::string seat_ = randomHex(8); ///< at the action's terminal
    OwnTerminal terminal_;
    ThreadMutex mutex_;
    TerminalSession* session_ YARD_GUARDED_BY(mutex_) = nullptr;
    Outcome<int> code_ = failed("nothing was attached");
};

/// Nothing: there is no terminal to come back to, and what the exit code is then.
Outcome<TerminalSize> terminalOf(const Invocation& invocation, std::int64_t lsn, const json::object& action) {
    const json::object* tty = objectOf(action, "tty");
    if (!tty) {
        const auto spec = invocation.engine.get(fmt::format("jobs/{}/spec", lsn));
        if (!spec) return failedWith(spec.error());
        if (!spec->object.contains("tty"))
            return failed(
                fmt::format("action {0} has no terminal: 'yardctl run -t' gives one; 'yardctl logs -f {0}' "
                            "follows what it writes",
                            lsn));
        return failed(
            fmt::format("action {0} does not run yet ({1}): its terminal is there once it does; 'yardctl why "
                        "{0}' says what it waits for",
                        lsn, stateWords(action)));
    }
    const std::int64_t others = integerOf(*tty, "attached").value_or(0);
    if (others > 0 && !invocation.arguments.has("share"))
        return failed(
            fmt::format("somebody else is at the terminal of action {0}; 'yardctl attach --share {0}' goes "
                        "there beside them",
                        lsn));
    return TerminalSize{.rows = static_cast<int>(integerOf(*tty, "rows").value_or(0)),
                        .cols = static_cast<int>(integerOf(*tty, "cols").value_or(0))};
}

Outcome<int> attachCommand(const Invocation& invocation) {
    const auto named = theNamedAction("attach", invocation.arguments.operands().front());
    if (!named) return std::unexpected(named.error());
    if (invocation.json)
        return usageError("'attach' and --json do not go together: the terminal shows what the program prints");
    const std::int64_t lsn = *named;
    const auto action = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (!action) return failedWith(action.error());
    if (isEnded(action->object)) {
        (void)writeOutput(STDERR_FILENO,
                          errorLine(false, {},
                                    fmt::format("action {0} has ended: {1}; 'yardctl logs {0}' has what it wrote",
                                                lsn, endWords(action->object))));
        return shellExitCode(action->object);
    }
    if (!OwnTerminal::isThere())
        return usageError(
            fmt::format("'attach' needs a terminal here as stdin and stdout; 'yardctl logs -f {}' follows "
                        "what the action writes",
                        lsn));
    const auto size = terminalOf(invocation, lsn, action->object);
    if (!size) return std::unexpected(size.error());
    return Attachment(invocation, lsn, attemptNumber(action->object), *size).perform();
}

} // namespace

Command attachRow() {
    return {
        .name = "attach",
        .usage = "[options] LSN",
        .summary = "come back to the terminal of an action",
        .details =
            "Of an action that 'run -t' began, and whose yardctl was left with ~. or ended, or whose connection "
            "broke. Shows the end of what the program wrote, and has it draw itself again. Keys and ~. are as in "
            "'run -t'. A signal that ends yardctl leaves the action to the engine. An action that has ended is "
            "told.\n"
            "\n"
            "Exits as 'run'.",
        .examples = "yardctl attach 12\n"
                    "yardctl attach --share 12",
        .options = {{"share", 0, "", "also while somebody else is there: both see it, both type"}},
        .minOperands = 1,
        .maxOperands = 1,
        .function = attachCommand,
        .live = "terminals"};
}

} // namespace yard::ctl

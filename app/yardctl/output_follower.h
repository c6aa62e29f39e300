// Copies one output stream of an action to a descriptor while it comes, over retries and restarts of the engine.
// Owned by one thread, which blocks in run(); stop() may come from any.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/log_lines.h"
#include "app/yardctl/seen_stream.h"
#include "core/base/thread_mutex.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace yard::ctl {

/// The action as it ended, told by one thread to others, which then need not ask for it themselves. Any thread.
class KnownEnd {
public:
    void tell(const json::object& action);
    /// Nothing when it was not told soon: it may go on.
    std::optional<json::object> soon();

private:
    ThreadMutex mutex_;
    ThreadCondition changed_;
    std::optional<json::object> action_ YARD_GUARDED_BY(mutex_);
};

/// Takes bytes of an attempt; an error stops the follower.
using OutputSink = std::function<Result<void>(std::int64_t attempt, std::string_view bytes)>;

class OutputFollower {
public:
    struct What {
        std::int64_t lsn = 0;
        std::string stream = "stdout"; ///< or "stderr"
        std::int64_t firstAttempt = 1;
        bool announceRetries = false; ///< says on stderr that an attempt is being retried
        bool isRaw = false;           ///< stderr is a terminal in raw mode
        bool atTerminal = false;      ///< somebody is at the action's terminal, which others are told
        std::string seat{};           ///< with it: which of those there
        KnownEnd* end = nullptr;      ///< asked first; outlives the follower
        /// The stream has ended, and a moment later the action has not.
        std::function<void()> lingers = [] {};
        /// Of what attempts up to `tailUntil` have written before, only so many lines.
        std::optional<std::size_t> tail{};
        std::int64_t tailUntil = 0;
        bool tellsOfCutTail = true;
        bool tellsOfNone = false; ///< says on stderr that the action ended without an attempt
    };
    OutputFollower(std::unique_ptr<Engine> engine, What what, OutputSink sink)
        : engine_(std::move(engine))
        , what_(std::move(what))
        , sink_(std::move(sink)) {}

    /// Until the action has ended and all of its output is delivered. Errors: the sink's, or the engine cannot be
    /// reached for kPatience.
    Outcome<void> run();
    /// Any thread: run() ends soon.
    void stop() { engine_->interrupt(); }

private:
    enum class Next : unsigned char { Attempt, Done };
    std::string seatQuery() const;
    Outcome<void> copyAttempt(std::int64_t attempt);
    Outcome<void> copyTail(std::int64_t attempt);
    Result<void> take(std::int64_t attempt, std::string_view bytes);
    Result<void> endTail(std::int64_t attempt);
    Outcome<Next> settle(std::int64_t attempt, bool& late);
    Result<void> deliver(std::int64_t attempt, std::string_view bytes);
    Result<Answer> ask(double waitSeconds);
    void announce(std::int64_t attempt) const;

    std::unique_ptr<Engine> engine_;
    const What what_;
    OutputSink sink_;
    SeenStream seen_;      ///< of the current attempt
    json::object retried_; ///< the action, when it was last seen to be retried
    Result<void> taken_;   ///< what the sink said last

    /// The last lines of what there was when it began to be followed.
    struct Tail {
        TailLines lines;
        std::uint64_t size;                  ///< bytes that were asked for
        std::string begin{};                 ///< until it is known where they begin
        std::optional<std::uint64_t> left{}; ///< of those: what comes after them was not there yet
    };
    std::optional<Tail> tail_;
    bool isTailed_ = false; ///< of the current attempt only the end was asked for
};

/// The end of a stream as it is now, in which there are that many lines, or all of it.
struct LastPiece {
    std::string bytes{};
    std::size_t asked = 0; ///< bytes; there are more than these before it unless `isAll`
    bool isAll = false;
};
/// By larger and larger pieces until there are enough.
Result<LastPiece> lastPiece(Engine& engine, const std::string& path, std::size_t lines);

/// Says that --tail asked for more than is kept of a stream.
void tellOfCutTail(std::int64_t lsn, std::string_view stream);

/// Says that an action has no output, as endedBeforeItRan().
void tellOfNone(std::int64_t lsn);

/// Writes all of `bytes` to stdout (1) or stderr (2) at once, unbuffered.
Result<void> writeOutput(int fd, std::string_view bytes);

} // namespace yard::ctl

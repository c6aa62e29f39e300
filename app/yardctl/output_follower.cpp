#include "app/yardctl/output_follower.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/log_lines.h"
#include "app/yardctl/own_terminal.h"
#include "core/base/kept_stream.h"
#include "core/model/states.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr double kSoon = 0.25; ///< seconds; the shortest back-off before a retry
constexpr double kLater = 2;
constexpr int kSoonTimes = 20;

/// What is kept of the attempt's stream, once that is on record.
struct Recorded {
    std::uint64_t size = 0;
    bool isCut = false; ///< it is not all that was written
};
std::optional<Recorded> recordOf(const json::object& action, std::int64_t attempt, std::string_view stream) {
    const json::object* holder = isEnded(action) && attemptNumber(action) == attempt ? &action : nullptr;
    if (const json::array* attempts = holder ? nullptr : arrayOf(action, "attempts"))
        for (const json::value& a : *attempts)
            if (a.is_object() && integerOf(a.get_object(), "n") == attempt) holder = &a.get_object();
    const json::object* chunk = holder ? objectOf(*holder, stream) : nullptr;
    const auto size = chunk ? integerOf(*chunk, "size") : std::nullopt;
    if (!size) return std::nullopt;
    return Recorded{static_cast<std::uint64_t>(*size), isCut(*chunk)};
}

} // namespace

Outcome<void> OutputFollower::run() {
    for (std::int64_t attempt = what_.firstAttempt;; ++attempt) {
        seen_ = {};
        tail_.reset();
        isTailed_ = false;
        if (what_.tail && attempt <= what_.tailUntil)
            if (auto copied = copyTail(attempt); !copied) return copied;
        if (auto copied = copyAttempt(attempt); !copied) return copied;
        bool late = false;
        auto next = settle(attempt, late);
        if (!next) return std::unexpected(next.error());
        // The stream ended before the attempt, as by an engine that stops: the rest is there now.
        if (late)
            if (auto copied = copyAttempt(attempt); !copied) return copied;
        if (*next == Next::Done) return {};
        announce(attempt);
    }
}

Result<void> OutputFollower::deliver(std::int64_t attempt, std::string_view bytes) {
    if (!bytes.empty()) taken_ = sink_(attempt, bytes);
    return taken_;
}

/// Whoever is at the terminal says which one of them it is, and how large the own terminal is now.
std::string OutputFollower::seatQuery() const {
    if (!what_.atTerminal) return {};
    const TerminalSize own = OwnTerminal::size();
    return fmt::format("&terminal=1&seat={}&rows={}&cols={}", what_.seat, own.rows, own.cols);
}

/// To the end of the attempt's stream. A broken connection is made again; an attempt that has not begun is waited
/// for unless the action ended without it.
Outcome<void> OutputFollower::copyAttempt(std::int64_t attempt) {
    using PatienceClock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPause{200};
    const std::string path = fmt::format("jobs/{}/{}?attempt={}&follow=1", what_.lsn, what_.stream, attempt);
    auto patientUntil = PatienceClock::now() + kPatience;
    for (int tries = 0;; ++tries) {
        if (tail_) { // nothing was delivered yet
            seen_ = {};
            tail_->begin.clear();
        }
        seen_.beginView(); // from the attempt's first byte: what was delivered before is skipped
        const std::string last = tail_ ? fmt::format("&last={}", tail_->size) : std::string();
        const auto copied =
            engine_->stream(path + last + seatQuery(), std::chrono::milliseconds(0), [&](std::string_view bytes) {
                patientUntil = PatienceClock::now() + kPatience;
                return take(attempt, bytes);
            });
        const std::string left = seen_.endView();
        if (taken_ && tail_ && (copied || tail_->left)) taken_ = endTail(attempt);
        if (taken_ && !tail_) taken_ = deliver(attempt, left);
        if (copied && taken_) return {};
        if (!taken_) return failedWith(taken_.error());
        const ErrorKind kind = copied.error().kind;
        if (kind == ErrorKind::NotFound || kind == ErrorKind::WrongState) {
            // Not begun (yet), or ended before it had any output.
            auto action = ask(tries < kSoonTimes ? kSoon : kLater);
            if (!action) return failedWith(action.error());
            if (what_.tellsOfNone && endedBeforeItRan(action->object)) tellOfNone(what_.lsn);
            if (isEnded(action->object) || attemptNumber(action->object) > attempt) return {};
            patientUntil = PatienceClock::now() + kPatience;
        } else if (!isGone(copied.error()) || engine_->isInterrupted() || PatienceClock::now() >= patientUntil) {
            return failedWith(copied.error());
        } else {
            std::this_thread::sleep_for(kPause);
        }
    }
}

/// The last lines of what there is of the attempt now; what follows is copied by copyAttempt(), which also begins at the
/// end where there is much.
Outcome<void> OutputFollower::copyTail(std::int64_t attempt) {
    using PatienceClock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPause{200};
    const std::string path = fmt::format("jobs/{}/{}?attempt={}", what_.lsn, what_.stream, attempt);
    LastPiece last;
    last.isAll = true;
    for (const auto patientUntil = PatienceClock::now() + kPatience;;) {
        auto piece = lastPiece(*engine_, path, *what_.tail);
        if (piece) last = std::move(*piece);
        if (piece || piece.error().kind == ErrorKind::NotFound || piece.error().kind == ErrorKind::WrongState)
            break; // or there is nothing of it yet
        if (!isGone(piece.error()) || engine_->isInterrupted() || PatienceClock::now() >= patientUntil)
            return failedWith(piece.error());
        std::this_thread::sleep_for(kPause);
    }
    tail_.emplace(Tail{.lines = TailLines(*what_.tail), .size = last.asked});
    isTailed_ = !last.isAll;
    if (isTailed_) return {};
    seen_.beginView();
    tail_->lines.take(seen_.take(last.bytes));
    tail_->lines.take(seen_.endView());
    if (auto taken = endTail(attempt); !taken) return failedWith(taken.error());
    return {};
}

/// Of what was there the last lines are shown, of what comes all.
Result<void> OutputFollower::take(std::int64_t attempt, std::string_view bytes) {
    const std::string fresh = seen_.take(bytes);
    if (!tail_) return deliver(attempt, fresh);
    std::string_view rest = fresh;
    if (!tail_->left) {
        tail_->begin += fresh;
        // The engine says first how much it passes over; nothing where there is no more.
        const bool mayBeLine = tail_->begin.starts_with(kGapLineBegin.substr(0, tail_->begin.size()));
        const std::size_t end = mayBeLine ? tail_->begin.find('\n', kGapLineBegin.size()) : 0;
        if (end == std::string::npos) return {};
        rest = tail_->begin;
        const std::string_view line = rest.substr(0, end + 1);
        if (line.ends_with(kGapLineEnd) || line.ends_with(kGapLineEndOfOne)) rest.remove_prefix(line.size());
        tail_->left = tail_->size;
    }
    const std::string_view old = rest.substr(0, *tail_->left);
    tail_->lines.take(old);
    *tail_->left -= old.size();
    if (*tail_->left > 0) return {};
    const std::string kept(rest.substr(old.size()));
    if (auto ended = endTail(attempt); !ended) return ended;
    return deliver(attempt, kept);
}

Result<void> OutputFollower::endTail(std::int64_t attempt) {
    if (!tail_) return {};
    if (!tail_->left) tail_->lines.take(tail_->begin);
    const std::string lines = tail_->lines.end();
    const bool isCut = tail_->lines.isCut();
    tail_.reset();
    if (isCut && what_.tellsOfCutTail) tellOfCutTail(what_.lsn, what_.stream);
    return deliver(attempt, lines);
}

void KnownEnd::tell(const json::object& action) {
    {
        const ThreadLock lock(mutex_);
        action_ = action;
    }
    changed_.notifyAll();
}

std::optional<json::object> KnownEnd::soon() {
    constexpr std::chrono::milliseconds kSoonEnough{
        20}; // an end is known at the same moment as that of its streams
    const auto until = std::chrono::steady_clock::now() + kSoonEnough;
    const ThreadLock lock(mutex_);
    while (!action_ && changed_.waitUntil(mutex_, until)) {
    }
    return action_;
}

/// After the end of an attempt's stream: is it the last one? The engine knows a moment later than the stream.
/// `late`: there is more of it than was delivered.
Outcome<OutputFollower::Next> OutputFollower::settle(std::int64_t attempt, bool& late) {
    std::optional<json::object> end = what_.end ? what_.end->soon() : std::nullopt;
    for (int tries = 0;; ++tries) {
        Result<Answer> action = end ? Answer{.status = 200, .text = {}, .object = *std::exchange(end, std::nullopt)}
                                    : ask(tries < kSoonTimes ? kSoon : kLater);
        if (!action) return failedWith(action.error());
        const auto record = recordOf(action->object, attempt, what_.stream);
        if (!record)
            late = tries > 0;
        else // of a cut stream another view may have been given than the one that is kept
            late = record->isCut ? !isTailed_ && record->size != seen_.viewSize() : record->size > seen_.written();
        if (attemptNumber(action->object) > attempt) {
            retried_ = std::move(action->object);
            return Next::Attempt;
        }
        if (isEnded(action->object)) return Next::Done;
        if (engine_->isInterrupted()) return failed("interrupted");
        if (tries == 0) what_.lingers();
    }
}

Result<Answer> OutputFollower::ask(double waitSeconds) {
    return engine_->callPatiently({.path = fmt::format("jobs/{}?wait={}", what_.lsn, waitSeconds)});
}

void OutputFollower::announce(std::int64_t attempt) const {
    if (!what_.announceRetries) return;
    std::string why = "ended";
    bool isInterrupted = false;
    if (const json::array* attempts = arrayOf(retried_, "attempts"))
        for (const json::value& a : *attempts) {
            if (!a.is_object() || integerOf(a.get_object(), "n") != attempt) continue;
            why = stateWords(a.get_object());
            const auto reason = reasonFrom(textOf(a.get_object(), "reason"));
            isInterrupted = reason && isInterruption(*reason);
            // What a program said of its own failure was copied already.
            const std::string note = noteWords(a.get_object());
            if (!note.empty() && textOf(a.get_object(), "reason") != "exit_code") why += fmt::format(" ({})", note);
        }
    const std::string line =
        fmt::format("yardctl: action {}: attempt {} {}; {}being retried as attempt {}{}{}", what_.lsn, attempt, why,
                    isInterrupted ? "an interruption, not a failure of the program: " : "", attempt + 1,
                    isInterrupted ? ", which begins again from the start" : "", what_.isRaw ? "\r\n" : "\n");
    (void)writeOutput(STDERR_FILENO, line);
}

Result<LastPiece> lastPiece(Engine& engine, const std::string& path, std::size_t lines) {
    constexpr std::size_t kFirst = 64 * 1024;
    constexpr std::size_t kGrowth = 8;
    const std::string last = fmt::format("{}{}last=", path, path.contains('?') ? '&' : '?');
    for (std::size_t size = kFirst;; size *= kGrowth) {
        // One more than is kept, so that what is too long is seen to be.
        size = std::min(size, TailLines::kMost + 1);
        LastPiece piece{.asked = size};
        const auto copied =
            engine.stream(fmt::format("{}{}", last, size), std::chrono::seconds(30), [&](std::string_view bytes) {
                piece.bytes += bytes;
                return Result<void>();
            });
        if (!copied) return std::unexpected(copied.error());
        piece.isAll = piece.bytes.size() < size;
        // The end of the last line begins no other.
        const std::string_view begun =
            std::string_view(piece.bytes).substr(0, piece.bytes.size() - piece.bytes.ends_with('\n'));
        const bool isEnough = std::cmp_greater_equal(std::ranges::count(begun, '\n'), lines);
        if (piece.isAll || isEnough || size > TailLines::kMost) return piece;
    }
}

void tellOfCutTail(std::int64_t lsn, std::string_view stream) {
    const std::string line =
        fmt::format("yardctl: action {}: of its {} only the last {} are shown, which is less than "
                    "--tail asks for; leave --tail out for all of it\n",
                    lsn, stream, sizeWords(TailLines::kMost));
    (void)writeOutput(STDERR_FILENO, line);
}

void tellOfNone(std::int64_t lsn) {
    (void)writeOutput(STDERR_FILENO, fmt::format("yardctl: action {0} has no output: it ended before it ran; "
                                                 "'yardctl why {0}' says why\n",
                                                 lsn));
}

Result<void> writeOutput(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            // Whoever gave us the descriptor made it non-blocking; a slow reader still gets everything.
            pollfd wait{fd, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return failErrno(
                fd == STDERR_FILENO ? "cannot write to standard error" : "cannot write to standard output", errno);
        }
    }
    return {};
}

} // namespace yard::ctl

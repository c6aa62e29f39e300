#include "app/yardctl/output_follower.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/model/states.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>

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
    const json::value* cut = chunk->if_contains("truncated");
    return Recorded{static_cast<std::uint64_t>(*size), cut && cut->is_bool() && cut->get_bool()};
}

} // namespace

Outcome<void> OutputFollower::run() {
    for (std::int64_t attempt = what_.firstAttempt;; ++attempt) {
        seen_ = {};
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

/// To the end of the attempt's stream. A broken connection is made again; an attempt that has not begun is waited
/// for unless the action ended without it.
Outcome<void> OutputFollower::copyAttempt(std::int64_t attempt) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPause{200};
    const std::string path = fmt::format("jobs/{}/{}?attempt={}&follow=1", what_.lsn, what_.stream, attempt);
    auto patientUntil = Clock::now() + kPatience;
    for (int tries = 0;; ++tries) {
        seen_.beginView(); // from the attempt's first byte: what was delivered before is skipped
        const auto copied = engine_->stream(path, std::chrono::milliseconds(0), [&](std::string_view bytes) {
            patientUntil = Clock::now() + kPatience;
            return deliver(attempt, seen_.take(bytes));
        });
        if (taken_) taken_ = deliver(attempt, seen_.endView());
        if (copied && taken_) return {};
        if (!taken_) return failedWith(taken_.error());
        const ErrorKind kind = copied.error().kind;
        if (kind == ErrorKind::NotFound || kind == ErrorKind::WrongState) {
            // Not begun (yet), or ended before it had any output.
            auto action = ask(tries < kSoonTimes ? kSoon : kLater);
            if (!action) return failedWith(action.error());
            if (isEnded(action->object) || attemptNumber(action->object) > attempt) return {};
            patientUntil = Clock::now() + kPatience;
        } else if (kind != ErrorKind::Io || engine_->isInterrupted() || Clock::now() >= patientUntil) {
            return failedWith(copied.error());
        } else {
            std::this_thread::sleep_for(kPause);
        }
    }
}

void KnownEnd::tell(const json::object& action) {
    {
        const std::scoped_lock lock(mutex_);
        action_ = action;
    }
    changed_.notify_all();
}

std::optional<json::object> KnownEnd::soon() {
    constexpr std::chrono::milliseconds kSoonEnough{
        20}; // an end is known at the same moment as that of its streams
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kSoonEnough, [&] { return action_.has_value(); });
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
            late = record->isCut ? record->size != seen_.viewSize() : record->size > seen_.written();
        if (attemptNumber(action->object) > attempt) {
            retried_ = std::move(action->object);
            return Next::Attempt;
        }
        if (isEnded(action->object)) return Next::Done;
        if (engine_->isInterrupted()) return failed("interrupted");
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

#include "app/yardctl/output_follower.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"

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

} // namespace

Outcome<void> OutputFollower::run() {
    for (std::int64_t attempt = what_.firstAttempt;; ++attempt) {
        if (auto copied = copyAttempt(attempt); !copied) return copied;
        auto next = settle(attempt);
        if (!next) return std::unexpected(next.error());
        if (*next == Next::Done) return {};
    }
}

/// To the end of the attempt's stream. A broken connection is made again and what was delivered is skipped; an
/// attempt that has not begun is waited for unless the action ended without it.
Outcome<void> OutputFollower::copyAttempt(std::int64_t attempt) {
    using Clock = std::chrono::steady_clock;
    const std::string path = fmt::format("jobs/{}/{}?attempt={}&follow=1", what_.lsn, what_.stream, attempt);
    std::uint64_t delivered = 0;
    Result<void> taken;
    auto patientUntil = Clock::now() + kPatience;
    for (int tries = 0;; ++tries) {
        std::uint64_t seen = 0;
        const auto copied = engine_->stream(path, std::chrono::milliseconds(0), [&](std::string_view bytes) {
            const auto known = std::min<std::uint64_t>(bytes.size(), delivered - std::min(seen, delivered));
            seen += bytes.size();
            bytes.remove_prefix(known);
            delivered += bytes.size();
            patientUntil = Clock::now() + kPatience;
            if (!bytes.empty()) taken = sink_(attempt, bytes);
            return taken;
        });
        if (copied) return {};
        if (!taken) return failedWith(taken.error());
        const ErrorKind kind = copied.error().kind;
        if (engine_->isInterrupted()) return failedWith(copied.error());
        if (kind == ErrorKind::NotFound || kind == ErrorKind::WrongState) {
            // Not begun (yet), or ended before it had any output.
            auto action = ask(tries < kSoonTimes ? kSoon : kLater);
            if (!action) return failedWith(action.error());
            if (isEnded(action->object) || attemptNumber(action->object) > attempt) return {};
            patientUntil = Clock::now() + kPatience;
        } else if (kind != ErrorKind::Io || Clock::now() >= patientUntil) {
            return failedWith(copied.error());
        } else {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }
}

/// After the end of an attempt's stream: is it the last one? The engine knows a moment later than the stream.
Outcome<OutputFollower::Next> OutputFollower::settle(std::int64_t attempt) {
    for (int tries = 0;; ++tries) {
        auto action = ask(tries < kSoonTimes ? kSoon : kLater);
        if (!action) return failedWith(action.error());
        if (attemptNumber(action->object) > attempt) {
            announce(attempt, action->object);
            return Next::Attempt;
        }
        if (isEnded(action->object)) return Next::Done;
        if (engine_->isInterrupted()) return failed("interrupted");
    }
}

Result<Answer> OutputFollower::ask(double waitSeconds) {
    return engine_->callPatiently({.path = fmt::format("jobs/{}?wait={}", what_.lsn, waitSeconds)});
}

void OutputFollower::announce(std::int64_t attempt, const json::object& action) const {
    if (!what_.announceRetries) return;
    std::string why = "ended";
    if (const json::array* attempts = arrayOf(action, "attempts"))
        for (const json::value& a : *attempts)
            if (a.is_object() && integerOf(a.get_object(), "n") == attempt) why = stateWords(a.get_object());
    const std::string line = fmt::format("yardctl: action {}: attempt {} {}; being retried as attempt {}\n",
                                         what_.lsn, attempt, why, attempt + 1);
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

#include "core/session/retry.h"

#include <algorithm>

namespace yard::session {

namespace {

/// The first rule that names the exit code or the reason decides; without one, yes.
bool rulesAllow(const QueueConfig& config, const AttemptEnd& end) {
    for (const RetryRule& rule : config.retryRules) {
        const bool byCode =
            end.exitCode && std::ranges::find(rule.exitCodes, *end.exitCode) != rule.exitCodes.end();
        if (byCode || std::ranges::find(rule.reasons, end.reason) != rule.reasons.end()) return rule.retry;
    }
    return true;
}

/// splitmix64
std::uint64_t nextRandom(std::uint64_t& state) {
    std::uint64_t x = state += 0x9E37'79B9'7F4A'7C15u;
    x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9u;
    x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EBu;
    return x ^ x >> 31;
}

} // namespace

std::optional<RetryCounters> decideRetry(const QueueConfig& config, const RetryLimits& own,
                                         const RetryCounters& before, const AttemptEnd& end) {
    constexpr int kSaturated = 65'535; // a counter that cannot grow must not allow retries forever
    if (end.reason == Reason::DependencyFailed || end.cannotHeal || !rulesAllow(config, end)) return std::nullopt;
    RetryCounters after = before;
    int& counter = isInterruption(end.reason) ? after.interruptions : after.ownFailures;
    const int limit = isInterruption(end.reason) ? own.interruptions.value_or(config.maxInterruptions)
                                                 : own.retries.value_or(config.maxRetries);
    if (counter >= std::min(limit, kSaturated)) return std::nullopt;
    ++counter;
    after.retryCount = std::min(after.retryCount + 1, kSaturated);
    return after;
}

bool isUncounted(const AttemptEnd& end) {
    return end.neverRan && isInterruption(end.reason) && end.reason != Reason::SpawnError;
}

Duration backoffAfter(const QueueConfig& config, std::uint32_t endedAttempt, Reason reason, std::uint64_t& random) {
    if (reason == Reason::EngineDied || reason == Reason::EngineStopped) return Duration{0};
    Duration wait = std::min(config.backoff, config.backoffMax);
    for (std::uint32_t n = 1; n < endedAttempt && wait.count() > 0 && wait < config.backoffMax; ++n)
        wait = std::min(config.backoffMax, wait > config.backoffMax / 2 ? config.backoffMax : wait * 2);
    const double jitter = 0.8 + 0.4 * (static_cast<double>(nextRandom(random) >> 11) / 9007199254740992.0);
    return Duration{static_cast<Duration::rep>(static_cast<double>(wait.count()) * jitter)};
}

} // namespace yard::session

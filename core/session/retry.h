// May an attempt that ended be repeated, and when (docs/queues.md). Pure functions. Private to session.
#pragma once

#include "core/base/clock.h"
#include "core/model/queue.h"
#include "core/session/messages.h"

#include <cstdint>
#include <optional>

namespace yard::session {

/// The counters after the reset; nothing when the end is final. `end` is Failed or Abandoned.
/// The action's own limits go before the queue's.
std::optional<RetryCounters> decideRetry(const QueueConfig& config, const RetryLimits& own,
                                         const RetryCounters& before, const AttemptEnd& end);

/// Goes back as if it had never been handed out: it did not run, and not for a reason of its own. A spawn error
/// does not pass for that: a program that is missing must meet a limit.
bool isUncounted(const AttemptEnd& end);

/// Time to wait before the attempt after `endedAttempt` (from 1). It doubles from config.backoff up to
/// config.backoffMax, +-20 %; none after engine_died and engine_stopped. Moves `random` on.
Duration backoffAfter(const QueueConfig& config, std::uint32_t endedAttempt, Reason reason, std::uint64_t& random);

} // namespace yard::session

#include "core/session/queue_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace yard::session {

namespace {

std::unexpected<Error> noQueue(QueueId id) {
    return fail(ErrorKind::NotFound,
                fmt::format("There is no queue {}: GET queues lists those there are.", id.value));
}
std::unexpected<Error> notQueueZero(std::string_view verb) {
    return fail(ErrorKind::WrongState,
                fmt::format("Queue 0 is the engine's own and cannot be {}: hold it, or drain the session.", verb));
}

} // namespace

Result<void> QueueCommands::accepts(QueueId id) const {
    if (auto taken = service_.acceptsWork(); !taken) return taken;
    const Queue* q = ledger_.queueNamed(id);
    if (!q) return noQueue(id);
    if (q->state == QueueState::Active) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("Queue {} is {} and takes no new actions: submit to another one.", id.value,
                            q->forgetting ? "being deleted" : name(q->state)));
}

void QueueCommands::add(QueueId id, const QueueConfig& config, QueueState state, bool held,
                        const QueueCounters& counters, std::int64_t failedBefore) {
    YARD_ASSERT_OWNER(owner_);
    Queue& q = order_.queue(ledger_.addQueue(id, counters));
    q.config = config;
    q.state = state;
    q.held = held;
    q.yields = yielding_ && !config.ignoresCourtesy;
    q.failedBefore = failedBefore;
}

const QueueConfig* QueueCommands::configOf(QueueId id) const {
    const Queue* q = ledger_.queueNamed(id);
    return q ? &q->config : nullptr;
}

Result<void> QueueCommands::configure(QueueId id, const QueueConfig& config) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    Queue& q = order_.queue(at);
    if (q.config.stopAfterFailures != config.stopAfterFailures) q.failedBefore = q.failuresInAll();
    q.config = config;
    q.yields = yielding_ && !config.ignoresCourtesy;
    if (q.yields) order_.endClaimsOf(at);
    order_.wake(at);
    return {};
}

void QueueCommands::setYielding(bool on, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    if (std::exchange(yielding_, on) == on) return;
    for (std::uint32_t at = 0; at < order_.queuesEnd(); ++at) {
        if (!order_.hasQueue(at)) continue;
        Queue& q = order_.queue(at);
        q.yields = on && !q.config.ignoresCourtesy;
        if (q.yields) {
            order_.endClaimsOf(at);
            attempts_.takeBackAhead(at, out);
        } else {
            order_.wake(at);
        }
    }
}

void QueueCommands::setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits) {
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return;
    Queue& q = order_.queue(at);
    if (!q.gates && limits.empty()) return;
    if (!q.gates) q.gates = std::make_unique<LabelGates>(ledger_.records());
    q.gates->setLimits(std::move(limits), [&](LabelId label) {
        return static_cast<int>(std::ranges::count_if(attempts_.all(), [&](std::uint32_t record) {
            const Record& r = ledger_.records()[record];
            return r.label == label.value && ledger_.lanes()[r.lane].queue == at;
        }));
    });
    entrance_.listOpening(at);
    if (q.gates->empty() && !q.openingListed) q.gates.reset();
}

Result<void> QueueCommands::hold(QueueId id, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    order_.queue(at).held = true;
    order_.endClaimsOf(at);
    attempts_.takeBackAhead(at, out);
    return {};
}

void QueueCommands::learnRunTime(QueueId id, Duration time) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at != kNone) order_.queue(at).learnRunTime(time);
}

Result<void> QueueCommands::release(QueueId id) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    Queue& q = order_.queue(at);
    q.held = false;
    q.failedBefore = q.failuresInAll();
    order_.wake(at);
    return {};
}

Result<void> QueueCommands::drain(QueueId id) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    if (id.value == 0) return notQueueZero("drained");
    Queue& q = order_.queue(at);
    if (!queueTransitions().allows(q.state, QueueState::Draining))
        return fail(ErrorKind::WrongState,
                    fmt::format("Queue {} is {} already, for good: make another one for new work.", id.value,
                                name(q.state)));
    q.state = QueueState::Draining;
    return {};
}

Result<void> QueueCommands::cancel(QueueId id, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    if (id.value == 0) return notQueueZero("cancelled");
    if (!queueTransitions().allows(order_.queue(at).state, QueueState::Cancelled))
        return fail(
            ErrorKind::WrongState,
            fmt::format("Queue {} is cancelled already: delete it, or make another one for new work.", id.value));
    bulk_.cancelQueue(at, out);
    return {};
}

Result<void> QueueCommands::forget(QueueId id, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint32_t at = ledger_.findQueue(id);
    if (at == kNone) return noQueue(id);
    if (id.value == 0) return notQueueZero("deleted");
    Queue& q = order_.queue(at);
    q.forgetting = true;
    if (q.state != QueueState::Cancelled) bulk_.cancelQueue(at, out);
    ledger_.tryForget(at, out);
    return {};
}

void QueueCommands::setTurns(double virtualNow, std::span<const QueueTurns> turns) {
    YARD_ASSERT_OWNER(owner_);
    order_.setVirtualNow(virtualNow);
    order_.forgetListings();
    for (const QueueTurns& turn : turns) {
        const std::uint32_t at = ledger_.findQueue(turn.queue);
        if (at == kNone) continue;
        Queue& q = order_.queue(at);
        q.virtualTime = turn.virtualTime;
        q.starts = turn.starts;
    }
}

} // namespace yard::session

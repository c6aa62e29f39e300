#include "core/session/impl.h"

#include <fmt/format.h>

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

const Queue* Session::Impl::findQueue(QueueId id) const {
    const std::uint32_t at = queueIndex_.find(id.value);
    return at == kNone ? nullptr : &order_.queue(at);
}

Result<void> Session::Impl::accepts(QueueId id) const {
    if (auto taken = acceptsWork(); !taken) return taken;
    const Queue* q = findQueue(id);
    if (!q) return noQueue(id);
    if (q->state == QueueState::Active) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("Queue {} is {} and takes no new actions: submit to another one.", id.value,
                            q->forgetting ? "being deleted" : name(q->state)));
}

void Session::Impl::addQueue(QueueId id, const QueueConfig& config, QueueState state, bool held,
                             const QueueCounters& counters, std::int64_t failedBefore) {
    std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) {
        at = order_.addQueue(id);
        queueIndex_.insert(id.value, at);
    }
    Queue& q = order_.queue(at);
    assert(q.tally.stored == QueueCounters{} && "a queue is added once, before its actions");
    q.config = config;
    q.state = state;
    q.held = held;
    q.failedBefore = failedBefore;
    for (QueueCounters* c : {&q.tally.stored, &total_.stored}) {
        c->completed += counters.completed;
        c->failed += counters.failed;
        c->abandoned += counters.abandoned;
        c->cancelled += counters.cancelled;
    }
}

Result<void> Session::Impl::configureQueue(QueueId id, const QueueConfig& config) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return noQueue(id);
    Queue& q = order_.queue(at);
    if (q.config.stopAfterFailures != config.stopAfterFailures) q.failedBefore = q.tally.stored.failed + q.failing;
    q.config = config;
    order_.wake(at);
    return {};
}

void Session::Impl::setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return;
    Queue& q = order_.queue(at);
    if (!q.gates && limits.empty()) return;
    if (!q.gates) q.gates = std::make_unique<LabelGates>(records_);
    q.gates->setLimits(std::move(limits), [&](LabelId label) {
        return static_cast<int>(std::ranges::count_if(outstanding_, [&](std::uint32_t record) {
            return records_[record].label == label.value && lanes_[records_[record].lane].queue == at;
        }));
    });
    listOpening(at);
    if (q.gates->empty() && !q.openingListed) q.gates.reset();
}

Result<void> Session::Impl::holdQueue(QueueId id, Outbox& out) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return noQueue(id);
    order_.queue(at).held = true;
    order_.endClaimsOf(at);
    takeBackAhead(at, out);
    return {};
}

void Session::Impl::takeBackAhead(std::uint32_t queue, Outbox& out) {
    if (order_.queue(queue).ahead == 0) return;
    for (const std::uint32_t record : outstanding_) {
        const Record& r = records_[record];
        if (lanes_[r.lane].queue == queue && r.phase == Phase::Leased && r.has(Record::kAhead))
            takeBack(record, out);
    }
}

void Session::Impl::takeBackAllAhead(Outbox& out) {
    for (const std::uint32_t record : outstanding_)
        if (const Record& r = records_[record]; r.phase == Phase::Leased && r.has(Record::kAhead))
            takeBack(record, out);
}

/// Held as by hand once so many failed since it was released last. They count from their end on, not only once
/// they are stored: in between the next one would start.
void Session::Impl::stopAfterFailures(std::uint32_t queue, Outbox& out) {
    Queue& q = order_.queue(queue);
    if (q.held || q.config.stopAfterFailures == 0 || q.state == QueueState::Cancelled) return;
    if (q.tally.stored.failed + q.failing - q.failedBefore < q.config.stopAfterFailures) return;
    q.held = true;
    order_.endClaimsOf(queue);
    takeBackAhead(queue, out);
    out.stopped.push_back(q.id);
}

Result<void> Session::Impl::releaseQueue(QueueId id) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return noQueue(id);
    Queue& q = order_.queue(at);
    q.held = false;
    q.failedBefore = q.tally.stored.failed + q.failing;
    order_.wake(at);
    return {};
}

Result<void> Session::Impl::drainQueue(QueueId id) {
    const std::uint32_t at = queueIndex_.find(id.value);
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

Result<void> Session::Impl::cancelQueue(QueueId id, Outbox& out) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return noQueue(id);
    if (id.value == 0) return notQueueZero("cancelled");
    if (!queueTransitions().allows(order_.queue(at).state, QueueState::Cancelled))
        return fail(
            ErrorKind::WrongState,
            fmt::format("Queue {} is cancelled already: delete it, or make another one for new work.", id.value));
    startCancel(at, out);
    return {};
}

Result<void> Session::Impl::forgetQueue(QueueId id, Outbox& out) {
    const std::uint32_t at = queueIndex_.find(id.value);
    if (at == kNone) return noQueue(id);
    if (id.value == 0) return notQueueZero("deleted");
    Queue& q = order_.queue(at);
    q.forgetting = true;
    if (q.state != QueueState::Cancelled) startCancel(at, out);
    tryForget(at, out);
    return {};
}

std::optional<QueueStatus> Session::Impl::queueStatus(QueueId id) const {
    const Queue* q = findQueue(id);
    if (!q) return std::nullopt;
    return QueueStatus{.state = q->state,
                       .held = q->held,
                       .forgetting = q->forgetting,
                       .counters = q->tally.visible(abandoned_),
                       .failedBefore = q->failedBefore,
                       .heldActions = q->heldActions};
}

void Session::Impl::setTurns(double virtualNow, std::span<const QueueTurns> turns) {
    order_.setVirtualNow(virtualNow);
    order_.forgetListings();
    for (const QueueTurns& turn : turns) {
        const std::uint32_t at = queueIndex_.find(turn.queue.value);
        if (at == kNone) continue;
        Queue& q = order_.queue(at);
        q.virtualTime = turn.virtualTime;
        q.starts = turn.starts;
    }
}

} // namespace yard::session

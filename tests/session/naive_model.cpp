#include "tests/session/naive_model.h"

#include <fmt/format.h>
#include <tuple>

namespace yard::session::test {

namespace {

auto keyOf(const NaiveModel::Action& a) {
    return std::tuple(-a.given.priority, a.given.submitTime, a.given.lsn.value);
}
auto ageOf(const NaiveModel::Action& a) {
    return std::tuple(a.given.submitTime, a.given.lsn.value);
}

} // namespace

bool NaiveModel::ready(const Action& a, MonoTime now) const {
    const Queue& q = queues.at(a.given.queue.value);
    return a.phase == Phase::Waiting && !a.given.held && a.notBefore <= now && !q.held &&
           q.state != QueueState::Cancelled && (q.config.maxRunning == 0 || q.outstanding < q.config.maxRunning);
}

bool NaiveModel::fits(const Action& a) const {
    int used = 0;
    for (const auto& [lsn, other] : actions)
        if (other.phase == Phase::Out) used += other.cores;
    return used + a.cores <= cores_;
}

void NaiveModel::refreshShares(MonoTime now) {
    for (auto& [id, q] : queues) {
        bool isReady = false;
        for (const auto& [lsn, a] : actions) isReady = isReady || (a.given.queue.value == id && ready(a, now));
        if (isReady && !q.wasReady) q.virtualTime = std::max(q.virtualTime, now_);
        q.wasReady = isReady;
    }
}

void NaiveModel::add(const NewAction& given, int cores) {
    Action a{.given = given,
             .cores = cores,
             .attempt = given.attempts,
             .retries = given.retries,
             .notBefore = given.notBefore};
    ++queues.at(given.queue.value).counters.pending;
    actions[given.lsn.value] = a;
}

std::string NaiveModel::started(const Start& start, MonoTime now) {
    refreshShares(now);
    Action& a = actions.at(start.lsn.value);
    Queue& q = queues.at(a.given.queue.value);
    if (!ready(a, now)) return fmt::format("{} was started and may not be", start.lsn.value);
    if (!fits(a)) return fmt::format("{} was started and does not fit", start.lsn.value);
    if (start.attempt != a.attempt + 1) return fmt::format("{} started as {}", start.lsn.value, start.attempt);
    const bool oldest = q.starts % 16 == 15;
    for (const auto& [lsn, other] : actions) {
        if (!ready(other, now) || !fits(other)) continue;
        const Queue& rival = queues.at(other.given.queue.value);
        if (other.given.queue == a.given.queue && (oldest ? ageOf(other) < ageOf(a) : keyOf(other) < keyOf(a)))
            return fmt::format("{} was started before {}", start.lsn.value, lsn);
        if (exactShares_ && other.given.queue != a.given.queue &&
            std::tuple(rival.virtualTime, other.given.queue.value) < std::tuple(q.virtualTime, a.given.queue.value))
            return fmt::format("{} was started, it was the turn of queue {}", start.lsn.value,
                               other.given.queue.value);
    }
    now_ = std::max(now_, q.virtualTime);
    q.virtualTime += static_cast<double>(a.cores) / cores_ / q.config.weight;
    ++q.starts;
    ++q.outstanding;
    ++a.attempt;
    a.phase = Phase::Out;
    return {};
}

std::string NaiveModel::idle(MonoTime now) {
    refreshShares(now);
    for (const auto& [lsn, a] : actions)
        if (ready(a, now) && fits(a)) return fmt::format("{} could start and does not", lsn);
    return {};
}

void NaiveModel::begun(Action& a) {
    if (a.countsRunning) return;
    a.countsRunning = true;
    --queues.at(a.given.queue.value).counters.pending;
    ++queues.at(a.given.queue.value).counters.running;
}

void NaiveModel::returned(Action& a) {
    Queue& q = queues.at(a.given.queue.value);
    --q.outstanding;
    --a.attempt;
    a.phase = Phase::Waiting;
    if (a.countsRunning) {
        a.countsRunning = false;
        ++q.counters.pending;
        --q.counters.running;
    }
    if (a.cancel || q.state == QueueState::Cancelled) finish(a, ActionState::Cancelled);
}

void NaiveModel::finish(Action& a, ActionState state) {
    a.phase = Phase::Ending;
    a.target = state;
}

void NaiveModel::ended(Action& a, const AttemptEnd& end) {
    Queue& q = queues.at(a.given.queue.value);
    --q.outstanding;
    begun(a);
    if (a.cancel || q.state == QueueState::Cancelled) return finish(a, ActionState::Cancelled);
    if (end.state == ActionState::Completed) return finish(a, end.state);
    const bool interrupted = isInterruption(end.reason);
    int& count = interrupted ? a.retries.interruptions : a.retries.ownFailures;
    if (count >= (interrupted ? q.config.maxInterruptions : q.config.maxRetries)) return finish(a, end.state);
    ++count;
    ++a.retries.retryCount;
    a.phase = Phase::Retrying;
}

void NaiveModel::cancel(Action& a) {
    a.cancel = true;
    if (a.phase != Phase::Out) finish(a, ActionState::Cancelled);
}

void NaiveModel::stored(std::int64_t lsn) {
    Action& a = actions.at(lsn);
    Queue& q = queues.at(a.given.queue.value);
    if (a.phase == Phase::Retrying) {
        a.phase = Phase::Waiting;
        a.countsRunning = false;
        ++q.counters.pending;
        --q.counters.running;
        if (q.state == QueueState::Cancelled) finish(a, ActionState::Cancelled);
        return;
    }
    --(a.countsRunning ? q.counters.running : q.counters.pending);
    if (a.target == ActionState::Completed) ++q.counters.completed;
    if (a.target == ActionState::Failed) ++q.counters.failed;
    if (a.target == ActionState::Abandoned) ++q.counters.abandoned;
    if (a.target == ActionState::Cancelled) ++q.counters.cancelled;
    actions.erase(lsn);
}

} // namespace yard::session::test

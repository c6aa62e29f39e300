#include "tests/session/naive_model.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace yard::session::test {

namespace {

auto ageOf(const NaiveModel::Action& a) {
    const PlaceKey own{.time = a.given.submitTime, .anchor = a.given.lsn, .rank = 0};
    return std::tuple(a.given.place.value_or(own), a.given.lsn.value);
}
auto keyOf(const NaiveModel::Action& a) {
    return std::tuple(-a.given.priority, ageOf(a));
}

bool isWanted(DependencyOn on, ActionState end) {
    return on == DependencyOn::Any ||
           (on == DependencyOn::Completed ? end == ActionState::Completed : end == ActionState::Failed);
}

} // namespace

bool NaiveModel::labelIsLimited(const Action& a) const {
    return queues.at(a.given.queue.value).labelLimits.contains(a.given.label.value);
}

bool NaiveModel::labelHasPlace(const Action& a) const {
    if (!labelIsLimited(a)) return true;
    int running = 0;
    for (const auto& [lsn, other] : actions)
        running +=
            other.phase == Phase::Out && other.given.queue == a.given.queue && other.given.label == a.given.label;
    return running < queues.at(a.given.queue.value).labelLimits.at(a.given.label.value);
}

bool NaiveModel::yieldsToLarger(const Action& a, MonoTime now) const {
    if (!labelIsLimited(a)) return false;
    for (const auto& [lsn, other] : actions)
        if (other.given.queue == a.given.queue && other.given.label == a.given.label && ready(other, now) &&
            !fits(other))
            return true;
    return false;
}

bool NaiveModel::yieldsToLocked(const Action& a, MonoTime now) const {
    if (!labelIsLimited(a) || !mayKeepLocks()) return false;
    return std::ranges::any_of(actions, [&](const auto& entry) {
        const Action& other = entry.second;
        return other.given.queue == a.given.queue && other.given.label == a.given.label && !other.locks.empty() &&
               ready(other, now);
    });
}

bool NaiveModel::ready(const Action& a, MonoTime now) const {
    const Queue& q = queues.at(a.given.queue.value);
    return a.phase == Phase::Waiting && !a.cancel && a.after.empty() && !a.given.held && a.notBefore <= now &&
           !q.held && labelHasPlace(a) && q.state != QueueState::Cancelled &&
           (q.config.maxRunning == 0 || q.outstanding < q.config.maxRunning);
}

bool NaiveModel::fits(const Action& a) const {
    int cores = a.cores;
    int licences = a.licences;
    for (const auto& [lsn, other] : actions) {
        if (other.phase != Phase::Out || other.keeping) continue;
        cores += other.cores;
        licences += other.licences;
    }
    // What is not asked for is not lacking.
    return (a.cores == 0 || cores <= cores_) && (a.licences == 0 || licences <= licences_) && hasLocks(a);
}

/// Nobody else has any of those that it claims.
bool NaiveModel::hasLocks(const Action& a) const {
    const auto isFree = [this](std::uint32_t lock) {
        return !locksElsewhere.contains(lock) && std::ranges::none_of(actions, [lock](const auto& other) {
            return other.second.phase == Phase::Out && other.second.locks.contains(lock);
        });
    };
    return std::ranges::all_of(a.locks, isFree);
}

bool NaiveModel::mayKeepLocks() const {
    return mayReserveLocks ||
           std::ranges::any_of(queues, [](const auto& entry) { return mayKeepTurns(entry.second); });
}

void NaiveModel::refreshShares(MonoTime now) {
    for (auto& [id, q] : queues) {
        bool isReady = false;
        for (const auto& [lsn, a] : actions) isReady = isReady || (a.given.queue.value == id && ready(a, now));
        if (isReady && !q.wasReady) q.virtualTime = std::max(q.virtualTime, now_);
        q.wasReady = isReady;
    }
}

void NaiveModel::add(const NewAction& given, int cores, int licences, std::set<std::uint32_t> locks) {
    Action a{.given = given,
             .cores = cores,
             .licences = licences,
             .locks = std::move(locks),
             .attempt = given.attempts,
             .retries = given.retries,
             .notBefore = given.notBefore};
    ++queues.at(given.queue.value).counters.pending;
    std::optional<bool> fails;
    for (const Predecessor& p : given.after) {
        if (actions.contains(p.lsn.value))
            a.after.push_back(p);
        else if (!isWanted(p.on, p.state))
            fails = true;
    }
    a.given.after = {};
    Action& added = actions[given.lsn.value] = a;
    if (fails) finish(added, ActionState::Failed);
}

/// An end is in the journal: those that wait for it go on, or fail.
void NaiveModel::tellDependents(std::int64_t lsn, ActionState end) {
    for (auto& [number, a] : actions) {
        bool fails = false;
        std::erase_if(a.after, [&](const Predecessor& p) {
            if (p.lsn.value != lsn) return false;
            fails = fails || !isWanted(p.on, end);
            return true;
        });
        if (fails && a.phase == Phase::Waiting && !a.cancel &&
            queues.at(a.given.queue.value).state != QueueState::Cancelled)
            finish(a, ActionState::Failed);
    }
}

void NaiveModel::release(Queue& q) {
    q.held = false;
    q.failedBefore = q.counters.failed + q.failing;
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
        if (!ready(other, now) || !fits(other) || (mayKeepLocks() && !other.locks.empty())) continue;
        const Queue& rival = queues.at(other.given.queue.value);
        // Of a label with a limit one is let through at a time, each 16th the oldest: no order among those is
        // promised.
        if (labelIsLimited(other)) continue;
        // Where all are alike nothing but a place of a label can be lacking; a turn kept for one moves the next
        // ones.
        const bool byTurn =
            exactShares_ ? q.hadLimits && (a.given.label.value > 0 || q.starts >= 15) : mayKeepTurns(q);
        if (other.given.queue == a.given.queue && !byTurn &&
            (oldest ? ageOf(other) < ageOf(a) : keyOf(other) < keyOf(a)))
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
        if (ready(a, now) && fits(a) && !yieldsToLarger(a, now) && !yieldsToLocked(a, now) &&
            (!mayKeepLocks() || a.locks.empty()))
            return fmt::format("{} could start and does not", lsn);
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
    if (a.phase == Phase::Retrying) ++a.retries.retryCount; // its reset is on its way before its end
    a.phase = Phase::Ending;
    a.target = state;
    if (state != ActionState::Failed) return;
    Queue& q = queues.at(a.given.queue.value);
    ++q.failing;
    const int most = q.config.stopAfterFailures;
    if (most > 0 && q.state != QueueState::Cancelled && q.counters.failed + q.failing - q.failedBefore >= most)
        q.held = true;
}

void NaiveModel::ended(Action& a, const AttemptEnd& end) {
    Queue& q = queues.at(a.given.queue.value);
    --q.outstanding;
    begun(a);
    a.keeping = false;
    if (a.cancel || q.state == QueueState::Cancelled) return finish(a, ActionState::Cancelled);
    if (end.state == ActionState::Completed) return finish(a, end.state);
    const bool interrupted = isInterruption(end.reason);
    int& count = interrupted ? a.retries.interruptions : a.retries.ownFailures;
    if (count >= (interrupted ? q.config.maxInterruptions : q.config.maxRetries)) return finish(a, end.state);
    ++count;
    a.phase = Phase::Retrying;
}

void NaiveModel::cancel(Action& a) {
    a.cancel = true;
    if (a.phase != Phase::Out) finish(a, ActionState::Cancelled);
}

bool NaiveModel::cancelLater(Action& a) {
    if (a.phase != Phase::Waiting) {
        cancel(a);
        return false;
    }
    a.cancel = true;
    return true;
}

void NaiveModel::finishCancelled(Action& a) {
    if (a.phase == Phase::Waiting && a.cancel) finish(a, ActionState::Cancelled);
}

void NaiveModel::stored(std::int64_t lsn) {
    Action& a = actions.at(lsn);
    Queue& q = queues.at(a.given.queue.value);
    if (a.phase == Phase::Retrying) {
        a.phase = Phase::Waiting;
        ++a.retries.retryCount;
        a.countsRunning = false;
        ++q.counters.pending;
        --q.counters.running;
        if (q.state == QueueState::Cancelled) finish(a, ActionState::Cancelled);
        return;
    }
    --(a.countsRunning ? q.counters.running : q.counters.pending);
    if (a.target == ActionState::Completed) ++q.counters.completed;
    if (a.target == ActionState::Failed) {
        ++q.counters.failed;
        --q.failing;
    }
    if (a.target == ActionState::Abandoned) ++q.counters.abandoned;
    if (a.target == ActionState::Cancelled) ++q.counters.cancelled;
    const ActionState end = a.target;
    endStates[lsn] = end;
    actions.erase(lsn);
    tellDependents(lsn, end);
}

} // namespace yard::session::test

// Running finished actions again by hand: with what they wait for, and with those that failed only because they
// did.
#include "core/engine/engine_core.h"

#include "core/base/log.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <span>

namespace yard::engine {

namespace {

/// Actions that are brought back at once; others get their turn in between.
constexpr int kPart = 200;

/// What an action was posted to wait for, and what that is now. Of arrays only how many elements they have: 0 of
/// one that is not known any more, which is left out.
Result<std::vector<store::Edge>> readAfter(store::Reader& reader, Lsn lsn) {
    std::vector<store::Edge> edges;
    const auto text = reader.specText(lsn);
    if (!text) return std::unexpected(text.error());
    if (!*text || !(*text)->text.contains("\"after\"")) return edges;
    const auto parsed = parseAction((*text)->text);
    if (!parsed) return std::unexpected(parsed.error());
    std::vector<Lsn> lsns;
    std::vector<Lsn> arrays;
    for (const Dependency& dependency : parsed->spec->after)
        (dependency.isArray ? arrays : lsns).push_back(dependency.lsn);
    const auto states = reader.states(lsns);
    if (!states) return std::unexpected(states.error());
    const auto sizes = reader.arraySizes(arrays);
    if (!sizes) return std::unexpected(sizes.error());
    auto state = states->begin();
    auto size = sizes->begin();
    for (const Dependency& dependency : parsed->spec->after) {
        store::Edge edge{.lsn = dependency.lsn, .on = dependency.on};
        if (dependency.isArray)
            edge.count = *size++;
        else
            edge.state = *state++;
        if (!dependency.isArray || edge.count > 0) edges.push_back(edge);
    }
    return edges;
}

/// The first one that ended otherwise than is waited for.
const store::Edge* unmet(const std::vector<store::Edge>& edges) {
    const auto at = std::ranges::find_if(edges, [](const store::Edge& edge) {
        if (edge.count > 0) return edge.on == DependencyOn::Completed && edge.failed + edge.other > 0;
        return isEnded(edge.state) && !session::isWanted(edge.on, edge.state);
    });
    return at == edges.end() ? nullptr : &*at;
}

/// Those that come back are all that stands in the way of it.
bool isMetBy(const std::set<Lsn>& comes, const store::Edge& edge) {
    if (edge.count == 0) return comes.contains(edge.lsn);
    const auto begin = comes.lower_bound(edge.lsn);
    const auto end = comes.lower_bound(Lsn(edge.lsn.value + edge.count));
    return begin != end && std::distance(begin, end) >= edge.failed + edge.other;
}

std::unexpected<Error> waitsInVain(Lsn lsn, const store::Edge& parent) {
    if (parent.count > 0)
        return fail(
            ErrorKind::WrongState,
            fmt::format("Action {} waits for all of array {}, and of that {} failed, were abandoned or "
                        "cancelled, action {} for one: run those that can run again, and this one comes back "
                        "with the last of them.",
                        lsn.value, parent.lsn.value, parent.failed + parent.other, parent.otherwise.value));
    const bool canGoAgain = parent.on == DependencyOn::Completed &&
                            (parent.state == ActionState::Failed || parent.state == ActionState::Abandoned);
    return fail(ErrorKind::WrongState,
                fmt::format("Action {} waits for action {}, which is {}: {}.", lsn.value, parent.lsn.value,
                            name(parent.state),
                            canGoAgain ? "run that one again, and this one comes back with it"
                                       : "submit it again, without that one in \"after\""));
}

/// How far the dependents of some actions were looked at.
struct Reached {
    std::size_t parent = 0;
    Lsn last{}; ///< of its dependents
};

/// The next ones; `place` moves behind them.
Result<std::vector<FailedChild>> readFailed(store::Reader& reader, std::span<const Lsn> parents, Reached& place) {
    std::vector<FailedChild> all;
    while (place.parent < parents.size() && std::ssize(all) < kPart) {
        const auto found = reader.failedDependents(parents[place.parent], place.last, kPart);
        if (!found) return std::unexpected(found.error());
        for (const store::FailedDependent& row : *found) {
            auto after = readAfter(reader, row.lsn);
            if (!after) return std::unexpected(after.error());
            all.push_back({row, std::move(*after)});
        }
        place =
            std::ssize(*found) < kPart ? Reached{place.parent + 1, {}} : Reached{place.parent, found->back().lsn};
    }
    return all;
}

} // namespace

/// What the action itself says.
RetryLimits EngineCore::retryLimits(const ActionResult& result) const {
    const std::uint32_t number = result.classNumber;
    return number > 0 && number <= dictionary_.classCount() ? dictionary_.classKey(number - 1).retryLimits
                                                            : RetryLimits{};
}

Result<session::RetryCounters> EngineCore::mayReschedule(const ActionResult& known, bool force) const {
    session::FinishedAction finished{known.lsn, known.queue, known.state, Reason::None, {}, retryLimits(known)};
    if (known.outcome) finished.reason = known.outcome->reason;
    finished.retries.retryCount = known.retryCount;
    // Resets after failures of its own: each such attempt but the one that ended it.
    const auto own = std::ranges::count_if(known.attempts, [](const AttemptRecord& attempt) {
        return attempt.outcome.state != ActionState::Completed && !isInterruption(attempt.outcome.reason);
    });
    finished.retries.ownFailures = static_cast<int>(std::max<std::ptrdiff_t>(own - 1, 0));
    finished.retries.interruptions = static_cast<int>(std::ssize(known.attempts) - own);
    if (!isThere(known.workerId))
        return fail(ErrorKind::WrongState,
                    fmt::format("Worker \"{}\" of action {} was removed: register it again first.",
                                known.workerName, known.lsn.value));
    return session_->checkReschedule(finished, force);
}

/// As it ended; WrongState when it has not.
coro::Task<Result<ActionResult>> EngineCore::endedAction(Lsn lsn) {
    if (const auto live = session_->live(lsn); live && !isEnded(live->state))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} is {}: it can be run again once it failed or was abandoned.",
                                   lsn.value, name(live->state)));
    co_return co_await action(lsn);
}

/// What it was posted to wait for, as that is now. `watched` keeps an eye on it from here on.
coro::Task<Result<std::vector<store::Edge>>> EngineCore::parentsNow(Lsn lsn, PredecessorWatch::Scope& watched) {
    auto edges = co_await read([lsn](store::Reader& reader) { return readAfter(reader, lsn); });
    if (!edges) co_return edges;
    watched.add(*edges);
    if (const auto looked = co_await lookAtArrays(*edges); !looked) co_return std::unexpected(looked.error());
    for (store::Edge& edge : *edges)
        if (edge.count > 0) edge = asOfNow(edge);
    co_return edges;
}

coro::Task<Result<Rescheduled>> EngineCore::reschedule(Lsn lsn, bool force) {
    const Result<ActionResult> known = co_await endedAction(lsn);
    if (!known) co_return std::unexpected(known.error());
    PredecessorWatch::Scope watched(predecessors_);
    auto edges = co_await parentsNow(lsn, watched);
    if (!edges) co_return std::unexpected(edges.error());
    const WorkersEntered::Scope entering(workersEntered_, {known->workerId});
    const Result<session::RetryCounters> after = mayReschedule(*known, force);
    if (!after) co_return std::unexpected(after.error());
    if (const store::Edge* parent = unmet(*edges)) co_return waitsInVain(lsn, *parent);
    store::Reopen reopen;
    reopen.lsn = lsn;
    reopen.tPending = scale_.at(MonoClock::now());
    reopen.expectRetryCount = static_cast<std::uint32_t>(known->retryCount);
    reopen.after = std::move(*edges);
    const store::AckDetail done = co_await committer_.commit(std::move(reopen));
    if (done.error) co_return std::unexpected(*done.error);
    if (!done.row) co_return fail(ErrorKind::Internal, "The journal did not return the action that it put back.");
    bringBack(done, known->state);
    co_return Rescheduled{.retryCount = static_cast<int>(done.row->retryCount), .revived = co_await revive(lsn)};
}

/// What reschedule() would answer.
coro::Task<Result<void>> EngineCore::mayRetry(Lsn lsn, bool force) {
    const Result<ActionResult> known = co_await endedAction(lsn);
    if (!known) co_return std::unexpected(known.error());
    PredecessorWatch::Scope watched(predecessors_);
    const auto edges = co_await parentsNow(lsn, watched);
    if (!edges) co_return std::unexpected(edges.error());
    if (const auto after = mayReschedule(*known, force); !after) co_return std::unexpected(after.error());
    if (const store::Edge* parent = unmet(*edges)) co_return waitsInVain(lsn, *parent);
    co_return Result<void>{};
}

/// The journal has it among what is pending again: so has the session.
void EngineCore::bringBack(const store::AckDetail& done, ActionState was) {
    std::vector<session::Predecessor> after;
    for (const store::Edge& edge : done.row->after) after.push_back(predecessor(edge, done.finished));
    session::NewAction action = sessionAction(*done.row);
    action.after = after;
    session_->reschedule(action, was, MonoClock::now(), outbox_);
    orders_.notePutBack(done.row->lsn);
    wake();
}

/// What failed because this one did, and because those did, and waits for nothing else that ended otherwise.
coro::Task<std::vector<Lsn>> EngineCore::revive(Lsn lsn) {
    std::vector<Lsn> parents{lsn};
    std::vector<Lsn> all;
    while (!parents.empty()) {
        std::vector<Lsn> back;
        for (Reached place; place.parent < parents.size();) {
            auto found = co_await read(
                [&parents, &place](store::Reader& reader) { return readFailed(reader, parents, place); });
            if (!found) {
                logWarning("engine", "not all that failed because of action {} came back: {}", lsn.value,
                           found.error().message);
                co_return all;
            }
            std::vector<store::Reopen> part;
            std::vector<std::string> workers;
            PredecessorWatch::Scope watched(predecessors_);
            if (!co_await lookAtArraysOf(*found, watched)) continue; // they can be run again one by one
            for (FailedChild& one : *found) {
                if (!mayRevive(one.row) || unmet(one.after)) continue;
                part.push_back({.lsn = one.row.lsn, .after = std::move(one.after)});
                workers.push_back(dictionary_.classKey(one.row.classNumber - 1).workerId);
            }
            const WorkersEntered::Scope entering(workersEntered_, workers);
            for (const Lsn came : co_await reopen(std::move(part))) back.push_back(came);
        }
        all.insert(all.end(), back.begin(), back.end());
        parents = std::move(back);
    }
    co_return all;
}

/// The walk of revive(), for all of them at once; those that were met count as what they will be: waiting.
coro::Task<Result<std::vector<Lsn>>> EngineCore::wouldRevive(std::vector<Lsn> lsns) {
    std::set<Lsn> comes(lsns.begin(), lsns.end());
    std::set<Lsn> revived;
    // One may wait for several: it is looked at again with each of them.
    for (std::vector<Lsn> parents = std::move(lsns); !parents.empty();) {
        std::vector<Lsn> next;
        for (Reached place; place.parent < parents.size();) {
            auto found = co_await read(
                [&parents, &place](store::Reader& reader) { return readFailed(reader, parents, place); });
            if (!found) co_return std::unexpected(found.error());
            PredecessorWatch::Scope watched(predecessors_);
            if (!co_await lookAtArraysOf(*found, watched)) continue;
            for (FailedChild& one : *found) {
                if (comes.contains(one.row.lsn) || !mayRevive(one.row)) continue;
                std::erase_if(one.after, [&comes](const store::Edge& edge) { return isMetBy(comes, edge); });
                if (unmet(one.after)) continue;
                comes.insert(one.row.lsn);
                revived.insert(one.row.lsn);
                next.push_back(one.row.lsn);
            }
        }
        parents = std::move(next);
    }
    co_return std::vector<Lsn>(revived.begin(), revived.end());
}

/// What is known now of the arrays that these wait for. `watched` keeps an eye on them.
coro::Task<bool> EngineCore::lookAtArraysOf(std::vector<FailedChild>& children, PredecessorWatch::Scope& watched) {
    std::vector<store::Edge> arrays;
    for (const FailedChild& child : children)
        std::ranges::copy_if(child.after, std::back_inserter(arrays),
                             [](const auto& edge) { return edge.count > 0; });
    if (arrays.empty()) co_return true;
    watched.add(arrays);
    const auto looked = co_await lookAtArrays(std::move(arrays));
    if (!looked) {
        logWarning("engine", "some actions that failed because of others stay so: {}", looked.error().message);
        co_return false;
    }
    for (FailedChild& child : children)
        for (store::Edge& edge : child.after)
            if (edge.count > 0) edge = asOfNow(edge);
    co_return true;
}

bool EngineCore::mayRevive(const store::FailedDependent& row) const {
    const session::FinishedAction finished{row.lsn, row.queue, ActionState::Failed, Reason::DependencyFailed,
                                           {},      {}};
    if (!session_->checkReschedule(finished, true)) return false;
    return isThere(dictionary_.classKey(row.classNumber - 1).workerId);
}

bool EngineCore::isThere(const std::string& workerId) const {
    const RegisteredWorker* worker = workers_.find(workerId);
    return workerId == "exec" || (worker && !worker->leaving);
}

/// Those that came back.
coro::Task<std::vector<Lsn>> EngineCore::reopen(std::vector<store::Reopen> part) {
    PredecessorWatch::Scope watched(predecessors_);
    std::deque<std::unique_ptr<coro::OneShot<store::AckDetail>>> posted;
    for (store::Reopen& one : part) {
        watched.add(one.after);
        one.tPending = scale_.at(MonoClock::now());
        posted.push_back(committer_.begin(std::move(one)));
    }
    std::vector<Lsn> back;
    for (; !posted.empty(); posted.pop_front()) {
        const store::AckDetail done = co_await posted.front()->get();
        if (!done.row) continue; // somebody else was faster, or forgot it
        bringBack(done, ActionState::Failed);
        back.push_back(done.row->lsn);
    }
    co_return back;
}

} // namespace yard::engine

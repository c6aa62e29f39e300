#include "core/engine/commands/rescheduling.h"

#include "core/base/log.h"
#include "core/model/replaced.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <iterator>
#include <set>

namespace yard::engine {

namespace {

/// Actions that are brought back at once; others get their turn in between.
constexpr int kPart = 200;

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

} // namespace

Result<PostedToWait> readWaits(store::Reader& reader, Lsn lsn) {
    PostedToWait waits;
    const auto text = reader.specText(lsn);
    if (!text) return std::unexpected(text.error());
    if (!*text || !((*text)->text.contains("\"after\"") || (*text)->text.contains("\"not_before\""))) return waits;
    const auto parsed = parseAction((*text)->text);
    if (!parsed) return std::unexpected(parsed.error());
    waits.until = parsed->spec->notBefore;
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
        if (!dependency.isArray || edge.count > 0) waits.after.push_back(edge);
    }
    return waits;
}

Result<FailedChildren> readFailed(store::Reader& reader, const std::vector<Lsn>& parents, Reached place) {
    FailedChildren all{.children = {}, .place = place};
    while (all.place.parent < parents.size() && std::ssize(all.children) < kPart) {
        const auto found = reader.failedDependents(parents[all.place.parent], all.place.last, kPart);
        if (!found) return std::unexpected(found.error());
        for (const store::FailedDependent& row : *found) {
            auto waits = readWaits(reader, row.lsn);
            if (!waits) return std::unexpected(waits.error());
            all.children.push_back({row, std::move(waits->after), waits->until});
        }
        all.place = std::ssize(*found) < kPart ? Reached{all.place.parent + 1, {}}
                                               : Reached{all.place.parent, found->back().lsn};
    }
    return all;
}

/// What the action itself says.
RetryLimits Rescheduling::limitsOf(const ActionResult& result) const {
    const std::uint32_t number = result.classNumber;
    return number > 0 && number <= parts_.dictionary.classCount()
               ? parts_.dictionary.classKey(number - 1).retryLimits
               : RetryLimits{};
}

Result<session::RetryCounters> Rescheduling::mayReschedule(const ActionResult& known, bool force) const {
    session::FinishedAction finished{known.lsn, known.queue, known.state, Reason::None, {}, limitsOf(known)};
    if (known.outcome) finished.reason = known.outcome->reason;
    finished.retries.retryCount = known.retryCount;
    // Resets after failures of its own: each such attempt but the one that ended it.
    const auto own = std::ranges::count_if(known.attempts, [](const AttemptRecord& attempt) {
        return attempt.outcome.state != ActionState::Completed && !isInterruption(attempt.outcome.reason);
    });
    finished.retries.ownFailures = static_cast<int>(std::max<std::ptrdiff_t>(own - 1, 0));
    finished.retries.interruptions = static_cast<int>(std::ssize(known.attempts) - own);
    if (!parts_.takesActions(known.workerId))
        return fail(ErrorKind::WrongState,
                    fmt::format("Worker \"{}\" of action {} was removed: register it again first.",
                                known.workerName, known.lsn.value));
    return parts_.session.intake().checkReschedule(finished, force);
}

/// As it ended; WrongState when it has not.
coro::Task<Result<ActionResult>> Rescheduling::endedAction(Lsn lsn) {
    if (const auto live = parts_.session.views().live(lsn); live && !isEnded(live->state))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} is {}: it can be run again once it failed or was abandoned.",
                                   lsn.value, name(live->state)));
    co_return co_await parts_.rows.row(lsn);
}

/// What it was posted to wait for, parents as they are now. `watched` keeps an eye on it from here on.
coro::Task<Result<PostedToWait>> Rescheduling::waitsNow(Lsn lsn, PredecessorWatch::Scope& watched) {
    auto waits = co_await parts_.waits(lsn);
    if (!waits) co_return waits;
    watched.add(waits->after);
    if (const auto looked = co_await parts_.predecessors.lookAtArrays(waits->after); !looked)
        co_return std::unexpected(looked.error());
    for (store::Edge& edge : waits->after)
        if (edge.count > 0) edge = parts_.predecessors.asOfNow(edge);
    co_return waits;
}

/// The last of those that replaced it one after the other, as far as they are kept; 0: none did.
coro::Task<Lsn> Rescheduling::newestOf(Lsn replaced) {
    Lsn newest{};
    for (Lsn at = replaced;;) {
        const Result<ActionResult> row = co_await parts_.rows.row(at);
        const Lsn next = row ? successorOf(*row) : Lsn{};
        if (next <= at) co_return newest; // a successor is newer: this comes to an end
        newest = at = next;
    }
}

coro::Task<Error> Rescheduling::waitsInVain(Lsn lsn, store::Edge parent) {
    const Lsn by = co_await newestOf(parent.count > 0 ? parent.otherwise : parent.lsn);
    std::string text;
    if (parent.count > 0)
        text =
            fmt::format("Action {} waits for all of array {}, and of that {} failed, were abandoned or cancelled, "
                        "action {} for one",
                        lsn.value, parent.lsn.value, parent.failed + parent.other, parent.otherwise.value);
    else
        text = fmt::format("Action {} waits for action {}, which is {}", lsn.value, parent.lsn.value,
                           name(parent.state));
    const bool canGoAgain = parent.on == DependencyOn::Completed &&
                            (parent.state == ActionState::Failed || parent.state == ActionState::Abandoned);
    const Lsn own = by.value != 0 ? co_await newestOf(lsn) : Lsn{};
    if (own.value != 0)
        text += fmt::format(" and was replaced by {}; action {} was replaced by {}: that one is what goes on.",
                            by.value, lsn.value, own.value);
    else if (by.value != 0)
        text += fmt::format(" and was replaced by {}: submit it again, with {} in \"after\".", by.value,
                            parent.count > 0 ? "that and the others of the array" : fmt::format("{}", by.value));
    else if (parent.count > 0)
        text += ": run those that can run again, and this one comes back with the last of them.";
    else
        text += canGoAgain ? ": run that one again, and this one comes back with it."
                           : ": submit it again, without that one in \"after\".";
    co_return fail(ErrorKind::WrongState, std::move(text)).error();
}

/// What stands in its way for good comes before its limit: to force it would be in vain.
coro::Task<Result<void>> Rescheduling::mayGoAgain(const ActionResult& known, const PostedToWait& waits,
                                                  bool force) {
    if (const auto ever = mayReschedule(known, true); !ever) {
        // To submit what goes on as another one would be twice.
        Lsn by{};
        if (known.state == ActionState::Cancelled || known.state == ActionState::Completed)
            by = co_await newestOf(known.lsn);
        if (by.value == 0) co_return std::unexpected(ever.error());
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} is {}, and it was replaced by {}: that one is what goes on.",
                                   known.lsn.value, name(known.state), by.value));
    }
    if (const std::string where = parts_.mayRun(known.lsn); known.state == ActionState::Abandoned && !where.empty())
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Action {} may still run on {}: try again then.", known.lsn.value, where));
    if (const store::Edge* parent = unmet(waits.after))
        co_return std::unexpected(co_await waitsInVain(known.lsn, *parent));
    if (const auto now = mayReschedule(known, force); !now) co_return std::unexpected(now.error());
    co_return Result<void>{};
}

coro::Task<Result<Rescheduled>> Rescheduling::reschedule(Lsn lsn, bool force) {
    YARD_ASSERT_OWNER(owner_);
    const Result<ActionResult> known = co_await endedAction(lsn);
    if (!known) co_return std::unexpected(known.error());
    PredecessorWatch::Scope watched(parts_.predecessors.watch());
    auto waits = co_await waitsNow(lsn, watched);
    if (!waits) co_return std::unexpected(waits.error());
    const InFlightSubmissions::Scope entering(parts_.entered, {known->workerId});
    if (const auto may = co_await mayGoAgain(*known, *waits, force); !may) co_return std::unexpected(may.error());
    store::Reopen reopen;
    reopen.lsn = lsn;
    reopen.tPending = parts_.scale.at(parts_.now());
    reopen.expectRetryCount = static_cast<std::uint32_t>(known->retryCount);
    reopen.after = std::move(waits->after);
    if (waits->until > reopen.tPending) reopen.notBefore = waits->until;
    const auto posted = parts_.post(std::move(reopen));
    const store::AckDetail done = co_await posted->get();
    if (done.error) co_return std::unexpected(*done.error);
    if (!done.row) co_return fail(ErrorKind::Internal, "The journal did not return the action that it put back.");
    bringBack(done, known->state);
    co_return Rescheduled{.retryCount = static_cast<int>(done.row->retryCount), .revived = co_await revive(lsn)};
}

coro::Task<RetryChoice> Rescheduling::meantToRetry(std::vector<ActionResult> page) {
    const auto hasTerminal = [this](const ActionResult& action) {
        if (action.classNumber == 0 || action.classNumber > parts_.dictionary.classCount()) return false;
        const auto& named = parts_.dictionary.classKey(action.classNumber - 1).resources.named;
        return std::ranges::any_of(named, [](const auto& amount) { return amount.first == kTerminals; });
    };
    RetryChoice choice;
    for (const ActionResult& action : page)
        if (isReplaced(action))
            ++choice.replaced;
        else if (hasTerminal(action))
            ++choice.terminals;
        else
            choice.lsns.push_back(action.lsn);
    co_return choice;
}

coro::Task<Result<void>> Rescheduling::mayRetry(Lsn lsn, bool force) {
    const Result<ActionResult> known = co_await endedAction(lsn);
    if (!known) co_return std::unexpected(known.error());
    PredecessorWatch::Scope watched(parts_.predecessors.watch());
    const auto waits = co_await waitsNow(lsn, watched);
    if (!waits) co_return std::unexpected(waits.error());
    co_return co_await mayGoAgain(*known, *waits, force);
}

/// The journal has it among what is pending again: so has the session.
void Rescheduling::bringBack(const store::AckDetail& done, ActionState was) {
    std::vector<session::Predecessor> after;
    for (const store::Edge& edge : done.row->after) after.push_back(parts_.predecessors.of(edge, done.finished));
    session::NewAction action = parts_.rows.entering(*done.row);
    action.after = after;
    parts_.session.intake().reschedule(action, was, parts_.now(), parts_.outbox);
    parts_.putBack(done.row->lsn);
    parts_.wake();
}

/// What failed because this one did, and because those did, and waits for nothing else that ended otherwise.
coro::Task<std::vector<Lsn>> Rescheduling::revive(Lsn lsn) {
    std::vector<Lsn> parents{lsn};
    std::vector<Lsn> all;
    while (!parents.empty()) {
        std::vector<Lsn> back;
        for (Reached place; place.parent < parents.size();) {
            auto found = co_await parts_.failed(parents, place);
            if (!found) {
                logWarning("engine", "not all that failed because of action {} came back: {}", lsn.value,
                           found.error().message);
                co_return all;
            }
            place = found->place;
            for (const Lsn came : co_await revivePart(std::move(found->children))) back.push_back(came);
        }
        all.insert(all.end(), back.begin(), back.end());
        parents = std::move(back);
    }
    co_return all;
}

/// Those that came back. Where it cannot be known they stay as they are, and can be run again one by one.
coro::Task<std::vector<Lsn>> Rescheduling::revivePart(std::vector<FailedChild> children) {
    PredecessorWatch::Scope watched(parts_.predecessors.watch());
    if (!co_await lookAtArraysOf(children, watched)) co_return std::vector<Lsn>{};
    std::vector<store::Reopen> part;
    std::vector<std::string> workers;
    for (FailedChild& one : children) {
        if (!mayRevive(one.row) || unmet(one.after)) continue;
        part.push_back({.lsn = one.row.lsn, .after = std::move(one.after), .notBefore = one.until});
        workers.push_back(parts_.dictionary.classKey(one.row.classNumber - 1).workerId);
    }
    const InFlightSubmissions::Scope entering(parts_.entered, workers);
    co_return co_await reopen(std::move(part));
}

/// The walk of revive(), for all of them at once; those that were met count as what they will be: waiting.
coro::Task<Result<std::vector<Lsn>>> Rescheduling::wouldRevive(std::vector<Lsn> lsns) {
    std::set<Lsn> comes(lsns.begin(), lsns.end());
    std::set<Lsn> revived;
    // One may wait for several: it is looked at again with each of them.
    for (std::vector<Lsn> parents = std::move(lsns); !parents.empty();) {
        std::vector<Lsn> next;
        for (Reached place; place.parent < parents.size();) {
            auto found = co_await parts_.failed(parents, place);
            if (!found) co_return std::unexpected(found.error());
            place = found->place;
            PredecessorWatch::Scope watched(parts_.predecessors.watch());
            if (!co_await lookAtArraysOf(found->children, watched)) continue;
            for (FailedChild& one : found->children) {
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
coro::Task<bool> Rescheduling::lookAtArraysOf(std::vector<FailedChild>& children,
                                              PredecessorWatch::Scope& watched) {
    std::vector<store::Edge> arrays;
    for (const FailedChild& child : children)
        std::ranges::copy_if(child.after, std::back_inserter(arrays),
                             [](const auto& edge) { return edge.count > 0; });
    if (arrays.empty()) co_return true;
    watched.add(arrays);
    const auto looked = co_await parts_.predecessors.lookAtArrays(std::move(arrays));
    if (!looked) {
        logWarning("engine", "some actions that failed because of others stay so: {}", looked.error().message);
        co_return false;
    }
    for (FailedChild& child : children)
        for (store::Edge& edge : child.after)
            if (edge.count > 0) edge = parts_.predecessors.asOfNow(edge);
    co_return true;
}

bool Rescheduling::mayRevive(const store::FailedDependent& row) const {
    const session::FinishedAction finished{row.lsn, row.queue, ActionState::Failed, Reason::DependencyFailed,
                                           {},      {}};
    if (!parts_.session.intake().checkReschedule(finished, true)) return false;
    return parts_.takesActions(parts_.dictionary.classKey(row.classNumber - 1).workerId);
}

/// Those that came back.
coro::Task<std::vector<Lsn>> Rescheduling::reopen(std::vector<store::Reopen> part) {
    PredecessorWatch::Scope watched(parts_.predecessors.watch());
    std::deque<std::unique_ptr<coro::OneShot<store::AckDetail>>> posted;
    for (store::Reopen& one : part) {
        watched.add(one.after);
        one.tPending = parts_.scale.at(parts_.now());
        if (one.notBefore <= one.tPending) one.notBefore = 0;
        posted.push_back(parts_.post(std::move(one)));
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

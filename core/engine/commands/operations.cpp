#include "core/engine/commands/operations.h"

#include "core/engine/state/slice.h"
#include "core/session/action_commands.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {
namespace {

/// Submissions that wait for one action, as far as is looked.
constexpr int kMostChildren = 1'000;

/// An end is written in milliseconds, or the journal is in trouble.
constexpr Duration kEndIsKept = std::chrono::seconds(30);

/// "Action 1 is completed: only what has not ended can be cancelled."
std::unexpected<Error> alreadyEnded(Lsn lsn, ActionState state, std::string_view done) {
    return fail(ErrorKind::WrongState,
                fmt::format("Action {} is {}: only what has not ended can be {}.", lsn.value, name(state), done));
}

std::string_view doneBy(const store::BulkChange& change) {
    if (change.cancelRequested) return "cancelled";
    if (change.held) return *change.held ? "held" : "released";
    return "changed";
}

/// Of an operation that was written while the end of its action was: the session may know the action no more.
Result<void> tooLateFor(Lsn lsn, Result<void> done) {
    if (!done && done.error().kind == ErrorKind::NotFound)
        return fail(ErrorKind::WrongState,
                    fmt::format("Action {0} has ended already: GET jobs/{0} says how.", lsn.value));
    return done;
}

} // namespace

coro::Task<store::AckDetail> Operations::commit(store::Action action) {
    const auto posted = parts_.post(std::move(action));
    co_return co_await posted->get();
}

/// WrongState when something that has not begun was posted to wait for it: a reader of that one would not find its
/// parent, and could not run it again.
coro::Task<Result<void>> Operations::notWaitedFor(Lsn lsn) {
    const auto children = co_await parts_.journal.pendingDependents(lsn, kMostChildren);
    if (!children) co_return std::unexpected(children.error());
    std::int64_t waiting = 0;
    Lsn first{};
    for (const store::LsnRun& run : children->runs())
        for (Lsn next = run.first; next.value > 0 && next <= run.last();) {
            next = parts_.session.views().walk(next, kPerSlice, [&](const session::LiveView& live) {
                if (live.lsn > run.last() || live.state != ActionState::Pending || live.attempt > 0) return;
                if (waiting++ == 0) first = live.lsn;
            });
            co_await coro::yieldNow();
        }
    if (waiting == 0) co_return Result<void>{};
    co_return fail(ErrorKind::WrongState,
                   waiting == 1
                       ? fmt::format("Action {} waits to run after action {}: wait for its end, or cancel it, "
                                     "then retire this one.",
                                     first.value, lsn.value)
                       : fmt::format("Action {} and {} more wait to run after action {}: wait for their ends, "
                                     "or cancel them, then retire this one.",
                                     first.value, waiting - 1, lsn.value));
}

/// NotFound, or WrongState when its end is kept.
coro::Task<Result<void>> Operations::notEnded(Lsn lsn, store::BulkChange change) {
    if (parts_.session.views().live(lsn)) co_return Result<void>{};
    const Result<ActionResult> known = co_await parts_.rows.row(lsn);
    if (!known) co_return std::unexpected(known.error());
    if (isEnded(known->state)) co_return alreadyEnded(lsn, known->state, doneBy(change));
    co_return Result<void>{};
}

/// What the journal refused is as it was before, unless something else changed it meanwhile.
void Operations::takeBack(const session::LiveView& before, const store::BulkChange& change) {
    const auto now = parts_.session.views().live(before.lsn);
    if (!now) return;
    store::BulkChange back;
    if (change.held && now->held == *change.held) back.held = before.held;
    if (change.queue && now->queue == *change.queue) back.queue = before.queue;
    if (change.priority && now->priority == *change.priority) back.priority = before.priority;
    if (!back.held && !back.queue && !back.priority) return;
    (void)changeLive(before.lsn, back); // what ended or began meanwhile has nothing to take back
    parts_.wake();
}

coro::Task<store::AckDetail> Operations::write(Lsn lsn, store::BulkChange change) {
    return commit(store::Update{.lsn = lsn,
                                .held = change.held,
                                .cancelRequested = change.cancelRequested,
                                .priority = change.priority,
                                .queue = change.queue,
                                .notBefore = {}});
}

/// The session first, as it alone knows whether it may; one FIFO to the journal keeps what follows behind this.
/// What the session refuses leaves nothing behind, nor does what the journal refuses. A cancel is carried out whatever
/// the journal says.
coro::Task<Result<void>> Operations::changeOne(Lsn lsn, store::BulkChange change) {
    YARD_ASSERT_OWNER(owner_);
    if (auto known = co_await notEnded(lsn, change); !known) co_return known;
    const auto before = parts_.session.views().live(lsn);
    if (auto changed = changeLive(lsn, change); !changed) co_return tooLateFor(lsn, std::move(changed));
    parts_.wake();
    const bool isSomething = change.held || change.cancelRequested || change.queue || change.priority;
    if (!isSomething) co_return Result<void>{};
    const store::AckDetail done = co_await write(lsn, change);
    if (!done.error) co_return Result<void>{};
    if (before) takeBack(*before, change);
    // Cancelled twice: the end that the first one made is kept already.
    if (change.cancelRequested && done.error->kind == ErrorKind::NotFound) co_return Result<void>{};
    co_return tooLateFor(lsn, std::unexpected(*done.error));
}

coro::Task<Result<void>> Operations::cancel(Lsn lsn) {
    Result<void> cancelled =
        co_await changeOne(lsn, {.held = {}, .cancelRequested = true, .priority = {}, .queue = {}});
    // A client that asks for the action next sees its end, also from the next engine. So the answer waits until the
    // journal has the end: of what ended meanwhile, and of what has no program that must end first.
    const auto live = parts_.session.views().live(lsn);
    const bool endsAtOnce = cancelled && live && live->state == ActionState::Pending && !live->leased;
    const bool hasEnded = !cancelled && cancelled.error().kind == ErrorKind::WrongState;
    if (!endsAtOnce && !hasEnded) co_return cancelled;
    const auto end = co_await parts_.waitForEnd(lsn, kEndIsKept);
    if (hasEnded && end && isEnded(end->state)) co_return alreadyEnded(lsn, end->state, "cancelled");
    co_return cancelled;
}

coro::Task<Result<void>> Operations::hold(Lsn lsn) {
    return changeOne(lsn, {.held = true, .cancelRequested = {}, .priority = {}, .queue = {}});
}

/// The action may start at once: so the journal has it before the session.
coro::Task<Result<void>> Operations::release(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    const store::BulkChange change{.held = false, .cancelRequested = {}, .priority = {}, .queue = {}};
    if (auto known = co_await notEnded(lsn, change); !known) co_return known;
    const store::AckDetail done = co_await write(lsn, change);
    if (done.error) co_return tooLateFor(lsn, std::unexpected(*done.error));
    auto released = parts_.session.actions().release(lsn);
    parts_.wake();
    co_return tooLateFor(lsn, std::move(released));
}

coro::Task<Result<void>> Operations::change(Lsn lsn, ActionChange what) {
    const Result<store::BulkChange> change = wantedChange(what);
    if (!change) co_return std::unexpected(change.error());
    co_return co_await changeOne(lsn, *change);
}

Result<void> Operations::notLive(Lsn lsn) const {
    if (!parts_.session.views().live(lsn)) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("Action {} is still active: cancel it first, or wait for its end.", lsn.value));
}

coro::Task<Result<void>> Operations::retire(Lsn lsn) {
    if (auto ended = notLive(lsn); !ended) co_return ended;
    if (auto free = co_await notWaitedFor(lsn); !free) co_return free;
    const store::AckDetail done = co_await commit(store::Retire{lsn});
    if (done.error && done.error->kind == ErrorKind::NotFound) co_return unknownAction(lsn);
    if (done.error) co_return std::unexpected(*done.error);
    parts_.annotations.forget(lsn);
    parts_.changes.noteRetired(lsn);
    co_return Result<void>{};
}

coro::Task<Result<void>> Operations::mayChange(BulkDeed deed, Lsn lsn) {
    if (deed.kind == BulkKind::Retry) co_return co_await parts_.mayRetry(lsn, deed.force);
    if (deed.kind == BulkKind::Retire) {
        if (auto ended = notLive(lsn); !ended) co_return ended;
        const auto states = co_await parts_.journal.states({lsn});
        if (!states) co_return std::unexpected(states.error());
        if (states->front() == ActionState::New) co_return unknownAction(lsn);
        co_return co_await notWaitedFor(lsn);
    }
    const Result<store::BulkChange> change = bulkChange(deed);
    if (!change) co_return std::unexpected(change.error());
    if (auto known = co_await notEnded(lsn, *change); !known) co_return known;
    co_return tooLateFor(lsn, mayChangeLive(lsn, *change));
}

} // namespace yard::engine

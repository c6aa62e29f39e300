#include "core/store/writer/endings.h"

#include "core/store/packing.h"
#include "core/store/schema.h"
#include "core/store/writer/column_values.h"

#include <fmt/format.h>

#include <utility>

namespace yard::store {

Endings::Endings(StatementMaker& sql, const Below& below)
    : owner_(sql.owner())
    , below_(below) {
    selectPending_ =
        sql("SELECT queue, class, label, priority, flags, t_new, d_pending, array_base, array_index, attempts, "
            "retry_count, own_failures, interruptions, name, id FROM pending WHERE lsn=?");
    deletePending_ = sql("DELETE FROM pending WHERE lsn=?");
    retryPending_ =
        sql("UPDATE pending SET flags=?, d_pending=?, not_before=?, attempts=?, retry_count=?, own_failures=?, "
            "interruptions=? WHERE lsn=?");
    insertDone_ = sql(
        "INSERT INTO done(lsn, queue, class, label, priority, state, reason, exit_code, signal, flags, attempts, "
        "retry_count, own_failures, interruptions, t_new, d_pending, d_submitting, d_running, d_exited, "
        "d_end, array_base, array_index, note, name, id, MEASURES) "
        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,MEASURE_MARKS)");
    selectDone_ =
        sql("SELECT queue, class, label, priority, state, attempts, retry_count, own_failures, interruptions, "
            "t_new, array_base, array_index, flags FROM done WHERE lsn=?");
    deleteDone_ = sql("DELETE FROM done WHERE lsn=?");
    reopenRow_ =
        sql("INSERT INTO pending SELECT lsn, queue, class, label, priority, flags >> 5 & 1, t_new, ?2 - t_new, ?6, "
            "array_base, "
            "array_index, attempts, retry_count + (attempts > retry_count), coalesce(?3, own_failures), "
            "coalesce(?4, interruptions), "
            "?5, name, id, NULL FROM done WHERE lsn=?1");
    static_assert(kWasHeld >> 5 == kHeld, "as in reopenRow_");
}

// --- pending to done, and trying again

int Endings::readPending(Lsn lsn, std::optional<PendingColumns>& columns) {
    QueryScope row(selectPending_, lsn);
    const int rc = row.step();
    if (rc == SQLITE_DONE) return SQLITE_OK;
    if (rc != SQLITE_ROW) return rc;
    columns = PendingColumns{.queue = row->integer(0),
                             .classNumber = row->integer(1),
                             .label = row->integer(2),
                             .priority = row->integer(3),
                             .flags = row->integer(4),
                             .tNew = row->integer(5),
                             .pending = row->optionalInteger(6),
                             .arrayBase = row->optionalInteger(7),
                             .arrayIndex = row->optionalInteger(8),
                             .attempts = row->integer(9),
                             .retryCount = row->integer(10),
                             .ownFailures = row->integer(11),
                             .interruptions = row->integer(12),
                             .name = std::string(row->text(13)),
                             .id = std::string(row->text(14))};
    return SQLITE_OK;
}

/// True when `done` alone cannot tell the attempt.
static bool saysMore(const Finish& finish, const AttemptRecord& attempt) {
    const auto& outcome = attempt.outcome;
    return (outcome.out && outcome.out->size > 0) || (outcome.err && outcome.err->size > 0) ||
           !outcome.outputs.empty() || !outcome.result.empty() || !outcome.denied.empty() ||
           !outcome.note.empty() || !outcome.samples.empty() || !outcome.given.empty() ||
           !outcome.machine.empty() || attempt.times.frozen != 0 || outcome.state != finish.state ||
           outcome.reason != finish.reason || attempt.times[outcome.state] != finish.tEnd;
}

int Endings::insertDone(const Finish& finish, const PendingColumns& row) {
    static const AttemptRecord kNone;
    const AttemptRecord& attempt = finish.attempt ? *finish.attempt : kNone;
    const AttemptOutcome& outcome = attempt.outcome;
    const std::int64_t flags =
        (finish.attempt ? endFlagsOf(outcome) | kByAttempt : 0) | ((row.flags & kHeld) != 0 ? kWasHeld : 0);
    const std::string& note = finish.note.empty() ? outcome.note : finish.note;
    return insertDone_.run(finish.lsn, row.queue, row.classNumber, row.label, row.priority,
                           std::to_underlying(finish.state), std::to_underlying(finish.reason), outcome.exitCode,
                           outcome.signal, flags, finish.attempt ? std::int64_t{attempt.n} : row.attempts,
                           row.retryCount, finish.ownFailures ? std::int64_t{*finish.ownFailures} : row.ownFailures,
                           finish.interruptions ? std::int64_t{*finish.interruptions} : row.interruptions, row.tNew,
                           row.pending, since(row.tNew, attempt.times[ActionState::Submitting]),
                           since(row.tNew, attempt.times[ActionState::Running]),
                           since(row.tNew, attempt.times.exited), since(row.tNew, finish.tEnd), row.arrayBase,
                           row.arrayIndex, unlessNone(note), unlessNone(row.name), unlessNone(row.id),
                           outcome.measures);
}

Applied Endings::apply(const Finish& finish) {
    YARD_ASSERT_OWNER(owner_);
    std::optional<PendingColumns> row;
    int rc = readPending(finish.lsn, row);
    if (rc != SQLITE_OK) return Applied::with(rc);
    if (!row) return ActionRows::notPending(finish.lsn);

    rc = insertDone(finish, *row);
    if (rc == SQLITE_OK && finish.attempt && saysMore(finish, *finish.attempt))
        rc = below_.attempts.put(finish.lsn, *finish.attempt);
    if (rc == SQLITE_OK) rc = deletePending_.run(finish.lsn);
    const bool needed = finish.state == ActionState::Failed || finish.state == ActionState::Abandoned;
    if (rc == SQLITE_OK && !finish.keepSpec && !needed && !row->arrayBase) rc = below_.specs.forgetText(finish.lsn);
    if (rc == SQLITE_OK) rc = below_.chunks.put(finish.chunks);
    if (rc != SQLITE_OK) return Applied::with(rc);
    below_.tally.ended(finish.lsn, row->queue, finish.state,
                       finish.attempt ? finish.attempt->times[ActionState::Running] : 0);
    return {};
}

Applied Endings::apply(const Retry& retry) {
    YARD_ASSERT_OWNER(owner_);
    std::optional<PendingColumns> row;
    int rc = readPending(retry.lsn, row);
    if (rc != SQLITE_OK) return Applied::with(rc);
    if (!row) return ActionRows::notPending(retry.lsn);
    const std::int64_t flags = (row->flags & ~kBackoff) | (retry.notBefore != 0 ? kBackoff : 0);
    rc = below_.attempts.put(retry.lsn, retry.attempt);
    if (rc == SQLITE_OK)
        rc = retryPending_.run(flags, since(row->tNew, retry.tPending), present(retry.notBefore), retry.attempt.n,
                               retry.retryCount, retry.ownFailures, retry.interruptions, retry.lsn);
    if (rc == SQLITE_OK) rc = below_.chunks.put(retry.chunks);
    if (rc == SQLITE_OK) below_.tally.tried(retry.lsn, retry.attempt.times[ActionState::Running]);
    return Applied::with(rc);
}

// --- done to pending

int Endings::readDone(const Reopen& reopen, DoneColumns& done) {
    QueryScope found(selectDone_, reopen.lsn);
    const int rc = found.step();
    if (rc != SQLITE_ROW) return rc;
    PendingRow& row = done.row;
    done.state = static_cast<ActionState>(found->integer(4));
    done.retryCount = static_cast<std::uint32_t>(found->integer(6));
    row.lsn = reopen.lsn;
    row.queue = QueueId(found->integer(0));
    row.classNumber = static_cast<ClassNumber>(found->integer(1));
    row.label = static_cast<LabelNumber>(found->integer(2));
    row.priority = static_cast<std::int16_t>(found->integer(3));
    row.attempts = static_cast<std::uint32_t>(found->integer(5));
    row.retryCount = done.retryCount + (row.attempts > done.retryCount ? 1 : 0); // as in reopenRow_
    row.ownFailures = reopen.ownFailures.value_or(static_cast<std::uint32_t>(found->integer(7)));
    row.interruptions = reopen.interruptions.value_or(static_cast<std::uint32_t>(found->integer(8)));
    row.tNew = found->integer(9);
    row.tPending = reopen.tPending;
    row.arrayBase = Lsn(found->integer(10));
    row.arrayIndex = found->integer(11);
    row.held = (found->integer(12) & kWasHeld) != 0;
    row.notBefore = reopen.notBefore;
    row.after = reopen.after;
    return rc;
}

bool Endings::refuses(const Reopen& reopen, const DoneColumns& done, Applied& applied) {
    const std::int64_t lsn = reopen.lsn.value;
    const auto wrongState = [&applied](std::string message) {
        applied = Applied::refused(ErrorKind::WrongState, std::move(message));
        return true;
    };
    if (done.state != ActionState::Failed && done.state != ActionState::Abandoned)
        return wrongState(
            fmt::format("action {} is {}: only failed and abandoned ones are rescheduled", lsn, name(done.state)));
    if (reopen.expectRetryCount && *reopen.expectRetryCount != done.retryCount)
        return wrongState(fmt::format("action {} was rescheduled by someone else", lsn));
    const int rc = below_.specs.find(done.row.arrayBase.value != 0 ? done.row.arrayBase : reopen.lsn);
    if (rc == SQLITE_ROW) return false;
    if (rc == SQLITE_DONE)
        return wrongState(fmt::format("what action {} was posted as is no longer kept: submit it again", lsn));
    applied = Applied::with(rc);
    return true;
}

int Endings::putBack(const Reopen& reopen) {
    int rc = below_.attempts.copyFromDone(reopen.lsn);
    const std::string edges = packEdges(reopen.after);
    if (rc == SQLITE_OK)
        rc = reopenRow_.run(reopen.lsn, reopen.tPending, reopen.ownFailures, reopen.interruptions,
                            unlessEmpty(edges), present(reopen.notBefore));
    return rc == SQLITE_OK ? deleteDone_.run(reopen.lsn) : rc;
}

Applied Endings::apply(const Reopen& reopen) {
    YARD_ASSERT_OWNER(owner_);
    DoneColumns done;
    Applied applied;
    if (const int rc = readDone(reopen, done); rc != SQLITE_ROW) {
        if (rc != SQLITE_DONE) return Applied::with(rc);
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no finished action {}: GET jobs lists those there are.", reopen.lsn.value));
    }
    if (refuses(reopen, done, applied)) return applied;
    AckDetail& detail = applied.detailed();
    for (const Edge& edge : reopen.after) {
        if (edge.count > 0) continue;
        ActionRows::Done ended;
        if (below_.actions.findDone(edge.lsn, ended) == SQLITE_ROW)
            detail.finished.push_back({edge.lsn, ended.state});
    }
    if (const int rc = putBack(reopen); rc != SQLITE_OK) return Applied::with(rc);
    below_.tally.reopened(reopen.lsn, done.row.queue.value, done.state);
    detail.row = std::move(done.row);
    return applied;
}

} // namespace yard::store

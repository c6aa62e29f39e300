#include "core/store/writer/retirement.h"

#include <fmt/format.h>

namespace yard::store {

Retirement::Retirement(StatementMaker& sql, const Below& below)
    : owner_(sql.owner())
    , below_(below) {
    scan_ = sql(
        "SELECT lsn, array_base, t_new + coalesce(d_end, 0), state FROM done WHERE lsn>=? ORDER BY lsn LIMIT ?");
    deleteRun_ = sql("DELETE FROM done WHERE lsn BETWEEN ? AND ?");
}

Applied Retirement::notFinished(Lsn lsn) {
    const int rc = below_.actions.findPending(lsn);
    if (rc == SQLITE_ROW)
        return Applied::refused(ErrorKind::WrongState,
                                fmt::format("action {} is active: cancel it, then retire it", lsn.value));
    if (rc == SQLITE_DONE)
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no finished action {}: GET jobs lists those there are.", lsn.value));
    return Applied::with(rc);
}

Applied Retirement::apply(const Retire& retire) {
    YARD_ASSERT_OWNER(owner_);
    ActionRows::Done done;
    int rc = below_.actions.findDone(retire.lsn, done);
    if (rc == SQLITE_DONE) return notFinished(retire.lsn);
    if (rc != SQLITE_ROW) return Applied::with(rc);
    rc = remove({.first = retire.lsn.value, .last = retire.lsn.value, .arrayBase = done.arrayBase});
    if (rc == SQLITE_OK) below_.tally.retired(retire.lsn, done.state);
    return Applied::with(rc);
}

int Retirement::remove(const Run& run) {
    int rc = deleteRun_.run(run.first, run.last);
    if (rc == SQLITE_OK) rc = below_.attempts.forget(run.first, run.last);
    if (rc == SQLITE_OK) rc = below_.replaced.forget(run.first, run.last);
    if (rc == SQLITE_OK) rc = below_.annotations.forget(run.first, run.last);
    if (rc == SQLITE_OK) rc = below_.objects.forgetActions(run.first, run.last);
    return rc == SQLITE_OK ? below_.specs.forget(run.first, run.last, run.arrayBase) : rc;
}

/// The rows that go, as runs; where to go on in `swept`.
int Retirement::findOutdated(const RetireOutdated& retire, std::vector<Run>& runs, std::vector<Gone>& gone,
                             SweepResult& swept) {
    QueryScope row(scan_, retire.from, retire.most);
    int looked = 0;
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        const std::int64_t lsn = row->integer(0);
        const auto base = row->optionalInteger(1);
        if (lsn > retire.what.last.value) return SQLITE_OK;
        ++looked;
        swept.next = Lsn(lsn + 1);
        if (!retire.what.covers(Lsn(lsn), row->integer(2))) continue;
        if (!runs.empty() && runs.back().last + 1 == lsn && runs.back().arrayBase == base)
            runs.back().last = lsn;
        else
            runs.push_back({lsn, lsn, base});
        gone.push_back({Lsn(lsn), static_cast<ActionState>(row->integer(3))});
        ++swept.gone;
    }
    swept.more = looked == retire.most;
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

Applied Retirement::apply(const RetireOutdated& retire) {
    YARD_ASSERT_OWNER(owner_);
    SweepResult swept;
    std::vector<Run> runs;
    std::vector<Gone> gone;
    int rc = findOutdated(retire, runs, gone, swept);
    for (const Run& run : runs) {
        if (rc == SQLITE_OK) rc = remove(run);
        swept.runs.emplace_back(run.first, run.last);
    }
    if (rc != SQLITE_OK) return Applied::with(rc);
    for (const auto& [lsn, state] : gone) below_.tally.retired(lsn, state);
    return Applied::swept(std::move(swept));
}

} // namespace yard::store

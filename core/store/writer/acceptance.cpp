#include "core/store/writer/acceptance.h"

#include "core/store/packing.h"
#include "core/store/schema.h"
#include "core/store/writer/column_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace yard::store {

Acceptance::Acceptance(StatementMaker& sql, const Below& below)
    : owner_(sql.owner())
    , below_(below) {
    insertPending_ = sql("INSERT INTO pending VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,NULL)");
    insertRun_ = sql(
        "INSERT INTO pending WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1<?2) "
        "SELECT ?1+i, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?17, ?11+i, ?12, ?13, ?14, ?15, ?16, ?18, ?19, NULL FROM n");
    deletePending_ = sql("DELETE FROM pending WHERE lsn BETWEEN ? AND ?");
    beginAccepting_ = sql("INSERT INTO accepting VALUES(?,?)");
    endAccepting_ = sql("DELETE FROM accepting WHERE first=?");
    accepting_ = sql("SELECT first, last FROM accepting");
    insertLabel_ = sql("INSERT OR IGNORE INTO dict_label VALUES(?,?)");
    insertClass_ = sql("INSERT OR IGNORE INTO dict_class VALUES(?,?,?,?,?)");
}

Applied Acceptance::apply(const Accept& accept) {
    YARD_ASSERT_OWNER(owner_);
    Applied applied;
    if (refuses(accept, applied)) return applied;
    if (const int rc = write(accept); rc != SQLITE_OK) return Applied::with(rc);
    return applied;
}

// --- may it come?

bool Acceptance::refuses(const Accept& accept, Applied& applied) {
    const bool begins = !accept.part || accept.part->begins;
    if (begins && accept.effect && isCarriedOut(accept, applied)) return true;
    if (begins && accept.idempotency && below_.keys.answers(*accept.idempotency, accept.now, applied)) return true;
    std::vector<Hash256> chunks;
    for (const auto& item : accept.items) chunks.insert(chunks.end(), item.chunks.begin(), item.chunks.end());
    if (!chunks.empty() && below_.chunks.lacks(chunks, applied)) return true;
    return lacksPredecessor(accept, applied) || below_.replaced.refuses(accept, applied);
}

/// The effect that this submission is has no row any more.
bool Acceptance::isCarriedOut(const Accept& accept, Applied& applied) {
    const int rc = below_.objects.findEffect(accept.effect->effect);
    if (rc == SQLITE_ROW) return false;
    if (rc != SQLITE_DONE)
        applied = Applied::with(rc);
    else
        applied.detailed().repeated = true;
    return true;
}

/// The edge names an item of the same submission before this one.
static bool isOfSubmission(const Accept& accept, std::size_t item, const Edge& edge) {
    const auto before = std::span(accept.items).first(item);
    const auto behind = std::ranges::upper_bound(before, edge.lsn, {}, [](const auto& o) { return o.row.lsn; });
    if (behind != before.begin()) {
        const AcceptItem& candidate = *std::prev(behind);
        if (edge.lsn.value < candidate.row.lsn.value + candidate.count) return true;
    }
    // Of parts before. Its LSNs follow each other, so what is lower is there.
    return accept.part && edge.lsn >= accept.part->whole.first && edge.lsn < accept.items.front().row.lsn;
}

bool Acceptance::lacksPredecessor(const Accept& accept, Applied& applied) {
    for (std::size_t i = 0; i < accept.items.size(); ++i)
        for (const Edge& edge : accept.items[i].row.after)
            if (!isOfSubmission(accept, i, edge) && lacks(edge, i, applied)) return true;
    return false;
}

bool Acceptance::lacks(const Edge& edge, std::size_t item, Applied& applied) {
    const bool isArray = edge.count > 0;
    int rc = isArray ? below_.specs.findArray(edge.lsn) : below_.actions.findPending(edge.lsn);
    if (rc == SQLITE_ROW) return false;
    if (rc == SQLITE_DONE && !isArray) {
        ActionRows::Done done;
        rc = below_.actions.findDone(edge.lsn, done);
        if (rc == SQLITE_ROW) {
            applied.detailed().finished.push_back({edge.lsn, done.state});
            return false;
        }
    }
    if (rc != SQLITE_DONE) {
        applied = Applied::with(rc);
        return true;
    }
    auto error = invalid("after", fmt::format("There is no {} {} to wait for, or not any more: leave it out of "
                                              "\"after\".",
                                              isArray ? "array" : "action", edge.lsn.value));
    error.error().index = static_cast<int>(item);
    applied = Applied::refused(std::move(error.error()));
    return true;
}

// --- its rows

int Acceptance::write(const Accept& accept) {
    const bool ends = !accept.part || accept.part->ends;
    int rc = insertDictionary(accept);
    if (rc == SQLITE_OK && accept.part) rc = markPart(*accept.part);
    for (const auto& item : accept.items) {
        if (rc != SQLITE_OK) break;
        rc = insertItem(item);
    }
    for (const Replacement& one : accept.replaced)
        if (rc == SQLITE_OK) rc = below_.replaced.insert(one);
    for (const FoldRun& fold : accept.folds)
        if (rc == SQLITE_OK) rc = below_.folds.insert(fold);
    if (rc == SQLITE_OK && ends && accept.effect)
        rc = below_.objects.submitted(*accept.effect, accept.items.front().row.lsn);
    if (rc == SQLITE_OK && ends && accept.idempotency) rc = below_.keys.keep(*accept.idempotency, accept.now);
    return rc;
}

int Acceptance::insertDictionary(const Accept& accept) {
    for (const auto& label : accept.labels)
        if (const int rc = insertLabel_.run(label.number, label.text); rc != SQLITE_OK) return rc;
    for (const auto& entry : accept.classes) {
        const int rc = insertClass_.run(entry.number, entry.text, entry.workerId, entry.workerName, entry.function);
        if (rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

int Acceptance::markPart(const AcceptPart& part) {
    if (part.begins)
        if (const int rc = beginAccepting_.run(part.whole.first, part.whole.last()); rc != SQLITE_OK) return rc;
    return part.ends ? endAccepting_.run(part.whole.first) : SQLITE_OK;
}

int Acceptance::insertItem(const AcceptItem& item) {
    const int rc = insertRows(item);
    return rc == SQLITE_OK && item.before == 0 ? below_.specs.insert(item) : rc;
}

/// All rows of an array by one statement: a third of the time, and others wait for their group meanwhile.
int Acceptance::insertRows(const AcceptItem& item) {
    const PendingRow& row = item.row;
    const std::string edges = packEdges(row.after);
    const std::int64_t flags = (row.held ? kHeld : 0) | (row.cancelRequested ? kCancelRequested : 0);
    const std::optional<std::string_view> command = unlessNone(row.command);
    if (item.isArray)
        return insertRun_.run(row.lsn, item.count, row.queue, row.classNumber, row.label, row.priority, flags,
                              row.tNew, since(row.tNew, row.tPending), present(row.notBefore), row.arrayIndex,
                              row.attempts, row.retryCount, row.ownFailures, row.interruptions, unlessEmpty(edges),
                              row.lsn.value - item.before, command, unlessNone(row.id));
    return insertPending_.run(row.lsn, row.queue, row.classNumber, row.label, row.priority, flags, row.tNew,
                              since(row.tNew, row.tPending), present(row.notBefore), nullptr, nullptr, row.attempts,
                              row.retryCount, row.ownFailures, row.interruptions, unlessEmpty(edges), command,
                              unlessNone(row.id));
}

// --- taking it back

int Acceptance::removeRows(const LsnRun& rows) {
    int rc = deletePending_.run(rows.first, rows.last());
    if (rc == SQLITE_OK) rc = below_.folds.undo(rows);
    return rc == SQLITE_OK ? below_.specs.undo(rows) : rc;
}

Applied Acceptance::apply(const UndoAccept& undo) {
    YARD_ASSERT_OWNER(owner_);
    int rc = removeRows(undo.rows);
    if (rc == SQLITE_OK && undo.ends) rc = endAccepting_.run(undo.whole);
    return Applied::with(rc);
}

int Acceptance::findUnfinished(std::vector<LsnRun>& wholes) {
    YARD_ASSERT_OWNER(owner_);
    QueryScope rows(accepting_);
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step())
        wholes.push_back({Lsn(rows->integer(0)), rows->integer(1) - rows->integer(0) + 1});
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int Acceptance::undo(const LsnRun& whole) {
    const int rc = removeRows(whole);
    return rc == SQLITE_OK ? endAccepting_.run(whole.first) : rc;
}

} // namespace yard::store

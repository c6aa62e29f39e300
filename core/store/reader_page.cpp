// Pages of finished and pending actions: which way through the table, and when to stop.
#include "core/store/measure_columns.h"
#include "core/store/page_windows.h"
#include "core/store/reader_impl.h"
#include "core/store/schema.h"

#include <algorithm>
#include <array>

namespace yard::store {

/// More different (state, queue, reason) than this, and a scan is as good.
static constexpr std::size_t kMaxRuns = 256;
static constexpr int kMaxPage = 1'000;

// One that was retired since is kRetiredSuccessor.
#define SUCCESSOR_OF(table)                                                                                        \
    "(SELECT CASE WHEN EXISTS(SELECT 1 FROM done s WHERE s.lsn=r.successor) OR EXISTS(SELECT 1 FROM pending s "    \
    "WHERE s.lsn=r.successor) THEN r.successor ELSE -1 END FROM replaced r WHERE r.lsn=" table ".lsn)"
#define DONE_COLUMNS                                                                                               \
    "SELECT lsn, queue, class, label, priority, state, reason, exit_code, signal, id, " SUCCESSOR_OF(              \
        "done") ", flags, attempts, retry_count, t_new, d_pending, "                                               \
                "d_submitting, d_running, d_exited, d_end, note, name, array_index, MEASURES FROM done "
#define PENDING_COLUMNS                                                                                            \
    "SELECT lsn, queue, class, label, priority, flags, t_new, d_pending, not_before, attempts, retry_count, "      \
    "name, array_index, id, " SUCCESSOR_OF("pending") " FROM pending "
#define ATTEMPT_COLUMNS                                                                                            \
    "SELECT id, state, reason, exit_code, signal, note, samples, flags, t_submitting, t_running, t_exited, "       \
    "t_end, "                                                                                                      \
    "out, err, outputs, result, denied, given, machine, MEASURES FROM attempt "
// What can be said of a row in SQL is said there: a row that does not match costs a tenth of one that is looked at
// here. NULL stands for "anything".
#define WANTED                                                                                                     \
    "lsn BETWEEN ?1 AND ?2 AND (?3 IS NULL OR queue=?3) AND (?4 IS NULL OR label=?4) AND "                         \
    "(?5 IS NULL OR class BETWEEN ?5 AND ?6) "
#define DONE_WANTED DONE_COLUMNS "WHERE " WANTED "AND (?7 >> state) & 1 AND (?8 IS NULL OR reason=?8) ORDER BY lsn "
#define PENDING_WANTED PENDING_COLUMNS "WHERE " WANTED "AND (flags & ?7)=?7 ORDER BY lsn "
#define USE_COLUMNS                                                                                                \
    "attempts, t_new, d_pending, CASE WHEN ?5 THEN (SELECT text FROM dict_label WHERE id=label) END, "
#define RUN                                                                                                        \
    "SELECT lsn FROM done INDEXED BY done_not_completed WHERE state=? AND state<>4 AND queue=? AND reason=? "

Result<void> Reader::Impl::prepare() {
    if (auto rows = prepareRows(); !rows) return rows;
    return prepareRest();
}

Result<void> Reader::Impl::prepareAll(std::span<const Prepared> all) {
    for (const auto& [statement, sql] : all) {
        auto prepared = database.prepare(withMeasures(sql));
        if (!prepared) return std::unexpected(std::move(prepared.error()));
        *statement = std::move(*prepared);
    }
    return {};
}

/// Rows of actions, and which there are.
Result<void> Reader::Impl::prepareRows() {
    const auto all = std::to_array<Prepared>({
        {&begin, "BEGIN"},
        {&end, "COMMIT"},
        {&done, DONE_COLUMNS "WHERE lsn=?"},
        {&doneDown, DONE_WANTED "DESC"},
        {&doneUp, DONE_WANTED},
        {&countDone,
         "SELECT count(*) FROM done WHERE " WANTED "AND (?7 >> state) & 1 AND (?8 IS NULL OR reason=?8)"},
        {&kindsDone,
         "SELECT lsn, queue, class, label, state, reason, d_submitting, attempts FROM done WHERE " WANTED
         "AND (?7 >> state) & 1 AND (?8 IS NULL OR reason=?8) ORDER BY lsn"},
        {&countAll, "SELECT CAST(value AS INTEGER) FROM meta WHERE key='finished'"},
        {&doneBelow, "SELECT lsn FROM done WHERE lsn BETWEEN ? AND ? ORDER BY lsn DESC LIMIT 1"},
        {&doneAbove, "SELECT lsn FROM done WHERE lsn BETWEEN ? AND ? ORDER BY lsn LIMIT 1"},
        {&pending, PENDING_COLUMNS "WHERE lsn=?"},
        {&pendingDown, PENDING_WANTED "DESC"},
        {&pendingUp, PENDING_WANTED},
        {&pendingBelow, "SELECT lsn FROM pending WHERE lsn BETWEEN ? AND ? ORDER BY lsn DESC LIMIT 1"},
        {&pendingAbove, "SELECT lsn FROM pending WHERE lsn BETWEEN ? AND ? ORDER BY lsn LIMIT 1"},
        // Two statements: with (queue, reason)>(?, ?) SQLite goes through all that have the same queue and reason.
        {&nextReason, "SELECT queue, reason FROM done INDEXED BY done_not_completed WHERE state=? AND state<>4 "
                      "AND queue=? AND reason>? ORDER BY reason LIMIT 1"},
        {&nextQueue, "SELECT queue, reason FROM done INDEXED BY done_not_completed WHERE state=? AND state<>4 "
                     "AND queue>? ORDER BY queue, reason LIMIT 1"},
        {&runDown, RUN "AND lsn BETWEEN ? AND ? ORDER BY lsn DESC LIMIT ?"},
        {&runUp, RUN "AND lsn BETWEEN ? AND ? ORDER BY lsn LIMIT ?"},
    });
    return prepareAll(all);
}

/// What belongs to them.
Result<void> Reader::Impl::prepareRest() {
    const auto all = std::to_array<Prepared>({
        {&attempt, ATTEMPT_COLUMNS "WHERE id=?"},
        {&machineOf, "SELECT machine FROM attempt WHERE id=?"},
        {&attempts, ATTEMPT_COLUMNS "WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?"},
        {&objectOf, "SELECT object FROM object_action WHERE lsn=?"},
        {&className, "SELECT worker, worker_name, function FROM dict_class WHERE id=?"},
        {&labelText, "SELECT text FROM dict_label WHERE id=?"},
        {&classesOf, "SELECT id FROM dict_class WHERE worker=?1 OR worker_name=?1 ORDER BY id"},
        {&labelOf, "SELECT id FROM dict_label WHERE text=? LIMIT 1"},
        {&recent, "SELECT lsns FROM recent ORDER BY seq DESC"},
        {&pendingNames, "SELECT lsn, name, array_index FROM pending WHERE lsn BETWEEN ?1 AND ?2 ORDER BY lsn"},
        {&nameOf, "SELECT name, array_index FROM done WHERE lsn=?1 UNION ALL "
                  "SELECT name, array_index FROM pending WHERE lsn=?1"},
        {&arraySize, "SELECT size FROM array WHERE base=?"},
        {&ends, "SELECT lsn, state FROM done WHERE lsn BETWEEN ?1 AND ?2 ORDER BY lsn"},
        {&hidden, "SELECT first, last FROM accepting"},
        {&idem, "SELECT body, answer, t FROM idem WHERE key=?"},
        {&findBlob, "SELECT hash, size, bytes, pack, at FROM blob WHERE key=?"},
        {&spec, "SELECT s.text, a.array_index FROM (SELECT lsn, array_base, array_index FROM pending WHERE lsn=?1 "
                "UNION ALL SELECT lsn, array_base, array_index FROM done WHERE lsn=?1) a "
                "JOIN spec s ON s.lsn=coalesce(a.array_base, a.lsn)"},
    });
    if (auto prepared = prepareAll(all); !prepared) return prepared;
    if (auto prepared = prepareWaits(); !prepared) return prepared;
    return prepareFoldsAndUses();
}

/// Who waits for whom.
Result<void> Reader::Impl::prepareWaits() {
    const auto all = std::to_array<Prepared>({
        {&dependents,
         "SELECT lsn, max(count) FROM (SELECT lsn, count FROM dependent WHERE parent BETWEEN ?1 AND ?2 UNION ALL "
         "SELECT lsn, count FROM dependent WHERE span>1 AND parent BETWEEN ?1-?4 AND ?2 AND parent+span>?1) "
         "GROUP BY lsn ORDER BY lsn LIMIT ?3"},
        {&failedDependents,
         "SELECT done.lsn, done.queue, done.class FROM dependent JOIN done ON done.lsn BETWEEN "
         "max(dependent.lsn, ?2 + 1) AND dependent.lsn + dependent.count - 1 WHERE (dependent.parent=?1 OR "
         "(dependent.span>1 AND dependent.parent=(SELECT array_base FROM pending WHERE lsn=?1 UNION ALL "
         "SELECT array_base FROM done WHERE lsn=?1))) AND "
         "done.state=?3 AND done.reason=?4 AND NOT EXISTS (SELECT 1 FROM replaced WHERE replaced.lsn=done.lsn) "
         "ORDER BY dependent.lsn, done.lsn LIMIT ?5"},
        {&waitUnit,
         "SELECT a.lsn, a.state, a.queue, a.class, a.label, a.array_base, array.size FROM (SELECT lsn, 1 AS "
         "state, queue, class, label, array_base FROM pending WHERE lsn BETWEEN ?1 AND ?2 UNION ALL "
         "SELECT lsn, state, queue, class, label, array_base FROM done WHERE lsn BETWEEN ?1 AND ?2 "
         "ORDER BY lsn LIMIT 1) a LEFT JOIN array ON array.base=a.array_base"},
        {&waitParents, "SELECT parent, span FROM dependent WHERE lsn=? ORDER BY parent"},
        // Nothing where all are to complete: then no parent is an object with "on".
        {&waitOns, "SELECT coalesce(json_extract(a.value, '$.lsn'), json_extract(a.value, '$.array')), "
                   "coalesce(json_extract(a.value, '$.on'), '') FROM spec s, json_each(s.text, '$.after') a "
                   "WHERE s.lsn=? AND instr(s.text, '\"on\"')>0 AND json_valid(s.text) AND a.type='object'"},
        {&waitChildren,
         "SELECT parent, lsn, count, span FROM dependent WHERE (parent, lsn)>(?1, ?2) AND parent<=?3 "
         "ORDER BY parent, lsn"},
        {&waitsBelow,
         "SELECT d.lsn, d.parent, (SELECT queue FROM pending WHERE lsn=d.lsn UNION ALL SELECT queue FROM done "
         "WHERE "
         "lsn=d.lsn), (SELECT queue FROM pending WHERE lsn=d.parent UNION ALL SELECT queue FROM done WHERE "
         "lsn=d.parent) FROM dependent d WHERE d.lsn<?1 ORDER BY d.lsn DESC"},
        {&waitName, "SELECT id, name, array_index FROM done WHERE lsn=?1 UNION ALL "
                    "SELECT id, name, array_index FROM pending WHERE lsn=?1"},
        {&pendingDependents,
         "SELECT lsn, max(count) FROM dependent d WHERE (parent=?1 OR (span>1 AND parent=(SELECT array_base FROM "
         "done "
         "WHERE lsn=?1))) AND EXISTS (SELECT 1 FROM pending p WHERE p.lsn BETWEEN d.lsn AND d.lsn + d.count - 1) "
         "GROUP BY lsn ORDER BY lsn LIMIT ?2"},
    });
    return prepareAll(all);
}

/// Arrays and lists as one row; what actions used.
Result<void> Reader::Impl::prepareFoldsAndUses() {
    const auto all = std::to_array<Prepared>({
        {&foldUpTo, "SELECT first, last, kind, completed, failed, abandoned, cancelled, gone, started FROM fold "
                    "WHERE first<=? ORDER BY first DESC LIMIT 1"},
        {&foldsBehind, "SELECT first, last FROM fold WHERE first>? ORDER BY first"},
        {&useRows,
         "SELECT lsn, queue, class, " USE_COLUMNS "state, reason, flags, d_submitting, d_running, d_exited, "
         "d_end, max_rss FROM done WHERE lsn BETWEEN ?1 AND ?2 AND t_new<?4 AND t_new+d_end>=?3 "
         "UNION ALL SELECT lsn, queue, class, " USE_COLUMNS "NULL, 0, 0, NULL, NULL, NULL, NULL, NULL "
         "FROM pending WHERE lsn BETWEEN ?1 AND ?2 AND attempts>0 AND t_new<?4 ORDER BY lsn"},
        {&useAbove, "SELECT lsn FROM done WHERE lsn BETWEEN ?1 AND ?2 UNION ALL SELECT lsn FROM pending "
                    "WHERE lsn BETWEEN ?1 AND ?2 ORDER BY lsn LIMIT 1"},
        {&useAttempts, "SELECT state, reason, t_running, t_exited, t_end, max_rss FROM attempt "
                       "WHERE id BETWEEN ? AND ? ORDER BY id"},
        {&oldestDone, "SELECT t_new+coalesce(d_end, 0) FROM done ORDER BY lsn LIMIT 1"},
    });
    return prepareAll(all);
}

Result<Reader::Impl::Wanted> Reader::Impl::understand(const PageFilter& filter) {
    Wanted wanted;
    if (!filter.states.empty()) {
        wanted.states = 0;
        for (const ActionState state : filter.states) wanted.states |= 1u << std::to_underlying(state);
    }
    if (!filter.worker.empty()) {
        auto& classes = wanted.classes.emplace();
        QueryScope rows(classesOf, filter.worker);
        int rc = rows.step();
        for (; rc == SQLITE_ROW; rc = rows.step()) classes.push_back(static_cast<ClassNumber>(rows->integer(0)));
        if (rc != SQLITE_DONE) return failed(rc, "looking up a worker");
        wanted.impossible = classes.empty();
    }
    if (filter.label && filter.label->empty()) {
        wanted.label = 0;
    } else if (filter.label) {
        QueryScope rows(labelOf, *filter.label);
        const int rc = rows.step();
        if (rc == SQLITE_ROW)
            wanted.label = static_cast<LabelNumber>(rows->integer(0));
        else if (rc == SQLITE_DONE)
            wanted.impossible = true;
        else
            return failed(rc, "looking up a label");
    }
    return wanted;
}

bool Reader::Impl::matches(const PageFilter& filter, const Wanted& wanted, std::int64_t queue,
                           std::int64_t classNumber, std::int64_t label) {
    if (filter.queue && filter.queue->value != queue) return false;
    if (wanted.label && *wanted.label != label) return false;
    return !wanted.classes || std::ranges::binary_search(*wanted.classes, static_cast<ClassNumber>(classNumber));
}

Result<Page> Reader::Impl::scan(const PageFilter& filter, const Wanted& wanted, PageOrder order, int limit,
                                Lsn cursor) {
    ReadBudget looking(filter.lookFor);
    const WallMicros now = wallNow();
    Statement& statement = order == PageOrder::NewestFirst ? doneDown : doneUp;
    PageWindows windows(rangeOf(filter, order, cursor), order, doneBelow, doneAbove);
    const auto [firstClass, lastClass] = spanOf(wanted.classes);
    std::optional<int> reason;
    if (filter.reason) reason = std::to_underlying(*filter.reason);
    Page page;
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        page.cursor = Lsn(rows->integer(0));
        const auto classNumber = static_cast<ClassNumber>(rows->integer(2));
        if (!matches(filter, wanted, rows->integer(1), classNumber, rows->integer(3))) return Seen::PassedOver;
        ActionResult result = doneRow(statement);
        if (!filter.numbers.matches(result, now)) return Seen::PassedOver;
        int rc = complete(result, classNumber, static_cast<LabelNumber>(rows->integer(3)));
        if (rc == SQLITE_OK) rc = addLastAttempt(result, rows->integer(12));
        if (rc != SQLITE_OK) return std::unexpected(rc);
        page.rows.push_back(std::move(result));
        return static_cast<int>(page.rows.size()) == limit ? Seen::ShownAndLast : Seen::Shown;
    };
    const int rc = walk(statement, windows, looking, page.cursor, each, numberOf(filter.queue), wanted.label,
                        firstClass, lastClass, wanted.states, reason);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return failed(rc, "reading a page");
    return page;
}

/// From one run of the index to the next one of this state. SQLITE_ROW: there it is; SQLITE_DONE: that was the
/// last.
int Reader::Impl::stepRun(std::int64_t state, std::int64_t& queue, std::int64_t& reason, bool sameQueue) {
    QueryScope next(nextReason, state, queue, reason);
    int rc = next.step();
    if (rc == SQLITE_ROW) reason = next->integer(1);
    if (rc != SQLITE_DONE || sameQueue) return rc;
    QueryScope other(nextQueue, state, queue);
    rc = other.step();
    if (rc != SQLITE_ROW) return rc;
    queue = other->integer(0);
    reason = other->integer(1);
    return rc;
}

Result<std::optional<std::vector<Reader::Impl::Run>>> Reader::Impl::runs(const PageFilter& filter,
                                                                         const Wanted& wanted) {
    std::vector<Run> found;
    for (const ActionState state : {ActionState::Failed, ActionState::Abandoned, ActionState::Cancelled}) {
        if (!((wanted.states >> std::to_underlying(state)) & 1u)) continue;
        std::int64_t queue = filter.queue ? filter.queue->value : 0;
        std::int64_t reason = -1;
        for (;;) {
            const int rc = stepRun(std::to_underlying(state), queue, reason, filter.queue.has_value());
            if (rc == SQLITE_DONE) break;
            if (rc != SQLITE_ROW) return failed(rc, "reading a page");
            if (filter.reason && reason != std::to_underlying(*filter.reason)) continue;
            if (found.size() == kMaxRuns) return std::nullopt;
            found.push_back({std::to_underlying(state), queue, reason});
        }
    }
    return found;
}

Result<Page> Reader::Impl::merge(const std::vector<Run>& runs, const PageFilter& filter, const Wanted& wanted,
                                 PageOrder order, int limit, Lsn cursor) {
    const ReadBudget looking(filter.lookFor);
    const LsnRange range = rangeOf(filter, order, cursor);
    const bool down = order == PageOrder::NewestFirst;
    std::vector<std::int64_t> lsns;
    bool more = false;
    for (const Run& run : runs) {
        QueryScope rows(down ? runDown : runUp, run.state, run.queue, run.reason, range.low, range.high, limit);
        int count = 0;
        int rc = rows.step();
        for (; rc == SQLITE_ROW; rc = rows.step(), ++count) lsns.push_back(rows->integer(0));
        if (rc != SQLITE_DONE) return failed(rc, "reading a page");
        more = more || count == limit;
    }
    // Each run gave its first `limit`, so the first `limit` of all of them are right.
    down ? std::ranges::sort(lsns, std::greater<>()) : std::ranges::sort(lsns);
    if (lsns.size() > static_cast<std::size_t>(limit)) {
        lsns.resize(static_cast<std::size_t>(limit));
        more = true;
    }
    Page page;
    for (std::size_t i = 0; i < lsns.size(); ++i) {
        std::int64_t classNumber = 0;
        std::int64_t label = 0;
        std::int64_t queue = 0;
        {
            QueryScope row(done, lsns[i]);
            if (const int rc = row.step(); rc != SQLITE_ROW) return failed(rc, "reading a page");
            queue = row->integer(1);
            classNumber = row->integer(2);
            label = row->integer(3);
        }
        page.cursor = Lsn(lsns[i]);
        if (matches(filter, wanted, queue, classNumber, label)) {
            std::optional<ActionResult> result;
            if (const int rc = finished(page.cursor, result); rc != SQLITE_ROW) return failed(rc, "reading a page");
            page.rows.push_back(std::move(*result));
        }
        if (i + 1 < lsns.size() && looking.isOver()) return page;
    }
    if (!more) page.cursor = Lsn();
    return page;
}

Result<Page> Reader::page(const PageFilter& filter, PageOrder order, int limit, Lsn cursor) {
    Impl& reader = *impl_;
    limit = std::clamp(limit, 1, kMaxPage);
    const Impl::Snapshot snapshot(reader);
    auto wanted = reader.understand(filter);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    if (wanted->impossible) return Page();
    const bool onlyOthers = !((wanted->states >> std::to_underlying(ActionState::Completed)) & 1u);
    // The index knows nothing of labels, workers and times: where few of a run match, going through the rows is
    // faster.
    if (onlyOthers && !wanted->label && !wanted->classes && filter.numbers.empty()) {
        auto runs = reader.runs(filter, *wanted);
        if (!runs) return std::unexpected(std::move(runs.error()));
        if (*runs) return reader.merge(**runs, filter, *wanted, order, limit, cursor);
    }
    return reader.scan(filter, *wanted, order, limit, cursor);
}

Result<Page> Reader::pagePending(const PageFilter& filter, PageOrder order, int limit, Lsn cursor) {
    Impl& reader = *impl_;
    limit = std::clamp(limit, 1, kMaxPage);
    const Impl::Snapshot snapshot(reader);
    auto wanted = reader.understand(filter);
    if (!wanted) return std::unexpected(std::move(wanted.error()));
    Page page;
    if (wanted->impossible) return page;
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "reading a page");
    ReadBudget looking(filter.lookFor);
    Statement& statement = order == PageOrder::NewestFirst ? reader.pendingDown : reader.pendingUp;
    PageWindows windows(rangeOf(filter, order, cursor), order, reader.pendingBelow, reader.pendingAbove);
    const auto [firstClass, lastClass] = spanOf(wanted->classes);
    const std::int64_t flags = (filter.heldOnly ? kHeld : 0) | (filter.backoffOnly ? kBackoff : 0);
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        page.cursor = Lsn(rows->integer(0));
        const auto classNumber = static_cast<ClassNumber>(rows->integer(2));
        const std::int64_t label = rows->integer(3);
        const bool isWanted = Impl::matches(filter, *wanted, rows->integer(1), classNumber, label);
        if (!isWanted || reader.isHidden(page.cursor.value)) return Seen::PassedOver;
        ActionResult& result = page.rows.emplace_back(Impl::pendingRow(statement));
        const int rc = reader.complete(result, classNumber, static_cast<LabelNumber>(label));
        if (rc != SQLITE_OK) return std::unexpected(rc);
        return static_cast<int>(page.rows.size()) == limit ? Seen::ShownAndLast : Seen::Shown;
    };
    const int rc = walk(statement, windows, looking, page.cursor, each, numberOf(filter.queue), wanted->label,
                        firstClass, lastClass, flags);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "reading a page");
    return page;
}

} // namespace yard::store

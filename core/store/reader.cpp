#include "core/store/measure_columns.h"
#include "core/store/reader_impl.h"

#include "core/base/files.h"
#include "core/model/action_name.h"
#include "core/store/packing.h"
#include "core/store/page_windows.h"
#include "core/store/restore.h"
#include "core/store/schema.h"
#include "core/store/store_impl.h"

#include <algorithm>
#include <fmt/format.h>

#include <unordered_set>

namespace yard::store {

/// Pages stop long before. This bounds how long the journal's log may grow behind a reader whose disk hangs; on a
/// machine that is merely busy nobody should hear of it.
static constexpr Duration kLongestSnapshot = std::chrono::seconds(2);
static constexpr int kProgressSteps = 2'000; // of SQLite's machine between looks at the clock: some 50 us
static constexpr int kMaxAttempts = 1'000;

Reader::Impl::~Impl() {
    // Statements first, then the connection, then it no longer counts.
    for (Statement* statement : {&begin,
                                 &end,
                                 &done,
                                 &doneDown,
                                 &doneUp,
                                 &doneBelow,
                                 &doneAbove,
                                 &pending,
                                 &pendingDown,
                                 &pendingUp,
                                 &pendingBelow,
                                 &pendingAbove,
                                 &nextReason,
                                 &nextQueue,
                                 &runDown,
                                 &runUp,
                                 &attempt,
                                 &attempts,
                                 &className,
                                 &labelText,
                                 &classesOf,
                                 &labelOf,
                                 &recent,
                                 &spec,
                                 &findBlob,
                                 &idem,
                                 &hidden,
                                 &dependents,
                                 &failedDependents,
                                 &pendingNames,
                                 &nameOf,
                                 &waitUnit,
                                 &waitParents,
                                 &waitOns,
                                 &waitChildren,
                                 &waitsBelow,
                                 &waitName,
                                 &arraySize,
                                 &foldUpTo,
                                 &foldsBehind,
                                 &countDone,
                                 &countAll,
                                 &useRows,
                                 &useAbove,
                                 &useAttempts,
                                 &oldestDone,
                                 &ends,
                                 &pendingDependents})
        *statement = Statement();
    database = Database();
    --readers;
}

Reader::Impl::Snapshot::Snapshot(Impl& reader)
    : reader_(reader) {
    reader_.deadline = MonoClock::now() + kLongestSnapshot;
    (void)reader_.begin.run();
}

Reader::Impl::Snapshot::~Snapshot() {
    reader_.deadline = MonoTime::max();
    (void)reader_.end.run();
}

std::unexpected<Error> Reader::Impl::failed(int rc, std::string_view doing) const {
    if ((rc & 0xff) == SQLITE_INTERRUPT)
        return fail(ErrorKind::Busy, fmt::format("{} took too long: try again, or ask for less", doing));
    return std::unexpected(database.error(ErrorKind::Io, doing));
}

Reader::Reader(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(Store& store) {
    auto impl = std::make_unique<Impl>(store.impl_->files, store.impl_->readers);
    auto opened = Database::openForReading(store.path(), store.impl_->options.vfs);
    if (!opened) return std::unexpected(std::move(opened.error()));
    impl->database = std::move(*opened);
    if (auto prepared = impl->prepare(); !prepared) return std::unexpected(std::move(prepared.error()));
    impl->deadline = MonoTime::max();
    sqlite3_progress_handler(
        impl->database.handle(), kProgressSteps,
        [](void* reader) -> int { return MonoClock::now() > static_cast<Impl*>(reader)->deadline; }, impl.get());
    return std::unique_ptr<Reader>(new Reader(std::move(impl)));
}

// --- rows to results

static WallMicros timeAt(const Statement& row, int column, WallMicros tNew) {
    return row.isNull(column) ? 0 : tNew + row.integer(column);
}

static std::optional<int> optionalInt(const Statement& row, int column) {
    if (row.isNull(column)) return std::nullopt;
    return static_cast<int>(row.integer(column));
}

/// In this column, with the index of its array in the next one.
static std::string commandIn(const Statement& row, int column) {
    std::string command(row.text(column));
    if (command.empty() || row.isNull(column + 1)) return command;
    return elementName(std::move(command), row.integer(column + 1));
}

ActionResult Reader::Impl::doneRow(const Statement& row) {
    ActionResult result;
    result.lsn = Lsn(row.integer(0));
    result.queue = QueueId(row.integer(1));
    result.priority = static_cast<int>(row.integer(4));
    result.state = static_cast<ActionState>(row.integer(5));
    result.retryCount = static_cast<std::int32_t>(row.integer(13));
    AttemptOutcome& outcome = result.outcome.emplace();
    outcome.state = result.state;
    outcome.reason = static_cast<Reason>(row.integer(6));
    outcome.exitCode = optionalInt(row, 7);
    outcome.signal = optionalInt(row, 8);
    outcome.measures = measuresAt(row, 23);
    const std::int64_t flags = row.integer(11);
    if (flags & kOutEmpty) outcome.out = ChunkRef{Hash256::ofNothing(), 0};
    if (flags & kErrEmpty) outcome.err = ChunkRef{Hash256::ofNothing(), 0};
    const WallMicros tNew = row.integer(14);
    result.times[ActionState::New] = tNew;
    result.times[ActionState::Pending] = timeAt(row, 15, tNew);
    result.times[ActionState::Submitting] = timeAt(row, 16, tNew);
    result.times[ActionState::Running] = timeAt(row, 17, tNew);
    result.times.exited = timeAt(row, 18, tNew);
    result.times[result.state] = timeAt(row, 19, tNew);
    result.note = row.text(20);
    outcome.note = result.note;
    result.command = commandIn(row, 21);
    if (!row.isNull(22)) result.index = row.integer(22);
    result.id = row.text(9);
    result.replacedBy = Lsn(row.integer(10));
    return result;
}

ActionResult Reader::Impl::pendingRow(const Statement& row) {
    ActionResult result;
    const std::int64_t flags = row.integer(5);
    result.lsn = Lsn(row.integer(0));
    result.queue = QueueId(row.integer(1));
    result.priority = static_cast<int>(row.integer(4));
    result.state = ActionState::Pending;
    result.held = (flags & kHeld) != 0;
    if (flags & kBackoff) result.retryAt = row.integer(8);
    result.times[ActionState::New] = row.integer(6);
    result.times[ActionState::Pending] = timeAt(row, 7, row.integer(6));
    result.retryCount = static_cast<std::int32_t>(row.integer(10));
    result.command = commandIn(row, 11);
    if (!row.isNull(12)) result.index = row.integer(12);
    result.id = row.text(13);
    result.replacedBy = Lsn(row.integer(14));
    return result;
}

int Reader::Impl::complete(ActionResult& result, ClassNumber classNumber, LabelNumber label) {
    result.classNumber = classNumber;
    QueryScope names(className, classNumber);
    int rc = names.step();
    if (rc == SQLITE_ROW) {
        result.workerId = names->text(0);
        result.workerName = names->text(1);
        result.function = names->text(2);
    } else if (rc != SQLITE_DONE) {
        return rc;
    }
    if (label == 0) return SQLITE_OK;
    QueryScope text(labelText, label);
    rc = text.step();
    if (rc == SQLITE_ROW) result.label = text->text(0);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/// Columns of kAttemptColumns.
static AttemptRecord attemptRow(const Statement& row) {
    AttemptRecord record;
    AttemptOutcome& outcome = record.outcome;
    record.n = static_cast<std::uint32_t>(row.integer(0) & ((1 << kAttemptBits) - 1));
    outcome.state = static_cast<ActionState>(row.integer(1));
    outcome.reason = static_cast<Reason>(row.integer(2));
    outcome.exitCode = optionalInt(row, 3);
    outcome.signal = optionalInt(row, 4);
    outcome.note = row.text(5);
    outcome.samples = decodeUsage(row.text(6));
    outcome.measures = measuresAt(row, 19);
    const std::int64_t flags = row.integer(7);
    record.times[ActionState::Submitting] = row.integer(8);
    record.times[ActionState::Running] = row.integer(9);
    record.times.exited = row.integer(10);
    record.times[outcome.state] = row.integer(11);
    if (flags & kOutEmpty) outcome.out = ChunkRef{Hash256::ofNothing(), 0};
    if (flags & kErrEmpty) outcome.err = ChunkRef{Hash256::ofNothing(), 0};
    if (!row.isNull(12)) outcome.out = unpackChunk(row.text(12));
    if (!row.isNull(13)) outcome.err = unpackChunk(row.text(13));
    outcome.outTruncated = (flags & kOutTruncated) != 0;
    outcome.errTruncated = (flags & kErrTruncated) != 0;
    outcome.outputs = unpackOutputs(row.text(14));
    outcome.result = row.text(15);
    outcome.denied = unpackDenied(row.text(16));
    if (!row.isNull(17)) outcome.given = unpackGiven(row.text(17), record.times.frozen);
    outcome.machine = row.text(18);
    return record;
}

int Reader::Impl::addLastAttempt(ActionResult& result, std::int64_t count) {
    if (count == 0) return SQLITE_OK;
    const std::int64_t last = std::min<std::int64_t>(count, (1 << kAttemptBits) - 1);
    QueryScope row(attempt, (result.lsn.value << kAttemptBits) | last);
    const int rc = row.step();
    if (rc == SQLITE_DONE) return SQLITE_OK;
    if (rc != SQLITE_ROW) return rc;
    AttemptRecord record = attemptRow(attempt);
    AttemptOutcome& kept = record.outcome;
    result.times.frozen = record.times.frozen;
    AttemptOutcome& outcome = *result.outcome;
    outcome.out = kept.out;
    outcome.err = kept.err;
    outcome.outTruncated = kept.outTruncated;
    outcome.errTruncated = kept.errTruncated;
    outcome.outputs = std::move(kept.outputs);
    outcome.result = std::move(kept.result);
    outcome.denied = std::move(kept.denied);
    outcome.given = std::move(kept.given);
    outcome.machine = std::move(kept.machine);
    if (outcome.note.empty()) outcome.note = kept.note;
    return SQLITE_OK;
}

int Reader::Impl::addAttempts(ActionResult& result, std::int64_t count, bool endedByAttempt) {
    const std::int64_t first = result.lsn.value << kAttemptBits;
    QueryScope rows(attempts, first, first + (1 << kAttemptBits) - 1, kMaxAttempts);
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) result.attempts.push_back(attemptRow(attempts));
    if (rc != SQLITE_DONE) return rc;
    std::ranges::reverse(result.attempts);
    const bool lastIsThere = !result.attempts.empty() && result.attempts.back().n >= count;
    if (endedByAttempt && !lastIsThere) {
        // An attempt of which there is no more to say than the action itself does.
        AttemptRecord record;
        record.n = static_cast<std::uint32_t>(count);
        record.outcome = *result.outcome;
        record.times = result.times;
        record.times[ActionState::New] = record.times[ActionState::Pending] = 0;
        result.attempts.push_back(std::move(record));
    }
    return SQLITE_OK;
}

int Reader::Impl::addObject(ActionResult& result) {
    QueryScope row(objectOf, result.lsn);
    const int rc = row.step();
    if (rc == SQLITE_ROW) result.object = row->integer(0);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int Reader::Impl::finished(Lsn lsn, std::optional<ActionResult>& result) {
    QueryScope row(done, lsn);
    const int rc = row.step();
    if (rc != SQLITE_ROW) return rc;
    result = doneRow(done);
    const auto classNumber = static_cast<ClassNumber>(row->integer(2));
    const auto label = static_cast<LabelNumber>(row->integer(3));
    if (const int named = complete(*result, classNumber, label); named != SQLITE_OK) return named;
    const int added = addLastAttempt(*result, row->integer(12));
    return added == SQLITE_OK ? SQLITE_ROW : added;
}

int Reader::Impl::findHidden() {
    hiddenRuns.clear();
    QueryScope rows(hidden);
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step())
        hiddenRuns.push_back({Lsn(rows->integer(0)), rows->integer(1) - rows->integer(0) + 1});
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

// --- questions

Result<std::optional<ActionResult>> Reader::get(Lsn lsn) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    std::optional<ActionResult> result;
    int rc = reader.finished(lsn, result);
    if (rc == SQLITE_ROW) {
        QueryScope row(reader.done, lsn);
        rc = row.step();
        if (rc == SQLITE_ROW)
            rc = reader.addAttempts(*result, row->integer(12), (row->integer(11) & kByAttempt) != 0);
        if (rc == SQLITE_OK) rc = reader.addObject(*result);
        if (rc != SQLITE_OK) return reader.failed(rc, "reading an action");
        return result;
    }
    if (rc == SQLITE_DONE && reader.findHidden() == SQLITE_OK && reader.isHidden(lsn.value))
        return std::optional<ActionResult>();
    if (rc != SQLITE_DONE) return reader.failed(rc, "reading an action");
    QueryScope row(reader.pending, lsn);
    rc = row.step();
    if (rc == SQLITE_DONE) return std::optional<ActionResult>();
    if (rc == SQLITE_ROW) {
        result = Impl::pendingRow(reader.pending);
        rc = reader.complete(*result, static_cast<ClassNumber>(row->integer(2)),
                             static_cast<LabelNumber>(row->integer(3)));
        if (rc == SQLITE_OK) rc = reader.addAttempts(*result, row->integer(9), false);
        if (rc == SQLITE_OK) rc = reader.addObject(*result);
    }
    if (rc != SQLITE_OK) return reader.failed(rc, "reading an action");
    return result;
}

Result<std::vector<ActionResult>> Reader::history(int limit, std::optional<QueueId> queue) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    std::vector<ActionResult> results;
    std::unordered_set<Lsn> seen;
    int looked = 0;
    QueryScope rows(reader.recent);
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) {
        const auto lsns = unpackLsns(rows->text(0));
        for (auto lsn = lsns.rbegin(); lsn != lsns.rend() && looked < 1'000; ++lsn) {
            if (static_cast<int>(results.size()) >= limit) return results;
            if (!seen.insert(*lsn).second) continue; // rescheduled, and ended again later
            ++looked;
            std::optional<ActionResult> result;
            const int found = reader.finished(*lsn, result);
            if (found == SQLITE_ROW && (!queue || result->queue == *queue)) results.push_back(std::move(*result));
            if (found != SQLITE_ROW && found != SQLITE_DONE) return reader.failed(found, "reading the history");
        }
    }
    if (rc != SQLITE_DONE) return reader.failed(rc, "reading the history");
    return results;
}

Result<std::optional<Reader::SpecText>> Reader::specText(Lsn lsn) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    QueryScope row(reader.spec, lsn);
    int rc = reader.findHidden();
    if (rc == SQLITE_OK && reader.isHidden(lsn.value)) return std::optional<SpecText>();
    if (rc == SQLITE_OK) rc = row.step();
    if (rc == SQLITE_DONE) return std::optional<SpecText>();
    if (rc != SQLITE_ROW) return reader.failed(rc, "reading a spec");
    return SpecText{std::string(row->text(0)), row->optionalInteger(1)};
}

Result<LsnSet> Reader::dependents(Lsn first, Lsn last, int most) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    QueryScope rows(reader.dependents, first, last, most + 1, kMaxArrayCount);
    LsnSet found;
    int places = 0;
    int rc = rows.step();
    for (; rc == SQLITE_ROW && places <= most; rc = rows.step(), ++places)
        found.add(LsnRun{Lsn(rows->integer(0)), rows->integer(1)});
    if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking for those that wait");
    if (places > most)
        return fail(ErrorKind::AtLimit,
                    fmt::format("More than {} submissions wait for actions {} to {}: name fewer.", most,
                                first.value, last.value));
    return found;
}

Result<std::vector<std::int64_t>> Reader::arraySizes(std::span<const Lsn> bases) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "looking up an array");
    std::vector<std::int64_t> sizes;
    for (const Lsn base : bases) {
        QueryScope row(reader.arraySize, base);
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up an array");
        sizes.push_back(rc == SQLITE_ROW && !reader.isHidden(base.value) ? row->integer(0) : 0);
    }
    return sizes;
}

Result<Reader::Otherwise> Reader::endedOtherwise(Lsn first, Lsn last, Lsn behind, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    PageFilter filter;
    filter.from = first;
    filter.to = last;
    PageWindows windows(rangeOf(filter, PageOrder::OldestFirst, behind), PageOrder::OldestFirst, reader.doneBelow,
                        reader.doneAbove);
    Otherwise found;
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        found.cursor = Lsn(rows->integer(0));
        const auto state = static_cast<ActionState>(rows->integer(1));
        if (state == ActionState::Completed) return Seen::PassedOver;
        found.ends.emplace_back(found.cursor, state);
        return found.ends.size() < kMostOtherwise ? Seen::PassedOver : Seen::ShownAndLast;
    };
    const int rc = walk(reader.ends, windows, looking, found.cursor, each);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "looking at an array");
    return found;
}

Result<Reader::Named> Reader::pendingNamed(const std::function<bool(std::string_view)>& wanted, Lsn behind,
                                           Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "looking for commands");
    ReadBudget looking(lookFor);
    PageWindows windows(rangeOf({}, PageOrder::OldestFirst, behind), PageOrder::OldestFirst, reader.pendingBelow,
                        reader.pendingAbove);
    Named found;
    const auto each = [&](const QueryScope& rows) -> std::expected<Seen, int> {
        found.cursor = Lsn(rows->integer(0));
        if (rows->isNull(1) || reader.isHidden(found.cursor.value)) return Seen::PassedOver;
        if (wanted(commandIn(reader.pendingNames, 1))) found.lsns.add(found.cursor);
        return Seen::PassedOver;
    };
    const int rc = walk(reader.pendingNames, windows, looking, found.cursor, each);
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return reader.failed(rc, "looking for commands");
    return found;
}

Result<std::vector<std::string>> Reader::commands(std::span<const Lsn> lsns, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    std::vector<std::string> commands;
    for (const Lsn lsn : lsns) {
        QueryScope row(reader.nameOf, lsn);
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up a command");
        commands.push_back(rc == SQLITE_ROW ? commandIn(reader.nameOf, 0) : std::string());
        if (looking.isOverAfter()) break;
    }
    return commands;
}

Result<std::vector<std::optional<std::int64_t>>> Reader::indices(std::span<const Lsn> lsns, Duration lookFor) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    ReadBudget looking(lookFor);
    std::vector<std::optional<std::int64_t>> indices;
    for (const Lsn lsn : lsns) {
        QueryScope row(reader.nameOf, lsn);
        const int rc = row.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "looking up an index");
        const bool isElement = rc == SQLITE_ROW && !reader.nameOf.isNull(1);
        indices.push_back(isElement ? std::optional(reader.nameOf.integer(1)) : std::nullopt);
        if (looking.isOverAfter()) break;
    }
    return indices;
}

Result<LsnSet> Reader::pendingDependents(Lsn parent, int most) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    QueryScope rows(reader.pendingDependents, parent, most);
    LsnSet found;
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step()) found.add(LsnRun{Lsn(rows->integer(0)), rows->integer(1)});
    if (rc != SQLITE_DONE) return reader.failed(rc, "looking for those that wait");
    return found;
}

Result<std::vector<FailedDependent>> Reader::failedDependents(Lsn parent, Lsn behind, int most) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    QueryScope rows(reader.failedDependents, parent, behind, std::to_underlying(ActionState::Failed),
                    std::to_underlying(Reason::DependencyFailed), most);
    std::vector<FailedDependent> found;
    int rc = rows.step();
    for (; rc == SQLITE_ROW; rc = rows.step())
        found.push_back(
            {Lsn(rows->integer(0)), QueueId(rows->integer(1)), static_cast<ClassNumber>(rows->integer(2))});
    if (rc != SQLITE_DONE) return reader.failed(rc, "looking for those that failed because others did");
    return found;
}

Result<std::optional<Reader::KeptAnswer>> Reader::keptAnswer(const std::string& key) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    QueryScope row(reader.idem, key);
    const int rc = row.step();
    if (rc == SQLITE_DONE) return std::optional<KeptAnswer>();
    if (rc != SQLITE_ROW) return reader.failed(rc, "looking for an idempotency key");
    return KeptAnswer{
        .body = row->hash(0).value_or(Hash256{}), .answer = std::string(row->text(1)), .t = row->integer(2)};
}

Result<std::optional<std::string>> Reader::blob(const Hash256& hash) {
    // The pack may be emptied into another one between the look at its row and at its file: then the row is new.
    constexpr int kLooks = 3;
    Result<std::optional<std::string>> found;
    for (int look = 0; look < kLooks; ++look) {
        bool gone = false;
        found = impl_->blob(hash, gone);
        if (!gone) break;
    }
    return found;
}

Result<std::optional<std::string>> Reader::Impl::blob(const Hash256& hash, bool& packIsGone) {
    const Snapshot snapshot(*this);
    QueryScope row(findBlob, keyOf(hash));
    int rc = row.step();
    while (rc == SQLITE_ROW && row->hash(0) != hash) rc = row.step();
    if (rc == SQLITE_DONE) return std::optional<std::string>();
    if (rc != SQLITE_ROW) return failed(rc, "reading a chunk");
    if (row->isNull(3)) return std::string(row->text(2));
    // Too few bytes fail the hash.
    auto bytes = files.readPacked(row->integer(3), row->integer(4),
                                  std::clamp<std::int64_t>(row->integer(1), 0, kSmallChunk));
    packIsGone = !bytes && bytes.error().sysErrno == ENOENT;
    if (packIsGone) return std::optional<std::string>();
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    return std::move(*bytes);
}

Result<bool> Reader::hasBlob(const Hash256& hash) {
    Impl& reader = *impl_;
    QueryScope row(reader.findBlob, keyOf(hash));
    int rc = row.step();
    while (rc == SQLITE_ROW && row->hash(0) != hash) rc = row.step();
    if (rc == SQLITE_DONE) return false;
    if (rc == SQLITE_ROW)
        return row->isNull(3) || reader.files.packHolds(row->integer(3), row->integer(4) + row->integer(1));
    return reader.failed(rc, "looking for a chunk");
}

Result<std::vector<WorkerRow>> Reader::workers() {
    return readWorkers(impl_->database);
}

Result<std::vector<ActionState>> Reader::states(const std::vector<Lsn>& lsns) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    std::vector<ActionState> states;
    if (const int rc = reader.findHidden(); rc != SQLITE_OK) return reader.failed(rc, "reading states");
    for (const Lsn lsn : lsns) {
        QueryScope ended(reader.done, lsn);
        QueryScope waits(reader.pending, lsn);
        int rc = ended.step();
        if (rc == SQLITE_ROW) {
            states.push_back(static_cast<ActionState>(ended->integer(5)));
            continue;
        }
        if (rc == SQLITE_DONE && !reader.isHidden(lsn.value)) rc = waits.step();
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return reader.failed(rc, "reading states");
        states.push_back(rc == SQLITE_ROW ? ActionState::Pending : ActionState::New);
    }
    return states;
}

} // namespace yard::store

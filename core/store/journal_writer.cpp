#include "core/store/journal_writer.h"

#include "core/store/packing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace yard::store {

static JournalWriter::Applied ok() {
    return {};
}
static JournalWriter::Applied failed(int rc) {
    return {rc, nullptr};
}
JournalWriter::Applied JournalWriter::Applied::refused(Error error) {
    Applied applied;
    applied.detail = std::make_unique<AckDetail>();
    applied.detail->error = std::move(error);
    return applied;
}
JournalWriter::Applied JournalWriter::Applied::refused(ErrorKind kind, std::string message) {
    return refused(fail(kind, std::move(message)).error());
}
static AckDetail& detailOf(JournalWriter::Applied& applied) {
    if (!applied.detail) applied.detail = std::make_unique<AckDetail>();
    return *applied.detail;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(Database& database, ChunkFiles& files) {
    std::unique_ptr<JournalWriter> writer(new JournalWriter(database, files));
    if (auto done = writer->prepareRows(); !done) return std::unexpected(std::move(done.error()));
    if (auto done = writer->prepareMany(); !done) return std::unexpected(std::move(done.error()));
    if (auto done = writer->prepareRest(); !done) return std::unexpected(std::move(done.error()));
    if (auto done = writer->prepareSweep(); !done) return std::unexpected(std::move(done.error()));
    if (auto done = writer->loadRecent(); !done) return std::unexpected(std::move(done.error()));
    writer->owner_.release();
    return writer;
}

int JournalWriter::begin() {
    YARD_ASSERT_OWNER(owner_);
    group_ = {};
    packing_ = false;
    return begin_.run();
}

int JournalWriter::commit() {
    int rc = writeCounters();
    if (rc == SQLITE_OK) rc = writePack();
    const std::size_t finished = group_.finished.size();
    if (rc == SQLITE_OK && finished > 0) rc = writeRecent();
    if (rc == SQLITE_OK) rc = commit_.run();
    if (rc != SQLITE_OK) return rc;
    for (const Lsn lsn : group_.finished) recent_[recentCount_++ % recent_.size()] = lsn;
    // The store has synced this group: no power cut brings the rows back whose bytes are gone.
    for (const std::int64_t pack : group_.emptyPacks) files_.setAsidePack(pack);
    return SQLITE_OK;
}

void JournalWriter::rollback() {
    // A disk failure may have rolled back already; then this fails, harmlessly.
    if (sqlite3_get_autocommit(database_.handle()) == 0) (void)rollback_.run();
    group_ = {};
}

int JournalWriter::savepoint() {
    atSavepoint_ = group_;
    return savepoint_.run();
}

int JournalWriter::endSavepoint(bool keep) {
    if (keep) return release_.run();
    group_ = atSavepoint_;
    const int rc = rollbackTo_.run();
    return rc == SQLITE_OK ? release_.run() : rc;
}

JournalWriter::Applied JournalWriter::apply(const Action& action) {
    return std::visit([this](const auto& operation) { return on(operation); }, action);
}

JournalWriter::Applied JournalWriter::notFound(Lsn lsn) {
    Error error{.kind = ErrorKind::NotFound,
                .message =
                    fmt::format("Action {} is not pending any more: cancel it and submit another.", lsn.value),
                .field = {},
                .need = {}};
    return Applied::refused(std::move(error));
}

// --- accepting

bool JournalWriter::answeredBefore(const Idempotency& idempotency, WallMicros now, Applied& applied) {
    std::int64_t old = 0;
    {
        Selecting known(findIdem_, idempotency.key);
        const int rc = known.step();
        if (rc == SQLITE_DONE) return false;
        if (rc != SQLITE_ROW) {
            applied = failed(rc);
            return true;
        }
        if (known->integer(3) > now - kIdempotencyAge) {
            if (known->hash(1) == idempotency.body) {
                detailOf(applied).repeated = true;
                detailOf(applied).answer = known->text(2);
            } else {
                applied = Applied::refused(invalid("Idempotency-Key",
                                                   "This Idempotency-Key was used with another body within "
                                                   "24 hours: send a new key with a new request")
                                               .error());
            }
            return true;
        }
        old = known->integer(0);
    }
    if (const int rc = deleteIdem_.run(old); rc != SQLITE_OK) {
        applied = failed(rc);
        return true;
    }
    return false;
}

int JournalWriter::stepToChunk(Selecting& found, const Hash256& hash) {
    int rc = found.step();
    while (rc == SQLITE_ROW && found->hash(0) != hash) rc = found.step();
    return rc;
}

/// SQLITE_DONE, too, of one whose pack is gone or too short.
int JournalWriter::findChunk(const Hash256& hash) {
    Selecting found(findChunk_, keyOf(hash));
    const int rc = stepToChunk(found, hash);
    if (rc != SQLITE_ROW || found->isNull(3) || found->integer(3) == group_.packId) return rc;
    return files_.packHolds(found->integer(3), found->integer(4) + found->integer(1)) ? SQLITE_ROW : SQLITE_DONE;
}

bool JournalWriter::lacksChunks(std::span<const Hash256> chunks, Applied& applied) {
    // Touched first, then looked for: deletion looks at the touches after it decided, on this same thread.
    files_.touch(chunks);
    note(chunks);
    std::vector<std::string> need;
    for (const auto& hash : chunks) {
        if (hash == Hash256::ofNothing()) continue;
        const int rc = findChunk(hash);
        if (rc == SQLITE_ROW) continue;
        if (rc != SQLITE_DONE) {
            applied = failed(rc);
            return true;
        }
        if (files_.has(hash)) continue;
        std::string hex = hash.hex();
        if (std::ranges::find(need, hex) == need.end()) need.push_back(std::move(hex));
    }
    if (need.empty()) return false;
    Error error{.kind = ErrorKind::NeedChunks,
                .message = need.size() == 1
                               ? "A chunk is missing: PUT it, then send this again."
                               : fmt::format("{} chunks are missing: PUT them, then send this again.", need.size()),
                .field = {},
                .need = std::move(need)};
    applied = Applied::refused(std::move(error));
    return true;
}

bool JournalWriter::lacksArray(Lsn base, std::size_t index, Applied& applied) {
    Selecting array(arrayLive_, base);
    const int rc = array.step();
    if (rc == SQLITE_ROW) return false;
    if (rc != SQLITE_DONE) {
        applied = failed(rc);
        return true;
    }
    auto error = invalid("after", fmt::format("There is no array {} to wait for, or not any more: leave it out of "
                                              "\"after\".",
                                              base.value));
    error.error().index = static_cast<int>(index);
    applied = Applied::refused(std::move(error.error()));
    return true;
}

bool JournalWriter::lacksPredecessor(const Accept& accept, Applied& applied) {
    for (std::size_t i = 0; i < accept.items.size(); ++i) {
        const auto before = std::span(accept.items).first(i);
        for (const Edge& edge : accept.items[i].row.after) {
            const auto behind =
                std::ranges::upper_bound(before, edge.lsn, {}, [](const auto& o) { return o.row.lsn; });
            if (behind != before.begin()) {
                const AcceptItem& item = *std::prev(behind);
                if (edge.lsn.value < item.row.lsn.value + item.count) continue;
            }
            // Of parts before. Its LSNs follow each other, so what is lower is there.
            if (accept.part && edge.lsn >= accept.part->whole.first && edge.lsn < accept.items.front().row.lsn)
                continue;
            if (edge.count > 0) {
                if (lacksArray(edge.lsn, i, applied)) return true;
                continue;
            }
            Selecting pending(pendingExists_, edge.lsn);
            int rc = pending.step();
            if (rc == SQLITE_ROW) continue;
            Selecting done(doneState_, edge.lsn);
            if (rc == SQLITE_DONE) rc = done.step();
            if (rc == SQLITE_ROW) {
                detailOf(applied).finished.push_back({edge.lsn, static_cast<ActionState>(done->integer(0))});
                continue;
            }
            if (rc != SQLITE_DONE) {
                applied = failed(rc);
                return true;
            }
            auto error = invalid(
                "after",
                fmt::format("There is no action {} to wait for, or not any more: leave it out of \"after\".",
                            edge.lsn.value));
            error.error().index = static_cast<int>(i);
            applied = Applied::refused(std::move(error.error()));
            return true;
        }
    }
    return false;
}

int JournalWriter::insertDictionary(const Accept& accept) {
    for (const auto& label : accept.labels)
        if (const int rc = insertLabel_.run(label.number, label.text); rc != SQLITE_OK) return rc;
    for (const auto& entry : accept.classes) {
        const int rc = insertClass_.run(entry.number, entry.text, entry.workerId, entry.workerName, entry.function);
        if (rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

static std::optional<std::int64_t> present(std::int64_t value) {
    if (value == 0) return std::nullopt;
    return value;
}

static std::optional<std::int64_t> since(WallMicros tNew, WallMicros t) {
    if (t == 0) return std::nullopt;
    return t - tNew;
}

static std::optional<std::string_view> unlessNone(const std::string& text) {
    return text.empty() ? std::optional<std::string_view>() : std::string_view(text);
}

/// All rows of an array by one statement: a third of the time, and others wait for their group meanwhile.
int JournalWriter::insertRows(const AcceptItem& item) {
    const PendingRow& row = item.row;
    const std::string edges = packEdges(row.after);
    const std::int64_t flags = (row.held ? kHeld : 0) | (row.cancelRequested ? kCancelRequested : 0);
    std::optional<Bytes> edgeBytes;
    if (!edges.empty()) edgeBytes = Bytes{edges};
    const std::optional<std::string_view> command = unlessNone(row.command);
    if (item.isArray)
        return insertRun_.run(row.lsn, item.count, row.queue, row.classNumber, row.label, row.priority, flags,
                              row.tNew, since(row.tNew, row.tPending), present(row.notBefore), row.arrayIndex,
                              row.attempts, row.retryCount, row.ownFailures, row.interruptions, edgeBytes,
                              row.lsn.value - item.before, command, unlessNone(row.id));
    return insertPending_.run(row.lsn, row.queue, row.classNumber, row.label, row.priority, flags, row.tNew,
                              since(row.tNew, row.tPending), present(row.notBefore), nullptr, nullptr, row.attempts,
                              row.retryCount, row.ownFailures, row.interruptions, edgeBytes, command,
                              unlessNone(row.id));
}

int JournalWriter::insertItem(const AcceptItem& item) {
    const PendingRow& row = item.row;
    if (const int rc = insertRows(item); rc != SQLITE_OK) return rc;
    if (item.before > 0) return SQLITE_OK;
    if (item.isArray)
        if (const int rc = insertArray_.run(row.lsn, std::max(item.count, item.total)); rc != SQLITE_OK) return rc;
    const std::string chunks = packHashes(item.chunks);
    std::optional<Bytes> chunkBytes;
    if (!chunks.empty()) chunkBytes = Bytes{chunks};
    if (const int rc = insertSpec_.run(row.lsn, item.spec, chunkBytes); rc != SQLITE_OK) return rc;
    for (const Edge& edge : row.after)
        if (const int rc = insertDependent_.run(edge.lsn, row.lsn, std::max(item.count, item.total),
                                                std::max<std::int64_t>(edge.count, 1));
            rc != SQLITE_OK)
            return rc;
    return SQLITE_OK;
}

int JournalWriter::markPart(const AcceptPart& part) {
    if (part.begins)
        if (const int rc = beginAccepting_.run(part.whole.first, part.whole.last()); rc != SQLITE_OK) return rc;
    return part.ends ? endAccepting_.run(part.whole.first) : SQLITE_OK;
}

JournalWriter::Applied JournalWriter::on(const Accept& accept) {
    Applied applied;
    const bool begins = !accept.part || accept.part->begins;
    const bool ends = !accept.part || accept.part->ends;
    if (begins && accept.idempotency && answeredBefore(*accept.idempotency, accept.now, applied)) return applied;
    std::vector<Hash256> chunks;
    for (const auto& item : accept.items) chunks.insert(chunks.end(), item.chunks.begin(), item.chunks.end());
    if (!chunks.empty() && lacksChunks(chunks, applied)) return applied;
    if (lacksPredecessor(accept, applied)) return applied;

    int rc = insertDictionary(accept);
    if (rc == SQLITE_OK && accept.part) rc = markPart(*accept.part);
    for (const auto& item : accept.items) {
        if (rc != SQLITE_OK) break;
        rc = insertItem(item);
    }
    if (rc == SQLITE_OK && ends && accept.idempotency)
        rc = insertIdem_.run(accept.idempotency->key, bytesOf(accept.idempotency->body), accept.idempotency->answer,
                             accept.now);
    if (rc != SQLITE_OK) return failed(rc);
    return applied;
}

// --- ends of attempts and actions

int JournalWriter::readPending(Lsn lsn, std::optional<PendingColumns>& columns) {
    Selecting row(selectPending_, lsn);
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

static std::int64_t flagsOf(const AttemptOutcome& outcome) {
    return (outcome.out && outcome.out->size == 0 ? kOutEmpty : 0) |
           (outcome.err && outcome.err->size == 0 ? kErrEmpty : 0) | (outcome.outTruncated ? kOutTruncated : 0) |
           (outcome.errTruncated ? kErrTruncated : 0);
}

static std::optional<std::int64_t> cpuMicros(const AttemptOutcome& outcome) {
    if (!outcome.cpuSeconds) return std::nullopt;
    return std::llround(*outcome.cpuSeconds * 1e6);
}

int JournalWriter::putAttempt(Lsn lsn, const AttemptRecord& attempt) {
    const auto& outcome = attempt.outcome;
    const auto& times = attempt.times;
    const std::string out = outcome.out ? packChunk(*outcome.out) : std::string();
    const std::string err = outcome.err ? packChunk(*outcome.err) : std::string();
    const std::string outputs = packOutputs(outcome.outputs);
    const std::string denied = packDenied(outcome.denied);
    const std::string samples = encodeUsage(outcome.samples);
    const auto unlessEmpty = [](const std::string& bytes) {
        return bytes.empty() ? std::optional<Bytes>() : Bytes{bytes};
    };
    note(attempt);
    const std::int64_t last = (std::int64_t{1} << kAttemptBits) - 1;
    const std::int64_t id = (lsn.value << kAttemptBits) | std::min<std::int64_t>(attempt.n, last);
    return putAttempt_.run(
        id, std::to_underlying(outcome.state), std::to_underlying(outcome.reason), outcome.exitCode, outcome.signal,
        cpuMicros(outcome), outcome.maxRssBytes, flagsOf(outcome), present(times[ActionState::Submitting]),
        present(times[ActionState::Running]), present(times.exited), present(times[outcome.state]),
        unlessEmpty(out), unlessEmpty(err), unlessEmpty(outputs), unlessNone(outcome.result), unlessEmpty(denied),
        unlessNone(outcome.note), unlessEmpty(samples));
}

/// True when `done` alone cannot tell the attempt.
static bool saysMore(const Finish& finish, const AttemptRecord& attempt) {
    const auto& outcome = attempt.outcome;
    return (outcome.out && outcome.out->size > 0) || (outcome.err && outcome.err->size > 0) ||
           !outcome.outputs.empty() || !outcome.result.empty() || !outcome.denied.empty() ||
           !outcome.note.empty() || !outcome.samples.empty() || outcome.state != finish.state ||
           outcome.reason != finish.reason || attempt.times[outcome.state] != finish.tEnd;
}

int JournalWriter::insertDone(const Finish& finish, const PendingColumns& row) {
    static const AttemptRecord kNone;
    const AttemptRecord& attempt = finish.attempt ? *finish.attempt : kNone;
    const AttemptOutcome& outcome = attempt.outcome;
    const std::int64_t flags = finish.attempt ? flagsOf(outcome) | kByAttempt : 0;
    const std::string& note = finish.note.empty() ? outcome.note : finish.note;
    return insertDone_.run(finish.lsn, row.queue, row.classNumber, row.label, row.priority,
                           std::to_underlying(finish.state), std::to_underlying(finish.reason), outcome.exitCode,
                           outcome.signal, cpuMicros(outcome), outcome.maxRssBytes, flags,
                           finish.attempt ? std::int64_t{attempt.n} : row.attempts, row.retryCount,
                           finish.ownFailures ? std::int64_t{*finish.ownFailures} : row.ownFailures,
                           finish.interruptions ? std::int64_t{*finish.interruptions} : row.interruptions, row.tNew,
                           row.pending, since(row.tNew, attempt.times[ActionState::Submitting]),
                           since(row.tNew, attempt.times[ActionState::Running]),
                           since(row.tNew, attempt.times.exited), since(row.tNew, finish.tEnd), row.arrayBase,
                           row.arrayIndex, unlessNone(note), unlessNone(row.name), unlessNone(row.id));
}

JournalWriter::Applied JournalWriter::on(const Finish& finish) {
    std::optional<PendingColumns> row;
    int rc = readPending(finish.lsn, row);
    if (rc != SQLITE_OK) return failed(rc);
    if (!row) return notFound(finish.lsn);

    rc = insertDone(finish, *row);
    if (rc == SQLITE_OK && finish.attempt && saysMore(finish, *finish.attempt))
        rc = putAttempt(finish.lsn, *finish.attempt);
    if (rc == SQLITE_OK) rc = deletePending_.run(finish.lsn);
    const bool needed = finish.state == ActionState::Failed || finish.state == ActionState::Abandoned;
    if (rc == SQLITE_OK && !finish.keepSpec && !needed && !row->arrayBase) rc = deleteSpec_.run(finish.lsn);
    if (rc == SQLITE_OK) rc = putChunks(finish.chunks);
    if (rc != SQLITE_OK) return failed(rc);
    count(row->queue, finish.state, 1);
    group_.finished.push_back(finish.lsn);
    return ok();
}

JournalWriter::Applied JournalWriter::on(const Retry& retry) {
    std::optional<PendingColumns> row;
    int rc = readPending(retry.lsn, row);
    if (rc != SQLITE_OK) return failed(rc);
    if (!row) return notFound(retry.lsn);
    const std::int64_t flags = (row->flags & ~kBackoff) | (retry.notBefore != 0 ? kBackoff : 0);
    rc = putAttempt(retry.lsn, retry.attempt);
    if (rc == SQLITE_OK)
        rc = retryPending_.run(flags, since(row->tNew, retry.tPending), present(retry.notBefore), retry.attempt.n,
                               retry.retryCount, retry.ownFailures, retry.interruptions, retry.lsn);
    if (rc == SQLITE_OK) rc = putChunks(retry.chunks);
    return rc == SQLITE_OK ? ok() : failed(rc);
}

JournalWriter::Applied JournalWriter::on(const Update& update) {
    std::int64_t clear = 0;
    std::int64_t set = 0;
    const auto flag = [&](std::optional<bool> value, std::int64_t bit) {
        if (!value) return;
        clear |= bit;
        if (*value) set |= bit;
    };
    flag(update.held, kHeld);
    flag(update.cancelRequested, kCancelRequested);
    if (update.notBefore) clear |= kBackoff;
    const int rc = updatePending_.run(update.lsn, clear, set, update.priority, update.queue, update.notBefore);
    if (rc != SQLITE_OK) return failed(rc);
    return sqlite3_changes(database_.handle()) == 0 ? notFound(update.lsn) : ok();
}

int JournalWriter::forgetSubmitted(std::int64_t first, std::int64_t last) {
    const int rc = deleteSpecRun_.run(first, last);
    return rc == SQLITE_OK ? deleteDependents_.run(first, last) : rc;
}

int JournalWriter::forgetSpec(Lsn lsn, std::optional<std::int64_t> arrayBase) {
    if (!arrayBase) return forgetSubmitted(lsn.value, lsn.value);
    int rc = releaseArray_.run(*arrayBase);
    if (rc != SQLITE_OK) return rc;
    {
        Selecting live(arrayLive_, *arrayBase);
        rc = live.step();
        if (rc == SQLITE_ROW && live->integer(0) > 0) return SQLITE_OK;
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return rc;
    }
    rc = deleteArray_.run(*arrayBase);
    return rc == SQLITE_OK ? forgetSubmitted(*arrayBase, *arrayBase) : rc;
}

JournalWriter::Applied JournalWriter::on(const Retire& retire) {
    std::optional<std::int64_t> arrayBase;
    {
        Selecting done(doneState_, retire.lsn);
        int rc = done.step();
        if (rc == SQLITE_ROW) {
            arrayBase = done->optionalInteger(1);
        } else if (rc == SQLITE_DONE) {
            Selecting pending(pendingExists_, retire.lsn);
            rc = pending.step();
            if (rc == SQLITE_ROW)
                return Applied::refused(
                    fail(ErrorKind::WrongState,
                         fmt::format("action {} is active: cancel it, then retire it", retire.lsn.value))
                        .error());
            if (rc == SQLITE_DONE)
                return Applied::refused(
                    fail(ErrorKind::NotFound,
                         fmt::format("There is no finished action {}: GET jobs lists those there are.",
                                     retire.lsn.value))
                        .error());
            return failed(rc);
        } else {
            return failed(rc);
        }
    }
    int rc = deleteDone_.run(retire.lsn);
    ++group_.doneRemoved;
    const std::int64_t first = retire.lsn.value << kAttemptBits;
    if (rc == SQLITE_OK) rc = deleteAttempts_.run(first, first + (std::int64_t{1} << kAttemptBits) - 1);
    if (rc == SQLITE_OK) rc = forgetSpec(retire.lsn, arrayBase);
    return rc == SQLITE_OK ? ok() : failed(rc);
}

void JournalWriter::count(std::int64_t queue, ActionState state, std::int64_t by) {
    const int which = std::to_underlying(state) - std::to_underlying(ActionState::Completed);
    group_.counters[queue][static_cast<std::size_t>(which)] += by;
}

} // namespace yard::store

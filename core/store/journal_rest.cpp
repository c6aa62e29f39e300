// The operations of the journal that are no part of an action's life, and what a group writes once at its end.
#include "core/store/journal_writer.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/store/packing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace yard::store {

using Applied = JournalWriter::Applied;

static constexpr std::size_t kPackOver = 4u << 10;
static constexpr std::int64_t kIdempotencyMost = 1'000'000;

static Applied done(int rc) {
    return {rc, nullptr};
}

Applied JournalWriter::on(const Reopen& reopen) {
    auto detail = std::make_unique<AckDetail>();
    PendingRow& row = detail->row.emplace();
    ActionState state{};
    {
        Selecting found(selectDone_, reopen.lsn);
        const int rc = found.step();
        if (rc == SQLITE_DONE)
            return Applied::refused(
                ErrorKind::NotFound,
                fmt::format("There is no finished action {}: GET jobs lists those there are.", reopen.lsn.value));
        if (rc != SQLITE_ROW) return done(rc);
        state = static_cast<ActionState>(found->integer(4));
        row.lsn = reopen.lsn;
        row.queue = QueueId(found->integer(0));
        row.classNumber = static_cast<ClassNumber>(found->integer(1));
        row.label = static_cast<LabelNumber>(found->integer(2));
        row.priority = static_cast<std::int16_t>(found->integer(3));
        row.attempts = static_cast<std::uint32_t>(found->integer(5));
        row.retryCount = static_cast<std::uint32_t>(found->integer(6)) + 1;
        row.ownFailures = reopen.ownFailures.value_or(static_cast<std::uint32_t>(found->integer(7)));
        row.interruptions = reopen.interruptions.value_or(static_cast<std::uint32_t>(found->integer(8)));
        row.tNew = found->integer(9);
        row.tPending = reopen.tPending;
        row.arrayBase = Lsn(found->integer(10));
        row.arrayIndex = found->integer(11);
    }
    if (state != ActionState::Failed && state != ActionState::Abandoned)
        return Applied::refused(ErrorKind::WrongState,
                                fmt::format("action {} is {}: only failed and abandoned ones are rescheduled",
                                            reopen.lsn.value, name(state)));
    if (reopen.expectRetryCount && *reopen.expectRetryCount + 1 != row.retryCount)
        return Applied::refused(ErrorKind::WrongState,
                                fmt::format("action {} was rescheduled by someone else", reopen.lsn.value));
    {
        Selecting spec(specExists_, row.arrayBase.value != 0 ? row.arrayBase : row.lsn);
        const int rc = spec.step();
        if (rc == SQLITE_DONE)
            return Applied::refused(
                ErrorKind::WrongState,
                fmt::format("what action {} was posted as is no longer kept: submit it again", row.lsn.value));
        if (rc != SQLITE_ROW) return done(rc);
    }
    row.after = reopen.after;
    for (const Edge& edge : reopen.after) {
        if (edge.count > 0) continue;
        Selecting ended(doneState_, edge.lsn);
        if (ended.step() == SQLITE_ROW)
            detail->finished.push_back({edge.lsn, static_cast<ActionState>(ended->integer(0))});
    }
    int rc = attemptFromDone_.run(reopen.lsn);
    const std::string edges = packEdges(reopen.after);
    const auto edgeBytes = edges.empty() ? std::optional<Bytes>() : Bytes{edges};
    if (rc == SQLITE_OK)
        rc = reopenRow_.run(reopen.lsn, reopen.tPending, reopen.ownFailures, reopen.interruptions, edgeBytes);
    if (rc == SQLITE_OK) rc = deleteDone_.run(reopen.lsn);
    if (rc != SQLITE_OK) return done(rc);
    count(row.queue.value, state, -1);
    ++group_.doneRemoved;
    return {SQLITE_OK, std::move(detail)};
}

// --- queues, workers, operations, values

Applied JournalWriter::on(const PutQueue& put) {
    const QueueRow& row = put.row;
    int rc = putQueue_.run(row.id, row.token, row.tag, std::to_underlying(row.state), row.held, row.config,
                           row.created, row.failedBefore);
    if (rc == SQLITE_OK) rc = raiseLastQueue_.run(std::to_string(row.id.value));
    return done(rc);
}

Applied JournalWriter::on(const DropQueue& drop) {
    const int rc = deleteQueue_.run(drop.id);
    if (rc == SQLITE_OK && sqlite3_changes(database_.handle()) == 0)
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no queue {}: GET queues lists those there are.", drop.id.value));
    return done(rc);
}

Applied JournalWriter::on(const PutWorker& put) {
    Applied applied;
    if (lacksChunks(put.row.chunks, applied)) return applied;
    const std::string chunks = packHashes(put.row.chunks);
    return done(putWorker_.run(bytesOf(put.row.id), put.row.canonical, put.row.registered, Bytes{chunks}));
}

Applied JournalWriter::on(const DropWorker& drop) {
    const int rc = deleteWorker_.run(bytesOf(drop.id));
    if (rc == SQLITE_OK && sqlite3_changes(database_.handle()) == 0)
        return Applied::refused(
            ErrorKind::NotFound,
            fmt::format("There is no worker {}: GET workers lists those there are.", drop.id.hex()));
    return done(rc);
}

Applied JournalWriter::on(const PutOp& put) {
    return done(putOp_.run(put.row.id, put.row.body, put.row.last, put.row.cursor));
}

Applied JournalWriter::on(const DropOp& drop) {
    return done(deleteOp_.run(drop.id));
}

Applied JournalWriter::on(const PutMeta& put) {
    return done(putMeta_.run("engine." + put.key, put.value));
}

Applied JournalWriter::on(const ReserveLsns& reserve) {
    std::int64_t first = 0;
    {
        Selecting next(getMeta_, "next_lsn");
        const int rc = next.step();
        if (rc != SQLITE_ROW) return done(rc == SQLITE_DONE ? SQLITE_CORRUPT : rc);
        const auto text = next->text(0);
        std::from_chars(text.data(), text.data() + text.size(), first);
    }
    // A number below 1 can only come from damage: giving it out would give numbers out twice.
    if (first < 1) return done(SQLITE_CORRUPT);
    const std::int64_t end = first + std::max(reserve.count, kLsnBlock);
    const int rc = putMeta_.run("next_lsn", std::to_string(end));
    if (rc != SQLITE_OK) return done(rc);
    auto detail = std::make_unique<AckDetail>();
    detail->lsns = {Lsn(first), Lsn(end)};
    return {SQLITE_OK, std::move(detail)};
}

int JournalWriter::probe() {
    int rc = begin();
    if (rc == SQLITE_OK) rc = putMeta_.run("probe", "");
    if (rc == SQLITE_OK) rc = commit_.run();
    if (rc != SQLITE_OK) rollback();
    return rc;
}

int JournalWriter::pruneIdempotency(WallMicros now) {
    return pruneIdem_.run(now - kIdempotencyAge, kIdempotencyMost);
}

// --- small chunks

Applied JournalWriter::on(const PutChunk& put) {
    const std::span<const Hash256> one(&put.chunk.hash, 1);
    files_.touch(one);
    return done(putChunk(put.chunk));
}

Applied JournalWriter::on(const DropChunk& drop) {
    return done(deleteBlob_.run(keyOf(drop.hash), bytesOf(drop.hash)));
}

int JournalWriter::putChunks(const std::vector<SmallChunk>& chunks) {
    for (const auto& chunk : chunks)
        if (const int rc = putChunk(chunk); rc != SQLITE_OK) return rc;
    return SQLITE_OK;
}

int JournalWriter::putChunk(const SmallChunk& chunk) {
    if (chunk.bytes.empty()) return SQLITE_OK; // the empty chunk is always there
    if (const int rc = dropDamaged(chunk); rc != SQLITE_DONE) return rc == SQLITE_ROW ? SQLITE_OK : rc;
    const auto size = static_cast<std::int64_t>(chunk.bytes.size());
    files_.countSmall(chunk.bytes.size());
    if (!packing_ || chunk.bytes.size() <= kPackOver)
        return insertBlob_.run(keyOf(chunk.hash), bytesOf(chunk.hash), size, Bytes{chunk.bytes}, nullptr, nullptr);
    if (const int rc = beginPack(); rc != SQLITE_OK) return rc;
    const auto at = static_cast<std::int64_t>(group_.pack.size());
    group_.pack += chunk.bytes;
    return insertBlob_.run(keyOf(chunk.hash), bytesOf(chunk.hash), size, nullptr, group_.packId, at);
}

bool JournalWriter::isWhole(const Selecting& found, std::string_view bytes) const {
    if (found->isNull(3)) return found->text(2) == bytes;
    const auto at = static_cast<std::size_t>(found->integer(4));
    if (found->integer(3) == group_.packId)
        return at <= group_.pack.size() && std::string_view(group_.pack).substr(at, bytes.size()) == bytes;
    const auto packed = files_.readPacked(found->integer(3), found->integer(4), std::ssize(bytes));
    return packed && *packed == bytes;
}

/// SQLITE_ROW: the chunk is there and whole. SQLITE_DONE: it is not there, or not any more.
int JournalWriter::dropDamaged(const SmallChunk& chunk) {
    {
        Selecting found(findChunk_, keyOf(chunk.hash));
        const int rc = stepToChunk(found, chunk.hash);
        if (rc != SQLITE_ROW || isWhole(found, chunk.bytes)) return rc;
    }
    logError("store", "chunk {} is damaged: it is replaced by what was put", chunk.hash.hex());
    const int rc = deleteBlob_.run(keyOf(chunk.hash), bytesOf(chunk.hash));
    return rc == SQLITE_OK ? SQLITE_DONE : rc;
}

int JournalWriter::beginPack() {
    if (group_.packId != 0) return SQLITE_OK;
    Selecting last(lastPack_);
    if (const int rc = last.step(); rc != SQLITE_ROW) return rc;
    group_.packId = lastPackId_ = std::max(lastPackId_, last->integer(0)) + 1;
    return SQLITE_OK;
}

// --- once per group

int JournalWriter::writeCounters() {
    for (const auto& [queue, delta] : group_.counters) {
        const int rc = countQueue_.run(delta[0], delta[1], delta[2], delta[3], queue);
        if (rc != SQLITE_OK) return rc;
    }
    const std::int64_t rows = std::ssize(group_.finished) - group_.doneRemoved;
    return rows == 0 ? SQLITE_OK : countFinished_.run(rows);
}

int JournalWriter::writeRecent() {
    // Only the ends that stay in the ring are worth writing; rows are rewritten from the first that changes.
    const std::uint64_t end = recentCount_ + group_.finished.size();
    const std::uint64_t oldest = end > recent_.size() ? end - recent_.size() : 0;
    const auto at = [&](std::uint64_t i) {
        return i < recentCount_ ? recent_[i % recent_.size()] : group_.finished[i - recentCount_];
    };
    std::vector<Lsn> lsns;
    for (std::uint64_t row = std::max(recentCount_, oldest) / kRecentPerRow; row * kRecentPerRow < end; ++row) {
        lsns.clear();
        for (std::uint64_t i = row * kRecentPerRow; i < std::min(end, (row + 1) * kRecentPerRow); ++i) {
            lsns.push_back(i + recent_.size() < recentCount_ ? Lsn() : at(i));
        }
        const std::string bytes = packLsns(lsns);
        const int rc = putRecent_.run(row % kRecentRows, row, Bytes{bytes});
        if (rc != SQLITE_OK) return rc;
    }
    return SQLITE_OK;
}

int JournalWriter::writePack() {
    if (group_.pack.empty()) return SQLITE_OK;
    // The file first, then the row: a file without a row is removed at the next start.
    // What is moved was safe before, and stays so: its old pack goes once nothing refers to that.
    const auto path = files_.packPath(group_.packId);
    if (auto written = writeFileAtomically(path, group_.pack, 0600, files_.sync() || group_.moves); !written)
        return written.error().kind == ErrorKind::NoSpace ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    return insertPack_.run(group_.packId, group_.pack.size());
}

} // namespace yard::store

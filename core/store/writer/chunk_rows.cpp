#include "core/store/writer/chunk_rows.h"

#include "core/base/log.h"
#include "core/store/packing.h"

#include <fmt/format.h>

#include <algorithm>

namespace yard::store {

ChunkRows::ChunkRows(StatementMaker& sql, ChunkFiles& files, PackWriter& packs, ReferenceNotes& notes)
    : owner_(sql.owner())
    , files_(files)
    , packs_(packs)
    , notes_(notes) {
    find_ = sql("SELECT hash, size, bytes, pack, at FROM blob WHERE key=?");
    insert_ = sql("INSERT INTO blob(key, hash, size, bytes, pack, at) VALUES(?,?,?,?,?,?)");
    delete_ = sql("DELETE FROM blob WHERE key=? AND hash=?");
    size_ = sql("SELECT hash, size FROM blob WHERE key=?");
}

/// To the row of this chunk: others may have the same key.
static int stepToChunk(QueryScope& found, const Hash256& hash) {
    int rc = found.step();
    while (rc == SQLITE_ROW && found->hash(0) != hash) rc = found.step();
    return rc;
}

static PackWriter::Place placeOf(const QueryScope& found) {
    return {.pack = found->integer(3), .at = found->integer(4)};
}

/// SQLITE_DONE, too, of one whose pack is gone or too short.
int ChunkRows::find(const Hash256& hash) {
    QueryScope found(find_, keyOf(hash));
    const int rc = stepToChunk(found, hash);
    if (rc != SQLITE_ROW || found->isNull(3)) return rc;
    return packs_.holds(placeOf(found), found->integer(1)) ? SQLITE_ROW : SQLITE_DONE;
}

bool ChunkRows::lacks(std::span<const Hash256> chunks, Applied& applied) {
    YARD_ASSERT_OWNER(owner_);
    files_.touch(chunks);
    notes_.note(chunks);
    std::vector<std::string> need;
    for (const auto& hash : chunks) {
        if (hash == Hash256::ofNothing()) continue;
        const int rc = find(hash);
        if (rc == SQLITE_ROW) continue;
        if (rc != SQLITE_DONE) {
            applied = Applied::with(rc);
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

// --- putting and dropping

Applied ChunkRows::apply(const PutChunk& put) {
    YARD_ASSERT_OWNER(owner_);
    files_.touch(std::span(&put.chunk.hash, 1));
    return Applied::with(putOne(put.chunk));
}

Applied ChunkRows::apply(const DropChunk& drop) {
    YARD_ASSERT_OWNER(owner_);
    return Applied::with(delete_.run(keyOf(drop.hash), bytesOf(drop.hash)));
}

int ChunkRows::put(const std::vector<SmallChunk>& chunks) {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& chunk : chunks)
        if (const int rc = putOne(chunk); rc != SQLITE_OK) return rc;
    return SQLITE_OK;
}

int ChunkRows::putOne(const SmallChunk& chunk) {
    if (chunk.bytes.empty()) return SQLITE_OK; // the empty chunk is always there
    if (const int rc = dropDamaged(chunk); rc != SQLITE_DONE) return rc == SQLITE_ROW ? SQLITE_OK : rc;
    const auto size = static_cast<std::int64_t>(chunk.bytes.size());
    files_.countSmall(chunk.bytes.size());
    if (!packs_.takes(chunk.bytes.size()))
        return insert_.run(keyOf(chunk.hash), bytesOf(chunk.hash), size, Bytes{chunk.bytes}, nullptr, nullptr);
    PackWriter::Place place;
    if (const int rc = packs_.append(chunk.bytes, place); rc != SQLITE_OK) return rc;
    return insert_.run(keyOf(chunk.hash), bytesOf(chunk.hash), size, nullptr, place.pack, place.at);
}

bool ChunkRows::isWhole(const QueryScope& found, std::string_view bytes) const {
    return found->isNull(3) ? found->text(2) == bytes : packs_.hasBytes(placeOf(found), bytes);
}

/// SQLITE_ROW: the chunk is there and whole. SQLITE_DONE: it is not there, or not any more.
int ChunkRows::dropDamaged(const SmallChunk& chunk) {
    {
        QueryScope found(find_, keyOf(chunk.hash));
        const int rc = stepToChunk(found, chunk.hash);
        if (rc != SQLITE_ROW || isWhole(found, chunk.bytes)) return rc;
    }
    logError("store", "chunk {} is damaged: it is replaced by what was put", chunk.hash.hex());
    const int rc = delete_.run(keyOf(chunk.hash), bytesOf(chunk.hash));
    return rc == SQLITE_OK ? SQLITE_DONE : rc;
}

// --- clearing up

/// -1: there is no row.
int ChunkRows::sizeOf(const Hash256& hash, std::int64_t& bytes) {
    bytes = -1;
    QueryScope found(size_, keyOf(hash));
    const int rc = stepToChunk(found, hash);
    if (rc == SQLITE_ROW) bytes = found->integer(1);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int ChunkRows::dropUnused(const Hash256& hash, SweepResult& swept) {
    if (notes_.has(hash) || files_.isRecent(hash)) {
        ++swept.kept;
        return SQLITE_OK;
    }
    std::int64_t bytes = -1;
    if (const int rc = sizeOf(hash, bytes); rc != SQLITE_OK) return rc;
    if (bytes >= 0) {
        if (const int rc = delete_.run(keyOf(hash), bytesOf(hash)); rc != SQLITE_OK) return rc;
    } else if (files_.has(hash)) {
        // Nothing refers to it whatever becomes of this group: no need to wait for the commit.
        bytes = files_.setAside(hash);
    }
    if (bytes < 0) return SQLITE_OK;
    ++swept.gone;
    swept.bytes += bytes;
    return SQLITE_OK;
}

Applied ChunkRows::apply(const DropUnused& drop) {
    YARD_ASSERT_OWNER(owner_);
    if (!notes_.isComplete())
        return Applied::refused(ErrorKind::WrongState, "what refers to chunks was not, or could not be, noted");
    if (MonoClock::now() > drop.validUntil)
        return Applied::refused(ErrorKind::WrongState, "it took too long from the look at chunks to their end");
    SweepResult swept;
    for (const Hash256& hash : drop.chunks)
        if (const int rc = dropUnused(hash, swept); rc != SQLITE_OK) return Applied::with(rc);
    return Applied::swept(std::move(swept));
}

} // namespace yard::store

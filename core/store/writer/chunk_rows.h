// Private to core/store: small chunks as rows of the journal, and whether a chunk is there at all. The writer's
// thread.
#pragma once

#include "core/store/chunk_files.h"
#include "core/store/writer/pack_writer.h"
#include "core/store/writer/reference_notes.h"

#include <span>
#include <vector>

namespace yard::store {

/// Purpose: owns the table `blob`. A chunk is a row with its bytes or with its place in a pack (PackWriter); a
/// large one is a file of ChunkFiles, which is asked, too, before a chunk is said to be missing.
///
/// Lifetime: as long as the JournalWriter that owns it; the connection, `files`, `packs` and `notes` outlive it.
/// Invariants: what has its hash and its bytes is written once. What is asked for is touched before it is looked
/// for: deletion looks at touches after it decided, on this same thread.
class ChunkRows {
public:
    ChunkRows(StatementMaker& sql, ChunkFiles& files, PackWriter& packs, ReferenceNotes& notes);

    /// Touches and notes them. True: one is missing, or the journal failed, and `applied` is the answer.
    bool lacks(std::span<const Hash256> chunks, Applied& applied);
    /// SQLite's code.
    int put(const std::vector<SmallChunk>& chunks);

    Applied apply(const PutChunk& put);
    Applied apply(const DropChunk& drop);
    /// A bounded step.
    Applied apply(const DropUnused& drop);

private:
    /// SQLITE_ROW: there; SQLITE_DONE: not; else an error.
    int find(const Hash256& hash);
    int putOne(const SmallChunk& chunk);
    int dropDamaged(const SmallChunk& chunk);
    /// The row that was found has these bytes.
    bool isWhole(const QueryScope& found, std::string_view bytes) const;
    int dropUnused(const Hash256& hash, SweepResult& swept);
    int sizeOf(const Hash256& hash, std::int64_t& bytes);

    const OwnerCheck& owner_;
    ChunkFiles& files_;
    PackWriter& packs_;
    ReferenceNotes& notes_;
    Statement find_, insert_, delete_, size_;
};

} // namespace yard::store

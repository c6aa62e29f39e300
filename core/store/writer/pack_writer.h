// Private to core/store: packs, which are files of many small chunks of one large group. The writer's thread.
#pragma once

#include "core/store/chunk_files.h"
#include "core/store/writer/applied.h"
#include "core/store/writer/statement_maker.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yard::store {

/// Purpose: gathers the bytes of at most one new pack per group, and moves what is used out of packs that are
/// mostly empty. Which chunk lies where is written into `blob` by ChunkRows, and for what is moved by compact().
///
/// Lifetime: as long as the JournalWriter that owns it; the connection and `files` outlive it.
/// Invariants:
/// - The file of a pack is on its name before its row is committed, and is taken away after the commit that removes
///   the row: a row without a file cannot be, a file without a row goes with the next start.
/// - What is gathered and not committed goes with clear(), and back to mark() with backToMark(), as the rows do.
/// - A number is not used twice in one life: the file goes after the row, and must not be another's then.
class PackWriter {
public:
    struct Place {
        std::int64_t pack = 0;
        std::int64_t at = 0;
    };

    PackWriter(StatementMaker& sql, ChunkFiles& files);

    /// Small chunks over 4 KiB of this group go into one pack file. Off after clear().
    void packLarge(bool on) { packing_ = on; }
    /// A chunk of this size goes into the group's pack.
    bool takes(std::size_t size) const;
    int append(std::string_view bytes, Place& place);

    /// The place is in a file that is there and long enough, or in this group's pack.
    bool holds(Place place, std::int64_t size) const;
    bool hasBytes(Place place, std::string_view bytes) const;

    /// A bounded step.
    Applied apply(const CompactPack& compact);

    // --- the group
    void clear();
    void mark();
    void backToMark();
    /// The file, then its row. SQLite's code; not OK: roll back.
    int write();
    /// The group is committed: sets the files of empty packs aside and begins the next one.
    void committed();

private:
    struct Group {
        std::string bytes;
        std::int64_t id = 0;             ///< 0: none yet
        bool moves = false;              ///< `bytes` has what was on the disk elsewhere
        std::vector<std::int64_t> empty; ///< their files go after the commit
    };
    struct Packed {
        std::int64_t id, at, size;
    };

    int beginPack();
    int readPack(std::int64_t pack, std::vector<Packed>& live);
    Result<void> readLive(std::int64_t pack, const std::vector<Packed>& live, std::string& bytes) const;
    Applied removeEmpty(std::int64_t pack, std::int64_t size);
    int move(const std::vector<Packed>& live, std::string_view bytes);

    const OwnerCheck& owner_;
    ChunkFiles& files_;
    Group group_;
    Group marked_;
    bool packing_ = false;
    std::int64_t lastId_ = 0;
    Statement insertPack_, lastPack_, packedBlobs_, movePacked_, packSize_, deletePack_;
};

} // namespace yard::store

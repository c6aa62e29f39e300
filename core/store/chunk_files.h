// The files of the content store, and the one place that knows which chunks may not be deleted. Thread-safe; calls
// that name a path block. Outlives Store and ChunkStore.
//
//     chunks/ab/cdef…     the exact bytes, named by their SHA-256
//     chunks/ab/cdef….z   compressed (chunk_codec.h)
//     chunks/tmp/         being written; emptied at a start
//     chunks/packs/N      many small ones of one large group
//
// A name appears by rename only, so what has its name is whole (unless the disk lies: see ChunkStore::open, verify).
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::store {

class ChunkFiles {
public:
    /// Makes chunks/ and its folders below `directory`, empties tmp/ but for the names `left`, which somebody takes
    /// from there. `sync`: fsync files and directories (`power`).
    static Result<std::unique_ptr<ChunkFiles>> open(std::string directory, bool sync, Duration grace,
                                                    std::span<const std::string> left = {});

    /// By a look at names and sizes. An empty file is none: a crash may leave one of a chunk, and no chunk is
    /// empty.
    bool has(const Hash256& hash) const;
    /// Path without and with ".z".
    std::string pathOf(const Hash256& hash) const;
    std::string compressedPathOf(const Hash256& hash) const;
    std::string packPath(std::int64_t pack) const;
    /// The pack is there and has so many bytes at least.
    bool packHolds(std::int64_t pack, std::int64_t bytes) const;
    /// Fewer bytes where the pack ends early. Io with ENOENT: there is no such pack.
    Result<std::string> readPacked(std::int64_t pack, std::int64_t at, std::int64_t size) const;
    /// A name in tmp/ that nobody else gets. On the same file system as the chunks.
    std::string temporaryPath();
    /// Renames a finished file to its name, synced where that is asked for. The temporary is gone afterwards. What
    /// has the name already is replaced when files are synced, as nothing says that it is on the disk; else it
    /// stays, and the caller has seen that it is whole.
    Result<void> place(const std::string& temporary, const Hash256& hash, bool compressed);
    /// Takes the files of a chunk, or of a pack, out of their place; removeSetAside() deletes them, as does the
    /// next start. A rename each: deleting gigabytes takes its time. Returns their bytes on the disk.
    std::int64_t setAside(const Hash256& hash);
    void setAsidePack(std::int64_t pack);
    /// Deletes what was set aside. Blocks as long as it takes.
    void removeSetAside();
    /// Puts a chunk whose bytes are wrong aside (".bad"), so that it reads as missing.
    void quarantine(const Hash256& hash);

    /// Marks as put, asked for or found present now: kept for the grace time.
    void touch(const Hash256& hash);
    void touch(std::span<const Hash256> hashes);
    /// True while deletion is out of the question for the grace time's sake. Deletion asks this on the store
    /// thread, after it found no reference, and deletes there: acceptance touches and commits on the same thread.
    bool isRecent(const Hash256& hash) const;
    /// How long after it was touched a chunk is recent; holds at once, for earlier touches too.
    void setGrace(Duration grace);
    Duration grace() const;

    /// Counted since the start, for /metrics. Thread-safe.
    struct Stats {
        std::uint64_t smallChunks = 0; ///< written into the journal
        std::uint64_t smallBytes = 0;
        std::uint64_t files = 0;     ///< placed
        std::uint64_t fileBytes = 0; ///< as they lie on the disk
        std::uint64_t setAside = 0;  ///< their bytes were wrong
    };
    Stats stats() const { return {smallChunks_, smallBytes_, files_, fileBytes_, quarantined_}; }
    /// A small chunk went into the journal.
    void countSmall(std::size_t bytes) {
        smallChunks_.fetch_add(1, std::memory_order_relaxed);
        smallBytes_.fetch_add(bytes, std::memory_order_relaxed);
    }

    bool sync() const { return sync_; }
    const std::string& directory() const { return directory_; }

    static constexpr std::size_t kMaxTouches = 1'000'000;

private:
    ChunkFiles(std::string directory, bool sync, Duration grace);

    const std::string directory_;
    const bool sync_;
    std::array<std::atomic<bool>, 256> folderSynced_{}; ///< its name is on the disk
    std::atomic<std::uint64_t> nextTemporary_{0};
    std::atomic<std::uint64_t> smallChunks_{0}, smallBytes_{0}, files_{0}, fileBytes_{0}, quarantined_{0};
    mutable ThreadMutex mutex_;
    std::unordered_map<Hash256, MonoTime> touched_ YARD_GUARDED_BY(mutex_);
    Duration grace_ YARD_GUARDED_BY(mutex_);
    MonoTime allTouched_ YARD_GUARDED_BY(mutex_); ///< everything was touched then: a start, or the table was full
    std::vector<std::string> setAside_ YARD_GUARDED_BY(mutex_); ///< paths in tmp/
    MonoTime nextPrune_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::store

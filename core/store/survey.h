// What may go: which finished actions are older, or more, than is kept, and which chunks nothing refers to. Reads
// the journal in slices of a few milliseconds on a connection of its own and decides nothing: what it finds is
// given back as operations (RetireOutdated, DropUnused, CompactPack), and the store thread, which alone accepts
// references, looks again before it deletes.
//
// How a chunk is found unused while work goes on: Marking{true} is committed, from then on the writer notes each
// chunk that an operation refers to; then markStep() puts all references that are in the journal into a filter;
// what is neither in the filter, nor noted, nor recent (ChunkFiles) is unused.
//
// One thread at a time, any thread. Needs the Store started; gone before it.
#pragma once

#include "core/base/error.h"
#include "core/store/operations.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yard::store {

class Store;

/// A set of chunks that may say yes too often (one in a hundred), never no: then garbage waits for the next pass,
/// which has another seed. At most 32 MiB whatever is in it.
class ChunkFilter {
public:
    ChunkFilter(std::uint64_t expected, std::uint64_t seed);
    void add(const Hash256& hash);
    bool mayContain(const Hash256& hash) const;
    std::size_t memoryBytes() const { return bits_.size() * sizeof(std::uint64_t); }

private:
    std::vector<std::uint64_t> bits_; ///< a power of two
    std::uint64_t seed_;
};

/// What the data directory takes, and of how large a file system.
struct DiskUse {
    std::int64_t journal = 0;     ///< bytes of journal.sqlite that hold something
    std::int64_t journalFree = 0; ///< bytes of it that nothing uses
    std::int64_t log = 0;         ///< bytes of its write-ahead log, which goes on to be used
    std::int64_t packs = 0;
    std::int64_t files = 0;   ///< chunks in files of their own
    std::int64_t disk = 0;    ///< size of the file system
    std::int64_t actions = 0; ///< finished ones
    /// What gets smaller as actions go: without the log.
    std::int64_t used() const { return journal + packs + files; }
};

/// How many finished actions are to go, and for which reason: the first that applies.
struct RetirePlan {
    ExpiredRows what;
    std::int64_t byAge = 0;
    std::int64_t byCount = 0;
    std::int64_t bySize = 0;
    std::int64_t bytes = 0; ///< what is known to be theirs alone or shared
    Lsn next{1};
    std::int64_t total() const { return byAge + byCount + bySize; }
};
struct RetireLimits {
    std::int64_t actionsToGo = 0; ///< this many at least, the oldest first
    std::int64_t bytesToFree = 0;
};

struct UnusedChunk {
    Hash256 hash;
    std::int64_t bytes = 0; ///< as they lie on the disk
};

class Survey {
public:
    static Result<std::unique_ptr<Survey>> open(Store& store);
    ~Survey();
    Survey(const Survey&) = delete;
    Survey& operator=(const Survey&) = delete;

    /// All but `files`, which is left 0.
    Result<DiskUse> diskUse();
    /// Adds what the files in one of 256 folders take of the disk to `bytes`, their number to `count`. Nothing there is no error.
    Result<void> measureFolder(unsigned folder, std::int64_t& bytes, std::uint64_t& count) const;
    /// At least as many as there are small chunks.
    Result<std::uint64_t> smallChunks();

    // Steps: true when there is more to do. Each takes a few milliseconds.

    /// Goes on with `plan`; its `what` comes with endedBefore and keptSince, and gets `below` and `last`.
    Result<bool> planStep(const RetireLimits& limits, RetirePlan& plan);
    struct MarkCursor {
        enum class Table : unsigned char { Specs, Attempts, Workers, Done } table = Table::Specs;
        std::int64_t after = 0;
    };
    /// Puts what is referred to into `filter`, but for what is outdated by `except`. Arrays keep their inputs while
    /// one element is there; of one with more than 20,000 that all go it is not found out here, and they stay in.
    Result<bool> markStep(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor);
    /// Small chunks that are not in `filter`, from the row after `after` on.
    Result<bool> unusedSmall(const ChunkFilter& filter, std::int64_t& after, std::vector<UnusedChunk>& unused);
    /// Files that are not in `filter`, of one of 256 folders.
    Result<void> unusedFiles(const ChunkFilter& filter, unsigned folder, std::vector<UnusedChunk>& unused) const;
    /// Packs of which less than half is still used.
    struct SparsePack {
        std::int64_t id = 0;
        std::int64_t size = 0;
        std::int64_t used = 0;
    };
    Result<std::vector<SparsePack>> sparsePacks();

    static constexpr unsigned kFolders = 256;

private:
    struct Impl;
    explicit Survey(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::store

// Content by hash: the door for http and helpers. Thread-safe; every call blocks (files, and for chunks up to 16
// KiB a commit of the journal), so never on the engine, store or http loop thread. Constant memory whatever the
// size. Needs the Store started; gone before it.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"
#include "core/model/result.h"
#include "core/store/chunk_files.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::store {

class Store;
class Reader;
class ChunkStore;

/// Streams bytes into the store. Dropped before finish(): nothing remains. One thread at a time.
class ChunkWriter {
public:
    ChunkWriter(ChunkWriter&&) noexcept;
    ChunkWriter& operator=(ChunkWriter&&) noexcept;
    ~ChunkWriter();
    /// Errors: NoSpace, Io. After an error the writer is dead and its temporary file gone.
    Result<void> write(std::string_view bytes);
    /// The same for `count` zeros, which take no room on the disk where the chunk is kept raw. Hashing them takes
    /// as long as hashing other bytes.
    Result<void> writeZeros(std::uint64_t count);
    /// The chunk is in the store when this returns. Invalid when the bytes do not match the expected hash.
    Result<ChunkRef> finish();

private:
    friend class ChunkStore;
    struct Impl;
    explicit ChunkWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A chunk opened for reading; stays readable when it is deleted meanwhile. One thread at a time.
class ChunkReader {
public:
    ChunkReader(ChunkReader&&) noexcept;
    ChunkReader& operator=(ChunkReader&&) noexcept;
    ~ChunkReader();
    std::uint64_t size() const;
    /// Continues at `offset` of the uncompressed bytes. Invalid past the end. Ends verification.
    Result<void> seek(std::uint64_t offset);
    /// Up to buffer.size() bytes, 0 at the end. With verification the call that would return the last bytes checks
    /// the hash first: Io when they are not the chunk's (it is put aside and reads as missing from then on).
    Result<std::size_t> read(std::span<char> buffer);

private:
    friend class ChunkStore;
    struct Impl;
    explicit ChunkReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

class ChunkStore {
public:
    /// Both outlive it.
    static Result<std::unique_ptr<ChunkStore>> open(ChunkFiles& files, Store& store);
    ~ChunkStore();
    ChunkStore(const ChunkStore&) = delete;
    ChunkStore& operator=(const ChunkStore&) = delete;

    /// `expect`: verified at finish(). `sizeHint`: known length, decides about compression early.
    Result<ChunkWriter> writer(std::optional<Hash256> expect = {}, std::optional<std::uint64_t> sizeHint = {});
    /// Takes a finished file that was hashed while it was written; renamed, not copied, so it must be on the same
    /// file system (temporaryPath()). The file is gone from `path` when this returns success.
    Result<void> adopt(const std::string& path, const Hash256& hash, std::uint64_t size);
    /// A name for a file to be adopted later; removed at the next start if it is not.
    std::string temporaryPath() { return files_.temporaryPath(); }
    /// At most 16 KiB, into the journal. Returns its reference once committed.
    Result<ChunkRef> putSmall(std::string_view bytes);
    /// By a look at sizes, not at bytes; touches the grace time of what is there.
    bool has(const Hash256& hash);
    /// Reads all of it. False: it is missing, or was damaged and is put aside.
    bool verify(const Hash256& hash);
    std::vector<Hash256> missing(std::span<const Hash256> hashes);
    /// Size when present; touches.
    std::optional<std::uint64_t> sizeOf(const Hash256& hash);
    /// NotFound when missing.
    Result<ChunkReader> open(const Hash256& hash, bool verify = false);
    /// All bytes, verified; TooLarge over `limit`.
    Result<std::string> read(const Hash256& hash, std::size_t limit);
    /// Writes the verified bytes to a new file at `path` (O_EXCL) with `mode`. NotFound when missing, Io when
    /// corrupt, NoSpace; nothing is left at `path` on error.
    Result<void> materialise(const Hash256& hash, const std::string& path, unsigned mode);

    ChunkFiles::Stats stats() const { return files_.stats(); }

private:
    friend class ChunkWriter;
    friend class ChunkReader;
    ChunkStore(ChunkFiles& files, Store& store, std::unique_ptr<Reader> reader);
    Result<std::optional<std::string>> smallBytes(const Hash256& hash);
    Result<void> putSmallHashed(const Hash256& hash, std::string bytes);
    /// A finished temporary file whose bytes are the chunk's; what is damaged of it makes room.
    Result<void> place(const std::string& temporary, const Hash256& hash, bool compressed);
    bool isThere(const Hash256& hash);
    /// The bytes are not what their name says: puts them aside.
    void putAside(const Hash256& hash);

    ChunkFiles& files_;
    Store& store_;
    ThreadMutex mutex_;
    std::unique_ptr<Reader> reader_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::store

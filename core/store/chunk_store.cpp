#include "core/store/chunk_store.h"

#include "core/base/files.h"
#include "core/store/journal.h"
#include "core/store/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::store {

static constexpr std::size_t kCopyBuffer = 256u << 10;

ChunkStore::ChunkStore(ChunkFiles& files, Store& store, std::unique_ptr<Reader> reader)
    : files_(files)
    , store_(store)
    , reader_(std::move(reader)) {}

ChunkStore::~ChunkStore() = default;

Result<std::unique_ptr<ChunkStore>> ChunkStore::open(ChunkFiles& files, Store& store) {
    auto reader = Reader::open(store);
    if (!reader) return std::unexpected(std::move(reader.error()));
    return std::unique_ptr<ChunkStore>(new ChunkStore(files, store, std::move(*reader)));
}

Result<std::optional<std::string>> ChunkStore::smallBytes(const Hash256& hash) {
    const ThreadLock lock(mutex_);
    return reader_->blob(hash);
}

Result<void> ChunkStore::putSmallHashed(const Hash256& hash, std::string bytes) {
    files_.touch(hash);
    if (bytes.empty()) return {};
    return store_.carryOutAndWait(PutChunk{{hash, std::move(bytes)}});
}

Result<ChunkRef> ChunkStore::putSmall(std::string_view bytes) {
    if (bytes.size() > kSmallChunk)
        return fail(ErrorKind::TooLarge,
                    fmt::format("{} bytes are no small chunk: at most {}", bytes.size(), kSmallChunk));
    const ChunkRef chunk{Sha256::of(bytes), bytes.size()};
    if (auto put = putSmallHashed(chunk.hash, std::string(bytes)); !put)
        return std::unexpected(std::move(put.error()));
    return chunk;
}

Result<void> ChunkStore::adopt(const std::string& path, const Hash256& hash, std::uint64_t size) {
    struct stat status{};
    if (lstat(path.c_str(), &status) != 0) return failErrno("stat " + path, errno);
    if (!S_ISREG(status.st_mode) || static_cast<std::uint64_t>(status.st_size) != size) {
        (void)unlink(path.c_str());
        return fail(ErrorKind::Invalid, fmt::format("{} has {} bytes, not {}", path, status.st_size, size));
    }
    if (size == 0) {
        (void)unlink(path.c_str());
        if (hash == Hash256::ofNothing()) return {};
        return invalid("hash", "The bytes do not match the hash, as there are none: send them.");
    }
    return place(path, hash, false);
}

Result<void> ChunkStore::place(const std::string& temporary, const Hash256& hash, bool compressed) {
    if (!files_.sync() && files_.has(hash)) verify(hash);
    return files_.place(temporary, hash, compressed);
}

bool ChunkStore::verify(const Hash256& hash) {
    auto chunk = open(hash, true);
    if (!chunk) return false;
    std::vector<char> buffer(kCopyBuffer);
    for (;;) {
        const auto got = chunk->read(buffer);
        if (got && *got > 0) continue;
        // What the disk cannot read is damaged, too.
        if (!got && isThere(hash)) putAside(hash);
        return got.has_value();
    }
}

bool ChunkStore::isThere(const Hash256& hash) {
    if (hash == Hash256::ofNothing()) return true;
    {
        const ThreadLock lock(mutex_);
        if (auto found = reader_->hasBlob(hash); found && *found) return true;
    }
    return files_.has(hash);
}

bool ChunkStore::has(const Hash256& hash) {
    files_.touch(hash);
    return isThere(hash);
}

std::vector<Hash256> ChunkStore::missing(std::span<const Hash256> hashes) {
    files_.touch(hashes);
    std::vector<Hash256> missing;
    for (const auto& hash : hashes)
        if (!isThere(hash)) missing.push_back(hash);
    return missing;
}

std::optional<std::uint64_t> ChunkStore::sizeOf(const Hash256& hash) {
    files_.touch(hash);
    auto chunk = open(hash);
    if (!chunk) return std::nullopt;
    return chunk->size();
}

Result<std::string> ChunkStore::read(const Hash256& hash, std::size_t limit) {
    auto chunk = open(hash, true);
    if (!chunk) return std::unexpected(std::move(chunk.error()));
    if (chunk->size() > limit)
        return fail(ErrorKind::TooLarge,
                    fmt::format("chunk {} has {} bytes, over {}", hash.hex(), chunk->size(), limit));
    std::string bytes(static_cast<std::size_t>(chunk->size()), '\0');
    for (std::size_t at = 0; at < bytes.size();) {
        auto got = chunk->read(std::span(bytes).subspan(at));
        if (!got) return std::unexpected(std::move(got.error()));
        at += *got;
    }
    return bytes;
}

Result<void> ChunkStore::materialise(const Hash256& hash, const std::string& path, unsigned mode) {
    auto chunk = open(hash, true);
    if (!chunk) return std::unexpected(std::move(chunk.error()));
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return failErrno("create " + path, errno);
    auto copy = [&]() -> Result<void> {
        std::vector<char> buffer(static_cast<std::size_t>(std::min<std::uint64_t>(chunk->size() + 1, kCopyBuffer)));
        for (;;) {
            auto got = chunk->read(buffer);
            if (!got) return std::unexpected(std::move(got.error()));
            if (*got == 0) break;
            if (auto written = writeAll(file.get(), {buffer.data(), *got}); !written) return written;
        }
        if (fchmod(file.get(), static_cast<mode_t>(mode)) != 0) return failErrno("chmod " + path, errno);
        return {};
    };
    auto copied = copy();
    if (!copied) (void)unlink(path.c_str());
    return copied;
}

void ChunkStore::putAside(const Hash256& hash) {
    files_.quarantine(hash);
    // A store that stops keeps the row; the next reader finds it again.
    if (auto there = smallBytes(hash); there && *there) (void)store_.carryOutAndWait(DropChunk{hash});
}

} // namespace yard::store

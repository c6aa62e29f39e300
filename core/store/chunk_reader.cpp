#include "core/store/chunk_store.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/store/chunk_codec.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::store {

/// One of: bytes in memory, a raw file, a compressed file.
struct ChunkReader::Impl {
    ChunkStore& store;
    Hash256 hash;
    std::uint64_t size = 0;
    std::uint64_t at = 0;
    bool verify = false;
    Sha256 hasher;
    std::string bytes;
    UniqueFd file;
    std::optional<Decompressor> decompressor;
    std::uint64_t decompressed = 0; ///< how far the decompressor is

    Result<std::size_t> readRaw(std::span<char> buffer);
    Result<std::size_t> readCompressed(std::span<char> buffer);
    Result<std::size_t> readSome(std::span<char> buffer);
    std::unexpected<Error> corrupt(std::string_view how);
};

Result<std::size_t> ChunkReader::Impl::readRaw(std::span<char> buffer) {
    for (;;) {
        const ssize_t got = pread(file.get(), buffer.data(), buffer.size(), static_cast<off_t>(at));
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) return failErrno("read chunk " + hash.hex(), errno);
    }
}

Result<std::size_t> ChunkReader::Impl::readCompressed(std::span<char> buffer) {
    if (decompressed > at) {
        if (auto begun = decompressor->rewind(); !begun) return std::unexpected(std::move(begun.error()));
        decompressed = 0;
    }
    while (decompressed < at) { // at most 64 MiB are skipped
        const auto room = std::min<std::uint64_t>(buffer.size(), at - decompressed);
        auto got = decompressor->read(buffer.first(static_cast<std::size_t>(room)));
        if (!got || *got == 0) return got;
        decompressed += *got;
    }
    auto got = decompressor->read(buffer);
    if (got) decompressed += *got;
    return got;
}

Result<std::size_t> ChunkReader::Impl::readSome(std::span<char> buffer) {
    if (decompressor) return readCompressed(buffer);
    if (file) return readRaw(buffer);
    const auto count = std::min<std::size_t>(buffer.size(), bytes.size() - static_cast<std::size_t>(at));
    std::memcpy(buffer.data(), bytes.data() + at, count);
    return count;
}

std::unexpected<Error> ChunkReader::Impl::corrupt(std::string_view how) {
    logError("store", "chunk {} is damaged ({}): put aside", hash.hex(), how);
    store.putAside(hash);
    return fail(ErrorKind::Io,
                fmt::format("chunk {} is damaged ({}) and was put aside: send it again", hash.hex(), how));
}

ChunkReader::ChunkReader(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
ChunkReader::ChunkReader(ChunkReader&&) noexcept = default;
ChunkReader& ChunkReader::operator=(ChunkReader&&) noexcept = default;
ChunkReader::~ChunkReader() = default;

std::uint64_t ChunkReader::size() const {
    return impl_->size;
}

Result<void> ChunkReader::seek(std::uint64_t offset) {
    if (offset > impl_->size)
        return fail(ErrorKind::Invalid, fmt::format("offset {} is past the end ({} bytes)", offset, impl_->size));
    impl_->at = offset;
    impl_->verify = false;
    return {};
}

Result<std::size_t> ChunkReader::read(std::span<char> buffer) {
    Impl& chunk = *impl_;
    const std::uint64_t left = chunk.size - chunk.at;
    buffer = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left)));
    if (buffer.empty()) return 0;
    auto got = chunk.readSome(buffer);
    if (!got) {
        if (chunk.decompressor && got.error().sysErrno == 0) return chunk.corrupt(got.error().message);
        return got;
    }
    if (*got == 0) return chunk.corrupt("it ends early");
    chunk.at += *got;
    if (!chunk.verify) return got;
    chunk.hasher.update(std::string_view(buffer.data(), *got));
    if (chunk.at == chunk.size && chunk.hasher.finish() != chunk.hash) return chunk.corrupt("other bytes");
    return got;
}

Result<ChunkReader> ChunkStore::open(const Hash256& hash, bool verify) {
    std::unique_ptr<ChunkReader::Impl> chunk(new ChunkReader::Impl{.store = *this,
                                                                   .hash = hash,
                                                                   .size = 0,
                                                                   .at = 0,
                                                                   .verify = verify,
                                                                   .hasher = {},
                                                                   .bytes = {},
                                                                   .file = {},
                                                                   .decompressor = {},
                                                                   .decompressed = 0});
    if (hash == Hash256::ofNothing()) return ChunkReader(std::move(chunk));
    auto small = smallBytes(hash);
    if (!small) return std::unexpected(std::move(small.error()));
    if (*small) {
        chunk->bytes = std::move(**small);
        chunk->size = chunk->bytes.size();
        return ChunkReader(std::move(chunk));
    }
    UniqueFd file(::open(files_.pathOf(hash).c_str(), O_RDONLY | O_CLOEXEC));
    if (file) {
        struct stat status{};
        if (fstat(file.get(), &status) != 0) return failErrno("stat chunk " + hash.hex(), errno);
        chunk->size = static_cast<std::uint64_t>(status.st_size);
        chunk->file = std::move(file);
        if (chunk->size == 0) return chunk->corrupt("it is empty");
        return ChunkReader(std::move(chunk));
    }
    if (errno == ENOENT) file.reset(::open(files_.compressedPathOf(hash).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file && errno == ENOENT) return fail(ErrorKind::NotFound, fmt::format("there is no chunk {}", hash.hex()));
    if (!file) return failErrno("open chunk " + hash.hex(), errno);
    auto decompressor = Decompressor::start(std::move(file));
    if (!decompressor) return chunk->corrupt(decompressor.error().message);
    chunk->size = decompressor->size();
    chunk->decompressor = std::move(*decompressor);
    if (chunk->size == 0) return chunk->corrupt("it is empty");
    return ChunkReader(std::move(chunk));
}

} // namespace yard::store

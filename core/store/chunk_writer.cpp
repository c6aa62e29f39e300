#include "core/store/chunk_store.h"

#include "core/base/files.h"
#include "core/store/chunk_codec.h"
#include "core/store/rows.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::store {

/// The first bytes stay in memory: what ends within them is a small chunk (or decides about compression).
struct ChunkWriter::Impl {
    ChunkStore& store;
    std::optional<Hash256> expect;
    std::optional<std::uint64_t> sizeHint;
    Sha256 hasher;
    std::uint64_t size = 0;
    std::string head; ///< until the file is begun
    std::string path; ///< of the temporary; empty until it is begun
    UniqueFd file;
    std::optional<Compressor> compressor;
    bool dead = false;

    ~Impl() { discard(); }
    void discard() {
        file.reset();
        if (!path.empty()) (void)unlink(path.c_str());
        path.clear();
    }
    template<class T>
    Result<T> die(Error error) {
        dead = true;
        discard();
        return std::unexpected(std::move(error));
    }
    Result<void> makeFile();
    Result<void> begin();
    Result<void> append(std::string_view bytes);
    Result<void> becomeRaw();
    bool isRaw() const { return !dead && !path.empty() && !compressor; }
    Result<void> skip(std::uint64_t zeros);
    Result<ChunkRef> finish();
};

Result<void> ChunkWriter::Impl::makeFile() {
    path = store.files_.temporaryPath();
    file.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) {
        const int err = errno;
        path.clear();
        return failErrno("open a temporary file in " + store.files_.directory(), err);
    }
    return {};
}

/// Decides raw or compressed by the head, then writes it.
Result<void> ChunkWriter::Impl::begin() {
    if (auto made = makeFile(); !made) return made;
    const bool small = !sizeHint || *sizeHint <= kMaxCompressed;
    if (small && isWorthCompressing(std::string_view(head).substr(0, kProbeSize))) {
        auto started = Compressor::start(file.get());
        if (!started) return std::unexpected(std::move(started.error()));
        compressor = std::move(*started);
    }
    auto appended = append(head);
    head.clear();
    head.shrink_to_fit();
    return appended;
}

Result<void> ChunkWriter::Impl::append(std::string_view bytes) {
    if (compressor && size > kMaxCompressed)
        if (auto raw = becomeRaw(); !raw) return raw;
    return compressor ? compressor->write(bytes) : writeAll(file.get(), bytes);
}

/// Leaves a hole in a raw file: as long as the zeros are, but without them.
Result<void> ChunkWriter::Impl::skip(std::uint64_t zeros) {
    hasher.updateZeros(zeros);
    size += zeros;
    if (::ftruncate(file.get(), static_cast<off_t>(size)) == 0 && ::lseek(file.get(), 0, SEEK_END) >= 0) return {};
    return die<void>(failErrno("make " + path + " longer", errno).error());
}

/// It grew past what is kept compressed: at most 64 MiB are written a second time.
Result<void> ChunkWriter::Impl::becomeRaw() {
    if (auto ended = compressor->finish(); !ended) return ended;
    compressor.reset();
    const std::string compressedPath = path;
    UniqueFd compressed = std::move(file);
    auto copy = [&]() -> Result<void> {
        if (auto made = makeFile(); !made) return made;
        auto source = Decompressor::start(std::move(compressed));
        if (!source) return std::unexpected(std::move(source.error()));
        std::vector<char> buffer(256u << 10);
        for (;;) {
            auto got = source->read(buffer);
            if (!got) return std::unexpected(std::move(got.error()));
            if (*got == 0) return {};
            if (auto written = writeAll(file.get(), {buffer.data(), *got}); !written) return written;
        }
    };
    auto copied = copy();
    (void)unlink(compressedPath.c_str());
    return copied;
}

Result<ChunkRef> ChunkWriter::Impl::finish() {
    const ChunkRef chunk{hasher.finish(), size};
    if (expect && *expect != chunk.hash)
        return invalid("hash", fmt::format("The bytes do not match the hash {}: send them by their own, {}.",
                                           expect->hex(), chunk.hash.hex()));
    if (path.empty() && size <= kSmallChunk) {
        auto put = store.putSmallHashed(chunk.hash, std::move(head));
        if (!put) return std::unexpected(std::move(put.error()));
        return chunk;
    }
    if (path.empty())
        if (auto begun = begin(); !begun) return std::unexpected(std::move(begun.error()));
    if (compressor)
        if (auto ended = compressor->finish(); !ended) return std::unexpected(std::move(ended.error()));
    file.reset();
    const std::string temporary = std::exchange(path, {});
    if (auto placed = store.place(temporary, chunk.hash, compressor.has_value()); !placed)
        return std::unexpected(std::move(placed.error()));
    return chunk;
}

ChunkWriter::ChunkWriter(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
ChunkWriter::ChunkWriter(ChunkWriter&&) noexcept = default;
ChunkWriter& ChunkWriter::operator=(ChunkWriter&&) noexcept = default;
ChunkWriter::~ChunkWriter() = default;

Result<void> ChunkWriter::write(std::string_view bytes) {
    if (impl_->dead) return fail(ErrorKind::Io, "this chunk could not be written");
    impl_->hasher.update(bytes);
    Result<void> done;
    if (impl_->path.empty()) {
        // Never more than the probe in memory, however large the piece.
        const std::size_t room = kProbeSize - std::min(kProbeSize, impl_->head.size());
        impl_->head += bytes.substr(0, room);
        impl_->size += std::min(room, bytes.size());
        bytes.remove_prefix(std::min(room, bytes.size()));
        if (bytes.empty()) return {};
        done = impl_->begin();
    }
    if (done) {
        impl_->size += bytes.size();
        done = impl_->append(bytes);
    }
    if (!done) return impl_->die<void>(std::move(done.error()));
    return {};
}

Result<void> ChunkWriter::writeZeros(std::uint64_t count) {
    static constexpr std::array<char, 64u << 10> kZeros{};
    while (count > 0 && !impl_->isRaw()) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, kZeros.size()));
        if (auto wrote = write({kZeros.data(), part}); !wrote) return wrote;
        count -= part;
    }
    return count > 0 ? impl_->skip(count) : Result<void>{};
}

Result<ChunkRef> ChunkWriter::finish() {
    if (impl_->dead) return fail(ErrorKind::Io, "this chunk could not be written");
    auto finished = impl_->finish();
    impl_->dead = true;
    if (!finished) return impl_->die<ChunkRef>(std::move(finished.error()));
    return finished;
}

Result<ChunkWriter> ChunkStore::writer(std::optional<Hash256> expect, std::optional<std::uint64_t> sizeHint) {
    return ChunkWriter(std::unique_ptr<ChunkWriter::Impl>(new ChunkWriter::Impl{.store = *this,
                                                                                .expect = expect,
                                                                                .sizeHint = sizeHint,
                                                                                .hasher = {},
                                                                                .size = 0,
                                                                                .head = {},
                                                                                .path = {},
                                                                                .file = {},
                                                                                .compressor = {},
                                                                                .dead = false}));
}

} // namespace yard::store

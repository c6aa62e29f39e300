// Copies outputs into the content store. What is stored, and the hash it is told by, is the copy: whoever wrote the
// output may be alive and change it while it is read and after. Blocks: helper threads only.
#pragma once

#include "core/base/kept_stream.h"
#include "core/base/unique_fd.h"
#include "core/lease/scratch.h"
#include "core/store/chunk_store.h"
#include "core/store/rows.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

/// Copies at once: for files that take a moment. Larger ones are a ChunkCopy.
class OutputKeeper {
public:
    /// `small`: takes what the journal can keep with the result, up to kMostSmall bytes of it.
    OutputKeeper(store::ChunkStore& chunks, std::vector<store::SmallChunk>& small)
        : chunks_(chunks)
        , small_(small) {}
    Result<ChunkRef> keep(const runners::OutputFile& file);

private:
    static constexpr std::size_t kMostSmall = 256u << 10;
    Result<ChunkRef> keepSmall(const runners::OutputFile& file);
    Result<ChunkRef> keepByWriting(const runners::OutputFile& file);

    store::ChunkStore& chunks_;
    std::vector<store::SmallChunk>& small_;
    std::size_t smallBytes_ = 0;
};

/// One large file on its way into the content store, in parts; holes are not read. Dropped before finish(): nothing
/// remains. One thread at a time.
class ChunkCopy {
public:
    /// `isOver`: no process is left that could open it for writing. Nothing past `size` is read.
    static Result<std::unique_ptr<ChunkCopy>> ofOutput(store::ChunkStore& chunks, UniqueFd file, std::uint64_t size,
                                                       bool isOver);
    /// What readers see of a stream that is longer than what is kept.
    static Result<std::unique_ptr<ChunkCopy>> ofStream(store::ChunkStore& chunks, UniqueFd file, KeptStream kept);
    ~ChunkCopy();
    ChunkCopy(const ChunkCopy&) = delete;
    ChunkCopy& operator=(const ChunkCopy&) = delete;

    /// Copies at most about `most` bytes. True: that was the end. Errors as ChunkWriter's.
    Result<bool> step(std::uint64_t most);
    Result<ChunkRef> finish();

private:
    ChunkCopy(store::ChunkStore& chunks, UniqueFd file, std::uint64_t size)
        : chunks_(chunks)
        , file_(std::move(file))
        , size_(size) {}
    Result<void> write();
    bool takeItself(bool isOver);
    Result<std::uint64_t> holeFrom(std::uint64_t offset);
    Result<std::uint64_t> copyPart(std::uint64_t most);
    Result<void> take(std::string_view bytes);
    Result<void> takeZeros(std::uint64_t count);

    store::ChunkStore& chunks_;
    UniqueFd file_;
    std::uint64_t size_;
    std::uint64_t at_ = 0;
    std::uint64_t dataEnd_ = 0; ///< no hole before it
    std::optional<KeptStream> kept_;
    std::optional<store::ChunkWriter> writer_; ///< absent: the file at path_ is hashed and becomes the chunk
    std::string path_;
    Sha256 hasher_;
};

} // namespace yard::engine

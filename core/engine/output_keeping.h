// Copies outputs into the content store. What is stored, and the hash it is told by, is the copy: whoever wrote the
// output may be alive and change it while it is read and after. Blocks: helper threads only.
#pragma once

#include "core/runners/scratch.h"
#include "core/store/chunk_store.h"
#include "core/store/rows.h"

#include <vector>

namespace yard::engine {

class OutputKeeper {
public:
    /// `small`: takes what the journal can keep with the result, up to kMostSmall bytes of it. `isOver`: no process
    /// is left that could open it for writing.
    OutputKeeper(store::ChunkStore& chunks, std::vector<store::SmallChunk>& small, bool isOver)
        : chunks_(chunks)
        , small_(small)
        , isOver_(isOver) {}
    Result<ChunkRef> keep(const runners::OutputFile& file);

private:
    static constexpr std::size_t kMostSmall = 256u << 10;
    Result<ChunkRef> keepSmall(const runners::OutputFile& file);
    Result<ChunkRef> keepByWriting(const runners::OutputFile& file);
    /// Of a file that stands where the store makes its own: hashed, then renamed into it.
    Result<ChunkRef> adopt(const std::string& path);
    bool mayTakeItself(const runners::OutputFile& file) const;

    store::ChunkStore& chunks_;
    std::vector<store::SmallChunk>& small_;
    std::size_t smallBytes_ = 0;
    const bool isOver_;
};

} // namespace yard::engine

// Chunks that come from a machine, piece by piece, into the content store: by helpers, one piece after another.
//
// Owner: engine thread. Lifetime: that of its machine; what is under way when it goes ends without it. Store and helpers
// outlive both. Bounds: who sends waits for answers (LinkFetches); kMostOpen chunks are begun at once, more make those that
// were begun start again.
#pragma once

#include "core/coro/helper_pool.h"
#include "core/runners/link_host.h"
#include "core/store/chunk_store.h"

#include <cstddef>
#include <functional>
#include <memory>

namespace yard::engine {

class ChunkIntake {
public:
    static constexpr std::size_t kMostOpen = 512;
    using Answer = runners::LinkHost::Answer<Result<void>>;
    using Spawn = std::function<void(const char* name, coro::Task<void>)>;

    ChunkIntake(store::ChunkStore& chunks, coro::HelperPool& helpers, Spawn spawn);
    /// Offset 0 begins the chunk again. Invalid: with its last piece it is not what it is called.
    void take(link::Chunk piece, Answer answer);

private:
    struct State;
    static coro::Task<void> work(std::shared_ptr<State> state);

    Spawn spawn_;
    std::shared_ptr<State> state_;
};

} // namespace yard::engine

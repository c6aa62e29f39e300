#include "core/engine/machines/chunk_intake.h"

#include <deque>
#include <map>
#include <utility>

namespace yard::engine {

struct ChunkIntake::State {
    struct Waiting {
        link::Chunk piece;
        Answer answer;
    };
    Result<void> store(const link::Chunk& piece);

    store::ChunkStore& chunks;
    coro::HelperPool& helpers;
    std::deque<Waiting> waiting{};
    bool isBusy = false;
    std::map<Hash256, store::ChunkWriter> open{}; ///< of the job that runs: there is one at a time
};

ChunkIntake::ChunkIntake(store::ChunkStore& chunks, coro::HelperPool& helpers, Spawn spawn)
    : spawn_(std::move(spawn))
    , state_(std::make_shared<State>(State{.chunks = chunks, .helpers = helpers})) {}

void ChunkIntake::take(link::Chunk piece, Answer answer) {
    state_->waiting.push_back({.piece = std::move(piece), .answer = std::move(answer)});
    if (!std::exchange(state_->isBusy, true)) spawn_("chunks of a machine", work(state_));
}

coro::Task<void> ChunkIntake::work(std::shared_ptr<State> state) {
    while (!state->waiting.empty()) {
        State::Waiting next = std::move(state->waiting.front());
        state->waiting.pop_front();
        auto job = [state, piece = std::move(next.piece)] { return state->store(piece); };
        const Result<void> result = co_await state->helpers.run(std::move(job));
        next.answer(result);
    }
    state->isBusy = false;
}

Result<void> ChunkIntake::State::store(const link::Chunk& piece) {
    if (piece.offset == 0) {
        if (open.size() >= kMostOpen) open.clear();
        auto writer = chunks.writer(piece.hash, piece.size);
        if (!writer) return std::unexpected(writer.error());
        open.erase(piece.hash);
        open.emplace(piece.hash, std::move(*writer));
    }
    const auto at = open.find(piece.hash);
    if (at == open.end()) return fail(ErrorKind::Io, "what came of it before is not there any more");
    Result<void> result = at->second.write(piece.bytes);
    const bool isLast = piece.offset + piece.bytes.size() == piece.size;
    if (result && isLast) {
        if (const auto finished = at->second.finish(); !finished) result = std::unexpected(finished.error());
    }
    if (!result || isLast) open.erase(at);
    return result;
}

} // namespace yard::engine

// What the runner of a machine needs of this engine: clocks, the words of its actions, the content store.
//
// Owner: engine thread. Lifetime: outlives its runner. Attempts, dictionary, workers, store and helpers outlive it.
#pragma once

#include "core/coro/helper_pool.h"
#include "core/engine/machines/chunk_intake.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/worker_registry.h"
#include "core/runners/link_host.h"
#include "core/store/chunk_store.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::engine {

class MachineHost final : public runners::LinkHost {
public:
    struct Parts {
        AttemptTable& attempts;
        const InternTable& dictionary;
        const WorkerRegistry& workers;
        store::ChunkStore& chunks;
        coro::HelperPool& helpers;
        ChunkIntake::Spawn spawn;
        std::string yardName;
        std::string yardRunId;
        std::function<void(const runners::LinkIntent&, Answer<Result<void>>)> writeDown;
        std::function<void(const link::Update&)> told; ///< of a running attempt
        std::function<std::uint64_t(runners::AttemptId, runners::Stream)> printed;
        std::function<void()> stored;                            ///< a piece of a chunk was stored, or could not be
        std::function<void(std::string_view sentence)> notTaken; ///< the machine does not take what it was given
    };
    explicit MachineHost(Parts parts);

    link::BootTime bootNow() const override { return yard::bootNow(); }
    MonoTime monoNow() const override { return MonoClock::now(); }
    /// Who comes was looked at before there was a runner.
    std::optional<link::Refused> refuse(const link::Hello&) override { return std::nullopt; }
    std::string yardName() const override { return parts_.yardName; }
    std::string yardRunId() const override { return parts_.yardRunId; }
    Result<link::Lease> wordsOf(const runners::Lease& lease) override;
    std::vector<Hash256> chunksOf(std::string_view worker) override;
    void writeDown(runners::LinkIntent intent, Answer<Result<void>> answer) override {
        parts_.writeDown(intent, std::move(answer));
    }
    void readChunk(const Hash256& hash, std::uint64_t offset, std::size_t most,
                   Answer<Result<Piece>> answer) override;
    void missing(std::vector<runners::RemoteChunk> chunks,
                 Answer<std::vector<runners::RemoteChunk>> answer) override;
    void storePiece(link::Chunk piece, Answer<Result<void>> answer) override;
    void told(const link::Update& update) override { parts_.told(update); }
    std::uint64_t printed(runners::AttemptId id, runners::Stream stream) override {
        return parts_.printed(id, stream);
    }
    void keep(const link::Finished& finished) override;
    void notTaken(runners::AttemptId, std::string_view sentence) override { parts_.notTaken(sentence); }

private:
    Parts parts_;
    ChunkIntake intake_;
};

} // namespace yard::engine

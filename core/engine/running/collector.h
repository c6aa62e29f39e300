// What an ended attempt left: its streams and its outputs go into the content store. What takes a moment is done at
// once, what takes longer in parts, between which others get their turn; the whole can be cut short.
//
// Owner: one helper at a time calls begin() once, then goOn() until isDone(). cut() from any thread. Lifetime: the
// parts outlive it.
#pragma once

#include "core/base/clock.h"
#include "core/engine/running/lent_request.h"
#include "core/engine/running/outcome.h"
#include "core/engine/running/output_keeping.h"
#include "core/locks/claims.h"
#include "core/model/action_spec.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace yard::engine {

struct Collection {
    AttemptOutcome outcome;
    std::vector<store::SmallChunk> chunks;
    bool isRemoved = false;          ///< the scratch directory
    bool isCut = false;              ///< the outcome has what was kept until then
    bool cannotHeal = false;         ///< its program will not start another time either
    std::optional<std::string> left; ///< of a request: what is to be removed
};

class Collector {
public:
    struct Parts {
        store::ChunkStore* chunks = nullptr;
        locks::Claims* claims = nullptr;
        runners::Ended ended;
        std::optional<runners::Scratch> scratch; ///< absent: none
        std::optional<LentRequest> request;
        SpecPtr spec;
        runners::OutputLimits limits;
        bool isOver = false;    ///< no process is left that could open an output for writing
        bool isWindows = false; ///< it wrote down how it ended (windows_end.h)
    };
    Collector(Parts parts, AttemptOutcome outcome);

    /// Looks at all that is there and keeps what is small: blocks for as long as that takes, 64 MiB at most.
    void begin();
    /// One more part of what is large: blocks for about a tenth of a second.
    void goOn();
    bool isDone() const { return isDone_; }
    /// Nothing is left but outputs that somebody has a lease on: goOn() is of use in a while. Who does not let go
    /// for kLeaseLimit keeps all outputs from being kept.
    bool waits() const { return waits_; }
    static constexpr Duration kLeaseLimit{5'000'000};
    /// Its outputs are no longer wanted. What is being copied is dropped within a part.
    void cut() { cut_.request_stop(); }
    Collection& result() { return made_; }

private:
    /// What is kept later: an output by its place, or a stream.
    struct Later {
        std::size_t index = 0;
        std::uint64_t size = 0;
        bool isLeased = false;  ///< when it was found: its size is not known, nor counted
        MonoTime leasedSince{}; ///< the epoch: it was not when it was tried
        runners::StreamResult* stream = nullptr;
    };
    bool isCut() const { return cut_.stop_requested(); }
    bool isAllKept() const { return later_.empty() && leased_.empty(); }
    void keepStreams();
    void streamKept(runners::StreamResult& stream, const Result<ChunkRef>& kept);
    void gather();
    Result<std::optional<ChunkRef>> keepOutput(OutputKeeper& keeper, const runners::OutputFile& file);
    Result<std::unique_ptr<ChunkCopy>> open(Later& next);
    Result<std::unique_ptr<ChunkCopy>> openOutput(Later& next);
    static bool mayWait(Later& next);
    Result<bool> copySome(Later& next);
    void failed(const Later& next, const Error& error);
    void finish();
    void leaveOutGone(runners::GatheredOutputs& gathered);
    void finishScratch();
    void finishRequest();

    Parts parts_;
    Collection made_;
    std::string note_;
    UniqueFd outputs_;
    std::optional<Result<runners::GatheredOutputs>> gathered_;
    std::vector<Later> later_;  ///< the last is the next
    std::vector<Later> leased_; ///< by somebody else, when it was tried last
    bool waits_ = false;
    std::unique_ptr<ChunkCopy> copy_;
    std::vector<std::size_t> gone_; ///< outputs that were not there any more
    std::uint64_t atOnce_ = 0;
    bool isDone_ = false;
    std::stop_source cut_;
};

} // namespace yard::engine

// Keeps finished actions and chunks by age, number and share of the disk: looks for what may go, and has it taken
// away in steps, one operation of the journal at a time and none for as long again as the step before took, so that
// submissions and results come in between. While others write to the journal the pauses are longer still (pace.h):
// their answers take hardly longer meanwhile (tests/bench, bench_retention).
//
// A pass: finished actions that are too old or too many go; then chunks that nothing refers to (store/survey.h),
// packs that are mostly empty and free pages of the journal; then, while more than the share of the disk is taken,
// the oldest actions and their chunks, in rounds. A kill at any moment leaves every result with its chunks: rows go
// first, and what a row of then refers to is noted.
//
// Owner: engine thread; run() is one of its cooperative threads, and pass() is called by others, one at a time.
// Looking is done by helpers. Lifetime: after the store, the chunks and the helpers; before them.
#pragma once

#include "core/base/owner.h"
#include "core/coro/events.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/engine/running/upkeep_throttle.h"
#include "core/engine/state/committer.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/views.h"
#include "core/model/settings.h"
#include "core/store/disk_reserve.h"
#include "core/store/survey.h"

#include <functional>
#include <memory>
#include <optional>

namespace yard::engine {

class Retention {
public:
    struct Parts {
        store::Store& store;
        store::ChunkFiles& files;
        store::DiskReserve reserve;
        Committer& committer;
        coro::HelperPool& helpers;
        EngineCounters& counters;
        const Settings& settings; ///< in force now
        std::string workers;      ///< the directory of their files
        /// Those that ended less than this ago stay whatever the settings say: whoever waits for them may still
        /// ask.
        Duration youngest;
        /// Since when the oldest of the attempts whose outputs are in the content store, and not yet in the
        /// journal, has been at it; nothing: there is none.
        std::function<std::optional<MonoTime>()> oldestCollection;
        std::function<void(Lsn)> retired; ///< told of each action that went
    };
    explicit Retention(Parts parts)
        : parts_(std::move(parts)) {}

    /// Passes as they are due, forever.
    coro::Task<void> run();
    /// A whole pass, or only what it would do. Blocks nobody; minutes with millions to go. Journal, Io, NoSpace,
    /// Busy.
    coro::Task<Result<GcReport>> pass(bool dryRun);
    /// An action has finished.
    void noteFinished();
    /// Limits may have changed: a pass is due.
    void settingsChanged() { due_.set(); }

private:
    struct Limits;
    struct Pass;
    bool isCurrent(const Pass& pass) const;
    using PassPtr = std::shared_ptr<Pass>;
    coro::Task<Result<GcReport>> passAlone(bool dryRun, bool thorough);
    template<class F>
    coro::Task<Result<void>> steps(PassPtr pass, F step);
    coro::Task<Result<store::SweepResult>> commit(store::Action action);
    Duration pauseAfter(Duration step);
    coro::Task<void> makeRoom();
    coro::Task<Result<void>> measure(PassPtr pass);
    coro::Task<Result<void>> round(PassPtr pass, std::int64_t bytesToFree, bool thorough);
    coro::Task<Result<void>> planRetiring(PassPtr pass, std::int64_t bytesToFree);
    coro::Task<Result<void>> retire(PassPtr pass);
    coro::Task<Result<void>> sweep(PassPtr pass);
    coro::Task<Result<void>> mark(PassPtr pass);
    coro::Task<Result<void>> findUnused(PassPtr pass);
    coro::Task<Result<void>> drop(PassPtr pass, std::vector<store::UnusedChunk> unused);
    coro::Task<Result<void>> compact(PassPtr pass);
    coro::Task<Result<void>> shrink(PassPtr pass);
    std::uint64_t written() const;

    Parts parts_;
    coro::Mutex mutex_; ///< one pass at a time
    coro::Event due_;
    std::int64_t finished_ = 0;       ///< rows of `done`, as far as is known
    std::uint64_t finishedSince_ = 0; ///< the last pass
    std::uint64_t gone_ = 0;          ///< actions in this pass
    bool overLimit_ = false;          ///< more on the disk than may be, when it was last measured
    UpkeepThrottle pace_;
    std::uint64_t writtenBefore_ = 0; ///< chunks that were there when they were last looked through
    std::int64_t recentBytes_ = 0;    ///< of chunks that nothing refers to and that are still too recent to go
    std::uint64_t passes_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::engine

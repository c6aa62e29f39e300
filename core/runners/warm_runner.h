// Runs actions in warm processes: the pool decides which one serves (core/pool), the launcher starts and ends them,
// and requests go over a socket each (warm_frames.h). One of the engine's runners.
//
// Owner: one thread (the engine's) calls everything. It waits until pollFd() is readable, then calls onReadable();
// nothing here blocks. The sink is called from onReadable() only, never from inside submit() or end().
//
// What it is made of, and who calls whom, is in README.md of this room.
#pragma once

#include "core/base/owner.h"
#include "core/lease/runner.h"
#include "core/model/worker.h"
#include "core/pool/pool.h"
#include "core/pool/restart_files.h"
#include "core/runners/warm_host.h"
#include "core/runners/warm_processes.h"
#include "core/runners/warm_release.h"
#include "core/runners/warm_requests.h"
#include "core/runners/warm_router.h"
#include "core/runners/warm_state.h"
#include "core/runners/warm_view.h"
#include "core/runners/warm_views.h"
#include "core/runners/warm_workers.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yard::runners {

/// Over 40 functions: 14 are Runner's, the others are the engine's one door to the parts below. Each carries out what the
/// pool wants after the part's call, so the parts are not handed out.
class WarmRunner final : public Runner {
public:
    /// `local` starts the processes; its updates of them (isWarmProcess) come to processUpdate().
    static Result<std::unique_ptr<WarmRunner>> start(WarmConfig config, Runner& local, WarmHost& host,
                                                     UpdateSink sink);
    ~WarmRunner() override;

    const WarmViews& views() const { return views_; }

    // --- workers
    /// Makes the worker's group, the newest of its family. `gate` is its number for setWindow().
    pool::GroupId addWorker(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                            std::uint32_t gate);
    /// A group of its own, `id`, for processes of the registered worker `source`; removeWorker() ends them. Each has all of
    /// the named `locks` from before its start until its tree is gone: one whose locks are held does not come up.
    pool::GroupId addActor(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                           const std::string& source, std::vector<std::string> locks);
    void removeWorker(const std::string& id);
    void configure(const pool::PoolOptions& options, Duration grace);
    /// A rolling restart. False: no such worker.
    bool restart(const std::string& worker);
    /// By the id of its view. False: unknown, or ending already.
    bool detach(const std::string& process);
    /// What a process printed last, by the id of its view, to `sink`: at once, or when the launcher has told.
    /// Null: no longer kept. NotFound; Busy when kMostAsks have not been answered yet.
    Result<void> askOutput(const std::string& process, OutputSink sink);
    /// By when the only request that is out will most probably be answered: so soon that a thread that went to
    /// sleep would hardly be awake again. Nothing: none is out, several are, or it will take longer.
    std::optional<MonoTime> answerBy() const;
    /// Other work lacks so much memory: idle processes that hold some end, the least used first, but none of those
    /// that min_processes keeps, and none where all that is idle holds too little. True: so much will be free once
    /// those that end have ended.
    bool giveMemory(std::int64_t memoryMb);
    /// Some process has pieces of what is told apart for as long as it lives.
    bool keepAny() const { return release_.keepAny(); }
    /// Other work lacks some of this named resource: an idle process that keeps some ends, as above. True: one is ending.
    bool giveNamed(const std::string& name);
    /// A piece that processes keep is lost: those get no more requests, and end.
    void endThoseWith(const std::string& resource, const std::string& name);

    // --- answers of the host
    /// Argv, env, cwd and limits of the process; or why there is none.
    void prepared(AttemptId id, Result<Lease> lease);
    /// The directory of a request is as at first, or why not.
    void remade(AttemptId request, const Result<void>& made);
    void granted(std::uint64_t key);
    void entriesSynced(const Result<void>& synced);
    /// `changes`: an inotify descriptor for the directory, where there is none yet. An event of its own end, or of
    /// one above it, says that the path may name another directory.
    void restartSigns(const std::string& worker, const pool::RestartSigns& signs, UniqueFd changes);
    void processUpdate(Update update);
    void sampled(const std::vector<ProcessSample>& samples);
    /// Processes that live; of those that were used since the last call if `usedOnly`.
    std::vector<ProcessLook> looks(bool usedOnly);
    /// What one and its children take together. Over its limit it is ended in a sandbox, with what it works on;
    /// without one it is replaced when it has answered.
    void noteMemory(int pid, std::int64_t bytes, std::size_t processes);

    // --- Runner
    std::string_view name() const override { return "warm"; }
    unsigned capacity() const override { return shared_.config.slots; }
    unsigned free() const override { return static_cast<unsigned>(processes_.freeSlots()); }
    bool isAccepting() const override { return !shared_.isEnding && local_.isAccepting(); }
    void submit(std::vector<Lease> batch) override;
    void takeBack(AttemptId id) override;
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace = {}) override;
    void endAll(StopCause cause, std::optional<Duration> grace = {}) override;
    void watch(AttemptId, Stream) override {} ///< a warm action has no streams of its own
    void unwatch(AttemptId, Stream) override {}
    void acknowledge(SlotId slot, AttemptId id) override;
    int pollFd() const override;
    void onReadable() override;
    /// Ends every process; isDown() once they are gone. What waits comes back as Returned.
    void shutDown(Duration grace) override;
    bool isDown() const override { return processes_.all().empty(); }

private:
    WarmRunner(WarmConfig config, Runner& local, WarmHost& host, UpdateSink sink);
    Result<void> open();

    void carry();
    void flush();
    void tick(MonoTime now);

    Runner& local_;
    UpdateSink sink_;
    OwnerCheck owner_;
    WarmShared shared_;
    std::unique_ptr<WarmProcessStarter> starter_;
    RequestTable requests_{shared_};
    WarmWorkers workers_{shared_};
    WarmProcesses processes_{shared_, *starter_, workers_};
    WarmRelease release_{shared_, workers_, processes_};
    RequestRouter router_{shared_, requests_, workers_, processes_};
    WarmViews views_{shared_, requests_, workers_, processes_};
    bool carrying_ = false;
    UniqueFd wake_;
    bool woken_ = false;
    bool telling_ = false; ///< in onReadable(): what there is to tell is told at its end
};

} // namespace yard::runners

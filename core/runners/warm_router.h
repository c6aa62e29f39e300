// Requests and processes together: which process gets what, what is sent when, and what becomes of a request.
//
// A request waits in the pool, then with a process (unsent), then it was sent: beyond the process's concurrency
// ahead, else on a lane, which is when it runs and its deadline counts. What becomes of it:
//   - answered: Ended, with exit code, result and message;
//   - its process died, hung or sent garbage: alone on a lane and read, it fails as WorkerCrashed. Read and on a
//     lane beside others it is interrupted (LostRunner), and what shared two that crashed gets the next for itself.
//     What was ahead, unsent, or never read goes elsewhere. After kMaxAttempts processes that ended before they
//     read one request it fails. What a live process was sent, no other gets before it is dead;
//   - its deadline passed, or it was cancelled on a lane: its process is ended, then it; ahead it waits for its
//     lane first;
//   - no process came up for it: SpawnError, with the step that failed and what the process printed last.
//
// Owner: the thread of the warm runner. Lifetime: after the table, workers and processes; WarmRunner calls it, and
// carries out afterwards what the pool has decided meanwhile.
// Invariants: a request is in one list of its process at most: unsent, ahead or lanes. What a process has on lanes and
// ahead was sent, with an entry; no more than `concurrency` are on lanes.
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"
#include "core/lease/runner.h"
#include "core/pool/pool.h"
#include "core/runners/warm_frames.h"
#include "core/runners/warm_processes.h"
#include "core/runners/warm_requests.h"
#include "core/runners/warm_state.h"
#include "core/runners/warm_workers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::runners {

class RequestRouter {
public:
    RequestRouter(WarmShared& shared, RequestTable& requests, WarmWorkers& workers, WarmProcesses& processes)
        : shared_(shared)
        , requests_(requests)
        , workers_(workers)
        , processes_(processes) {}

    // --- to a process
    /// To a process that the pool chooses, or into its waiting list.
    void route(std::uint32_t request, MonoTime now);
    /// The pool has a process for one that waited, or will not have one.
    void served(const pool::Outbox::Served& served, MonoTime now);
    void failed(const pool::Outbox::Failed& failed);
    /// Sends it what it may have.
    void feed(WarmProcess& process, MonoTime now);
    void coresGranted(WarmProcess& process, MonoTime now);
    /// As WarmRunner::answerBy().
    std::optional<MonoTime> answerBy() const;

    // --- the socket
    void read(WarmProcess& process, MonoTime now);
    void write(WarmProcess& process, MonoTime now);

    // --- time
    /// One that has passed ends the process, and is what it ends for.
    void lookAtDeadlines(WarmProcess& process, MonoTime now);
    void takeTurns(WarmProcess& process, bool isCrowded, MonoTime now);

    // --- ends of processes
    /// What it was not sent goes elsewhere. `counts`: as elsewhere()'s.
    void unsentElsewhere(WarmProcess& process, bool counts, MonoTime now);
    /// It cannot be used any more. What it was sent waits for its death; what it was not sent goes elsewhere now.
    void broken(WarmProcess& process, std::string why, MonoTime now);
    void processEnded(WarmProcess& process, const Ended& ended, MonoTime now);
    /// As WarmRunner::noteMemory().
    void noteMemory(WarmProcess& process, std::int64_t bytes, std::size_t processes, MonoTime now);

    // --- what others say of requests
    /// What the process that ended had left in its directory is no output of the next one.
    void remade(std::uint32_t request, const Result<void>& made, MonoTime now);
    void entriesSynced(const Result<void>& synced, MonoTime now);
    void takeBack(std::uint32_t request, MonoTime now);
    void end(std::uint32_t request, StopCause cause, std::optional<Duration> grace, MonoTime now);

private:
    void assign(WarmProcess& process, std::uint32_t request, MonoTime now);
    unsigned aheadOf(const WarmProcess& process, MonoTime now) const;
    void sendOne(WarmProcess& process, std::uint32_t request, MonoTime now);
    void startLane(WarmProcess& process, std::uint32_t request, MonoTime now);
    void greeted(WarmProcess& process, const warm::Frame& frame, MonoTime now);
    void answered(WarmProcess& process, std::uint64_t id, std::string_view json, MonoTime now);
    static bool noteProgress(WarmRequest& request, std::string_view json);
    void learn(WarmProcess& process, const WarmRequest& request, MonoTime now);
    void dropFrom(WarmProcess& process, std::uint32_t request);
    /// `counts`: its process ended before it read one request, and the next may do the same.
    void elsewhere(std::uint32_t request, bool counts, MonoTime now);
    /// The process is dead: what becomes of that which it had.
    void settle(WarmProcess& process, const Ended& ended, MonoTime now);
    bool wasRead(const WarmProcess& process, std::uint32_t request) const;
    /// It read no request, and not because we ended it.
    bool endsInVain(const WarmProcess& process) const;

    WarmShared& shared_;
    RequestTable& requests_;
    WarmWorkers& workers_;
    WarmProcesses& processes_;
    OwnerCheck owner_;
};

} // namespace yard::runners

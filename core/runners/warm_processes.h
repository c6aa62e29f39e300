// Warm processes from the pool's order to their end: directory and memory, start, cores, what they print, and the
// last of those that are gone. Which requests one has, and what becomes of them, is not known here.
//
// Owner: the thread of the warm runner; nothing here blocks. Lifetime: after WarmShared, the starter and WarmWorkers;
// before whoever routes requests. A WarmProcess lives from order() to forget().
// Invariants: each has one slot and one number, which is never used again. submitted: the launcher has it, and its Ended
// comes. Its cores and its memory are given back before it is forgotten, and its last view is kept in gone() then.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/lease/runner.h"
#include "core/pool/pool.h"
#include "core/runners/gone_processes.h"
#include "core/runners/warm_host.h"
#include "core/runners/warm_process.h"
#include "core/runners/warm_state.h"
#include "core/runners/warm_view.h"
#include "core/runners/warm_workers.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

class WarmProcesses {
public:
    /// Takes the slots of the configuration.
    WarmProcesses(WarmShared& shared, WarmProcessStarter& starter, WarmWorkers& workers);
    ~WarmProcesses();

    // --- who there is
    WarmProcess* find(pool::ProcessId id) const;
    WarmProcess* find(AttemptId id) const;
    WarmProcess* find(const std::string& name) const;
    WarmProcess* findByPid(int pid) const;
    /// By number.
    const std::map<std::int64_t, std::unique_ptr<WarmProcess>>& all() const { return processes_; }
    /// Some process of the worker is not forgotten yet.
    bool hasAnyOf(const WarmWorker& worker) const;
    /// Those that are there now, for whoever may end some meanwhile.
    std::vector<WarmProcess*> list() const;
    const GoneProcesses& gone() const { return gone_; }
    std::size_t freeSlots() const { return freeSlots_.size(); }
    /// But for what it works on.
    WarmProcessView viewOf(const WarmProcess& process) const;
    /// As WarmRunner::looks().
    std::vector<ProcessLook> looks(bool usedOnly);

    // --- start
    void order(const pool::Outbox::Spawn& spawn, MonoTime now);
    /// Memory is kept for as long as a process lives: idle ones go, one after another, until it has some.
    void askForRoom(WarmProcess& process, MonoTime now);
    void memoryGranted(WarmProcess& process);
    /// The host's answer to prepare(): it is started, or will not be.
    void prepared(WarmProcess& process, Result<Lease> lease, MonoTime now);
    Result<void> becomeReady(WarmProcess& process, std::string_view json, MonoTime now);

    // --- cores, and who has bytes to write
    void noteToWrite(WarmProcess& process);
    std::vector<WarmProcess*> takeToWrite();
    /// False: the host will grant them, or it gave way.
    bool takeCores(WarmProcess& process, MonoTime now);
    void haveCores(WarmProcess& process, MonoTime now);
    void giveCores(WarmProcess& process);

    // --- idle ones
    void becameIdle(const WarmProcess& process, MonoTime now);
    void clean(MonoTime now);
    void cleanNow();

    // --- ends
    /// It takes no more requests.
    void retire(WarmProcess& process, std::string why, MonoTime now);
    /// What is retired ends: at once, or by itself where that can be expected.
    void letEnd(WarmProcess& process, Duration grace, MonoTime now);
    /// It has no sessions, and gets none any more.
    void endPolitely(WarmProcess& process, MonoTime now);
    /// It was given time to end. No verdict by a clock that ran on while nobody here did.
    void lookAtEnd(WarmProcess& process, MonoTime now);
    /// The launcher's last word about it.
    void launcherIsDone(WarmProcess& process, const Ended& ended);
    void failedToStart(WarmProcess& process, const Ended& ended, MonoTime now);
    /// Before the pool forgets it. `note`: what people should know beside why; empty: nothing.
    void sayGoodbye(WarmProcess& process, pool::WhyEnded why, std::string note);
    void forget(WarmProcess& process, MonoTime now);

    // --- what they print
    Result<void> askOutput(const std::string& name, OutputSink sink);
    void tellOutput(WarmProcess& process, const std::shared_ptr<const OutputEnds>& output);

private:
    bool isInTheWay(const WarmProcess& process) const;
    void prepare(WarmProcess& process);
    void launch(WarmProcess& process, Lease lease, UniqueFd theirs, MonoTime now);
    void kill(WarmProcess& process, Duration grace);

    WarmShared& shared_;
    WarmProcessStarter& starter_;
    WarmWorkers& workers_;
    std::map<std::int64_t, std::unique_ptr<WarmProcess>> processes_; ///< by number
    std::vector<WarmProcess*> byPlace_;                              ///< by place in the pool
    std::vector<WarmProcess*> toWrite_;
    std::vector<SlotId> freeSlots_;
    GoneProcesses gone_;
    std::int64_t nextNumber_ = kFirstProcessLsn;
    MonoTime nextClean_ = MonoTime::max();
    OwnerCheck owner_;
};

} // namespace yard::runners

// Makes the services of an engine and gives each what it needs of the others: references to what is made before it, and
// functions that reach what comes later.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: after Ground, Services and WarmSide, and
// as long as any service works: their functions lead here. It decides nothing; what a service may know of others is
// what its Parts have.
#pragma once

#include "core/coro/sync.h"
#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"
#include "core/engine/kernel/warm_side.h"
#include "core/lease/scratch.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Wiring {
public:
    /// `wake`: the pump has something to do.
    Wiring(Ground& ground, Services& services, WarmSide& warm, std::function<void()> wake)
        : ground_(ground)
        , services_(services)
        , warmSide_(warm)
        , wake_(std::move(wake)) {}
    Wiring(const Wiring&) = delete;
    Wiring& operator=(const Wiring&) = delete;

    /// All of them, in this order. First those that need neither a runner nor Execution nor a started store; the
    /// session, storage and helpers are there.
    Result<void> openServices();
    void openLeases(runners::ScratchHomePtr scratch); ///< places, and what leases are made of
    void openExecution(runners::ScratchHomePtr scratch);
    void stayAwakeForWarm();
    void openGuards();
    /// What runs makes room for a person (wiring_courtesy.cpp).
    void openCourtesy();
    /// What runs here for others (wiring_guests.cpp).
    void openGuests();
    /// What asks other systems for machines (wiring_allocators.cpp).
    void openAllocators();
    /// Those that use the store and read what it knows, once the journal is restored. On the engine thread.
    void openUpkeep();

private:
    // wiring.cpp
    void openChanges();
    void openLocks();
    void openQueues();
    void openWorkers();
    void openIntake();
    void openResults();
    void openRescheduling();
    void openOperations();
    void openAnnotating();
    void openMoving();
    void openSchedules();
    // wiring_objects.cpp
    Result<PlanPtr> sandboxOf(const HookFile& file, const std::string& directory, SlotId slot) const;
    void openHooks();
    void openObjects();
    Result<void> openSessionMoves();
    std::function<void(const char* name, coro::Task<void>)> spawning();
    std::function<const Attempt*(Lsn)> attempts() const;
    std::function<void()> wakeForWork();
    void openJobTokens();
    std::string statusFileOf(const Attempt& attempt) const; // wiring_reading.cpp, and the next
    const ReportedProgress* saidOf(const Attempt& attempt) const;
    bool isLoweredByCourtesy(const Attempt& attempt) const; // wiring_courtesy.cpp
    std::vector<int> loweredByCourtesy() const;
    void lowerLate(const Attempt& attempt);
    bool isFreezable(const Attempt& attempt) const;
    std::vector<courtesy::Freezable> freezable() const;
    double coresOfActions() const;
    bool isFreezing() const;
    Result<void> mayRun(const ActionSpec& spec) const;
    Result<void> mayRunForeign(const WorkerDescriptor& worker);
    bool mayRunWorkersOfOthers() const;
    std::string foreignWords(const std::string& workerId) const;
    coro::Task<Result<void>> cancelAllOf(std::string workerId);
    coro::Task<Result<void>> waitForEnd(Lsn lsn, Duration wait);
    void workerLeft(const std::string& id);

    // wiring_alerts.cpp
    void openAlerts();
    void tellSilence(Lsn lsn);
    void tellMachines();
    void openGpus();
    void tellGpu(const GpuView& gpu);
    void tellLostGpus();
    void tellRegression(const std::string& kind, const kinds::Change& change);
    coro::Task<void> tellMachineStates();
    void tellUse(const MachineReading& reading);
    coro::Task<Result<Alerts::Parts::Ran>> runAlertCommand(Alerts::Parts::Command command);
    coro::Task<Alerts::Ages> oldestWaiting();
    coro::Task<Result<Rehearsal::Page>> historyPage(Lsn cursor);
    coro::Task<std::vector<Rehearsal::Unended>> unended(std::size_t most);
    coro::Task<Rehearsal::MemoryUse> memoryUse(WallMicros from, WallMicros to);
    Rehearsal::Parts alertHistory();

    // wiring_running.cpp
    void openOrphanSweep();
    void openMachines();
    void openPool();
    Adopter adopter() const;
    void lookForMemory();
    coro::Task<Result<std::vector<std::string>>> commandsOf(std::vector<Lsn> lsns, Duration lookFor);

    // wiring_allocators.cpp
    std::vector<allocators::WaitingWork> workForPilots(MonoTime now);

    // wiring_recordings.cpp
    void openRecordings();
    void openReplays();
    coro::Task<void> cancelQueue(QueueId queue);
    coro::Task<Result<std::vector<ActionResult>>> rowsToRecord(std::vector<Lsn> lsns);

    // wiring_reading.cpp
    void openForecasts();
    void openNotes();
    void openRows();
    void openLists();
    void openTallies();
    void openWatching();
    void openOverview();
    std::optional<Wait> nothingStarts() const;
    coro::Task<Result<ActionState>> stateOfEnded(Lsn lsn);

    Ground& ground_;
    Services& services_;
    WarmSide& warmSide_;
    std::function<void()> wake_;
    std::int64_t memoryBytes_ = 0;      ///< of the machine; 0: not known
    coro::Mutex alertQueueMutex_;       ///< it is made once
    std::optional<QueueId> alertQueue_; ///< where the last command ran; nothing: none did since the start
};

} // namespace yard::engine

// Makes the services of an engine and gives each what it needs of the others: references to what is made before it, and
// functions that reach what comes later. Services that open together and lead to each other have a class of their own below
// this one; what changes work is made here, and so is the order in which all of them open.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: after Ground, Services and WarmSide, and
// as long as any service works: their functions lead here. It decides nothing; what a service may know of others is
// what its Parts have.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"
#include "core/engine/kernel/warm_side.h"
#include "core/engine/kernel/wiring_alerts.h"
#include "core/engine/kernel/wiring_courtesy.h"
#include "core/engine/kernel/wiring_objects.h"
#include "core/engine/kernel/wiring_reading.h"
#include "core/engine/kernel/wiring_recordings.h"
#include "core/engine/kernel/wiring_running.h"
#include "core/lease/scratch.h"

#include <functional>
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

    // --- all of them, in this order
    /// Those that need neither a runner nor Execution nor a started store; the session, storage and helpers are there.
    Result<void> openServices();
    /// Execution, and what looks at it, makes it wait, or runs beside it.
    void openRunning(runners::ScratchHomePtr scratch);
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
    Result<void> openSessionMoves();
    Result<void> mayRun(const ActionSpec& spec) const;
    Result<void> mayRunForeign(const WorkerDescriptor& worker);
    bool mayRunWorkersOfOthers() const;
    coro::Task<Result<void>> cancelAllOf(std::string workerId);
    coro::Task<Result<void>> waitForEnd(Lsn lsn, Duration wait);
    void workerLeft(const std::string& id);

    // wiring_guests.cpp: what runs here for others
    void openGuests();
    // wiring_allocators.cpp: what asks other systems for machines
    void openAllocators();
    std::vector<allocators::WaitingWork> workForPilots(MonoTime now);

    Ground& ground_;
    Services& services_;
    WarmSide& warmSide_;
    std::function<void()> wake_;
    AlertWiring alerts_{ground_, services_};
    CourtesyWiring courtesy_{ground_, services_, wake_};
    ReadingWiring reading_{ground_, services_, warmSide_, alerts_};
    RunningWiring running_{ground_, services_, warmSide_, {alerts_, courtesy_}, wake_};
    ObjectWiring objects_{ground_, services_};
    RecordingWiring recordings_{ground_, services_};
};

} // namespace yard::engine

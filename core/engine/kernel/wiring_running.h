// Makes the services that have a part in attempts, processes and machines, and those that keep up the store.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the services lead here.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"
#include "core/engine/kernel/warm_side.h"
#include "core/engine/kernel/wiring_alerts.h"
#include "core/engine/kernel/wiring_courtesy.h"
#include "core/lease/scratch.h"

#include <functional>
#include <utility>

namespace yard::engine {

class RunningWiring {
public:
    /// Whom it tells of what happens: both may be opened later, but before anything runs.
    struct Told {
        AlertWiring& alerts;
        CourtesyWiring& courtesy;
    };

    /// `wake`: the pump has something to do.
    RunningWiring(Ground& ground, Services& services, WarmSide& warm, Told told, std::function<void()> wake)
        : ground_(ground)
        , services_(services)
        , warmSide_(warm)
        , alerts_(told.alerts)
        , courtesy_(told.courtesy)
        , wake_(std::move(wake)) {}
    RunningWiring(const RunningWiring&) = delete;
    RunningWiring& operator=(const RunningWiring&) = delete;

    // --- in this order
    void openOrphanSweep(); ///< once named locks have a directory
    void openPool();
    /// With places, and what leases are made of. Once Results are there.
    void openExecution(runners::ScratchHomePtr scratch);
    void openGuards();
    /// Those that use the store and read what it knows, once the journal is restored. On the engine thread.
    void openUpkeep();

private:
    void openLeases(runners::ScratchHomePtr scratch);
    void openJobTokens();
    void stayAwakeForWarm();
    void openRetention();
    void openMachines();
    void openFigures();
    void lookForMemory();
    void openGpus();
    void openTimelines();

    Ground& ground_;
    Services& services_;
    WarmSide& warmSide_;
    AlertWiring& alerts_;
    CourtesyWiring& courtesy_;
    std::function<void()> wake_;
};

} // namespace yard::engine

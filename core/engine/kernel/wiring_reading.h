// Makes the services that answer questions: estimates, reasons, rows, lists, tallies, watchers, the overview.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the services lead here.
#pragma once

#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"
#include "core/engine/kernel/warm_side.h"
#include "core/engine/kernel/wiring_alerts.h"

#include <optional>
#include <string>

namespace yard::engine {

class ReadingWiring {
public:
    ReadingWiring(Ground& ground, Services& services, WarmSide& warm, AlertWiring& alerts)
        : ground_(ground)
        , services_(services)
        , warmSide_(warm)
        , alerts_(alerts) {}
    ReadingWiring(const ReadingWiring&) = delete;
    ReadingWiring& operator=(const ReadingWiring&) = delete;

    /// All but the overview, once changes, locks, queues, workers and Intake are there.
    void open();
    /// Once lists, guards and upkeep are there.
    void openOverview();

private:
    void openForecasts();
    void openNotes();
    void openRows();
    void openLists();
    void openTallies();
    void openWatching();
    std::optional<Wait> nothingStarts() const;
    std::string statusFileOf(const Attempt& attempt) const;
    const ReportedProgress* saidOf(const Attempt& attempt) const;
    std::string foreignWords(const std::string& workerId) const;
    coro::Task<Result<ActionState>> stateOfEnded(Lsn lsn);

    Ground& ground_;
    Services& services_;
    WarmSide& warmSide_;
    AlertWiring& alerts_;
};

} // namespace yard::engine

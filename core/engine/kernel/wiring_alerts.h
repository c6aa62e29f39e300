// Makes Alerts. Reports to them what happens in the engine, and gives them what has ended for a rehearsal and the way to run commands.
//
// Owner: the thread that opens the engine, then the engine thread. Lifetime: as Wiring; the alerts lead here.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/engine/kernel/ground.h"
#include "core/engine/kernel/services.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

class AlertWiring {
public:
    AlertWiring(Ground& ground, Services& services)
        : ground_(ground)
        , services_(services) {}
    AlertWiring(const AlertWiring&) = delete;
    AlertWiring& operator=(const AlertWiring&) = delete;

    /// Once there are a journal, helpers and a session.
    void open();

    // --- reports, on the engine thread, once open
    void tellSilence(Lsn lsn);
    void tellMachines(); ///< asks all of them, in a thread of its own
    void tellGpu(const GpuView& gpu);
    void tellRegression(const std::string& kind, const kinds::Change& change);
    void tellUse(const MachineReading& reading);

private:
    void tellLostGpus();
    coro::Task<void> tellMachineStates();
    coro::Task<Result<Alerts::Parts::Ran>> runAlertCommand(Alerts::Parts::Command command);
    coro::Task<Alerts::Ages> oldestWaiting();
    coro::Task<Result<Rehearsal::Page>> historyPage(Lsn cursor);
    coro::Task<std::vector<Rehearsal::Unended>> unended(std::size_t most);
    coro::Task<Rehearsal::MemoryUse> memoryUse(WallMicros from, WallMicros to);
    Rehearsal::Parts alertHistory();

    Ground& ground_;
    Services& services_;
    std::int64_t memoryBytes_ = 0;      ///< of the machine; 0: not known
    coro::Mutex alertQueueMutex_;       ///< it is made once
    std::optional<QueueId> alertQueue_; ///< where the last command ran; nothing: none did since the start
    OwnerCheck owner_;                  ///< of the reports
};

} // namespace yard::engine

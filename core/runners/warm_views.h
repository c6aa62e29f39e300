// Questions about warm workers and their processes: what people see, what a request waits for, who is to be looked at.
// Changes nothing.
//
// Owner: the thread of the warm runner. Lifetime: after everything that it reads from.
#pragma once

#include "core/base/owner.h"
#include "core/pool/pool.h"
#include "core/runners/warm_processes.h"
#include "core/runners/warm_requests.h"
#include "core/runners/warm_state.h"
#include "core/runners/warm_view.h"
#include "core/runners/warm_workers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::runners {

class WarmViews {
public:
    WarmViews(const WarmShared& shared, const RequestTable& requests, const WarmWorkers& workers,
              const WarmProcesses& processes)
        : shared_(shared)
        , requests_(requests)
        , workers_(workers)
        , processes_(processes) {}

    WarmPoolView pool() const;
    /// One process, alive or one of the last that ended, by the id of its view. Nothing: unknown.
    std::optional<WarmProcessView> process(const std::string& id) const;
    const WarmCounters& counters() const { return shared_.counters; }
    unsigned busy() const { return shared_.pool.active(); }
    unsigned alive() const { return shared_.pool.count(); }

    std::optional<yard::pool::GroupId> groupOf(const std::string& worker) const;
    /// How far its process says that it is. Null: it does not say, or is not out.
    const ReportedProgress* progressOf(AttemptId id) const;
    /// What the next request of a worker waits for. Nothing: no such worker.
    std::optional<WarmWait> waitOf(const std::string& worker) const;
    /// "process p3 of thumbnailer": who asked the host for this; empty: it is gone.
    std::string holderName(std::uint64_t key) const;

    /// The process of this name; nothing: it is not there.
    std::vector<ProcessLook> look(const std::string& process) const;
    /// Those with a limit of memory that start, work on something, or have left children.
    std::vector<ProcessLook> limited() const;

private:
    WarmProcessView viewOf(const WarmProcess& process) const;

    const WarmShared& shared_;
    const RequestTable& requests_;
    const WarmWorkers& workers_;
    const WarmProcesses& processes_;
    OwnerCheck owner_;
};

} // namespace yard::runners

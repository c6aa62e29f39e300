// What warm processes give back to others: idle ones end for memory or a named resource that other work lacks, and all
// end that keep a piece which is lost. The ends go through the pool's outbox, as all others.
//
// Owner: the thread of the warm runner; nothing here blocks. Lifetime: after the processes.
#pragma once

#include "core/base/owner.h"
#include "core/runners/warm_processes.h"
#include "core/runners/warm_state.h"
#include "core/runners/warm_workers.h"

#include <cstdint>
#include <string>

namespace yard::runners {

class WarmRelease {
public:
    WarmRelease(WarmShared& shared, const WarmWorkers& workers, const WarmProcesses& processes)
        : shared_(shared)
        , workers_(workers)
        , processes_(processes) {}

    /// As WarmRunner::giveMemory().
    bool giveMemory(std::int64_t memoryMb);
    /// As WarmRunner::giveNamed().
    bool giveNamed(const std::string& name);
    /// Some process keeps pieces of a named resource.
    bool keepAny() const;
    /// As WarmRunner::endThoseWith().
    void endThoseWith(const std::string& resource, const std::string& name);

private:
    WarmShared& shared_;
    const WarmWorkers& workers_;
    const WarmProcesses& processes_;
    OwnerCheck owner_;
};

} // namespace yard::runners

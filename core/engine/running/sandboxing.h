// What this engine does with sandboxes: whether it can make them, whether workers need one, and what attempts are allowed
// in one. Owner: engine thread, but for what says that it blocks.
#pragma once

#include "core/base/error.h"
#include "core/engine/state/views.h"
#include "core/model/settings.h"
#include "core/model/worker.h"
#include "core/sandbox/plan.h"
#include "core/sandbox/support.h"

#include <cstdint>
#include <memory>
#include <string>

namespace yard::engine {

/// Directories of requests to warm processes have numbers from here on below scratch/: one for each worker, which
/// all processes of that worker see.
inline constexpr std::uint32_t kFirstMailbox = 100'000;

class Sandboxing {
public:
    /// Looks what the machine can do and says in the log what it cannot: blocks for some milliseconds.
    explicit Sandboxing(bool forWorkers);
    bool forWorkers() const { return forWorkers_; }
    /// WrongState when a registered worker, or an exec that asks for one, needs a sandbox that cannot be made.
    Result<void> checkWorker() const;
    Result<void> checkExec() const;
    const std::shared_ptr<const SessionView::Sandbox>& view() const { return view_; }
    /// Who asks for no memory, and is given none by `default_memory_mb`, is bounded by what of the machine's the
    /// guard does not hold back.
    sandbox::Policy policy(const Settings& settings) const;

private:
    SessionView::Sandbox describe() const;

    bool forWorkers_;
    std::int64_t machineMemoryMb_;
    sandbox::Support support_;
    std::shared_ptr<const SessionView::Sandbox> view_;
};

/// What a worker asks for, or nothing is said of (an exec), within what the settings allow.
WorkerLimits allowedLimits(WorkerLimits asked, const Settings& settings);

/// What the files of an attempt were made for.
using PlanPtr = std::shared_ptr<const sandbox::Plan>;

} // namespace yard::engine

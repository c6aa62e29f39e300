// What looks after running actions: the memory guard of the machine, the limits of process trees, and whether they get
// on. Each waits while nothing runs.
//
// Owner: engine thread; the three watches are cooperative threads of it. What reads /proc is a helper's. Lifetime: after
// the session, the monitor of attempts and the helpers; before them.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/leaders.h"
#include "core/engine/running/memory_guard.h"
#include "core/engine/running/usage_reading.h"
#include "core/engine/state/metrics.h"
#include "core/engine/state/views.h"
#include "core/runners/warm_runner.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Guards {
public:
    struct Parts {
        AttemptMonitor& monitor;
        session::Session& session;
        session::Outbox& outbox;
        coro::HelperPool& helpers;
        EngineCounters& counters;
        const Settings& settings;                                       ///< in force now
        std::function<std::optional<MemoryReading>()> readMemory;       ///< on a helper
        std::function<Adopter()> adopter;                               ///< the launcher
        std::function<std::vector<runners::ProcessLook>()> limitedWarm; ///< warm processes with a limit of memory
        std::function<void(int pid, const TreeReading&)> noteWarm;
        std::function<WallMicros(MonoTime)> wallOf;
        std::function<void()> wake;          ///< something may start now, or is to be taken back
        std::function<void()> changed;       ///< view() has
        std::function<void(Lsn)> rowChanged; ///< an action is said to hang, or no more
    };
    explicit Guards(Parts parts)
        : parts_(std::move(parts)) {}

    coro::Task<void> watchMachine();
    coro::Task<void> watchLimits();
    coro::Task<void> watchProgress();

    /// Something was started.
    void started();
    /// There may be a process with a limit, or one has grown.
    void limitsMayApply() { limitWork_.set(); }
    void settingsChanged(const Settings& before);

    /// Nothing starts for the sake of memory.
    bool isHolding() const { return guard_.isHolding(); }
    /// What is known of the machine's memory is too old to start by, as after a while in which nothing ran. A look
    /// follows, and then wake(): a matter of helpers, as a directory is.
    bool waitsForLook();
    std::string reason() const { return guard_.reason(); }
    SessionView::Guard view() const;

private:
    void setHolding(const std::function<void()>& change);
    void note(std::string_view what, std::string reason, Lsn lsn = {});
    coro::Task<void> stopForMemory();
    /// First processes of what is busy and has a limit of memory, with what they had when last looked at.
    std::vector<std::pair<Leader, std::int64_t>> limited() const;
    coro::Task<bool> sleepUnlessHungChanges(Duration time);

    Parts parts_;
    MemoryGuard guard_;
    std::vector<SessionView::Guard::Event> events_; ///< the last few, newest last
    std::optional<MonoTime> looked_;                ///< at the machine's memory; nothing: what was read is void
    coro::Event memoryWork_;                        ///< something was started, or is about to be
    coro::Event lookNow_;                           ///< a start waits for it
    coro::Event limitWork_;                         ///< the same
    coro::Event progressWork_;                      ///< the same, or the setting changed
    coro::Event hungChanged_;
    OwnerCheck owner_;
};

} // namespace yard::engine

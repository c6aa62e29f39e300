// Figures over time: what machine, engine and running actions use, looked at once a second while something runs or
// somebody watches, else every ten seconds, and when asked for. Feeds the history that GET stats shows, the samples
// of running attempts, and the engine's own figures in GET session.
//
// Owner: engine thread. /proc and the file are read and written by helpers. The file `stats` of the data directory
// takes what changed once a minute and at the end; what a kill loses of it, a minute at most, is a gap.
// Bound: kTreesAtOnce trees of actions are looked at in one go, the others a second later.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt_monitor.h"
#include "core/engine/running/usage_reading.h"
#include "core/engine/state/metrics.h"
#include "core/history/stats_history.h"
#include "core/session/session.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yard::engine {

/// What the engine itself takes.
struct EngineFigures {
    std::optional<double> cpuPercent; ///< of one core, mean of the last look; absent: not looked twice yet
    std::int64_t rssBytes = 0;
    std::int64_t journalBytes = 0;
    std::int64_t diskBytes = 0;
    std::int64_t diskFreeBytes = 0;
};

class StatsSampler {
public:
    static constexpr std::size_t kTreesAtOnce = 500;

    struct Parts {
        coro::HelperPool& helpers;
        AttemptMonitor& monitor;
        const session::Session& session;
        const EngineCounters& counters;
        std::string path;    ///< of the file
        std::string journal; ///< whose size is looked at
        std::function<WallMicros(MonoTime)> wallOf;
        std::function<Adopter()> adopter; ///< the launcher
        std::function<bool()> isWatched;
        std::function<void()> surged;                        ///< the memory in use grew by much
        std::function<void(const MachineReading&)> looked{}; ///< at each look; empty: nobody asks
        std::function<std::vector<GpuView>()> gpus{};        ///< as they were last looked at
    };
    /// Reads the file: blocks.
    explicit StatsSampler(Parts parts);

    /// Looks, forever.
    coro::Task<void> run();
    /// Something was started.
    void wake() { work_.set(); }
    /// With what is now.
    coro::Task<history::StatsView> query(history::StatsQuery query);
    const EngineFigures& engine() const { return engine_; }
    /// At the end, when no helper writes any more. Blocks.
    void save();

private:
    struct Look {
        std::optional<MachineReading> machine;
        std::unordered_map<int, TreeReading> trees;
        std::vector<runners::AttemptId> overOutputs;
    };
    coro::Task<void> look();
    void note(const MachineReading& reading, MonoTime now);
    std::int64_t finishedAs(ActionState state) const;
    std::int64_t actionsTime(const MachineReading& reading, MonoTime now);
    coro::Task<void> saveSometimes();

    Parts parts_;
    history::StatsHistory history_;
    EngineFigures engine_;
    coro::Mutex mutex_; ///< one look at a time
    coro::Event work_;
    std::optional<MachineReading> last_;
    MonoTime lastAt_{};
    std::int64_t lastCompleted_ = 0;
    std::int64_t lastFailed_ = 0;
    int lastLauncher_ = 0;
    std::int64_t endedBefore_ = 0; ///< by the children of launchers that are gone
    std::int64_t actions_ = 0;     ///< processor time of all actions so far; never goes back
    MonoTime savedAt_{};
    bool isForeign_ = false; ///< the file is none of ours: it is begun again
    bool told_ = false;      ///< that it cannot be written
    OwnerCheck owner_;
};

} // namespace yard::engine

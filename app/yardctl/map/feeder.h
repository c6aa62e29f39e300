// Submits the jobs of a map, in lists, as long as there is room for them and values to be read; then it is finished. A job
// that a job log has is left out, one that the engine has from before is taken up instead. Owned by one thread, which blocks in
// run(); InFlight::stop() ends it.
//
// Bounds: a list has kMaxListJobs jobs, about kMaxListBytes bytes, and pieces of stdin of kMaxListBlocks bytes and one more.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/map/in_flight.h"
#include "app/yardctl/map/job_log.h"
#include "app/yardctl/map/job_planner.h"
#include "app/yardctl/map/map_actions.h"
#include "app/yardctl/map/map_options.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::ctl {

inline constexpr std::size_t kMaxListJobs = 500;
inline constexpr std::size_t kMaxListBytes = 4u << 20;
inline constexpr std::size_t kMaxListBlocks = 16u << 20;

class Feeder {
public:
    struct Parts {
        std::unique_ptr<Engine> engine;
        const MapOptions& options;
        const CommandTemplate& command;
        JobPlanner planner;
        MapActions actions;
        std::string queue; ///< its number
        DoneJobs done{};   ///< by the job log
        std::unordered_map<std::int64_t, std::int64_t>
            there{}; ///< LSNs of jobs that the engine has, by their numbers
    };
    Feeder(Parts parts, InFlight& inFlight)
        : parts_(std::move(parts))
        , inFlight_(inFlight) {}

    void run();
    /// Jobs that were submitted.
    std::int64_t submitted() const { return submitted_; }

private:
    struct List {
        std::string body{};
        std::vector<FlyingJob> jobs{};
        std::size_t blockBytes = 0; ///< of their stdin
        ChunkSource files{};
    };
    Outcome<void> feed();
    void tellTotal();
    void compare(const PlannedJob& job, std::size_t logged);
    Outcome<void> take(PlannedJob job, List& list);
    Outcome<void> submit(List list);
    FlyingJob flying(const PlannedJob& job, int slot) const;
    Outcome<void> awaitQueue();
    void awaitBeginning();

    Parts parts_;
    InFlight& inFlight_;
    std::int64_t submitted_ = 0;
    std::optional<std::int64_t> toldTotal_;                 ///< with those that are done
    std::chrono::steady_clock::time_point nextBeginning_{}; ///< of --delay
    bool isToldOther_ = false;                              ///< that the log is of other commands
};

} // namespace yard::ctl

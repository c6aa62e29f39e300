// Sees the jobs of a map end and hands them on: asks for the rows of the oldest of those that the engine has, as these begin
// and end first. Decides when to halt, and which take too long. One thread, which blocks in run(); requestEnd() and others that
// say so come from any.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/map/delivery.h"
#include "app/yardctl/map/halt_policy.h"
#include "app/yardctl/map/in_flight.h"
#include "app/yardctl/map/map_options.h"
#include "app/yardctl/map/progress.h"
#include "app/yardctl/wait_news.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace yard::ctl {

class Collector {
public:
    struct Parts {
        Engine& engine;
        const MapOptions& options;
        InFlight& inFlight;
        Delivery& delivery;
        MapProgress& progress;
        std::string queue; ///< its number
        bool json = false;
        bool submitsHeld = false; ///< --hold
    };
    explicit Collector(Parts parts);

    /// Until all have ended and are delivered. What is cancelled after requestEnd() is left out.
    Outcome<void> run();
    /// Any thread: the queue is being cancelled.
    void requestEnd() { isEnding_ = true; }

    std::int64_t failures() const { return counts_.failed; }
    const MapCounts& counts() const { return counts_; }
    std::optional<int> haltCode() const { return halt_.exitCode(); }

private:
    using Rows = std::map<std::int64_t, json::object>;
    struct Seen {
        std::size_t ended = 0;
        std::size_t running = 0;
        std::size_t begun = 0;                ///< place behind the last one that has begun
        double parts = 0;                     ///< of those that run
        std::vector<std::int64_t> underWay{}; ///< LSNs
    };
    Outcome<Rows> rowsOf(std::span<const std::int64_t> lsns);
    Outcome<Seen> look(std::span<const std::int64_t> lsns);
    Outcome<void> take(std::int64_t lsn, const json::object* row);
    Outcome<void> deliverReady();
    Outcome<void> halt(HaltPolicy::When when);
    Outcome<void> endHeld(const Seen& seen);
    void endLongOnes(std::int64_t lsn, const json::object& row);
    void tellWait(std::int64_t lsn, const Seen& seen);
    void lookAhead();
    void tellOdd(std::int64_t seq, const json::object& row);

    Parts parts_;
    HaltPolicy halt_;
    MapCounts counts_;
    std::map<std::int64_t, EndedJob> ready_; ///< by the number of the job, or the order of their ends
    std::int64_t order_ = 0;
    std::vector<double> took_;         ///< seconds, of those that completed, for --timeout N%
    std::set<std::int64_t> cancelled_; ///< LSNs of those that took too long
    std::atomic<bool> isEnding_{false};
    bool isHeld_ = false; ///< no more are to begin
    int idleLooks_ = 0;   ///< in a row, while it is held
    const bool tellsWaits_;
    WaitNews news_;
    bool isToldHeld_ = false;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point nextAhead_{}; ///< that the engine is asked when it ends
    std::chrono::steady_clock::time_point nextTold_{};  ///< of what the first one waits for
};

/// Nothing happens by itself with --hold: says on stderr how the jobs are released.
void tellHeldJobs(const std::string& queue);

} // namespace yard::ctl

// One map, from its queue to its exit code. The thread that made it waits for signals; one worker thread prepares and
// collects, one submits, one sends the cancel when it comes to that; with --line-buffer there are two for each job that is
// followed. Each has a connection of its own.
//
// The first INT, TERM or HUP cancels what has not ended, a second one leaves that to the engine.
#pragma once

#include "app/yardctl/command.h"
#include "app/yardctl/map/collector.h"
#include "app/yardctl/map/feeder.h"
#include "app/yardctl/map/in_flight.h"
#include "app/yardctl/map/job_log.h"
#include "app/yardctl/map/leftover.h"
#include "app/yardctl/map/map_options.h"
#include "app/yardctl/signal_watch.h"
#include "core/base/thread_mutex.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace yard::ctl {

class MapRun {
public:
    /// There is an engine. Both outlive it.
    MapRun(const Invocation& invocation, const MapOptions& options);
    ~MapRun();
    MapRun(const MapRun&) = delete;
    MapRun& operator=(const MapRun&) = delete;

    Outcome<int> perform();

private:
    /// What a run stands on once it is prepared.
    struct Prepared {
        CommandTemplate command;
        std::vector<std::string> names{}; ///< of columns, by --header
        std::unique_ptr<Feeder> feeder{};
        std::vector<std::string> queues{}; ///< to be deleted
        std::string queue{};               ///< that takes the jobs
        std::int64_t atOnce = 0;           ///< jobs; 0: as many as there is room for
    };
    Outcome<int> work();
    Outcome<void> openLog();
    Outcome<void> prepare();
    Outcome<std::int64_t> coresThere();
    Outcome<Leftover> leftBehind();
    Outcome<std::string> queueFor(const Leftover& left, std::int64_t atOnce);
    Outcome<int> collect();
    Outcome<int> detach();
    Outcome<int> codeAfter(const Outcome<void>& collected, const Collector& collector, const Delivery& delivery);
    void endForReader();
    void dropQueues();
    void forgetQueues();
    void requestEnd();
    [[noreturn]] void leaveAtOnce(int code);

    SignalWatch signals_; // first: blocks the signals before a thread exists
    const Invocation invocation_;
    const MapOptions& options_;
    std::unique_ptr<InFlight> inFlight_;
    std::optional<JobLog> log_;
    DoneJobs done_;
    std::optional<Prepared> prepared_;
    std::string ended_; ///< in words
    ThreadMutex mutex_;
    Collector* collector_ YARD_GUARDED_BY(mutex_) = nullptr;
    std::string queue_ YARD_GUARDED_BY(mutex_); ///< once there is one
    bool endRequested_ YARD_GUARDED_BY(mutex_) = false;
    std::thread canceller_; ///< made under mutex_, joined once nobody else is there
    std::atomic<bool> isCancelTaken_{false};
    std::atomic<int> signal_{0}; ///< the first that came
};

/// --dry-run: the commands, a line each. Asks no engine.
Outcome<int> printCommands(const MapOptions& options);

} // namespace yard::ctl

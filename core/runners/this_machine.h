// This machine as a runner: the launcher, another process, starts what is leased. What it takes to start it.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lease/runner.h"

#include <functional>
#include <memory>
#include <string>

namespace yard::runners {

struct LauncherConfig {
    std::string dataDir;    ///< absolute; holds slots, scratch/, chunks/tmp/ (made when missing)
    std::string ownerToken; ///< YARD_OWNER of every child: identifies this data directory, [0-9a-f]{16,64}
    std::string lockDir;    ///< of the named locks that leases claim; empty: such a lease cannot start
    unsigned slots = 1;     ///< 1..SlotsFile::kMaxSlots
    unsigned spawners = 0;  ///< threads of the launcher; 0: one per CPU, at most 4
    Duration quiet{2'000};  ///< an update waits at most this long for company
    unsigned lowWater = 1;  ///< updates are sent at once when a slot has fewer leases waiting than this
    bool durable = false;   ///< a lease that may begin only once begins when that is on the disk
    std::string program = "/proc/self/exe"; ///< what to start as launcher; its main calls runLauncherIfAsked()
    std::function<void()> beforeLaunch{};   ///< on the owner's thread, before each start of a launcher
};

/// Makes a new slots file (recovery must have run) and starts the launcher. Blocks for a process start.
Result<std::unique_ptr<Runner>> startThisMachine(LauncherConfig config, UpdateSink sink);

} // namespace yard::runners

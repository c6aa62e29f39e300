// The window beside an engine: loads its module, and runs the engine on a thread of its own while the window has
// the main one. Main thread.
#pragma once

#include "app/window/window_host.h"
#include "app/yardmaster/arguments.h"
#include "core/base/error.h"

#include <functional>
#include <string>

namespace yard::app {

/// What the engine tells the window while it comes and goes; all may be empty.
struct ServeHooks {
    std::function<void(const Served&)> serving;
    std::function<void(const std::string& sentence)> failed;
    int endFd = -1; ///< readable: end as on a signal
};

/// Runs an engine until it is told to end; returns the exit code.
using Serve = std::function<int(const Arguments&, int signals, const ServeHooks&)>;

/// Shows the window with an engine of its own, on one elsewhere (--attach), or on the one that has the data
/// directory already. `platform` is Qt's name of where it is shown; empty: Qt finds it. Returns the exit code when
/// both have ended.
int runWithWindow(const Arguments& arguments, int signals, std::string platform, const Serve& serve);

} // namespace yard::app

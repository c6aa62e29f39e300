// An engine for one run of a command: started with a data directory of its own, on a port of its own, and gone with the
// command, however that ends. What ran in it is gone as well, unless it is kept.
//
// One thread, main's: the engine is told to end when that does (PR_SET_PDEATHSIG). Its signals are watched all the while:
// one that killed it would leave the directory. Blocks.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/signal_watch.h"
#include "core/base/unique_fd.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace yard::ctl {

class PrivateEngine {
public:
    /// Returns once it serves, or fails once `signals` has one. `keep`: its directory stays.
    static Outcome<std::unique_ptr<PrivateEngine>> start(bool keep, SignalWatch& signals);
    /// Ends it, within a limit by SIGKILL, and removes its directory.
    ~PrivateEngine();
    PrivateEngine(const PrivateEngine&) = delete;
    PrivateEngine& operator=(const PrivateEngine&) = delete;

    /// Where it is, for `--data-dir`.
    const std::string& dataDir() const { return dataDir_; }

private:
    PrivateEngine(std::string dataDir, bool keep)
        : dataDir_(std::move(dataDir))
        , keep_(keep) {}
    Outcome<void> spawn(SignalWatch& signals);

    const std::string dataDir_;
    const bool keep_;
    pid_t pid_ = -1;
    UniqueFd process_; ///< its pid descriptor
};

} // namespace yard::ctl

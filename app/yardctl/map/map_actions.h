// The JSON of the actions that `map` submits: what they have in common is written once, the command and the number of the
// job are added to it. A value; one thread.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/command.h"
#include "app/yardctl/map/command_template.h"
#include "app/yardctl/map/job_planner.h"
#include "app/yardctl/map/map_options.h"

#include <cstdint>
#include <string>

namespace yard::ctl {

/// The variable that says which job of its map an action is: {#}. It is how a map finds its jobs again.
inline constexpr std::string_view kSeqVariable = "PARALLEL_SEQ";
inline constexpr std::string_view kSlotVariable = "PARALLEL_JOBSLOT";

class MapActions {
public:
    /// Reads the environment and the current directory. `cores` of each, where the options name none; 0: one.
    static Outcome<MapActions> of(const Invocation& invocation, const CommandTemplate& command,
                                  const MapOptions& options, double cores);
    /// What is long of its stdin goes to `files`. Failed: it is longer than the system takes.
    Outcome<std::string> text(const PlannedJob& job, const CommandTemplate& command, int slot,
                              ChunkSource& files) const;

private:
    std::string common_; ///< members, without the last brace
    std::string env_;    ///< the same of "env"
    std::string shell_;
    bool isDirect_ = false; ///< needs no shell
};

} // namespace yard::ctl

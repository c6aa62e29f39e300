// What an earlier map with the same job log left with the engine: a client that was killed leaves its queue behind, in which
// jobs wait, run and end. Blocking functions.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "app/yardctl/map/job_log.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::ctl {

inline constexpr std::int64_t kLogKeptSeconds =
    7 * 24 * 3600; ///< so long the queue of a map waits, for values or --resume

struct Leftover {
    std::vector<std::string> queues{};                     ///< all of them, to be deleted at the end
    std::optional<std::string> open{};                     ///< one of them that takes more
    std::unordered_map<std::int64_t, std::int64_t> lsns{}; ///< by the numbers of the jobs that are not in the log
};
/// The tag of the queue of a map of `program`; with a job log it is found again by `identity`.
std::string mapQueueTag(const std::string& program, const std::string& identity);
/// A map begins the log of `identity` again: no other goes on from what was begun with it, the engine has it for itself.
Outcome<void> leaveToEngine(Engine& engine, const std::string& identity);
/// Looks for the queues of `identity`. Cancelled jobs are left out: they are to run. Waits for those of a cancelled queue
/// that still end.
Outcome<Leftover> leftoverOf(Engine& engine, const std::string& identity, const DoneJobs& done);

} // namespace yard::ctl

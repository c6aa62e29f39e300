// A schedule as the routes take it, made of the words of `schedules add`, `set` and `import`. Values; one thread; reads
// the file that --file names and the current directory, asks no engine.
#pragma once

#include "app/yardctl/command.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yard::ctl {

/// Of what a schedule is made.
std::vector<Option> scheduleOptions();
/// What is said beside the time and what runs: timezone, missed, overlap, queue, jitter_s, paused.
Outcome<json::object> scheduleConditions(const Arguments& arguments);
/// All that is said of it, over what the file has. `program` is what stood behind the name. The name is not in it unless
/// the file has one.
Outcome<json::object> scheduleBody(const Arguments& arguments, const std::vector<std::string>& program);
/// The route that tells the next `count` times of a schedule by a line of crontab.
std::string nextTimesPath(const json::object& schedule, std::int64_t count);

} // namespace yard::ctl

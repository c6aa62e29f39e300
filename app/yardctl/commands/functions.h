// What the commands have of each other. A command is one file here: its function, which blocks until the command is done,
// prints to stdout, and returns the exit code or why it failed; and NAMERow(), its row of the table (commands.cpp).
#pragma once

#include "app/yardctl/command.h"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

class ActionReader;

/// {"grace_s":5,"log_level":null} of NAME=VALUE words; VALUE "default" is null, one that is no JSON is text.
Outcome<boost::json::object> changesOf(const std::vector<std::string>& operands);
/// What 'usage --by' takes.
inline constexpr std::array<std::string_view, 7> kUsageKinds{"queue", "worker", "label", "machine",
                                                             "day",   "hour",   "waste"};
/// Tags by the numbers of their queues; of those that are gone nobody knows.
std::map<std::string, std::string> queueTags(Engine& engine);
/// "?from=…&to=…" of --from and --to, as far as they are given.
Outcome<std::string> spanQuery(const Arguments& arguments);
/// What follows "the session is paused" and the like: what stands still, and until when. Empty: nothing does.
std::string_view standstillWords(std::string_view state);
/// The path of jobs, global or of the queue that --queue names: "jobs" or "queues/7/jobs".
std::string jobsPath(const Arguments& arguments);
/// 'profile record --action N': the processes of a running action on this machine, for so many seconds.
Outcome<int> recordActionProfile(const Invocation& invocation, std::int64_t lsn, std::int64_t seconds);
/// Prints those of an action or a queue, "jobs/12" or "queues/7"; nothing when there are none.
void showComments(Engine& engine, const std::string& path);
/// Null for "none", the colour for one; else wrong usage that says which there are.
Outcome<boost::json::value> markOf(std::string_view word);
/// Waits for one action to end: long polls, over restarts of the engine, without limit unless `seconds` is given
/// (then the answer may be of an action that still runs).
Result<Answer> awaitEnd(Engine& engine, std::int64_t lsn, std::optional<double> seconds = std::nullopt);
/// Saves the outputs of an action that has ended where --out says, if it was given.
Outcome<void> saveIfAsked(const Invocation&, const boost::json::object& action);
/// The words of a kind that a shell can complete `word` with: 'completion values KIND WORD'.
Outcome<int> offerValues(Engine& engine, const std::string& kind, std::string_view word);
/// Prints the actions as a graph, in the language of Graphviz.
Outcome<int> drawGraph(ActionReader& reader);
/// 'move' within the order of a queue: to the top, up, down, to the bottom, before another one.
Outcome<int> movePlaces(const Invocation& invocation);
/// Makes a schedule of each line of a crontab; exits 1 where one was not taken.
Outcome<int> importCrontab(const Invocation& invocation);
/// Submits what a file holds, "-" being standard input, as `submit` does; says which actions only without --wait.
/// `stop`: a descriptor; once it is readable, nothing more is read.
Outcome<std::vector<std::int64_t>> submitFile(const Invocation& invocation, const std::string& path, int stop);
/// A line of how an action ended, as `wait` prints it.
std::string endLine(const boost::json::object& action);
/// What `wait` does once the LSNs are known; also behind `submit --wait`.
Outcome<int> waitForAll(const Invocation&, const std::vector<std::int64_t>& lsns);

} // namespace yard::ctl

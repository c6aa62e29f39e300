// Reading an action's JSON object (docs/api.md, 2) and putting it into words. Pure functions over borrowed objects;
// every member may be absent or of the wrong type, an engine of another version must not break the client.
#pragma once

#include "app/yardctl/engine.h"
#include "core/model/measures.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

std::string_view textOf(const json::object& object, std::string_view key); ///< "" when absent
std::optional<std::int64_t> integerOf(const json::object& object, std::string_view key);
std::string countText(const json::object& object, std::string_view key); ///< "0" when absent
std::optional<double> numberOf(const json::object& object, std::string_view key);
bool isTrue(const json::object& object, std::string_view key); ///< false when absent
const json::object* objectOf(const json::object& object, std::string_view key);
const json::array* arrayOf(const json::object& object, std::string_view key);

/// Of a stream of an action or attempt: not all that was written is kept.
bool isCut(const json::object& stream);
/// completed, failed, abandoned or cancelled.
bool isEnded(const json::object& action);
/// A changed copy was submitted in its place.
bool isReplaced(const json::object& action);
/// Number of the attempt that is under way, is to come next, or was the last: from 1.
std::int64_t attemptNumber(const json::object& action);
/// "completed", "running: overdue", "failed: exit code 3", "failed: killed by SIGSEGV", "pending: held", "pending:
/// retry at 09:45:31".
std::string stateWords(const json::object& actionOrAttempt);
/// The note beside these words: what they say already is left out, and a long PATH is cut; `show` has all of it.
std::string noteWords(const json::object& actionOrAttempt);
/// "anna: ask me first", the last of its comments in one line; "-" without any.
std::string lastCommentWords(const json::object& action);
/// Both: "failed: killed by SIGSEGV; its last line: x".
std::string endWords(const json::object& actionOrAttempt);
/// Why the end of an action or a queue is not known: "it takes longer than usual". Empty: it is, or nobody says.
std::string gapWords(const json::object& actionOrQueue);
/// The same for a table of queues: "5 min", "overdue", "no history"; "-" where there is nothing to do.
std::string finishWords(const json::object& queue, std::int64_t now);
/// Label, else function, else worker.
std::string whatWords(const json::object& action);
/// What one wait says; of capacity also how much is needed: "needs 4 cores, 1 of 6 free, it is next".
std::string waitMessage(const json::object& wait);
/// The waits of an answer of jobs/LSN/why, an indented line each; empty when it waits for nothing. `now` in
/// microseconds.
std::string waitWords(const json::object& why, std::int64_t now);
/// Seconds from running (else submitting) to the end of the process, or to now while it runs.
std::optional<double> runSeconds(const json::object& action);
/// For its last start: from when it was submitted, or put back, until it was handed out, ended without, or now.
std::optional<double> waitedSeconds(const json::object& action);
/// Of an action or an attempt, so far or in all; "-" where it is not known.
std::string measureWords(const json::object& action, const MeasureInfo& info);
/// What it used of one core at the last look, "98 %"; "-" of one that does not run or was not looked at yet.
std::string loadWords(const json::object& action);
/// It ended, and neither by itself nor by a limit of its own: its engine died or stopped, the memory was needed.
bool wasInterrupted(const json::object& action);
/// It ended without an attempt: cancelled before, or because of another action. It has no output.
bool endedBeforeItRan(const json::object& action);
/// What a shell would say: the exit code, 128 + signal, 0 for completed, else 1.
int shellExitCode(const json::object& action);
/// "SIGTERM", or "signal 64".
std::string signalName(int number);
/// "port 5003,5004": which pieces it has, or had, of resources that are told apart; empty: none.
std::string givenWords(const json::object& action);

} // namespace yard::ctl

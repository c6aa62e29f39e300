// Reading an action's JSON object (docs/api.md, 2) and putting it into words. Pure functions over borrowed objects;
// every member may be absent or of the wrong type, an engine of another version must not break the client.
#pragma once

#include "app/yardctl/engine.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

std::string_view textOf(const json::object& object, std::string_view key); ///< "" when absent
std::optional<std::int64_t> integerOf(const json::object& object, std::string_view key);
std::optional<double> numberOf(const json::object& object, std::string_view key);
const json::object* objectOf(const json::object& object, std::string_view key);
const json::array* arrayOf(const json::object& object, std::string_view key);

/// completed, failed, abandoned or cancelled.
bool isEnded(const json::object& action);
/// Number of the attempt that is under way, is to come next, or was the last: from 1.
std::int64_t attemptNumber(const json::object& action);
/// "completed", "failed: exit code 3", "failed: killed by SIGSEGV", "pending: held", "pending: retry at 09:45:31".
std::string stateWords(const json::object& actionOrAttempt);
/// Label, else function, else worker.
std::string whatWords(const json::object& action);
/// The waits of an answer of jobs/LSN/why, an indented line each; empty when it waits for nothing. `now` in
/// microseconds.
std::string waitWords(const json::object& why, std::int64_t now);
/// Seconds from running (else submitting) to the end of the process, or to now while it runs.
std::optional<double> runSeconds(const json::object& action);
/// What a shell would say: the exit code, 128 + signal, 0 for completed, else 1.
int shellExitCode(const json::object& action);
/// "SIGTERM", or "signal 64".
std::string signalName(int number);

} // namespace yard::ctl

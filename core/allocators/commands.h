// Allocators of the kind "command": three commands of a person's, which start a machine, list those that there are and
// end one. What they are run with, and what their output says. Values, no owner; nothing is run here.
#pragma once

#include "core/allocators/allocator.h"
#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::allocators {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct CommandOptions {
    std::string start; ///< prints the job as its first line
    std::string list;  ///< prints a line for each job that it knows: "JOB [running|waiting|failed [SENTENCE]]"
    std::string stop;  ///< ends YARD_JOB; one that is gone already is no failure
};

inline constexpr std::size_t kMostJobBytes = 200;
inline constexpr std::size_t kMostListed = 10'000;

/// For sh: words of people, with blanks, pipes and quotes of their own.
std::vector<std::string> shellCommand(const std::string& line);
/// The name of a job: what a command may print, one word without control characters. Malformed.
Result<std::string> readStarted(std::string_view output);
/// Malformed, TooLarge.
Result<std::vector<Listed>> readListedLines(std::string_view output);
/// What a command that failed says of itself: the last line of its errors.
std::string commandSentence(std::string_view what, std::string_view errors, int exitCode);

} // namespace yard::allocators

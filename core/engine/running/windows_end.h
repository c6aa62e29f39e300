// The end of an attempt that ran by Wine: the file into which the starter writes it (core/wine/ending.h), and what that makes
// of the outcome, which has eight bits of an exit code. Blocks but for apply; any thread.
#pragma once

#include "core/base/error.h"
#include "core/engine/running/outcome.h"
#include "core/wine/ending.h"

#include <cstdint>
#include <string>

namespace yard::engine {

/// An empty one in the attempt's directory, which the sandbox's user may write.
Result<void> makeWindowsEnd(const std::string& root, std::uint32_t hostUser);
/// What is in it. Takes it away. The program is over.
wine::Ending takeWindowsEnd(const std::string& root);
/// State, reason, exit code and note of a program that ended by itself. A program of which nothing was written down did
/// not complete, whatever Wine's exit code is.
void applyWindowsEnd(AttemptOutcome& outcome, wine::Ending ending);

} // namespace yard::engine

// The action that `run` submits: the command as if it had been typed where yardctl stands. Reads the environment,
// the current directory and stdin, nothing of an engine.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/command.h"

#include <string>

namespace yard::ctl {

/// As JSON. What it needs beside that is known to `files` afterwards.
Outcome<std::string> actionOfRun(const Invocation& invocation, ChunkSource& files);

} // namespace yard::ctl

// The action that `run` submits: the command as if it had been typed where yardctl stands. Reads the environment,
// the current directory, stdin and the size of the terminal, nothing of an engine.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/command.h"
#include "core/model/terminal_size.h"

#include <optional>
#include <string>

namespace yard::ctl {

struct ActionOfRun {
    std::string text;                 ///< JSON
    std::optional<TerminalSize> size; ///< of the terminal that it asks for
};
/// --cwd, from the current directory on: absolute.
Outcome<std::string> workingDirectory(const Arguments& arguments);
/// On another machine. There neither the directory nor the variables that are set here mean anything.
bool mayRunElsewhere(const Arguments& arguments);
/// All of an action but its command and its stdin: directory, environment, and what the options say. An action is begun
/// once, unless they say otherwise.
Outcome<void> placeHere(const Invocation& invocation, json::object& action, ChunkSource& files);
/// What it needs beside that is known to `files` afterwards.
Outcome<ActionOfRun> actionOfRun(const Invocation& invocation, ChunkSource& files);

} // namespace yard::ctl

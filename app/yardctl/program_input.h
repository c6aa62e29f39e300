// What a program is to read as its stdin, on its way into an action.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/command.h"

#include <optional>
#include <string>

namespace yard::ctl {

/// The member "stdin" of an action that reads this file. What is long goes to `files`.
Outcome<json::object> stdinFrom(const std::string& path, ChunkSource& files);
/// Of `run`: what --stdin says, else our own stdin where it is a pipe, a socket or a file. Nothing when there is
/// none or it is empty. Reads to its end.
Outcome<std::optional<json::object>> stdinOfRun(const Invocation& invocation, ChunkSource& files);

} // namespace yard::ctl

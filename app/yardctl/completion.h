// What shells want to know of yardctl, made from the table of commands. Pure functions.
#pragma once

#include "app/yardctl/command.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// A script for "bash", "zsh" or "fish"; nothing for another shell.
std::optional<std::string> completionScript(std::string_view shell);
/// The words that a command takes as its first operand: "drain", "pause", … of "[drain|pause]".
std::vector<std::string> operandWords(const Command& command);

} // namespace yard::ctl

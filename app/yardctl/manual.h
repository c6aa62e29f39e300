// The manual pages of yardctl, in man's macros, made from the table of commands. Pure functions.
#pragma once

#include "app/yardctl/command.h"

#include <string>
#include <string_view>

namespace yard::ctl {

/// yardctl(1): what it is, and all commands in a line each.
std::string manualPage(std::string_view version);
/// yardctl-COMMAND(1).
std::string manualPage(const Command& command, std::string_view version);
/// "yardctl-run.1"; of the page of all "yardctl.1".
std::string manualFileName(const Command* command);

} // namespace yard::ctl

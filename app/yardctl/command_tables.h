// Rows of the table of commands, a file for each group of the help, and options that several of them have.
#pragma once

#include "app/yardctl/command.h"

#include <vector>

namespace yard::ctl {

/// What is handed to the engine, and waited for.
std::vector<Command> workCommands();
/// What looks at actions, queues and figures, and changes nothing.
std::vector<Command> lookingCommands();
/// What changes actions and queues that are there.
std::vector<Command> steeringCommands();
/// What the engine itself is and has, and papers about yardctl.
std::vector<Command> engineCommands();

const Option& filterOption();
const Option& dryRunOption();
const Option& atMostOption();
std::vector<Option> joined(std::vector<Option> own, const std::vector<Option>& others);

} // namespace yard::ctl

// What every state of a console begins with, written in Lua: the commands, how values are shown, and those functions of
// Lua's libraries that are written again. Static text.
#pragma once

#include <string_view>

namespace yard::console {

/// A chunk that returns: how a line is run, how a file of commands is run, the table of commands.
std::string_view preludeText();

} // namespace yard::console

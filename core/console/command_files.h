// Files with commands of one's own: $XDG_CONFIG_HOME/yardmaster/console.d/*.lua. They run in every console, so only what
// the user alone may write is read.
//
// Any thread; blocks for small files.
#pragma once

#include "core/console/interpreter.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::console {

struct CommandFile {
    std::string name;      ///< "console.d/mine.lua", for people
    std::string text{};    ///< empty where there is a problem
    std::string problem{}; ///< a sentence, or empty
};

/// In the order of their names; none where there is no such directory. At most 64, of 64 KiB each.
std::vector<CommandFile> commandFiles(const std::string& directory);
/// Where they are, by the environment; empty: nowhere.
std::string commandDirectory();
/// For each `function NAME`: the comment that stands before it or first in it.
Helps commandHelps(std::string_view text);

} // namespace yard::console

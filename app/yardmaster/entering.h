// --enter DIR: runs what `yardctl reproduce` wrote, in the same sandbox, without an engine: the command itself, a shell in its
// place, or gdb at the start of its program. Blocks until that has ended.
//
// Owner: main's thread, before any other thread is there; blocks its signals. Keeps the engine's rules: the namespaces, the
// filter and the limits are those of core/sandbox, made by the same code.
#pragma once

#include <string>

namespace yard::app {

enum class EnterWith : unsigned char { Run, Shell, Debug };

/// What the program exits with, 128 and the signal that ended it; 1 and a sentence on stderr where it cannot be started.
int enter(const std::string& directory, EnterWith with);

} // namespace yard::app

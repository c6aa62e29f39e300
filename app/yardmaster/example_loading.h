// yardmaster --example: the example is put into the engine that was just started, by the program itself.
#pragma once

#include "app/yardmaster/console_door.h"

namespace yard::app {

/// Begins it on the server's thread and returns; how it went is told on stderr. What the door refers to outlives the
/// server's threads: where the server stops first, the load ends with it.
void beginExample(ConsoleDoor door);

} // namespace yard::app

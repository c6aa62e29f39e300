// `/bin/true` through a whole engine of this process, as the rows of processes measure it.
#pragma once

#include "core/coro/task.h"
#include "core/engine/engine.h"
#include "tests/bench/on_loop.h"

#include <string>

namespace yard::bench {

/// Submits `count` actions in lists of 500, each of worker exec with argv /bin/true and what else `members` says
/// (`"cwd":"/"`), and returns when the engine has kept `completed` in all. Ends the program when one does not
/// complete, or is not there after ten seconds more.
coro::Task<void> runTrueActions(engine::Engine& engine, std::string members, long count, long completed);

} // namespace yard::bench

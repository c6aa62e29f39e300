// From the journal to the services, at the start: what is pending, with its queues, workers, names, marks and what it
// waits for, and what was interrupted. On the engine thread, before it runs anything.
#pragma once

#include "core/base/error.h"

namespace yard::engine {

class InterruptedAttempts;
struct Ground;
struct Services;

/// Reads the journal. Blocks. What was interrupted goes through Abandoned (engine_died) back to Pending: the outbox has
/// what is to be committed for it.
Result<void> restore(Ground& ground, Services& services, const InterruptedAttempts& interrupted);

} // namespace yard::engine

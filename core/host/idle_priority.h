// SCHED_IDLE and the idle class of I/O: a process gets what all others leave. One way for who is not root, so processes
// keep it until they end. Functions; they block on /proc.
#pragma once

namespace yard::host {

/// All threads of a process and of all that descend from it, those that come meanwhile too. What they start afterwards has
/// it as well.
void lowerTree(int pid);

} // namespace yard::host

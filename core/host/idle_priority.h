// SCHED_IDLE and the idle class of I/O: a process gets what all others leave. One way for who is not root, so processes
// keep it until they end. Functions; they block on /proc.
#pragma once

namespace yard::host {

/// One thread, whose number nobody else can get meanwhile: a child that was not reaped, say. Does not block.
void lowerThread(int thread);
/// All threads that it has. What it starts afterwards has it too.
void lowerProcess(int pid);
/// With all that descend from it, those that come meanwhile too.
void lowerTree(int pid);

} // namespace yard::host

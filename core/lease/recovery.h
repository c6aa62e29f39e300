// Ends what an earlier engine or launcher left alive. At engine start, with the data directory's lock held, before
// anything may start; and by LocalRunner when its launcher died. Blocks (it waits until processes are gone): never
// on the engine thread. No owner.
//
// No signal goes to a number: each process is opened as a pid descriptor, then checked (environment token), then
// signalled through the descriptor. Processes in state Z count as gone.
#pragma once

#include "core/base/error.h"
#include "core/lease/slots.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

struct RecoveryReport {
    /// Attempts that lived or may have lived: each counts one interruption `engine_died` unless the journal holds
    /// it.
    std::vector<SlotEntry> interrupted;
    unsigned killed = 0;  ///< processes ended
    unsigned damaged = 0; ///< entries of the slots file that were passed over
    bool garbled = false; ///< the slots file could not be read; it was set aside as slots.garbled.<time>
};

/// Ends the old launcher, what the slots file lists, and every process whose environment holds the owner token or
/// that carries a mark of it (process_mark.h), with SIGKILL, again until none is left that could run anything: not a
/// launcher or a start that stands in the kernel (isBeyondReach). `slotsPath` may be missing. Fails (Busy) when something will not die in `limit`.
Result<RecoveryReport> recoverSlots(const std::string& slotsPath, std::string_view ownerToken,
                                    Duration limit = Duration(10'000'000));

/// Kills every process that carries the token or a mark of it, every child of ours in another session (a dead
/// launcher's daemons, which may have dropped the token), and every descendant of those, except `except`, until none is left or `limit`
/// has passed. Those that are our own children are reaped. Returns how many were killed, -1 when some are left.
int endOwned(std::string_view ownerToken, Duration limit, int except = 0);

/// After that: a lock of a slot that is held still is one of a launcher that stands in the kernel, whose
/// descriptors last as long. Its file goes, so that the next launcher has one of its own. Only the owner of the
/// data directory.
void freeSlotLocks(const std::string& dataDir);

} // namespace yard::runners

// A backup of a data directory, and the way back (docs/backup.md). It is taken by a process of its own, beside an engine
// that goes on or while none runs. In the data directory it makes nothing but the empty log that SQLite makes to read.
//
//     DIR/.yard-backup            marks it as a backup's; locked while one is taken or read
//     DIR/manifest                names the generation that counts; replaced last, by a rename
//     DIR/chunks/ab/cdef…         as in the content store, shared by all generations; files are only added, then pruned
//     DIR/generation-T/           journal.sqlite, packs/N and files/…: settings, tokens, recordings, figures
//
// So what was whole before stays so until the next one is: after a kill or on a full disk the manifest still names the old
// generation. Chunks that are there are not copied again, so a backup that was cut short goes on where it was.
//
// Functions without state, for a program that does nothing else; they block for as long as it takes. SQLite is the only
// one that opens the journal.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace yard::store {

/// What was done so far.
struct BackupCounts {
    std::uint64_t chunks = 0;  ///< files of chunks and packs that are in it
    std::uint64_t copied = 0;  ///< of these, copied now
    std::uint64_t bytes = 0;   ///< that were copied now: chunks, packs, the journal, other files
    std::uint64_t files = 0;   ///< others, without the journal
    std::uint64_t missing = 0; ///< chunks that the journal names and nobody has
    /// Chunks whose bytes are not what their name says: left out. The first kMostNamed of them.
    std::vector<std::string> damaged;
    std::uint64_t damagedCount = 0;
    int schema = 0; ///< version of the journal

    static constexpr std::size_t kMostNamed = 20;
};
using BackupTick = std::function<void(const BackupCounts&)>; ///< after each file; may be empty

/// Takes one of `dataDir` into `directory`, which is new, empty, or has an earlier one of the same. NotFound: no engine was
/// ever there. WrongState: the directory has something else, or is in the data directory. AtLimit: another one is being
/// taken there. NoSpace, Io: the earlier generation still counts.
Result<BackupCounts> takeBackup(const std::string& dataDir, const std::string& directory,
                                const std::string& version, WallMicros now, const BackupTick& tick);

/// Makes a data directory of the backup: with an engine_id to be made at the first start, and every queue held. `dataDir`
/// must be new, empty, or have a restore that was cut short. WrongState: it has anything else, or is in the backup or around
/// it; the backup is none, is not whole, or is of a newer program. Io: its journal or a file beside it is damaged. Chunks
/// that are damaged are left out and counted.
Result<BackupCounts> restoreBackup(const std::string& directory, const std::string& dataDir,
                                   const BackupTick& tick);

/// WrongState while a restore into this data directory has not ended: an engine must not begin there.
Result<void> refuseHalfRestored(const std::string& dataDir);

} // namespace yard::store

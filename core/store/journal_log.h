// The journal's write-ahead log, looked at before SQLite opens it. SQLite reads a log up to the first damaged frame
// and is silent about what stands behind; it is silent, too, where somebody removed the log of an engine that was
// killed, cut it, or put an older one in its place. Each loses what was acknowledged, so all are found here. While an
// engine is open the log has a second name, journal.sqlite-wal.kept: a hard link, that keeps the content of a log
// whose first name is removed. What it held is in log_state.h.
// The format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
//
// Functions without state; each blocks on the file system. Only the owner of the data directory calls them, and
// no connection to the journal is open but in keepLog().
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::store {

struct LogDamage {
    std::uint64_t groups = 0; ///< transactions behind the damaged place; 0: what was there is gone altogether
    std::string copy;         ///< the whole log as it was found; empty: there was none
};

inline constexpr int kMostDamagedLogs = 9;

/// WrongState, with what to type, when the log's first name is gone and the journal has not all that stands in it:
/// it was neither kept nor checkpointed by an SQLite tool; and when the log is of an earlier round than the journal,
/// which would become neither. Io when one of the files cannot be read.
Result<void> refuseLostLog(const std::string& journal);

/// Where transactions stand behind a damaged place, or fewer of them than the last engine wrote: copies the log to
/// journal.sqlite-wal.damaged-1 (or the next number that is free, up to kMostDamagedLogs; then WrongState) and cuts it
/// before that place, so that a later start does not find the same damage again. The second name's content is taken
/// where that is whole, as in a directory that was copied file by file. Nothing: the log ends as a kill leaves it, with
/// at most one transaction cut in two. Io, NoSpace: then the log is as it was.
Result<std::optional<LogDamage>> setDamagedLogAside(const std::string& journal);

/// Gives the log that the open journal writes its second name. Io where the file system has no hard links.
Result<void> keepLog(const std::string& journal);
/// Removes the second name and the state if the first name is gone, as SQLite leaves it at a clean end.
void letGoOfLog(const std::string& journal);

} // namespace yard::store

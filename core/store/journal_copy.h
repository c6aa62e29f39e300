// A copy of the journal as an older version left it: made before it is brought to today's version, kept beside it until
// an engine of this version has started and ended cleanly once. With it in the journal's place the older program goes on
// from there; journal.sqlite and all of journal.sqlite-* have to be moved away first: SQLite would write a log that lies
// there into it.
//
// Functions without state; each blocks on the file system. Called by the owner of the data directory alone.
#pragma once

#include "core/store/database.h"

#include <cstdint>
#include <string>

namespace yard::store {

/// Where the copy of a journal of this version is: journal.sqlite.version-12.
std::string copyOfVersion(const std::string& journal, std::int64_t version);
/// Writes it, what stands in the log included, and has it on the disk before it returns; one of an earlier try is
/// replaced. A journal without a file has no copy. Io, NoSpace: then nothing has changed.
Result<void> keepCopy(Database& database, std::int64_t version);
/// Removes the copies of all versions before today's. What is not there is no matter.
void letGoOfCopies(const std::string& journal);

} // namespace yard::store

// --backup DIR and --restore DIR: a backup of the data directory, taken beside an engine that runs or without one, and the way
// back (core/store/backup.h). In a process of its own: one that opens and closes the journal gives up the locks that an engine
// in it had. What came of it is one line of JSON on stdout, for yardctl.
//
// Owner: main's thread, before any other thread is there. Blocks until it is done; a signal ends it, and nothing is lost by that.
#pragma once

#include <string>

namespace yard::app {

/// 0: done. 1, with a sentence on stderr: it could not be; or chunks are damaged or missing, and all else is there.
int backUp(const std::string& dataDir, const std::string& directory);
int restoreFrom(const std::string& directory, const std::string& dataDir);

} // namespace yard::app

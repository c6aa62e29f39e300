// A worker on disk made ready for registration: its descriptor with what was left out filled in from the files, and
// the files by hash. Reads and hashes files; blocking.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/failure.h"
#include "core/model/worker.h"

#include <string>

namespace yard::ctl {

struct WorkerPackage {
    ParsedWorker worker;
    ChunkSource files;
};
/// `path`: a descriptor, or a directory with worker.json. Files are relative to the descriptor's directory. A hash
/// or size that is given must be right.
Outcome<WorkerPackage> openWorkerPackage(const std::string& path);

} // namespace yard::ctl

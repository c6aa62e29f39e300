// What a directory of `yardctl reproduce` says of an attempt (docs/reproduce.md), read and checked: as hostile as any file.
// Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lease/runner.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace yard::app {

/// Of enter.json: what action and worker alone do not say. 0: no limit.
struct EntryLimits {
    bool sandbox = false;
    bool network = false;
    std::int64_t memoryMb = 0; ///< of each process
    std::int64_t tmpMb = 0;
    std::int64_t openFiles = 0;
    std::int64_t processes = 0;
    std::int64_t fileBytes = 0;
    std::int64_t outputBytes = 0;
    Duration deadline{};
};

struct Entry {
    std::string directory; ///< absolute, without links
    std::int64_t lsn = 0;
    std::int64_t attempt = 0;
    std::shared_ptr<const ActionSpec> spec;
    std::shared_ptr<const WorkerDescriptor> worker; ///< null: an exec
    EntryLimits limits;
    bool hasInputs = false;             ///< there is a directory `inputs`
    bool hasStdin = false;              ///< there is a file `stdin`
    std::vector<std::string> lacking{}; ///< variables whose values nobody knows
};

/// Blocks. NotFound, Malformed, Invalid: the message names the file.
Result<Entry> readEntry(const std::string& directory);
/// How the engine would start it there: program, variables, limits, sandbox. Variables that are not kept come from
/// the environment of this process; `lacking` of the entry gets the names of the others.
runners::Lease leaseOf(Entry& entry);
/// All variables of its process, as execve takes them: this process's own are those of the engine.
std::vector<std::string> variablesOf(const runners::Lease& lease);
/// Where the engine would find a program, from the lease's directory; as it is where nobody has it.
std::string programOf(const runners::Lease& lease, const std::string& wanted);

} // namespace yard::app

// Worker descriptors (docs/api.md, 3): the JSON codec, the content id, and the names that workers may have. Values.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/model/action_spec.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

struct WorkerFile {
    std::string path; ///< safe relative path below worker/
    Hash256 hash;
    std::uint64_t size = 0;
    unsigned mode = 0644; ///< permission bits only; no set-id bits
};
struct WorkerFunction {
    std::string name;
    std::string version;
    bool files = false; ///< a warm worker needs directories for it, whatever the action says
};
struct WorkerLimits {
    std::int64_t processes = 256;
    std::int64_t openFiles = 1024;
    std::int64_t fileBytes = 0;   ///< 0: none
    std::int64_t outputBytes = 0; ///< 0: none
    std::int64_t outputFiles = 10000;
};
enum class WorkerMode : unsigned char { Process, Warm };
/// Which actions of a warm worker get directories. Auto: those with inputs or expected outputs, or whose function
/// says so.
enum class WorkerIo : unsigned char { Auto, Files, Inline };

/// How the warm processes of a worker are kept: its "pool" member, with the defaults.
struct WorkerPool {
    std::string group; ///< the worker's name unless it says otherwise; never empty once a descriptor was read
    unsigned minProcesses = 0;
    unsigned maxProcesses = 0;       ///< 0: the pool's limit for a group
    unsigned maxRequests = 0;        ///< 0: any number
    std::optional<Duration> maxIdle; ///< absent: the pool's; 0: forever
    bool globalQueue = true;
    std::string restartDir = "tmp";
    std::vector<std::string> keeps; ///< named resources that a process has for as long as it lives; sorted
    WorkerIo io = WorkerIo::Auto;
};

struct WorkerDescriptor {
    std::string name;
    std::string version;
    std::string platform;
    std::string executable; ///< one of files
    std::vector<WorkerFile> files;
    std::vector<std::pair<std::string, std::string>> environment;
    std::vector<WorkerFunction> functions;
    Resources resources; ///< cores and memory_mb, and what it names in "resources"
    std::optional<Duration> deadline;
    bool network = false;
    WorkerLimits limits;
    WorkerMode mode = WorkerMode::Process;
    std::string poolJson; ///< the "pool" member as posted; empty when absent
    WorkerPool pool;      ///< what it says, with the defaults

    const WorkerFunction* function(std::string_view functionName) const;
    /// Whether an action for a warm process of it gets directories.
    bool needsDirectory(std::string_view functionName, bool hasFiles) const;
};

/// A descriptor, its id (SHA-256 of its RFC 8785 canonical form, nothing filled in) and the canonical text.
struct ParsedWorker {
    Hash256 id;
    std::string canonical;
    std::shared_ptr<const WorkerDescriptor> descriptor;
};
/// Malformed or Invalid (unknown members, bad names, paths that climb, an executable that is not among files, …).
Result<ParsedWorker> parseWorker(std::string_view json);

/// `[A-Za-z][A-Za-z0-9._-]{0,63}` and none of the words that routes use.
bool isWorkerName(std::string_view name);
/// `[A-Za-z0-9][A-Za-z0-9._+~-]{0,63}`: no "@", so that name@version is clear.
bool isWorkerVersion(std::string_view version);
/// What "worker" of an action may be: "exec", an id of 64 hex digits, a name, or name@version.
bool isWorkerReference(std::string_view text);
/// "linux-x86_64", "linux-aarch64", … of this machine.
std::string_view thisPlatform();

} // namespace yard

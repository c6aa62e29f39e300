// What one sandbox is to be, as a pure value: made by the engine from descriptor and action, sent to the launcher
// with the lease. No owner, any thread.
#pragma once

#include "core/base/error.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yard::sandbox {

/// Something of the outside that is seen inside.
struct Bind {
    std::string from; ///< absolute, outside; empty: nothing, an empty directory, read-only
    std::string to;   ///< absolute, inside; no "." or ".." in it
    bool writable = false;
    /// A directory of others: nobody is reached by its sockets and pipes. Read-only; with `writable` what is written
    /// there goes into the sandbox's own memory, as /tmp does, and ends with it. One of a plan may be both.
    bool isolated = false;
    friend bool operator==(const Bind&, const Bind&) = default;
};

struct Plan {
    std::vector<Bind> binds;          ///< beside the system directories; later ones may lie in earlier ones
    std::vector<std::string> devices; ///< device nodes of GPUs, below /dev, which it may use; at most kMaxDevices
    std::string cwd = "/";            ///< inside
    std::string asked; ///< of an exec: the directory it is to see, which showDirectory() has not found yet
    /// Of each process; 0: none. Also bounds `tmpBytes`.
    std::uint64_t memoryBytes = 0;
    std::uint64_t tmpBytes = 0; ///< of the private /tmp; never 0 in a plan that is carried out
    bool network = false;       ///< the machine's own network
    bool cleanEnvironment = true;
    /// User and group outside, for an engine of root: files that it writes belong to them. 0: the engine's own.
    std::uint32_t hostUser = 0;
    friend bool operator==(const Plan&, const Plan&) = default;
};

inline constexpr std::size_t kMaxDevices = 128;

/// What the operator decides.
struct Policy {
    bool networkAllowed = false;
    std::int64_t defaultMemoryMb = 0; ///< for workers that ask for none; 0: no limit
    std::int64_t tmpMb = 1024;
};

/// The user outside that a sandbox in this slot has when the engine is root: nobody else's, and another one for
/// each slot, so that one cannot touch what another one wrote. 0 when the engine is not root, or root over too few
/// users.
std::uint32_t hostUserOf(std::uint32_t slot);
inline constexpr std::uint32_t kFirstHostUser = 2'000'000'000;
inline constexpr std::uint32_t kMostHostUsers = 1'000'000;
/// Whether a map of users (the text of /proc/PID/uid_map) has all of these in one line.
bool isMapped(std::string_view map, std::uint32_t first, std::uint32_t count);

/// Where the things of one attempt are outside. Absolute.
struct Places {
    std::string root;      ///< of inputs/, outputs/ and action.json
    std::string workerDir; ///< the worker's files; empty: exec
    std::string dataDir;   ///< never seen inside
    bool hasInputs = true; ///< else /inputs is empty
};

/// For a registered worker: /worker, /inputs, /outputs, /action.json; starts in "/".
Plan planForWorker(const WorkerDescriptor& worker, const Places& places, const Policy& policy,
                   std::uint32_t hostUser);
/// Where the requests of a warm worker lie outside, absolute; none where it gets no directories.
struct RequestPlaces {
    std::string requests;
    std::string outputs; ///< empty: they lie in `requests`, where the worker's user can write nothing else
};
/// For a process of a warm worker: /worker, and what it is asked to work on, at kRequests. With `outputs` that is
/// read-only, and what the worker writes is at kWarmOutputs.
Plan planForWarm(const WorkerDescriptor& worker, const std::string& workerDir, const RequestPlaces& places,
                 const Policy& policy, std::uint32_t hostUser);
inline constexpr std::string_view kRequests = "/requests";
inline constexpr std::string_view kWarmOutputs = "/outputs";
/// For an exec: its `cwd`, when it has one, is seen read-only at its own place, and it starts there; else in "/".
/// Where that is in truth, showDirectory() finds.
Plan planForExec(const ActionSpec& spec, const Places& places, const Policy& policy, std::uint32_t hostUser);
/// Finds where the directory `asked` is and has the plan show it; without one it changes nothing. Blocks as long as
/// that does not answer: so it is done by who starts the program. NotFound, or Invalid when it would show the
/// engine's data directory or everything.
Result<void> showDirectory(Plan& plan, const std::string& dataDir);

/// For a program that is a hook: the directory that it lies in is seen at kHooks, read-only; it starts in "/".
Plan planForHook(const std::string& directory, bool network, const Policy& policy, std::uint32_t hostUser);
inline constexpr std::string_view kHooks = "/hooks";

/// Where something inside is outside, as far as the plan says: for sentences.
std::string outsideOf(const Plan& plan, const std::string& inside);

/// Absolute, without empty, "." or ".." parts.
bool isCleanPath(std::string_view path);

} // namespace yard::sandbox

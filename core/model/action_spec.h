// An action as posted (docs/api.md, 2): the JSON codec, and what of it decides scheduling. Immutable values; any
// thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/jobserver.h"
#include "core/model/terminal_size.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

/// Requested amounts of one attempt. Cores in thousandths, so that sums are exact.
struct Resources {
    std::int64_t milliCores = 1000;
    std::int64_t memoryMb = 0;
    std::vector<std::pair<std::string, std::int64_t>> named; ///< "gpus", "licence.x": name, thousandths; sorted
    std::int64_t gpuMemoryMb = 0;                            ///< of each of its GPUs
    /// Thousandths of what is named so; 0: none.
    std::int64_t amountOf(std::string_view name) const;
    friend auto operator<=>(const Resources&, const Resources&) = default;
};

/// How often an action is tried again; absent: as its queue says.
struct RetryLimits {
    std::optional<int> retries;       ///< after failures of its own (max_retries)
    std::optional<int> interruptions; ///< after others (max_interruptions)
    friend bool operator==(const RetryLimits&, const RetryLimits&) = default;
};
inline constexpr int kMaxRetryLimit = 1'000;

enum class DependencyOn : unsigned char { Completed, Any, Failed };
std::string_view name(DependencyOn on);
/// Of an array: Completed, when all its elements have; Any, when all have ended; Failed, when all have ended and at
/// least one failed.
struct Dependency {
    Lsn lsn; ///< of an array its first one
    DependencyOn on = DependencyOn::Completed;
    bool isArray = false; ///< all elements of the array
};
/// Another action of the same list, an array as a whole.
struct Reference {
    std::string id;
    DependencyOn on = DependencyOn::Completed;
};

struct ArrayRange {
    std::int64_t from = 0;
    std::int64_t to = 0; ///< inclusive
    std::int64_t count() const { return to - from + 1; }
};
inline constexpr std::int64_t kMaxArrayCount = 1'000'000;

/// What an action reads: a chunk, or a text that its JSON holds.
struct StdinSource {
    std::optional<Hash256> chunk{};
    std::string text{}; ///< without a chunk
};
inline constexpr std::size_t kMaxStdinText = 64u << 10;
inline constexpr std::uint64_t kMaxStdinBytes = 64u << 20;

struct ActionSpec {
    std::string worker;                                  ///< as posted: an id, a name, name@version, or "exec"
    std::string function;                                ///< empty for exec
    std::string args;                                    ///< JSON text, serialised once; empty when absent
    std::vector<std::pair<std::string, Hash256>> inputs; ///< relative path below inputs/, chunk
    std::vector<std::string> expect;                     ///< paths below outputs/ that must exist at the end
    std::vector<std::string> argv;                       ///< exec only, at least one
    std::optional<std::string> cwd;                      ///< exec only, absolute
    bool sandbox = false;                                ///< exec only
    std::vector<std::pair<std::string, std::string>> env;
    std::vector<std::string> unkeptEnv;     ///< variables whose values are not kept: null in "env"
    bool engineEnv = true;                  ///< exec only: `env` is added to the engine's own environment
    std::optional<StdinSource> stdinSource; ///< exec only; without it stdin is /dev/null
    std::optional<TerminalSize> tty;        ///< exec only; its 0, 1 and 2 are a terminal, of this size at first
    std::string label;
    std::string id; ///< by which others of the same list name it
    std::optional<Duration> deadline;
    int priority = 0; ///< -100..100
    WallMicros notBefore = 0;
    bool hold = false;
    std::optional<Resources> resources; ///< as given; read it through effectiveResources()
    bool coresGiven = false;            ///< "resources" names cores
    bool memoryGiven = false;           ///< "resources" names memory_mb
    bool memoryLearned = false;         ///< its memory_mb is "learned": as much as its kind took so far
    std::vector<std::string> locks;
    std::vector<Dependency> after;
    std::vector<Reference> references; ///< what else "after" names
    std::optional<ArrayRange> array;
    std::vector<Lsn> replaces; ///< actions that this is a changed copy of; not in the text that is kept
    RetryLimits retryLimits;
    /// Where it may run: names, "local", "any", "tag:NAME"; sorted. Empty: as its queue says, else any machine, of
    /// exec this one.
    std::vector<std::string> machines;
    std::string platform;               ///< empty: any, of a worker its own
    std::optional<Jobserver> jobserver; ///< absent: as its queue says

    bool isExec() const { return worker == "exec"; }
    /// Runs where it says, without inputs, outputs or sandbox: no directory is made for it.
    bool needsScratch() const { return !isExec() || !cwd || sandbox || !inputs.empty() || !expect.empty(); }
    /// Something is made for it before it starts.
    bool needsPreparing() const { return needsScratch() || stdinSource.has_value(); }
    /// All that it reads of chunks: its inputs, and its stdin.
    std::vector<Hash256> inputChunks() const;
    /// Rough size in memory, for caches with a bound.
    std::size_t footprint() const;
};
using SpecPtr = std::shared_ptr<const ActionSpec>;
/// The resource of which an action with a terminal takes one; how many there are is a setting.
inline constexpr std::string_view kTerminals = "terminals";
/// In place of an amount of memory.
inline constexpr std::string_view kLearnedMemory = "learned";
/// What an action calls the memory of each of its GPUs.
inline constexpr std::string_view kGpuMemory = "gpu_memory_mb";
/// What one attempt needs: what the action gives, member by member, else `base`: its worker's, for exec one core;
/// with a terminal, one of those as well.
Resources effectiveResources(const ActionSpec& spec, const Resources& base = {});
/// The same of an action that a warm process serves, which has all that its worker asks for: cores and memory are the
/// worker's, and named is only what the action asks for and the worker does not.
Resources resourcesBesideProcess(const ActionSpec& spec, const Resources& worker);
/// What a warm process has of it for as long as it lives: memory, and what is named in `keeps`. The other part it has while
/// it has requests.
Resources keptPart(const Resources& worker, const std::vector<std::string>& keeps);
Resources busyPart(const Resources& worker, const std::vector<std::string>& keeps);

/// Members of an action that may hold bytes that are not UTF-8 (json_bytes.h): what the system takes as bytes.
inline constexpr std::array<std::string_view, 3> kByteMembers = {"argv", "cwd", "env"};

/// A spec and the text it is kept as: what was posted, re-serialised without white space, members in posted order,
/// and without "replaces": who submits it again replaces something else.
struct ParsedAction {
    SpecPtr spec;
    std::string text;
    std::vector<std::uint32_t> parents{}; ///< of spec->references: places in the list
};
/// One action from JSON. Malformed, or Invalid with the member's name: unknown members, wrong types, numbers out of
/// range, invalid UTF-8, control characters in names, paths that climb (`..`, absolute, empty parts) are all
/// refused. Also refused, as Invalid: a member given twice anywhere, integers over 64 bits. `defaultWorker`, from
/// the route, is what "worker" means when it is absent; it is then put into the text, and another one given is
/// refused.
Result<ParsedAction> parseAction(std::string_view json, std::string_view defaultWorker = {});
/// `id` and references to it hold within the list: one that is unknown, given twice, or part of a circle is
/// Invalid. A list of actions (JSON array, at most kMaxJsonElements) or one (object): Error.index says which
/// element is at fault. Costs about a microsecond an action; the memory beyond the result is that of one action.
struct ParsedActions {
    bool isList = false;
    std::vector<ParsedAction> actions;
};
Result<ParsedActions> parseActions(std::string_view json, std::string_view defaultWorker = {});
/// argv and env of array element `index`: "{index}" in argv replaced, YARD_INDEX added.
void applyArrayIndex(ActionSpec& spec, std::int64_t index);

/// True for a relative path of UTF-8 without control characters, empty, "." or ".." parts, at most 4,096 bytes.
bool isSafeRelativePath(std::string_view path);

} // namespace yard

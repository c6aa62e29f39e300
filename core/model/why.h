// What an action waits for (docs/lists.md, `why`), as a value with its JSON. No owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/states.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

enum class WaitKind : unsigned char {
    Hold,
    Capacity,
    Lock,
    Dependency,
    Backoff,
    NotBefore,
    Limit,
    NoRunner,
    Start,      ///< it has what it needs, and its program is being started
    Ending,     ///< it was told to end, and its processes have not
    Collecting, ///< its program has ended, and what it left is being kept
    Journal,    ///< the journal cannot be written
    Courtesy    ///< a person is at the machine, or the like (docs/courtesy.md)
};
std::string_view name(WaitKind kind);

/// Who holds a lock.
struct LockHolderView {
    std::string engine; ///< engine_id of its data directory
    int pid = 0;        ///< of the engine
    std::string dataDir;
    Lsn lsn{};
};

/// Who has some of what is missing.
struct CapacityHolder {
    Lsn lsn{};        ///< 0: no action, but what `name` says
    std::string name; ///< its label, or its command in short
    double amount = 0;
};
/// The largest ones.
inline constexpr std::size_t kMostCapacityHolders = 5;

/// Why a machine does not take it.
struct MachineWait {
    std::string name;
    std::string reason; ///< "platform", "too_small", "silent"
};
inline constexpr std::size_t kMostMachineWaits = 20;

/// One reason. Only what belongs to its kind is set.
struct Wait {
    WaitKind kind = WaitKind::Capacity;
    std::string message; ///< one line for people, without a full stop
    // hold: what is held
    std::string of; ///< "action", "queue", "session", "memory" or "descriptors"
    // capacity
    std::string resource;
    std::optional<double> need;
    std::optional<double> free;
    std::optional<std::int64_t> position; ///< how many of its queue come before it
    bool positionIsExact = true;
    Lsn keptFor{};                       ///< what is free is kept for this action, which was passed over
    std::vector<CapacityHolder> holders; ///< at most kMostCapacityHolders, where too little is free
    // dependency
    Lsn lsn{};
    Lsn array{};                            ///< instead: all of the array that begins with it
    std::optional<std::int64_t> unfinished; ///< of that array
    DependencyOn on = DependencyOn::Completed;
    ActionState state = ActionState::Pending; ///< of that action
    // courtesy
    std::string condition; ///< "active", "memory_pressure"
    std::string measure;   ///< "hold", "fewer_cores", "freeze"
    // back-off, not before; ending: when SIGKILL follows; courtesy: when it ends at the earliest, if that is known
    WallMicros until = 0;
    // no_runner
    std::vector<MachineWait> machines; ///< the first kMostMachineWaits, of several of which none takes it
    // start, ending, collecting, journal
    WallMicros since = 0;
    std::string path; ///< start: its working directory, if the action names one
    // lock
    std::optional<LockHolderView> holder; ///< absent: not known
    // lock, limit
    std::string name; ///< of the lock; "max_running", or "label_limits" with the label
    std::string label;
    std::optional<std::int64_t> most;
    std::optional<std::int64_t> running;
};

/// With nothing but its message.
Wait plainWait(WaitKind kind, std::string message);
Wait holdOf(std::string_view of, std::string message);

class JsonWriter;
void write(JsonWriter& writer, const LockHolderView& holder);

struct Why {
    Lsn lsn;
    ActionState state = ActionState::New;
    std::vector<Wait> waits; ///< empty unless it is pending, or told to end
};
std::string toJson(const Why& why);
/// One of them, at the end of `out`.
void appendJson(std::string& out, const Wait& wait);

} // namespace yard

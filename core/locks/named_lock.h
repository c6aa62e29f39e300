// Kernel locks (flock) on named resources that actions claim, shared by every engine of this user on this machine.
// A held lock has a living owner: the kernel lets go when the last descriptor closes, however that comes about.
//
// Values; any thread, each call blocks on a few small file operations and never on another holder. Descriptors are
// close-on-exec: no child of whoever holds one carries it on.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"
#include "core/locks/lock_holder.h"

#include <optional>
#include <string>
#include <vector>

namespace yard::locks {

/// One lock, held from tryTake() to release() or the end of the value. Move-only.
class NamedLock {
public:
    struct Outcome;
    /// Takes the lock of that name if nobody has it, and writes `holder` into its file. Never waits for a holder.
    /// An error when the file cannot be used (permission, a directory of that name, disk full); that says nothing
    /// about others.
    static Result<Outcome> tryTake(const std::string& directory, const std::string& name, const LockHolder& holder);

    NamedLock() = default;
    NamedLock(NamedLock&&) noexcept = default;
    NamedLock& operator=(NamedLock&& other) noexcept;
    ~NamedLock() { release(); }

    /// Writes into the file of a held one.
    void describe(const LockHolder& holder);
    bool isHeld() const { return static_cast<bool>(file_); }
    const std::string& path() const { return path_; }
    /// Removes the file and lets go, in this order: only a holder unlinks. Harmless when nothing is held.
    void release();
    /// Lets go and leaves the file: it is more than a lock, or its directory goes with it.
    void releaseKeepingFile();

private:
    friend class LockFile;
    NamedLock(UniqueFd file, std::string path);
    UniqueFd file_;
    std::string path_;
};

/// Exactly one of the two: the lock, or who has it.
struct NamedLock::Outcome {
    NamedLock lock;
    bool isBusy = false;
    std::optional<LockHolder> holder; ///< of a busy one, when its file says so
};

/// All of `names`, or none: they are taken in the order of their names and given back at the first that is busy, so
/// nobody waits while holding and no two claimants can wait for each other.
struct Claimed {
    std::vector<NamedLock> locks; ///< empty when one was busy
    std::string busy;             ///< its name
    std::optional<LockHolder> holder;
};
Result<Claimed> tryTakeAll(const std::string& directory, std::vector<std::string> names, const LockHolder& holder);

/// What a look at one lock finds. Does not make a file.
struct LockState {
    bool isHeld = false;
    std::optional<LockHolder> holder; ///< of a held one, when its file says so
};
LockState look(const std::string& directory, const std::string& name);

/// Any file as a lock: what tryTake() does, for slots' directories and the janitor. Without `create` a missing file
/// is NotFound; without `holder` nothing is written.
Result<NamedLock::Outcome> takeFile(const std::string& path, bool create, const LockHolder* holder = nullptr);

} // namespace yard::locks

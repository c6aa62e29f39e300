// Takes away what nobody owns any more: directories of attempts whose engine is gone, and files of locks whose
// holder died. Whether somebody does is what the kernel's lock says, never an age: a free lock is an orphan's, and
// the janitor holds it while it reaps; a held one has a living owner and is left alone, however long it is held.
//
//     what                            lock                        then
//     scratch/S, S not ours           free, or no file            reaped while it is held, then file and directory
//     scratch/S, S not ours           held                        left; past twice its deadline: reported, once
//     scratch/S, S our launcher's     (held by it)                attempts in it that nobody here claims are reaped
//     scratch/S/.spare.N              as S                        goes with S; left where S is ours; not counted
//     locks/NAME.lock                 free                        the file goes while it is held
//     locks/NAME.lock                 held                        left; past twice its deadline: reported, once
//     a lock that cannot be opened    -                           left and reported, once
//     any other name                  -                           never touched
//
// Owner: one thread at a time calls step() (a helper's); it blocks for about the budget, longer when one tree is
// large. Two janitors on the same places, of one process or of two, never reap the same thing: the lock decides.
#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/locks/claims.h"
#include "core/locks/named_lock.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::locks {

/// Something a person should look at. Each is reported once.
struct Finding {
    std::string path;
    std::string message;     ///< a sentence
    bool isLongHeld = false; ///< else it cannot be used or removed
};

struct JanitorReport {
    std::int64_t reaped = 0;     ///< directories of attempts
    std::int64_t staleLocks = 0; ///< files of locks whose holder died
    std::int64_t live = 0;       ///< locks that were held
    std::vector<Finding> findings;
};

class Janitor {
public:
    struct Places {
        std::string scratch;              ///< the data directory's; may be missing
        std::string locks;                ///< of named locks; empty or missing: none
        unsigned ownSlots = 0;            ///< scratch/0 … are this process's own
        unsigned ownFrom = ~0u;           ///< and so are those from this number on
        Duration deadline{3'600'000'000}; ///< of a holder that does not say
        /// For the owner's end, and tests.
        std::function<Result<void>(const std::string& path)> remove = [](const std::string& path) {
            return removeTree(path);
        };
    };
    Janitor(Places places, Claims& claims);

    /// Goes on with the pass, or begins one, for about `budget`. False when the pass is done.
    bool step(Duration budget);
    /// What was done since this was last called.
    JanitorReport takeReport() { return std::exchange(report_, {}); }

private:
    struct Slot {
        std::string path;
        std::optional<NamedLock> lock; ///< absent: one of ours
        std::vector<std::string> entries;
    };
    void begin();
    void openSlot(const std::string& number);
    void reapNext(Slot& slot);
    void closeSlot(Slot& slot);
    void lookAtLock(const std::string& path);
    void noteHeld(const std::string& path, const std::optional<LockHolder>& holder);
    void noteTrouble(const std::string& path, const std::string& message);

    const Places places_;
    Claims& claims_;
    bool running_ = false;
    std::vector<std::string> slots_; ///< numbers still to be looked at
    std::vector<std::string> locks_; ///< paths still to be looked at
    std::optional<Slot> slot_;       ///< being reaped
    JanitorReport report_;
    std::unordered_set<std::string> told_; ///< findings that were reported, and when the lock was taken
};

/// "<lsn>.<attempt>", or what is left of one: a name the janitor may remove.
bool isAttemptDirectory(std::string_view name);
/// The prefix of directories that wait to be deleted.
inline constexpr std::string_view kGonePrefix = ".gone.";
/// The prefix of what a warm worker's requests lie in: reaped as directories of attempts are, not counted.
inline constexpr std::string_view kRequestsPrefix = ".requests.";
/// Empty directories that a slot keeps for its next attempts: nobody's, and they go with the slot's own.
inline constexpr std::string_view kSparePrefix = ".spare.";

} // namespace yard::locks

// Paths below scratch/ that somebody in this process uses: the janitor takes nothing away that is in here. A slot's
// lock says that its launcher lives, not which of the directories in it are in use; this says it.
//
// Thread-safe; the mutex is held over a rename at most.
#pragma once

#include "core/base/thread_mutex.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace yard::locks {

class Claims {
public:
    /// Tells one claim of a path from the next one of the same path. 0: nobody claims it.
    using Number = std::uint64_t;

    /// From now on the path is in use, whether it is there or not.
    void add(std::string path);
    /// It is not any more. Unknown paths are fine.
    void remove(const std::string& path);
    bool contains(const std::string& path) const { return numberOf(path) != 0; }
    Number numberOf(const std::string& path) const;
    /// Renames `from` to `to` and claims `to`; false when `from` is in use or cannot be renamed.
    bool takeAway(const std::string& from, const std::string& to);
    /// The same for whoever has `from` in use by claim `of`: the claim moves along, or is gone when the rename
    /// fails. False and nothing done where somebody else has claimed it since: an attempt that was given up may
    /// begin again, with the same directory.
    bool moveTo(const std::string& from, Number of, const std::string& to);

private:
    bool rename(const std::string& from, const std::string& to) YARD_REQUIRES(mutex_);

    mutable ThreadMutex mutex_;
    Number last_ YARD_GUARDED_BY(mutex_) = 0;
    std::unordered_map<std::string, Number> paths_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::locks

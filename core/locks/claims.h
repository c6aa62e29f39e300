// Paths below scratch/ that somebody in this process uses: the janitor takes nothing away that is in here. A slot's
// lock says that its launcher lives, not which of the directories in it are in use; this says it.
//
// Thread-safe; the mutex is held over a rename at most.
#pragma once

#include "core/base/thread_mutex.h"

#include <string>
#include <unordered_set>

namespace yard::locks {

class Claims {
public:
    /// From now on the path is in use, whether it is there or not.
    void add(std::string path);
    /// It is not any more. Unknown paths are fine.
    void remove(const std::string& path);
    bool contains(const std::string& path) const;
    /// Renames `from` to `to` and claims `to`; false when `from` is in use or cannot be renamed.
    bool takeAway(const std::string& from, const std::string& to);
    /// The same for whoever has `from` in use: the claim moves along, or is gone when the rename fails.
    bool moveTo(const std::string& from, const std::string& to);

private:
    mutable ThreadMutex mutex_;
    std::unordered_set<std::string> paths_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::locks

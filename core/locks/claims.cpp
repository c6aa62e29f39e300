#include "core/locks/claims.h"

#include <cstdio>

namespace yard::locks {

void Claims::add(std::string path) {
    const ThreadLock lock(mutex_);
    paths_.insert(std::move(path));
}

void Claims::remove(const std::string& path) {
    const ThreadLock lock(mutex_);
    paths_.erase(path);
}

bool Claims::contains(const std::string& path) const {
    const ThreadLock lock(mutex_);
    return paths_.contains(path);
}

bool Claims::takeAway(const std::string& from, const std::string& to) {
    const ThreadLock lock(mutex_);
    if (paths_.contains(from) || ::rename(from.c_str(), to.c_str()) != 0) return false;
    paths_.insert(to);
    return true;
}

bool Claims::moveTo(const std::string& from, const std::string& to) {
    const ThreadLock lock(mutex_);
    paths_.erase(from);
    if (::rename(from.c_str(), to.c_str()) != 0) return false;
    paths_.insert(to);
    return true;
}

} // namespace yard::locks

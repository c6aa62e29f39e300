#include "core/locks/claims.h"

#include <cstdio>
#include <utility>

namespace yard::locks {

void Claims::add(std::string path) {
    const ThreadLock lock(mutex_);
    paths_[std::move(path)] = ++last_;
}

void Claims::remove(const std::string& path) {
    const ThreadLock lock(mutex_);
    paths_.erase(path);
}

Claims::Number Claims::numberOf(const std::string& path) const {
    const ThreadLock lock(mutex_);
    const auto found = paths_.find(path);
    return found == paths_.end() ? 0 : found->second;
}

bool Claims::takeAway(const std::string& from, const std::string& to) {
    const ThreadLock lock(mutex_);
    return !paths_.contains(from) && rename(from, to);
}

bool Claims::moveTo(const std::string& from, Number of, const std::string& to) {
    const ThreadLock lock(mutex_);
    if (const auto found = paths_.find(from); found != paths_.end()) {
        if (found->second != of) return false;
        paths_.erase(found);
    } else if (of != 0) {
        return false;
    }
    return rename(from, to);
}

bool Claims::rename(const std::string& from, const std::string& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0) return false;
    paths_[to] = ++last_;
    return true;
}

} // namespace yard::locks

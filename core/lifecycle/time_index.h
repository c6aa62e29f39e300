// When the next object is due. One owner, that of the orchestrator.
#pragma once

#include "core/lifecycle/object.h"

#include <optional>
#include <set>
#include <utility>

namespace yard::lifecycle {

/// Invariant: an object is in it at most once; its owner knows with which time.
class TimeIndex {
public:
    void add(WallMicros at, ObjectId id) { entries_.emplace(at, id); }
    void remove(WallMicros at, ObjectId id) { entries_.erase({at, id}); }
    std::optional<WallMicros> next() const {
        if (entries_.empty()) return std::nullopt;
        return entries_.begin()->first;
    }
    /// Takes the first one that is due out. Those due at the same instant come by their number.
    std::optional<ObjectId> takeDue(WallMicros now) {
        if (entries_.empty() || entries_.begin()->first > now) return std::nullopt;
        const ObjectId id = entries_.begin()->second;
        entries_.erase(entries_.begin());
        return id;
    }

private:
    std::set<std::pair<WallMicros, ObjectId>> entries_;
};

} // namespace yard::lifecycle

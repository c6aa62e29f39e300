// Objects that are due and that nobody looks at, each with its reason. One owner, that of the orchestrator, which says
// who is one.
#pragma once

#include "core/lifecycle/decisions.h"
#include "core/lifecycle/object.h"

#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace yard::lifecycle {

class Orphans {
public:
    static constexpr std::size_t kMostShown = 100;

    /// It is none yet.
    void add(const Object& object, OrphanReason why);
    /// Nothing happens where it is none.
    void remove(const Object& object);
    /// It is to be warned of, once until its isWarned is taken back.
    void warn(Object& object);
    /// Those that are to be warned of, in their order. Some may be orphans no longer.
    std::vector<ObjectId> takeUnwarned() { return std::exchange(unwarned_, {}); }

    /// The first of them.
    std::vector<WarnOrphan> first(std::size_t most = kMostShown) const;
    std::size_t count() const { return reasons_.size(); }
    std::size_t count(TypeNumber type, OrphanReason why) const;

private:
    std::map<ObjectId, OrphanReason> reasons_;
    std::vector<std::array<std::size_t, kOrphanReasons>> counts_; ///< by type and reason
    std::vector<ObjectId> unwarned_;
};

} // namespace yard::lifecycle

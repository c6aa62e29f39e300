// Lanes of the timeline: that of an attempt is its slot, but for what is collected while its slot is another's. That
// one goes to a lane above all slots.
//
// Owner: engine thread. Lifetime: with the slots. Invariant: no two attempts that are shown at once have one lane.
#pragma once

#include "core/base/owner.h"
#include "core/engine/running/attempt_table.h"

#include <cstdint>
#include <map>
#include <set>

namespace yard::engine {

class TimelineLanes {
public:
    explicit TimelineLanes(AttemptTable& attempts)
        : attempts_(attempts) {}
    /// Lanes from here on are nobody's slot.
    void setAbove(std::uint32_t first) { above_ = first; }

    /// Something begins in the slot: what ran there before and is still collected gives its lane up.
    void take(SlotId slot);
    /// It is collected for a while, and others may have its slot. `isTaken`: another one runs there already.
    void keep(Attempt& attempt, bool isTaken);
    void leave(const Attempt& attempt);

private:
    void moveAside(Attempt& attempt);

    AttemptTable& attempts_;
    std::uint32_t above_ = 0;
    std::map<std::uint32_t, runners::AttemptId> kept_; ///< by slot: collected, on its lane still
    std::set<std::uint32_t> aside_;                    ///< above all slots, of what had to give its own up
    OwnerCheck owner_;
};

} // namespace yard::engine

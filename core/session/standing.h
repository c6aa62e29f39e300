// What stood in the way of something large when keeping resources for it was given up. Once enough of it has ended,
// the rest of the machine is large enough again. Private to session; owner: engine thread.
#pragma once

#include "core/session/capacity.h"
#include "core/session/indexed_resources.h"
#include "core/session/messages.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace yard::session {

class Standing {
public:
    /// Nothing stands in the way yet; a machine that is shut now does not either. `now`: what is in use of it; it
    /// outlives this.
    explicit Standing(const Capacity& now)
        : used_(now.idle(true))
        , pieces_(now.indexed()) {}
    void addAttempt(std::uint32_t record, const Demand& taken, fleet::MachineId machine) {
        if (!attempts_.emplace(record, machine).second) return;
        used_->take(taken, machine);
        takePieces({.isHold = false, .key = record});
    }
    void addHold(HoldKey key, const Demand& taken) {
        if (!holds_.insert(key).second) return;
        used_->take(taken, fleet::kLocal);
        takePieces({.isHold = true, .key = key});
    }
    /// What came later is none of it.
    void attemptEnded(std::uint32_t record, const Demand& taken) {
        const auto at = attempts_.find(record);
        if (at == attempts_.end()) return;
        used_->give(taken, at->second);
        givePieces({.isHold = false, .key = record});
        attempts_.erase(at);
    }
    void holdEnded(HoldKey key, const Demand& taken) {
        if (holds_.erase(key) == 0) return;
        used_->give(taken, fleet::kLocal);
        givePieces({.isHold = true, .key = key});
    }
    const std::unordered_map<std::uint32_t, fleet::MachineId>& attempts() const { return attempts_; }
    const std::unordered_set<HoldKey>& holds() const { return holds_; }
    bool leavesRoomFor(const Demand& need) const { return used_->fits(need); }

private:
    void takePieces(IndexedResources::Holder holder) {
        if (IndexedResources* own = used_->indexed(); own && pieces_) own->takeAs(holder, *pieces_);
    }
    void givePieces(IndexedResources::Holder holder) {
        if (IndexedResources* own = used_->indexed()) own->give(holder);
    }

    std::unique_ptr<Capacity> used_;
    const IndexedResources* pieces_; ///< which ones are whose now; null: nothing is told apart
    std::unordered_map<std::uint32_t, fleet::MachineId> attempts_; ///< by record
    std::unordered_set<HoldKey> holds_;
};

} // namespace yard::session

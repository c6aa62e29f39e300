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
#include <utility>

namespace yard::session {

class Standing {
public:
    /// `idle`: the machine with nothing in use, and open: one that is shut now is not what stands in the way.
    /// `pieces`: which ones are whose now; null: nothing is told apart. Read while it is filled.
    explicit Standing(std::unique_ptr<Capacity> idle, const IndexedResources* pieces = nullptr)
        : used_(std::move(idle))
        , pieces_(pieces) {}
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
    const IndexedResources* pieces_;
    std::unordered_map<std::uint32_t, fleet::MachineId> attempts_; ///< by record
    std::unordered_set<HoldKey> holds_;
};

} // namespace yard::session

// What stood in the way of something large when keeping resources for it was given up. Once enough of it has ended,
// the rest of the machine is large enough again. Private to session; owner: engine thread.
#pragma once

#include "core/session/capacity.h"
#include "core/session/messages.h"

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <utility>

namespace yard::session {

class Standing {
public:
    /// `idle`: the machine with nothing in use.
    explicit Standing(std::unique_ptr<Capacity> idle)
        : used_(std::move(idle)) {}
    void addAttempt(std::uint32_t record, const Resources& resources) {
        if (attempts_.insert(record).second) used_->take(resources);
    }
    void addHold(HoldKey key, const Resources& resources) {
        if (holds_.insert(key).second) used_->take(resources);
    }
    /// What came later is none of it.
    void attemptEnded(std::uint32_t record, const Resources& resources) {
        if (attempts_.erase(record) > 0) used_->give(resources);
    }
    void holdEnded(HoldKey key, const Resources& resources) {
        if (holds_.erase(key) > 0) used_->give(resources);
    }
    const std::unordered_set<std::uint32_t>& attempts() const { return attempts_; }
    const std::unordered_set<HoldKey>& holds() const { return holds_; }
    bool leavesRoomFor(const Resources& need) const { return used_->fits(need); }

private:
    std::unique_ptr<Capacity> used_;
    std::unordered_set<std::uint32_t> attempts_; ///< records
    std::unordered_set<HoldKey> holds_;
};

} // namespace yard::session

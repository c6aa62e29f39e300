#include "core/session/entrance.h"

namespace yard::session {

std::uint32_t Entrance::make(const NewAction& action, std::uint32_t queue) {
    const std::uint32_t place = ledger_.make(action, queue);
    setHeld(place, action.held);
    return place;
}

void Entrance::wake(std::uint32_t record) {
    YARD_ASSERT_OWNER(owner_);
    const Record& r = records_[record];
    if (r.phase != Phase::Waiting || r.has(Record::kHeld | Record::kCancel | Record::kParked) || r.timer != kNone ||
        r.unmet > 0)
        return;
    const std::uint32_t queue = lanes_[r.lane].queue;
    Queue& q = order_.queue(queue);
    if (q.ahead > 0 && r.priority() > q.lowestAhead && r.priority() > q.arrived) {
        if (q.arrived < -100) {
            overtaken_.push_back(queue);
            ++q.jobs;
        }
        q.arrived = r.priority();
    }
    if (!r.has(Record::kInLane)) order_.enter(record);
}

void Entrance::leave(std::uint32_t record) {
    const Record& r = records_[record];
    const std::uint32_t queue = lanes_[r.lane].queue;
    Queue& q = order_.queue(queue);
    order_.leave(record);
    if (!q.gates || r.phase != Phase::Waiting || r.has(Record::kCancel)) return;
    if (r.has(Record::kParked))
        q.gates->unpark(record);
    else
        q.gates->offerAgain(r.label);
    listOpening(queue);
}

void Entrance::setHeld(std::uint32_t record, bool held) {
    if (records_[record].has(Record::kHeld) == held) return;
    if (held) leave(record);
    ledger_.setHeld(record, held);
}

void Entrance::listOpening(std::uint32_t queue) {
    Queue& q = order_.queue(queue);
    if (q.openingListed || !q.gates || !q.gates->wantsOpening()) return;
    q.openingListed = true;
    ++q.jobs;
    opening_.push_back(queue);
}

void Entrance::openGates(int& budget) {
    while (!opening_.empty() && budget > 0) {
        const std::uint32_t queue = opening_.back();
        Queue& q = order_.queue(queue);
        const auto opened = q.gates->openNext(budget);
        budget -= static_cast<int>(opened.size());
        for (const auto& [record, turn] : opened) {
            if (turn) order_.grantTurn(record);
            order_.enter(record);
        }
        if (q.gates->wantsOpening()) continue;
        opening_.pop_back();
        q.openingListed = false;
        --q.jobs;
        if (q.gates->empty()) q.gates.reset();
        order_.removeIfUnused(queue);
    }
}

} // namespace yard::session

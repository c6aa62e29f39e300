#include "core/session/starter.h"

#include <algorithm>
#include <memory>

namespace yard::session {

namespace {

/// Things done per call before the engine's loop gets its turn.
constexpr int kPerCall = 1'000;

} // namespace

bool Starter::schedule(MonoTime now, Outbox& out, bool mayStart) {
    YARD_ASSERT_OWNER(owner_);
    const bool moreTimers = fireTimers(now);
    parts_.attempts.takeBackOvertaken(out);
    order_.reservation().setNow(now);
    watchReservation(now);
    if (!service_.startsWork() || !mayStart) return moreTimers;
    int budget = kPerCall;
    parts_.attempts.beginTurn();
    parts_.entrance.openGates(budget);
    order_.endVainReservation(budget);
    parts_.holds.grant(out);
    for (bool kept = order_.reservation().isActive(); startNext(false, out, budget);
         kept = order_.reservation().isActive())
        if (kept && !order_.reservation().isActive()) parts_.holds.grant(out); // it was for what has just started
    // Ahead is more than the machine has cores: not while somebody beside the attempts wants some.
    const bool wantsCores = parts_.holds.wantsCores();
    while (!wantsCores && startNext(true, out, budget)) {
    }
    for (const std::uint32_t queue : order_.takeGatesToOpen())
        if (order_.hasQueue(queue)) parts_.entrance.listOpening(queue);
    return moreTimers || budget <= 0 || parts_.entrance.hasGatesToOpen();
}

/// True when there are more that are due.
bool Starter::fireTimers(MonoTime now) {
    for (int fired = 0; const auto due = parts_.timers.earliest(); ++fired) {
        if (*due > now) break;
        if (fired == kPerCall) return true;
        const std::uint32_t record = parts_.timers.takeDue(now);
        Record& r = parts_.ledger.records()[record];
        parts_.ledger.touch(r);
        parts_.ledger.tellChange(r, ActionState::Pending);
        parts_.entrance.wake(record);
    }
    return false;
}

std::optional<MonoTime> Starter::nextWake() const {
    const std::optional<MonoTime> ends = order_.reservation().ends();
    const std::optional<MonoTime> due = parts_.timers.earliest();
    return ends && due ? std::min(*ends, *due) : ends ? ends : due;
}

/// Keeping resources for something large has its limit, and begins again when that is of use.
void Starter::watchReservation(MonoTime now) {
    if (const auto ends = order_.reservation().ends(); ends && now >= *ends) {
        auto standing = std::make_unique<Standing>(capacity_);
        for (const std::uint32_t record : parts_.attempts.all()) {
            const std::uint32_t cls = parts_.ledger.lanes()[parts_.ledger.records()[record].lane].cls;
            if (classes_.takes(cls) && !parts_.attempts.isKept(record))
                standing->addAttempt(record, classes_.demandOf(cls),
                                     parts_.attempts.machineOf(parts_.ledger.records()[record]));
        }
        for (const ResourceHolds::Hold& hold : parts_.holds.held()) standing->addHold(hold.key, hold.demand());
        order_.reservation().giveUp(std::move(standing));
    }
    order_.reservation().renew();
}

/// Hands out what is next, or nothing: false. `ahead`: the machine is full, but short actions may wait at the
/// runner.
bool Starter::startNext(bool ahead, Outbox& out, int& budget) {
    if (budget <= 0) return false;
    const Attempts& attempts = parts_.attempts;
    const Order::Room room = attempts.room(!ahead);
    // Only where everything handed out that takes cores is one core does the runner's number of slots keep the
    // machine from overbooking.
    if (ahead &&
        (attempts.hasPartCores() || parts_.holds.hasCores() || order_.reservation().isActive() || room.slotsFull))
        return false;
    const Order::Pick picked = order_.pick(room, budget);
    if (!picked) return false;
    const Queue& q = order_.queue(picked.queue);
    const std::uint32_t cls = parts_.ledger.lanes()[picked.lane].cls;
    // Ahead goes only what is next in any case: anything else at the top waits for the machine as it is.
    if (ahead && (!classes_.isOneCore(cls) || q.averageRun <= 0 ||
                  q.averageRun >= static_cast<double>(options_.aheadBelow.count()) || !attempts.hasSlotAhead(cls)))
        return false;

    parts_.attempts.handOut(picked, ahead, out);
    --budget;
    return true;
}

} // namespace yard::session

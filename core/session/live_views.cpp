#include "core/session/live_views.h"

namespace yard::session {

std::optional<LiveView> LiveViews::live(Lsn lsn) const {
    const std::uint32_t place = records_.find(lsn);
    if (place == kNone || records_[place].has(Record::kStored)) return std::nullopt;
    return viewOf(place);
}

GivenResources LiveViews::givenTo(Lsn lsn) const {
    const std::uint32_t place = attempts_.tellsApart() ? records_.find(lsn) : kNone;
    return place == kNone ? GivenResources{} : attempts_.givenTo(records_[place]);
}

Lsn LiveViews::walk(Lsn from, int most, const std::function<void(const LiveView&)>& show) const {
    for (; most > 0; --most) {
        const std::uint32_t place = records_.next(from);
        if (place == kNone) return {};
        const Record& r = records_[place];
        from = Lsn(records_.lsnOf(r).value + 1);
        if (!r.has(Record::kStored)) show(viewOf(place));
    }
    return from;
}

LiveView LiveViews::viewOf(std::uint32_t record) const {
    const Record& r = records_[record];
    const Lane& lane = ledger_.lanes()[r.lane];
    LiveView view{.lsn = records_.lsnOf(r),
                  .queue = ledger_.order().queue(lane.queue).id,
                  .cls = ClassId(lane.cls),
                  .label = LabelId(r.label),
                  .state = seenOf(r),
                  .held = r.has(Record::kHeld),
                  .leased = r.phase == Phase::Leased,
                  .keeping = attempts_.holdsNothing(r),
                  .cancelRequested = r.has(Record::kCancel) || ledger_.queueOf(r).state == QueueState::Cancelled,
                  .unmet = r.unmet,
                  .ending = {},
                  .wakesAt = {},
                  .backoff = r.has(Record::kBackoff),
                  .attempt = r.attempt,
                  .retries = r.retries(),
                  .priority = r.priority(),
                  .submitTime = records_.submitTime(record),
                  .place = records_.placeOf(record),
                  .revision = r.revision};
    if (r.phase == Phase::Ending) view.ending = r.target();
    if (const auto wakes = timers_.of(r)) view.wakesAt = *wakes;
    if (r.phase == Phase::Retrying) { // still seen running: the reset and its back-off show once they are kept
        view.backoff = false;
        --view.retries.retryCount;
        view.wakesAt = {};
    }
    if (service_.isAbandoned() && (r.phase != Phase::Ending || r.has(Record::kSwept))) {
        view.state = ActionState::Abandoned;
        view.held = view.leased = view.backoff = false;
        view.wakesAt = {};
    }
    return view;
}

std::vector<Lsn> LiveViews::running() const {
    std::vector<Lsn> running;
    if (service_.isAbandoned()) return running;
    for (const std::uint32_t record : attempts_.all())
        if (isRunningPhase(records_[record].phase)) running.push_back(records_.lsnOf(records_[record]));
    return running;
}

std::optional<QueueStatus> LiveViews::queue(QueueId id) const {
    const Queue* q = ledger_.queueNamed(id);
    if (!q) return std::nullopt;
    return QueueStatus{.state = q->state,
                       .held = q->held,
                       .forgetting = q->forgetting,
                       .counters = q->tally.visible(service_.isAbandoned()),
                       .failedBefore = q->failedBefore,
                       .heldActions = service_.isAbandoned() ? 0 : q->heldActions};
}

SessionCounts LiveViews::counts() const {
    return {.all = ledger_.total().visible(service_.isAbandoned()),
            .submitting = service_.isAbandoned() ? 0 : ledger_.submitting(),
            .held = service_.isAbandoned() ? 0 : ledger_.held(),
            .backingOff = service_.isAbandoned() ? 0 : timers_.backingOff(),
            .outstanding = static_cast<std::int64_t>(attempts_.all().size()),
            .starts = attempts_.starts(),
            .ignoredEvents = attempts_.ignored(),
            .lanesWoken = ledger_.order().lanesWoken()};
}

std::vector<LockElsewhere> LiveViews::locksElsewhere() const {
    std::vector<LockElsewhere> found;
    ledger_.order().locks().forEach([&found](LockId lock, const LockTable::State& state) {
        if (state.elsewhere) found.push_back({lock, state.isWaitedFor()});
    });
    return found;
}

std::size_t LiveViews::locksHeld() const {
    return ledger_.order().locks().held();
}

std::size_t LiveViews::locksWaitedFor() const {
    std::size_t count = 0;
    ledger_.order().locks().forEach(
        [&count](LockId, const LockTable::State& state) { count += state.isWaitedFor(); });
    return count;
}

} // namespace yard::session

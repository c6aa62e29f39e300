#include "core/session/session.h"

#include "core/session/heap.h"
#include "core/session/impl.h"

#include <fmt/format.h>
#include <ranges>

namespace yard::session {

namespace {

/// Things done per call before the engine's loop gets its turn.
constexpr int kPerCall = 1'000;

constexpr auto kSooner = [](const auto& a, const auto& b) { return a.at < b.at; };

} // namespace

Session::Impl::Impl(std::unique_ptr<Capacity> capacity, SessionOptions options)
    : capacity_(std::move(capacity))
    , options_(options)
    , lanes_(records_)
    , order_(records_, lanes_, *capacity_, [this](std::uint32_t record) { entryDropped(record); })
    , random_(options.seed) {
    assert(options_.slotCount >= 1 && options_.aheadPerSlot >= 0 && options_.maxOutstanding >= 1);
    outstanding_.reserve(static_cast<std::size_t>(options_.maxOutstanding) +
                         static_cast<std::size_t>(options_.maxKeeping));
    addQueue(QueueId(0), {}, QueueState::Active, false, {}, 0);
}

// -- service state

Result<void> Session::Impl::moveTo(SessionState to, Outbox& out) {
    if (!sessionTransitions().allows(state_, to))
        return fail(ErrorKind::WrongState,
                    fmt::format("The session is {} and cannot become {}: restart the engine to go on.",
                                name(state_), name(to)));
    state_ = to;
    if (to == SessionState::Abandoned) {
        abandoned_ = scanAll_ = true;
        scanAt_ = 0;
        for (auto* list : {&cancelling_, &scanWanted_, &scanning_}) {
            for (const std::uint32_t queue : *list) --order_.queue(queue).jobs;
            list->clear();
        }
    }
    if (startsWork()) return {};
    for (const std::uint32_t record : outstanding_) {
        const Record& r = records_[record];
        if (r.phase == Phase::Leased && r.has(Record::kAhead))
            takeBack(record, out);
        else if (to == SessionState::Abandoned)
            stop(record, StopCause::Abandon, out);
        else if (to == SessionState::Sunset)
            stop(record, StopCause::EngineStopped, out);
    }
    return {};
}

Result<void> Session::Impl::acceptsWork() const {
    switch (state_) {
    case SessionState::Ready: return {};
    case SessionState::Created:
        return fail(ErrorKind::NotAccepting, "The engine is still starting: try again in a moment.");
    default:
        return fail(ErrorKind::NotAccepting,
                    fmt::format("The session is {} and takes no new work: submit to another engine, or restart "
                                "this one.",
                                name(state_)));
    }
}

// -- timers

void Session::Impl::setTimer(std::uint32_t record, MonoTime at, bool backoff) {
    Record& r = records_[record];
    assert(r.timer == kNone && !r.has(Record::kOut | Record::kParked));
    if (backoff) r.set(Record::kBackoff);
    backingOff_ += backoff ? 1 : 0;
    heapPush(timers_, Timer{at, record}, kSooner,
             [this](const Timer& t, std::uint32_t i) { records_[t.record].timer = i; });
}

void Session::Impl::clearTimer(std::uint32_t record) {
    Record& r = records_[record];
    if (r.has(Record::kOut | Record::kParked) || r.timer == kNone) return;
    heapRemove(timers_, r.timer, kSooner,
               [this](const Timer& t, std::uint32_t i) { records_[t.record].timer = i; });
    r.timer = kNone;
    backingOff_ -= r.has(Record::kBackoff) ? 1 : 0;
    r.unset(Record::kBackoff);
}

/// True when there are more that are due.
bool Session::Impl::fireTimers(MonoTime now) {
    for (int fired = 0; !timers_.empty() && timers_.front().at <= now; ++fired) {
        if (fired == kPerCall) return true;
        const std::uint32_t record = timers_.front().record;
        clearTimer(record);
        records_[record].revision = ++revision_;
        tellChange(records_[record], ActionState::Pending);
        wakeAction(record);
    }
    return false;
}

std::optional<MonoTime> Session::Impl::nextWake() const {
    const std::optional<MonoTime> ends = order_.reservationEnds();
    if (timers_.empty()) return ends;
    return ends ? std::min(*ends, timers_.front().at) : timers_.front().at;
}

/// Keeping resources for something large has its limit, and begins again when that is of use.
void Session::Impl::watchReservation(MonoTime now) {
    if (const auto ends = order_.reservationEnds(); ends && now >= *ends) {
        auto standing = std::make_unique<Standing>(capacity_->idle());
        for (const std::uint32_t record : outstanding_) {
            const std::uint32_t cls = lanes_[records_[record].lane].cls;
            if (!order_.isGated(cls) && !keeping_.contains(record))
                standing->addAttempt(record, order_.resourcesOf(cls));
        }
        for (const Hold& hold : holds_) standing->addHold(hold.key, hold.resources);
        order_.giveUpReservation(std::move(standing));
    }
    order_.renewReservation();
}

// -- starting

bool Session::Impl::schedule(MonoTime now, Outbox& out, bool mayStart) {
    const bool moreTimers = fireTimers(now);
    takeBackOvertaken(out);
    order_.setNow(now);
    watchReservation(now);
    if (!startsWork() || !mayStart) return moreTimers;
    int budget = kPerCall;
    openGates(budget);
    order_.endVainReservation(budget);
    grantHolds(out);
    for (bool kept = order_.hasReservation(); startNext(false, out, budget); kept = order_.hasReservation())
        if (kept && !order_.hasReservation()) grantHolds(out); // it was for what has just started
    // Ahead is more than the machine has cores: not while somebody beside the attempts wants some.
    const bool wantsCores = std::ranges::any_of(wanted_, [](const Hold& w) { return w.resources.milliCores > 0; });
    while (!wantsCores && startNext(true, out, budget)) {
    }
    for (const std::uint32_t queue : order_.takeGatesToOpen())
        if (order_.hasQueue(queue)) listOpening(queue);
    return moreTimers || budget <= 0 || !opening_.empty();
}

/// Hands out what is next, or nothing: false. `ahead`: the machine is full, but short actions may wait at the
/// runner.
bool Session::Impl::startNext(bool ahead, Outbox& out, int& budget) {
    const auto outstanding = static_cast<int>(outstanding_.size() - keeping_.size());
    if (budget <= 0) return false;
    order_.setOnlyGated(outstanding - gated_ >= options_.maxOutstanding);
    // Where there are fewer slots than cores, the runner would send back what is over this.
    const bool isSlotsFull = outstanding - shared_ - gated_ >= options_.slotCount * (1 + options_.aheadPerSlot);
    order_.setSlotsFull(isSlotsFull);
    // Only where everything handed out that takes cores is one core does the runner's number of slots keep the
    // machine from overbooking.
    if (ahead && (partCores_ > 0 || order_.hasReservation() || isSlotsFull)) return false;
    const Order::Pick picked = order_.pick(!ahead, budget);
    if (!picked) return false;
    Queue& q = order_.queue(picked.queue);
    const std::uint32_t cls = lanes_[picked.lane].cls;
    // Ahead goes only what is next in any case: anything else at the top waits for the machine as it is.
    if (ahead && (!order_.isOneCore(cls) || q.averageRun <= 0 ||
                  q.averageRun >= static_cast<double>(options_.aheadBelow.count())))
        return false;

    const std::uint32_t record = order_.start(picked);
    Record& r = records_[record];
    r.unset(Record::kOfAttempt);
    r.set(Record::kOut);
    if (picked.oldest) r.set(Record::kOldestPick);
    if (ahead) {
        r.set(Record::kAhead);
        ++q.ahead;
        q.lowestAhead = std::min(q.lowestAhead, r.priority());
    }
    ++r.attempt;
    ++q.outstanding;
    ++starts_;
    --budget;
    const bool gated = order_.countGate(cls, 1);
    if (!gated) capacity_->take(order_.resourcesOf(cls));
    countSlot(cls, 1);
    if (q.gates) q.gates->count(r.label, 1);
    r.timer = static_cast<std::uint32_t>(outstanding_.size());
    outstanding_.push_back(record);
    setPhase(record, Phase::Leased);
    out.start.push_back({.lsn = records_.lsnOf(r),
                         .attempt = r.attempt,
                         .queue = q.id,
                         .cls = ClassId(cls),
                         .ahead = ahead,
                         .shared = !gated && !order_.isOneCore(cls),
                         .warm = gated});
    return true;
}

void Session::Impl::countSlot(std::uint32_t cls, int by) {
    if (order_.isGated(cls)) gated_ += by;
    if (order_.isOneCore(cls) || order_.isGated(cls)) return;
    shared_ += by;
    if (order_.resourcesOf(cls).milliCores > 0) partCores_ += by;
    order_.setSharedFull(shared_ >= options_.sharedSlots);
}

// -- resources of others

bool Session::Impl::hold(HoldKey key, const Resources& resources) {
    const bool isTaken = takeHold({key, resources}, wanted_.size());
    if (!isTaken) wanted_.push_back({key, resources});
    return isTaken;
}

/// Of the first so many of those who wait, the one that asked for what this would take; the end: there is none. Who
/// needs memory that is not free keeps nobody from cores.
std::size_t Session::Impl::wantedBefore(const Hold& hold, std::size_t earlier) const {
    const auto first = wanted_ | std::views::take(earlier);
    const auto at = std::ranges::find_if(
        first, [&](const Hold& waits) { return !capacity_->leaves(hold.resources, waits.resources); });
    return static_cast<std::size_t>(at - first.begin());
}

/// Only what fits and takes nothing of what is being kept for something large, or of what others asked for before.
bool Session::Impl::takeHold(const Hold& hold, std::size_t earlier) {
    if (!capacity_->fits(hold.resources) || !order_.leavesReserved(hold.resources) ||
        wantedBefore(hold, earlier) < earlier)
        return false;
    capacity_->take(hold.resources);
    partCores_ += hold.resources.milliCores > 0 ? 1 : 0;
    holds_.push_back(hold);
    return true;
}

bool Session::Impl::letGo(HoldKey key) {
    const bool wanted = std::erase_if(wanted_, [&](const Hold& hold) { return hold.key == key; }) > 0;
    const auto at = std::ranges::find(holds_, key, &Hold::key);
    if (at == holds_.end()) return wanted;
    capacity_->give(at->resources);
    order_.holdEnded(key, at->resources);
    partCores_ -= at->resources.milliCores > 0 ? 1 : 0;
    *at = std::move(holds_.back());
    holds_.pop_back();
    return !wanted_.empty() || order_.hasListed();
}

/// In the order they were asked for: one that does not fit keeps those waiting that need the same, or it would wait
/// for ever.
void Session::Impl::grantHolds(Outbox& out) {
    for (std::size_t i = 0; i < wanted_.size();) {
        if (!takeHold(wanted_[i], i)) {
            ++i;
            continue;
        }
        out.granted.push_back(wanted_[i].key);
        wanted_.erase(wanted_.begin() + static_cast<std::ptrdiff_t>(i));
    }
}

std::optional<HoldWait> Session::Impl::holdWait(HoldKey key) const {
    const auto at = std::ranges::find(wanted_, key, &Hold::key);
    if (at == wanted_.end()) return std::nullopt;
    HoldWait wait{.needs = capacity_->describe(at->resources), .keptFor = {}, .behind = {}};
    if (!capacity_->fits(at->resources)) return wait;
    wait.isKept = !order_.leavesReserved(at->resources);
    if (wait.isKept) {
        wait.keptFor = order_.keptFor();
        return wait;
    }
    const auto place = static_cast<std::size_t>(at - wanted_.begin());
    if (const std::size_t before = wantedBefore(*at, place); before < place) wait.behind = wanted_[before].key;
    return wait;
}

std::int64_t Session::Impl::waitingAt(GateId gate) const {
    constexpr std::uint32_t kMost = 10'000;
    std::int64_t waiting = 0;
    for (std::uint32_t i = 0, looked = 0; i < lanes_.end() && looked < kMost; i = lanes_.next(i), ++looked)
        if (lanes_.present(i) && order_.isAt(gate, lanes_[i].cls)) waiting += lanes_[i].refs;
    const auto isKeeping = [&](std::uint32_t record) {
        return order_.isAt(gate, lanes_[records_[record].lane].cls);
    };
    return std::max<std::int64_t>(waiting - order_.outAt(gate) - std::ranges::count_if(keeping_, isKeeping), 0);
}

// -- questions

std::optional<LiveView> Session::Impl::live(Lsn lsn) const {
    const std::uint32_t place = records_.find(lsn);
    if (place == kNone || records_[place].has(Record::kStored)) return std::nullopt;
    return viewOf(records_[place]);
}

Lsn Session::Impl::walkLive(Lsn from, int most, const std::function<void(const LiveView&)>& show) const {
    for (; most > 0; --most) {
        const std::uint32_t place = records_.next(from);
        if (place == kNone) return {};
        const Record& r = records_[place];
        from = Lsn(records_.lsnOf(r).value + 1);
        if (!r.has(Record::kStored)) show(viewOf(r));
    }
    return from;
}

LiveView Session::Impl::viewOf(const Record& r) const {
    const Lane& lane = lanes_[r.lane];
    LiveView view{.lsn = records_.lsnOf(r),
                  .queue = order_.queue(lane.queue).id,
                  .cls = ClassId(lane.cls),
                  .label = LabelId(r.label),
                  .state = r.has(Record::kCountsRunning) ? ActionState::Running : ActionState::Pending,
                  .held = r.has(Record::kHeld),
                  .leased = r.phase == Phase::Leased,
                  .keeping = holdsNothing(r),
                  .cancelRequested = r.has(Record::kCancel) || queueOf(r).state == QueueState::Cancelled,
                  .unmet = r.unmet,
                  .ending = {},
                  .wakesAt = {},
                  .backoff = r.has(Record::kBackoff),
                  .attempt = r.attempt,
                  .retries = r.retries(),
                  .priority = r.priority(),
                  .submitTime = r.submitTime(),
                  .revision = r.revision};
    if (r.phase == Phase::Submitting) view.state = ActionState::Submitting;
    if (r.phase == Phase::Ending) view.ending = r.target();
    if (!r.has(Record::kOut | Record::kParked) && r.timer != kNone) view.wakesAt = timers_[r.timer].at;
    if (r.phase == Phase::Retrying) { // still seen running: the reset and its back-off show once they are kept
        view.backoff = false;
        --view.retries.retryCount;
        view.wakesAt = {};
    }
    if (abandoned_ && (r.phase != Phase::Ending || r.has(Record::kSwept))) {
        view.state = ActionState::Abandoned;
        view.held = view.leased = view.backoff = false;
        view.wakesAt = {};
    }
    return view;
}

std::vector<Lsn> Session::Impl::runningActions() const {
    std::vector<Lsn> running;
    if (abandoned_) return running;
    for (const std::uint32_t record : outstanding_)
        if (isRunningPhase(records_[record].phase)) running.push_back(records_.lsnOf(records_[record]));
    return running;
}

SessionCounts Session::Impl::counts() const {
    return {.all = total_.visible(abandoned_),
            .submitting = abandoned_ ? 0 : submitting_,
            .held = abandoned_ ? 0 : held_,
            .backingOff = abandoned_ ? 0 : backingOff_,
            .outstanding = static_cast<std::int64_t>(outstanding_.size()),
            .starts = starts_,
            .ignoredEvents = ignored_,
            .lanesWoken = order_.lanesWoken()};
}

std::size_t Session::Impl::memoryBytes() const {
    return sizeof(*this) + records_.memoryBytes() + lanes_.memoryBytes() + order_.memoryBytes() +
           queueIndex_.memoryBytes() + timers_.memoryBytes() + outstanding_.capacity() * 4 + dependencyBytes();
}

} // namespace yard::session

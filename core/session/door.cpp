// The door of the session: each call goes to the part whose matter it is, where other threads must not be.
#include "core/session/impl.h"
#include "core/session/outliner.h"
#include "core/session/patience.h"
#include "core/session/session.h"

namespace yard::session {

Session::Session(std::unique_ptr<Capacity> capacity, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(capacity), options)) {}
Session::~Session() = default;

SessionState Session::state() const {
    return impl_->service.state();
}
Result<void> Session::moveTo(SessionState to, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner);
    return impl_->moveTo(to, out);
}
Result<void> Session::accepts(QueueId queue) const {
    return impl_->queues.accepts(queue);
}
void Session::defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks,
                          std::optional<GateId> gate, const RetryLimits& limits) {
    impl_->ledger.order().defineClass(id, resources, std::move(locks), gate, limits);
}
void Session::setGate(GateId gate, int most) {
    impl_->ledger.classes().setGate(gate, most);
}
std::int64_t Session::waitingAt(GateId gate) const {
    return impl_->reasons.waitingAt(gate);
}
bool Session::hold(HoldKey key, const Resources& resources) {
    YARD_ASSERT_OWNER(impl_->owner);
    return impl_->holds.take(key, resources);
}
std::optional<HoldWait> Session::holdWait(HoldKey key) const {
    return impl_->holds.waitOf(key);
}
bool Session::letGo(HoldKey key) {
    YARD_ASSERT_OWNER(impl_->owner);
    return impl_->holds.letGo(key);
}
bool Session::isCrowded() const {
    return impl_->ledger.order().reservation().isCrowded();
}
std::int64_t Session::memoryLack() const {
    return impl_->ledger.order().reservation().memoryLack();
}
void Session::keepForLack() {
    impl_->ledger.order().reservation().keepForLack();
}
void Session::setReserve(Duration reserve) {
    impl_->ledger.order().reservation().setLimit(reserve);
}
bool Session::everFits(ClassId id) const {
    return impl_->capacity->everFits(impl_->ledger.classes().resourcesOf(id.value));
}
std::vector<ResourceNeed> Session::needs(ClassId id) const {
    return impl_->capacity->describe(impl_->ledger.classes().resourcesOf(id.value));
}
Resources Session::taken() const {
    return impl_->capacity->taken();
}

void Session::addQueue(QueueId id, const QueueConfig& config, QueueState state, bool held,
                       const QueueCounters& counters, std::int64_t failedBefore) {
    impl_->queues.add(id, config, state, held, counters, failedBefore);
}
void Session::addPast(const QueueCounters& counters) {
    impl_->ledger.addPast(counters);
}
void Session::setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits) {
    impl_->queues.setLabelLimits(id, std::move(limits));
}
Result<void> Session::configureQueue(QueueId id, const QueueConfig& config) {
    return impl_->queues.configure(id, config);
}
const QueueConfig* Session::queueConfig(QueueId id) const {
    const Queue* q = impl_->ledger.queueNamed(id);
    return q ? &q->config : nullptr;
}
Result<void> Session::holdQueue(QueueId id, Outbox& out) {
    return impl_->queues.hold(id, out);
}
Result<void> Session::releaseQueue(QueueId id) {
    return impl_->queues.release(id);
}
Result<void> Session::drainQueue(QueueId id) {
    return impl_->queues.drain(id);
}
Result<void> Session::cancelQueue(QueueId id, Outbox& out) {
    return impl_->queues.cancel(id, out);
}
Result<void> Session::forgetQueue(QueueId id, Outbox& out) {
    return impl_->queues.forget(id, out);
}

void Session::add(std::span<const NewAction> actions, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner);
    for (const NewAction& action : actions) impl_->intake.add(action, now, out);
}
Result<RetryCounters> Session::checkReschedule(const FinishedAction& action, bool force) const {
    return impl_->intake.checkReschedule(action, force);
}
void Session::reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out) {
    impl_->intake.reschedule(action, was, now, out);
}
Result<void> Session::cancel(Lsn lsn, Outbox& out) {
    return impl_->actions.cancel(lsn, out);
}
Result<bool> Session::cancelLater(Lsn lsn, Outbox& out) {
    return impl_->actions.cancelLater(lsn, out);
}
void Session::finishCancelled(Lsn lsn, Outbox& out) {
    impl_->actions.finishCancelled(lsn, out);
}
Result<void> Session::hold(Lsn lsn, Outbox& out) {
    return impl_->actions.hold(lsn, out);
}
Result<void> Session::release(Lsn lsn) {
    return impl_->actions.release(lsn);
}
Result<void> Session::setPriority(Lsn lsn, int priority) {
    return impl_->actions.setPriority(lsn, priority);
}
Result<void> Session::setQueue(Lsn lsn, QueueId queue) {
    return impl_->actions.setQueue(lsn, queue);
}
Result<void> Session::mayCancel(Lsn lsn) const {
    return impl_->actions.mayCancel(lsn);
}
Result<void> Session::mayHold(Lsn lsn) const {
    return impl_->actions.mayHold(lsn);
}
Result<void> Session::mayMove(Lsn lsn) const {
    return impl_->actions.mayMove(lsn);
}

void Session::submitting(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->events.began(lsn, attempt, Phase::Submitting, out);
}
void Session::running(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->events.began(lsn, attempt, Phase::Running, out);
}
void Session::returned(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->events.returned(lsn, attempt, out);
}
void Session::keeping(Lsn lsn, std::uint32_t attempt) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->events.keeping(lsn, attempt);
}
void Session::ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->events.ended(lsn, attempt, end, now, out);
}
void Session::retryStored(Lsn lsn, Outbox& out) {
    impl_->events.retryStored(lsn, out);
}
void Session::finishStored(Lsn lsn, Outbox& out, const StoredEnd& end) {
    impl_->ends.stored(lsn, end, out);
}

void Session::setLockElsewhere(LockId lock, bool held) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->ledger.order().setLockElsewhere(lock, held);
}

bool Session::schedule(MonoTime now, Outbox& out, bool mayStart) {
    YARD_ASSERT_OWNER(impl_->owner);
    return impl_->starter.schedule(now, out, mayStart);
}
void Session::takeBackAhead(Outbox& out) {
    impl_->attempts.takeBackAllAhead(out);
}
std::optional<MonoTime> Session::nextWake() const {
    return impl_->starter.nextWake();
}
void Session::step(Outbox& out) {
    impl_->bulk.step(out);
}
bool Session::hasMoreWork() const {
    return impl_->bulk.hasMore();
}

std::optional<LiveView> Session::live(Lsn lsn) const {
    return impl_->views.live(lsn);
}
Lsn Session::walkLive(Lsn from, int most, const std::function<void(const LiveView&)>& show) const {
    return impl_->views.walk(from, most, show);
}
std::optional<Waiting> Session::waiting(Lsn lsn, bool withPosition) const {
    return impl_->reasons.of(lsn, withPosition);
}
std::optional<std::int64_t> Session::unfinishedOf(Lsn array) const {
    return impl_->dependencies.unfinishedOf(array);
}
Unmet Session::unmetOf(Lsn lsn) const {
    return impl_->dependencies.unmetOf(lsn);
}
std::vector<Lsn> Session::runningActions() const {
    return impl_->views.running();
}
std::vector<LockElsewhere> Session::locksElsewhere() const {
    std::vector<LockElsewhere> found;
    impl_->ledger.order().locks().forEach([&found](LockId lock, const LockTable::State& state) {
        if (state.elsewhere) found.push_back({lock, state.isWaitedFor()});
    });
    return found;
}
std::vector<LockStatus> Session::locks(int most) const {
    return impl_->reasons.locks(most);
}
std::vector<ResourceHolder> Session::holders(std::string_view resource, std::size_t most) const {
    return impl_->reasons.holders(resource, most);
}
std::size_t Session::locksHeld() const {
    return impl_->ledger.order().locks().held();
}
std::size_t Session::locksWaitedFor() const {
    std::size_t count = 0;
    impl_->ledger.order().locks().forEach(
        [&count](LockId, const LockTable::State& state) { count += state.isWaitedFor(); });
    return count;
}
std::optional<QueueStatus> Session::queueStatus(QueueId id) const {
    return impl_->views.queue(id);
}
Outline Session::outline(int most, MonoTime now) const {
    const Impl& of = *impl_;
    if (of.service.isAbandoned()) return {};
    return outlineOf({of.ledger, *of.capacity, of.timers, of.arrivals, of.holds, of.attempts, of.options}, most,
                     now);
}
std::uint32_t Session::revision() const {
    return impl_->ledger.revision();
}
void Session::setTurns(double virtualNow, std::span<const QueueTurns> turns) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->queues.setTurns(virtualNow, turns);
}
void Session::setPassed(std::span<const Passed> passed) {
    YARD_ASSERT_OWNER(impl_->owner);
    setPassedOver(impl_->ledger, *impl_->capacity, impl_->holds, passed);
}
void Session::learnRunTime(QueueId id, Duration took) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->queues.learnRunTime(id, took);
}
SessionCounts Session::counts() const {
    return impl_->views.counts();
}
void Session::setChangeSink(std::function<void(const Change&)> sink) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->ledger.setChangeSink(std::move(sink));
}
std::size_t Session::memoryBytes() const {
    return impl_->memoryBytes();
}
void Session::check() const {
    impl_->check();
}

} // namespace yard::session

// The door of the session: each call goes to the inside, where other threads must not be.
#include "core/session/impl.h"
#include "core/session/session.h"

namespace yard::session {

Session::Session(std::unique_ptr<Capacity> capacity, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(capacity), options)) {}
Session::~Session() = default;

SessionState Session::state() const {
    return impl_->state_;
}
Result<void> Session::moveTo(SessionState to, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner_);
    return impl_->moveTo(to, out);
}
Result<void> Session::accepts(QueueId queue) const {
    return impl_->accepts(queue);
}
void Session::defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks,
                          std::optional<GateId> gate, const RetryLimits& limits) {
    impl_->order().defineClass(id, resources, std::move(locks), gate, limits);
}
void Session::setGate(GateId gate, int most) {
    impl_->order().setGate(gate, most);
}
std::int64_t Session::waitingAt(GateId gate) const {
    return impl_->waitingAt(gate);
}
bool Session::hold(HoldKey key, const Resources& resources) {
    YARD_ASSERT_OWNER(impl_->owner_);
    return impl_->hold(key, resources);
}
std::optional<HoldWait> Session::holdWait(HoldKey key) const {
    return impl_->holdWait(key);
}
bool Session::letGo(HoldKey key) {
    YARD_ASSERT_OWNER(impl_->owner_);
    return impl_->letGo(key);
}
bool Session::isCrowded() const {
    return impl_->order().isCrowded();
}
std::int64_t Session::memoryLack() const {
    return impl_->order().memoryLack();
}
void Session::keepForLack() {
    impl_->order().keepForLack();
}
void Session::setReserve(Duration reserve) {
    impl_->order().setReserve(reserve);
}
bool Session::everFits(ClassId id) const {
    return impl_->capacity().everFits(impl_->order().resourcesOf(id.value));
}
std::vector<ResourceNeed> Session::needs(ClassId id) const {
    return impl_->capacity().describe(impl_->order().resourcesOf(id.value));
}

void Session::addQueue(QueueId id, const QueueConfig& config, QueueState state, bool held,
                       const QueueCounters& counters, std::int64_t failedBefore) {
    impl_->addQueue(id, config, state, held, counters, failedBefore);
}
void Session::setLabelLimits(QueueId id, std::vector<std::pair<LabelId, int>> limits) {
    impl_->setLabelLimits(id, std::move(limits));
}
Result<void> Session::configureQueue(QueueId id, const QueueConfig& config) {
    return impl_->configureQueue(id, config);
}
const QueueConfig* Session::queueConfig(QueueId id) const {
    const Queue* q = impl_->findQueue(id);
    return q ? &q->config : nullptr;
}
Result<void> Session::holdQueue(QueueId id, Outbox& out) {
    return impl_->holdQueue(id, out);
}
Result<void> Session::releaseQueue(QueueId id) {
    return impl_->releaseQueue(id);
}
Result<void> Session::drainQueue(QueueId id) {
    return impl_->drainQueue(id);
}
Result<void> Session::cancelQueue(QueueId id, Outbox& out) {
    return impl_->cancelQueue(id, out);
}
Result<void> Session::forgetQueue(QueueId id, Outbox& out) {
    return impl_->forgetQueue(id, out);
}

void Session::add(std::span<const NewAction> actions, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner_);
    for (const NewAction& action : actions) impl_->add(action, now, out);
}
Result<RetryCounters> Session::checkReschedule(const FinishedAction& action, bool force) const {
    return impl_->checkReschedule(action, force);
}
void Session::reschedule(const NewAction& action, ActionState was, MonoTime now, Outbox& out) {
    impl_->reschedule(action, was, now, out);
}
Result<void> Session::cancel(Lsn lsn, Outbox& out) {
    return impl_->cancel(lsn, out);
}
Result<bool> Session::cancelLater(Lsn lsn, Outbox& out) {
    return impl_->cancelLater(lsn, out);
}
void Session::finishCancelled(Lsn lsn, Outbox& out) {
    impl_->finishCancelled(lsn, out);
}
Result<void> Session::hold(Lsn lsn, Outbox& out) {
    return impl_->hold(lsn, out);
}
Result<void> Session::release(Lsn lsn) {
    return impl_->release(lsn);
}
Result<void> Session::setPriority(Lsn lsn, int priority) {
    return impl_->setPriority(lsn, priority);
}
Result<void> Session::setQueue(Lsn lsn, QueueId queue) {
    return impl_->setQueue(lsn, queue);
}
Result<void> Session::mayCancel(Lsn lsn) const {
    return impl_->mayCancel(lsn);
}
Result<void> Session::mayHold(Lsn lsn) const {
    return impl_->mayHold(lsn);
}
Result<void> Session::mayMove(Lsn lsn) const {
    return impl_->mayMove(lsn);
}

void Session::submitting(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->began(lsn, attempt, Phase::Submitting, out);
}
void Session::running(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->began(lsn, attempt, Phase::Running, out);
}
void Session::returned(Lsn lsn, std::uint32_t attempt, Outbox& out) {
    impl_->returned(lsn, attempt, out);
}
void Session::keeping(Lsn lsn, std::uint32_t attempt) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->keeping(lsn, attempt);
}
void Session::ended(Lsn lsn, std::uint32_t attempt, const AttemptEnd& end, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->ended(lsn, attempt, end, now, out);
}
void Session::retryStored(Lsn lsn, Outbox& out) {
    impl_->retryStored(lsn, out);
}
void Session::finishStored(Lsn lsn, Outbox& out) {
    impl_->finishStored(lsn, out);
}

void Session::setLockElsewhere(LockId lock, bool held) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->order().setLockElsewhere(lock, held);
}

bool Session::schedule(MonoTime now, Outbox& out, bool mayStart) {
    YARD_ASSERT_OWNER(impl_->owner_);
    return impl_->schedule(now, out, mayStart);
}
void Session::takeBackAhead(Outbox& out) {
    impl_->takeBackAllAhead(out);
}
std::optional<MonoTime> Session::nextWake() const {
    return impl_->nextWake();
}
void Session::step(Outbox& out) {
    impl_->step(out);
}
bool Session::hasMoreWork() const {
    return impl_->hasMoreWork();
}

std::optional<LiveView> Session::live(Lsn lsn) const {
    return impl_->live(lsn);
}
Lsn Session::walkLive(Lsn from, int most, const std::function<void(const LiveView&)>& show) const {
    return impl_->walkLive(from, most, show);
}
std::optional<Waiting> Session::waiting(Lsn lsn, bool withPosition) const {
    return impl_->waiting(lsn, withPosition);
}
std::optional<std::int64_t> Session::unfinishedOf(Lsn array) const {
    return impl_->unfinishedOf(array);
}
std::vector<Lsn> Session::runningActions() const {
    return impl_->runningActions();
}
std::vector<Session::LockElsewhere> Session::locksElsewhere() const {
    std::vector<LockElsewhere> found;
    impl_->order().locks().forEach([&found](LockId lock, const LockBook::State& state) {
        if (state.elsewhere) found.push_back({lock, state.isWaitedFor()});
    });
    return found;
}
std::vector<LockStatus> Session::locks(int most) const {
    return impl_->locks(most);
}
std::size_t Session::locksHeld() const {
    return impl_->order().locks().held();
}
std::size_t Session::locksWaitedFor() const {
    std::size_t count = 0;
    impl_->order().locks().forEach(
        [&count](LockId, const LockBook::State& state) { count += state.isWaitedFor(); });
    return count;
}
std::optional<QueueStatus> Session::queueStatus(QueueId id) const {
    return impl_->queueStatus(id);
}
Outline Session::outline(int most) const {
    return impl_->outline(most);
}
std::uint32_t Session::revision() const {
    return impl_->revision();
}
void Session::setTurns(double virtualNow, std::span<const QueueTurns> turns) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->setTurns(virtualNow, turns);
}
void Session::setPassed(std::span<const Passed> passed) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->setPassed(passed);
}
void Session::learnRunTime(QueueId id, Duration took) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->learnRunTime(id, took);
}
SessionCounts Session::counts() const {
    return impl_->counts();
}
void Session::setChangeSink(std::function<void(const Change&)> sink) {
    YARD_ASSERT_OWNER(impl_->owner_);
    impl_->changeSink = std::move(sink);
}
std::size_t Session::memoryBytes() const {
    return impl_->memoryBytes();
}
void Session::check() const {
    impl_->check();
}

} // namespace yard::session

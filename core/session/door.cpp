// The door of the session: its parts, and calls that go to a part which is nobody else's.
#include "core/session/impl.h"
#include "core/session/outliner.h"
#include "core/session/patience.h"
#include "core/session/session.h"

namespace yard::session {

Session::Session(std::unique_ptr<Capacity> capacity, SessionOptions options)
    : impl_(std::make_unique<Impl>(std::move(capacity), options)) {}
Session::~Session() = default;

QueueCommands& Session::queues() {
    return impl_->queues;
}
const QueueCommands& Session::queues() const {
    return impl_->queues;
}
ActionCommands& Session::actions() {
    return impl_->actions;
}
PlaceCommands& Session::places() {
    return impl_->places;
}
const PlaceCommands& Session::places() const {
    return impl_->places;
}
Intake& Session::intake() {
    return impl_->intake;
}
Events& Session::events() {
    return impl_->events;
}
ResourceHolds& Session::holds() {
    return impl_->holds;
}
const ResourceHolds& Session::holds() const {
    return impl_->holds;
}
MachineCommands& Session::machines() {
    return impl_->machines;
}
const MachineCommands& Session::machines() const {
    return impl_->machines;
}
Shortage& Session::shortage() {
    return impl_->shortage;
}
const LiveViews& Session::views() const {
    return impl_->views;
}
const WaitReasons& Session::reasons() const {
    return impl_->reasons;
}
const Dependencies& Session::dependencies() const {
    return impl_->dependencies;
}

SessionState Session::state() const {
    return impl_->service.state();
}
Result<void> Session::moveTo(SessionState to, Outbox& out) {
    YARD_ASSERT_OWNER(impl_->owner);
    return impl_->moveTo(to, out);
}
void Session::defineClass(ClassId id, const Resources& resources, std::vector<LockId> locks,
                          std::optional<GateId> gate, const RetryLimits& limits, const Where& where) {
    impl_->ledger.order().defineClass(id, resources, std::move(locks), gate, limits, where);
}
void Session::setGate(GateId gate, int most) {
    impl_->ledger.classes().setGate(gate, most);
}
void Session::setReserve(Duration reserve) {
    impl_->ledger.order().reservation().setLimit(reserve);
}
bool Session::everFits(ClassId id) const {
    return impl_->capacity->mayFit(impl_->ledger.classes().allOf(id.value));
}
std::vector<ResourceNeed> Session::needs(ClassId id) const {
    return impl_->capacity->describe(impl_->ledger.classes().allOf(id.value));
}
Resources Session::taken() const {
    return impl_->capacity->taken();
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
Outline Session::outline(int most, MonoTime now) const {
    const Impl& of = *impl_;
    if (of.service.isAbandoned()) return {};
    return outlineOf({of.ledger, *of.capacity, of.timers, of.arrivals, of.holds, of.attempts, of.options}, most,
                     now);
}
std::uint32_t Session::revision() const {
    return impl_->ledger.revision();
}
void Session::setPassed(std::span<const Passed> passed) {
    YARD_ASSERT_OWNER(impl_->owner);
    setPassedOver(impl_->ledger, *impl_->capacity, impl_->holds, impl_->attempts, passed);
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

// The door of the session: its parts, and calls that go to a part which is nobody else's.
#include "core/session/impl.h"
#include "core/session/indexed_resources.h"
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
void Session::setMachineGate(MachineId id, fleet::Gate gate) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->capacity->setGate(id, gate);
}
void Session::addMachine(MachineId id, fleet::Machine machine) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->addMachine(id, std::move(machine));
}
void Session::changeMachine(MachineId id, fleet::Machine machine) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->changeMachine(id, std::move(machine));
}
void Session::removeMachine(MachineId id) {
    YARD_ASSERT_OWNER(impl_->owner);
    impl_->removeMachine(id);
}
void Session::setGate(GateId gate, int most) {
    impl_->ledger.classes().setGate(gate, most);
}
bool Session::isCrowded() const {
    return impl_->ledger.order().reservation().isCrowded();
}
bool Session::lacksCores() {
    if (!impl_->service.startsWork()) return false;
    int budget = 1'000; // of things looked at
    return impl_->ledger.order().lacksCores(budget);
}
std::int64_t Session::memoryLack() const {
    return impl_->ledger.order().reservation().memoryLack();
}
void Session::keepForLack() {
    impl_->ledger.order().reservation().keepForLack();
}
std::string Session::namedLack() const {
    return impl_->ledger.order().reservation().namedLack();
}
void Session::keepForNamedLack() {
    impl_->ledger.order().reservation().keepForNamedLack();
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
void Session::addPast(const QueueCounters& counters) {
    impl_->ledger.addPast(counters);
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
Outline Session::outline(int most, MonoTime now) const {
    const Impl& of = *impl_;
    if (of.service.isAbandoned()) return {};
    return outlineOf({of.ledger, *of.capacity, of.timers, of.arrivals, of.holds, of.attempts, of.options}, most,
                     now);
}
std::uint32_t Session::revision() const {
    return impl_->ledger.revision();
}
void Session::setPieceLost(std::string_view resource, std::string_view piece, bool isLost) {
    YARD_ASSERT_OWNER(impl_->owner);
    if (IndexedResources* indexed = impl_->capacity->indexed()) indexed->setLost(resource, piece, isLost);
}
std::optional<std::int64_t> Session::freePieces(std::string_view resource) const {
    const IndexedResources* indexed = std::as_const(*impl_->capacity).indexed();
    return indexed ? indexed->free(resource) : std::nullopt;
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

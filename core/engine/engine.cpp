// The door: where the services are that may be asked, and how a command comes to the engine thread.
#include "core/engine/engine.h"

#include "core/engine/kernel/kernel.h"

namespace yard::engine {

template<>
Accounting& serviceOf(Kernel& kernel) {
    return kernel.accounting();
}
template<>
ActionDetails& serviceOf(Kernel& kernel) {
    return kernel.details();
}
template<>
ActionRows& serviceOf(Kernel& kernel) {
    return kernel.rows();
}
template<>
Annotating& serviceOf(Kernel& kernel) {
    return kernel.annotating();
}
template<>
ChangeLog& serviceOf(Kernel& kernel) {
    return kernel.changes();
}
template<>
Facets& serviceOf(Kernel& kernel) {
    return kernel.facets();
}
template<>
FailureMutes& serviceOf(Kernel& kernel) {
    return kernel.failureMutes();
}
template<>
Failures& serviceOf(Kernel& kernel) {
    return kernel.failures();
}
template<>
Folding& serviceOf(Kernel& kernel) {
    return kernel.folding();
}
template<>
Graphs& serviceOf(Kernel& kernel) {
    return kernel.graphs();
}
template<>
Intake& serviceOf(Kernel& kernel) {
    return kernel.intake();
}
template<>
Listing& serviceOf(Kernel& kernel) {
    return kernel.listing();
}
template<>
LockWatch& serviceOf(Kernel& kernel) {
    return kernel.locks();
}
template<>
Operations& serviceOf(Kernel& kernel) {
    return kernel.operations();
}
template<>
Queues& serviceOf(Kernel& kernel) {
    return kernel.queues();
}
template<>
Reasons& serviceOf(Kernel& kernel) {
    return kernel.reasons();
}
template<>
Rescheduling& serviceOf(Kernel& kernel) {
    return kernel.rescheduling();
}
template<>
Results& serviceOf(Kernel& kernel) {
    return kernel.results();
}
template<>
Retention& serviceOf(Kernel& kernel) {
    return kernel.retention();
}
template<>
SettingsService& serviceOf(Kernel& kernel) {
    return kernel.settings();
}
template<>
StatsSampler& serviceOf(Kernel& kernel) {
    return kernel.figures();
}
template<>
WaitingCounts& serviceOf(Kernel& kernel) {
    return kernel.waiting();
}
template<>
WarmPool& serviceOf(Kernel& kernel) {
    return kernel.pool();
}
template<>
Watching& serviceOf(Kernel& kernel) {
    return kernel.watching();
}
template<>
Workers& serviceOf(Kernel& kernel) {
    return kernel.workers();
}

bool isClosing(const Kernel& kernel) {
    return kernel.isClosing();
}

void startCommand(Kernel& kernel, std::move_only_function<coro::Task<void>()> command) {
    kernel.loop().post([&kernel, command = std::move(command)]() mutable {
        kernel.placeThreads();
        kernel.loop().spawn("command", command());
    });
}

Engine::Engine(std::unique_ptr<Kernel> core)
    : core_(std::move(core)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(Options options) {
    auto core = std::make_unique<Kernel>(std::move(options));
    if (auto opened = core->open(); !opened) return std::unexpected(opened.error());
    return std::unique_ptr<Engine>(new Engine(std::move(core)));
}

void Engine::close() {
    core_->close();
}
void Engine::hurry() {
    core_->hurry();
}
void Engine::joinThreads() {
    core_->joinThreads();
}
const std::string& Engine::token() const {
    return core_->token();
}
const std::string& Engine::dataDir() const {
    return core_->dataDir();
}
store::ChunkStore& Engine::chunks() {
    return core_->chunks();
}
int Engine::sunsetFd() const {
    return core_->sunsetFd();
}
Result<void> Engine::publishAddress(const std::string& url, const std::string& fingerprint) {
    return core_->publishAddress(url, fingerprint);
}

coro::Task<TimelineView> Engine::timelines(TimelineQuery query) {
    return ask_detail::onEngine(*core_,
                                [this, q = std::move(query)]() mutable { return core_->timelines(std::move(q)); });
}
coro::Task<MetricsView> Engine::metrics() {
    return ask_detail::onEngine(*core_, [this] { return core_->metrics(); });
}
coro::Task<SessionView> Engine::session() {
    return ask_detail::onEngine(*core_, [this] { return core_->session(); });
}
coro::Task<Result<void>> Engine::moveSession(SessionState to) {
    return ask_detail::onEngine(*core_, [this, to] { return core_->moveSession(to); });
}

} // namespace yard::engine

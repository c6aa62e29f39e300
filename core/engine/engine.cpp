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
Overview& serviceOf(Kernel& kernel) {
    return kernel.overview();
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
SessionMoves& serviceOf(Kernel& kernel) {
    return kernel.sessionMoves();
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
TimelineKeeper& serviceOf(Kernel& kernel) {
    return kernel.timelines();
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

} // namespace yard::engine

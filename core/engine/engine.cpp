// The door: where the services are that may be asked, and how a command comes to the engine thread.
#include "core/engine/engine.h"

#include "core/engine/kernel/kernel.h"

#include <optional>
#include <tuple>
#include <type_traits>

namespace yard::engine {

namespace {

/// Those that can be asked, each with a line below. Settings are older than the services.
auto askable(Services& services) {
    return std::tie(services.accounting, services.alerts, services.allocators, services.details, services.rows,
                    services.annotating, services.changes, services.courtesy, services.facets,
                    services.failureMutes, services.failures, services.folding, services.graphs, services.guests,
                    services.inside, services.intake, services.kinds, services.listing, services.locks,
                    services.machines, services.moving, services.objects, services.operations, services.overview,
                    services.queues, services.reasons, services.recordings, services.replays, services.rescheduling,
                    services.results, services.retention, services.sessionMoves, services.schedules,
                    services.figures, services.timelines, services.waitingCounts, services.pool, services.watching,
                    services.workers);
}

} // namespace

template<class Service>
Service& serviceOf(Kernel& kernel) {
    if constexpr (std::is_same_v<Service, SettingsService>)
        return kernel.ground().settingsService;
    else
        return *std::get<std::optional<Service>&>(askable(kernel.services()));
}

template Accounting& serviceOf(Kernel& kernel);
template Alerts& serviceOf(Kernel& kernel);
template Allocators& serviceOf(Kernel& kernel);
template ActionDetails& serviceOf(Kernel& kernel);
template ActionRows& serviceOf(Kernel& kernel);
template Annotating& serviceOf(Kernel& kernel);
template ChangeLog& serviceOf(Kernel& kernel);
template CourtesyService& serviceOf(Kernel& kernel);
template Facets& serviceOf(Kernel& kernel);
template FailureMutes& serviceOf(Kernel& kernel);
template Failures& serviceOf(Kernel& kernel);
template Folding& serviceOf(Kernel& kernel);
template Graphs& serviceOf(Kernel& kernel);
template Guests& serviceOf(Kernel& kernel);
template Inside& serviceOf(Kernel& kernel);
template Intake& serviceOf(Kernel& kernel);
template KindKeeper& serviceOf(Kernel& kernel);
template Listing& serviceOf(Kernel& kernel);
template LockWatch& serviceOf(Kernel& kernel);
template Machines& serviceOf(Kernel& kernel);
template Moving& serviceOf(Kernel& kernel);
template Objects& serviceOf(Kernel& kernel);
template Operations& serviceOf(Kernel& kernel);
template Overview& serviceOf(Kernel& kernel);
template Queues& serviceOf(Kernel& kernel);
template Reasons& serviceOf(Kernel& kernel);
template Recordings& serviceOf(Kernel& kernel);
template Replays& serviceOf(Kernel& kernel);
template Rescheduling& serviceOf(Kernel& kernel);
template Results& serviceOf(Kernel& kernel);
template Retention& serviceOf(Kernel& kernel);
template Schedules& serviceOf(Kernel& kernel);
template SessionMoves& serviceOf(Kernel& kernel);
template SettingsService& serviceOf(Kernel& kernel);
template StatsSampler& serviceOf(Kernel& kernel);
template TimelineKeeper& serviceOf(Kernel& kernel);
template WaitingCounts& serviceOf(Kernel& kernel);
template WarmPool& serviceOf(Kernel& kernel);
template Watching& serviceOf(Kernel& kernel);
template Workers& serviceOf(Kernel& kernel);

bool isClosing(const Kernel& kernel) {
    return kernel.isClosing();
}

void startCommand(Kernel& kernel, std::move_only_function<coro::Task<void>()> command) {
    kernel.ground().loop.post([&kernel, command = std::move(command)]() mutable {
        kernel.placeThreads();
        kernel.ground().loop.spawn("command", command());
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
    core_->ground().together.join();
}
const std::string& Engine::token() const {
    return core_->ground().token;
}
const std::string& Engine::dataDir() const {
    return core_->ground().directory->path();
}
store::ChunkStore& Engine::chunks() {
    return *core_->ground().chunks;
}
int Engine::sunsetFd() const {
    return core_->services().sessionMoves->sunsetFd();
}
Result<void> Engine::publishAddress(const std::string& url, const std::string& fingerprint) {
    core_->ground().pilotTickets.publish({.url = url, .fingerprint = fingerprint});
    return core_->ground().directory->publishAddress(url, fingerprint);
}

PilotTickets& Engine::pilotTickets() {
    return core_->ground().pilotTickets;
}

} // namespace yard::engine

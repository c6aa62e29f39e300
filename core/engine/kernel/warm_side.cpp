#include "core/engine/kernel/warm_side.h"

#include "core/base/log.h"
#include "core/coro/part.h"
#include "core/session/shortage.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

namespace {

/// Those of the batch whose numbers are such; the others stay. Both keep their order.
std::vector<runners::Update> takeOut(std::vector<runners::Update>& batch, bool (*isSuch)(runners::AttemptId)) {
    std::vector<runners::Update> all;
    for (runners::Update& update : batch)
        if (isSuch(update.id)) all.push_back(std::move(update));
    if (!all.empty()) std::erase_if(batch, [&](const runners::Update& update) { return isSuch(update.id); });
    return all;
}

} // namespace

Result<void> WarmSide::start() {
    YARD_ASSERT_OWNER(owner_);
    services_.warmHost.emplace(EngineWarmHost::Parts{
        .loop = ground_.loop,
        .session = *services_.session,
        .workspaces = *services_.workspaces,
        .helpers = *ground_.helpers,
        .gpus = ground_.gpus,
        .dataDir = ground_.directory->path(),
        .wake = wake_,
        .lacksMemory = [this](const std::string& worker) { return services_.classes->lacksMemory(worker); },
    });
    runners::WarmConfig config;
    config.dataDir = ground_.directory->path();
    config.firstSlot = SlotId(static_cast<std::uint32_t>(ground_.slotPlan.core + ground_.slotPlan.shared));
    config.slots = static_cast<unsigned>(ground_.slotPlan.warm);
    config.durable = ground_.isDurable();
    config.grace = ground_.settings.grace;
    config.pool = options();
    auto warm = runners::WarmRunner::start(std::move(config), *services_.places->machine(), *services_.warmHost,
                                           [this](std::vector<runners::Update> batch) {
                                               told(std::move(batch));
                                               services_.pool->mayBeBusy();
                                           });
    if (!warm) return std::unexpected(warm.error());
    services_.warm = std::move(*warm);
    services_.warmHost->attach(*services_.warm);
    services_.warmWatch.emplace(ground_.loop, services_.warm->pollFd());
    std::vector<const RegisteredWorker*> workers = services_.registry.all();
    std::ranges::sort(workers, {}, &RegisteredWorker::order);
    for (const RegisteredWorker* worker : workers) addWorker(worker->id, worker->descriptor);
    return {};
}

/// Of actions, and of what actors were asked.
void WarmSide::told(std::vector<runners::Update> batch) {
    std::vector<runners::Update> ofActors = takeOut(batch, runners::isLook);
    if (!batch.empty()) {
        const coro::Part part("yard::engine::Execution::updates");
        services_.execution->updates(std::move(batch));
    }
    if (!ofActors.empty()) services_.actors->updates(std::move(ofActors));
}

void WarmSide::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<runners::Update> ofGuests = takeOut(batch, runners::isGuest);
    std::vector<runners::Update> ofProcesses = takeOut(batch, runners::isWarmProcess);
    std::vector<runners::Update> ofHooks = takeOut(batch, runners::isHook);
    if (!batch.empty()) {
        const coro::Part part("yard::engine::Execution::updates");
        services_.execution->updates(std::move(batch));
    }
    if (!ofProcesses.empty()) services_.guards->limitsMayApply();
    for (runners::Update& update : ofProcesses) services_.warm->processUpdate(std::move(update));
    if (!ofGuests.empty()) services_.guestJobs->updates(std::move(ofGuests));
    if (!ofHooks.empty()) services_.hooks->updates(std::move(ofHooks));
}

coro::Task<void> WarmSide::watch() {
    for (;;) {
        const int err = co_await services_.warmWatch->readable();
        if (err != 0) co_return;
        const coro::Part part("yard::runners::WarmRunner::onReadable");
        services_.warm->onReadable();
    }
}

void WarmSide::settingsChanged() {
    if (services_.warm) services_.warm->configure(options(), ground_.settings.grace);
}

pool::PoolOptions WarmSide::options() const {
    return poolOptions(ground_.settings, ground_.capacity, ground_.slotPlan.warm);
}

void WarmSide::takeIdleMemory() {
    if (!services_.warm || services_.warm->views().alive() == services_.warm->views().busy()) return;
    // Or the next process of the same worker would have it again.
    if (const std::int64_t lack = services_.session->shortage().memoryLack();
        lack > 0 && services_.warm->giveMemory(lack))
        services_.session->shortage().keepForMemoryLack();
    if (!services_.warm->keepAny()) return;
    if (const std::string lack = services_.session->shortage().namedLack();
        !lack.empty() && services_.warm->giveNamed(lack))
        services_.session->shortage().keepForNamedLack();
}

void WarmSide::addWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor) {
    const auto gate = services_.classes->gateOf(id);
    if (!gate || !services_.warm) return;
    services_.warm->addWorker(id, descriptor, gate->value);
    services_.classes->workerCame(id);
}

} // namespace yard::engine

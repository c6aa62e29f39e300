// The warm runner as the engine has it: its start, workers that come, and what the launcher says of its processes.
#include "core/engine/kernel/kernel.h"

#include "core/base/log.h"

#include <algorithm>

namespace yard::engine {

pool::PoolOptions Kernel::poolOptions() const {
    pool::PoolOptions options;
    options.max = static_cast<unsigned>(settings_.poolMax > 0 ? settings_.poolMax : std::max(2 * capacity_, 4));
    options.max = std::min(options.max, static_cast<unsigned>(poolSlots_));
    options.maxPerGroup = static_cast<unsigned>(settings_.poolMaxPerGroup);
    options.maxIdle = settings_.poolMaxIdle;
    return options;
}

Result<void> Kernel::startWarm() {
    warmHost_.emplace(EngineWarmHost::Parts{
        .loop = loop_,
        .session = *session_,
        .workspaces = *workspaces_,
        .helpers = *helpers_,
        .dataDir = directory_->path(),
        .wake = [this] { wake(); },
        .lacksMemory = [this](const std::string& worker) { return classes_->lacksMemory(worker); },
    });
    runners::WarmConfig config;
    config.dataDir = directory_->path();
    config.firstSlot = SlotId(static_cast<std::uint32_t>(coreSlots_ + sharedSlots_));
    config.slots = static_cast<unsigned>(poolSlots_);
    config.durable = isDurable();
    config.grace = settings_.grace;
    config.pool = poolOptions();
    auto warm = runners::WarmRunner::start(std::move(config), *places_->machine(), *warmHost_,
                                           [this](std::vector<runners::Update> batch) {
                                               execution_->updates(std::move(batch));
                                               pool_->mayBeBusy();
                                           });
    if (!warm) return std::unexpected(warm.error());
    warm_ = std::move(*warm);
    warmHost_->attach(*warm_);
    warmWatch_.emplace(loop_, warm_->pollFd());
    std::vector<const RegisteredWorker*> workers = registry_.all();
    std::ranges::sort(workers, {}, &RegisteredWorker::order);
    for (const RegisteredWorker* worker : workers) addWarmWorker(worker->id, worker->descriptor);
    return {};
}

/// The launcher tells of actions and of warm processes in one stream.
void Kernel::runnerUpdates(std::vector<runners::Update> batch) {
    std::vector<runners::Update> ofProcesses;
    for (runners::Update& update : batch)
        if (runners::isWarmProcess(update.id)) ofProcesses.push_back(std::move(update));
    if (!ofProcesses.empty())
        std::erase_if(batch, [](const runners::Update& update) { return runners::isWarmProcess(update.id); });
    if (!batch.empty()) execution_->updates(std::move(batch));
    if (!ofProcesses.empty()) guards_->limitsMayApply();
    for (runners::Update& update : ofProcesses) warm_->processUpdate(std::move(update));
}

/// What warm processes had been sent when the last engine died: the processes themselves are in `slots`. Returns
/// how many entries are damaged.
unsigned Kernel::readWarmEntries() {
    const auto file = runners::SlotsFile::open(directory_->path() + "/slots.warm");
    if (!file) {
        if (file.error().kind != ErrorKind::NotFound)
            logWarning("engine", "what warm workers had been sent cannot be read: {}", file.error().message);
        return 0;
    }
    interruptedWarm_ = file->entries();
    return file->damaged();
}

/// Warm processes keep their memory while they are idle, until somebody lacks just that.
void Kernel::takeIdleMemory() {
    if (!warm_ || warm_->views().alive() == warm_->views().busy()) return;
    // Or the next process of the same worker would have it again.
    if (const std::int64_t lack = session_->memoryLack(); lack > 0 && warm_->giveMemory(lack))
        session_->keepForLack();
}

void Kernel::addWarmWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor) {
    const auto gate = classes_->gateOf(id);
    if (!gate || !warm_) return;
    warm_->addWorker(id, descriptor, gate->value);
    classes_->workerCame(id);
}

} // namespace yard::engine

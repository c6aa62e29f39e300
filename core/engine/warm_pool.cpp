// The warm pool as the engine has it: its start, workers that come, and what people ask and change.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/coro/one_shot.h"
#include "core/coro/timeout.h"
#include "core/engine/usage_reading.h"
#include "core/model/json_reader.h"
#include "core/model/json_writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr Duration kSampleEach{1'000'000};
/// A launcher that is stopped, or very busy.
constexpr Duration kTellWithin{5'000'000};

} // namespace

pool::PoolOptions EngineCore::poolOptions() const {
    pool::PoolOptions options;
    options.max = static_cast<unsigned>(settings_.poolMax > 0 ? settings_.poolMax : std::max(2 * capacity_, 4));
    options.max = std::min(options.max, static_cast<unsigned>(poolSlots_));
    options.maxPerGroup = static_cast<unsigned>(settings_.poolMaxPerGroup);
    options.maxIdle = settings_.poolMaxIdle;
    return options;
}

Result<void> EngineCore::startWarm() {
    warmHost_.emplace(EngineWarmHost::Parts{
        .loop = loop_,
        .session = *session_,
        .dispatcher = *dispatcher_,
        .helpers = *helpers_,
        .dataDir = directory_->path(),
        .wake = [this] { wake(); },
        .lacksMemory =
            [this](const std::string& worker) {
                for (std::uint32_t cls = 0; cls < dictionary_.classCount(); ++cls) {
                    if (dictionary_.classKey(cls).workerId != worker) continue;
                    if (const auto need = memoryNeed(session::ClassId{cls}); need && need->free < need->need)
                        return true;
                }
                return false;
            },
    });
    runners::WarmConfig config;
    config.dataDir = directory_->path();
    config.firstSlot = SlotId(static_cast<std::uint32_t>(coreSlots_ + sharedSlots_));
    config.slots = static_cast<unsigned>(poolSlots_);
    config.durable = isDurable();
    config.grace = settings_.grace;
    config.pool = poolOptions();
    auto warm = runners::WarmRunner::start(std::move(config), *runner_, *warmHost_,
                                           [this](std::vector<runners::Update> batch) {
                                               dispatcher_->updates(std::move(batch));
                                               warmWork_.set();
                                           });
    if (!warm) return std::unexpected(warm.error());
    warm_ = std::move(*warm);
    warmHost_->attach(*warm_);
    warmWatch_.emplace(loop_, warm_->pollFd());
    std::vector<const RegisteredWorker*> workers = workers_.all();
    std::ranges::sort(workers, {}, &RegisteredWorker::order);
    for (const RegisteredWorker* worker : workers) addWarmWorker(worker->id, worker->descriptor);
    return {};
}

/// The launcher tells of actions and of warm processes in one stream.
void EngineCore::localUpdates(std::vector<runners::Update> batch) {
    std::vector<runners::Update> ofProcesses;
    for (runners::Update& update : batch)
        if (runners::isWarmProcess(update.id)) ofProcesses.push_back(std::move(update));
    if (!ofProcesses.empty())
        std::erase_if(batch, [](const runners::Update& update) { return runners::isWarmProcess(update.id); });
    if (!batch.empty()) dispatcher_->updates(std::move(batch));
    if (!ofProcesses.empty()) guards_->limitsMayApply();
    for (runners::Update& update : ofProcesses) warm_->processUpdate(std::move(update));
}

/// What warm processes had been sent when the last engine died: the processes themselves are in `slots`. Returns
/// how many entries are damaged.
unsigned EngineCore::readWarmEntries() {
    const auto file = runners::SlotsFile::open(directory_->path() + "/slots.warm");
    if (!file) {
        if (file.error().kind != ErrorKind::NotFound)
            logWarning("engine", "what warm workers had been sent cannot be read: {}", file.error().message);
        return 0;
    }
    std::ranges::copy(file->entries(), std::back_inserter(interrupted_));
    return file->damaged();
}

/// Nothing: the class asks for none.
std::optional<session::ResourceNeed> EngineCore::memoryNeed(session::ClassId cls) const {
    const std::vector<session::ResourceNeed> needs = session_->needs(cls);
    const auto memory = std::ranges::find(needs, "memory_mb", &session::ResourceNeed::resource);
    return memory == needs.end() ? std::nullopt : std::optional(*memory);
}

/// Warm processes keep their memory while they are idle, until somebody lacks just that.
void EngineCore::takeIdleMemory() {
    if (!warm_ || warm_->alive() == warm_->busy()) return;
    // Or the next process of the same worker would have it again.
    if (const std::int64_t lack = session_->memoryLack(); lack > 0 && warm_->giveMemory(lack))
        session_->keepForLack();
}

// --- workers and classes

std::optional<session::GateId> EngineCore::gateOf(const std::string& id) {
    const RegisteredWorker* worker = workers_.find(id);
    if (!worker || worker->descriptor->mode != WorkerMode::Warm) return std::nullopt;
    return session::GateId(gates_.try_emplace(id, static_cast<std::uint32_t>(gates_.size())).first->second);
}

void EngineCore::defineClass(std::uint32_t cls) {
    const ClassKey& key = dictionary_.classKey(cls);
    std::vector<session::LockId> locks;
    for (const std::string& name : key.locks) locks.emplace_back(dictionary_.internLock(name));
    session_->defineClass(session::ClassId{cls}, key.resources, std::move(locks), gateOf(key.workerId),
                          key.retryLimits);
}

void EngineCore::addWarmWorker(const std::string& id, const std::shared_ptr<const WorkerDescriptor>& descriptor) {
    const auto gate = gateOf(id);
    if (!gate || !warm_) return;
    warm_->addWorker(id, descriptor, gate->value);
    // Classes of it may be known from before it was removed; then they were like any other.
    for (std::uint32_t cls = 0; cls < dictionary_.classCount(); ++cls)
        if (dictionary_.classKey(cls).workerId == id) defineClass(cls);
}

// --- looking after processes

coro::Task<void> EngineCore::sampleWarm(std::vector<runners::ProcessLook> looks) {
    if (looks.empty()) co_return;
    const auto samples = co_await helpers_->run([looks, adopter = adopter()] {
        std::vector<Leader> leaders;
        leaders.reserve(looks.size());
        for (const runners::ProcessLook& look : looks) leaders.push_back({look.pid, look.lsn, look.memoryLimit});
        const auto trees = readTrees(leaders, adopter);
        std::vector<runners::ProcessSample> seen;
        for (const runners::ProcessLook& look : looks) {
            const auto found = trees.find(look.pid);
            if (found == trees.end()) continue;
            const TreeReading& tree = found->second;
            seen.push_back({look.pid, static_cast<double>(tree.cpu) / 1e6, tree.rssBytes,
                            look.socket == 0 || hasSocket(look.pid, look.socket), tree.memoryBytes(),
                            tree.processes});
        }
        return seen;
    });
    warm_->sampled(samples);
    guards_->limitsMayApply();
}

/// Looks at the processes while they are used: one over its memory is replaced, one without its socket ended.
coro::Task<void> EngineCore::guardWarm() {
    for (;;) {
        if (warm_->busy() == 0) {
            warmWork_.clear();
            co_await warmWork_.wait();
        }
        co_await coro::sleepFor(kSampleEach);
        co_await sampleWarm(warm_->looks(!std::exchange(samplesIdle_, false)));
    }
}

// --- questions and changes

PoolProcessView EngineCore::viewOf(const runners::WarmProcessView& process) const {
    PoolProcessView view;
    view.id = process.id;
    view.worker = process.worker;
    view.state = process.state;
    view.whyStarted = process.whyStarted;
    view.whyEnded = process.whyEnded;
    view.note = process.note;
    view.pid = process.pid;
    view.sessions = process.sessions;
    view.concurrency = process.concurrency;
    view.processed = process.processed;
    view.current = process.current;
    if (process.currentSince) view.currentSince = scale_.at(*process.currentSince);
    view.cpuSeconds = process.cpuSeconds;
    view.rssBytes = process.rssBytes;
    if (process.started != MonoTime{}) view.started = scale_.at(process.started);
    if (process.lastUsed != MonoTime{}) view.lastUsed = scale_.at(process.lastUsed);
    if (process.ended != MonoTime{}) view.ended = scale_.at(process.ended);
    return view;
}

coro::Task<PoolView> EngineCore::pool() {
    co_await sampleWarm(warm_->looks(false));
    const runners::WarmPoolView seen = warm_->view();
    PoolView view;
    view.max = seen.options.max;
    view.maxPerGroup = seen.options.maxPerGroup;
    view.maxIdle = seen.options.maxIdle;
    for (const runners::WarmGroupView& group : seen.groups) {
        PoolGroupView& to = view.groups.emplace_back();
        to.worker = group.worker;
        to.name = group.name;
        to.version = group.version;
        to.minProcesses = group.limits.minProcesses;
        to.maxProcesses = group.limits.maxProcesses;
        to.maxRequests = group.limits.maxRequests;
        to.maxIdle = group.limits.maxIdle;
        to.globalQueue = group.limits.globalQueue;
        to.memoryMb = group.memoryMb;
        if (group.restart) to.restart = {group.restart->done, group.restart->of};
        // In the pool waits what could be handed out, in the session the rest.
        to.waiting = session_->waitingAt(session::GateId(group.gate)) + static_cast<std::int64_t>(group.waiting);
        to.spawning = group.spawning;
        to.hitRate = group.hitRate;
        to.spawnSecondsSaved = group.spawnSecondsSaved;
        for (const auto& process : group.processes) to.processes.push_back(viewOf(process));
    }
    for (const auto& process : seen.gone) view.gone.push_back(viewOf(process));
    co_return view;
}

coro::Task<Result<PoolProcessDetail>> EngineCore::poolProcess(std::string id) {
    using Output = std::shared_ptr<const runners::OutputEnds>;
    coro::OneShot<Output> told("output of a process");
    const auto asked = warm_->askOutput(id, [promise = std::make_shared<coro::Promise<Output>>(told.promise())](
                                                Output output) { promise->set(std::move(output)); });
    if (!asked) co_return std::unexpected(asked.error());
    const std::optional<Output> came =
        co_await coro::within(kTellWithin, [](coro::OneShot<Output>& shot) -> coro::Task<Output> {
            co_return co_await shot.get();
        }(told));
    if (!came)
        co_return fail(ErrorKind::Busy,
                       "The launcher does not say what the process printed; try again in a moment.");
    if (const auto alive = warm_->view(id); alive && alive->pid != 0 && alive->ended == MonoTime{})
        co_await sampleWarm(warm_->looks(id));
    const auto seen = warm_->view(id);
    if (!seen) co_return fail(ErrorKind::NotFound, fmt::format("Process \"{}\" has just been forgotten.", id));
    PoolProcessDetail detail;
    detail.process = viewOf(*seen);
    if (const Output& output = *came) {
        detail.out = {output->out.size, output->out.bytes};
        detail.err = {output->err.size, output->err.bytes};
    }
    co_return detail;
}

/// The pool's limits are settings: kept, and in force at once.
coro::Task<Result<PoolView>> EngineCore::changePool(std::string json) {
    const auto tape = readJson(json);
    if (!tape) co_return std::unexpected(tape.error());
    if (!tape->root().isObject())
        co_return fail(ErrorKind::Invalid, "Give an object with \"max\", \"max_per_group\" or \"max_idle_s\".");
    std::string settings;
    JsonWriter writer(settings);
    writer.openObject();
    for (const JsonView member : tape->root()) {
        const std::string name(member.key());
        if (name != "max" && name != "max_per_group" && name != "max_idle_s")
            co_return invalid(name, fmt::format("The pool has no \"{}\": it takes \"max\", \"max_per_group\" and "
                                                "\"max_idle_s\".",
                                                name));
        writer.key("pool_" + name);
        const JsonNode& node = member.node();
        if (node.kind == JsonKind::Integer)
            writer.integer(node.integer);
        else if (node.kind == JsonKind::Number)
            writer.number(node.number);
        else if (node.kind == JsonKind::Null)
            writer.raw("null");
        else
            co_return invalid(name, fmt::format("Give \"{}\" as a number.", name));
    }
    writer.closeObject();
    const auto changed = co_await changeSettings(std::move(settings));
    if (!changed) {
        Error error = changed.error();
        // By the names that they have here.
        constexpr std::string_view kPrefix = "pool_";
        if (error.field.starts_with(kPrefix)) {
            error.field.erase(0, kPrefix.size());
            if (const auto at = error.message.find(kPrefix); at != std::string::npos)
                error.message.erase(at, kPrefix.size());
        }
        co_return std::unexpected(std::move(error));
    }
    co_return co_await pool();
}

coro::Task<Result<void>> EngineCore::restartPool(std::string ref) {
    const RegisteredWorker* worker = workers_.find(ref);
    if (!worker) co_return unknownWorker(ref);
    if (!warm_->restart(worker->id))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Worker \"{}\" runs one process for each action: it has none to restart.", ref));
    co_return Result<void>{};
}

coro::Task<Result<void>> EngineCore::endPoolProcess(std::string id) {
    if (!warm_->detach(id))
        co_return fail(
            ErrorKind::NotFound,
            fmt::format("There is no warm process \"{}\", or it ends already; GET pool lists them.", id));
    co_return Result<void>{};
}

} // namespace yard::engine

// Start and end of the engine. The order of a start: the directory's lock, then the end of everything an earlier
// engine left alive, then the journal, then what was interrupted goes back to Pending, then work begins.
#include "core/engine/kernel/kernel.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/coro/timeout.h"
#include "core/lease/left_stream.h"
#include "core/sandbox/networks.h"
#include "core/session/capacity.h"
#include "core/session/intake.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <span>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <thread>
#include <unordered_map>

namespace yard::engine {

namespace {

constexpr int kHelpers = 2;
/// Commands of bars are looked up for this long before others who read get their turn.
constexpr Duration kNamesPortion{8'000};
constexpr std::size_t kRunIdBytes = 8;
/// Beyond the grace of running actions: to commit what ended and to let the launcher go. Inside main's 10 s.
constexpr Duration kShutdownSlack{6'000'000};
/// For the journal to take what the last engine left unfinished.
constexpr Duration kStartLimit{30'000'000};
constexpr Duration kIdleCheck{100'000};
// Slots for actions that take one core, and at least so many more for those that take less, or other resources.
constexpr int kSharedSlots = 16;
/// Of the launcher, for warm processes at most.
constexpr int kMostPoolSlots = 256;
constexpr int kFewestPoolSlots = 16;
/// Handed out and not ended, whatever they need: what waits behind what runs included.
constexpr int kMostOutstanding = 4'096;
constexpr int kMostCoreSlots = static_cast<int>(runners::SlotsFile::kMaxSlots) - kSharedSlots - kMostPoolSlots;

} // namespace

Kernel::Kernel(Options options)
    : options_(std::move(options))
    , loop_({.name = "engine"})
    , committer_(loop_, [this] { wake(); }) {}

Kernel::~Kernel() {
    close();
}

Result<void> Kernel::openDirectory() {
    auto directory = store::DataDirectory::open(options_.dataDir);
    if (!directory) return std::unexpected(directory.error());
    directory_.emplace(std::move(*directory));
    if (options_.onOwned)
        if (auto fine = options_.onOwned(); !fine) return fine;
    auto token = directory_->token(options_.tokenFile);
    if (!token) return std::unexpected(token.error());
    token_ = std::move(*token);
    runId_ = randomHex(kRunIdBytes);
    // Orphans of actions come to the launcher; when that dies they come to us.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    return {};
}

Result<void> Kernel::readSettings() {
    if (auto read = settingsService_.read(directory_->settings(), options_); !read) return read;
    settingsService_.onChanged([this](const Settings& before) { settingsChanged(before); });
    capacity_ = settings_.capacity > 0 ? static_cast<int>(settings_.capacity)
                                       : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    return {};
}

void Kernel::settingsChanged(const Settings& before) {
    chunkFiles_->setGrace(settings_.chunkGrace);
    session_->setReserve(settings_.reserve);
    retention_->settingsChanged();
    guards_->settingsChanged(before);
    if (warm_) warm_->configure(poolOptions(), settings_.grace);
}

host::ResourceSettings Kernel::resourceSettings() const {
    host::ResourceSettings resources;
    for (const auto& [name, amount] : settings_.resources) {
        if (name == "memory_mb")
            resources.memoryMb = std::llround(amount);
        else
            resources.named.emplace_back(name, std::llround(amount * 1000));
    }
    resources.named.emplace_back(kTerminals, settings_.maxTerminals * 1000);
    if (options_.resources.memoryMb) resources.memoryMb = options_.resources.memoryMb;
    resources.named.insert(resources.named.end(), options_.resources.named.begin(), options_.resources.named.end());
    return resources;
}

Result<void> Kernel::openStorage() {
    const bool power = isDurable();
    std::vector<std::string> streams;
    for (const runners::SlotEntry& entry : interrupted_)
        for (const runners::Stream stream : {runners::Stream::Out, runners::Stream::Err})
            streams.push_back(runners::streamName(entry.id, stream));
    auto files = store::ChunkFiles::open(directory_->chunks(), power, settings_.chunkGrace, streams);
    if (!files) return std::unexpected(files.error());
    chunkFiles_ = std::move(*files);
    store::StoreOptions options;
    options.path = directory_->journal();
    if (power) options.durability = store::Durability::Power;
    store::StoreCallbacks callbacks;
    callbacks.acks = [this](store::Acks acks) { committer_.deliver(std::move(acks)); };
    callbacks.specs = [this](std::vector<store::FetchedSpec> specs) {
        loop_.post([this, specs = std::move(specs)]() mutable { execution_->specsArrived(std::move(specs)); },
                   coro::Band::Updates);
    };
    callbacks.begun = [this] { together_.join(); };
    auto store = store::Store::open(options, *chunkFiles_, std::move(callbacks));
    if (!store) return std::unexpected(store.error());
    store_ = std::move(*store);
    committer_.attach(*store_);
    return {};
}

Result<void> Kernel::open() {
    if (auto opened = openDirectory(); !opened) return opened;
    if (auto read = readSettings(); !read) return read;
    auto recovered = runners::recoverSlots(directory_->slots(), directory_->engineId());
    if (!recovered) return std::unexpected(recovered.error());
    if (recovered->killed > 0) logWarning("engine", "ended {} processes of an earlier engine", recovered->killed);
    interrupted_ = std::move(recovered->interrupted);
    if (auto told = recoverBeside(); !told) return told;
    if (const unsigned damaged = recovered->damaged + readWarmEntries(); damaged > 0)
        logWarning(
            "engine",
            "{} damaged entries of \"slots\" were passed over: an action that only they name counts as never "
            "started, and starts again without an interruption",
            damaged);
    if (auto opened = openStorage(); !opened) return opened;
    sandboxing_.emplace(!options_.noSandbox);
    helpers_.emplace(kHelpers);
    settingsService_.useHelpers(*helpers_);
    auto scratch = runners::ScratchHome::open(directory_->path());
    if (!scratch) return std::unexpected(scratch.error());

    session::SessionOptions options;
    if (auto fit = fitSlots(); !fit) return fit;
    options.slotCount = coreSlots_ + coresBeside();
    options.sharedSlots = sharedSlots_;
    options.maxOutstanding = std::min(
        kMostOutstanding, options.slotCount * static_cast<int>(runners::kLeasesPerSlot) + options.sharedSlots);
    total_ = host::machineResources(capacity_, resourceSettings());
    total_.milliCores += std::int64_t{1000} * coresBeside();
    session_.emplace(std::make_unique<session::MachineCapacity>(total_), options);
    session_->setReserve(settings_.reserve);
    openServices();
    if (auto opened = openSessionMoves(); !opened) return opened;
    openExecution(std::move(*scratch));
    openGuards();
    loop_.release();
    std::promise<Result<void>> begun;
    std::future<Result<void>> began = begun.get_future();
    thread_ = std::thread([this, begun = std::move(begun)]() mutable { runLoop(std::move(begun)); });
    auto result = began.get();
    return result;
}

/// Cores of the runners beside this machine.
int Kernel::coresBeside() const {
    unsigned cores = 0;
    for (const auto& source : options_.runners) cores += source->cores();
    return static_cast<int>(cores);
}

/// What they had out when the last engine died.
Result<void> Kernel::recoverBeside() {
    for (const auto& source : options_.runners) {
        auto told = source->recover();
        if (!told) return std::unexpected(told.error());
        interrupted_.insert(interrupted_.end(), told->begin(), told->end());
    }
    return {};
}

Adopter Kernel::adopter() const {
    return {.pid = places_ && places_->machine() ? places_->machine()->launcherPid() : 0,
            .token = directory_->engineId()};
}

/// Somebody takes much: of actions and of warm processes, idle ones too, each is looked at.
void Kernel::lookForMemory() {
    monitor_->lookAtAllNext();
    pool_->lookAtIdleNext();
}

/// The engine thread: what is read at the start is read here, before the loop runs.
void Kernel::runLoop(std::promise<Result<void>> begun) {
    nameThisThread("engine");
    together_.join();
    if (auto opened = begin(); !opened) {
        begun.set_value(std::move(opened));
    } else {
        loop_.spawn("start", beginWork(std::move(begun)));
        loop_.runForever();
    }
    loop_.shutdown();
    if (places_) places_->close();
    warmWatch_.reset();
}

Result<void> Kernel::begin() {
    if (auto restored = restore(); !restored) return restored;
    store_->start();
    auto chunks = store::ChunkStore::open(*chunkFiles_, *store_);
    if (!chunks) return std::unexpected(chunks.error());
    chunks_ = std::move(*chunks);
    auto reader = store::ReaderThread::start(*store_);
    if (!reader) return std::unexpected(reader.error());
    reader_ = std::move(*reader);
    retention_.emplace(Retention::Parts{*store_, *chunkFiles_, store::DiskReserve(directory_->path()), committer_,
                                        *helpers_, counters_, settings_, directory_->workers(),
                                        options_.retentionYoungest, [this] { return attempts_.oldestCollection(); },
                                        [this](Lsn lsn) {
                                            annotations_.forget(lsn);
                                            changes_->noteRetired(lsn);
                                        }});
    figures_.emplace(StatsSampler::Parts{.helpers = *helpers_,
                                         .monitor = *monitor_,
                                         .session = *session_,
                                         .counters = counters_,
                                         .path = directory_->stats(),
                                         .journal = directory_->journal(),
                                         .wallOf = [this](MonoTime at) { return scale_.at(at); },
                                         .adopter = [this] { return adopter(); },
                                         .isWatched = [this] { return changes_->feed().isOpen(); },
                                         .surged = [this] { lookForMemory(); }});
    timelines_.emplace(TimelineKeeper::Parts{
        .helpers = *helpers_,
        .execution = *execution_,
        .dictionary = dictionary_,
        .directory = directory_->timeline(),
        .wallOf = [this](MonoTime at) { return scale_.at(at); },
        .commands = [this](std::vector<Lsn> lsns) { return commandsOf(std::move(lsns), kNamesPortion); }});
    openOverview();
    // Empty output is one chunk for all: kept from the beginning, not written with each result.
    if (auto posted =
            store_->post({.tag = 0, .unhurried = true, .action = store::PutChunk{{Hash256::ofNothing(), {}}}});
        !posted)
        return posted;
    return {};
}

/// What was interrupted is committed before the runner makes a new slots file, which forgets it: an engine that
/// dies in between finds it again. Nothing starts before the session is Ready.
coro::Task<void> Kernel::beginWork(std::promise<Result<void>> begun) {
    workspaces_->attach(*chunks_);
    co_await workspaces_->keepLeftStreams(directory_->chunks() + "/tmp/");
    loop_.spawn("pump", pump());
    wake();
    const MonoTime until = MonoClock::now() + kStartLimit;
    while (isBusy() && MonoClock::now() < until) co_await idleFor(kIdleCheck);
    Result<void> result;
    if (isBusy())
        result =
            fail(ErrorKind::Journal, "The journal does not take what the last engine left unfinished: is the disk "
                                     "full? Make room and start again.");
    else
        result = startRunner();
    if (result) result = session_->moveTo(SessionState::Ready, outbox_);
    if (result) {
        places_->run();
        loop_.spawn("warm pool", watchWarm());
        loop_.spawn("warm guard", pool_->run());
        loop_.spawn("timers", watchTimers());
        loop_.spawn("queue expiry", queues_->run());
        loop_.spawn("retention", retention_->run());
        loop_.spawn("memory guard", guards_->watchMachine());
        loop_.spawn("memory limits", guards_->watchLimits());
        loop_.spawn("progress", guards_->watchProgress());
        loop_.spawn("figures", figures_->run());
        loop_.spawn("timelines", timelines_->run());
        loop_.spawn("estimates", learnFromHistory());
        loop_.spawn("locks", locks_->run());
        loop_.spawn("janitor", orphans_->run());
        wake();
    }
    const bool ready = result.has_value();
    begun.set_value(std::move(result));
    if (!ready) loop_.stop();
}

bool Kernel::isBusy() const {
    return attempts_.size() > 0 || committer_.outstandingResults() > 0 || !outbox_.empty();
}

coro::Task<void> Kernel::idleFor(Duration atMost) {
    co_await coro::comesWithin(atMost, idle_);
}

/// The launcher keeps one file open for each slot, and two pipes, a pid descriptor and, of a sandbox, a third pipe
/// and its network with the count of its sockets for what runs in it. Where few may be open there are fewer slots:
/// then more waits.
Result<void> Kernel::fitSlots() {
    constexpr rlim_t kPerSlot = 5 + sandbox::Network::kDescriptors;
    constexpr rlim_t kBesides = 32 + sandbox::Networks::kMostKept * sandbox::Network::kDescriptors;
    constexpr rlim_t kFewestFiles = 128;
    coreSlots_ = std::min(capacity_, kMostCoreSlots);
    sharedSlots_ = std::max(kSharedSlots, options_.slotCount - capacity_);
    poolSlots_ = std::clamp(2 * capacity_, kFewestPoolSlots, kMostPoolSlots);
    if (coreSlots_ < capacity_)
        slotLimit_ = fmt::format("an engine runs at most {} actions of one core at once", kMostCoreSlots);
    const int wanted = coreSlots_ + sharedSlots_ + poolSlots_;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return {};
    if (files.rlim_max < kFewestFiles)
        return fail(ErrorKind::Invalid, fmt::format("A process may open only {} files here, and it takes {}: raise "
                                                    "the hard limit (ulimit -Hn), then start again.",
                                                    files.rlim_max, kFewestFiles));
    const auto room =
        static_cast<int>(std::min<rlim_t>((files.rlim_max - kBesides) / kPerSlot, runners::SlotsFile::kMaxSlots));
    if (wanted <= room) return {};
    const int wantedOfOneCore = coreSlots_;
    coreSlots_ = std::min(coreSlots_, room / 2);
    poolSlots_ = std::min(poolSlots_, room / 4);
    sharedSlots_ = std::min(sharedSlots_, room - coreSlots_ - poolSlots_);
    slotLimit_ = fmt::format("a process may open only {} files here: raise the hard limit (ulimit -Hn) for more",
                             files.rlim_max);
    logWarning("engine",
               "at most {} actions of one core run at once and not {}, beside {} others and {} warm processes: {}",
               coreSlots_, wantedOfOneCore, sharedSlots_, poolSlots_, slotLimit_);
    return {};
}

Result<void> Kernel::startRunner() {
    runners::LauncherConfig config;
    config.dataDir = directory_->path();
    config.ownerToken = directory_->engineId();
    config.lockDir = lockDir_;
    config.slots = static_cast<unsigned>(coreSlots_ + sharedSlots_ + poolSlots_);
    config.durable = isDurable();
    if (!options_.launcherProgram.empty()) config.program = options_.launcherProgram;
    config.beforeLaunch = [this] { together_.part(); }; // it, and all that it starts, may use any CPU
    auto runner = runners::startThisMachine(config, places_->sink());
    if (!runner) return std::unexpected(runner.error());
    places_->add(std::move(*runner), static_cast<unsigned>(coreSlots_), static_cast<unsigned>(sharedSlots_));
    for (const auto& source : options_.runners) {
        auto beside = source->start(places_->sink());
        if (!beside) return std::unexpected(beside.error());
        places_->add(std::move(*beside), source->cores(), 0);
    }
    if (auto warm = startWarm(); !warm) return warm;
    execution_->attach(places_->group(), *warm_);
    return {};
}

// --- restoring

Result<void> Kernel::restore() {
    scale_ = WallScale::pinnedNow();
    // Names and queues come with the rest, after the rows: the rows wait here (48 bytes each in the session
    // anyway).
    std::vector<session::NewAction> actions;
    WallMicros lastSubmitTime = 0;
    std::deque<std::vector<session::Predecessor>> after; // the actions refer to them
    auto restored = store_->restore([&](std::span<store::PendingRow> rows) {
        for (const store::PendingRow& row : rows) {
            actions.push_back(rows_->entering(row));
            // One that ran already waits no more, even if what it waited for was put back since.
            if (!row.after.empty() && row.attempts == 0) {
                after.emplace_back();
                for (const store::Edge& edge : row.after) after.back().push_back(predecessors_->of(edge, {}));
                actions.back().after = after.back();
            }
            lastSubmitTime = std::max(lastSubmitTime, row.tNew);
        }
    });
    if (!restored) return std::unexpected(restored.error());
    intake_->restore(restored->lsns, lastSubmitTime);
    workers_->restore(restored->workers); // a class is another one where its worker is warm
    if (auto named = classes_->restore(restored->labels, restored->classes); !named) return named;
    session_->addPast(restored->past);
    annotations_.restore(restored->marks, std::move(restored->comments));
    queues_->restore(restored->queues, restored->lastQueue);
    for (const auto& [key, value] : restored->meta)
        if (key == FailureMutes::kKey) failureMutes_->restore(value);
    markInterrupted(actions);
    constexpr std::size_t kStep = 1000;
    for (std::size_t at = 0; at < actions.size(); at += kStep)
        session_->intake().add(std::span(actions).subspan(at, std::min(kStep, actions.size() - at)),
                               MonoClock::now(), outbox_);
    queues_->goOnDeleting();
    if (!actions.empty()) logInfo("engine", "{} actions are pending", actions.size());
    return {};
}

/// What lived in a slot when the last engine died goes through Abandoned (engine_died) back to Pending. Its entry
/// may be of an attempt whose end was committed, and was not freed any more: the next attempt then has another
/// number.
void Kernel::markInterrupted(std::vector<session::NewAction>& actions) {
    struct Out {
        std::uint32_t attempt = 0;
        WallMicros started = 0;
        bool warm = false;
    };
    std::unordered_map<Lsn, Out> out;
    const auto note = [&out](std::vector<runners::SlotEntry>& entries, bool warm) {
        for (const runners::SlotEntry& entry : std::exchange(entries, {}))
            if (Out& known = out[entry.id.lsn]; entry.id.attempt >= known.attempt)
                known = {entry.id.attempt, entry.started, warm};
    };
    note(interrupted_, false);
    note(interruptedWarm_, true);
    for (session::NewAction& action : actions) {
        const auto entry = out.find(action.lsn);
        action.interrupted = entry != out.end() && entry->second.attempt == action.attempts + 1 &&
                             session_->queues().configOf(action.queue);
        if (!action.interrupted) continue;
        execution_->restoreInterrupted({.id = {action.lsn, entry->second.attempt},
                                        .queue = action.queue,
                                        .cls = action.cls,
                                        .started = entry->second.started,
                                        .warm = entry->second.warm},
                                       scale_);
        logWarning("engine", "action {} was interrupted by the end of the last engine", action.lsn.value);
    }
}

// --- the end

coro::Task<void> Kernel::sunset() {
    if (auto moved = session_->moveTo(SessionState::Sunset, outbox_); !moved)
        logDebug("engine", "{}", moved.error().message);
    wake();
    if (!places_->machine() || !warm_) co_return loop_.stop(); // the start failed: nothing runs
    warm_->shutDown(std::min(settings_.grace, kMaxGraceAtEnd));
    const MonoTime until = MonoClock::now() + std::min(settings_.grace, kMaxGraceAtEnd) + kShutdownSlack;
    bool toldToHurry = false;
    while (MonoClock::now() < until) {
        if (hurried_ && !toldToHurry) {
            places_->group().endAll(runners::StopCause::EngineStopped, Duration::zero());
            toldToHurry = true;
        }
        if (!isBusy()) break;
        co_await idleFor(kIdleCheck);
    }
    if (attempts_.size() > 0)
        logWarning("engine", "{} attempts had not ended; the next start runs them again", attempts_.size());
    places_->group().shutDown(Duration::zero());
    for (int step = 0; step < 200 && !places_->group().isDown(); ++step) co_await coro::sleepFor(Duration(10'000));
    loop_.stop();
}

void Kernel::hurry() {
    hurried_ = true;
    loop_.post([this] { idle_.notifyAll(); }, coro::Band::Results);
}

void Kernel::close() {
    if (closing_.exchange(true)) return;
    if (thread_.joinable()) {
        loop_.post([this] { loop_.spawn("sunset", sunset()); }, coro::Band::Results);
        thread_.join();
    }
    helpers_.reset();
    if (figures_) figures_->save();
    if (timelines_) timelines_->save();
    warm_.reset();
    places_.reset();
    reader_.reset();
    chunks_.reset();
    if (store_) store_->stop();
    store_.reset();
    directory_.reset();
}

Result<void> Kernel::publishAddress(const std::string& url, const std::string& fingerprint) {
    return directory_->publishAddress(url, fingerprint);
}

} // namespace yard::engine

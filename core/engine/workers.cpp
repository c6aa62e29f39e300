// Registered workers: who comes, who goes. One that goes takes no new actions from the moment it is asked for.
#include "core/engine/engine_core.h"

#include "core/base/log.h"
#include "core/runners/scratch.h"

#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Beyond the grace: for the ends of cancelled actions to be kept.
constexpr Duration kEndsAreKept = std::chrono::seconds(60);

/// A chunk that has not the size of its file may be damaged: then it is put aside, and needed again.
void checkSizes(store::ChunkStore& chunks, const WorkerDescriptor& descriptor) {
    for (const WorkerFile& file : descriptor.files)
        if (const auto size = chunks.sizeOf(file.hash); size && *size != file.size) (void)chunks.verify(file.hash);
}

/// A worker is leaving until it is gone, or stays after all.
class Leaving {
public:
    Leaving(WorkerRegistry& workers, std::string id)
        : workers_(workers)
        , id_(std::move(id)) {
        workers_.setLeaving(id_, true);
    }
    ~Leaving() { workers_.setLeaving(id_, false); }
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;

private:
    WorkerRegistry& workers_;
    std::string id_;
};

} // namespace

std::unexpected<Error> unknownWorker(const std::string& ref) {
    if (ref == "exec")
        return fail(ErrorKind::NotFound,
                    "The worker \"exec\" is built in: it has no descriptor and no processes, and it stays.");
    return fail(ErrorKind::NotFound,
                fmt::format("There is no worker \"{}\": GET workers/all lists those there are.", ref));
}

coro::Task<Result<void>> EngineCore::registerWorker(ParsedWorker parsed) {
    const WorkerDescriptor& descriptor = *parsed.descriptor;
    if (descriptor.platform != thisPlatform())
        co_return invalid(
            "platform",
            fmt::format("This machine is {}: a worker for {} cannot run here, register one that was built for it.",
                        thisPlatform(), descriptor.platform));
    if (auto fine = sandboxing_->checkWorker(); !fine) co_return fine;
    const std::string id = parsed.id.hex();
    co_await helpers_->run([chunks = chunks_.get(), descriptor = parsed.descriptor] {
        checkSizes(*chunks, *descriptor);
        return true;
    });
    if (const RegisteredWorker* known = workers_.find(id); known && known->leaving)
        co_return fail(ErrorKind::WrongState, "This worker is being removed: register it when that is done.");
    store::WorkerRow row;
    row.id = parsed.id;
    row.canonical = parsed.canonical;
    row.registered = wallNow();
    for (const WorkerFile& file : descriptor.files) row.chunks.push_back(file.hash);
    const store::AckDetail done = co_await committer_.commit(store::PutWorker{std::move(row)});
    if (done.error) co_return std::unexpected(*done.error);
    workers_.add({id, parsed.canonical, parsed.descriptor});
    addWarmWorker(id, parsed.descriptor);
    noteChange(ChangeEntry::Kind::Workers);
    co_return Result<void>{};
}

coro::Task<std::vector<WorkerView>> EngineCore::workers() {
    std::vector<WorkerView> views;
    for (const RegisteredWorker* worker : workers_.all()) views.push_back({worker->id, worker->canonical});
    co_return views;
}

coro::Task<Result<WorkerView>> EngineCore::worker(std::string ref) {
    const RegisteredWorker* worker = workers_.find(ref);
    if (!worker) co_return unknownWorker(ref);
    co_return WorkerView{worker->id, worker->canonical};
}

/// The first live action of this worker that has this LSN or a later one; 0: there is none.
coro::Task<Lsn> EngineCore::firstLiveOf(std::string workerId, Lsn from) {
    Lsn found{};
    while (from.value > 0 && found.value == 0) {
        from = session_->walkLive(from, kPerSlice, [&](const session::LiveView& live) {
            if (found.value == 0 && dictionary_.classKey(live.cls.value).workerId == workerId) found = live.lsn;
        });
        if (found.value == 0 && from.value > 0) co_await coro::yieldNow();
    }
    co_return found;
}

/// Returns when nothing of this worker is live.
coro::Task<Result<void>> EngineCore::endAllOf(std::string workerId, std::string name, bool force) {
    Lsn live = co_await firstLiveOf(workerId, Lsn{1});
    if (live.value == 0) co_return Result<void>{};
    if (!force)
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Actions of worker \"{}\" are pending or running (action {} is one): wait for "
                                   "them, cancel them, or give {{\"force\":true}}, which cancels them.",
                                   name, live.value));
    BulkRequest cancelling;
    cancelling.which.worker = workerId;
    const Result<BulkAnswer> cancelled = co_await changeMatching(std::move(cancelling));
    if (!cancelled) co_return std::unexpected(cancelled.error());
    const MonoTime until = MonoClock::now() + settings_.grace + kEndsAreKept;
    while ((live = co_await firstLiveOf(workerId, live)).value != 0) {
        if (MonoClock::now() >= until)
            co_return fail(ErrorKind::Busy,
                           fmt::format("Actions of worker \"{}\" are being cancelled, and it takes "
                                       "its time (action {} is one): ask again later.",
                                       name, live.value));
        const Result<ActionResult> ended = co_await waitForAction(live, until - MonoClock::now());
        if (!ended && ended.error().kind != ErrorKind::NotFound) co_return std::unexpected(ended.error());
    }
    co_return Result<void>{};
}

coro::Task<Result<void>> EngineCore::removeWorker(std::string ref, bool force) {
    const RegisteredWorker* worker = workers_.find(ref);
    if (!worker) co_return unknownWorker(ref);
    const std::string id = worker->id;
    const std::string name = worker->descriptor->name;
    if (worker->leaving)
        co_return fail(
            ErrorKind::WrongState,
            fmt::format("Worker \"{}\" is being removed already: it is gone when GET workers has it no more.",
                        name));
    const Leaving leaving(workers_, id);
    // What was on its way in when the worker began to leave is live after this.
    co_await workersEntered_.none(id);
    if (auto ended = co_await endAllOf(id, name, force); !ended) co_return ended;
    const store::AckDetail done = co_await committer_.commit(store::DropWorker{*Hash256::fromHex(id)});
    if (done.error) co_return std::unexpected(*done.error);
    workers_.remove(id);
    warm_->removeWorker(id);
    noteChange(ChangeEntry::Kind::Workers);
    dispatcher_->forgetWorker(id);
    helpers_->postDeletion([dataDir = directory_->path(), id, stop = helpers_->stopping()] {
        const auto removed = runners::removeWorkerFiles(dataDir, id, stop);
        if (!removed && !stop.stop_requested())
            logWarning("engine", "files of worker {}: {}", id, removed.error().message);
    });
    co_return Result<void>{};
}

} // namespace yard::engine

#include "core/engine/state/workers.h"

#include "core/base/log.h"
#include "core/coro/sync.h"
#include "core/engine/state/slice.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Beyond the grace: for the ends of cancelled actions to be kept.
constexpr Duration kEndsAreKept = std::chrono::seconds(60);

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

Result<void> refuseForeign(const WorkerDescriptor& worker) {
    return invalid(
        "platform",
        fmt::format("This machine is {}: a worker for {} cannot run here, register one that was built for it.",
                    thisPlatform(), worker.platform));
}

std::unexpected<Error> unknownWorker(const std::string& ref) {
    if (ref == "exec")
        return fail(ErrorKind::NotFound,
                    "The worker \"exec\" is built in: it has no descriptor and no processes, and it stays.");
    return fail(ErrorKind::NotFound,
                fmt::format("There is no worker \"{}\": GET workers/all lists those there are.", ref));
}

void Workers::restore(const std::vector<store::WorkerRow>& rows) {
    YARD_ASSERT_OWNER(owner_);
    for (const store::WorkerRow& row : rows) {
        lastRegistered_ = std::max(lastRegistered_, row.registered);
        auto parsed = parseWorker(row.canonical);
        if (!parsed) {
            logWarning("engine", "worker {} cannot be read: {}", row.id.hex(), parsed.error().message);
            continue;
        }
        parts_.registry.add({row.id.hex(), row.canonical, parsed->descriptor});
    }
}

bool Workers::takesActions(const std::string& id) const {
    const RegisteredWorker* worker = parts_.registry.find(id);
    return id == "exec" || (worker && !worker->leaving);
}

coro::Task<Result<void>> Workers::add(ParsedWorker parsed) {
    YARD_ASSERT_OWNER(owner_);
    const WorkerDescriptor& descriptor = *parsed.descriptor;
    if (descriptor.platform != thisPlatform())
        if (auto fine = parts_.mayRunForeign ? parts_.mayRunForeign(descriptor) : refuseForeign(descriptor); !fine)
            co_return fine;
    if (auto fine = parts_.mayRun(); !fine) co_return fine;
    const std::string id = parsed.id.hex();
    co_await parts_.helpers.run([check = parts_.checkFiles, descriptor = parsed.descriptor] {
        check(*descriptor);
        return true;
    });
    if (const RegisteredWorker* known = parts_.registry.find(id); known && known->leaving)
        co_return fail(ErrorKind::WrongState, "This worker is being removed: register it when that is done.");
    store::WorkerRow row;
    row.id = parsed.id;
    row.canonical = parsed.canonical;
    row.registered = lastRegistered_ = std::max(wallNow(), lastRegistered_ + 1);
    for (const WorkerFile& file : descriptor.files) row.chunks.push_back(file.hash);
    const store::AckDetail done = co_await parts_.commit(store::PutWorker{std::move(row)});
    if (done.error) co_return std::unexpected(*done.error);
    parts_.registry.add({id, parsed.canonical, parsed.descriptor});
    parts_.came(id, parsed.descriptor);
    parts_.changed();
    co_return Result<void>{};
}

coro::Task<std::vector<WorkerView>> Workers::list() {
    std::vector<WorkerView> views;
    for (const RegisteredWorker* worker : parts_.registry.all()) views.push_back({worker->id, worker->canonical});
    co_return views;
}

coro::Task<Result<WorkerView>> Workers::get(std::string ref) {
    const RegisteredWorker* worker = parts_.registry.find(ref);
    if (!worker) co_return unknownWorker(ref);
    co_return WorkerView{worker->id, worker->canonical};
}

/// The first live action of this worker that has this LSN or a later one; 0: there is none.
coro::Task<Lsn> Workers::firstLiveOf(std::string workerId, Lsn from) {
    Lsn found{};
    while (from.value > 0 && found.value == 0) {
        from = parts_.session.views().walk(from, kPerSlice, [&](const session::LiveView& live) {
            if (found.value == 0 && parts_.dictionary.classKey(live.cls.value).workerId == workerId)
                found = live.lsn;
        });
        if (found.value == 0 && from.value > 0) co_await coro::yieldNow();
    }
    co_return found;
}

/// Returns when nothing of this worker is live.
coro::Task<Result<void>> Workers::endAllOf(std::string workerId, std::string name, bool force) {
    Lsn live = co_await firstLiveOf(workerId, Lsn{1});
    if (live.value == 0) co_return Result<void>{};
    if (!force)
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Actions of worker \"{}\" are pending or running (action {} is one): wait for "
                                   "them, cancel them, or give {{\"force\":true}}, which cancels them.",
                                   name, live.value));
    if (auto cancelled = co_await parts_.cancelAll(workerId); !cancelled) co_return cancelled;
    const MonoTime until = parts_.now() + parts_.settings.grace + kEndsAreKept;
    while ((live = co_await firstLiveOf(workerId, live)).value != 0) {
        if (parts_.now() >= until)
            co_return fail(ErrorKind::Busy,
                           fmt::format("Actions of worker \"{}\" are being cancelled, and it takes "
                                       "its time (action {} is one): ask again later.",
                                       name, live.value));
        const Result<void> ended = co_await parts_.waitFor(live, until - parts_.now());
        if (!ended && ended.error().kind != ErrorKind::NotFound) co_return ended;
    }
    co_return Result<void>{};
}

coro::Task<Result<void>> Workers::remove(std::string ref, bool force) {
    YARD_ASSERT_OWNER(owner_);
    const RegisteredWorker* worker = parts_.registry.find(ref);
    if (!worker) co_return unknownWorker(ref);
    const std::string id = worker->id;
    const std::string name = worker->descriptor->name;
    if (worker->leaving)
        co_return fail(
            ErrorKind::WrongState,
            fmt::format("Worker \"{}\" is being removed already: it is gone when GET workers has it no more.",
                        name));
    const Leaving leaving(parts_.registry, id);
    // What was on its way in when the worker began to leave is live after this.
    co_await entered_.none(id);
    if (auto ended = co_await endAllOf(id, name, force); !ended) co_return ended;
    const store::AckDetail done = co_await parts_.commit(store::DropWorker{*Hash256::fromHex(id)});
    if (done.error) co_return std::unexpected(*done.error);
    parts_.registry.remove(id);
    parts_.left(id);
    parts_.changed();
    co_return Result<void>{};
}

} // namespace yard::engine

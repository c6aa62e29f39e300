// The door: each command is carried to the engine thread as a cooperative thread there, its answer comes back.
#include "core/engine/engine.h"

#include "core/base/sentences.h"
#include "core/engine/engine_core.h"

namespace yard::engine {

namespace {

template<class T>
struct Unwrap;
template<class T>
struct Unwrap<coro::Task<T>> {
    using Type = T;
};

template<class R>
R closedAnswer() {
    if constexpr (requires { typename R::error_type; })
        return fail(ErrorKind::NotAccepting, kEngineIsStopping);
    else
        return R{};
}

template<class R, class F>
coro::Task<void> carryOut(EngineCore& core, F command, coro::Promise<R> promise) {
    promise.set(co_await command(core));
}

/// `command` is called on the engine thread with the core and returns a task; it owns what it uses.
template<class F, class R = typename Unwrap<std::invoke_result_t<F&, EngineCore&>>::Type>
coro::Task<R> onEngine(EngineCore& core, F command) {
    if (core.isClosing()) co_return closedAnswer<R>();
    coro::OneShot<R> answer("engine");
    core.loop().post([&core, promise = answer.promise(), command = std::move(command)]() mutable {
        core.placeThreads();
        core.loop().spawn("command", carryOut<R, F>(core, std::move(command), std::move(promise)));
    });
    std::optional<R> value;
    try {
        value.emplace(co_await answer.get());
    } catch (const coro::LostError&) {
        // The engine ended before the command's turn.
    }
    if (!value) co_return closedAnswer<R>();
    co_return std::move(*value);
}

/// A question about a list, once it is looked up who waits for what its filter names.
template<class Answer>
coro::Task<Result<Answer>> askList(EngineCore& core, coro::Task<Result<Answer>> (EngineCore::*question)(ListQuery),
                                   ListQuery query) {
    auto whole = co_await core.withDependents(std::move(query));
    if (!whole) co_return std::unexpected(whole.error());
    co_return co_await (core.*question)(std::move(*whole));
}

} // namespace

Engine::Engine(std::unique_ptr<EngineCore> core)
    : core_(std::move(core)) {}
Engine::~Engine() = default;

Result<std::unique_ptr<Engine>> Engine::open(Options options) {
    auto core = std::make_unique<EngineCore>(std::move(options));
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
Result<void> Engine::publishAddress(const std::string& url) {
    return core_->publishAddress(url);
}

coro::Task<Result<SubmitAnswer>> Engine::submit(Submission submission, Duration linger) {
    return onEngine(*core_, [s = std::move(submission), linger](EngineCore& core) mutable {
        return core.submit(std::move(s), linger);
    });
}
coro::Task<Result<ActionResult>> Engine::action(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.action(lsn); });
}
coro::Task<Result<ActionResult>> Engine::waitForAction(Lsn lsn, Duration wait) {
    return onEngine(*core_, [lsn, wait](EngineCore& core) { return core.waitForAction(lsn, wait); });
}
coro::Task<Result<std::string>> Engine::spec(Lsn lsn, bool element) {
    return onEngine(*core_, [lsn, element](EngineCore& core) { return core.spec(lsn, element); });
}
coro::Task<Result<Why>> Engine::why(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.why(lsn); });
}
coro::Task<Result<std::vector<UsageSample>>> Engine::samples(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.samples(lsn); });
}
coro::Task<Result<void>> Engine::typeInto(Lsn lsn, std::string keys) {
    return onEngine(*core_, [lsn, k = std::move(keys)](EngineCore& core) { return core.typeInto(lsn, k); });
}
coro::Task<Result<void>> Engine::resizeTerminal(Lsn lsn, TerminalSize size) {
    return onEngine(*core_, [lsn, size](EngineCore& core) { return core.resizeTerminal(lsn, size); });
}
coro::Task<Result<void>> Engine::cancel(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.cancel(lsn); });
}
coro::Task<std::int64_t> Engine::beingCancelled(std::vector<Lsn> lsns) {
    return onEngine(*core_, [l = std::move(lsns)](EngineCore& core) { return core.beingCancelled(l); });
}
coro::Task<Result<void>> Engine::hold(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.hold(lsn); });
}
coro::Task<Result<void>> Engine::release(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.release(lsn); });
}
coro::Task<Result<void>> Engine::change(Lsn lsn, ActionChange what) {
    return onEngine(*core_, [lsn, w = std::move(what)](EngineCore& core) { return core.change(lsn, w); });
}
coro::Task<Result<BulkAnswer>> Engine::changeMatching(BulkRequest request) {
    return onEngine(*core_, [r = std::move(request)](EngineCore& core) { return core.changeMatching(r); });
}
coro::Task<Result<void>> Engine::mayChange(BulkDeed deed, Lsn lsn) {
    return onEngine(*core_, [d = std::move(deed), lsn](EngineCore& core) { return core.mayChange(d, lsn); });
}
coro::Task<Result<std::vector<Lsn>>> Engine::wouldRevive(std::vector<Lsn> lsns) {
    return onEngine(*core_, [l = std::move(lsns)](EngineCore& core) { return core.wouldRevive(l); });
}
coro::Task<Result<Rescheduled>> Engine::reschedule(Lsn lsn, bool force) {
    return onEngine(*core_, [lsn, force](EngineCore& core) { return core.reschedule(lsn, force); });
}
coro::Task<Result<void>> Engine::retire(Lsn lsn) {
    return onEngine(*core_, [lsn](EngineCore& core) { return core.retire(lsn); });
}
coro::Task<Result<ListPage>> Engine::list(ListQuery query) {
    return onEngine(*core_, [q = std::move(query)](EngineCore& core) mutable {
        return askList(core, &EngineCore::list, std::move(q));
    });
}
coro::Task<Result<LsnPart>> Engine::listLsns(ListQuery query) {
    return onEngine(*core_, [q = std::move(query)](EngineCore& core) mutable {
        return askList(core, &EngineCore::listLsns, std::move(q));
    });
}
coro::Task<Result<ListCount>> Engine::count(ListQuery query) {
    return onEngine(*core_, [q = std::move(query)](EngineCore& core) mutable {
        return askList(core, &EngineCore::count, std::move(q));
    });
}
coro::Task<WaitingView> Engine::waiting() {
    return onEngine(*core_, [](EngineCore& core) { return core.waiting(); });
}
coro::Task<Result<ListPage>> Engine::history(QueueSelector queue) {
    return onEngine(*core_,
                    [q = std::move(queue)](EngineCore& core) mutable { return core.history(std::move(q)); });
}
coro::Task<Result<StreamSource>> Engine::openStream(Lsn lsn, Stream stream, std::uint32_t attempt, bool follow) {
    return onEngine(*core_, [=](EngineCore& core) { return core.openStream(lsn, stream, attempt, follow); });
}
coro::Task<Result<StreamProgress>> Engine::awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                       std::uint64_t known) {
    return onEngine(*core_, [=](EngineCore& core) { return core.awaitStream(lsn, stream, attempt, known); });
}
coro::Task<std::vector<QueueView>> Engine::queues() {
    return onEngine(*core_, [](EngineCore& core) { return core.queues(); });
}
coro::Task<Result<QueueId>> Engine::queueNumber(QueueRef ref) {
    return onEngine(*core_,
                    [r = std::move(ref)](EngineCore& core) mutable { return core.queueNumber(std::move(r)); });
}
coro::Task<Result<QueueView>> Engine::queue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.queue(ref); });
}
coro::Task<Result<QueueView>> Engine::createQueue(std::string tag, std::string configJson) {
    return onEngine(*core_, [tag = std::move(tag), config = std::move(configJson)](EngineCore& core) {
        return core.createQueue(tag, config);
    });
}
coro::Task<Result<QueueView>> Engine::configureQueue(QueueRef ref, std::string configJson) {
    return onEngine(*core_, [ref, config = std::move(configJson)](EngineCore& core) {
        return core.configureQueue(ref, config);
    });
}
coro::Task<Result<QueueView>> Engine::holdQueue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.holdQueue(ref, true); });
}
coro::Task<Result<QueueView>> Engine::releaseQueue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.holdQueue(ref, false); });
}
coro::Task<Result<QueueView>> Engine::drainQueue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.drainQueue(ref); });
}
coro::Task<Result<QueueView>> Engine::cancelQueue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.cancelQueue(ref); });
}
coro::Task<Result<void>> Engine::deleteQueue(QueueRef ref) {
    return onEngine(*core_, [ref](EngineCore& core) { return core.deleteQueue(ref); });
}
coro::Task<Result<void>> Engine::holdAll() {
    return onEngine(*core_, [](EngineCore& core) { return core.holdAll(true); });
}
coro::Task<Result<void>> Engine::releaseAll() {
    return onEngine(*core_, [](EngineCore& core) { return core.holdAll(false); });
}
coro::Task<Result<void>> Engine::registerWorker(ParsedWorker worker) {
    return onEngine(*core_, [w = std::move(worker)](EngineCore& core) { return core.registerWorker(w); });
}
coro::Task<std::vector<WorkerView>> Engine::workers() {
    return onEngine(*core_, [](EngineCore& core) { return core.workers(); });
}
coro::Task<Result<WorkerView>> Engine::worker(std::string ref) {
    return onEngine(*core_, [r = std::move(ref)](EngineCore& core) { return core.worker(r); });
}
coro::Task<Result<void>> Engine::removeWorker(std::string ref, bool force) {
    return onEngine(*core_, [r = std::move(ref), force](EngineCore& core) { return core.removeWorker(r, force); });
}
coro::Task<Collected> Engine::collect(std::vector<WatchRequest> requests) {
    return onEngine(*core_,
                    [r = std::move(requests)](EngineCore& core) mutable { return core.collect(std::move(r)); });
}
coro::Task<std::uint64_t> Engine::awaitChange(std::uint64_t seen) {
    return onEngine(*core_, [seen](EngineCore& core) { return core.awaitChange(seen); });
}
coro::Task<std::vector<LockView>> Engine::locks() {
    return onEngine(*core_, [](EngineCore& core) { return core.locks().list(); });
}
coro::Task<MetricsView> Engine::metrics() {
    return onEngine(*core_, [](EngineCore& core) { return core.metrics(); });
}
coro::Task<StatsView> Engine::stats(StatsQuery query) {
    return onEngine(*core_, [query](EngineCore& core) { return core.stats(query); });
}
coro::Task<TimelineView> Engine::timelines(TimelineQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](EngineCore& core) mutable { return core.timelines(std::move(q)); });
}
coro::Task<SessionView> Engine::session() {
    return onEngine(*core_, [](EngineCore& core) { return core.session(); });
}
coro::Task<SettingsView> Engine::settings() {
    return onEngine(*core_, [](EngineCore& core) { return core.settings(); });
}
coro::Task<Result<SettingsView>> Engine::changeSettings(std::string json) {
    return onEngine(*core_, [j = std::move(json)](EngineCore& core) { return core.changeSettings(j); });
}
coro::Task<PoolView> Engine::pool() {
    return onEngine(*core_, [](EngineCore& core) { return core.pool(); });
}
coro::Task<Result<PoolProcessDetail>> Engine::poolProcess(std::string id) {
    return onEngine(*core_, [id = std::move(id)](EngineCore& core) { return core.poolProcess(id); });
}
coro::Task<Result<PoolView>> Engine::changePool(std::string json) {
    return onEngine(*core_, [json = std::move(json)](EngineCore& core) { return core.changePool(json); });
}
coro::Task<Result<void>> Engine::restartPool(std::string worker) {
    return onEngine(*core_, [worker = std::move(worker)](EngineCore& core) { return core.restartPool(worker); });
}
coro::Task<Result<void>> Engine::endPoolProcess(std::string id) {
    return onEngine(*core_, [id = std::move(id)](EngineCore& core) { return core.endPoolProcess(id); });
}
coro::Task<Result<GcReport>> Engine::gc(bool dryRun) {
    return onEngine(*core_, [dryRun](EngineCore& core) { return core.gc(dryRun); });
}
coro::Task<Result<void>> Engine::moveSession(SessionState to) {
    return onEngine(*core_, [to](EngineCore& core) { return core.moveSession(to); });
}

} // namespace yard::engine

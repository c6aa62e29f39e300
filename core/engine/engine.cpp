// The door: each command is carried to the engine thread as a cooperative thread there, its answer comes back.
#include "core/engine/engine.h"

#include "core/base/sentences.h"
#include "core/engine/kernel/kernel.h"

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
coro::Task<void> carryOut(Kernel& core, F command, coro::Promise<R> promise) {
    promise.set(co_await command(core));
}

/// `command` is called on the engine thread with the core and returns a task; it owns what it uses.
template<class F, class R = typename Unwrap<std::invoke_result_t<F&, Kernel&>>::Type>
coro::Task<R> onEngine(Kernel& core, F command) {
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

} // namespace

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
Result<void> Engine::publishAddress(const std::string& url) {
    return core_->publishAddress(url);
}

coro::Task<Result<SubmitAnswer>> Engine::submit(Submission submission, Duration linger) {
    return onEngine(*core_, [s = std::move(submission), linger](Kernel& core) mutable {
        return core.intake().submit(std::move(s), linger);
    });
}
coro::Task<Result<ActionResult>> Engine::action(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.rows().action(lsn); });
}
coro::Task<Result<ActionResult>> Engine::waitForAction(Lsn lsn, Duration wait) {
    return onEngine(*core_, [lsn, wait](Kernel& core) { return core.results().waitFor(lsn, wait); });
}
coro::Task<Result<std::string>> Engine::spec(Lsn lsn, bool element) {
    return onEngine(*core_, [lsn, element](Kernel& core) { return core.details().spec(lsn, element); });
}
coro::Task<Result<Why>> Engine::why(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.reasons().why(lsn); });
}
coro::Task<Result<std::vector<UsageSample>>> Engine::samples(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.details().samples(lsn); });
}
coro::Task<Result<void>> Engine::typeInto(Lsn lsn, std::string keys) {
    return onEngine(*core_, [lsn, k = std::move(keys)](Kernel& core) { return core.details().typeInto(lsn, k); });
}
coro::Task<Result<void>> Engine::resizeTerminal(Lsn lsn, TerminalSize size) {
    return onEngine(*core_, [lsn, size](Kernel& core) { return core.details().resizeTerminal(lsn, size); });
}
coro::Task<Result<void>> Engine::cancel(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.operations().cancel(lsn); });
}
coro::Task<std::int64_t> Engine::beingCancelled(std::vector<Lsn> lsns) {
    return onEngine(*core_, [l = std::move(lsns)](Kernel& core) { return core.operations().beingCancelled(l); });
}
coro::Task<std::int64_t> Engine::withTerminal(std::vector<Lsn> lsns) {
    return onEngine(*core_, [l = std::move(lsns)](Kernel& core) { return core.details().withTerminal(l); });
}
coro::Task<Result<void>> Engine::hold(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.operations().hold(lsn); });
}
coro::Task<Result<void>> Engine::release(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.operations().release(lsn); });
}
coro::Task<Result<void>> Engine::change(Lsn lsn, ActionChange what) {
    return onEngine(*core_, [lsn, w = std::move(what)](Kernel& core) { return core.operations().change(lsn, w); });
}
coro::Task<Result<BulkAnswer>> Engine::changeMatching(BulkRequest request) {
    return onEngine(*core_, [r = std::move(request)](Kernel& core) { return core.operations().changeMatching(r); });
}
coro::Task<Result<void>> Engine::mayChange(BulkDeed deed, Lsn lsn) {
    return onEngine(*core_,
                    [d = std::move(deed), lsn](Kernel& core) { return core.operations().mayChange(d, lsn); });
}
coro::Task<Result<std::vector<Lsn>>> Engine::wouldRevive(std::vector<Lsn> lsns) {
    return onEngine(*core_, [l = std::move(lsns)](Kernel& core) { return core.rescheduling().wouldRevive(l); });
}
coro::Task<Result<Rescheduled>> Engine::reschedule(Lsn lsn, bool force) {
    return onEngine(*core_, [lsn, force](Kernel& core) { return core.rescheduling().reschedule(lsn, force); });
}
coro::Task<RetryChoice> Engine::meantToRetry(std::vector<ActionResult> page) {
    return onEngine(*core_, [p = std::move(page)](Kernel& core) mutable {
        return core.rescheduling().meantToRetry(std::move(p));
    });
}
coro::Task<Result<void>> Engine::retire(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.operations().retire(lsn); });
}
coro::Task<Result<ListPage>> Engine::list(ListQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.listing().list(std::move(q)); });
}
coro::Task<Result<LsnPart>> Engine::listLsns(ListQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.listing().lsns(std::move(q)); });
}
coro::Task<Result<ListCount>> Engine::count(ListQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.listing().count(std::move(q)); });
}
coro::Task<Result<FacetCounts>> Engine::facets(FacetQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.facets().count(std::move(q)); });
}
coro::Task<WaitingView> Engine::waiting() {
    return onEngine(*core_, [](Kernel& core) { return core.waiting(); });
}
coro::Task<Result<ListPage>> Engine::history(QueueSelector queue) {
    return onEngine(*core_,
                    [q = std::move(queue)](Kernel& core) mutable { return core.listing().history(std::move(q)); });
}
coro::Task<Result<StreamSource>> Engine::openStream(Lsn lsn, Stream stream, std::uint32_t attempt, bool follow) {
    return onEngine(*core_, [=](Kernel& core) { return core.details().openStream(lsn, stream, attempt, follow); });
}
coro::Task<Result<StreamProgress>> Engine::awaitStream(Lsn lsn, Stream stream, std::uint32_t attempt,
                                                       std::uint64_t known) {
    return onEngine(*core_, [=](Kernel& core) { return core.details().awaitStream(lsn, stream, attempt, known); });
}
coro::Task<std::vector<QueueView>> Engine::queues() {
    return onEngine(*core_, [](Kernel& core) { return core.queues().list(); });
}
coro::Task<Result<QueueId>> Engine::queueNumber(QueueRef ref) {
    return onEngine(*core_, [r = std::move(ref)](Kernel& core) mutable { return core.queueNumber(std::move(r)); });
}
coro::Task<Result<QueueView>> Engine::queue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().get(ref); });
}
coro::Task<Result<QueueView>> Engine::createQueue(std::string tag, std::string configJson) {
    return onEngine(*core_, [tag = std::move(tag), config = std::move(configJson)](Kernel& core) {
        return core.queues().create(tag, config);
    });
}
coro::Task<Result<QueueView>> Engine::configureQueue(QueueRef ref, std::string configJson) {
    return onEngine(*core_, [ref, config = std::move(configJson)](Kernel& core) {
        return core.queues().configure(ref, config);
    });
}
coro::Task<Result<QueueView>> Engine::holdQueue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().setHeld(ref, true); });
}
coro::Task<Result<QueueView>> Engine::releaseQueue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().setHeld(ref, false); });
}
coro::Task<Result<QueueView>> Engine::drainQueue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().drain(ref); });
}
coro::Task<Result<QueueView>> Engine::cancelQueue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().cancel(ref); });
}
coro::Task<Result<void>> Engine::deleteQueue(QueueRef ref) {
    return onEngine(*core_, [ref](Kernel& core) { return core.queues().remove(ref); });
}
coro::Task<Result<void>> Engine::holdAll() {
    return onEngine(*core_, [](Kernel& core) { return core.queues().setAllHeld(true); });
}
coro::Task<Result<void>> Engine::releaseAll() {
    return onEngine(*core_, [](Kernel& core) { return core.queues().setAllHeld(false); });
}
coro::Task<Result<void>> Engine::registerWorker(ParsedWorker worker) {
    return onEngine(*core_, [w = std::move(worker)](Kernel& core) { return core.workers().add(w); });
}
coro::Task<std::vector<WorkerView>> Engine::workers() {
    return onEngine(*core_, [](Kernel& core) { return core.workers().list(); });
}
coro::Task<Result<WorkerView>> Engine::worker(std::string ref) {
    return onEngine(*core_, [r = std::move(ref)](Kernel& core) { return core.workers().get(r); });
}
coro::Task<Result<void>> Engine::removeWorker(std::string ref, bool force) {
    return onEngine(*core_, [r = std::move(ref), force](Kernel& core) { return core.workers().remove(r, force); });
}
coro::Task<WatchedChanges> Engine::collect(std::vector<WatchRequest> requests) {
    return onEngine(
        *core_, [r = std::move(requests)](Kernel& core) mutable { return core.watching().collect(std::move(r)); });
}
coro::Task<std::uint64_t> Engine::awaitChange(std::uint64_t seen) {
    return onEngine(*core_, [seen](Kernel& core) { return core.changes().after(seen); });
}
coro::Task<std::vector<LockView>> Engine::locks() {
    return onEngine(*core_, [](Kernel& core) { return core.locks().list(); });
}
coro::Task<MetricsView> Engine::metrics() {
    return onEngine(*core_, [](Kernel& core) { return core.metrics(); });
}
coro::Task<history::StatsView> Engine::stats(history::StatsQuery query) {
    return onEngine(*core_, [query](Kernel& core) { return core.stats(query); });
}
coro::Task<TimelineView> Engine::timelines(TimelineQuery query) {
    return onEngine(*core_, [q = std::move(query)](Kernel& core) mutable { return core.timelines(std::move(q)); });
}
coro::Task<Result<AccountingView>> Engine::accounting(AccountingQuery query) {
    return onEngine(*core_, [query](Kernel& core) { return core.accounting().view(query); });
}
coro::Task<Result<FailureGroups>> Engine::failures(FailureQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.failures().groups(std::move(q)); });
}
coro::Task<Result<FailureDetail>> Engine::failuresAlike(FailureQuery query, std::string group) {
    return onEngine(*core_, [q = std::move(query), group = std::move(group)](Kernel& core) mutable {
        return core.failures().detail(std::move(q), std::move(group));
    });
}
coro::Task<Result<void>> Engine::muteFailures(std::string group, WallMicros until) {
    return onEngine(*core_, [group = std::move(group), until](Kernel& core) mutable {
        return core.failureMutes().set(std::move(group), until);
    });
}
coro::Task<Result<GraphView>> Engine::graph(GraphQuery query) {
    return onEngine(*core_,
                    [q = std::move(query)](Kernel& core) mutable { return core.graphs().view(std::move(q)); });
}
coro::Task<SessionView> Engine::session() {
    return onEngine(*core_, [](Kernel& core) { return core.session(); });
}
coro::Task<SettingsView> Engine::settings() {
    return onEngine(*core_, [](Kernel& core) { return core.settings(); });
}
coro::Task<Result<SettingsView>> Engine::changeSettings(std::string json) {
    return onEngine(*core_, [j = std::move(json)](Kernel& core) { return core.changeSettings(j); });
}
coro::Task<PoolView> Engine::pool() {
    return onEngine(*core_, [](Kernel& core) { return core.pool().view(); });
}
coro::Task<Result<PoolProcessDetail>> Engine::poolProcess(std::string id) {
    return onEngine(*core_, [id = std::move(id)](Kernel& core) { return core.pool().process(id); });
}
coro::Task<Result<PoolView>> Engine::changePool(std::string json) {
    return onEngine(*core_, [json = std::move(json)](Kernel& core) { return core.pool().change(json); });
}
coro::Task<Result<void>> Engine::restartPool(std::string worker) {
    return onEngine(*core_, [worker = std::move(worker)](Kernel& core) { return core.pool().restart(worker); });
}
coro::Task<Result<void>> Engine::endPoolProcess(std::string id) {
    return onEngine(*core_, [id = std::move(id)](Kernel& core) { return core.pool().end(id); });
}
coro::Task<Result<GcReport>> Engine::gc(bool dryRun) {
    return onEngine(*core_, [dryRun](Kernel& core) { return core.gc(dryRun); });
}
coro::Task<Result<MarkAnswer>> Engine::mark(std::vector<Lsn> lsns, Mark mark) {
    return onEngine(*core_,
                    [lsns = std::move(lsns), mark](Kernel& core) { return core.annotating().mark(lsns, mark); });
}
coro::Task<Result<QueueView>> Engine::markQueue(QueueRef ref, Mark mark) {
    return onEngine(*core_, [ref = std::move(ref), mark](Kernel& core) { return core.queues().mark(ref, mark); });
}
coro::Task<Result<Comment>> Engine::comment(Lsn lsn, Comment comment) {
    return onEngine(*core_, [lsn, comment = std::move(comment)](Kernel& core) {
        return core.annotating().comment(lsn, comment);
    });
}
coro::Task<Result<Comment>> Engine::commentQueue(QueueRef ref, Comment comment) {
    return onEngine(*core_, [ref = std::move(ref), comment = std::move(comment)](Kernel& core) {
        return core.annotating().comment(ref, comment);
    });
}
coro::Task<Result<std::vector<Comment>>> Engine::comments(Lsn lsn) {
    return onEngine(*core_, [lsn](Kernel& core) { return core.annotating().comments(lsn); });
}
coro::Task<Result<std::vector<Comment>>> Engine::queueComments(QueueRef ref) {
    return onEngine(*core_, [ref = std::move(ref)](Kernel& core) { return core.annotating().comments(ref); });
}
coro::Task<Result<void>> Engine::moveSession(SessionState to) {
    return onEngine(*core_, [to](Kernel& core) { return core.moveSession(to); });
}

} // namespace yard::engine

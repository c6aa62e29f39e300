// The part of Dispatcher that needs directories and files: preparing before the start, collecting after the end.
#include "core/engine/dispatcher.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/remove_tree.h"
#include "core/engine/collector.h"
#include "core/engine/outcome.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

namespace {

/// Between two looks at whether a worker has let go of an output.
constexpr Duration kLeasePause{50'000};

runners::Materialise materialiser(store::ChunkStore& chunks) {
    return [&chunks](const Hash256& hash, const std::string& path, unsigned mode) {
        return chunks.materialise(hash, path, mode);
    };
}

/// docs/api.md, 2: lsn, function, args and inputs, for the worker to read.
std::string actionFile(Lsn lsn, const ActionSpec& spec) {
    namespace json = boost::json;
    json::object inputs;
    for (const auto& [name, hash] : spec.inputs) inputs[name] = hash.hex();
    // `args` is JSON that was serialised once, at submission: spliced in, not rebuilt.
    return fmt::format(R"({{"lsn":{},"function":{},"args":{},"inputs":{}}})", lsn.value,
                       json::serialize(json::string(spec.function)), spec.args.empty() ? "null" : spec.args,
                       json::serialize(inputs));
}

struct Prepared {
    std::optional<runners::Scratch> scratch;
    PlanPtr plan; ///< null: without a sandbox
    std::optional<LentRequest> request;
    runners::SharedFd input{}; ///< null: /dev/null
};

/// A copy that no other attempt gets: whatever this one does to it, the next reads the same.
Result<runners::SharedFd> openStdin(const StdinSource& source, store::ChunkStore& chunks) {
    const std::string path = chunks.temporaryPath();
    const auto made =
        source.chunk ? chunks.materialise(*source.chunk, path, 0400) : writeFileAtomically(path, source.text, 0400);
    if (!made) return std::unexpected(made.error());
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    const int err = errno;
    ::unlink(path.c_str());
    if (!file) return failErrno(fmt::format("open {}, its stdin", path), err);
    return std::make_shared<UniqueFd>(std::move(file));
}

/// The directories of a warm process.
struct WarmPreparation {
    runners::ScratchHomePtr home;
    runners::ProcessOrder order;
    std::string workerDir;
    store::ChunkStore* chunks = nullptr;
    locks::Claims* claims = nullptr;
    std::shared_ptr<const WorkerDescriptor> worker;
    sandbox::Policy policy;
    bool sandboxed = false;
    Mailbox mailbox;

    Result<Prepared> make() const {
        if (sandboxed) return makeForSandbox();
        const std::string path =
            fmt::format("{}/{}/{}.{}", home->path, order.slot.value, order.id.lsn.value, order.id.attempt);
        claims->add(path);
        auto scratch = runners::makeScratch(home, order.slot, order.id, workerDir, {}, materialiser(*chunks));
        if (scratch) return Prepared{std::move(*scratch), {}, {}};
        claims->remove(path);
        return std::unexpected(scratch.error());
    }

    Result<Prepared> makeForSandbox() const {
        sandbox::RequestPlaces places;
        if (worker->pool.io != WorkerIo::Inline) {
            auto made = mailbox.requests->places();
            if (!made) return std::unexpected(made.error());
            places = std::move(*made);
        }
        return Prepared{{},
                        std::make_shared<const sandbox::Plan>(sandbox::planForWarm(
                            *worker, workerDir, places, policy, sandbox::hostUserOf(mailbox.slot.value))),
                        {}};
    }
};

runners::Lease scratchLease(const ActionSpec& spec, const RegisteredWorker* worker, const WorkerLimits& limits,
                            const runners::Scratch& scratch) {
    runners::Lease lease;
    lease.cwd = spec.cwd.value_or(scratch.root);
    lease.argv = spec.argv;
    if (worker) {
        const WorkerDescriptor& descriptor = *worker->descriptor;
        lease.argv = {scratch.root + "/worker/" + descriptor.executable};
        lease.cwd = scratch.root;
        lease.env = descriptor.environment;
        lease.env.emplace_back("YARD_ACTION", scratch.root + "/action.json");
        lease.limits.openFiles = static_cast<std::uint64_t>(limits.openFiles);
        lease.limits.fileBytes = static_cast<std::uint64_t>(limits.fileBytes);
    } else {
        lease.env.emplace_back("YARD_SCRATCH", scratch.root);
    }
    return lease;
}

/// Of a worker its own, of an exec the usual ones.
WorkerLimits limitsOf(const RegisteredWorker* worker, const Settings& settings) {
    return allowedLimits(worker ? worker->descriptor->limits : WorkerLimits{}, settings);
}

runners::Lease leaseOf(const ActionSpec& spec, const RegisteredWorker* worker, const WorkerLimits& limits,
                       const Prepared& prepared) {
    runners::Lease lease = !prepared.plan ? scratchLease(spec, worker, limits, *prepared.scratch)
                           : worker       ? sandboxedLease(*worker->descriptor, limits, prepared.plan)
                                          : sandboxedLease(spec, limits, prepared.plan);
    lease.env.insert(lease.env.end(), spec.env.begin(), spec.env.end());
    return lease;
}

/// Of one that a process had, or may have had, and that is not collected. Returns what is to be removed.
std::optional<std::string> giveBack(const LentRequest& request, const ActionSpec& spec) {
    UniqueFd outputs = request.directories->takeBack(request.lent);
    return request.directories->keep(request.lent, std::move(outputs), inputsOf(spec));
}

/// What is not done with when the engine ends is nobody's: the janitor of the next one carries on.
void removeLeft(const std::string& path, const std::stop_token& stop) {
    const auto removed = removeTree(path, stop);
    if (!removed && !stop.stop_requested())
        logWarning("engine", "{} could not be removed: {}", path, removed.error().message);
}

} // namespace

/// The directory of an action, and its sandbox.
struct Dispatcher::Preparation {
    runners::ScratchHomePtr home;
    AttemptId id;
    SlotId slot;
    SpecPtr spec;
    std::string workerDir; ///< empty for exec
    store::ChunkStore* chunks = nullptr;
    locks::Claims* claims = nullptr;
    std::shared_ptr<const WorkerDescriptor> worker; ///< to be run in a sandbox
    sandbox::Policy policy;
    std::uint32_t hostUser = 0;                            ///< who shall write the outputs, in a sandbox
    std::shared_ptr<runners::RequestDirectories> requests; ///< of a warm action

    Result<Prepared> make() const {
        if (requests) return lend();
        runners::SharedFd input;
        if (spec->stdinSource) {
            auto opened = openStdin(*spec->stdinSource, *chunks);
            if (!opened) return std::unexpected(opened.error());
            input = std::move(*opened);
        }
        Result<Prepared> made = spec->needsScratch() ? makeOwn() : Prepared{};
        if (made) made->input = std::move(input);
        return made;
    }

    Result<Prepared> lend() const {
        auto lent = requests->lend(id, inputsOf(*spec), materialiser(*chunks));
        if (!lent) return std::unexpected(lent.error());
        return Prepared{{}, {}, LentRequest{requests, std::move(*lent)}};
    }

    /// Claimed before it is there: the janitor takes what nobody uses.
    Result<Prepared> makeOwn() const {
        const std::string path = fmt::format("{}/{}/{}.{}", home->path, slot.value, id.lsn.value, id.attempt);
        claims->add(path);
        auto made = makeAll();
        if (!made) claims->remove(path);
        return made;
    }

    Result<Prepared> makeAll() const {
        auto scratch = makeFiles();
        if (!scratch) return std::unexpected(scratch.error());
        if (auto given = runners::giveScratchTo(*scratch, hostUser); !given) return std::unexpected(given.error());
        Prepared prepared{*scratch, {}, {}};
        const sandbox::Places places{scratch->root, workerDir, home->path.substr(0, home->path.rfind('/')),
                                     scratch->hasInputs};
        if (worker) {
            prepared.plan =
                std::make_shared<const sandbox::Plan>(sandbox::planForWorker(*worker, places, policy, hostUser));
        } else if (spec->sandbox) {
            prepared.plan =
                std::make_shared<const sandbox::Plan>(sandbox::planForExec(*spec, places, policy, hostUser));
        }
        return prepared;
    }

    /// In a sandbox of its own, which shows each part of it at its place.
    bool isShown() const { return worker || spec->sandbox; }

    Result<runners::Scratch> makeFiles() const {
        // In a sandbox the worker's files are shown where they are.
        auto made = runners::makeScratch(home, slot, id, worker ? std::string() : workerDir, inputsOf(*spec),
                                         materialiser(*chunks), isShown());
        if (!made || workerDir.empty()) return made;
        if (auto wrote = writeFileAtomically(made->root + "/action.json", actionFile(id.lsn, *spec), 0444); !wrote)
            return std::unexpected(wrote.error());
        return made;
    }
};

coro::Task<Result<std::string>> Dispatcher::workerFiles(std::string workerId) {
    auto guard = co_await workerFilesMutex_.lock();
    const RegisteredWorker* worker = parts_.workers.find(workerId);
    if (!worker) co_return fail(ErrorKind::NotFound, "the worker was removed");
    if (readyWorkers_.contains(workerId)) co_return parts_.dataDir + "/workers/" + workerId;
    std::vector<runners::PlacedFile> files;
    for (const WorkerFile& file : worker->descriptor->files) files.push_back({file.path, file.hash, file.mode});
    auto made = co_await parts_.helpers.run([dataDir = parts_.dataDir, workerId, files = std::move(files),
                                             chunks = chunks_, sync = parts_.settings.durability == "power"] {
        return runners::ensureWorkerFiles(dataDir, workerId, files, materialiser(*chunks), sync);
    });
    if (made) readyWorkers_.insert(workerId);
    co_return made;
}

Dispatcher::Preparation Dispatcher::preparationOf(const Attempt& attempt) {
    Preparation preparation{.home = parts_.scratch,
                            .id = attempt.id,
                            .slot = attempt.slot,
                            .spec = attempt.spec,
                            .workerDir = {},
                            .chunks = chunks_,
                            .claims = &parts_.claims,
                            .worker = {},
                            .policy = parts_.sandboxing.policy(parts_.settings),
                            .requests = {}};
    const std::string& workerId = parts_.dictionary.classKey(attempt.cls.value).workerId;
    const bool isExec = attempt.spec->isExec();
    const bool sandboxed = isExec ? attempt.spec->sandbox : parts_.sandboxing.forWorkers();
    if (attempt.warm) preparation.requests = mailboxOf(workerId).requests;
    if (sandboxed) preparation.hostUser = sandbox::hostUserOf(preparation.slot.value);
    if (const RegisteredWorker* worker = attempt.warm || isExec ? nullptr : parts_.workers.find(workerId);
        worker && sandboxed)
        preparation.worker = worker->descriptor;
    return preparation;
}

coro::Task<void> Dispatcher::prepare(AttemptId id) {
    Preparation preparation;
    std::string workerId;
    bool warm = false;
    {
        Attempt* attempt = get(id);
        if (!attempt) co_return;
        preparation = preparationOf(*attempt);
        warm = attempt->warm;
        if (!warm && !attempt->spec->isExec()) workerId = parts_.dictionary.classKey(attempt->cls.value).workerId;
    }
    Result<std::string> workerDir = std::string();
    if (!workerId.empty()) workerDir = co_await workerFiles(workerId);
    Result<Prepared> made = std::unexpected(Error{});
    if (workerDir) {
        preparation.workerDir = *workerDir;
        made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    } else {
        made = std::unexpected(workerDir.error());
    }
    Attempt* attempt = get(id);
    if (!attempt) co_return;
    if (made) {
        attempt->scratch = made->scratch;
        attempt->request = std::move(made->request);
    }
    if (attempt->stop) {
        giveUp(*attempt);
    } else if (!made) {
        neverStarted(*attempt, {.err = made.error().sysErrno, .message = std::move(made.error().message)});
    } else {
        std::vector<runners::Lease> leases;
        const RegisteredWorker* worker = workerId.empty() ? nullptr : parts_.workers.find(workerId);
        if (made->plan) attempt->memoryLimit = static_cast<std::int64_t>(made->plan->memoryBytes);
        const WorkerLimits limits = limitsOf(worker, parts_.settings);
        // Twice: what is there for a while only is no output.
        if (made->plan) attempt->outputLimits = {2 * limits.outputBytes, worker ? 2 * limits.outputFiles : 0};
        runners::Lease lease = warm                            ? warmLease(*attempt)
                               : attempt->spec->needsScratch() ? leaseOf(*attempt->spec, worker, limits, *made)
                                                               : bareLease(*attempt);
        lease.input = std::move(made->input);
        launch(*attempt, std::move(lease), leases);
        submit(std::move(leases));
    }
}

// --- warm

bool Dispatcher::needsDirectory(const Attempt& attempt) const {
    const RegisteredWorker* worker = parts_.workers.find(parts_.dictionary.classKey(attempt.cls.value).workerId);
    const ActionSpec& spec = *attempt.spec;
    return worker &&
           worker->descriptor->needsDirectory(spec.function, !spec.inputs.empty() || !spec.expect.empty());
}

/// One interruption more, and it is not run again.
bool Dispatcher::isLastTry(const Attempt& attempt) const {
    const QueueConfig* config = parts_.session.queueConfig(attempt.queue);
    if (!config) return false;
    const RetryLimits& own = parts_.dictionary.classKey(attempt.cls.value).retryLimits;
    const int most = own.interruptions.value_or(config->maxInterruptions);
    if (attempt.id.attempt <= static_cast<std::uint32_t>(most)) return false;
    const auto live = parts_.session.live(attempt.id.lsn);
    return live && live->retries.interruptions >= most;
}

runners::Lease Dispatcher::warmLease(const Attempt& attempt) const {
    runners::Lease lease;
    const auto group = warm_->groupOf(parts_.dictionary.classKey(attempt.cls.value).workerId);
    std::string root = attempt.request ? attempt.request->directories->pathInside(attempt.id) : std::string();
    lease.warm =
        runners::WarmCall{.group = group.value_or(pool::GroupId{}), .spec = attempt.spec, .root = std::move(root)};
    lease.warm->once = isLastTry(attempt);
    return lease;
}

const Mailbox& Dispatcher::mailboxOf(const std::string& worker) {
    Mailbox& mailbox = mailboxes_[worker];
    if (mailbox.requests) return mailbox;
    const bool isSandboxed = parts_.sandboxing.forWorkers();
    mailbox.slot = SlotId(nextMailbox_++);
    mailbox.requests = std::make_shared<runners::RequestDirectories>(
        runners::RequestDirectories::Options{.home = parts_.scratch,
                                             .slot = mailbox.slot,
                                             .hostUser = isSandboxed ? sandbox::hostUserOf(mailbox.slot.value) : 0,
                                             .isSandboxed = isSandboxed,
                                             .claims = &parts_.claims});
    return mailbox;
}

void Dispatcher::forgetWorker(const std::string& id) {
    readyWorkers_.erase(id);
    mailboxes_.erase(id);
}

void Dispatcher::prepareProcess(const runners::ProcessOrder& order) {
    parts_.loop.spawn(fmt::format("warm process {}", order.id.lsn.value - runners::kFirstProcessLsn + 1),
                      makeProcess(order));
}

/// Like the directory of an action, but that it lives as long as the process. In a sandbox it sees the worker's
/// files and where requests to that worker lie, and needs no directory of its own.
coro::Task<void> Dispatcher::makeProcess(runners::ProcessOrder order) {
    Result<std::string> workerDir = co_await workerFiles(order.worker);
    const RegisteredWorker* worker = parts_.workers.find(order.worker);
    if (!workerDir || !worker) {
        if (workerDir) workerDir = fail(ErrorKind::NotFound, "the worker was removed");
        warm_->prepared(order.id, std::unexpected(workerDir.error()));
        co_return;
    }
    WarmPreparation preparation{.home = parts_.scratch,
                                .order = order,
                                .workerDir = *workerDir,
                                .chunks = chunks_,
                                .claims = &parts_.claims,
                                .worker = worker->descriptor,
                                .policy = parts_.sandboxing.policy(parts_.settings),
                                .sandboxed = parts_.sandboxing.forWorkers(),
                                .mailbox = mailboxOf(order.worker)};
    Result<Prepared> made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    worker = parts_.workers.find(order.worker);
    Result<runners::Lease> lease = std::unexpected(Error{});
    if (!made) {
        lease = std::unexpected(made.error());
    } else if (!worker) {
        lease = fail(ErrorKind::NotFound, "the worker was removed");
    } else {
        lease = leaseOf(ActionSpec{}, worker, limitsOf(worker, parts_.settings), *made);
        std::erase_if(lease->env, [](const auto& variable) { return variable.first == "YARD_ACTION"; });
    }
    warm_->prepared(order.id, std::move(lease));
}

void Dispatcher::discardProcess(const runners::ProcessOrder& order) {
    discardDirectory(runners::scratchPath(parts_.dataDir, order.slot, order.id));
}

void Dispatcher::remakeScratch(AttemptId id) {
    parts_.loop.spawn(fmt::format("remake {}", id.lsn.value), remake(id));
}

/// Inputs too: what a process left of them when it ended is not known.
coro::Task<void> Dispatcher::remake(AttemptId id) {
    Preparation preparation;
    std::optional<LentRequest> before;
    {
        Attempt* attempt = get(id);
        if (!attempt) co_return;
        preparation = preparationOf(*attempt);
        before = std::exchange(attempt->request, {});
    }
    auto [left, made] = co_await parts_.helpers.run([preparation, before = std::move(before)] {
        auto setAside = before ? giveBack(*before, *preparation.spec) : std::nullopt;
        return std::pair(std::move(setAside), preparation.make());
    });
    if (left) discardDirectory(*left);
    if (Attempt* attempt = get(id); attempt && made) attempt->request = std::move(made->request);
    warm_->remade(id, made ? Result<void>{} : std::unexpected(made.error()));
}

Collector::Parts Dispatcher::collectionOf(const Attempt& attempt, runners::Ended ended) {
    Collector::Parts parts;
    parts.chunks = chunks_;
    parts.claims = &parts_.claims;
    parts.ended = std::move(ended);
    parts.scratch = attempt.scratch;
    parts.request = attempt.request;
    parts.spec = attempt.spec;
    // With the machine's network it could pass descriptors on, and an ordinary user's could be opened anew.
    parts.isOver = !attempt.warm && (::geteuid() == 0 || parts_.settings.sandboxNetwork != "asked");
    const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
    const RegisteredWorker* worker = parts_.workers.find(key.workerId);
    const WorkerLimits limits = limitsOf(worker, parts_.settings);
    if (worker)
        parts.limits = {limits.outputBytes, limits.outputFiles};
    else if (attempt.spec->sandbox)
        parts.limits = {limits.outputBytes, 0};
    return parts;
}

coro::Task<void> Dispatcher::collect(AttemptId id, runners::Ended ended) {
    Attempt* attempt = get(id);
    if (!attempt) co_return;
    const auto collector =
        std::make_shared<Collector>(collectionOf(*attempt, std::move(ended)), attempt->record.outcome);
    attempt->collector = collector;
    co_await parts_.helpers.run([collector] { collector->begin(); });
    if (!collector->isDone()) {
        parts_.session.keeping(id.lsn, id.attempt);
        parts_.wake();
    }
    while (!collector->isDone()) {
        if (collector->waits()) co_await coro::sleepFor(kLeasePause);
        co_await parts_.helpers.runSlowly([collector] { collector->goOn(); });
    }
    attempt = get(id);
    if (!attempt) co_return;
    Collection& made = collector->result();
    const ActionState before = attempt->record.outcome.state;
    attempt->record.times[before] = 0;
    attempt->record.outcome = std::move(made.outcome);
    if (made.isCut && attempt->stop) applyStop(attempt->record.outcome, stopCauseOf(*attempt->stop));
    // Until now it was not over: its outputs were not kept yet.
    attempt->record.times[attempt->record.outcome.state] = attempt->scale.at(MonoClock::now());
    attempt->chunks = std::move(made.chunks);
    attempt->collector.reset();
    if (made.isRemoved) attempt->scratch.reset();
    attempt->request.reset();
    if (made.left) discardDirectory(*made.left);
    discardScratch(*attempt);
    finish(*attempt);
}

void Dispatcher::discardScratch(Attempt& attempt) {
    if (attempt.request) {
        const auto job = [request = std::exchange(attempt.request, {}), spec = attempt.spec,
                          stop = parts_.helpers.stopping()] {
            if (const auto left = giveBack(*request, *spec)) removeLeft(*left, stop);
        };
        parts_.helpers.postDeletion(job); // else it stays where it is until its worker goes
    }
    if (!attempt.scratch) return;
    discardDirectory(attempt.scratch->root);
    attempt.scratch.reset();
}

/// What cannot be queued, or is cut short by the end of the engine, is nobody's from now on: the janitor's.
void Dispatcher::discardDirectory(const std::string& root) {
    locks::Claims& claims = parts_.claims;
    const bool queued = parts_.helpers.postDeletion([root, &claims, stop = parts_.helpers.stopping()] {
        const std::string aside = runners::asideName(root);
        if (!claims.moveTo(root, aside)) return;
        removeLeft(aside, stop);
        claims.remove(aside);
    });
    if (!queued) claims.remove(root);
}

} // namespace yard::engine

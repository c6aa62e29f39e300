#include "core/engine/running/workspaces.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/remove_tree.h"
#include "core/engine/running/collector.h"
#include "core/engine/running/outcome.h"
#include "core/engine/running/windows_end.h"
#include "core/engine/running/wine_host.h"
#include "core/lease/attempt_lease.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::engine {

using runners::AttemptId;

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

/// Of an exec without a sandbox, with a directory of its own.
runners::Lease scratchLease(const ActionSpec& spec, const runners::Scratch& scratch) {
    runners::Lease lease;
    lease.cwd = spec.cwd.value_or(scratch.root);
    lease.argv = spec.argv;
    lease.env.emplace_back("YARD_SCRATCH", scratch.root);
    return lease;
}

/// Of a worker its own, of an exec the usual ones.
WorkerLimits limitsOf(const WorkerDescriptor* worker, const Settings& settings) {
    return allowedLimits(worker ? worker->limits : WorkerLimits{}, settings);
}

const WorkerDescriptor* plainOf(const RegisteredWorker* worker) {
    return worker ? worker->descriptor.get() : nullptr;
}

runners::Lease leaseOf(const ActionSpec& spec, const WorkerDescriptor* worker, const WorkerLimits& limits,
                       const Prepared& prepared) {
    const auto made = [&]() -> runners::Lease {
        if (worker)
            return prepared.plan ? runners::sandboxedLease(*worker, limits, prepared.plan)
                                 : runners::plainLease(*worker, limits, prepared.scratch->root);
        return prepared.plan ? runners::sandboxedLease(spec, limits, prepared.plan)
                             : scratchLease(spec, *prepared.scratch);
    };
    runners::Lease lease = made();
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

/// The directories of a warm process.
struct Workspaces::ProcessPreparation {
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

/// The directory of an action, and its sandbox.
struct Workspaces::Preparation {
    runners::ScratchHomePtr home;
    AttemptId id;
    SlotId slot;
    SpecPtr spec;
    std::string workerDir; ///< empty for exec
    store::ChunkStore* chunks = nullptr;
    locks::Claims* claims = nullptr;
    std::shared_ptr<const WorkerDescriptor> worker; ///< to be run in a sandbox
    sandbox::Policy policy;
    std::uint32_t hostUser = 0;                            ///< who writes the outputs, in a sandbox
    std::string prefix{};                                  ///< of Wine, for a worker of Windows
    std::shared_ptr<runners::RequestDirectories> requests; ///< of a warm action
    Lsn shown{};                                           ///< in action.json; 0: that of its id

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
            auto plan = sandbox::planForWorker(*worker, places, policy, hostUser);
            if (!prefix.empty()) {
                if (auto ready = makeWindowsEnd(scratch->root, hostUser); !ready)
                    return std::unexpected(ready.error());
                wine::addTo(plan, prefix, scratch->root + std::string(wine::kEndingFile));
            }
            prepared.plan = std::make_shared<const sandbox::Plan>(std::move(plan));
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
        if (auto wrote = writeFileAtomically(made->root + "/action.json",
                                             actionFile(shown == Lsn{} ? id.lsn : shown, *spec), 0444);
            !wrote)
            return std::unexpected(wrote.error());
        return made;
    }
};

coro::Task<Result<std::string>> Workspaces::workerFiles(std::string workerId) {
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

Workspaces::Preparation Workspaces::preparationOf(const Attempt& attempt) {
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

coro::Task<Result<Workspace>> Workspaces::prepare(AttemptId id) {
    YARD_ASSERT_OWNER(owner_);
    Preparation preparation;
    std::string workerId;
    {
        const Attempt* attempt = parts_.attempts.get(id);
        if (!attempt) co_return fail(ErrorKind::NotFound, "the attempt is over");
        preparation = preparationOf(*attempt);
        if (!attempt->warm && !attempt->spec->isExec())
            workerId = parts_.dictionary.classKey(attempt->cls.value).workerId;
    }
    if (!workerId.empty()) {
        Result<std::string> workerDir = co_await workerFiles(workerId);
        if (!workerDir) co_return std::unexpected(workerDir.error());
        preparation.workerDir = std::move(*workerDir);
        const RegisteredWorker* its = parts_.workers.find(workerId);
        if (its && parts_.wine && its->descriptor->platform == wine::kPlatform) {
            Result<std::string> prefix = co_await parts_.wine->prefix();
            if (!prefix) co_return std::unexpected(prefix.error());
            preparation.prefix = std::move(*prefix);
        }
    }
    Result<Prepared> made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    if (!made) co_return std::unexpected(made.error());
    Workspace space{.scratch = made->scratch,
                    .request = std::move(made->request),
                    .input = std::move(made->input),
                    .lease = {}};
    const RegisteredWorker* worker = workerId.empty() ? nullptr : parts_.workers.find(workerId);
    const WorkerLimits limits = limitsOf(plainOf(worker), parts_.settings);
    if (made->plan) {
        space.memoryLimit = static_cast<std::int64_t>(made->plan->memoryBytes);
        // Twice: what is there for a while only is no output.
        space.outputLimits = {2 * limits.outputBytes, worker ? 2 * limits.outputFiles : 0};
    }
    if (!preparation.requests && preparation.spec->needsScratch())
        space.lease = leaseOf(*preparation.spec, plainOf(worker), limits, *made);
    if (space.lease && worker && !preparation.prefix.empty() && parts_.wine->installation()) {
        space.lease->argv = wine::commandOf(*parts_.wine->installation(), *worker->descriptor);
        space.lease->env = wine::environmentOf(space.lease->env);
    }
    co_return space;
}

// --- warm

const Workspaces::Mailbox& Workspaces::mailboxOf(const std::string& worker) {
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

void Workspaces::forgetWorker(const std::string& id) {
    readyWorkers_.erase(id);
    mailboxes_.erase(id);
}

/// Like the directory of an action, but that it lives as long as the process. In a sandbox it sees the worker's
/// files and where requests to that worker lie, and needs no directory of its own.
coro::Task<Result<runners::Lease>> Workspaces::makeProcess(runners::ProcessOrder order) {
    YARD_ASSERT_OWNER(owner_);
    const Result<std::string> workerDir = co_await workerFiles(order.worker);
    if (!workerDir) co_return std::unexpected(workerDir.error());
    const RegisteredWorker* worker = parts_.workers.find(order.worker);
    if (!worker) co_return fail(ErrorKind::NotFound, "the worker was removed");
    ProcessPreparation preparation{.home = parts_.scratch,
                                   .order = order,
                                   .workerDir = *workerDir,
                                   .chunks = chunks_,
                                   .claims = &parts_.claims,
                                   .worker = worker->descriptor,
                                   .policy = parts_.sandboxing.policy(parts_.settings),
                                   .sandboxed = parts_.sandboxing.forWorkers(),
                                   .mailbox = mailboxOf(order.worker)};
    Result<Prepared> made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    if (!made) co_return std::unexpected(made.error());
    worker = parts_.workers.find(order.worker);
    if (!worker) co_return fail(ErrorKind::NotFound, "the worker was removed");
    const WorkerDescriptor* descriptor = plainOf(worker);
    runners::Lease lease = leaseOf(ActionSpec{}, descriptor, limitsOf(descriptor, parts_.settings), *made);
    std::erase_if(lease.env, [](const auto& variable) { return variable.first == "YARD_ACTION"; });
    co_return lease;
}

void Workspaces::discardProcess(const runners::ProcessOrder& order) {
    discardDirectory(runners::scratchPath(parts_.dataDir, order.slot, order.id));
}

/// Inputs too: what a process left of them when it ended is not known.
coro::Task<Result<void>> Workspaces::remake(AttemptId id) {
    YARD_ASSERT_OWNER(owner_);
    Preparation preparation;
    std::optional<LentRequest> before;
    {
        Attempt* attempt = parts_.attempts.get(id);
        if (!attempt) co_return fail(ErrorKind::NotFound, "the attempt is over");
        preparation = preparationOf(*attempt);
        before = std::exchange(attempt->request, {});
    }
    auto [left, made] = co_await parts_.helpers.run([preparation, before = std::move(before)] {
        auto setAside = before ? giveBack(*before, *preparation.spec) : std::nullopt;
        return std::pair(std::move(setAside), preparation.make());
    });
    if (left) discardDirectory(*left);
    if (!made) co_return std::unexpected(made.error());
    if (Attempt* attempt = parts_.attempts.get(id)) attempt->request = std::move(made->request);
    co_return Result<void>{};
}

Collector::Parts Workspaces::collectionOf(const Attempt& attempt, runners::Ended ended) const {
    Collector::Parts parts;
    parts.chunks = chunks_;
    parts.claims = &parts_.claims;
    parts.ended = std::move(ended);
    parts.scratch = attempt.scratch;
    parts.request = attempt.request;
    parts.spec = attempt.spec;
    // With the machine's network it could pass descriptors on, and an ordinary user's could be opened again.
    parts.isOver = !attempt.warm && (::geteuid() == 0 || parts_.settings.sandboxNetwork != "asked");
    const ClassKey& key = parts_.dictionary.classKey(attempt.cls.value);
    const RegisteredWorker* worker = parts_.workers.find(key.workerId);
    const WorkerLimits limits = limitsOf(plainOf(worker), parts_.settings);
    parts.isWindows = worker && worker->descriptor->platform == wine::kPlatform;
    if (worker)
        parts.limits = {limits.outputBytes, limits.outputFiles};
    else if (attempt.spec->sandbox)
        parts.limits = {limits.outputBytes, 0};
    return parts;
}

coro::Task<void> Workspaces::collectAll(coro::HelperPool& helpers, std::shared_ptr<Collector> collector,
                                        std::function<void()> takesLong) {
    co_await helpers.run([collector] { collector->begin(); });
    if (!collector->isDone()) takesLong();
    while (!collector->isDone()) {
        if (collector->waits()) co_await coro::sleepFor(kLeasePause);
        co_await helpers.runSlowly([collector] { collector->goOn(); });
    }
}

/// What a yard sends runs in a sandbox, unless this machine asks for none of its own workers, and of guests neither.
bool Workspaces::isSandboxed(const GuestCommand& guest) const {
    if (!guest.worker) return guest.spec->sandbox;
    return parts_.sandboxing.forWorkers() || parts_.settings.guestUnsandboxed != "on";
}

Workspaces::Preparation Workspaces::preparationOf(const GuestCommand& guest) const {
    const bool sandboxed = isSandboxed(guest);
    Preparation preparation{.home = parts_.scratch,
                            .id = guest.id,
                            .slot = guest.slot,
                            .spec = guest.spec,
                            .workerDir = guest.workerDir,
                            .chunks = chunks_,
                            .claims = &parts_.claims,
                            .worker = {},
                            .policy = parts_.sandboxing.policy(parts_.settings),
                            .hostUser = sandboxed ? sandbox::hostUserOf(guest.slot.value) : 0,
                            .requests = {},
                            .shown = guest.number};
    if (sandboxed) preparation.worker = guest.worker;
    return preparation;
}

coro::Task<Result<Workspace>> Workspaces::prepareGuest(GuestCommand guest) {
    YARD_ASSERT_OWNER(owner_);
    if (isSandboxed(guest))
        if (auto fine = parts_.sandboxing.checkExec(); !fine) co_return std::unexpected(fine.error());
    const Preparation preparation = preparationOf(guest);
    Result<Prepared> made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    if (!made) co_return std::unexpected(made.error());
    Workspace space{.scratch = made->scratch, .request = {}, .input = std::move(made->input), .lease = {}};
    const WorkerDescriptor* worker = guest.worker.get();
    space.lease = leaseOf(*guest.spec, worker, limitsOf(worker, parts_.settings), *made);
    co_return space;
}

coro::Task<Result<Collection>> Workspaces::collectGuest(GuestCommand guest, runners::Scratch scratch,
                                                        runners::Ended ended) {
    YARD_ASSERT_OWNER(owner_);
    AttemptOutcome outcome = outcomeOf(ended);
    Collector::Parts parts;
    parts.chunks = chunks_;
    parts.claims = &parts_.claims;
    parts.ended = std::move(ended);
    parts.scratch = scratch;
    parts.spec = guest.spec;
    parts.isOver = ::geteuid() == 0 || parts_.settings.sandboxNetwork != "asked";
    const WorkerLimits limits = limitsOf(guest.worker.get(), parts_.settings);
    if (guest.worker)
        parts.limits = {limits.outputBytes, limits.outputFiles};
    else if (guest.spec->sandbox)
        parts.limits = {limits.outputBytes, 0};
    const auto collector = std::make_shared<Collector>(std::move(parts), std::move(outcome));
    co_await collectAll(parts_.helpers, collector, [] {});
    Collection made = std::move(collector->result());
    if (!made.isRemoved) discardDirectory(scratch.root);
    // There is no row of the journal that they would be committed with.
    co_return co_await parts_.helpers.run(
        [made = std::move(made), chunks = chunks_]() mutable -> Result<Collection> {
            for (const store::SmallChunk& small : made.chunks)
                if (auto put = chunks->putSmall(small.bytes); !put) return std::unexpected(put.error());
            return std::move(made);
        });
}

coro::Task<Collection> Workspaces::collect(AttemptId id, runners::Ended ended, std::function<void()> takesLong) {
    YARD_ASSERT_OWNER(owner_);
    Attempt* attempt = parts_.attempts.get(id);
    if (!attempt) co_return Collection{};
    const auto collector =
        std::make_shared<Collector>(collectionOf(*attempt, std::move(ended)), attempt->record.outcome);
    attempt->collector = collector;
    co_await collectAll(parts_.helpers, collector, std::move(takesLong));
    Collection made = std::move(collector->result());
    if (made.left) discardDirectory(*made.left);
    attempt = parts_.attempts.get(id);
    if (!attempt) co_return made;
    attempt->collector.reset();
    if (made.isRemoved) attempt->scratch.reset();
    attempt->request.reset();
    discard(*attempt);
    co_return made;
}

void Workspaces::discard(Attempt& attempt) {
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

/// What cannot be queued, or is cut short by the end of the engine, is nobody's from now on: the janitor's. An attempt
/// that was given up may have begun again until the deletion's turn comes: then makeScratch has set the old one aside.
void Workspaces::discardDirectory(const std::string& root) {
    locks::Claims& claims = parts_.claims;
    const locks::Claims::Number of = claims.numberOf(root);
    const bool queued = parts_.helpers.postDeletion([root, of, &claims, stop = parts_.helpers.stopping()] {
        const std::string aside = runners::asideName(root);
        if (!claims.moveTo(root, of, aside)) return;
        removeLeft(aside, stop);
        claims.remove(aside);
    });
    if (!queued) claims.remove(root);
}

} // namespace yard::engine

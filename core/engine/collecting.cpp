// The part of Dispatcher that needs directories and files: preparing before the start, collecting after the end.
#include "core/engine/dispatcher.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/engine/outcome.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

using runners::AttemptId;
using Phase = Attempt::Phase;

namespace {

/// Outputs larger than this are renamed into the content store as they are (ENGINE 11: stored raw).
constexpr std::uint64_t kCompressBelow = 64u << 20;

runners::Materialise materialiser(store::ChunkStore& chunks) {
    return [&chunks](const Hash256& hash, const std::string& path) { return chunks.materialise(hash, path, 0600); };
}

/// CONTRACT 2: lsn, function, args and inputs, for the worker to read.
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
    runners::Scratch scratch;
    PlanPtr plan; ///< null: without a sandbox
};

/// The directories of a warm process.
struct WarmPreparation {
    std::string dataDir;
    runners::ProcessOrder order;
    std::string workerDir;
    store::ChunkStore* chunks = nullptr;
    locks::Claims* claims = nullptr;
    std::shared_ptr<const WorkerDescriptor> worker;
    sandbox::Policy policy;
    bool sandboxed = false;
    SlotId mailbox{};

    Result<Prepared> make() const {
        if (sandboxed) return makeForSandbox();
        const std::string path = runners::scratchPath(dataDir, order.slot, order.id);
        claims->add(path);
        auto scratch = runners::makeScratch(dataDir, order.slot, order.id, workerDir, {}, materialiser(*chunks));
        if (scratch) return Prepared{std::move(*scratch), {}};
        claims->remove(path);
        return std::unexpected(scratch.error());
    }

    Result<Prepared> makeForSandbox() const {
        const std::uint32_t hostUser = sandbox::hostUserOf(mailbox.value);
        std::string requests;
        if (!worker->pool.inlineIo) {
            requests = fmt::format("{}/scratch/{}", dataDir, mailbox.value);
            if (auto made = makeDirectories(requests); !made) return std::unexpected(made.error());
            if (hostUser != 0 && ::lchown(requests.c_str(), hostUser, hostUser) != 0)
                return failErrno("give away " + requests, errno);
        }
        return Prepared{{},
                        std::make_shared<const sandbox::Plan>(
                            sandbox::planForWarm(*worker, workerDir, requests, policy, hostUser))};
    }
};

runners::Lease scratchLease(const ActionSpec& spec, const RegisteredWorker* worker,
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
        lease.limits.openFiles = static_cast<std::uint64_t>(descriptor.limits.openFiles);
        lease.limits.fileBytes = static_cast<std::uint64_t>(descriptor.limits.fileBytes);
    } else if (spec.cwd) {
        // An exec that runs elsewhere has to be told where its files are.
        lease.env.emplace_back("YARD_SCRATCH", scratch.root);
    }
    return lease;
}

runners::Lease leaseOf(const ActionSpec& spec, const RegisteredWorker* worker, const Prepared& prepared) {
    runners::Lease lease = !prepared.plan ? scratchLease(spec, worker, prepared.scratch)
                           : worker       ? sandboxedLease(*worker->descriptor, prepared.plan)
                                          : sandboxedLease(spec, prepared.plan);
    lease.env.insert(lease.env.end(), spec.env.begin(), spec.env.end());
    return lease;
}

Result<ChunkRef> keepFile(store::ChunkStore& chunks, const runners::OutputFile& file) {
    const bool adopt = file.movable && file.size >= kCompressBelow;
    Sha256 hasher;
    auto writer = adopt ? Result<store::ChunkWriter>(std::unexpected(Error{})) : chunks.writer({}, file.size);
    if (!adopt && !writer) return std::unexpected(writer.error());
    std::vector<char> buffer(256u << 10);
    std::uint64_t total = 0;
    for (;;) {
        const ssize_t got = ::read(file.fd, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failErrno("reading " + file.path, errno);
        if (got == 0) break;
        const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
        total += bytes.size();
        if (adopt)
            hasher.update(bytes);
        else if (auto wrote = writer->write(bytes); !wrote)
            return std::unexpected(wrote.error());
    }
    if (!adopt) return writer->finish();
    const Hash256 hash = hasher.finish();
    // It is ours from now on, whoever wrote it and whatever mode that one gave it.
    if (::fchmod(file.fd, 0600) != 0 || (::geteuid() == 0 && ::fchown(file.fd, 0, 0) != 0))
        return failErrno("take over " + file.path, errno);
    if (auto adopted = chunks.adopt(file.path, hash, total); !adopted) return std::unexpected(adopted.error());
    return ChunkRef{hash, total};
}

/// The end of a stream that went to a file, for the note: the last 16 KiB say most.
std::string tailOf(const runners::StreamResult& stream) {
    if (stream.path.empty()) return stream.bytes;
    constexpr std::uint64_t kTail = 16u << 10;
    const UniqueFd fd(::open(stream.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return {};
    std::string tail(kTail, '\0');
    const auto from = static_cast<off_t>(stream.size > kTail ? stream.size - kTail : 0);
    const ssize_t got = ::pread(fd.get(), tail.data(), tail.size(), from);
    tail.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return tail;
}

/// A stream that was longer than its limit, as its readers see it. The file goes.
Result<ChunkRef> keepHalves(store::ChunkStore& chunks, const runners::StreamResult& stream) {
    const UniqueFd fd(::open(stream.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    ::unlink(stream.path.c_str());
    if (!fd) return failErrno("open " + stream.path, errno);
    const KeptStream kept(stream.size, stream.gap);
    auto writer = chunks.writer({}, kept.size());
    if (!writer) return std::unexpected(writer.error());
    for (std::uint64_t at = 0; at < kept.size();) {
        auto bytes = kept.read(fd.get(), at, 256u << 10, 0);
        if (bytes && bytes->empty())
            return fail(ErrorKind::Io, stream.path + " is shorter than what was written to it");
        if (!bytes) return std::unexpected(bytes.error());
        if (auto wrote = writer->write(*bytes); !wrote) return std::unexpected(wrote.error());
        at += bytes->size();
    }
    return writer->finish();
}

Result<ChunkRef> keepStream(store::ChunkStore& chunks, const runners::StreamResult& stream,
                            std::vector<store::SmallChunk>& small) {
    if (stream.path.empty()) return keepSmall(stream, small);
    if (!stream.gap.empty()) return keepHalves(chunks, stream);
    if (stream.size == 0) {
        ::unlink(stream.path.c_str());
        return ChunkRef{Hash256::ofNothing(), 0};
    }
    if (auto adopted = chunks.adopt(stream.path, stream.hash, stream.size); !adopted) {
        ::unlink(stream.path.c_str());
        return std::unexpected(adopted.error());
    }
    return ChunkRef{stream.hash, stream.size};
}

/// What a helper makes of an ended attempt.
struct Collection {
    AttemptOutcome outcome;
    std::vector<store::SmallChunk> chunks;
    bool isRemoved = false; ///< the scratch directory
};

struct Collector {
    store::ChunkStore* chunks = nullptr;
    runners::Ended ended;
    std::optional<runners::Scratch> scratch; ///< absent: none
    locks::Claims* claims = nullptr;
    runners::OutputLimits limits;
    std::vector<std::string> expect;

    void keepOne(Collection& made, std::optional<ChunkRef>& where, runners::StreamResult& stream,
                 std::string_view which) {
        auto kept = keepStream(*chunks, stream, made.chunks);
        if (kept) {
            where = *kept;
        } else {
            stream.err = kept.error().sysErrno ? kept.error().sysErrno : EIO;
            stream.size = 0;
        }
        applyStreamLoss(made.outcome, stream, which);
    }

    Collection collect(AttemptOutcome outcome) {
        Collection made{.outcome = std::move(outcome), .chunks = {}};
        std::string note;
        if (made.outcome.state != ActionState::Completed && made.outcome.note.empty())
            note = noteFrom(tailOf(ended.err), tailOf(ended.out));
        if (ended.times.running != MonoTime{}) {
            keepOne(made, made.outcome.out, ended.out, "stdout");
            keepOne(made, made.outcome.err, ended.err, "stderr");
        }
        if (scratch) {
            store::ChunkStore& store = *chunks;
            const auto keep = [&store](const runners::OutputFile& file) { return keepFile(store, file); };
            applyOutputs(made.outcome, runners::gatherOutputs(scratch->outputs, limits, expect, keep));
            made.isRemoved = runners::removeEmptyScratch(*scratch);
            if (made.isRemoved) claims->remove(scratch->root);
        }
        if (made.outcome.note.empty()) made.outcome.note = std::move(note);
        return made;
    }
};

} // namespace

/// The directory of an action, and its sandbox.
struct Dispatcher::Preparation {
    std::string dataDir;
    AttemptId id;
    SlotId slot;
    SpecPtr spec;
    std::string workerDir; ///< empty for exec
    store::ChunkStore* chunks = nullptr;
    locks::Claims* claims = nullptr;
    std::shared_ptr<const WorkerDescriptor> worker; ///< to be run in a sandbox
    sandbox::Policy policy;
    std::uint32_t hostUser = 0; ///< who shall write the outputs, in a sandbox

    /// Claimed before it is there: the janitor takes what nobody uses.
    Result<Prepared> make() const {
        const std::string path = runners::scratchPath(dataDir, slot, id);
        claims->add(path);
        auto made = makeAll();
        if (!made) claims->remove(path);
        return made;
    }

    Result<Prepared> makeAll() const {
        auto scratch = makeFiles();
        if (!scratch) return std::unexpected(scratch.error());
        // Processes of a warm worker are there already and go there by themselves.
        if (auto given = runners::giveScratchTo(*scratch, hostUser, !isShown()); !given)
            return std::unexpected(given.error());
        Prepared prepared{*scratch, {}};
        const sandbox::Places places{scratch->root, workerDir, dataDir, scratch->hasInputs};
        if (worker) {
            prepared.plan =
                std::make_shared<const sandbox::Plan>(sandbox::planForWorker(*worker, places, policy, hostUser));
        } else if (spec->sandbox) {
            auto plan = sandbox::planForExec(*spec, places, policy, hostUser);
            if (!plan) return std::unexpected(plan.error());
            prepared.plan = std::make_shared<const sandbox::Plan>(std::move(*plan));
        }
        return prepared;
    }

    /// In a sandbox of its own, which shows each part of it at its place.
    bool isShown() const { return worker || spec->sandbox; }

    Result<runners::Scratch> makeFiles() const {
        std::vector<runners::PlacedFile> inputs;
        for (const auto& [name, hash] : spec->inputs) inputs.push_back({name, hash, 0444});
        // In a sandbox the worker's files are shown where they are.
        auto made = runners::makeScratch(dataDir, slot, id, worker ? std::string() : workerDir, inputs,
                                         materialiser(*chunks), !isShown());
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
    auto made = co_await parts_.helpers.run(
        [dataDir = parts_.dataDir, workerId, files = std::move(files), chunks = chunks_] {
            return runners::ensureWorkerFiles(dataDir, workerId, files, materialiser(*chunks));
        });
    if (made) readyWorkers_.insert(workerId);
    co_return made;
}

Dispatcher::Preparation Dispatcher::preparationOf(const Attempt& attempt) {
    Preparation preparation{.dataDir = parts_.dataDir,
                            .id = attempt.id,
                            .slot = attempt.slot,
                            .spec = attempt.spec,
                            .workerDir = {},
                            .chunks = chunks_,
                            .claims = &parts_.claims,
                            .worker = {},
                            .policy = policyOf(parts_.settings)};
    const std::string& workerId = parts_.dictionary.classKey(attempt.cls.value).workerId;
    const bool isExec = attempt.spec->isExec();
    const bool sandboxed = isExec ? attempt.spec->sandbox : parts_.sandboxing.forWorkers();
    // Which process will serve it is not known yet, but all of its worker see this place.
    if (attempt.warm) preparation.slot = mailboxOf(workerId);
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
    if (made) attempt->scratch = made->scratch;
    if (attempt->stop) {
        giveUp(*attempt);
    } else if (!made) {
        // Of its files and directories only the one that it names is its own.
        const bool isOwn = made.error().field == "cwd";
        neverStarted(*attempt, {.step = isOwn ? runners::SpawnStep::ChangeDirectory : runners::SpawnStep::None,
                                .err = made.error().sysErrno,
                                .message = std::move(made.error().message)});
    } else {
        std::vector<runners::Lease> leases;
        const RegisteredWorker* worker = workerId.empty() ? nullptr : parts_.workers.find(workerId);
        if (made->plan) attempt->memoryLimit = static_cast<std::int64_t>(made->plan->memoryBytes);
        // Twice: what is there for a while only is no output.
        if (worker && made->plan)
            attempt->outputLimits = {2 * worker->descriptor->limits.outputBytes,
                                     2 * worker->descriptor->limits.outputFiles};
        launch(*attempt, warm ? warmLease(*attempt) : leaseOf(*attempt->spec, worker, *made), leases);
        submit(std::move(leases));
    }
}

// --- warm

bool Dispatcher::needsDirectory(const Attempt& attempt) const {
    const RegisteredWorker* worker = parts_.workers.find(parts_.dictionary.classKey(attempt.cls.value).workerId);
    return worker && !worker->descriptor->pool.inlineIo;
}

runners::Lease Dispatcher::warmLease(const Attempt& attempt) const {
    runners::Lease lease;
    const auto group = warm_->groupOf(parts_.dictionary.classKey(attempt.cls.value).workerId);
    std::string root = attempt.scratch ? attempt.scratch->root : std::string();
    if (!root.empty() && parts_.sandboxing.forWorkers())
        root = fmt::format("{}/{}.{}", sandbox::kRequests, attempt.id.lsn.value, attempt.id.attempt);
    lease.warm =
        runners::WarmCall{.group = group.value_or(pool::GroupId{}), .spec = attempt.spec, .root = std::move(root)};
    return lease;
}

SlotId Dispatcher::mailboxOf(const std::string& worker) {
    const auto next = static_cast<std::uint32_t>(kFirstMailbox + mailboxes_.size());
    return SlotId(mailboxes_.try_emplace(worker, next).first->second);
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
    WarmPreparation preparation{.dataDir = parts_.dataDir,
                                .order = order,
                                .workerDir = *workerDir,
                                .chunks = chunks_,
                                .claims = &parts_.claims,
                                .worker = worker->descriptor,
                                .policy = policyOf(parts_.settings),
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
        lease = leaseOf(ActionSpec{}, worker, *made);
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
    {
        Attempt* attempt = get(id);
        if (!attempt) co_return;
        preparation = preparationOf(*attempt);
    }
    const Result<Prepared> made = co_await parts_.helpers.run([preparation] { return preparation.make(); });
    warm_->remade(id, made ? Result<void>{} : std::unexpected(made.error()));
}

coro::Task<void> Dispatcher::collect(AttemptId id, runners::Ended ended) {
    Collector collector;
    AttemptOutcome outcome;
    {
        Attempt* attempt = get(id);
        if (!attempt) co_return;
        collector.chunks = chunks_;
        collector.ended = std::move(ended);
        collector.expect = attempt->spec->expect;
        outcome = attempt->record.outcome;
        collector.scratch = attempt->scratch;
        collector.claims = &parts_.claims;
        const ClassKey& key = parts_.dictionary.classKey(attempt->cls.value);
        if (const RegisteredWorker* worker = parts_.workers.find(key.workerId))
            collector.limits = {worker->descriptor->limits.outputBytes, worker->descriptor->limits.outputFiles};
    }
    Collection made =
        co_await parts_.helpers.run([collector = std::move(collector), outcome = std::move(outcome)]() mutable {
            return collector.collect(std::move(outcome));
        });
    Attempt* attempt = get(id);
    if (!attempt) co_return;
    const ActionState before = attempt->record.outcome.state;
    const WallMicros end = std::exchange(attempt->record.times[before], 0);
    attempt->record.outcome = std::move(made.outcome);
    attempt->record.times[attempt->record.outcome.state] = end;
    attempt->chunks = std::move(made.chunks);
    if (made.isRemoved) attempt->scratch.reset();
    discardScratch(*attempt);
    finish(*attempt);
}

void Dispatcher::discardScratch(Attempt& attempt) {
    if (!attempt.scratch) return;
    discardDirectory(attempt.scratch->root);
    attempt.scratch.reset();
}

/// What cannot be queued, or is cut short by the end of the engine, is nobody's from now on: the janitor's.
void Dispatcher::discardDirectory(const std::string& root) {
    locks::Claims& claims = parts_.claims;
    const bool queued = parts_.helpers.postDeletion([root, &claims] {
        const std::string aside = runners::asideName(root);
        if (!claims.moveTo(root, aside)) return;
        if (auto removed = removeTree(aside); !removed)
            logWarning("engine", "{} could not be removed: {}", aside, removed.error().message);
        claims.remove(aside);
    });
    if (!queued) claims.remove(root);
}

} // namespace yard::engine

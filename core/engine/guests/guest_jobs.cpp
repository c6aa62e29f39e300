#include "core/engine/guests/guest_jobs.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/guests/update_batch.h"
#include "core/model/action_name.h"
#include "core/session/resource_holds.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

/// Numbers of an engine that crashed may be those of files that are still there.
std::int64_t firstNumber() {
    constexpr std::size_t kRandomBytes = 3;
    const std::string hex = randomHex(kRandomBytes);
    std::int64_t random = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), random, 16);
    return runners::kFirstGuestLsn + random * 16;
}

link::GuestEnd causeOf(runners::EndCause cause, bool endedHere) {
    switch (cause) {
    case runners::EndCause::Exited: return link::GuestEnd::Exited;
    case runners::EndCause::Cancelled: return endedHere ? link::GuestEnd::LostRunner : link::GuestEnd::Cancelled;
    case runners::EndCause::Deadline: return link::GuestEnd::Deadline;
    case runners::EndCause::SpawnError: return link::GuestEnd::SpawnError;
    case runners::EndCause::LeaseEnded: return link::GuestEnd::LeaseEnded;
    case runners::EndCause::Abandoned:
    case runners::EndCause::EngineStopped:
    case runners::EndCause::LostRunner:
    case runners::EndCause::WorkerCrashed: break;
    }
    return link::GuestEnd::LostRunner;
}

std::uint64_t positive(std::optional<std::int64_t> value) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(value.value_or(0), 0));
}

/// Small ones go along, of others their hash. Blocks.
Result<link::KeptStream> keptStream(store::ChunkStore& chunks, const std::optional<ChunkRef>& stream) {
    link::KeptStream kept;
    if (!stream || stream->size == 0) return kept;
    kept.size = stream->size;
    if (stream->size > link::kInlineBytes) {
        kept.hash = stream->hash;
        return kept;
    }
    auto bytes = chunks.read(stream->hash, link::kInlineBytes);
    if (!bytes) return std::unexpected(bytes.error());
    kept.bytes = std::move(*bytes);
    return kept;
}

} // namespace

GuestJobs::GuestJobs(Parts parts)
    : parts_(std::move(parts))
    , next_(firstNumber()) {
    for (std::uint32_t i = parts_.slots; i > 0; --i) free_.emplace_back(parts_.firstSlot + i - 1);
}

GuestJobs::Job* GuestJobs::find(const GuestTeller& teller, link::AttemptRef id) {
    const auto found = std::ranges::find_if(
        jobs_, [&](const auto& entry) { return entry.second.teller == &teller && entry.second.attempt.id == id; });
    return found == jobs_.end() ? nullptr : &found->second;
}

GuestJobs::Job* GuestJobs::at(runners::AttemptId number) {
    const auto found = jobs_.find(number.lsn.value);
    return found == jobs_.end() ? nullptr : &found->second;
}

// --- before the start

void GuestJobs::mayRunUntil(std::uint32_t group, BootTime until) {
    if (runners::Runner* machine = parts_.machine()) machine->mayRunUntil(group, until);
}

void GuestJobs::prepare(GuestTeller& teller, std::uint32_t group, guests::GuestAttempt attempt) {
    YARD_ASSERT_OWNER(owner_);
    const std::int64_t number = next_++;
    Job& job = jobs_[number];
    job.number = {Lsn(number), 1};
    job.teller = &teller;
    job.group = group;
    job.attempt = std::move(attempt);
    job.since = MonoClock::now();
    // Named resources are the yard's own; no guest has any (guest_vetting.cpp).
    const Resources needs{
        .milliCores = job.attempt.needs.milliCores, .memoryMb = job.attempt.needs.memoryMb, .named = {}};
    if (!parts_.session.holds().take(keyOf(job), needs)) return;
    granted(keyOf(job));
}

void GuestJobs::granted(session::HoldKey key) {
    YARD_ASSERT_OWNER(owner_);
    Job* job = at({Lsn(static_cast<std::int64_t>(key / 2)), 1});
    if (!job || job->stage != Stage::Waiting) return;
    job->stage = Stage::Granted;
    granted_.push_back(job->number.lsn.value);
    goOn();
}

void GuestJobs::tick() {
    YARD_ASSERT_OWNER(owner_);
    goOn();
    constexpr Duration kLookEvery = std::chrono::seconds(1);
    const MonoTime now = MonoClock::now();
    if (jobs_.empty() || looked_ == MonoTime::max() || now - looked_ < kLookEvery) return;
    looked_ = MonoTime::max();
    parts_.spawn("figures of guests", look());
}

void GuestJobs::goOn() {
    while (!granted_.empty() && !free_.empty() && parts_.mayStart()) {
        const auto found = jobs_.find(granted_.front());
        granted_.pop_front();
        if (found == jobs_.end()) continue;
        Job& job = found->second;
        job.slot = free_.back();
        free_.pop_back();
        job.stage = Stage::Preparing;
        parts_.started();
        parts_.spawn(fmt::format("prepare guest {}", job.attempt.id.lsn), make(job.number));
    }
}

/// Requires: it has a slot.
GuestCommand GuestJobs::commandOf(const Job& job) {
    GuestCommand guest{
        .id = job.number, .slot = *job.slot, .spec = job.attempt.spec, .number = Lsn(job.attempt.id.lsn)};
    if (job.worker) {
        guest.worker = job.worker->descriptor;
        guest.workerDir = job.worker->directory;
    }
    return guest;
}

/// The files of its worker first, if it has one.
coro::Task<Result<Workspace>> GuestJobs::makeSpace(runners::AttemptId number) {
    std::optional<Hash256> worker;
    if (const Job* job = at(number)) worker = job->attempt.worker;
    if (worker) {
        auto ready = co_await parts_.workers.use(*worker);
        if (!ready) co_return std::unexpected(ready.error());
        Job* job = at(number);
        if (!job) {
            parts_.workers.release(*worker);
            co_return fail(ErrorKind::NotFound, "it is over");
        }
        job->worker = std::move(*ready);
    }
    const Job* job = at(number);
    if (!job) co_return fail(ErrorKind::NotFound, "it is over");
    co_return co_await parts_.workspaces.prepareGuest(commandOf(*job));
}

coro::Task<void> GuestJobs::make(runners::AttemptId number) {
    Result<Workspace> made = co_await makeSpace(number);
    Job* job = at(number);
    if (!job) co_return;
    if (made) job->space = std::move(*made);
    if (!job->teller) {
        if (job->space.scratch) parts_.workspaces.discardGuest(*job->space.scratch);
        release(*job);
        co_return;
    }
    GuestTeller& teller = *job->teller;
    const link::AttemptRef id = job->attempt.id;
    if (made) {
        job->stage = Stage::Prepared;
        teller.prepared(id);
    } else {
        release(*job);
        teller.notPrepared(id, made.error().message);
    }
}

/// Nothing of it is left.
void GuestJobs::release(Job& job) {
    if (job.slot) free_.push_back(*job.slot);
    if (job.worker) parts_.workers.release(*job.attempt.worker);
    const session::HoldKey key = keyOf(job);
    jobs_.erase(job.number.lsn.value);
    if (parts_.session.holds().letGo(key)) parts_.wake();
    goOn();
}

// --- running

void GuestJobs::start(GuestTeller& teller, link::AttemptRef id) {
    YARD_ASSERT_OWNER(owner_);
    Job* job = find(teller, id);
    if (!job || job->stage != Stage::Prepared) return;
    runners::Lease lease = std::move(*job->space.lease);
    job->space.lease.reset();
    lease.id = job->number;
    lease.slot = *job->slot;
    lease.deadline = job->attempt.deadline;
    lease.grace = job->attempt.grace;
    lease.streamBytes = static_cast<std::uint64_t>(parts_.settings.streamBytes);
    lease.hurry = true;
    lease.engineEnv = job->attempt.spec->engineEnv;
    lease.guestGroup = job->group;
    lease.input = std::move(job->space.input);
    job->hasStatusFile = !lease.sandbox;
    job->stage = Stage::Running;
    job->since = MonoClock::now();
    std::vector<runners::Lease> batch;
    batch.push_back(std::move(lease));
    parts_.machine()->submit(std::move(batch));
}

void GuestJobs::end(GuestTeller& teller, link::AttemptRef id, Duration grace) {
    YARD_ASSERT_OWNER(owner_);
    const Job* job = find(teller, id);
    if (job && job->stage == Stage::Running)
        parts_.machine()->end(job->number, runners::StopCause::Cancelled, grace);
}

void GuestJobs::endAll(const GuestTeller& teller, Duration grace) {
    YARD_ASSERT_OWNER(owner_);
    for (auto& [number, job] : jobs_) {
        if (job.teller != &teller || job.stage != Stage::Running) continue;
        job.endedHere = true;
        parts_.machine()->end(job.number, runners::StopCause::Cancelled, grace);
    }
}

void GuestJobs::drop(GuestTeller& teller, link::AttemptRef id) {
    YARD_ASSERT_OWNER(owner_);
    if (Job* job = find(teller, id)) dropJob(*job, id);
}

void GuestJobs::dropJob(Job& job, link::AttemptRef id) {
    GuestTeller& teller = *std::exchange(job.teller, nullptr);
    switch (job.stage) {
    case Stage::Waiting:
    case Stage::Granted: release(job); return teller.notPrepared(id, {});
    case Stage::Preparing: return teller.notPrepared(id, {}); // make() does the rest
    case Stage::Prepared:
        if (job.space.scratch) parts_.workspaces.discardGuest(*job.space.scratch);
        return release(job);
    case Stage::Running: return parts_.machine()->end(job.number, runners::StopCause::Cancelled, {});
    case Stage::Collecting: return; // collect() does the rest
    }
}

void GuestJobs::forgetAll(GuestTeller& teller) {
    YARD_ASSERT_OWNER(owner_);
    std::vector<link::AttemptRef> ids;
    for (const auto& [number, job] : jobs_)
        if (job.teller == &teller) ids.push_back(job.attempt.id);
    for (const link::AttemptRef id : ids) drop(teller, id);
}

void GuestJobs::updates(std::vector<runners::Update> batch) {
    YARD_ASSERT_OWNER(owner_);
    for (runners::Update& update : batch) {
        Job* job = at(update.id);
        if (!job) continue;
        if (const auto* started = std::get_if<runners::Started>(&update.what)) {
            job->pid = started->pid;
            job->lookedAt = MonoClock::now();
            if (job->teller)
                job->teller->update(
                    {.id = job->attempt.id, .kind = link::UpdateKind::Running, .number = positive(started->pid)});
        } else if (const auto* at = std::get_if<runners::StreamAt>(&update.what)) {
            streamAt(*job, *at);
        } else if (auto* ended = std::get_if<runners::Ended>(&update.what)) {
            job->stage = Stage::Collecting;
            parts_.spawn(fmt::format("collect guest {}", job->attempt.id.lsn),
                         collect(update.id, std::move(*ended)));
        } else if (std::holds_alternative<runners::Returned>(update.what)) {
            if (job->space.scratch) parts_.workspaces.discardGuest(*job->space.scratch);
            GuestTeller* const teller = job->teller;
            const link::AttemptRef id = job->attempt.id;
            release(*job);
            if (teller) teller->returned(id);
        }
    }
}

// --- what it uses

coro::Task<void> GuestJobs::look() {
    constexpr std::int64_t kMiB = 1 << 20;
    std::vector<std::pair<runners::AttemptId, Leader>> asked;
    std::vector<Leader> leaders;
    for (const auto& [number, job] : jobs_)
        if (job.stage == Stage::Running && job.teller && job.pid != 0) {
            // The yard holds what is told against as much: what several processes share is to count once.
            leaders.push_back(
                {.pid = job.pid, .lsn = job.number.lsn.value, .memoryLimit = job.attempt.needs.memoryMb * kMiB});
            asked.emplace_back(job.number, leaders.back());
        }
    if (!leaders.empty()) {
        const auto trees = co_await parts_.helpers.run(
            [leaders = std::move(leaders), adopter = parts_.adopter()] { return readTrees(leaders, adopter); });
        const MonoTime now = MonoClock::now();
        for (const auto& [number, leader] : asked)
            if (const auto tree = trees.find(leader.pid); tree != trees.end()) tellUsage(number, tree->second, now);
    }
    co_await lookAtProgress();
    looked_ = MonoClock::now();
}

void GuestJobs::tellUsage(runners::AttemptId number, const TreeReading& tree, MonoTime now) {
    Job* job = at(number);
    if (!job || !job->teller || job->stage != Stage::Running) return;
    // A process that left the tree takes its time along: what is left does not use less than nothing.
    const std::int64_t used = std::max<std::int64_t>(tree.cpu - job->used, 0);
    const std::int64_t span = std::max<std::int64_t>((now - job->lookedAt).count(), 1);
    job->used = std::max(job->used, tree.cpu);
    job->lookedAt = now;
    GuestTeller& teller = *job->teller; // the job may be gone once it heard
    const link::AttemptRef id = job->attempt.id;
    teller.update({.id = id, .kind = link::UpdateKind::Cpu, .number = positive(100 * used / span)});
    teller.update({.id = id, .kind = link::UpdateKind::Memory, .number = positive(tree.memoryBytes())});
}

// --- how far it is

/// Of those whose output somebody follows. One in a sandbox does not see its file; before it runs that is of the one before
/// it in its slot.
coro::Task<void> GuestJobs::lookAtProgress() {
    std::vector<StatusToRead> due;
    for (const auto& [number, job] : jobs_)
        if (job.stage == Stage::Running && job.teller && job.pid != 0 && job.hasStatusFile &&
            (job.out.isWatched || job.err.isWatched))
            due.push_back({.lsn = job.number.lsn, .path = parts_.statusFile(*job.slot)});
    if (due.empty()) co_return;
    const auto read =
        co_await parts_.helpers.run([due = std::move(due)]() mutable { return readStatuses(std::move(due)); });
    for (const StatusToRead& one : read) tellProgress(one);
}

void GuestJobs::tellProgress(const StatusToRead& read) {
    Job* job = at({read.lsn, 1});
    if (!job || !job->teller || job->stage != Stage::Running) return;
    // What has left the end of the file still holds.
    if (read.said.fraction) job->said.fraction = read.said.fraction;
    if (!read.said.message.empty()) job->said.message = read.said.message;
    if (job->said == job->told) return;
    job->told = job->said;
    const double thousandths = job->said.fraction.value_or(0) * static_cast<double>(link::kWholeProgress);
    job->teller->update(
        {.id = job->attempt.id,
         .kind = link::UpdateKind::Progress,
         .number = job->said.fraction ? static_cast<std::uint64_t>(std::lround(thousandths)) : link::kNoProgress,
         .text = job->said.message});
}

// --- what it prints

void GuestJobs::follow(GuestTeller& teller, const link::Follow& what) {
    YARD_ASSERT_OWNER(owner_);
    Job* job = find(teller, what.id);
    if (!job || job->stage != Stage::Running) return;
    const runners::Stream stream = what.isErr ? runners::Stream::Err : runners::Stream::Out;
    Printed& printed = job->printed(stream);
    printed.told = what.from;
    job->told = {}; // a yard that was started again knows nothing of it
    if (!std::exchange(printed.isWatched, true)) parts_.machine()->watch(job->number, stream);
    tellMore(*job, stream);
}

void GuestJobs::streamAt(Job& job, const runners::StreamAt& at) {
    Printed& printed = job.printed(at.stream);
    printed.path = at.path;
    // Of a longer one the middle goes: the whole comes with the end.
    printed.size = at.limit == 0 ? at.size : std::min(at.size, at.limit / 2);
    tellMore(job, at.stream);
}

void GuestJobs::tellMore(Job& job, runners::Stream stream) {
    Printed& printed = job.printed(stream);
    if (!job.teller || printed.isReading || printed.told >= printed.size) return;
    printed.isReading = true;
    parts_.spawn(fmt::format("output of guest {}", job.attempt.id.lsn), tellOutput(job.number, stream));
}

/// Not faster than it is sent: nothing that is followed is passed over.
coro::Task<void> GuestJobs::tellOutput(runners::AttemptId number, runners::Stream stream) {
    constexpr std::size_t kPiece = link::kMaxUpdateBytes / 2;
    for (;;) {
        std::string path;
        std::uint64_t from = 0;
        std::size_t most = 0; // what is there beyond its size may not be told
        {
            Job* job = at(number);
            if (!job) co_return;
            Printed& printed = job->printed(stream);
            if (!job->teller || job->stage != Stage::Running || printed.told >= printed.size) {
                printed.isReading = false;
                co_return;
            }
            path = printed.path;
            from = printed.told;
            most = static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, printed.size - printed.told));
        }
        auto bytes = co_await parts_.helpers.run([path, from, most]() -> Result<std::string> {
            const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
            if (!fd) return failErrno("open " + path, errno);
            return readFileAt(fd.get(), from, most);
        });
        Job* job = at(number);
        if (!job) co_return;
        Printed& printed = job->printed(stream);
        if (!bytes || bytes->empty() || !job->teller) {
            printed.isReading = false;
            co_return;
        }
        if (printed.told != from) continue; // it is followed from elsewhere by now
        printed.told = from + bytes->size();
        job->teller->update(
            {.id = job->attempt.id,
             .kind = stream == runners::Stream::Out ? link::UpdateKind::Output : link::UpdateKind::ErrorOutput,
             .number = from,
             .text = std::move(*bytes)});
        co_await coro::sleepFor(guests::UpdateBatch::kPause);
    }
}

// --- the end

coro::Task<void> GuestJobs::collect(runners::AttemptId number, runners::Ended ended) {
    GuestCommand guest;
    std::optional<runners::Scratch> scratch;
    bool endedHere = false;
    {
        Job* job = at(number);
        if (!job) co_return;
        guest = commandOf(*job);
        scratch = job->space.scratch;
        endedHere = job->endedHere;
    }
    const runners::EndCause cause = ended.cause;
    const runners::RunTimes times = ended.times;
    Result<link::Finished> finished = fail(ErrorKind::Internal, "it had no directory");
    if (scratch) {
        auto made =
            co_await parts_.workspaces.collectGuest(std::move(guest), std::move(*scratch), std::move(ended));
        if (made)
            finished = co_await finishedOf(std::move(*made), cause, times, endedHere);
        else
            finished = std::unexpected(made.error());
    }
    Job* job = at(number);
    if (!job) co_return;
    if (runners::Runner* machine = parts_.machine()) machine->acknowledge(*job->slot, number);
    GuestTeller* const teller = job->teller;
    const link::AttemptRef id = job->attempt.id;
    release(*job);
    if (!teller) co_return;
    if (!finished) {
        logWarning("guests", "what {}.{} left cannot be kept: {}", id.lsn, id.attempt, finished.error().message);
        finished = link::Finished{};
        finished->cause = link::GuestEnd::LostRunner;
        finished->message = "what it left cannot be kept there: the machine's disk is full or broken";
    }
    teller->ended(id, std::move(*finished));
}

coro::Task<Result<link::Finished>> GuestJobs::finishedOf(Collection made, runners::EndCause cause,
                                                         runners::RunTimes times, bool endedHere) {
    const AttemptOutcome& outcome = made.outcome;
    link::Finished end;
    end.cause = causeOf(cause, endedHere);
    end.message = outcome.note;
    // The yard would take it for one without outputs.
    if (end.cause == link::GuestEnd::Exited && outcome.reason == Reason::ResultTooLarge)
        end.cause = link::GuestEnd::SpawnError;
    if (end.cause == link::GuestEnd::Exited) end.result = outcome.result;
    end.exitCode = outcome.exitCode.value_or(0);
    end.signal = static_cast<std::uint32_t>(outcome.signal.value_or(0));
    if (times.running != MonoTime{} && times.exited > times.running)
        end.ranUs = positive((times.exited - times.running).count());
    end.cpuUs = positive(outcome.measures[Measure::CpuTime]);
    end.memoryBytes = positive(outcome.measures[Measure::PeakMemory]);
    for (const NamedChunk& output : outcome.outputs)
        end.outputs.push_back({.path = output.name, .hash = output.chunk.hash, .size = output.chunk.size});
    using Streams = std::pair<Result<link::KeptStream>, Result<link::KeptStream>>;
    Streams streams = co_await parts_.helpers.run([chunks = chunks_, out = outcome.out, err = outcome.err] {
        return Streams(keptStream(*chunks, out), keptStream(*chunks, err));
    });
    for (const auto* stream : {&streams.first, &streams.second})
        if (!*stream) co_return std::unexpected(stream->error());
    end.out = std::move(*streams.first);
    end.err = std::move(*streams.second);
    co_return end;
}

std::vector<GuestJobs::View> GuestJobs::views(const GuestTeller& teller) const {
    std::vector<View> views;
    for (const auto& [number, job] : jobs_) {
        if (job.teller != &teller) continue;
        const ActionSpec& spec = *job.attempt.spec;
        const std::string& what = spec.label.empty() ? spec.function : spec.label;
        views.push_back({.id = job.attempt.id,
                         .name = what.empty() ? commandName(spec.argv) : what,
                         .isRunning = job.stage == Stage::Running,
                         .since = job.since});
    }
    return views;
}

} // namespace yard::engine

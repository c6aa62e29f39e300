#include "core/runners/link_reports.h"

#include "core/json/json_reader.h"
#include "core/model/action_spec.h"
#include "core/runners/warm_frames.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::runners {

namespace {

EndCause causeOf(link::GuestEnd end, StopCause stop) {
    switch (end) {
    case link::GuestEnd::Exited: return EndCause::Exited;
    case link::GuestEnd::Cancelled: return endOf(stop);
    case link::GuestEnd::Deadline: return EndCause::Deadline;
    case link::GuestEnd::SpawnError: return EndCause::SpawnError;
    case link::GuestEnd::Crashed: return EndCause::WorkerCrashed;
    case link::GuestEnd::LostRunner:
    case link::GuestEnd::LeaseEnded:
    case link::GuestEnd::Refused: break;
    }
    return EndCause::LostRunner;
}

StreamResult streamOf(const link::KeptStream& kept) {
    StreamResult stream;
    if (kept.hash) {
        stream.hash = *kept.hash;
        stream.size = kept.size;
        return stream;
    }
    stream.bytes = kept.bytes;
    stream.size = kept.bytes.size();
    if (!kept.bytes.empty()) stream.hash = Sha256::of(kept.bytes);
    return stream;
}

/// As each of them could be a file in outputs/, beside the others.
bool hasOwnPaths(const std::vector<link::Output>& outputs) {
    std::set<std::string_view> paths;
    return std::ranges::all_of(outputs, [&paths](const link::Output& output) {
        return isSafeRelativePath(output.path) && paths.insert(output.path).second;
    });
}

/// As one of a worker prints it; a command has none. Of one that is not out any more nobody looks at it.
bool mayHaveResult(std::string_view result, const LinkAttempts::Attempt* attempt) {
    if (result.empty() || !attempt) return true;
    return !attempt->worker.empty() && result.size() <= warm::kMaxResult && readJson(result).has_value();
}

std::vector<RemoteChunk> chunksOf(const link::Finished& finished) {
    std::vector<RemoteChunk> chunks;
    chunks.reserve(finished.outputs.size() + 2);
    for (const link::Output& output : finished.outputs)
        chunks.push_back({.hash = output.hash, .size = output.size});
    for (const link::KeptStream* stream : {&finished.out, &finished.err})
        if (stream->hash) chunks.push_back({.hash = *stream->hash, .size = stream->size});
    return chunks;
}

/// Within what a machine can have.
void noteFigures(Measures& measures, const link::Finished& finished, std::int64_t longest) {
    constexpr std::uint64_t kMostCores = 10'000;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;
    const std::uint64_t time =
        std::min({finished.cpuUs, static_cast<std::uint64_t>(longest) * kMostCores, std::uint64_t{1} << 50});
    if (time > 0) measures.atLeast(Measure::CpuTime, static_cast<std::int64_t>(time));
    const std::uint64_t bytes = std::min(finished.memoryBytes, kMostBytes);
    if (bytes > 0) measures.atLeast(Measure::PeakMemory, static_cast<std::int64_t>(bytes));
}

/// Output that nobody follows is passed over, and so is how far that is: a machine may send what it likes.
bool isWanted(link::UpdateKind kind, const LinkAttempts::Attempt& attempt) {
    switch (kind) {
    case link::UpdateKind::Output: return attempt.isOutWatched;
    case link::UpdateKind::ErrorOutput: return attempt.isErrWatched;
    case link::UpdateKind::Progress: return attempt.isOutWatched || attempt.isErrWatched;
    case link::UpdateKind::Submitting:
    case link::UpdateKind::Running:
    case link::UpdateKind::Cpu:
    case link::UpdateKind::Memory: break;
    }
    return true;
}

} // namespace

LinkReports::LinkReports(Parts parts)
    : parts_(std::move(parts))
    , needs_(parts_.host)
    , fetches_(parts_.host, {.done = [this](link::AttemptRef ref) { gathered(ref); },
                             .lied = [this](std::string_view sentence) { parts_.lied(sentence); }}) {}

void LinkReports::connect(LinkOut* out) {
    needs_.connect(out);
    fetches_.connect(out);
}

bool LinkReports::take(const link::Frame& frame) {
    switch (static_cast<link::Kind>(frame.kind)) {
    case link::Kind::Updates: return updatesCame(frame);
    case link::Kind::Finished: return finishedCame(frame);
    case link::Kind::Need: return needCame(frame);
    case link::Kind::Chunk: return chunkCame(frame);
    case link::Kind::HandedBack: return handedBackCame(frame);
    default: return false;
    }
}

bool LinkReports::updatesCame(const link::Frame& frame) {
    link::Updates updates;
    if (!link::get(frame.body, updates)) return false;
    for (const link::Update& update : updates) {
        LinkAttempts::Attempt* attempt = parts_.attempts.find(update.id);
        const auto stage = parts_.leases.stageOf(update.id);
        // One that is settled or has ended may have had news on their way.
        if (!attempt || (stage != link::YardStage::Given && stage != link::YardStage::Begun)) continue;
        parts_.leases.began(update.id);
        if (attempt->times.submitting == MonoTime{}) attempt->times.submitting = parts_.host.monoNow();
        if (update.kind == link::UpdateKind::Running && attempt->times.running == MonoTime{})
            runs(update.id, *attempt);
        else if (update.kind > link::UpdateKind::Running && isWanted(update.kind, *attempt))
            parts_.host.told(update);
    }
    return true;
}

void LinkReports::heldThere(const link::Held& held) {
    LinkAttempts::Attempt* attempt = parts_.attempts.find(held.id);
    if (!attempt || !attempt->isRestored || held.stage != link::GuestStage::Begun) return;
    if (attempt->times.running == MonoTime{}) runs(held.id, *attempt);
}

void LinkReports::runs(link::AttemptRef ref, LinkAttempts::Attempt& attempt) {
    const MonoTime now = parts_.host.monoNow();
    if (attempt.times.submitting == MonoTime{}) attempt.times.submitting = now;
    attempt.times.running = now;
    // Its pid is one of another machine.
    parts_.attempts.tell(idOf(ref), Started{.slot = attempt.slot, .pid = 0, .times = attempt.times});
}

bool LinkReports::finishedCame(const link::Frame& frame) {
    link::Finished finished;
    if (!link::get(frame.body, finished)) return false;
    const link::AttemptRef ref = finished.id;
    LinkAttempts::Attempt* attempt = parts_.attempts.find(ref);
    if (!mayHaveResult(finished.result, attempt)) {
        parts_.lied("It told a result that is none of a worker, and no command has one.");
        return true;
    }
    if (!hasOwnPaths(finished.outputs)) {
        parts_.lied("It named an output as no action can leave one.");
        return true;
    }
    bool isNew = false;
    if (!parts_.leases.finished(ref, isNew)) {
        parts_.lied("It told how an attempt ended that it was never given.");
        return true;
    }
    // One that gave a chunk two sizes is not believed: once it is allowed again it tells that end again, like each that
    // is not settled, and is asked for those outputs.
    const bool isTaken =
        isNew || (parts_.leases.stageOf(ref) == link::YardStage::Ended && !fetches_.isFetching(ref));
    if (!isTaken || !attempt) return true;
    if (finished.cause == link::GuestEnd::Refused) {
        parts_.host.notTaken(idOf(ref), finished.message);
        parts_.leases.fetched(ref);
        parts_.leases.committed(ref, parts_.out);
        parts_.attempts.tellLast(ref, Returned{});
        return true;
    }
    std::vector<RemoteChunk> chunks = chunksOf(finished);
    attempt->finished = std::move(finished);
    fetches_.fetch(ref, std::move(chunks));
    return true;
}

/// All that it left is here: from now on the machine may vanish.
void LinkReports::gathered(link::AttemptRef ref) {
    const LinkAttempts::Attempt* attempt = parts_.attempts.find(ref);
    if (!attempt || !attempt->finished) return;
    parts_.leases.fetched(ref);
    const link::Finished& finished = *attempt->finished;
    parts_.host.keep(finished);
    Ended ended;
    ended.slot = attempt->slot;
    ended.cause = causeOf(finished.cause, attempt->stop);
    if (finished.signal != 0)
        ended.signal = static_cast<int>(finished.signal);
    else if (finished.cause == link::GuestEnd::Exited)
        ended.exitCode = static_cast<int>(finished.exitCode);
    if (ended.cause == EndCause::Exited && ended.exitCode == 0) ended.result = finished.result;
    if (ended.cause == EndCause::SpawnError) ended.spawn.message = finished.message;
    ended.message = finished.message;
    ended.out = streamOf(finished.out);
    ended.err = streamOf(finished.err);
    // By this clock, and never before it was given.
    const MonoTime now = parts_.host.monoNow();
    ended.times = attempt->times;
    ended.times.exited = ended.times.ended = now;
    const std::int64_t longest = std::max<std::int64_t>(0, (now - attempt->given).count());
    const auto ran =
        static_cast<std::int64_t>(std::min<std::uint64_t>(finished.ranUs, static_cast<std::uint64_t>(longest)));
    const MonoTime began = now - Duration(ran);
    // It knows how long; when the word of its start came, or the machine came back, says little.
    if (ran > 0 || (ended.times.running == MonoTime{} && ended.cause != EndCause::SpawnError))
        ended.times.running = began;
    if (ended.times.submitting == MonoTime{} || ended.times.submitting > began) ended.times.submitting = began;
    noteFigures(ended.measures, finished, longest);
    parts_.attempts.tellLast(ref, std::move(ended));
}

bool LinkReports::needCame(const link::Frame& frame) {
    link::Need need;
    if (!link::get(frame.body, need)) return false;
    // Inputs of what it has, and nothing else of the store. One that was settled meanwhile needs none any more.
    std::erase_if(need.hashes, [this](const Hash256& hash) { return !parts_.attempts.isInput(hash); });
    needs_.want(frame.id, need.hashes);
    return true;
}

bool LinkReports::chunkCame(const link::Frame& frame) {
    link::Chunk chunk;
    if (!link::get(frame.body, chunk)) return false;
    if (!fetches_.chunkCame(std::move(chunk)))
        parts_.lied("It sent a chunk that nobody asked for, or not as it was told.");
    return true;
}

bool LinkReports::handedBackCame(const link::Frame& frame) {
    link::AttemptRefs refs;
    if (!link::get(frame.body, refs)) return false;
    if (!parts_.leases.handedBack(refs, parts_.out)) parts_.lied("It gave back an attempt that has begun.");
    return true;
}

} // namespace yard::runners

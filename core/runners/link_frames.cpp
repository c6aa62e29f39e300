// The runner of a linked machine: its connection, and what comes over it.
#include "core/runners/link_runner.h"

#include "core/base/log.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

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

std::vector<RemoteChunk> chunksOf(const link::Finished& finished) {
    std::vector<RemoteChunk> chunks;
    chunks.reserve(finished.outputs.size() + 2);
    for (const link::Output& output : finished.outputs)
        chunks.push_back({.hash = output.hash, .size = output.size});
    for (const link::KeptStream* stream : {&finished.out, &finished.err})
        if (stream->hash) chunks.push_back({.hash = *stream->hash, .size = stream->size});
    return chunks;
}

} // namespace

// --- the connection

LinkRunner::Connection LinkRunner::opened(LinkOut& out) {
    dropConnection();
    connection_ = &out;
    if (link_ != link::LinkState::Refused) link_ = link::LinkState::Greeting;
    followState();
    return ++number_;
}

void LinkRunner::closed(Connection connection) {
    if (connection != number_) return;
    connection_ = nullptr; // it ends by itself
    dropConnection();
    followState();
}

void LinkRunner::dropConnection() {
    if (connection_) connection_->end();
    connection_ = nullptr;
    if (link_ != link::LinkState::Refused) link_ = link::LinkState::Closed;
    leases_.closed();
    needs_.connect(nullptr);
    fetches_.connect(nullptr);
    ringSoon(); // it accepts nothing any more, and not all who come here follow the state
}

void LinkRunner::roomForBulk(Connection connection) {
    if (connection == number_) needs_.pump();
}

/// Where it is not taken the connection is over: what was to go by it comes out of what the next Hello names.
void LinkRunner::send(link::Kind kind, std::uint64_t id, std::string_view body) {
    if (connection_ && !connection_->send(kind, id, body)) dropConnection();
}

void LinkRunner::refuse(const link::Refused& refused, std::uint64_t id) {
    logWarning("link", "machine {} is refused: {}", options_.name, refused.sentence);
    link_ = link::LinkState::Refused;
    reason_ = refused.sentence;
    send(link::Kind::Refused, id, link::put(refused));
    if (connection_) connection_->finish();
    connection_ = nullptr;
    dropConnection();
}

/// What it has may run all the same, so that waits for lostAt().
void LinkRunner::lied(std::string_view sentence) {
    refuse({.cause = link::RefusalCause::Lied, .sentence = std::string(sentence)}, 0);
}

// --- what comes

bool LinkRunner::frameCame(Connection connection, const link::Frame& frame) {
    if (connection != number_ || !connection_) return true; // it is being ended
    bool good = false;
    if (link_ == link::LinkState::Up) {
        tickLeases();
        if (!connection_) return true;
        good = take(frame);
    } else {
        good = greeted(frame);
    }
    lastFrame_ = host_.bootNow();
    if (!good) dropConnection();
    carryOut();
    followState();
    return good;
}

bool LinkRunner::greeted(const link::Frame& frame) {
    link::Hello hello;
    if (frame.kind != static_cast<std::uint8_t>(link::Kind::Hello) || !link::get(frame.body, hello)) return false;
    std::optional<link::Refused> refusal;
    if (link_ == link::LinkState::Refused)
        refusal = {.cause = link::RefusalCause::Removed, .sentence = reason_};
    else if (hello.protocol != link::kProtocol)
        refusal = {.cause = link::RefusalCause::Protocol,
                   .sentence = fmt::format("The machine speaks protocol {} of the link, this yard {}: use the same "
                                           "version of Yardmaster on both.",
                                           hello.protocol, link::kProtocol)};
    else
        refusal = host_.refuse(hello);
    if (refusal) {
        refuse(*refusal, frame.id);
        return true;
    }
    link::Welcome welcome;
    welcome.runId = host_.yardRunId();
    welcome.name = host_.yardName();
    welcome.leaseSeconds =
        static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(options_.lease).count());
    welcome.held = leases_.greeted(hello, host_.bootNow(), out_);
    link_ = link::LinkState::Up;
    isLeaving_ = false;
    reason_.clear();
    send(link::Kind::Welcome, frame.id, link::put(welcome));
    carryOut();
    needs_.connect(connection_);
    fetches_.connect(connection_);
    return true;
}

bool LinkRunner::take(const link::Frame& frame) {
    switch (static_cast<link::Kind>(frame.kind)) {
    case link::Kind::Renew:
        leases_.renewed(host_.bootNow());
        send(link::Kind::Renewed, frame.id, {});
        return true;
    case link::Kind::Updates: return updatesCame(frame);
    case link::Kind::Finished: return finishedCame(frame);
    case link::Kind::Need: return needCame(frame);
    case link::Kind::Chunk: return chunkCame(frame);
    case link::Kind::HandedBack: return handedBackCame(frame);
    case link::Kind::Leaving: return leavingCame(frame);
    case link::Kind::Refused: return refusedCame(frame);
    case link::Kind::Hello:
    case link::Kind::Welcome:
    case link::Kind::Lease:
    case link::Kind::Settled:
    case link::Kind::Cancel:
    case link::Kind::Renewed: return false; // a yard says these, or they were said
    }
    return true; // of a later version
}

bool LinkRunner::updatesCame(const link::Frame& frame) {
    link::Updates updates;
    if (!link::get(frame.body, updates)) return false;
    for (const link::Update& update : updates) {
        const auto at = attempts_.find(update.id);
        const auto stage = leases_.stageOf(update.id);
        // One that is settled or has ended may have had news on their way.
        if (at == attempts_.end() || (stage != link::YardStage::Given && stage != link::YardStage::Begun)) continue;
        leases_.began(update.id);
        RunTimes& times = at->second.times;
        const MonoTime now = host_.monoNow();
        if (times.submitting == MonoTime{}) times.submitting = now;
        if (update.kind == link::UpdateKind::Running && times.running == MonoTime{}) {
            times.running = now;
            // Its pid is one of another machine.
            news_.push_back(
                {.id = idOf(update.id), .what = Started{.slot = at->second.slot, .pid = 0, .times = times}});
            ringSoon();
        } else if (update.kind > link::UpdateKind::Running) {
            host_.told(update);
        }
    }
    return true;
}

bool LinkRunner::finishedCame(const link::Frame& frame) {
    link::Finished finished;
    if (!link::get(frame.body, finished)) return false;
    const link::AttemptRef ref = finished.id;
    bool isNew = false;
    if (!leases_.finished(ref, isNew)) {
        lied("It told how an attempt ended that it was never given.");
        return true;
    }
    const auto at = attempts_.find(ref);
    // One that gave a chunk two sizes is not believed: once it is allowed again it tells that end again, like each that
    // is not settled, and is asked for those outputs.
    const bool isTaken = isNew || (leases_.stageOf(ref) == link::YardStage::Ended && !fetches_.isFetching(ref));
    if (!isTaken || at == attempts_.end()) return true;
    if (finished.cause == link::GuestEnd::Refused) {
        host_.notTaken(idOf(ref), finished.message);
        leases_.fetched(ref);
        leases_.committed(ref, out_);
        tellReturned(ref);
        return true;
    }
    std::vector<RemoteChunk> chunks = chunksOf(finished);
    at->second.finished = std::move(finished);
    fetches_.fetch(ref, std::move(chunks));
    return true;
}

/// All that it left is here: from now on the machine may vanish.
void LinkRunner::gathered(link::AttemptRef ref) {
    const auto at = attempts_.find(ref);
    if (at == attempts_.end() || !at->second.finished) return;
    leases_.fetched(ref);
    const Attempt& attempt = at->second;
    const link::Finished& finished = *attempt.finished;
    host_.keep(finished);
    Ended ended;
    ended.slot = attempt.slot;
    ended.cause = causeOf(finished.cause, attempt.stop);
    if (finished.signal != 0)
        ended.signal = static_cast<int>(finished.signal);
    else if (finished.cause == link::GuestEnd::Exited)
        ended.exitCode = static_cast<int>(finished.exitCode);
    if (ended.cause == EndCause::SpawnError) ended.spawn.message = finished.message;
    ended.message = finished.message;
    ended.result = finished.result;
    ended.out = streamOf(finished.out);
    ended.err = streamOf(finished.err);
    // By this clock, and never before it was given.
    const MonoTime now = host_.monoNow();
    ended.times = attempt.times;
    ended.times.exited = ended.times.ended = now;
    const std::int64_t longest = std::max<std::int64_t>(0, (now - attempt.given).count());
    const auto ran =
        static_cast<std::int64_t>(std::min<std::uint64_t>(finished.ranUs, static_cast<std::uint64_t>(longest)));
    if (ended.times.submitting == MonoTime{}) ended.times.submitting = now - Duration(ran);
    if (ended.times.running == MonoTime{} && ended.cause != EndCause::SpawnError)
        ended.times.running = now - Duration(ran);
    tellLast(at, std::move(ended));
}

bool LinkRunner::needCame(const link::Frame& frame) {
    link::Need need;
    if (!link::get(frame.body, need)) return false;
    // Inputs of what it has, and nothing else of the store. One that was settled meanwhile needs none any more.
    std::erase_if(need.hashes, [this](const Hash256& hash) { return !inputs_.contains(hash); });
    needs_.want(frame.id, need.hashes);
    return true;
}

bool LinkRunner::chunkCame(const link::Frame& frame) {
    link::Chunk chunk;
    if (!link::get(frame.body, chunk)) return false;
    if (!fetches_.chunkCame(std::move(chunk)))
        lied("It sent a chunk that nobody asked for, or not as it was told.");
    return true;
}

bool LinkRunner::handedBackCame(const link::Frame& frame) {
    link::AttemptRefs refs;
    if (!link::get(frame.body, refs)) return false;
    if (!leases_.handedBack(refs, out_)) lied("It gave back an attempt that has begun.");
    return true;
}

bool LinkRunner::leavingCame(const link::Frame& frame) {
    link::Leaving leaving;
    if (!link::get(frame.body, leaving)) return false;
    isLeaving_ = true;
    reason_ = leaving.sentence;
    return true;
}

bool LinkRunner::refusedCame(const link::Frame& frame) {
    link::Refused refused;
    if (!link::get(frame.body, refused)) return false;
    link_ = link::LinkState::Refused;
    reason_ = refused.sentence;
    dropConnection();
    return true;
}

} // namespace yard::runners

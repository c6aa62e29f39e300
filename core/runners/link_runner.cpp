#include "core/runners/link_runner.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>
#include <utility>

namespace yard::runners {

namespace {

std::uint64_t inMs(Duration time) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::milliseconds>(time).count()));
}

/// The machine reads no longer ones.
bool fitsALease(const link::Lease& words) {
    return words.spec.size() <= link::kMaxSpecBytes && words.inputs.size() <= 4 * link::kMaxHashes &&
           link::put(words).size() <= link::bodyLimit(static_cast<std::uint8_t>(link::Kind::Lease));
}

/// Nothing ran, and trying it there again would not help.
Ended spawnError(SlotId slot, MonoTime now, std::string message) {
    Ended ended;
    ended.slot = slot;
    ended.cause = EndCause::SpawnError;
    ended.spawn.message = std::move(message);
    ended.times.submitting = ended.times.ended = now;
    return ended;
}

} // namespace

LinkRunner::LinkRunner(LinkHost& host, LinkRunnerOptions options, UpdateSink sink)
    : host_(host)
    , options_(std::move(options))
    , sink_(std::move(sink))
    , leases_(options_.lease)
    , attempts_(
          options_.slots, [this] { ringSoon(); },
          [this](std::string_view worker) { return host_.chunksOf(worker); })
    , reports_({.host = host,
                .leases = leases_,
                .out = out_,
                .attempts = attempts_,
                // What it has may run all the same, so that waits for lostAt().
                .lied =
                    [this](std::string_view sentence) {
                        refuse({.cause = link::RefusalCause::Lied, .sentence = std::string(sentence)}, 0);
                    }})
    , follows_(host, attempts_, [this](const std::string& body) {
        if (standing_.isUp()) send(link::Kind::Follow, 0, body);
    }) {}

Result<void> LinkRunner::open() {
    return timer_.open();
}

void LinkRunner::restore(std::string runId, const std::vector<Restored>& attempts, Duration leaseThen) {
    link::AttemptRefs refs;
    for (const Restored& one : attempts) {
        refs.push_back(refOf(one.id));
        LinkAttempts::Attempt& attempt = attempts_.add(one.id, one.slot, one.inputs, one.worker);
        attempt.given = one.given;
        attempt.grace = one.grace;
        attempt.isRestored = true;
    }
    leases_.restore(std::move(runId), refs, leaseThen, host_.bootNow());
    ringSoon();
    followState();
}

// --- Runner

unsigned LinkRunner::free() const {
    if (!isAccepting()) return 0;
    return attempts_.freeSlots();
}

bool LinkRunner::isAccepting() const {
    return leases_.isUp() && !standing_.isLeaving() && !isShuttingDown_;
}

void LinkRunner::submit(std::vector<Lease> batch) {
    LinkIntent intent{.ids = {}, .runId = leases_.runId(), .lease = options_.lease};
    for (Lease& lease : batch)
        if (take(lease)) intent.ids.push_back(lease.id);
    if (intent.ids.empty()) return;
    LinkIntent kept = intent;
    host_.writeDown(std::move(intent),
                    [this, kept = std::move(kept), alive = std::weak_ptr(alive_)](const Result<void>& result) {
                        if (!alive.expired()) written(kept, result);
                    });
}

/// False: its end is told already.
bool LinkRunner::take(Lease& lease) {
    if (!isAccepting() || attempts_.size() >= std::size_t{options_.slots} * kLeasesPerSlot) {
        attempts_.tell(lease.id, Returned{});
        return false;
    }
    auto words = host_.wordsOf(lease);
    if (!words || !fitsALease(*words)) {
        std::string why = words ? "The action is too long to be sent to another machine." : words.error().message;
        attempts_.tell(lease.id, spawnError(attempts_.slotFor(lease.slot), host_.monoNow(), std::move(why)));
        return false;
    }
    words->id = refOf(lease.id);
    words->deadlineMs = inMs(lease.deadline);
    words->graceMs = inMs(lease.grace);
    words->once = lease.once;
    LinkAttempts::Attempt& attempt = attempts_.add(lease.id, lease.slot, words->inputs, words->worker);
    attempt.grace = lease.grace;
    attempt.isOutWatched = lease.watchOut;
    attempt.isErrWatched = lease.watchErr;
    attempt.unsent = std::move(*words);
    return true;
}

/// The journal has them, or could not take them. Only now the machine may hear of them.
void LinkRunner::written(const LinkIntent& intent, const Result<void>& result) {
    tickLeases();
    for (const AttemptId id : intent.ids) {
        const link::AttemptRef ref = refOf(id);
        LinkAttempts::Attempt* attempt = attempts_.find(ref);
        if (!attempt || !attempt->unsent) continue;
        // For another run the journal would say the wrong thing.
        const bool may = result && !attempt->isUnwanted && isAccepting() && intent.runId == leases_.runId();
        if (!may || !leases_.offer(ref)) {
            attempts_.tellLast(ref, Returned{});
            continue;
        }
        const std::string body = link::put(*attempt->unsent);
        attempt->unsent.reset();
        attempt->given = host_.monoNow();
        send(link::Kind::Lease, 0, body);
        follows_.isThere(ref);
    }
    carryOut();
}

void LinkRunner::takeBack(AttemptId id) {
    LinkAttempts::Attempt* attempt = attempts_.find(refOf(id));
    if (!attempt) return;
    if (attempt->unsent) {
        attempt->isUnwanted = true;
        return;
    }
    leases_.cancel({.id = refOf(id), .onlyIfWaiting = true, .graceMs = inMs(attempt->grace)}, out_);
    carryOut();
}

void LinkRunner::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    LinkAttempts::Attempt* attempt = attempts_.find(refOf(id));
    if (!attempt) return;
    attempt->stop = cause;
    if (attempt->unsent) {
        attempt->isUnwanted = true;
        return;
    }
    const Duration limit = grace.value_or(attempt->grace);
    leases_.cancel({.id = refOf(id), .onlyIfWaiting = false, .graceMs = inMs(limit)}, out_);
    carryOut();
}

void LinkRunner::endAll(StopCause cause, std::optional<Duration> grace) {
    for (const AttemptId id : attempts_.ids()) end(id, cause, grace);
}

void LinkRunner::acknowledge(SlotId, AttemptId id) {
    // Of what was lost or came back nothing is kept there.
    if (leases_.stageOf(refOf(id)) != link::YardStage::Fetched) return;
    leases_.committed(refOf(id), out_);
    carryOut();
}

void LinkRunner::onReadable() {
    (void)timer_.hasRung();
    tickLeases();
    const MonoTime now = host_.monoNow();
    if (now - ticked_ >= std::chrono::seconds(1)) {
        ticked_ = now;
        reports_.tick();
    }
    followState();
    timer_.armAt(now + std::chrono::seconds(1));
    if (attempts_.hasNews()) sink_(attempts_.takeNews());
}

void LinkRunner::shutDown(Duration grace) {
    isShuttingDown_ = true;
    endAll(StopCause::EngineStopped, grace);
    ringSoon();
}

bool LinkRunner::isDown() const {
    if (!isShuttingDown_ || attempts_.hasNews()) return false;
    return attempts_.size() == 0 || (!leases_.isUp() && !attempts_.waitForJournal());
}

// --- what follows

/// First of all after a wait: what comes too late must not count.
void LinkRunner::tickLeases() {
    leases_.tick(host_.bootNow(), out_);
    carryOut();
}

void LinkRunner::carryOut() {
    const link::YardOut out = std::exchange(out_, {});
    for (const link::AttemptRef& ref : out.returned) attempts_.tellLast(ref, Returned{});
    for (const link::AttemptRef& ref : out.lost) {
        reports_.forget(ref);
        attempts_.tellLost(ref, host_.monoNow());
    }
    for (std::size_t at = 0; at < out.settle.size(); at += link::kMaxRefs) {
        const auto first = out.settle.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t count = std::min(link::kMaxRefs, out.settle.size() - at);
        send(link::Kind::Settled, 0,
             link::put(link::AttemptRefs(first, first + static_cast<std::ptrdiff_t>(count))));
    }
    for (const link::Cancel& cancel : out.cancels) send(link::Kind::Cancel, 0, link::put(cancel));
    // A connection that has not greeted yet is another one.
    if (out.closeLink && standing_.isUp()) dropConnection();
}

void LinkRunner::ringSoon() {
    timer_.armAt(MonoTime(Duration(1)));
}

void LinkRunner::followState() {
    link::MachineFacts facts;
    facts.hasLeases = leases_.count() > 0;
    facts.isPastLease = leases_.isPastLease();
    facts.isFull = isAccepting() && free() == 0;
    standing_.follow(facts, host_.bootNow());
    // Who gives it work looks again when it rings: until then it would give what comes back at once.
    if (std::exchange(wasAccepting_, isAccepting()) != isAccepting()) ringSoon();
}

void LinkRunner::allowAgain() {
    standing_.allowAgain();
    followState();
}

} // namespace yard::runners

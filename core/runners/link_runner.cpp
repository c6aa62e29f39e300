#include "core/runners/link_runner.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <iterator>
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
    , needs_(host)
    , fetches_(host, {.done = [this](link::AttemptRef ref) { gathered(ref); },
                      .lied = [this](std::string_view sentence) { lied(sentence); }})
    , inSlot_(options_.slots) {
    assert(options_.slots > 0);
}

Result<void> LinkRunner::open() {
    return timer_.open();
}

void LinkRunner::restore(std::string runId, const std::vector<Restored>& attempts, Duration leaseThen) {
    link::AttemptRefs refs;
    for (const Restored& one : attempts) {
        refs.push_back(refOf(one.id));
        add(one.id, slotFor(one.slot), one.inputs).given = host_.monoNow();
    }
    leases_.restore(std::move(runId), refs, leaseThen, host_.bootNow());
    ringSoon();
    followState();
}

// --- Runner

unsigned LinkRunner::free() const {
    if (!isAccepting()) return 0;
    return static_cast<unsigned>(std::ranges::count(inSlot_, 0u));
}

bool LinkRunner::isAccepting() const {
    return leases_.isUp() && !isLeaving_ && !isShuttingDown_;
}

SlotId LinkRunner::slotFor(SlotId wanted) const {
    if (wanted.value < options_.slots) return wanted;
    const auto least = std::ranges::min_element(inSlot_);
    return SlotId(static_cast<std::uint32_t>(std::distance(inSlot_.begin(), least)));
}

LinkRunner::Attempt& LinkRunner::add(AttemptId id, SlotId slot, std::vector<Hash256> inputs) {
    ++inSlot_[slot.value];
    for (const Hash256& hash : inputs) ++inputs_[hash];
    const auto [at, isNew] = attempts_.try_emplace(refOf(id), Attempt{.slot = slot, .inputs = std::move(inputs)});
    assert(isNew);
    return at->second;
}

void LinkRunner::forget(Attempts::iterator at) {
    --inSlot_[at->second.slot.value];
    for (const Hash256& hash : at->second.inputs)
        if (const auto known = inputs_.find(hash); --known->second == 0) inputs_.erase(known);
    attempts_.erase(at);
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
    const SlotId slot = slotFor(lease.slot);
    if (!isAccepting() || attempts_.size() >= std::size_t{options_.slots} * kLeasesPerSlot) {
        news_.push_back({.id = lease.id, .what = Returned{}});
        ringSoon();
        return false;
    }
    auto words = host_.wordsOf(lease);
    if (!words || !fitsALease(*words)) {
        std::string why = words ? "The action is too long to be sent to another machine." : words.error().message;
        news_.push_back({.id = lease.id, .what = spawnError(slot, host_.monoNow(), std::move(why))});
        ringSoon();
        return false;
    }
    words->id = refOf(lease.id);
    words->deadlineMs = inMs(lease.deadline);
    words->graceMs = inMs(lease.grace);
    words->once = lease.once;
    Attempt& attempt = add(lease.id, slot, words->inputs);
    attempt.grace = lease.grace;
    attempt.unsent = std::move(*words);
    return true;
}

/// The journal has them, or could not take them. Only now the machine may hear of them.
void LinkRunner::written(const LinkIntent& intent, const Result<void>& result) {
    tickLeases();
    for (const AttemptId id : intent.ids) {
        const auto at = attempts_.find(refOf(id));
        if (at == attempts_.end() || !at->second.unsent) continue;
        Attempt& attempt = at->second;
        // For another run the journal would say the wrong thing.
        const bool may = result && !attempt.isUnwanted && isAccepting() && intent.runId == leases_.runId();
        if (!may || !leases_.offer(at->first)) {
            tellReturned(at->first);
            continue;
        }
        const std::string body = link::put(*attempt.unsent);
        attempt.unsent.reset();
        attempt.given = host_.monoNow();
        send(link::Kind::Lease, 0, body);
    }
    carryOut();
}

void LinkRunner::takeBack(AttemptId id) {
    const auto at = attempts_.find(refOf(id));
    if (at == attempts_.end()) return;
    if (at->second.unsent) {
        at->second.isUnwanted = true;
        return;
    }
    leases_.cancel({.id = at->first, .onlyIfWaiting = true, .graceMs = inMs(at->second.grace)}, out_);
    carryOut();
}

void LinkRunner::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    const auto at = attempts_.find(refOf(id));
    if (at == attempts_.end()) return;
    at->second.stop = cause;
    if (at->second.unsent) {
        at->second.isUnwanted = true;
        return;
    }
    const Duration limit = grace.value_or(at->second.grace);
    leases_.cancel({.id = at->first, .onlyIfWaiting = false, .graceMs = inMs(limit)}, out_);
    carryOut();
}

void LinkRunner::endAll(StopCause cause, std::optional<Duration> grace) {
    std::vector<AttemptId> ids;
    ids.reserve(attempts_.size());
    for (const auto& [ref, attempt] : attempts_) ids.push_back(idOf(ref));
    for (const AttemptId id : ids) end(id, cause, grace);
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
        fetches_.tick();
    }
    followState();
    timer_.armAt(now + std::chrono::seconds(1));
    if (news_.empty()) return;
    sink_(std::exchange(news_, {}));
}

void LinkRunner::shutDown(Duration grace) {
    isShuttingDown_ = true;
    endAll(StopCause::EngineStopped, grace);
    ringSoon();
}

bool LinkRunner::isDown() const {
    if (!isShuttingDown_ || !news_.empty()) return false;
    const bool waitsForJournal =
        std::ranges::any_of(attempts_, [](const auto& entry) { return entry.second.unsent.has_value(); });
    return attempts_.empty() || (!leases_.isUp() && !waitsForJournal);
}

// --- what follows

/// First of all after a wait: what comes too late must not count.
void LinkRunner::tickLeases() {
    leases_.tick(host_.bootNow(), out_);
    carryOut();
}

void LinkRunner::carryOut() {
    const link::YardOut out = std::exchange(out_, {});
    for (const link::AttemptRef& ref : out.returned) tellReturned(ref);
    for (const link::AttemptRef& ref : out.lost) tellLost(ref);
    for (std::size_t at = 0; at < out.settle.size(); at += link::kMaxRefs) {
        const auto first = out.settle.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t count = std::min(link::kMaxRefs, out.settle.size() - at);
        send(link::Kind::Settled, 0,
             link::put(link::AttemptRefs(first, first + static_cast<std::ptrdiff_t>(count))));
    }
    for (const link::Cancel& cancel : out.cancels) send(link::Kind::Cancel, 0, link::put(cancel));
    // A connection that has not greeted yet is another one.
    if (out.closeLink && link_ == link::LinkState::Up) dropConnection();
}

void LinkRunner::tellLast(Attempts::iterator at, decltype(Update::what) what) {
    news_.push_back({.id = idOf(at->first), .what = std::move(what)});
    forget(at);
    ringSoon();
}

void LinkRunner::tellReturned(link::AttemptRef ref) {
    const auto at = attempts_.find(ref);
    if (at != attempts_.end()) tellLast(at, Returned{});
}

void LinkRunner::tellLost(link::AttemptRef ref) {
    fetches_.forget(ref);
    const auto at = attempts_.find(ref);
    if (at == attempts_.end()) return;
    Ended ended;
    ended.slot = at->second.slot;
    ended.cause = EndCause::LostRunner;
    ended.message = "The machine did not come back in time.";
    ended.times = at->second.times;
    ended.times.ended = host_.monoNow();
    tellLast(at, std::move(ended));
}

void LinkRunner::ringSoon() {
    timer_.armAt(MonoTime(Duration(1)));
}

void LinkRunner::followState() {
    const link::BootTime now = host_.bootNow();
    link::MachineFacts facts;
    facts.link = link_;
    facts.hasLeases = leases_.count() > 0;
    if (lastFrame_) facts.sinceFrame = now - *lastFrame_;
    facts.isPastLease = leases_.isPastLease();
    facts.isLeaving = isLeaving_;
    facts.isFull = isAccepting() && free() == 0;
    life_.follow(facts, now);
    // Who gives it work looks again when it rings: until then it would give what comes back at once.
    if (std::exchange(wasAccepting_, isAccepting()) != isAccepting()) ringSoon();
}

void LinkRunner::allowAgain() {
    if (link_ == link::LinkState::Refused) link_ = link::LinkState::Closed;
    reason_.clear();
    followState();
}

} // namespace yard::runners

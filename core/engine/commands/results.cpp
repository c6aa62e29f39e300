#include "core/engine/commands/results.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/session/events.h"
#include "core/session/live_views.h"

#include <fmt/format.h>
#include <span>
#include <string>
#include <utility>

namespace yard::engine {

namespace {

/// Why an action failed that waited for others.
std::string inVain(const session::Predecessor& because) {
    if (because.count > 0 && because.on == DependencyOn::Failed)
        return fmt::format("it waited for one of array {} to fail, and none did", because.lsn.value);
    const bool isOfArray = because.count > 0 && because.otherwise.value > 0;
    return fmt::format("it waited for action {}{} to {}, and that one is {}",
                       isOfArray ? because.otherwise.value : because.lsn.value,
                       isOfArray ? fmt::format(" of array {}", because.lsn.value) : std::string(),
                       because.on == DependencyOn::Failed ? "fail" : "be completed", name(because.state));
}

// Of one operation that ends many.
constexpr std::size_t kEndsAtOnce = 1'000;
static_assert(kEndsAtOnce <= store::kMostAtOnce);
constexpr std::size_t kRunsAtOnce = 128;

} // namespace

// --- to the journal

void Results::postRetry(const session::Retry& retry) {
    store::Retry row;
    row.lsn = retry.lsn;
    row.attempt =
        parts_.attempts.record({retry.lsn, retry.endedAttempt}, retry.state, retry.reason, true, row.chunks);
    row.retryCount = static_cast<std::uint32_t>(retry.retries.retryCount);
    row.ownFailures = static_cast<std::uint32_t>(retry.retries.ownFailures);
    row.interruptions = static_cast<std::uint32_t>(retry.retries.interruptions);
    row.tPending = row.attempt.times[retry.state];
    if (retry.notBefore != MonoTime{}) row.notBefore = parts_.scale.at(retry.notBefore);
    parts_.rows.putBack(row.lsn, row.tPending);
    parts_.journal.retry(std::move(row));
}

/// Many that end alike, without an attempt, go as one operation: as much of them as makes a group of the journal.
void Results::postFinishes(const std::vector<session::Finish>& finishes) {
    const auto isPlain = [](const session::Finish& finish) {
        return finish.attempt == 0 &&
               (finish.state == ActionState::Cancelled || finish.state == ActionState::Abandoned);
    };
    for (std::size_t at = 0; at < finishes.size();) {
        const session::Finish& first = finishes[at];
        std::size_t end = at + 1;
        store::FinishMany many{.runs = {{first.lsn, 1}},
                               .state = first.state,
                               .reason = first.reason,
                               .tEnd = parts_.scale.at(parts_.now())};
        while (isPlain(first) && end < finishes.size() && end - at < kEndsAtOnce &&
               many.runs.size() < kRunsAtOnce && isPlain(finishes[end]) && finishes[end].state == first.state &&
               finishes[end].reason == first.reason) {
            const Lsn lsn = finishes[end++].lsn;
            if (many.runs.back().last().value + 1 == lsn.value)
                ++many.runs.back().count;
            else
                many.runs.push_back({lsn, 1});
        }
        if (end - at < 2)
            postFinish(first);
        else
            parts_.journal.finishMany(std::move(many));
        at = end;
    }
}

void Results::postFinish(const session::Finish& finish) {
    // A warm action takes 10 us: who asks for it may not have got round to waiting. Company there is in a crowd
    // only.
    const Attempt* attempt = finish.attempt ? parts_.attempts.find(finish.lsn) : nullptr;
    const bool isAlone = attempt && attempt->warm && parts_.attempts.inFlight() <= 1;
    const bool hurries = isAlone || waiters_.contains(finish.lsn);
    store::Finish row;
    row.lsn = finish.lsn;
    row.state = finish.state;
    row.reason = finish.reason;
    if (finish.attempt) {
        row.attempt =
            parts_.attempts.record({finish.lsn, finish.attempt}, finish.state, finish.reason, false, row.chunks);
        row.tEnd = row.attempt->times[finish.state];
        if (attempt)
            if (const auto live = parts_.session.views().live(finish.lsn))
                parts_.ran(*attempt, *row.attempt, *live);
    } else {
        row.tEnd = parts_.scale.at(parts_.now());
    }
    if (finish.reason == Reason::DependencyFailed) row.note = inVain(finish.because);
    if (waiters_.contains(finish.lsn))
        if (auto result = parts_.rows.ofFinish(row)) {
            if (parts_.objectOf) result->object = parts_.objectOf(finish.lsn);
            waiters_.keep(finish.lsn, std::move(*result));
        }
    parts_.journal.finish(std::move(row), hurries);
}

// --- and back

void Results::takeAcks() {
    YARD_ASSERT_OWNER(owner_);
    const std::vector<ResultAck> acks = parts_.journal.takeAcks();
    for (const ResultAck& ack : acks) {
        if (!ack.ok) {
            logError("engine", "the end of action {}{} could not be written; the next start runs it again",
                     ack.lsn.value, ack.more.empty() ? "" : " and others");
            continue;
        }
        parts_.counters.commit.observe(parts_.now() - ack.posted);
        if (ack.more.empty()) take(ack, ack.lsn);
        for (const store::LsnRun& run : ack.more)
            for (std::int64_t i = 0; i < run.count; ++i) take(ack, Lsn{run.first.value + i});
    }
    if (acks.empty()) return;
    roomMade_.notifyAll();
    parts_.acked();
}

void Results::take(const ResultAck& ack, Lsn lsn) {
    const auto live = parts_.session.views().live(lsn);
    if (live && live->attempt) parts_.attempts.stored(lsn, live->attempt);
    if (ack.kind == ResultAck::Kind::Retry) {
        ++parts_.counters.retried[std::to_underlying(ack.reason)];
        parts_.session.events().retryStored(lsn, parts_.outbox);
        return;
    }
    parts_.specs.drop(lsn); // of one that never started, or was given back
    parts_.unkept.ended(lsn, ack.state);
    parts_.rows.ended(lsn);
    ++parts_.counters.finished[std::to_underlying(ack.state)][std::to_underlying(ack.reason)];
    if (live && live->ending) parts_.predecessors.ended(lsn, *live->ending);
    parts_.session.events().finishStored(lsn, parts_.outbox, {.reason = ack.reason, .exitCode = ack.exitCode});
    parts_.finished();
    if (live) parts_.queues.ended(live->queue, ack.state);
    if (live && parts_.kept) parts_.kept(*live, ack.state, ack.reason);
    waiters_.tell(lsn);
}

coro::Task<void> Results::room() {
    while (!hasRoom()) co_await roomMade_.wait();
}

// --- for those who wait

coro::Task<Result<ActionResult>> Results::waitFor(Lsn lsn, Duration wait) {
    // Of one that goes on nothing needs to be read before its end.
    if (wait <= Duration::zero() || !parts_.session.views().live(lsn)) {
        Result<ActionResult> known = co_await parts_.rows.action(lsn);
        // In an abandoned session the end is visible before it is kept; who waits gets what is kept.
        const bool kept = known && isEnded(known->state) && !parts_.session.views().live(lsn);
        if (!known || kept || wait <= Duration::zero()) co_return known;
    }
    // What was read may be outdated: look again at what the session knows, without a suspension in between.
    if (std::optional<ActionResult> result = co_await endOf(lsn, wait)) co_return std::move(*result);
    co_return co_await parts_.rows.action(lsn);
}

coro::Task<std::optional<ActionResult>> Results::endOf(Lsn lsn, Duration wait) {
    if (!parts_.session.views().live(lsn)) co_return std::nullopt;
    Waiters::Ticket ticket(waiters_, lsn);
    parts_.attempts.markUrgent(lsn);
    co_await coro::within(wait, [](Waiters::Ticket& mine) -> coro::Task<void> { co_await mine.ended(); }(ticket));
    std::optional<ActionResult> result = ticket.result();
    if (result) parts_.rows.addAnnotations(std::span(&*result, 1));
    co_return result;
}

} // namespace yard::engine

// The turns of the engine thread: take what came in, let the session decide, carry it out.
#include "core/engine/kernel/kernel.h"

#include "core/coro/part.h"
#include "core/coro/timeout.h"
#include "core/session/live_views.h"

#include <algorithm>
#include <utility>

namespace yard::engine {

coro::Task<void> Kernel::pump() {
    for (;;) {
        co_await work_.wait();
        work_.clear();
        while (takeTurn()) co_await coro::yieldNow();
        timersChanged_.set();
        if (!isBusy()) idle_.notifyAll();
    }
}

void Kernel::placeThreads() {
    const session::SessionCounts counts = services_.session->views().counts();
    // With more than this at once the threads have different ones to work on, and one CPU is less than they can
    // use.
    constexpr std::int64_t kFew = 2;
    if (counts.all.active() - counts.held > kFew)
        ground_.together.part();
    else
        ground_.together.look(MonoClock::now(), services_.slots.processes() == 0);
}

/// One turn; true when another one is due at once.
bool Kernel::takeTurn() {
    placeThreads();
    {
        const coro::Part part("yard::engine::Results::takeAcks");
        services_.results->takeAcks();
    }
    bool more = false;
    const bool hasRoom = services_.results->hasRoom();
    if (hasRoom && services_.session->hasMoreWork()) {
        const coro::Part part("yard::session::Session::step");
        services_.session->step(services_.outbox);
    }
    // Nothing new starts while the journal cannot take results, nobody could run it, or memory or descriptors are short.
    const bool mayStart = services_.committer.writable() && services_.places && services_.places->isAccepting() &&
                          !services_.guards->isHolding() && !services_.guards->waitsForLook() &&
                          services_.descriptors->mayStart();
    {
        const coro::Part part("yard::session::Session::schedule");
        more = services_.session->schedule(MonoClock::now(), services_.outbox, mayStart);
    }
    carryOut();
    services_.tokens->afterTurn();
    warmSide_.takeIdleMemory();
    services_.execution->balance();
    services_.changes->noteWritable(services_.committer.writable());
    return more || (hasRoom && services_.session->hasMoreWork()) || services_.committer.hasAcks() ||
           !services_.outbox.empty();
}

void Kernel::carryOut() {
    // What is carried out may raise new events, so the session gets an outbox of its own meanwhile.
    session::Outbox now;
    std::swap(now, services_.outbox);
    if (!now.start.empty()) {
        const coro::Part part("yard::engine::Execution::begin");
        services_.execution->begin(now.start, ground_.scale);
        services_.guards->started();
        services_.courtesy->started();
        services_.figures->wake();
    }
    for (const session::HoldKey key : now.granted) {
        if (JobTokens::isKey(key)) continue;       // it does not wait for any
        if (CourtesyService::isKey(key)) continue; // to be free is all that it wants of them
        if (GuestJobs::isKey(key))
            services_.guestJobs->granted(key);
        else
            services_.warm->granted(key);
    }
    for (const session::TakeBack& what : now.takeBack) services_.execution->takeBack(what);
    // What waits in the launcher first: the end of what runs there would start it.
    for (const bool begun : {false, true})
        for (const session::Stop& what : now.stop)
            if (services_.attempts.hasBegun({what.lsn, what.attempt}) == begun) services_.execution->stop(what);
    if (!now.retry.empty() || !now.finish.empty()) {
        const coro::Part part("yard::engine::Results::postFinishes");
        for (const session::Retry& retry : now.retry) services_.results->postRetry(retry);
        services_.results->postFinishes(now.finish);
    }
    for (const QueueId id : now.stopped) services_.queues->stopped(id);
    for (const QueueId id : now.forgotten) {
        services_.queues->forgotten(id);
        services_.alerts->queueGone(id);
    }
    const coro::Part part("yard::engine::Committer::flush");
    services_.committer.flush();
}

coro::Task<void> Kernel::watchTimers() {
    for (;;) {
        timersChanged_.clear();
        std::optional<MonoTime> next = services_.session->nextWake();
        if (const auto balance = services_.slots.nextLook()) next = next ? std::min(*next, *balance) : *balance;
        if (!next) {
            co_await timersChanged_.wait();
            continue;
        }
        const Duration left = *next - MonoClock::now();
        if (left <= Duration::zero()) {
            wake();
            co_await coro::yieldNow();
            co_await timersChanged_.wait();
            continue;
        }
        const bool changed = co_await coro::comesWithin(left, timersChanged_);
        if (!changed) wake();
    }
}

} // namespace yard::engine

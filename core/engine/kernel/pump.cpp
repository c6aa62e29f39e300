// The turns of the engine thread: take what came in, let the session decide, carry it out.
#include "core/engine/kernel/kernel.h"

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
    const session::SessionCounts counts = session_->views().counts();
    // With more than this at once the threads have different ones to work on, and one CPU is less than they can
    // use.
    constexpr std::int64_t kFew = 2;
    if (counts.all.active() - counts.held > kFew)
        together_.part();
    else
        together_.look(MonoClock::now(), slots_.processes() == 0);
}

/// One turn; true when another one is due at once.
bool Kernel::takeTurn() {
    placeThreads();
    results_->takeAcks();
    bool more = false;
    const bool hasRoom = results_->hasRoom();
    if (hasRoom && session_->hasMoreWork()) session_->step(outbox_);
    // Nothing new starts while the journal cannot take results, nobody could run it, or memory is short.
    const bool mayStart = committer_.writable() && places_ && places_->isAccepting() && !guards_->isHolding() &&
                          !guards_->waitsForLook();
    more = session_->schedule(MonoClock::now(), outbox_, mayStart);
    carryOut();
    takeIdleMemory();
    execution_->balance();
    changes_->noteWritable(committer_.writable());
    return more || (hasRoom && session_->hasMoreWork()) || committer_.hasAcks() || !outbox_.empty();
}

void Kernel::carryOut() {
    // What is carried out may raise new events, so the session gets an outbox of its own meanwhile.
    session::Outbox now;
    std::swap(now, outbox_);
    if (!now.start.empty()) {
        execution_->begin(now.start, scale_);
        guards_->started();
        figures_->wake();
    }
    for (const session::HoldKey key : now.granted)
        if (!RunnerPlaces::isOwnKey(key)) warm_->granted(key);
    for (const session::TakeBack& what : now.takeBack) execution_->takeBack(what);
    // What waits in the launcher first: the end of what runs there would start it.
    for (const bool begun : {false, true})
        for (const session::Stop& what : now.stop)
            if (attempts_.hasBegun({what.lsn, what.attempt}) == begun) execution_->stop(what);
    for (const session::Retry& retry : now.retry) results_->postRetry(retry);
    results_->postFinishes(now.finish);
    for (const QueueId id : now.stopped) queues_->stopped(id);
    for (const QueueId id : now.forgotten) queues_->forgotten(id);
    committer_.flush();
}

coro::Task<void> Kernel::watchWarm() {
    for (;;) {
        const int err = co_await warmWatch_->readable();
        if (err != 0) co_return;
        warm_->onReadable();
    }
}

coro::Task<void> Kernel::watchTimers() {
    for (;;) {
        timersChanged_.clear();
        std::optional<MonoTime> next = session_->nextWake();
        if (const auto balance = slots_.nextLook()) next = next ? std::min(*next, *balance) : *balance;
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

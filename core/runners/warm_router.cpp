// Requests on their way to a process: the pool's choice, cores, what is sent when, and turns.
#include "core/runners/warm_router.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::runners {

namespace {

/// Whether other work still waits is looked at so often while a process yields to it.
constexpr Duration kYieldLook{100'000};
/// Whoever takes less on average is waited for awake. A turn through a bare socket between two threads, where one
/// goes to sleep and is woken on both sides, took up to 190 us in the slowest virtual machine measured; the rest is
/// for the request itself.
constexpr Duration kQuickRun{300};
/// A process that has not answered for so long gets nothing ahead.
constexpr Duration kSlow{5'000};

} // namespace

void RequestRouter::route(std::uint32_t place, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    WarmRequest& request = requests_[place];
    WarmWorker* worker = workers_.of(request.call.group);
    if (!worker || worker->group != request.call.group)
        return requests_.fail(place, EndCause::SpawnError, "its worker was removed");
    if (request.isSoiled) {
        request.state = WarmRequest::State::Remaking;
        return shared_.host.remake(request.id);
    }
    // Nobody looks for restart files of an actor: its process ends when nothing is due.
    if (worker->gate != kNoGate && (worker->isLooking || workers_.mustLook(*worker, now))) {
        request.state = WarmRequest::State::Held;
        worker->held.push_back(place);
        return workers_.look(*worker, now);
    }
    request.state = WarmRequest::State::Waiting;
    const pool::Pool::Checkout got = shared_.pool.checkout(request.call.group, request.wire, now, shared_.out);
    request.waiter = got.waiter;
    if (got.process) assign(*processes_.find(*got.process), place, now);
}

void RequestRouter::served(const pool::Outbox::Served& served, MonoTime now) {
    // One that said it is ready and died may be gone before this is carried out.
    WarmProcess* process = processes_.find(served.process);
    if (process && process->phase == WarmProcess::Phase::Live)
        assign(*process, placeOf(served.tag), now);
    else
        elsewhere(placeOf(served.tag), !process || endsInVain(*process), now);
}

void RequestRouter::failed(const pool::Outbox::Failed& failed) {
    const std::uint32_t place = placeOf(failed.tag);
    const WarmWorker* worker = workers_.of(requests_[place].call.group);
    if (failed.why == pool::WhyEnded::Removed || !worker)
        return requests_.fail(place, EndCause::SpawnError, "its worker was removed");
    SpawnFailure failure = worker->lastFailure;
    failure.message = fmt::format("no warm process of {} came up: {}", worker->descriptor->name, failure.message);
    requests_.failStart(place, std::move(failure));
}

void RequestRouter::assign(WarmProcess& process, std::uint32_t place, MonoTime now) {
    WarmRequest& request = requests_[place];
    if (request.call.isStart) {
        shared_.pool.close(process.inPool, false, now, shared_.out);
        return requests_.finish(place, {});
    }
    if (process.alone) { // it was given before the pool knew
        shared_.pool.close(process.inPool, false, now, shared_.out);
        return elsewhere(place, false, now);
    }
    if (request.isSuspect()) {
        process.alone = place;
        shared_.pool.setPaused(process.inPool, true, now, shared_.out);
        unsentElsewhere(process, false, now);
    }
    request.state = WarmRequest::State::Unsent;
    request.process = &process;
    process.unsent.push_back(place);
    process.usedSinceSample = true;
    feed(process, now);
}

unsigned RequestRouter::aheadOf(const WarmProcess& process, MonoTime now) const {
    const double average = process.worker->averageRun;
    if (process.maxAhead == 0 || average <= 0 || average >= kShortRun) return 0;
    return process.inFlight() == 0 || now - process.lastAnswer < kSlow ? process.maxAhead : 0;
}

void RequestRouter::feed(WarmProcess& process, MonoTime now) {
    if (process.unsent.empty() || process.phase != WarmProcess::Phase::Live || process.yields()) return;
    if (!processes_.takeCores(process, now)) return;
    if (process.alone && process.inFlight() > 0) return;
    std::size_t most = process.alone ? 1 : process.concurrency + aheadOf(process, now);
    while (!process.unsent.empty() && process.inFlight() < most && !process.channel.isFull()) {
        const std::uint32_t next = process.unsent.front();
        if (process.inFlight() >= process.concurrency) {
            if (requests_[next].call.once) return;
            if (process.slow >= process.concurrency) most = process.concurrency;
            if (process.inFlight() >= most) break;
        }
        const bool isAction = requests_[next].call.look.empty();
        if (isAction && (!requests_.takeEntry(next, process.pid) || !requests_.isMarked(next))) return;
        process.unsent.pop_front();
        sendOne(process, next, now);
        if (process.phase != WarmProcess::Phase::Live) return;
    }
    // It is slower than was thought: what it has not been sent, another one may be quicker with.
    if (process.unsent.empty() || process.inFlight() < most || most > process.concurrency || process.alone) return;
    if (!process.worker->descriptor->pool.globalQueue) return;
    if (const auto view = shared_.pool.process(process.inPool); !view || view->limit == process.concurrency) return;
    shared_.pool.setAhead(process.inPool, 0, now, shared_.out);
    process.worker->window = -1;
    unsentElsewhere(process, false, now);
}

void RequestRouter::sendOne(WarmProcess& process, std::uint32_t place, MonoTime now) {
    WarmRequest& request = requests_[place];
    const std::string root = request.call.root;
    warm::Request frame{.id = request.wire,
                        .lsn = request.id.lsn,
                        .function = request.call.spec->function,
                        .args = request.call.spec->args,
                        .inputs = {},
                        .outputs = {},
                        .look = request.call.look,
                        .given = {}};
    request.given = process.given;
    const GivenResources all = joined(request.call.given, process.given);
    const std::string given = all.empty() ? std::string() : toJson(all);
    frame.given = given;
    std::string inputs;
    std::string outputs;
    if (!root.empty()) {
        frame.inputs = inputs = root + "/inputs";
        frame.outputs = outputs = root + "/outputs";
        request.isSoiled = true;
    }
    if (!process.channel.put(frame)) {
        shared_.pool.close(process.inPool, false, now, shared_.out);
        return requests_.fail(
            place, EndCause::SpawnError,
            "its args are over 1 MiB, which a warm worker is not sent: put them into an input file");
    }
    processes_.noteToWrite(process);
    request.endsAt = process.channel.bytesPut();
    const double average = process.worker->function(request.call.spec->function).averageRun;
    request.isSlow = average <= 0 || average >= kShortRun;
    process.slow += request.isSlow;
    request.sentAt = now;
    if (process.lanes.size() < process.concurrency) {
        startLane(process, place, now);
    } else {
        request.state = WarmRequest::State::Ahead;
        process.ahead.push_back(place);
    }
}

void RequestRouter::startLane(WarmProcess& process, std::uint32_t place, MonoTime now) {
    requests_.run(place, process.freeLanes.back(), now);
    process.freeLanes.pop_back();
    process.lanes.push_back(place);
    if (requests_[place].stop) { // it was cancelled while it waited for this
        process.endedForOne = true;
        process.failure = "an action it worked on was cancelled";
        broken(process, process.failure, now);
    }
}

void RequestRouter::coresGranted(WarmProcess& process, MonoTime now) {
    processes_.haveCores(process, now);
    feed(process, now);
    if (process.inFlight() == 0 && process.unsent.empty()) processes_.giveCores(process);
}

std::optional<MonoTime> RequestRouter::answerBy() const {
    if (requests_.count() != 1) return std::nullopt;
    for (const auto& [number, process] : processes_.all()) {
        if (process->lanes.empty()) continue;
        const double average = process->worker->averageRun;
        if (average <= 0 || average >= static_cast<double>(kQuickRun.count())) return std::nullopt;
        return requests_[process->lanes.front()].laneAt + kQuickRun;
    }
    return std::nullopt;
}

// --- the socket

/// A process that says without end how far it is gets its turn like any other: what it was not heard of yet waits in its
/// socket, and the epoll tells of it again. What one that died has left there is less than this.
void RequestRouter::read(WarmProcess& process, MonoTime now) {
    constexpr int kMostReads = 16; // of 64 KiB: a frame of the largest size
    for (int reads = 0; reads <= kMostReads; ++reads) {
        if (!process.channel.isOpen()) return;
        const auto fill = process.channel.receive();
        if (fill == warm::FrameBuffer::Fill::WouldBlock) return;
        if (fill == warm::FrameBuffer::Fill::Closed) return broken(process, std::string(kHungUp), now);
        while (const auto frame = process.channel.next()) {
            if (process.phase == WarmProcess::Phase::Launched)
                greeted(process, *frame, now);
            else
                answered(process, frame->id, frame->json, now);
            if (!process.channel.isOpen()) return;
        }
        if (process.channel.isBroken())
            return broken(process, "it sent a frame over 1 MiB, or without a number", now);
        if (fill == warm::FrameBuffer::Fill::LastData) return;
    }
}

void RequestRouter::greeted(WarmProcess& process, const warm::Frame& frame, MonoTime now) {
    if (frame.id != 0) return broken(process, "its first frame is not number 0", now);
    if (const auto ready = processes_.becomeReady(process, frame.json, now); !ready)
        broken(process, ready.error().message, now);
}

void RequestRouter::write(WarmProcess& process, MonoTime now) {
    switch (process.channel.write()) {
    case WarmChannel::Write::Done: return;
    case WarmChannel::Write::HasRoom: return feed(process, now);
    case WarmChannel::Write::HungUp: return broken(process, std::string(kHungUp), now);
    }
}

// --- time

void RequestRouter::lookAtDeadlines(WarmProcess& process, MonoTime now) {
    for (const std::uint32_t place : process.lanes) {
        const WarmRequest& request = requests_[place];
        if (request.isOverdue(now))
            process.endedForOne = true;
        else
            requests_.noteDeadline(request);
    }
    if (process.endedForOne && process.phase == WarmProcess::Phase::Live)
        broken(process, "the deadline of an action it worked on passed", now);
}

void RequestRouter::takeTurns(WarmProcess& process, bool isCrowded, MonoTime now) {
    using Turn = WarmProcess::Turn;
    if (process.phase != WarmProcess::Phase::Live) return;
    process.gaveWay = false;
    if (!process.holdsCores) return feed(process, now);
    const bool hasOld = std::ranges::any_of(
        process.lanes, [&](std::uint32_t place) { return requests_[place].laneAt < process.yieldsSince; });
    const Turn turn = isCrowded ? process.nextTurn(now, hasOld) : Turn::Serving;
    const bool hasTurn = turn == Turn::Serving && now < process.heldSince + kTurn;
    shared_.timer.armAt(hasTurn ? process.heldSince + kTurn : now + (turn == Turn::Serving ? kTurn : kYieldLook));
    if (process.turn == turn) return;
    if (turn == Turn::Yielding) process.yieldsSince = now;
    if (turn == Turn::Sharing) process.yieldsFor *= 2;
    process.turn = turn;
    if (process.alone) return feed(process, now); // paused for that, and it is what it has or waits for
    shared_.pool.setPaused(process.inPool, process.yields(), now, shared_.out);
    process.yields() ? unsentElsewhere(process, false, now) : feed(process, now);
}

} // namespace yard::runners

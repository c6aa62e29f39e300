// Requests back with an answer or elsewhere, with the end of their process, taken back and ended.
#include "core/runners/warm_router.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace yard::runners {

void RequestRouter::answered(WarmProcess& process, std::uint64_t id, std::string_view json, MonoTime now) {
    const std::uint32_t place = placeOf(id);
    if (!requests_.isWith(process, id)) {
        if (warm::parseProgress(json)) return; // of a thread that went on after the answer
        return broken(process, fmt::format("it answered {}, which it was not asked", id), now);
    }
    WarmRequest& request = requests_[place];
    if (noteProgress(request, json)) return;
    // The answer to a look is read by who asked for it.
    Result<warm::Answer> answer;
    if (request.call.look.empty())
        answer = warm::parseAnswer(json);
    else
        answer->result = json;
    if (!answer) return broken(process, "it answered garbage: " + answer.error().message, now);
    const bool wasRunning = request.state == WarmRequest::State::Running;
    Ended ended;
    ended.cause = EndCause::Exited;
    ended.exitCode = answer->exitCode;
    ended.result = std::move(answer->result);
    ended.message = std::move(answer->message);
    ended.resultTooLarge = answer->resultTooLarge;
    ended.resultRefused = std::move(answer->resultRefused);
    ended.times = {request.sentAt, wasRunning ? request.laneAt : now, now, now};
    if (wasRunning) learn(process, request, now);
    dropFrom(process, place);
    process.lastAnswer = now;
    process.usedSinceSample = true;
    ++process.answers;
    ++shared_.counters.requests;
    requests_.finish(place, std::move(ended));
    shared_.pool.close(process.inPool, true, now, shared_.out);
    if (process.phase != WarmProcess::Phase::Live) {
        if (process.inFlight() == 0 && process.unsent.empty()) processes_.giveCores(process);
        return;
    }
    while (!process.ahead.empty() && process.lanes.size() < process.concurrency) {
        const std::uint32_t next = process.ahead.front();
        process.ahead.pop_front();
        startLane(process, next, now);
        if (process.phase != WarmProcess::Phase::Live) return;
    }
    feed(process, now);
    if (process.inFlight() > 0 || !process.holdsCores) return;
    // Cores that it gave back because others wait it asks for again only after they had their turn.
    if (process.turn != WarmProcess::Turn::Serving) {
        process.gaveWay = true;
        shared_.timer.armAt(now);
    }
    processes_.giveCores(process);
    processes_.becameIdle(process, now);
}

/// True: it is no answer yet. Also of one that was sent ahead: its process may have begun it already.
bool RequestRouter::noteProgress(WarmRequest& request, std::string_view json) {
    if (!request.call.look.empty()) return false; // whatever an actor says is for who asked it
    auto said = warm::parseProgress(json);
    if (!said) return false;
    if (said->fraction) request.said.fraction = said->fraction;
    if (!said->message.empty()) request.said.message = std::move(said->message);
    return true;
}

/// Averages of its worker and its function, and whether the process is given requests ahead.
void RequestRouter::learn(WarmProcess& process, const WarmRequest& request, MonoTime now) {
    const auto micros = std::max(1.0, static_cast<double>((now - request.laneAt).count()));
    const auto take = [micros](double& average) {
        average = average == 0 ? micros : average + (micros - average) / 8;
    };
    const double& average = process.worker->averageRun;
    take(process.worker->averageRun);
    take(process.worker->function(request.call.spec->function).averageRun);
    const unsigned ahead = average < kShortRun ? process.maxAhead : 0;
    const auto view = shared_.pool.process(process.inPool);
    if (!view || view->limit == process.concurrency + ahead) return;
    shared_.pool.setAhead(process.inPool, ahead, now, shared_.out);
    process.worker->window = -1;
}

void RequestRouter::dropFrom(WarmProcess& process, std::uint32_t place) {
    if (process.alone == place) process.alone.reset();
    const auto state = requests_[place].state;
    if (state == WarmRequest::State::Running) {
        std::erase(process.lanes, place);
        process.freeLanes.push_back(requests_[place].lane);
    }
    if (state == WarmRequest::State::Ahead) std::erase(process.ahead, place);
    if (state == WarmRequest::State::Running || state == WarmRequest::State::Ahead)
        process.slow -= requests_[place].isSlow;
    if (state == WarmRequest::State::Unsent) std::erase(process.unsent, place);
}

/// `counts`: its process ended before it read one request, and the next may do the same.
void RequestRouter::elsewhere(std::uint32_t place, bool counts, MonoTime now) {
    WarmRequest& request = requests_[place];
    request.process = nullptr;
    request.given.clear();
    ++shared_.counters.elsewhere;
    if (request.stop || shared_.isEnding) return requests_.giveBack(place);
    if (counts && ++request.attempts >= pool::kMaxAttempts) {
        const WarmWorker* worker = workers_.of(request.call.group);
        return requests_.fail(place, EndCause::WorkerCrashed,
                              fmt::format("{} warm processes ended before they read it; the last one: {}",
                                          pool::kMaxAttempts, worker ? worker->lastEnd : "its worker was removed"));
    }
    route(place, now);
}

void RequestRouter::unsentElsewhere(WarmProcess& process, bool counts, MonoTime now) {
    for (const std::uint32_t place : std::exchange(process.unsent, {})) {
        if (process.alone == place) process.alone.reset();
        shared_.pool.close(process.inPool, false, now, shared_.out);
        elsewhere(place, counts, now);
    }
    if (process.inFlight() == 0) processes_.giveCores(process);
}

// --- the socket

/// To its last byte.
bool RequestRouter::wasRead(const WarmProcess& process, std::uint32_t place) const {
    return requests_[place].endsAt <= process.channel.bytesRead();
}

/// It read no request, and not because we ended it.
bool RequestRouter::endsInVain(const WarmProcess& process) const {
    return process.answers == 0 && !process.endedForOne &&
           std::ranges::none_of(process.lanes, [&](std::uint32_t place) { return wasRead(process, place); });
}

// --- ends of processes

/// It cannot be used any more. What it was sent waits for its death; what it was not sent goes elsewhere now.
void RequestRouter::broken(WarmProcess& process, std::string why, MonoTime now) {
    if (process.phase == WarmProcess::Phase::Ending) {
        process.channel.close();
        return;
    }
    processes_.retire(process, std::move(why), now);
    process.worker->lastEnd = process.failure;
    const bool isInVain = endsInVain(process);
    for (const std::uint32_t request : std::exchange(process.unsent, {})) elsewhere(request, isInVain, now);
    Duration grace{};
    for (const std::uint32_t request : process.lanes) {
        const WarmRequest& r = requests_[request];
        if (r.stop || r.isOverdue(now)) grace = std::max(grace, r.grace);
    }
    processes_.letEnd(process, grace, now);
}

void RequestRouter::processEnded(WarmProcess& process, const Ended& ended, MonoTime now) {
    processes_.launcherIsDone(process, ended);
    // It may have answered before it died.
    read(process, now);
    const auto view = shared_.pool.process(process.inPool);
    if (view && view->state == pool::ProcessState::Starting) {
        return processes_.failedToStart(process, ended, now);
    }
    if (process.phase == WarmProcess::Phase::Live) processes_.retire(process, std::string(kHungUp), now);
    process.phase = WarmProcess::Phase::Ending;
    process.channel.close();
    std::string note;
    if (!process.failure.empty())
        note = fmt::format("{}; {}", process.failure == kHungUp ? howItEnded(ended) : process.failure,
                           lastOutputOf(ended));
    processes_.sayGoodbye(process, pool::WhyEnded::None, std::move(note));
    requests_.show(process.lanes, process.lastView);
    settle(process, ended, now);
    shared_.pool.gone(process.inPool, now, shared_.out);
    processes_.forget(process, now);
}

/// The process is dead: what becomes of that which it had.
void RequestRouter::settle(WarmProcess& process, const Ended& ended, MonoTime now) {
    const bool diedByItself = process.failure.empty() || process.failure == kHungUp;
    process.worker->lastEnd =
        fmt::format("{}; {}", diedByItself ? howItEnded(ended) : process.failure, lastOutputOf(ended));
    const std::string how = fmt::format("{}: {}", diedByItself ? "died" : "was ended", process.worker->lastEnd);
    const bool isInVain = endsInVain(process);
    const auto read = [&](std::uint32_t place) { return wasRead(process, place); };
    const bool isAlone = std::ranges::count_if(process.lanes, read) == 1 && !process.endedForOne;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t place : std::exchange(process.lanes, {})) {
        const WarmRequest& request = requests_[place];
        if (request.stop)
            requests_.fail(place, endOf(*request.stop), {});
        else if (request.isOverdue(now))
            requests_.fail(place, EndCause::Deadline, {});
        else if (!read(place))
            others.push_back(place);
        else if (ended.cause == EndCause::LostRunner)
            requests_.fail(place, EndCause::LostRunner, {});
        else if (isAlone)
            requests_.fail(place, EndCause::WorkerCrashed, "its warm process " + how,
                           ended.overMemory || process.overMemory);
        else
            requests_.interrupt(place, "its warm process, which worked on others too, " + how);
    }
    std::ranges::copy(std::exchange(process.ahead, {}), std::back_inserter(others));
    std::ranges::copy(std::exchange(process.unsent, {}), std::back_inserter(others));
    for (const std::uint32_t place : others) elsewhere(place, isInVain, now);
}

// --- what others say of requests

void RequestRouter::remade(std::uint32_t place, const Result<void>& made, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    WarmRequest& request = requests_[place];
    if (request.state != WarmRequest::State::Remaking) return;
    request.isSoiled = false;
    if (request.stop || shared_.isEnding)
        requests_.giveBack(place);
    else if (!made)
        requests_.fail(place, EndCause::SpawnError,
                       "its directory could not be made again: " + made.error().message);
    else
        route(place, now);
}

void RequestRouter::entriesSynced(const Result<void>& synced, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint64_t upTo = requests_.noteSynced(synced.has_value());
    for (WarmProcess* process : processes_.list()) {
        const std::deque<std::uint32_t> unsent = process->unsent;
        for (const std::uint32_t place : unsent) {
            if (synced || requests_[place].mark == 0 || requests_[place].mark > upTo) continue;
            dropFrom(*process, place);
            shared_.pool.close(process->inPool, false, now, shared_.out);
            requests_.fail(place, EndCause::SpawnError,
                           "that it begins could not be kept: " + synced.error().message);
        }
        feed(*process, now);
    }
}

void RequestRouter::takeBack(std::uint32_t place, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    const WarmRequest& request = requests_[place];
    switch (request.state) {
    case WarmRequest::State::Held: std::erase(workers_.of(request.call.group)->held, place); break;
    case WarmRequest::State::Waiting: shared_.pool.cancelWait(request.waiter); break;
    case WarmRequest::State::Unsent:
        dropFrom(*request.process, place);
        shared_.pool.close(request.process->inPool, false, now, shared_.out);
        shared_.pool.setPaused(request.process->inPool, request.process->yields() || request.process->alone, now,
                               shared_.out);
        if (request.process->inFlight() == 0 && request.process->unsent.empty())
            processes_.giveCores(*request.process);
        break;
    default: return; // a live process has it, or its directory is being made: then it goes back after that
    }
    requests_.giveBack(place);
}

void RequestRouter::end(std::uint32_t place, StopCause cause, std::optional<Duration> grace, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    WarmRequest& request = requests_[place];
    // The first cause stands: of one over its deadline the process is being ended already.
    const bool isOverdue = request.state == WarmRequest::State::Running && request.isOverdue(now);
    if (!request.stop && !isOverdue) request.stop = cause;
    if (grace) request.grace = *grace;
    if (request.state == WarmRequest::State::Running) {
        WarmProcess& process = *request.process;
        process.endedForOne = true;
        broken(process, fmt::format("action {}, which it worked on, was to be ended", request.id.lsn.value), now);
    } else if (request.state != WarmRequest::State::Ahead) {
        takeBack(place, now);
    }
}

void RequestRouter::noteMemory(WarmProcess& process, std::int64_t bytes, std::size_t processes, MonoTime now) {
    process.memoryBytes = bytes;
    process.processes = processes;
    if (process.memoryLimit <= 0 || bytes <= process.memoryLimit) return;
    const bool isLive = process.phase == WarmProcess::Phase::Live;
    const bool isIdle = isLive && process.inFlight() == 0;
    if (isLive && (isIdle || !process.isContained))
        shared_.pool.detach(process.inPool, pool::WhyEnded::Memory, now, shared_.out);
    const bool starts = process.phase == WarmProcess::Phase::Launched;
    if (!process.isContained || isIdle || !(isLive || starts)) return;
    process.overMemory = true;
    broken(process,
           fmt::format("its processes, /tmp, sockets and pipes took more than {} MiB together",
                       process.memoryLimit >> 20),
           now);
}

} // namespace yard::runners

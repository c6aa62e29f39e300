// Requests: back with an answer or elsewhere, taken back and ended.
#include "core/runners/warm_runner.h"
#include "core/runners/warm_state.h"

#include <fmt/format.h>
#include <utility>

namespace yard::runners {

void WarmRunner::answered(Process& process, std::uint64_t id, std::string_view json, MonoTime now) {
    const std::uint32_t place = placeOf(id);
    if (place >= requests_.size() || requests_[place].wire != id || requests_[place].process != &process ||
        requests_[place].state < Request::State::Ahead)
        return broken(process, fmt::format("it answered {}, which it was not asked", id), now);
    auto answer = warm::parseAnswer(json);
    if (!answer) return broken(process, "it answered garbage: " + answer.error().message, now);
    Request& request = requests_[place];
    const bool wasRunning = request.state == Request::State::Running;
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
    ++counters_.requests;
    finish(place, std::move(ended));
    pool_.close(process.inPool, true, now, out_);
    if (process.phase != Process::Phase::Live) {
        if (process.inFlight() == 0 && process.unsent.empty()) release(process);
        return;
    }
    while (!process.ahead.empty() && process.lanes.size() < process.concurrency) {
        const std::uint32_t next = process.ahead.front();
        process.ahead.pop_front();
        startLane(process, next, now);
        if (process.phase != Process::Phase::Live) return;
    }
    feed(process, now);
    if (process.inFlight() > 0 || !process.holdsCores) return;
    // Cores that it gave back because others wait it asks for again only after they had their turn.
    if (process.turn != Process::Turn::Serving) {
        process.gaveWay = true;
        armAt(now);
    }
    release(process);
    scheduleClean(process, now);
}

/// Averages of its worker and its function, and whether the process is given requests ahead.
void WarmRunner::learn(Process& process, const Request& request, MonoTime now) {
    const auto micros = std::max(1.0, static_cast<double>((now - request.laneAt).count()));
    const auto take = [micros](double& average) {
        average = average == 0 ? micros : average + (micros - average) / 8;
    };
    const double& average = process.worker->averageRun;
    take(process.worker->averageRun);
    take(process.worker->function(request.call.spec->function).averageRun);
    const unsigned ahead = average < kShortRun ? process.maxAhead : 0;
    const auto view = pool_.process(process.inPool);
    if (!view || view->limit == process.concurrency + ahead) return;
    pool_.setAhead(process.inPool, ahead, now, out_);
    process.worker->window = -1;
}

void WarmRunner::dropFrom(Process& process, std::uint32_t place) {
    if (process.alone == place) process.alone.reset();
    const auto state = requests_[place].state;
    if (state == Request::State::Running) {
        std::erase(process.lanes, place);
        process.freeLanes.push_back(requests_[place].lane);
    }
    if (state == Request::State::Ahead) std::erase(process.ahead, place);
    if (state == Request::State::Running || state == Request::State::Ahead) process.slow -= requests_[place].isSlow;
    if (state == Request::State::Unsent) std::erase(process.unsent, place);
}

void WarmRunner::release(Process& process) {
    if (process.wantsCores || process.holdsCores) host_.letGo(process.coreKey());
    process.wantsCores = process.holdsCores = false;
    process.turn = Process::Turn::Serving;
    process.yieldsFor = kTurn;
}

/// `counts`: its process ended before it read one request, and the next may do the same.
void WarmRunner::elsewhere(std::uint32_t place, bool counts, MonoTime now) {
    Request& request = requests_[place];
    request.process = nullptr;
    ++counters_.elsewhere;
    if (request.stop || ending_) return giveBack(place);
    if (counts && ++request.attempts >= pool::kMaxAttempts) {
        const Worker* worker = byGroup_[request.call.group.place];
        return fail(place, EndCause::WorkerCrashed,
                    fmt::format("{} warm processes ended before they read it; the last one: {}", pool::kMaxAttempts,
                                worker ? worker->lastEnd : "its worker was removed"));
    }
    route(place, now);
}

/// What the process that ended had left there is no output of the next one.
void WarmRunner::remade(AttemptId id, const Result<void>& made) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = byAttempt_.find(id);
    if (at == byAttempt_.end()) return;
    const std::uint32_t place = at->second;
    Request& request = requests_[place];
    if (request.state != Request::State::Remaking) return;
    request.isSoiled = false;
    if (request.stop || ending_)
        giveBack(place);
    else if (!made)
        fail(place, EndCause::SpawnError, "its directory could not be made again: " + made.error().message);
    else
        route(place, MonoClock::now());
    flush();
}

void WarmRunner::unsentElsewhere(Process& process, bool counts, MonoTime now) {
    for (const std::uint32_t place : std::exchange(process.unsent, {})) {
        if (process.alone == place) process.alone.reset();
        pool_.close(process.inPool, false, now, out_);
        elsewhere(place, counts, now);
    }
    if (process.inFlight() == 0) release(process);
}

void WarmRunner::finish(std::uint32_t place, Ended ended) {
    Request& request = requests_[place];
    ended.slot = request.entrySlot;
    if (ended.cause != EndCause::LostRunner) suspects_.erase(request.id.lsn);
    if (request.process && request.process->firstLane) ended.lane = *request.process->firstLane + request.lane;
    updates_.push_back(Update{request.id, std::move(ended)});
    forgetRequest(place);
}

void WarmRunner::fail(std::uint32_t place, EndCause cause, std::string message, bool overMemory) {
    Ended ended;
    ended.cause = cause;
    ended.overMemory = overMemory;
    (cause == EndCause::SpawnError ? ended.spawn.message : ended.message) = std::move(message);
    endNow(place, std::move(ended));
}

void WarmRunner::failStart(std::uint32_t place, SpawnFailure failure) {
    Ended ended;
    ended.cause = EndCause::SpawnError;
    ended.spawn = std::move(failure);
    endNow(place, std::move(ended));
}

void WarmRunner::endNow(std::uint32_t place, Ended ended) {
    const Request& request = requests_[place];
    const MonoTime now = MonoClock::now();
    ended.times.submitting = request.sentAt == MonoTime{} ? now : request.sentAt;
    if (request.laneAt != MonoTime{}) ended.times.running = request.laneAt;
    ended.times.exited = ended.times.ended = now;
    finish(place, std::move(ended));
}

/// A process that worked on it ended, and not for its sake alone: it may have run.
void WarmRunner::interrupt(std::uint32_t place, std::string message) {
    const Request& request = requests_[place];
    if (!request.process->endedForOne) {
        if (suspects_.size() >= kMostSuspects) suspects_.clear();
        suspects_[request.id.lsn] = request.sharedCrashes + 1;
    }
    fail(place, EndCause::LostRunner, std::move(message));
}

/// It never ran, or what it did is void: as if it had not been submitted.
void WarmRunner::giveBack(std::uint32_t place) {
    Request& request = requests_[place];
    if (request.told && request.stop) {
        // It was told to run: that is no longer to be taken back, so it ends as it was told to.
        return fail(place, endOf(*request.stop), {});
    }
    if (request.told) return fail(place, EndCause::EngineStopped, {});
    if (request.hasEntry) entries_.freeEntry(request.entrySlot, request.id);
    updates_.push_back(Update{request.id, Returned{}});
    forgetRequest(place);
}

void WarmRunner::forgetRequest(std::uint32_t place) {
    Request& request = requests_[place];
    byAttempt_.erase(request.id);
    request.state = Request::State::None;
    request.wire = 0;
    request.process = nullptr;
    request.call = {};
    freeRequests_.push_back(place);
}

// --- taking back and ending

void WarmRunner::takeBack(AttemptId id) {
    const auto at = byAttempt_.find(id);
    if (at == byAttempt_.end()) return;
    const std::uint32_t place = at->second;
    Request& request = requests_[place];
    const MonoTime now = MonoClock::now();
    switch (request.state) {
    case Request::State::Held: std::erase(byGroup_[request.call.group.place]->held, place); break;
    case Request::State::Waiting: pool_.cancelWait(request.waiter); break;
    case Request::State::Unsent:
        dropFrom(*request.process, place);
        pool_.close(request.process->inPool, false, now, out_);
        pool_.setPaused(request.process->inPool, request.process->yields() || request.process->alone, now, out_);
        if (request.process->inFlight() == 0 && request.process->unsent.empty()) release(*request.process);
        break;
    default: return; // a live process has it, or its directory is being made: then it goes back after that
    }
    giveBack(place);
    flush();
}

void WarmRunner::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    YARD_ASSERT_OWNER(owner_);
    const auto at = byAttempt_.find(id);
    if (at == byAttempt_.end()) return;
    Request& request = requests_[at->second];
    // The first cause stands: of one over its deadline the process is being ended already.
    const bool isOverdue = request.state == Request::State::Running && request.isOverdue(MonoClock::now());
    if (!request.stop && !isOverdue) request.stop = cause;
    if (grace) request.grace = *grace;
    if (request.state == Request::State::Running) {
        Process& process = *request.process;
        process.endedForOne = true;
        broken(process, fmt::format("action {}, which it worked on, was to be ended", id.lsn.value),
               MonoClock::now());
        flush();
    } else if (request.state != Request::State::Ahead) {
        takeBack(id);
    }
}

void WarmRunner::endAll(StopCause cause, std::optional<Duration> grace) {
    std::vector<AttemptId> all;
    for (const auto& [id, place] : byAttempt_) all.push_back(id);
    for (const AttemptId id : all) end(id, cause, grace);
}

void WarmRunner::shutDown(Duration grace) {
    ending_ = true;
    grace_ = grace;
    endAll(StopCause::EngineStopped, grace);
    std::vector<std::string> ids;
    for (const auto& [id, worker] : workers_) ids.push_back(id);
    for (const std::string& id : ids) removeWorker(id);
}

void WarmRunner::acknowledge(SlotId slot, AttemptId id) {
    if (slot.value >= kEntrySlots) return;
    entries_.freeEntry(slot, id);
    if (!std::exchange(starved_, false)) return;
    const MonoTime now = MonoClock::now();
    for (const auto& [number, process] : processes_) feed(*process, now);
    flush();
}

} // namespace yard::runners

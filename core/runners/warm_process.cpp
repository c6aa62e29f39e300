// Processes: from the pool's order to their end.
#include "core/base/log.h"
#include "core/runners/warm_runner.h"
#include "core/runners/warm_state.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::runners {

using pool::WhyEnded;

namespace {

constexpr std::size_t kToldOutput = 1'000; ///< of the end: its most telling line becomes part of a note
/// One that dies closes its socket a moment before its end can be seen, and how it ended says more than our kill.
constexpr Duration kDiesWithin{200'000};
/// A look at that which comes so much later found this thread asleep: how it ended may wait to be read.
constexpr Duration kLate{50'000};
constexpr unsigned kMostLateLooks = 5;
/// Of all processes that are gone together: about those that ended last is asked.
constexpr std::size_t kGoneOutput = 1u << 20;

std::string lastOutput(const Ended& ended) {
    std::string_view text = ended.err.bytes.empty() ? ended.out.bytes : ended.err.bytes;
    if (text.size() > kToldOutput) text = text.substr(text.size() - kToldOutput);
    const std::string line = firstErrorLine(text);
    return line.empty() ? "it printed nothing" : fmt::format("its last output: {}", line);
}

std::string howItEnded(const Ended& ended) {
    if (ended.cause == EndCause::LostRunner) return "the launcher process died, and it with it";
    if (ended.signal) return fmt::format("it was ended by signal {}", *ended.signal);
    return fmt::format("it ended with exit code {}", ended.exitCode.value_or(0));
}

} // namespace

WarmRunner::Process* WarmRunner::find(pool::ProcessId id) const {
    if (id.place >= byPlace_.size()) return nullptr;
    Process* process = byPlace_[id.place];
    return process && process->inPool == id ? process : nullptr;
}

WarmRunner::Process* WarmRunner::find(AttemptId id) const {
    const auto at = processes_.find(id.lsn.value);
    return at == processes_.end() ? nullptr : at->second.get();
}

void WarmRunner::order(const pool::Outbox::Spawn& spawn, MonoTime now) {
    auto made = std::make_unique<Process>();
    Process& process = *made;
    process.inPool = spawn.process;
    process.id = {Lsn(nextProcess_++), 1};
    process.name = fmt::format("p{}", process.id.lsn.value - kFirstProcessLsn + 1);
    process.worker = byGroup_[spawn.group.place];
    process.slot = freeSlots_.back();
    freeSlots_.pop_back();
    processes_.emplace(process.id.lsn.value, std::move(made));
    if (byPlace_.size() <= spawn.process.place) byPlace_.resize(spawn.process.place + 1);
    byPlace_[spawn.process.place] = &process;
    Resources memory;
    memory.milliCores = 0;
    memory.memoryMb = process.worker->descriptor->resources.memoryMb;
    if (memory.memoryMb == 0 || host_.hold(process.memoryKey(), memory))
        prepare(process);
    else
        askForRoom(process, now);
}

/// Memory is kept for as long as a process lives: idle ones go, one after another, until it has some.
void WarmRunner::askForRoom(Process& process, MonoTime now) {
    process.asksAt = MonoTime::max();
    if (process.phase != Process::Phase::Waiting) return;
    // Those who asked for it do not any more.
    if (const auto group = pool_.group(process.worker->group);
        group && group->size == 0 && group->waiting == 0 && group->options.minProcesses == 0) {
        pool_.detach(process.inPool, WhyEnded::ActionEnded, now, out_);
        return;
    }
    // It may only be in line behind who waits for cores.
    if (host_.lacksMemory(process.worker->id))
        pool_.makeRoom(process.inPool, [this](pool::GroupId id) { return memoryOf(id) > 0; }, now, out_);
    process.asksAt = now + pool::kPatience;
    armAt(process.asksAt);
}

std::int64_t WarmRunner::memoryOf(pool::GroupId id) const {
    const Worker* worker = byGroup_[id.place];
    return worker ? worker->descriptor->resources.memoryMb : 0;
}

bool WarmRunner::giveMemory(std::int64_t memoryMb) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t idle = 0;
    std::int64_t coming = 0;
    for (const auto& [number, process] : processes_) {
        const auto inPool = pool_.process(process->inPool);
        const std::int64_t holds = process->worker->descriptor->resources.memoryMb;
        if (inPool && inPool->state == pool::ProcessState::Idle) idle += holds;
        if (inPool && inPool->state == pool::ProcessState::Stopping) coming += holds;
    }
    if (idle + coming < memoryMb) return false;
    while (coming < memoryMb) {
        const auto group =
            pool_.evictIdle([this](pool::GroupId id) { return memoryOf(id) > 0; }, MonoClock::now(), out_);
        if (!group) break;
        coming += memoryOf(*group);
    }
    flush();
    return coming >= memoryMb;
}

void WarmRunner::prepare(Process& process) {
    process.phase = Process::Phase::Preparing;
    host_.prepare({process.id, process.slot, process.worker->id});
}

void WarmRunner::prepared(AttemptId id, Result<Lease> lease) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process) return;
    const MonoTime now = MonoClock::now();
    int ends[2] = {-1, -1};
    std::string failure;
    if (!lease)
        failure = "its files could not be made: " + lease.error().message;
    else if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0 ||
             (process->theirs.reset(::fcntl(ends[1], F_DUPFD_CLOEXEC, 0)), !process->theirs))
        failure = fmt::format("no socket could be made for it: {}",
                              std::strerror(errno)); // NOLINT(concurrency-mt-unsafe): glibc's is per thread
    if (process->phase == Process::Phase::Ending || !failure.empty()) {
        for (const int fd : ends)
            if (fd >= 0) ::close(fd);
        if (!failure.empty()) process->worker->lastFailure = {.message = failure};
        sayGoodbye(*process, failure.empty() ? WhyEnded::None : WhyEnded::SpawnFailed, failure);
        if (process->phase == Process::Phase::Ending)
            pool_.gone(process->inPool, now, out_);
        else
            pool_.spawnFailed(process->inPool, now, out_);
        forgetProcess(*process, now);
        return flush();
    }
    process->socket.reset(ends[0]);
    struct stat socket{};
    if (::fstat(process->theirs.get(), &socket) == 0) process->theirInode = socket.st_ino;
    lease->id = id;
    lease->slot = process->slot;
    process->memoryLimit = lease->sandbox ? static_cast<std::int64_t>(lease->sandbox->memoryBytes)
                                          : process->worker->descriptor->resources.memoryMb << 20;
    process->isContained = lease->sandbox != nullptr;
    lease->deadline = Duration::zero();
    lease->grace = grace_;
    lease->keepsLast = true;
    lease->hurry = true;
    lease->socket = std::make_shared<UniqueFd>(ends[1]);
    lease->env.emplace_back("YARD_SOCKET_FD", std::to_string(kSocketFd));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint64_t>(id.lsn.value);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, ends[0], &event);
    process->phase = Process::Phase::Launched;
    process->submitted = true;
    process->readyBy = now + config_.spawnLimit;
    armAt(process->readyBy);
    std::vector<Lease> batch;
    batch.push_back(std::move(*lease));
    local_.submit(std::move(batch));
}

void WarmRunner::granted(std::uint64_t key) {
    const AttemptId id{Lsn(static_cast<std::int64_t>(key / 2)), 1};
    Process* process = find(id);
    if (!process) return host_.letGo(key);
    const MonoTime now = MonoClock::now();
    if (key == process->memoryKey()) {
        if (process->phase == Process::Phase::Waiting) prepare(*process);
    } else {
        process->wantsCores = false;
        process->holdsCores = true;
        process->heldSince = now;
        armAt(now + kTurn);
        feed(*process, now);
        if (process->inFlight() == 0 && process->unsent.empty()) release(*process);
    }
    flush();
}

// --- the socket

void WarmRunner::readSocket(Process& process, MonoTime now) {
    for (;;) {
        if (!process.socket) return;
        const auto fill = process.in.receive(process.socket.get());
        if (fill == warm::FrameBuffer::Fill::WouldBlock) return;
        if (fill == warm::FrameBuffer::Fill::Closed) return broken(process, std::string(kHungUp), now);
        while (const auto frame = process.in.next()) {
            if (process.phase == Process::Phase::Launched)
                frame->id == 0 ? becomeReady(process, frame->json, now)
                               : broken(process, "its first frame is not number 0", now);
            else
                answered(process, frame->id, frame->json, now);
            if (!process.socket) return;
        }
        if (process.in.isBroken()) return broken(process, "it sent a frame over 1 MiB, or without a number", now);
        if (fill == warm::FrameBuffer::Fill::LastData) return;
    }
}

void WarmRunner::becomeReady(Process& process, std::string_view json, MonoTime now) {
    const auto ready = warm::parseReady(json);
    if (!ready) return broken(process, "it did not say that it is ready: " + ready.error().message, now);
    process.phase = Process::Phase::Live;
    process.concurrency = ready->concurrency;
    process.maxAhead = ready->ahead;
    process.firstLane = process.worker->takeLanes(process.concurrency);
    for (unsigned lane = process.concurrency; lane-- > 0;) process.freeLanes.push_back(lane);
    process.lastAnswer = now;
    ++counters_.spawned;
    const double average = process.worker->averageRun;
    process.worker->window = -1;
    pool_.spawned(process.inPool, ready->concurrency, average > 0 && average < kShortRun ? ready->ahead : 0, now,
                  out_);
    scheduleClean(process, now);
}

void WarmRunner::writeSocket(Process& process, MonoTime now) {
    while (process.socket && process.written < process.out.size()) {
        const ssize_t n = ::send(process.socket.get(), process.out.data() + process.written,
                                 process.out.size() - process.written, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return broken(process, std::string(kHungUp), now);
        if (n < 0) break;
        process.written += static_cast<std::size_t>(n);
        process.sent += static_cast<std::uint64_t>(n);
    }
    const bool isDone = process.written == process.out.size();
    if (isDone) {
        process.out.clear();
        process.written = 0;
    }
    if (!process.socket || process.waitsToWrite == !isDone) return;
    process.waitsToWrite = !isDone;
    epoll_event event{};
    event.events = isDone ? EPOLLIN : EPOLLIN | EPOLLOUT;
    event.data.u64 = static_cast<std::uint64_t>(process.id.lsn.value);
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, process.socket.get(), &event);
    if (isDone) feed(process, now);
}

/// shutdown() first: a child that is just being cloned may hold a copy of the descriptor.
void WarmRunner::closeSocket(Process& process) {
    if (!process.socket) return;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, process.socket.get(), nullptr);
    ::shutdown(process.socket.get(), SHUT_RDWR);
    process.socket.reset();
    process.out.clear();
    process.written = 0;
}

/// To its last byte. The kernel counts what waits at the process's end, and drops it only with that: we have it
/// too.
bool WarmRunner::wasRead(const Process& process, std::uint32_t place) const {
    int unread = 0;
    if (::ioctl(process.theirs.get(), FIONREAD, &unread) != 0) return true;
    return requests_[place].endsAt <= process.sent - std::min<std::uint64_t>(process.sent, std::max(unread, 0));
}

/// It read no request, and not because we ended it.
bool WarmRunner::endsInVain(const Process& process) const {
    return process.answers == 0 && !process.endedForOne &&
           std::ranges::none_of(process.lanes, [&](std::uint32_t place) { return wasRead(process, place); });
}

// --- ends

/// It takes no more requests.
void WarmRunner::retire(Process& process, std::string why, MonoTime now) {
    const bool wasLive = process.phase == Process::Phase::Live;
    process.phase = Process::Phase::Ending;
    process.failure = std::move(why);
    process.worker->window = -1;
    closeSocket(process);
    if (!wasLive) return;
    if (!process.endedForOne) {
        ++counters_.crashes;
        logWarning("pool", "process {} of {} is ended: {}", process.name, process.worker->descriptor->name,
                   process.failure);
    }
    pool_.crashed(process.inPool, now, out_,
                  process.endedForOne  ? WhyEnded::ActionEnded
                  : process.overMemory ? WhyEnded::Memory
                                       : WhyEnded::Crashed);
}

/// It cannot be used any more. What it was sent waits for its death; what it was not sent goes elsewhere now.
void WarmRunner::broken(Process& process, std::string why, MonoTime now) {
    if (process.phase == Process::Phase::Ending) {
        closeSocket(process);
        return;
    }
    retire(process, std::move(why), now);
    process.worker->lastEnd = process.failure;
    const bool isInVain = endsInVain(process);
    for (const std::uint32_t request : std::exchange(process.unsent, {})) elsewhere(request, isInVain, now);
    Duration grace{};
    for (const std::uint32_t request : process.lanes) {
        const Request& r = requests_[request];
        if (r.stop || r.isOverdue(now)) grace = std::max(grace, r.grace);
    }
    if (process.failure != kHungUp || ending_) return kill(process, grace);
    process.killAt = now + kDiesWithin;
    armAt(process.killAt);
}

/// It has no sessions, and shall not have any more.
void WarmRunner::endPolitely(Process& process, MonoTime now) {
    process.worker->window = -1;
    if (process.phase == Process::Phase::Ending) return;
    const Process::Phase was = process.phase;
    process.phase = Process::Phase::Ending;
    release(process);
    if (was == Process::Phase::Waiting) {
        sayGoodbye(process, WhyEnded::None, {});
        pool_.gone(process.inPool, now, out_);
        return forgetProcess(process, now);
    }
    if (was == Process::Phase::Preparing) return;
    closeSocket(process);
    if (was == Process::Phase::Launched || ending_) return kill(process, grace_);
    process.killAt = now + grace_;
    armAt(process.killAt);
}

/// It was given time to end. No verdict by a clock that ran on while nobody here did.
void WarmRunner::lookAtEnd(Process& process, MonoTime now) {
    const bool isLate = now - process.killAt > kLate;
    if (process.failure != kHungUp || !isLate || ++process.lateLooks > kMostLateLooks) return kill(process, grace_);
    process.killAt = now + kDiesWithin;
    armAt(process.killAt);
}

void WarmRunner::kill(Process& process, Duration grace) {
    process.killAt = MonoTime::max();
    if (process.failure == kHungUp) { // it should have been dying
        process.failure = "it closed its socket and went on";
        grace = Duration::zero();
    }
    if (process.submitted) local_.end(process.id, StopCause::Cancelled, grace);
}

void WarmRunner::processUpdate(Update update) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(update.id);
    if (!process) return;
    const MonoTime now = MonoClock::now();
    if (const auto* started = std::get_if<Started>(&update.what)) {
        process->pid = started->pid;
    } else if (auto* ended = std::get_if<Ended>(&update.what)) {
        process->output = std::make_shared<const OutputEnds>(
            OutputEnds{{ended->out.size, ended->out.bytes}, {ended->err.size, ended->err.bytes}});
        processEnded(*process, std::move(*ended), now);
    } else if (auto* ends = std::get_if<OutputEnds>(&update.what)) {
        tellOutput(*process, std::make_shared<const OutputEnds>(std::move(*ends)));
    } else if (std::holds_alternative<Returned>(update.what)) {
        Ended never;
        never.cause = EndCause::SpawnError;
        never.spawn.message = "the launcher did not take it";
        processEnded(*process, std::move(never), now);
    }
    flush();
}

void WarmRunner::processEnded(Process& process, Ended ended, MonoTime now) {
    process.submitted = false;
    local_.acknowledge(process.slot, process.id);
    // It may have answered before it died.
    readSocket(process, now);
    const auto view = pool_.process(process.inPool);
    if (view && view->state == pool::ProcessState::Starting) {
        std::string why =
            ended.cause == EndCause::SpawnError
                ? fmt::format("start ({}): {}", runners::name(ended.spawn.step), ended.spawn.message)
            : process.failure.empty() || process.failure == kHungUp
                ? fmt::format("handshake: {} before it was ready; {}", howItEnded(ended), lastOutput(ended))
                : fmt::format("handshake: {}; {}", process.failure, lastOutput(ended));
        logWarning("pool", "no process of {} came up: {}", process.worker->descriptor->name, why);
        ++counters_.spawnFailures;
        sayGoodbye(process, WhyEnded::SpawnFailed, why);
        process.worker->lastFailure = {ended.spawn.step, ended.spawn.err, {}, std::move(why)};
        pool_.spawnFailed(process.inPool, now, out_);
        return forgetProcess(process, now);
    }
    if (process.phase == Process::Phase::Live) retire(process, std::string(kHungUp), now);
    process.phase = Process::Phase::Ending;
    closeSocket(process);
    std::string note;
    if (!process.failure.empty())
        note = fmt::format("{}; {}", process.failure == kHungUp ? howItEnded(ended) : process.failure,
                           lastOutput(ended));
    sayGoodbye(process, WhyEnded::None, std::move(note));
    settleRequests(process, ended, now);
    pool_.gone(process.inPool, now, out_);
    forgetProcess(process, now);
}

/// The process is dead: what becomes of that which it had.
void WarmRunner::settleRequests(Process& process, const Ended& ended, MonoTime now) {
    const bool diedByItself = process.failure.empty() || process.failure == kHungUp;
    process.worker->lastEnd =
        fmt::format("{}; {}", diedByItself ? howItEnded(ended) : process.failure, lastOutput(ended));
    const std::string how = fmt::format("{}: {}", diedByItself ? "died" : "was ended", process.worker->lastEnd);
    const bool isInVain = endsInVain(process);
    const auto read = [&](std::uint32_t place) { return wasRead(process, place); };
    const bool isAlone = std::ranges::count_if(process.lanes, read) == 1 && !process.endedForOne;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t place : std::exchange(process.lanes, {})) {
        const Request& request = requests_[place];
        if (request.stop)
            fail(place, endOf(*request.stop), {});
        else if (request.isOverdue(now))
            fail(place, EndCause::Deadline, {});
        else if (!read(place))
            others.push_back(place);
        else if (ended.cause == EndCause::LostRunner)
            fail(place, EndCause::LostRunner, {});
        else if (isAlone)
            fail(place, EndCause::WorkerCrashed, "its warm process " + how, ended.overMemory || process.overMemory);
        else
            interrupt(place, "its warm process, which worked on others too, " + how);
    }
    std::ranges::copy(std::exchange(process.ahead, {}), std::back_inserter(others));
    std::ranges::copy(std::exchange(process.unsent, {}), std::back_inserter(others));
    for (const std::uint32_t place : others) elsewhere(place, isInVain, now);
}

void WarmRunner::forgetProcess(Process& process, MonoTime now) {
    if (!process.output) process.output = std::make_shared<const OutputEnds>();
    while (!process.asks.empty()) tellOutput(process, process.output);
    process.lastView.ended = now;
    process.lastView.output = std::move(process.output);
    keepGone(std::move(process.lastView));
    closeSocket(process);
    release(process);
    host_.letGo(process.memoryKey());
    host_.discard({process.id, process.slot, process.worker->id});
    freeSlots_.push_back(process.slot);
    if (process.firstLane) process.worker->giveLanes(*process.firstLane, process.concurrency);
    process.worker->window = -1;
    byPlace_[process.inPool.place] = nullptr;
    std::erase(dirty_, &process);
    const Worker* worker = process.worker;
    processes_.erase(process.id.lsn.value);
    const bool isUsed = std::ranges::any_of(processes_, [&](const auto& p) { return p.second->worker == worker; });
    if (!isUsed) std::erase_if(removed_, [&](const auto& removed) { return removed.get() == worker; });
}

void WarmRunner::keepGone(WarmProcessView view) {
    constexpr std::size_t kGone = 50;
    gone_.push_front(std::move(view));
    if (gone_.size() > kGone) gone_.pop_back();
    std::size_t bytes = 0;
    for (WarmProcessView& gone : gone_) {
        if (!gone.output) continue;
        bytes += gone.output->out.bytes.size() + gone.output->err.bytes.size();
        if (bytes > kGoneOutput) gone.output.reset();
    }
}

/// Before the pool forgets it.
/// `note`: what people should know beside why; empty: nothing.
void WarmRunner::sayGoodbye(Process& process, WhyEnded why, std::string note) {
    process.lastView = viewOf(process);
    if (why != WhyEnded::None) process.lastView.whyEnded = pool::name(why);
    process.lastView.note = std::move(note);
}

} // namespace yard::runners

// Opening, events and time; requests until they are with a process.
#include "core/runners/warm_runner.h"

#include "core/base/log.h"
#include "core/runners/warm_state.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace yard::runners {

using pool::WhyEnded;

namespace {

/// Whether other work still waits is looked at so often while a process yields to it.
constexpr Duration kYieldLook{100'000};

} // namespace

WarmRunner::WarmRunner(WarmConfig config, LocalRunner& local, WarmHost& host, UpdateSink sink)
    : config_(std::move(config))
    , local_(local)
    , host_(host)
    , sink_(std::move(sink))
    , pool_(config_.pool)
    , grace_(config_.grace) {}

WarmRunner::~WarmRunner() {
    for (const auto& [number, process] : processes_) closeSocket(*process);
}

Result<std::unique_ptr<WarmRunner>> WarmRunner::start(WarmConfig config, LocalRunner& local, WarmHost& host,
                                                      UpdateSink sink) {
    std::unique_ptr<WarmRunner> runner(new WarmRunner(std::move(config), local, host, std::move(sink)));
    if (auto opened = runner->open(); !opened) return std::unexpected(opened.error());
    return runner;
}

Result<void> WarmRunner::open() {
    auto entries = SlotsFile::create(config_.dataDir + "/slots.warm", kEntrySlots);
    if (!entries) return std::unexpected(entries.error());
    entries_ = std::move(*entries);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    timer_.reset(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!epoll_ || !timer_ || !wake_) return failErrno("make an epoll for warm workers", errno);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 0;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer_.get(), &event);
    event.data.u64 = 1;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
    for (unsigned i = config_.slots; i-- > 0;) freeSlots_.emplace_back(config_.firstSlot.value + i);
    return {};
}

int WarmRunner::pollFd() const {
    return epoll_.get();
}

void WarmRunner::onReadable() {
    YARD_ASSERT_OWNER(owner_);
    std::array<epoll_event, 64> events;
    const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), 0);
    const MonoTime now = MonoClock::now();
    bool isDue = false;
    telling_ = true;
    for (int i = 0; i < n; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        std::uint64_t count = 0;
        if (event.data.u64 == 0) {
            if (::read(timer_.get(), &count, sizeof count) > 0) isDue = true;
        } else if (event.data.u64 == 1) {
            if (::read(wake_.get(), &count, sizeof count) > 0) woken_ = false;
        } else if (Process* process = find(AttemptId{Lsn(static_cast<std::int64_t>(event.data.u64)), 1})) {
            if (event.events & EPOLLOUT) writeSocket(*process, now);
            if (event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) readSocket(*process, now);
        }
    }
    if (isDue) {
        armed_ = MonoTime::max();
        tick(now);
    }
    flush();
    telling_ = false;
    if (!updates_.empty()) sink_(std::exchange(updates_, {}));
}

std::optional<MonoTime> WarmRunner::answerBy() const {
    if (requests_.size() - freeRequests_.size() != 1) return std::nullopt;
    for (const auto& [number, process] : processes_) {
        if (process->lanes.empty()) continue;
        const double average = process->worker->averageRun;
        if (average <= 0 || average >= static_cast<double>(kQuickRun.count())) return std::nullopt;
        return requests_[process->lanes.front()].laneAt + kQuickRun;
    }
    return std::nullopt;
}

/// What the pool wants done, and what follows from that, until nothing does.
void WarmRunner::carry() {
    if (carrying_) return;
    carrying_ = true;
    const MonoTime now = MonoClock::now();
    while (!out_.spawn.empty() || !out_.served.empty() || !out_.failed.empty() || !out_.end.empty() ||
           !out_.finishing.empty() || !out_.restarted.empty() || !out_.rolledBack.empty()) {
        pool::Outbox todo = std::exchange(out_, {});
        for (const auto& spawn : todo.spawn) order(spawn, now);
        for (const auto& served : todo.served) {
            const std::uint32_t request = placeOf(served.tag);
            // One that said it is ready and died may be gone before this is carried out.
            Process* process = find(served.process);
            if (process && process->phase == Process::Phase::Live)
                assign(*process, request, now);
            else
                elsewhere(request, !process || endsInVain(*process), now);
        }
        for (const auto& failed : todo.failed) {
            const std::uint32_t request = placeOf(failed.tag);
            const Worker* worker = byGroup_[requests_[request].call.group.place];
            if (failed.why == WhyEnded::Removed || !worker) {
                fail(request, EndCause::SpawnError, "its worker was removed");
                continue;
            }
            SpawnFailure failure = worker->lastFailure;
            failure.message =
                fmt::format("no warm process of {} came up: {}", worker->descriptor->name, failure.message);
            failStart(request, std::move(failure));
        }
        for (const auto& end : todo.end)
            if (Process* process = find(end.process)) endPolitely(*process, now);
        for (const auto& finishing : todo.finishing)
            if (Process* process = find(finishing.process); process && finishing.why != WhyEnded::MaxRequests)
                unsentElsewhere(*process, false, now);
        for (const pool::GroupId id : todo.restarted)
            logInfo("pool", "every process of {} is a new one", byGroup_[id.place]->descriptor->name);
        for (const auto& back : todo.rolledBack) {
            const Worker& worker = *byGroup_[back.group.place];
            logWarning("pool", "the restart of {} was stopped, {} of {} processes are left: {}",
                       worker.descriptor->name, back.left, back.of,
                       back.why == WhyEnded::SpawnFailed
                           ? worker.lastFailure.message
                           : fmt::format("the new one was ended ({})", pool::name(back.why)));
        }
    }
    carrying_ = false;
    if (const auto at = pool_.nextSpawn()) armAt(*at);
    for (const auto& [id, worker] : workers_) updateWindow(*worker);
}

void WarmRunner::flush() {
    carry();
    const MonoTime now = MonoClock::now();
    // Writing may find a process broken, and that gives others something to write.
    while (!dirty_.empty()) {
        const std::vector<Process*> dirty = std::exchange(dirty_, {});
        for (Process* process : dirty) {
            process->isDirty = false;
            if (!process->waitsToWrite) writeSocket(*process, now);
        }
        carry();
    }
    if (!updates_.empty() && !woken_ && !telling_) {
        woken_ = true;
        ::eventfd_write(wake_.get(), 1);
    }
}

void WarmRunner::updateWindow(Worker& worker) {
    if (worker.window >= 0) return;
    int places = 0;
    for (const pool::ProcessView& process : pool_.processes(worker.group))
        if (process.state == pool::ProcessState::Idle || process.state == pool::ProcessState::Busy)
            places += static_cast<int>(process.limit);
    // One more than can be served: who waits is what makes the pool spawn. A private queue is given as much again.
    const int window = worker.descriptor->pool.globalQueue ? places + 1 : 2 * places + 1;
    worker.window = window;
    host_.setWindow(worker.gate, window);
}

// --- in

void WarmRunner::submit(std::vector<Lease> batch) {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime now = MonoClock::now();
    for (Lease& lease : batch) {
        if (freeRequests_.empty()) {
            requests_.emplace_back();
            freeRequests_.push_back(static_cast<std::uint32_t>(requests_.size() - 1));
        }
        const std::uint32_t place = freeRequests_.back();
        freeRequests_.pop_back();
        Request& request = requests_[place];
        const std::uint32_t use = request.use + 1;
        request = {};
        request.use = use;
        request.wire = std::uint64_t{use} << 32 | place;
        request.id = lease.id;
        request.call = std::move(*lease.warm);
        request.deadline = lease.deadline;
        request.grace = lease.grace;
        if (const auto suspect = suspects_.find(lease.id.lsn); suspect != suspects_.end())
            request.sharedCrashes = suspect->second;
        byAttempt_.emplace(lease.id, place);
        if (ending_)
            giveBack(place);
        else
            route(place, now);
    }
    flush();
}

/// To a process that the pool chooses, or into its waiting list.
void WarmRunner::route(std::uint32_t place, MonoTime now) {
    Request& request = requests_[place];
    Worker* worker = request.call.group.place < byGroup_.size() ? byGroup_[request.call.group.place] : nullptr;
    if (!worker || worker->group != request.call.group)
        return fail(place, EndCause::SpawnError, "its worker was removed");
    if (request.isSoiled) {
        request.state = Request::State::Remaking;
        return host_.remake(request.id);
    }
    if (worker->isLooking || mustLook(*worker, now)) {
        request.state = Request::State::Held;
        worker->held.push_back(place);
        return look(*worker, now);
    }
    request.state = Request::State::Waiting;
    const pool::Pool::Checkout got = pool_.checkout(request.call.group, request.wire, now, out_);
    request.waiter = got.waiter;
    if (got.process) assign(*find(*got.process), place, now);
}

void WarmRunner::assign(Process& process, std::uint32_t place, MonoTime now) {
    Request& request = requests_[place];
    if (process.alone) { // it was given before the pool knew
        pool_.close(process.inPool, false, now, out_);
        return elsewhere(place, false, now);
    }
    if (request.isSuspect()) {
        process.alone = place;
        pool_.setPaused(process.inPool, true, now, out_);
        unsentElsewhere(process, false, now);
    }
    request.state = Request::State::Unsent;
    request.process = &process;
    process.unsent.push_back(place);
    process.usedSinceSample = true;
    feed(process, now);
}

unsigned WarmRunner::aheadOf(const Process& process, MonoTime now) const {
    const double average = process.worker->averageRun;
    if (process.maxAhead == 0 || average <= 0 || average >= kShortRun) return 0;
    return process.inFlight() == 0 || now - process.lastAnswer < kSlow ? process.maxAhead : 0;
}

/// Sends it what it may have.
void WarmRunner::feed(Process& process, MonoTime now) {
    if (process.unsent.empty() || process.phase != Process::Phase::Live || process.yields()) return;
    if (!process.holdsCores) {
        if (process.wantsCores || process.gaveWay) return;
        Resources cores = process.worker->descriptor->resources;
        cores.memoryMb = 0;
        process.wantsCores = true;
        if (cores.milliCores > 0 && !host_.hold(process.coreKey(), cores)) return;
        process.wantsCores = false;
        process.holdsCores = true;
        process.heldSince = now;
        armAt(now + kTurn);
    }
    if (process.alone && process.inFlight() > 0) return;
    std::size_t most = process.alone ? 1 : process.concurrency + aheadOf(process, now);
    while (!process.unsent.empty() && process.inFlight() < most &&
           process.out.size() - process.written < kMostUnread) {
        const std::uint32_t next = process.unsent.front();
        if (process.inFlight() >= process.concurrency) {
            if (requests_[next].call.once) return;
            if (process.slow >= process.concurrency) most = process.concurrency;
            if (process.inFlight() >= most) break;
        }
        if (!takeEntry(process, next) || !isMarked(next)) return;
        process.unsent.pop_front();
        sendOne(process, next, now);
        if (process.phase != Process::Phase::Live) return;
    }
    // It is slower than was thought: what it has not been sent, another one may be quicker with.
    if (process.unsent.empty() || process.inFlight() < most || most > process.concurrency || process.alone) return;
    if (!process.worker->descriptor->pool.globalQueue) return;
    if (const auto view = pool_.process(process.inPool); !view || view->limit == process.concurrency) return;
    pool_.setAhead(process.inPool, 0, now, out_);
    process.worker->window = -1;
    unsentElsewhere(process, false, now);
}

/// Written before it is sent: the next start of the engine finds there what may have run.
bool WarmRunner::takeEntry(const Process& process, std::uint32_t place) {
    Request& request = requests_[place];
    // A ring is full while the journal does not keep up: another has room, or it waits for an acknowledgement.
    for (unsigned tried = 0; tried < kEntrySlots && !request.hasEntry; ++tried) {
        request.entrySlot = SlotId(nextEntrySlot_++ % kEntrySlots);
        const auto index = entries_.take(request.entrySlot, request.id);
        if (index) entries_.setCloned(request.entrySlot, *index, process.pid);
        request.hasEntry = index.has_value();
        if (index && request.call.once && config_.durable) request.mark = ++marked_;
    }
    starved_ = starved_ || !request.hasEntry;
    return request.hasEntry;
}

/// One that may not begin a second time is not sent before its entry is on the disk: a power cut may follow.
bool WarmRunner::isMarked(std::uint32_t place) {
    if (requests_[place].mark <= synced_) return true;
    if (syncing_ == 0) {
        syncing_ = marked_;
        host_.syncEntries();
    }
    return false;
}

void WarmRunner::entriesSynced(const Result<void>& synced) {
    YARD_ASSERT_OWNER(owner_);
    const std::uint64_t upTo = std::exchange(syncing_, 0);
    if (synced) synced_ = std::max(synced_, upTo);
    const MonoTime now = MonoClock::now();
    std::vector<Process*> all;
    for (const auto& [number, process] : processes_) all.push_back(process.get());
    for (Process* process : all) {
        const std::deque<std::uint32_t> unsent = process->unsent;
        for (const std::uint32_t place : unsent) {
            if (synced || requests_[place].mark == 0 || requests_[place].mark > upTo) continue;
            dropFrom(*process, place);
            pool_.close(process->inPool, false, now, out_);
            fail(place, EndCause::SpawnError, "that it begins could not be kept: " + synced.error().message);
        }
        feed(*process, now);
    }
    flush();
}

void WarmRunner::sendOne(Process& process, std::uint32_t place, MonoTime now) {
    Request& request = requests_[place];
    const std::string root = request.call.root;
    warm::Request frame{.id = request.wire,
                        .lsn = request.id.lsn,
                        .function = request.call.spec->function,
                        .args = request.call.spec->args,
                        .inputs = {},
                        .outputs = {}};
    std::string inputs;
    std::string outputs;
    if (!root.empty()) {
        frame.inputs = inputs = root + "/inputs";
        frame.outputs = outputs = root + "/outputs";
        request.isSoiled = true;
    }
    const std::size_t before = process.out.size();
    if (!warm::put(process.out, frame)) {
        pool_.close(process.inPool, false, now, out_);
        return fail(place, EndCause::SpawnError,
                    "its args are over 1 MiB, which a warm worker is not sent: put them into an input file");
    }
    if (!process.isDirty) {
        process.isDirty = true;
        dirty_.push_back(&process);
    }
    process.put += process.out.size() - before;
    request.endsAt = process.put;
    const double average = process.worker->function(request.call.spec->function).averageRun;
    request.isSlow = average <= 0 || average >= kShortRun;
    process.slow += request.isSlow;
    request.sentAt = now;
    if (process.lanes.size() < process.concurrency) {
        startLane(process, place, now);
    } else {
        request.state = Request::State::Ahead;
        process.ahead.push_back(place);
    }
}

void WarmRunner::startLane(Process& process, std::uint32_t place, MonoTime now) {
    Request& request = requests_[place];
    request.state = Request::State::Running;
    request.laneAt = now;
    request.lane = process.freeLanes.back();
    process.freeLanes.pop_back();
    process.lanes.push_back(place);
    untold_.push_back(request.wire);
    armAt(now + kTellStarted);
    if (request.deadline > Duration::zero()) {
        nextDeadline_ = std::min(nextDeadline_, now + request.deadline);
        armAt(nextDeadline_);
    }
    if (request.stop) { // it was cancelled while it waited for this
        process.endedForOne = true;
        process.failure = "an action it worked on was cancelled";
        broken(process, process.failure, now);
    }
}

// --- time

void WarmRunner::armAt(MonoTime at) {
    if (at >= armed_) return;
    armed_ = at;
    itimerspec when{};
    const auto micros = std::max<std::int64_t>(at.time_since_epoch().count(), 1);
    when.it_value.tv_sec = micros / 1'000'000;
    when.it_value.tv_nsec = micros % 1'000'000 * 1'000;
    ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void WarmRunner::tellStarted(MonoTime now) {
    std::erase_if(untold_, [&](std::uint64_t wire) {
        Request& request = requests_[placeOf(wire)];
        if (request.wire != wire || request.state != Request::State::Running || request.told) return true;
        if (now - request.laneAt < kTellStarted) return false;
        request.told = true;
        updates_.push_back(Update{request.id, Started{request.entrySlot,
                                                      request.process->pid,
                                                      {request.sentAt, request.laneAt, MonoTime{}, MonoTime{}},
                                                      *request.process->firstLane + request.lane}});
        return true;
    });
    if (!untold_.empty()) armAt(now + kTellStarted);
}

/// It is idle from now on.
void WarmRunner::scheduleClean(const Process& process, MonoTime now) {
    const Duration most = process.worker->descriptor->pool.maxIdle.value_or(pool_.options().maxIdle);
    if (most <= Duration::zero() || now + most >= nextClean_) return;
    nextClean_ = now + most;
    armAt(nextClean_);
}

/// One that has passed ends the process, and is what it ends for.
void WarmRunner::lookAtDeadlines(Process& process, MonoTime now) {
    for (const std::uint32_t place : process.lanes) {
        const Request& request = requests_[place];
        if (request.isOverdue(now))
            process.endedForOne = true;
        else if (request.deadline > Duration::zero())
            nextDeadline_ = std::min(nextDeadline_, request.laneAt + request.deadline);
    }
    if (process.endedForOne && process.phase == Process::Phase::Live)
        broken(process, "the deadline of an action it worked on passed", now);
}

/// Where other work waits for cores, a process that had them for its turn gets no more requests, so that it comes
/// to the end of those it has and gives them back; what it was not sent goes elsewhere. Where that takes long,
/// those that wait behind are served meanwhile: the cores are in use in any case. Then it yields again, for longer.
WarmRunner::Process::Turn WarmRunner::Process::nextTurn(MonoTime now, bool hasOld) const {
    switch (turn) {
    case Turn::Serving: return now - heldSince >= kTurn ? Turn::Yielding : Turn::Serving;
    case Turn::Yielding: return now - yieldsSince >= yieldsFor ? Turn::Sharing : Turn::Yielding;
    case Turn::Sharing: break;
    }
    return hasOld ? Turn::Sharing : Turn::Yielding;
}

void WarmRunner::takeTurns(Process& process, bool isCrowded, MonoTime now) {
    using Turn = Process::Turn;
    if (process.phase != Process::Phase::Live) return;
    process.gaveWay = false;
    if (!process.holdsCores) return feed(process, now);
    const bool hasOld = std::ranges::any_of(
        process.lanes, [&](std::uint32_t place) { return requests_[place].laneAt < process.yieldsSince; });
    const Turn turn = isCrowded ? process.nextTurn(now, hasOld) : Turn::Serving;
    const bool hasTurn = turn == Turn::Serving && now < process.heldSince + kTurn;
    armAt(hasTurn ? process.heldSince + kTurn : now + (turn == Turn::Serving ? kTurn : kYieldLook));
    if (process.turn == turn) return;
    if (turn == Turn::Yielding) process.yieldsSince = now;
    if (turn == Turn::Sharing) process.yieldsFor *= 2;
    process.turn = turn;
    if (process.alone) return feed(process, now); // paused for that, and it is what it has or waits for
    pool_.setPaused(process.inPool, process.yields(), now, out_);
    process.yields() ? unsentElsewhere(process, false, now) : feed(process, now);
}

void WarmRunner::tick(MonoTime now) {
    tellStarted(now);
    const bool deadlines = now >= nextDeadline_;
    if (deadlines) nextDeadline_ = MonoTime::max();
    const bool isCrowded = host_.isCrowded();
    std::vector<Process*> all;
    for (const auto& [number, process] : processes_) all.push_back(process.get());
    for (Process* process : all) {
        if (now >= process->killAt) {
            lookAtEnd(*process, now);
        } else if (process->killAt != MonoTime::max()) {
            armAt(process->killAt);
        }
        if (process->phase == Process::Phase::Launched && now >= process->readyBy)
            broken(*process, fmt::format("it was not ready within {} s", config_.spawnLimit.count() / 1'000'000),
                   now);
        else if (process->phase == Process::Phase::Launched)
            armAt(process->readyBy);
        if (now >= process->asksAt)
            askForRoom(*process, now);
        else
            armAt(process->asksAt);
        if (deadlines) lookAtDeadlines(*process, now);
        takeTurns(*process, isCrowded, now);
    }
    armAt(nextDeadline_);
    if (now >= nextClean_) nextClean_ = pool_.clean(now, out_).value_or(MonoTime::max());
    armAt(nextClean_);
    (void)pool_.retrySpawns(now, out_); // what is left to retry is armed once this is carried out
}

} // namespace yard::runners

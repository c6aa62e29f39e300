#include "core/launcher/launcher_spawner.h"

#include "core/host/idle_priority.h"
#include "core/launcher/process_end.h"
#include "core/locks/named_lock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners {
namespace {

// A child that ends sooner never has its pipes in the epoll: they are read once, at the end.
constexpr Duration kRegisterAfter{5'000};
// No two starts of a launcher have the same number.
constexpr unsigned kStartNumberBits = 40;

} // namespace

/// Why a lease cannot have its locks: one is busy, or one cannot be used.
struct Spawner::Refusal {
    LockBusy busy;
    SpawnFailure failure;
};

Spawner::Spawner(LauncherShared& shared, unsigned index, unsigned count)
    : shared_(shared)
    , inbox_(epoll_)
    , starts_(StartWatch::Number{index} << kStartNumberBits)
    , starter_(shared, starts_)
    , output_(epoll_, shared.pump, [this](OutputReader::StreamDone done) { post(std::move(done)); })
    , workspace_(std::make_shared<StartWorkspace>())
    , index_(index) {
    for (unsigned slot = index; slot < shared.slots.slots(); slot += count) {
        auto child = std::make_shared<SlotChild>();
        child->slot = SlotId(slot);
        child->index = children_.size();
        child->err.stream = Stream::Err;
        children_.push_back(std::move(child));
    }
    thread_ = std::thread([this] { drive(); });
}

Spawner::~Spawner() {
    stop();
}

void Spawner::stop() {
    if (!thread_.joinable()) return;
    post(Stop{});
    thread_.join();
}

void Spawner::run() {
    for (;;) {
        std::ranges::move(inbox_.take(), std::back_inserter(messages_));
        while (!messages_.empty()) {
            // Out of the queue before anything starts: a thread that takes over finds what was not handled.
            Message message = std::move(messages_.front());
            messages_.pop_front();
            handle(std::move(message));
        }
        if (stopping_) return;
        startIdle();
        while (hasMarked_) beginMarked();
        shared_.updates.flushIfDue(MonoClock::now());
        for (const epoll_event& event : epoll_.wait(std::min(nextTimer(), shared_.updates.flushAt())))
            handleEvent(ChildEvent(event.data.u64));
        const MonoTime now = MonoClock::now();
        for (const auto& child : children_)
            if (child->registerAt <= now) output_.watchPipes(*child);
        shared_.updates.flushIfDue(now);
    }
}

MonoTime Spawner::nextTimer() const {
    MonoTime at = MonoTime::max();
    for (const auto& child : children_) at = std::min(at, child->registerAt);
    return at;
}

SlotChild* Spawner::childOf(SlotId slot, AttemptId id) {
    for (const auto& child : children_)
        if (child->slot == slot && child->phase != SlotChild::Phase::Idle && child->lease.id == id)
            return child.get();
    return nullptr;
}

void Spawner::handle(Message message) {
    if (std::holds_alternative<Stop>(message)) {
        stopping_ = true;
    } else if (auto* gone = std::get_if<TreeGone>(&message)) {
        SlotChild* child = childOf(gone->slot, gone->id);
        if (!child || child->phase != SlotChild::Phase::WaitTree) return;
        child->ended.hadSurvivors = gone->hadSurvivors;
        if (auto next = afterTree(*child)) runChain(*child, std::move(*next));
    } else if (auto* done = std::get_if<OutputReader::StreamDone>(&message)) {
        SlotChild* child = childOf(done->slot, done->id);
        if (!child) return;
        OutputReader::take(child->flow(done->stream), std::move(done->result));
        if (auto next = finishIfComplete(*child)) runChain(*child, std::move(*next));
    } else if (auto* watch = std::get_if<Watch>(&message)) {
        if (SlotChild* child = childOf(watch->slot, watch->id))
            output_.watch(*child, child->flow(watch->stream), watch->on);
    } else if (const auto* ask = std::get_if<AskOutput>(&message)) {
        tellOutput(*ask);
    } else if (std::holds_alternative<KeepOutput>(message)) {
        keepOutput();
    } else {
        // Wake: a lease, or a free entry in the slots file.
        for (const auto& child : children_) child->heldBack = false;
    }
}

/// Of one that keeps the end of its output, the pump has both streams from the start to the end.
void Spawner::tellOutput(const AskOutput& ask) {
    const SlotChild* child = childOf(ask.slot, ask.id);
    if (child && child->lease.keepsLast)
        shared_.pump.post(Pump::Tell{ask.id, child->pumpKey(child->out), child->pumpKey(child->err)});
    else // not begun, or over: then its Ended is on its way already
        shared_.updates.put(ask.id, OutputEnds{});
}

void Spawner::keepOutput() {
    for (const auto& child : children_)
        for (OutputFlow* flow : child->flows()) output_.toPump(*child, *flow, false);
    shared_.pump.post(Pump::KeepAll{shared_.outputKept});
}

void Spawner::handleEvent(const ChildEvent& event) {
    if (event.child >= children_.size()) return;
    SlotChild& child = *children_[event.child];
    if (child.generation != event.generation || child.phase == SlotChild::Phase::Idle) return;
    if (event.kind != EventKind::Exit)
        output_.read(child, event.kind == EventKind::Out ? child.out : child.err);
    else if (child.phase == SlotChild::Phase::Running)
        onExit(child);
}

void Spawner::startIdle() {
    for (const auto& child : children_) {
        if (child->phase != SlotChild::Phase::Idle || child->heldBack) continue;
        if (auto lease = shared_.board.takeNext(child->slot)) runChain(*child, std::move(*lease));
    }
}

void Spawner::runChain(SlotChild& child, Lease lease) {
    // A start that fails ends its attempt at once and gives the next lease; so may a row of them.
    for (std::optional<Lease> next = std::move(lease); next;) next = start(child, std::move(*next));
}

std::optional<Lease> Spawner::start(SlotChild& child, Lease lease) {
    const auto ring = shared_.slots.take(child.slot, lease.id);
    if (!ring) {
        child.heldBack = true;
        shared_.board.putBack(child.slot, std::move(lease));
        return {};
    }
    child.ring = *ring;
    child.lease = std::move(lease);
    ++child.generation;
    child.ended = Ended{};
    child.ended.slot = child.slot;
    child.ended.times.submitting = child.lease.begun; // on a busy machine this thread may be late by now
    OutputReader::reset(child);

    if (auto refused = takeLocks(child)) return refuse(child, std::move(*refused));
    if (!child.lease.once || !shared_.durable) return begin(child);
    child.phase = SlotChild::Phase::Marked;
    hasMarked_ = true;
    return {};
}

/// One sync for all that came together.
void Spawner::beginMarked() {
    hasMarked_ = false;
    const Result<void> synced = shared_.slots.sync();
    for (const auto& child : children_) {
        if (child->phase != SlotChild::Phase::Marked) continue;
        auto next = synced ? begin(*child)
                           : fail(*child, {.step = SpawnStep::Mark,
                                           .err = synced.error().sysErrno,
                                           .message = "it may begin only once, and that it does could not be "
                                                      "written down: " +
                                                      synced.error().message});
        if (next) runChain(*child, std::move(*next));
    }
}

std::optional<Lease> Spawner::begin(SlotChild& child) {
    // Behind everything that may take long: the machine may have slept since this was leased.
    const bool isGuest = child.lease.guestGroup != 0; // others cost no lock and no clock
    if (isGuest && !shared_.board.mayBegin(child.lease, bootNow())) return refuseLate(child);
    starting_ = children_[child.index];
    const std::shared_ptr<SlotChild> kept = starting_; // a thread that is left behind has it alone
    child.workspace = workspace_;
    child.start = starts_.enter(child.lease.id);
    SpawnFailure failure = starter_.start(child);
    StartWatch::Left left = starts_.leave(child.start);
    if (left == StartWatch::Left::GivenUp) {
        if (failure.step == SpawnStep::None) starter_.endProcess(child);
        failure = starter_.givenUp(child, ProgramStarter::blameFor(child, child.looksAt));
        if (!starts_.close(child.start)) left = StartWatch::Left::LeftBehind;
    } else if (left == StartWatch::Left::LeftBehind && failure.step == SpawnStep::None) {
        starter_.endProcess(child);
    }
    if (left == StartWatch::Left::LeftBehind) {
        shared_.silent->leave(child.start);
        throw LeftBehind{};
    }
    starting_.reset();
    if (failure.step != SpawnStep::None) return fail(child, std::move(failure));

    // Only now: at that priority its own start, which this thread waits for, might take long.
    // By then it may have children.
    if (child.lease.idlePriority) host::lowerTree(child.pid);
    shared_.slots.setCloned(child.slot, child.ring, child.pid);
    child.phase = SlotChild::Phase::Running;
    child.ended.times.running = MonoClock::now();
    child.pidfdRegistered = epoll_.add(child.pidfd.get(), EPOLLIN, ChildEvent(EventKind::Exit, child).key());
    child.registerAt = child.ended.times.running + kRegisterAfter;
    const SlotView view = shared_.board.started(child.slot, child.pid, child.pidfd.get(),
                                                Started{child.slot, child.pid, child.ended.times});
    if (view.wardened) shared_.tellWarden(child.slot, child.lease.id, false);
    if (child.lease.watchOut || child.lease.keepsLast) output_.toPump(child, child.out, child.lease.watchOut);
    if (child.lease.watchErr || child.lease.keepsLast) output_.toPump(child, child.err, child.lease.watchErr);
    return {};
}

std::optional<Lease> Spawner::refuse(SlotChild& child, Refusal refusal) {
    if (refusal.failure.step != SpawnStep::None) return fail(child, std::move(refusal.failure));
    shared_.slots.giveBack(child.slot, child.ring);
    return shared_.board.lockBusy(child.slot, child.lease.id, refusal.busy);
}

std::optional<Lease> Spawner::refuseLate(SlotChild& child) {
    shared_.slots.giveBack(child.slot, child.ring);
    OutputReader::drop(child);
    child.terminal.reset();
    child.locks.clear();
    child.phase = SlotChild::Phase::Idle;
    return shared_.board.refused(child.slot, child.lease.id);
}

std::optional<Spawner::Refusal> Spawner::takeLocks(SlotChild& child) {
    if (child.lease.locks.empty()) return {};
    locks::LockHolder holder;
    holder.pid = shared_.enginePid;
    holder.engineId = shared_.ownerToken;
    holder.dataDir = shared_.dataDir;
    // A process of the warm pool is no action: it is named by its engine, and holds them as long as it lives.
    if (!isWarmProcess(child.lease.id)) holder.lsn = child.lease.id.lsn;
    holder.since = wallNow();
    holder.deadline = child.lease.deadline;
    Result<locks::Claimed> claimed =
        shared_.lockDir.empty()
            ? yard::fail(ErrorKind::Io, "its locks cannot be taken: there is no directory for locks")
            : locks::tryTakeAll(shared_.lockDir, child.lease.locks, holder);
    if (!claimed)
        return Refusal{{}, {SpawnStep::Lock, claimed.error().sysErrno, shared_.lockDir, claimed.error().message}};
    if (!claimed->busy.empty()) return Refusal{{std::move(claimed->busy), std::move(claimed->holder)}, {}};
    child.locks = std::move(claimed->locks);
    return {};
}

std::optional<Lease> Spawner::fail(SlotChild& child, SpawnFailure failure) {
    shared_.slots.giveBack(child.slot, child.ring);
    OutputReader::drop(child);
    child.terminal.reset();
    child.locks.clear();
    child.phase = SlotChild::Phase::Idle;
    child.ended.cause = EndCause::SpawnError;
    child.ended.spawn = std::move(failure);
    child.ended.times.ended = MonoClock::now();
    return shared_.board.finish(child.slot, child.lease.id, std::move(child.ended), true);
}

bool Spawner::hasOrphans() {
    // Whoever survives the first process hangs below a child of the main thread now: its parent's end moved it
    // there before that end could be seen.
    char byte = 0;
    return ::pread(shared_.orphansFd, &byte, 1, 0) > 0;
}

void Spawner::onExit(SlotChild& child) {
    if (!collectExit(child, shared_)) return; // a stale event
    if (child.pidfdRegistered) epoll_.remove(child.pidfd.get());
    child.pidfdRegistered = false;
    if (shared_.board.exited(child.slot, hasOrphans())) {
        child.phase = SlotChild::Phase::WaitTree;
        shared_.tellWarden(child.slot, child.lease.id, true);
        return;
    }
    if (auto next = afterTree(child)) runChain(child, std::move(*next));
}

std::optional<Lease> Spawner::afterTree(SlotChild& child) {
    child.phase = SlotChild::Phase::WaitStreams;
    child.registerAt = MonoTime::max();
    output_.finish(child);
    return finishIfComplete(child);
}

std::optional<Lease> Spawner::finishIfComplete(SlotChild& child) {
    if (child.phase != SlotChild::Phase::WaitStreams || !OutputReader::isComplete(child)) return {};
    child.locks.clear(); // before anybody hears that it ended: the next claimant must find them free
    child.terminal.reset();
    child.phase = SlotChild::Phase::Idle;
    child.ended.out = std::move(child.out.result);
    child.ended.err = std::move(child.err.result);
    child.ended.times.ended = MonoClock::now();
    auto next = shared_.board.finish(child.slot, child.lease.id, std::move(child.ended), child.lease.hurry);
    // Only now, when the board no longer hands it out.
    child.pidfd.reset();
    return next;
}

} // namespace yard::runners

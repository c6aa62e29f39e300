#include "core/runners/launcher_spawner.h"

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/locks/named_lock.h"
#include "core/runners/launcher_child.h"
#include "core/runners/process_tree.h"
#include "core/runners/recovery.h"

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
constexpr std::size_t kReadAtOnce = 64u << 10;
// No two starts of a launcher have the same number.
constexpr unsigned kStartNumberBits = 40;

enum class EventKind : std::uint64_t { Exit = 0, Out = 1, Err = 2 };
// A generation in the key, because an event may still come for a descriptor that is closed.
std::uint64_t eventKey(EventKind kind, std::size_t child, std::uint32_t generation) {
    return (std::to_underlying(kind) << 62) | (std::uint64_t{generation} << 16) | child;
}

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
    , buffer_(kReadAtOnce)
    , workspace_(std::make_shared<Workspace>())
    , index_(index) {
    for (unsigned slot = index; slot < shared.slots.slots(); slot += count) {
        auto child = std::make_shared<Child>();
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
        startIdle(MonoClock::now());
        while (hasMarked_) beginMarked();
        shared_.board.flushIfDue(MonoClock::now());
        for (const epoll_event& event : epoll_.wait(std::min(nextTimer(), shared_.board.flushAt())))
            handleEvent(event.data.u64);
        const MonoTime now = MonoClock::now();
        for (const auto& child : children_)
            if (child->registerAt <= now) registerPipes(*child);
        shared_.board.flushIfDue(now);
    }
}

MonoTime Spawner::nextTimer() const {
    MonoTime at = MonoTime::max();
    for (const auto& child : children_) at = std::min(at, child->registerAt);
    return at;
}

Spawner::Child* Spawner::childOf(SlotId slot, AttemptId id) {
    for (const auto& child : children_)
        if (child->slot == slot && child->phase != Child::Phase::Idle && child->lease.id == id) return child.get();
    return nullptr;
}

void Spawner::handle(Message message) {
    if (std::holds_alternative<Stop>(message)) {
        stopping_ = true;
    } else if (auto* gone = std::get_if<TreeGone>(&message)) {
        Child* child = childOf(gone->slot, gone->id);
        if (!child || child->phase != Child::Phase::WaitTree) return;
        child->ended.hadSurvivors = gone->hadSurvivors;
        if (auto next = afterTree(*child)) runChain(*child, std::move(*next));
    } else if (auto* done = std::get_if<StreamDone>(&message)) {
        Child* child = childOf(done->slot, done->id);
        if (!child) return;
        Flow& flow = done->stream == Stream::Out ? child->out : child->err;
        flow.where = Flow::Where::Closed;
        flow.result = std::move(done->result);
        if (auto next = finishIfComplete(*child)) runChain(*child, std::move(*next));
    } else if (auto* watch = std::get_if<Watch>(&message)) {
        Child* child = childOf(watch->slot, watch->id);
        if (!child) return;
        Flow& flow = watch->stream == Stream::Out ? child->out : child->err;
        if (flow.where == Flow::Where::Pumped)
            shared_.pump.post(Pump::Watch{child->pumpKey(flow), watch->on});
        else if (flow.where == Flow::Where::Here && watch->on)
            toPump(*child, flow, true);
    } else if (const auto* ask = std::get_if<AskOutput>(&message)) {
        tellOutput(*ask);
    } else {
        // Wake: a lease, or a free entry in the slots file.
        for (const auto& child : children_) child->heldBack = false;
    }
}

/// Of one that keeps the end of its output, the pump has both streams from the start to the end.
void Spawner::tellOutput(const AskOutput& ask) {
    const Child* child = childOf(ask.slot, ask.id);
    if (child && child->lease.keepsLast)
        shared_.pump.post(Pump::Tell{ask.id, child->pumpKey(child->out), child->pumpKey(child->err)});
    else // not begun, or over: then its Ended is on its way already
        shared_.board.outputEnds(ask.id, {});
}

void Spawner::handleEvent(std::uint64_t key) {
    const std::size_t index = key & 0xffff;
    const auto generation = static_cast<std::uint32_t>(key >> 16);
    if (index >= children_.size()) return;
    Child& child = *children_[index];
    if (child.generation != generation || child.phase == Child::Phase::Idle) return;
    switch (static_cast<EventKind>(key >> 62)) {
    case EventKind::Exit:
        if (child.phase == Child::Phase::Running) onExit(child);
        break;
    case EventKind::Out:
    case EventKind::Err: {
        Flow& flow = static_cast<EventKind>(key >> 62) == EventKind::Out ? child.out : child.err;
        if (flow.where != Flow::Where::Here) break;
        const bool isEmpty = drain(child, flow, kReadAtOnce) == 0;
        // A terminal that was hung up says so; else it may have nothing for a moment.
        if (isEmpty && flow.registered && (!flow.isTerminal || errno == EIO)) {
            // Closed by its writers while the action goes on: level-triggered, it would be reported for ever.
            epoll_.remove(flow.pipe.get());
            flow.registered = false;
        }
        break;
    }
    }
}

void Spawner::startIdle(MonoTime now) {
    for (const auto& child : children_) {
        if (child->phase != Child::Phase::Idle || child->heldBack) continue;
        if (auto lease = shared_.board.takeNext(child->slot, now)) runChain(*child, std::move(*lease));
    }
}

void Spawner::runChain(Child& child, Lease lease) {
    // A start that fails ends its attempt at once and gives the next lease; so may a row of them.
    for (std::optional<Lease> next = std::move(lease); next;) next = start(child, std::move(*next));
}

std::optional<Lease> Spawner::start(Child& child, Lease lease) {
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
    child.ended.times.submitting = MonoClock::now();
    for (Flow* flow : child.flows()) {
        flow->kept.clear();
        flow->result = StreamResult{};
    }

    if (auto refused = takeLocks(child)) return refuse(child, std::move(*refused));
    if (!child.lease.once || !shared_.durable) return begin(child);
    child.phase = Child::Phase::Marked;
    hasMarked_ = true;
    return {};
}

/// One sync for all that came together.
void Spawner::beginMarked() {
    hasMarked_ = false;
    const Result<void> synced = shared_.slots.sync();
    for (const auto& child : children_) {
        if (child->phase != Child::Phase::Marked) continue;
        auto next = synced ? begin(*child)
                           : fail(*child, {.step = SpawnStep::Mark,
                                           .err = synced.error().sysErrno,
                                           .message = "it may begin only once, and that it does could not be "
                                                      "written down: " +
                                                      synced.error().message});
        if (next) runChain(*child, std::move(*next));
    }
}

std::optional<Lease> Spawner::begin(Child& child) {
    starting_ = children_[child.index];
    const std::shared_ptr<Child> kept = starting_; // a thread that is left behind has it alone
    child.workspace = workspace_;
    child.start = starts_.enter(child.lease.id);
    SpawnFailure failure = tryToStart(child);
    StartWatch::Left left = starts_.leave(child.start);
    if (left == StartWatch::Left::GivenUp) {
        if (failure.step == SpawnStep::None) endProcess(child);
        const Blame blame = blameFor(child, child.looksAt);
        failure = givenUp(child, blame);
        if (!starts_.close(child.start)) left = StartWatch::Left::LeftBehind;
    } else if (left == StartWatch::Left::LeftBehind && failure.step == SpawnStep::None) {
        endProcess(child);
    }
    if (left == StartWatch::Left::LeftBehind) {
        shared_.silent->leave(child.start);
        throw LeftBehind{};
    }
    starting_.reset();
    if (failure.step != SpawnStep::None) return fail(child, std::move(failure));

    shared_.slots.setCloned(child.slot, child.ring, child.pid);
    child.phase = Child::Phase::Running;
    child.ended.times.running = MonoClock::now();
    child.pidfdRegistered =
        epoll_.add(child.pidfd.get(), EPOLLIN, eventKey(EventKind::Exit, child.index, child.generation));
    child.registerAt = child.ended.times.running + kRegisterAfter;
    const SlotView view = shared_.board.started(child.slot, child.pid, child.pidfd.get(),
                                                Started{child.slot, child.pid, child.ended.times});
    if (view.wardened) shared_.tellWarden(child.slot, child.lease.id, false);
    if (child.lease.watchOut || child.lease.keepsLast) toPump(child, child.out, child.lease.watchOut);
    if (child.lease.watchErr || child.lease.keepsLast) toPump(child, child.err, child.lease.watchErr);
    return {};
}

std::optional<Lease> Spawner::refuse(Child& child, Refusal refusal) {
    if (refusal.failure.step != SpawnStep::None) return fail(child, std::move(refusal.failure));
    shared_.slots.giveBack(child.slot, child.ring);
    return shared_.board.lockBusy(child.slot, child.lease.id, refusal.busy);
}

std::optional<Spawner::Refusal> Spawner::takeLocks(Child& child) {
    if (child.lease.locks.empty()) return {};
    locks::LockHolder holder;
    holder.pid = shared_.enginePid;
    holder.engineId = shared_.ownerToken;
    holder.dataDir = shared_.dataDir;
    holder.lsn = child.lease.id.lsn;
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

std::optional<Lease> Spawner::fail(Child& child, SpawnFailure failure) {
    shared_.slots.giveBack(child.slot, child.ring);
    for (Flow* flow : child.flows()) {
        flow->pipe.reset();
        flow->where = Flow::Where::Closed;
    }
    child.terminal.reset();
    child.locks.clear();
    child.phase = Child::Phase::Idle;
    child.ended.cause = EndCause::SpawnError;
    child.ended.spawn = std::move(failure);
    child.ended.times.ended = MonoClock::now();
    return shared_.board.finish(child.slot, child.lease.id, std::move(child.ended), true);
}

void Spawner::registerPipes(Child& child) {
    child.registerAt = MonoTime::max();
    if (child.phase == Child::Phase::Idle) return;
    for (Flow* flow : child.flows()) {
        if (flow->where != Flow::Where::Here || flow->registered) continue;
        const EventKind kind = flow->stream == Stream::Out ? EventKind::Out : EventKind::Err;
        flow->registered = epoll_.add(flow->pipe.get(), EPOLLIN, eventKey(kind, child.index, child.generation));
    }
}

/// How much it read.
std::size_t Spawner::drain(Child& child, Flow& flow, std::size_t limit) {
    std::size_t all = 0;
    while (flow.where == Flow::Where::Here && all < limit) {
        const std::size_t got =
            readWaiting({flow.pipe.get(), flow.isTerminal}, buffer_.data(), std::min(buffer_.size(), limit - all));
        if (got == 0) break;
        all += got;
        flow.kept.append(buffer_.data(), got);
        // A flood is the pump's: a spawner has other children.
        if (flow.kept.size() > kInlineStreamBytes) toPump(child, flow, false);
    }
    return all;
}

void Spawner::toPump(Child& child, Flow& flow, bool watched) {
    if (flow.where != Flow::Where::Here) return;
    if (flow.registered) epoll_.remove(flow.pipe.get());
    flow.registered = false;
    flow.where = Flow::Where::Pumped;
    Pump::Adopt adopt;
    adopt.key = child.pumpKey(flow);
    adopt.id = child.lease.id;
    adopt.stream = flow.stream;
    adopt.pipe = std::move(flow.pipe);
    adopt.isTerminal = flow.isTerminal;
    adopt.head = std::move(flow.kept);
    flow.kept.clear();
    adopt.limit = child.lease.streamBytes;
    adopt.watched = watched;
    adopt.keepsLast = child.lease.keepsLast;
    adopt.done = [this, slot = child.slot, id = child.lease.id, stream = flow.stream](StreamResult result) {
        post(StreamDone{slot, id, stream, std::move(result)});
    };
    shared_.pump.post(std::move(adopt));
}

void Spawner::closeFlow(Flow& flow) {
    if (flow.registered) epoll_.remove(flow.pipe.get());
    flow.registered = false;
    flow.pipe.reset();
    flow.where = Flow::Where::Closed;
    flow.result.size = flow.kept.size();
    if (!flow.kept.empty()) flow.result.hash = Sha256::of(flow.kept); // here, so that the engine's thread need not
    flow.result.bytes = std::move(flow.kept);
    flow.kept.clear();
}

/// False when it still runs.
bool Spawner::collectExit(Child& child) {
    siginfo_t info{};
    rusage usage{};
    // The raw call, because glibc's does not give the usage.
    long r = 0;
    do r = ::syscall(SYS_waitid, P_PIDFD, child.pidfd.get(), &info, WEXITED | WNOHANG, &usage);
    while (r != 0 && errno == EINTR);
    if (r == 0 && info.si_pid == 0) return false;
    child.ended.times.exited = MonoClock::now();
    if (r != 0) {
        logError("runners", "the end of process {} (action {}) could not be read: {}", child.pid,
                 child.lease.id.lsn.value, std::strerror(errno));
        return true;
    }
    if (info.si_code == CLD_EXITED)
        child.ended.exitCode = info.si_status;
    else
        child.ended.signal = info.si_status;
    const TreeUsage own = usageOf(usage);
    child.ended.cpuSeconds = own.cpuSeconds;
    child.ended.maxRssBytes = own.maxRssBytes;
    if (child.records) takeRecords(child);
    return true;
}

bool Spawner::hasOrphans() {
    // Whoever survives the first process hangs below a child of the main thread now: its parent's end moved it
    // there before that end could be seen.
    char byte = 0;
    return ::pread(shared_.orphansFd, &byte, 1, 0) > 0;
}

void Spawner::onExit(Child& child) {
    if (!collectExit(child)) return; // a stale event
    if (child.pidfdRegistered) epoll_.remove(child.pidfd.get());
    child.pidfdRegistered = false;
    if (shared_.board.exited(child.slot, hasOrphans())) {
        child.phase = Child::Phase::WaitTree;
        shared_.tellWarden(child.slot, child.lease.id, true);
        return;
    }
    if (auto next = afterTree(child)) runChain(child, std::move(*next));
}

std::optional<Lease> Spawner::afterTree(Child& child) {
    child.phase = Child::Phase::WaitStreams;
    child.registerAt = MonoTime::max();
    for (Flow* flow : child.flows()) {
        // What is there, not until the end of file: somebody unknown may hold the other end.
        if (flow->where == Flow::Where::Here) drain(child, *flow, kMaxLeftover);
        if (flow->where == Flow::Where::Here)
            closeFlow(*flow);
        else if (flow->where == Flow::Where::Pumped)
            shared_.pump.post(Pump::Finish{child.pumpKey(*flow)});
    }
    return finishIfComplete(child);
}

std::optional<Lease> Spawner::finishIfComplete(Child& child) {
    if (child.phase != Child::Phase::WaitStreams) return {};
    for (const Flow* flow : child.flows())
        if (flow->where != Flow::Where::Closed) return {};
    child.locks.clear(); // before anybody hears that it ended: the next claimant shall find them free
    child.terminal.reset();
    child.phase = Child::Phase::Idle;
    child.ended.out = std::move(child.out.result);
    child.ended.err = std::move(child.err.result);
    child.ended.times.ended = MonoClock::now();
    auto next = shared_.board.finish(child.slot, child.lease.id, std::move(child.ended), child.lease.hurry);
    // Only now, when the board no longer hands it out.
    child.pidfd.reset();
    return next;
}

} // namespace yard::runners

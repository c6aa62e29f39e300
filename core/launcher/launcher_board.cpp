#include "core/launcher/launcher_board.h"

#include <algorithm>
#include <cassert>
#include <fcntl.h>
#include <sys/eventfd.h>

namespace yard::runners {

Measures measuresOf(const rusage& usage) {
    const auto micros = [](const timeval& t) { return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_usec; };
    Measures measures;
    measures[Measure::CpuTime] = micros(usage.ru_utime) + micros(usage.ru_stime);
    measures[Measure::PeakMemory] = std::int64_t{usage.ru_maxrss} * 1024;
    constexpr std::int64_t kBlock = 512; // whatever the file system's is: getrusage(2)
    measures[Measure::DiskBytes] = (std::int64_t{usage.ru_inblock} + usage.ru_oublock) * kBlock;
    return measures;
}

Board::Board(UpdateSender& updates, int mainWakeFd, Limits limits)
    : updates_(updates)
    , mainWakeFd_(mainWakeFd)
    , limits_(limits)
    , slots_(limits.slots) {
    for (unsigned i = 0; i < limits.slots; ++i) slots_[i].view.slot = SlotId(i);
}

Board::Added Board::add(Lease lease) {
    const ThreadLock lock(mutex_);
    if (lease.slot.value >= slots_.size()) return Added::Refused;
    Slot& slot = at(lease.slot);
    // Twice, because a lease moved here counts for another slot until the engine has read so.
    if (slot.waiting.size() >= 2 * kLeasesPerSlot) return Added::Refused;
    if (stopping_) {
        updates_.putReturned(lease.id);
        return Added::Waits;
    }
    slot.waiting.push_back(std::move(lease));
    return slot.view.phase == SlotPhase::Idle ? Added::SlotIdle : Added::Waits;
}

bool Board::takeBack(AttemptId id) {
    const ThreadLock lock(mutex_);
    for (Slot& slot : slots_) {
        if (slot.view.phase == SlotPhase::Starting && slot.view.id == id) slot.backRequested = true;
        const auto it = std::ranges::find(slot.waiting, id, &Lease::id);
        if (it == slot.waiting.end()) continue;
        slot.waiting.erase(it);
        updates_.putReturned(id);
        return true;
    }
    return false;
}

void Board::takeBackAll() {
    const ThreadLock lock(mutex_);
    for (Slot& slot : slots_) {
        for (const Lease& lease : slot.waiting) updates_.putReturned(lease.id);
        slot.waiting.clear();
    }
}

void Board::stop() {
    const ThreadLock lock(mutex_);
    stopping_ = true;
}

std::optional<SlotView> Board::ward(AttemptId id, EndCause cause, std::optional<Duration> grace) {
    const ThreadLock lock(mutex_);
    for (Slot& slot : slots_) {
        SlotView& v = slot.view;
        if (v.phase == SlotPhase::Idle || v.id != id) continue;
        // Exited and not warded: its Ended is as good as written.
        if (v.phase == SlotPhase::Exited && !v.wardened) return {};
        goOn(v, MonoClock::now());
        if (!v.cause) v.cause = cause;
        if (grace && *grace >= Duration::zero()) v.grace = std::min(v.grace, *grace);
        v.wardened = true;
        SlotView copy = v;
        copy.pidfd = v.pidfd >= 0 ? ::fcntl(v.pidfd, F_DUPFD_CLOEXEC, 3) : -1;
        return copy;
    }
    return {};
}

Board::Slot* Board::slotOf(AttemptId id) {
    const auto isIt = [id](const Slot& slot) { return slot.view.phase != SlotPhase::Idle && slot.view.id == id; };
    const auto at = std::ranges::find_if(slots_, isIt);
    return at == slots_.end() ? nullptr : &*at;
}

std::optional<SlotView> Board::freeze(AttemptId id, MonoTime now) {
    const ThreadLock lock(mutex_);
    Slot* slot = slotOf(id);
    if (!slot || slot->view.phase != SlotPhase::Live || slot->view.cause || slot->view.frozenAt) return {};
    slot->view.frozenAt = now;
    SlotView copy = slot->view;
    copy.pidfd = ::fcntl(copy.pidfd, F_DUPFD_CLOEXEC, 3);
    return copy;
}

bool Board::tellFrozen(AttemptId id) {
    const ThreadLock lock(mutex_);
    const Slot* slot = slotOf(id);
    if (!slot || !slot->view.frozenAt) return false;
    updates_.put(id, Frozen{.isFrozen = true, .at = *slot->view.frozenAt});
    return true;
}

bool Board::thaw(AttemptId id, MonoTime now) {
    const ThreadLock lock(mutex_);
    Slot* slot = slotOf(id);
    if (!slot || !slot->view.frozenAt) return false;
    goOn(slot->view, now);
    return true;
}

bool Board::isFrozen(AttemptId id) {
    const ThreadLock lock(mutex_);
    const Slot* slot = slotOf(id);
    return slot && slot->view.frozenAt;
}

void Board::goOn(SlotView& view, MonoTime now) {
    if (!view.frozenAt) return;
    if (view.deadlineAt != MonoTime::max()) view.deadlineAt += now - *view.frozenAt;
    view.frozenAt.reset();
    updates_.put(view.id, Frozen{.isFrozen = false, .at = now});
    if (view.deadlineAt >= mainSleepsUntil_) return;
    mainSleepsUntil_ = view.deadlineAt;
    ::eventfd_write(mainWakeFd_, 1);
}

bool Board::watchWaiting(AttemptId id, Stream stream, bool on) {
    const ThreadLock lock(mutex_);
    for (Slot& slot : slots_) {
        const auto it = std::ranges::find(slot.waiting, id, &Lease::id);
        if (it == slot.waiting.end()) continue;
        (stream == Stream::Out ? it->watchOut : it->watchErr) = on;
        return true;
    }
    return false;
}

std::optional<SlotView> Board::look(AttemptId id) {
    const ThreadLock lock(mutex_);
    for (const Slot& slot : slots_) {
        if (slot.view.phase == SlotPhase::Idle || slot.view.id != id) continue;
        SlotView copy = slot.view;
        if (copy.pidfd >= 0) copy.pidfd = ::fcntl(copy.pidfd, F_DUPFD_CLOEXEC, 3);
        return copy;
    }
    return {};
}

std::vector<SlotView> Board::busy() {
    const ThreadLock lock(mutex_);
    std::vector<SlotView> views;
    for (const Slot& slot : slots_) {
        if (slot.view.phase == SlotPhase::Idle) continue;
        views.push_back(slot.view);
        views.back().pidfd = -1;
    }
    return views;
}

bool Board::allIdle() {
    const ThreadLock lock(mutex_);
    return std::ranges::all_of(slots_, [](const Slot& s) { return s.view.phase == SlotPhase::Idle; });
}

void Board::setMayRun(std::uint32_t guestGroup, BootTime until) {
    const ThreadLock lock(mutex_);
    guests_.set(guestGroup, until);
}

std::vector<AttemptId> Board::takeLateGuests(BootTime now) {
    const ThreadLock lock(mutex_);
    std::vector<AttemptId> alive;
    for (const std::uint32_t group : guests_.takeOver(now)) {
        for (Slot& slot : slots_) {
            const auto isOfIt = [group](const Lease& lease) { return lease.guestGroup == group; };
            for (const Lease& lease : slot.waiting) {
                if (!isOfIt(lease)) continue;
                updates_.putReturned(lease.id);
            }
            std::erase_if(slot.waiting, isOfIt);
            if (slot.view.phase != SlotPhase::Idle && slot.view.guestGroup == group) alive.push_back(slot.view.id);
        }
    }
    return alive;
}

BootTime Board::nextGuestEnd() {
    const ThreadLock lock(mutex_);
    return guests_.next();
}

bool Board::mayBegin(const Lease& lease, BootTime now) {
    const ThreadLock lock(mutex_);
    return guests_.mayRun(lease.guestGroup, now);
}

std::optional<Lease> Board::refused(SlotId id, AttemptId attempt) {
    {
        const ThreadLock lock(mutex_);
        at(id).view.phase = SlotPhase::Idle;
        updates_.putReturned(attempt);
    }
    return takeNext(id);
}

MonoTime Board::nextDeadline(MonoTime sleepUntil) {
    const ThreadLock lock(mutex_);
    MonoTime at = MonoTime::max();
    for (const Slot& slot : slots_) {
        const SlotView& v = slot.view;
        const bool tooLate = v.phase == SlotPhase::Exited && !v.wardened;
        if (v.phase != SlotPhase::Idle && !v.cause && !v.frozenAt && !tooLate) at = std::min(at, v.deadlineAt);
    }
    mainSleepsUntil_ = std::min(at, sleepUntil);
    return at;
}

void Board::begin(Slot& slot, Lease& lease, MonoTime now) {
    assert(slot.view.phase == SlotPhase::Idle);
    SlotView& v = slot.view;
    v.id = lease.id;
    v.phase = SlotPhase::Starting;
    v.pid = 0;
    v.pidfd = -1;
    lease.begun = now;
    v.begun = now;
    const bool unlimited = lease.deadline == Duration::zero() || lease.deadline > MonoTime::max() - now;
    v.deadlineAt = unlimited ? MonoTime::max() : now + lease.deadline;
    v.grace = lease.grace;
    v.guestGroup = lease.guestGroup;
    v.cause.reset();
    v.frozenAt.reset();
    v.wardened = false;
    v.isContained = lease.sandbox != nullptr;
    v.orphans = {};
    slot.backRequested = false;
    slot.group = lease.group;
    slot.hurry = lease.hurry;
    if (v.deadlineAt < mainSleepsUntil_) {
        mainSleepsUntil_ = v.deadlineAt;
        ::eventfd_write(mainWakeFd_, 1);
    }
}

std::optional<Lease> Board::next(Slot& slot, std::optional<AttemptId>& moved) {
    if (stopping_) return {};
    Slot* from = &slot;
    if (slot.waiting.empty()) {
        if (slot.group == 0) return {};
        from = nullptr;
        for (Slot& other : slots_) {
            if (other.waiting.empty() || other.waiting.front().group != slot.group) continue;
            if (!from || other.waiting.size() > from->waiting.size()) from = &other;
        }
        // A slot that is idle or stuck in front of its only lease keeps it: there is nothing to wait behind.
        if (!from || from->view.phase == SlotPhase::Idle) return {};
        moved = from->waiting.front().id;
    }
    Lease lease = std::move(from->waiting.front());
    from->waiting.pop_front();
    return lease;
}

std::optional<Lease> Board::takeNext(SlotId id) {
    const ThreadLock lock(mutex_);
    Slot& slot = at(id);
    if (stopping_ || slot.view.phase != SlotPhase::Idle || slot.waiting.empty()) return {};
    Lease lease = std::move(slot.waiting.front());
    slot.waiting.pop_front();
    begin(slot, lease, MonoClock::now());
    return lease;
}

void Board::putBack(SlotId id, Lease lease) {
    const ThreadLock lock(mutex_);
    Slot& slot = at(id);
    slot.view.phase = SlotPhase::Idle;
    if (stopping_ || slot.view.cause || slot.backRequested) {
        updates_.putReturned(lease.id);
        return;
    }
    slot.waiting.push_front(std::move(lease));
}

std::optional<Lease> Board::lockBusy(SlotId id, AttemptId attempt, const LockBusy& busy) {
    {
        const ThreadLock lock(mutex_);
        at(id).view.phase = SlotPhase::Idle;
        updates_.put(attempt, busy);
    }
    return takeNext(id);
}

SlotView Board::started(SlotId id, int pid, int pidfd, const Started& update) {
    const ThreadLock lock(mutex_);
    Slot& slot = at(id);
    SlotView& v = slot.view;
    v.phase = SlotPhase::Live;
    v.pid = pid;
    v.pidfd = pidfd;
    updates_.put(v.id, update, slot.hurry);
    return v;
}

bool Board::exited(SlotId id, bool orphans) {
    const ThreadLock lock(mutex_);
    SlotView& v = at(id).view;
    v.phase = SlotPhase::Exited;
    if (orphans) v.wardened = true;
    return v.wardened;
}

std::optional<Lease> Board::finish(SlotId slotId, AttemptId id, Ended ended, bool hurry) {
    const MonoTime now = ended.times.ended;
    const ThreadLock lock(mutex_);
    Slot& slot = at(slotId);
    const bool ownEnd = ended.cause == EndCause::Exited || ended.cause == EndCause::SpawnError;
    if (slot.view.cause && ownEnd) ended.cause = *slot.view.cause;
    ended.measures.add(slot.view.orphans);
    goOn(slot.view, now);
    slot.view.phase = SlotPhase::Idle;
    slot.view.pidfd = -1;
    wire::EndedFrame frame{id, std::move(ended), {}};
    std::optional<Lease> lease = next(slot, frame.moved);
    updates_.put(frame, hurry || slot.waiting.size() < limits_.lowWater);
    if (lease) {
        begin(slot, *lease, now);
        lease->slot = slotId;
    }
    return lease;
}

} // namespace yard::runners

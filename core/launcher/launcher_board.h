// What the launcher's threads share: leases that wait, and what lives in which slot. One mutex, held for a few hundred
// nanoseconds. What becomes of a lease is written to the updates (update_sender.h) while it is held, so that the engine
// reads it in the order in which it came about.
//
// A slot's life, the only places that move it: Idle -> Starting (takeNext/finish, spawner) -> Live (started,
// spawner) -> Exited (exited, spawner) -> Idle or Starting (finish, spawner). Everything else about an attempt
// belongs to the spawner of its slot; the warden (main thread) reads pid and pidfd here and sets the cause of an
// early end.
#pragma once

#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"
#include "core/launcher/guest_times.h"
#include "core/launcher/update_sender.h"
#include "core/lease/runner.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <sys/resource.h>
#include <vector>

namespace yard::runners {

enum class SlotPhase : unsigned char { Idle, Starting, Live, Exited };

/// What the kernel says that a process used, with the children it waited for.
Measures measuresOf(const rusage& usage);

/// What the warden may know of a slot that is not idle.
struct SlotView {
    SlotId slot;
    AttemptId id;
    SlotPhase phase = SlotPhase::Idle;
    int pid = 0;
    int pidfd = -1;      ///< valid under the board's lock only: duplicate it there
    MonoTime begun;      ///< before it was cloned
    MonoTime deadlineAt; ///< max(): none
    Duration grace{};
    std::optional<MonoTime> frozenAt = {}; ///< its processes stand still, its deadline too
    std::uint32_t guestGroup = 0;          ///< Lease::guestGroup
    std::optional<EndCause> cause;         ///< it is to be ended for this
    bool wardened = false;                 ///< the warden decides when its tree is gone
    bool isContained = false; ///< its first process ends all others when the program ends, and counts them
    Measures orphans;         ///< of those that were reaped
};

class Board {
public:
    struct Limits {
        unsigned slots = 1;
        unsigned lowWater = 1;
    };
    /// `mainWakeFd`: an eventfd of the main thread, written when it sleeps past a deadline. `updates` outlives it.
    Board(UpdateSender& updates, int mainWakeFd, Limits limits);
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;

    // Main thread.

    /// Refused when the slot cannot take it (bad number, more than kLeasesPerSlot waiting twice over): a confused
    /// engine.
    enum class Added : unsigned char { Refused, Waits, SlotIdle };
    Added add(Lease lease);
    /// Drops a waiting lease and writes Returned. False when it does not wait.
    bool takeBack(AttemptId id);
    /// All waiting leases, each with a Returned.
    void takeBackAll();
    /// Nothing starts any more.
    void stop();
    /// The cause and, when shorter, the grace with which a slot's attempt is to end; the warden then answers for
    /// it. Nothing when it is not there or too late. A pidfd in the answer is a duplicate for the caller to close.
    std::optional<SlotView> ward(AttemptId id, EndCause cause, std::optional<Duration> grace);
    /// Its deadline stands still from now on, for whoever stops its processes. Nothing when it does not live, is to be ended,
    /// or is frozen already. The pidfd as with ward().
    std::optional<SlotView> freeze(AttemptId id, MonoTime now);
    /// They stand still: writes Frozen. False when it has gone on or ended meanwhile.
    bool tellFrozen(AttemptId id);
    /// Its deadline counts again: writes Frozen. False when it is not frozen.
    bool thaw(AttemptId id, MonoTime now);
    bool isFrozen(AttemptId id);
    /// What is known of an attempt that is not ended. The pidfd as with ward().
    std::optional<SlotView> look(AttemptId id);
    /// Marks a stream of a waiting lease as watched or not. False when it does not wait.
    bool watchWaiting(AttemptId id, Stream stream, bool on);
    /// Every slot that is not idle, without descriptors.
    std::vector<SlotView> busy();
    bool allIdle();
    /// Attempts of this group may run until then.
    void setMayRun(std::uint32_t guestGroup, BootTime until);
    /// Of each group whose time has come to be over: what waits is dropped, with a Returned. What may live of it, to
    /// be ended by the caller. A group is told once.
    std::vector<AttemptId> takeLateGuests(BootTime now);
    /// When that has to be called at the latest; max(): never.
    BootTime nextGuestEnd();
    /// When the next deadline passes that nobody has acted on; max(): none. Until this is called again, a start
    /// whose deadline is earlier than this answer and `sleepUntil` wakes the main thread.
    MonoTime nextDeadline(MonoTime sleepUntil);

    // Spawners.

    /// The next lease for an idle slot: Idle -> Starting.
    std::optional<Lease> takeNext(SlotId slot);
    /// Starting -> Idle; the lease waits in front again (its ring of the slots file is full).
    void putBack(SlotId slot, Lease lease);
    /// Starting -> Idle, writes LockBusy: it did not begin. Returns the lease that waits behind it, if any, begun.
    std::optional<Lease> lockBusy(SlotId slot, AttemptId id, const LockBusy& busy);
    /// The last look before a start: false when the time of its group is over.
    bool mayBegin(const Lease& lease, BootTime now);
    /// Starting -> Idle, writes Returned: it may not begin. As lockBusy().
    std::optional<Lease> refused(SlotId slot, AttemptId id);
    /// Starting -> Live, writes Started. What the warden wanted meanwhile comes back in `cause`.
    SlotView started(SlotId slot, int pid, int pidfd, const Started& update);
    /// Reaps, and counts what that says for the action, in one step: whoever sees no orphan any more, and comes
    /// here next, has its usage counted.
    template<class Reap>
    void reap(std::int64_t lsn, Reap reap) {
        const ThreadLock lock(mutex_);
        const Measures usage = reap();
        for (Slot& slot : slots_) {
            SlotView& v = slot.view;
            if (v.phase == SlotPhase::Idle || v.id.lsn.value != lsn) continue;
            v.orphans.add(usage);
        }
    }
    /// Live -> Exited. True when the warden has to say when the tree is gone: always when `orphans`.
    bool exited(SlotId slot, bool orphans);
    /// Writes Ended, with the cause the warden gave if any, and goes to the next lease: own ones, else one of the
    /// same group from the slot with most waiting.
    std::optional<Lease> finish(SlotId slot, AttemptId id, Ended ended, bool hurry);

private:
    struct Slot {
        std::deque<Lease> waiting;
        std::uint32_t group = 0; ///< of the last lease that ran
        SlotView view;
        bool hurry = false;
        bool backRequested = false; ///< taken back while it was starting; counts when that is put off
    };
    std::optional<Lease> next(Slot& slot, std::optional<AttemptId>& moved) YARD_REQUIRES(mutex_);
    void begin(Slot& slot, Lease& lease, MonoTime now) YARD_REQUIRES(mutex_);
    void goOn(SlotView& view, MonoTime now) YARD_REQUIRES(mutex_);
    Slot* slotOf(AttemptId id) YARD_REQUIRES(mutex_);
    Slot& at(SlotId id) YARD_REQUIRES(mutex_) { return slots_[id.value]; }

    UpdateSender& updates_;
    const int mainWakeFd_;
    const Limits limits_;

    ThreadMutex mutex_;
    std::vector<Slot> slots_ YARD_GUARDED_BY(mutex_);
    GuestTimes guests_ YARD_GUARDED_BY(mutex_);
    bool stopping_ YARD_GUARDED_BY(mutex_) = false;
    MonoTime mainSleepsUntil_ YARD_GUARDED_BY(mutex_) = MonoTime::max();
};

} // namespace yard::runners

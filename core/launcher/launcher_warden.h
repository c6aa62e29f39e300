// The warden of the launcher: ends the process trees of attempts, and says when the last process of one is gone.
// SIGTERM to every member, after the grace SIGKILL, again until nothing is left (docs/lifetimes.md).
//
// Who belongs to an attempt: the first process and its descendants, and of the launcher's orphans (whoever lost its
// parent becomes a child of our main thread) those that are its by what they inherited (orphans.h), with their
// descendants. An orphan that hides all of that belongs
// to whoever could have started it: it ends with the last attempt that was already running when it began.
//
// Owner: the launcher's main thread, which alone reaps orphans; that is why their numbers cannot be reused
// meanwhile.
#pragma once

#include "core/host/process_tree.h"
#include "core/launcher/epoll_set.h"
#include "core/launcher/launcher_board.h"
#include "core/launcher/launcher_spawner.h"
#include "core/lease/orphans.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::runners {

class Warden {
public:
    /// `epoll` is the main thread's; keys of the warden are at most kMaxKey.
    struct Tell {
        std::function<void(Spawner::TreeGone)> treeGone;
        std::function<void(const SlotView&)> giveUpStart; ///< of one that is to end before it lives
        /// Stops all of its control group, or lets it go on. False: it has none of its own.
        std::function<bool(const SlotView&, bool on)> freezeGroup = {};
    };
    Warden(Board& board, EpollSet& epoll, std::string ownerToken, Tell tell);
    static constexpr std::uint64_t kMaxKey = 0x7fffffff;

    /// Ends a living attempt; with a shorter grace also one that is being ended. Without effect when it is not
    /// there.
    void end(AttemptId id, StopCause cause, std::optional<Duration> grace);
    /// end() for what is past its deadline.
    void endOverdue(MonoTime now);
    /// As end(), of a guest whose time is over: within GuestTimes::kGrace, whatever grace it has, and whatever it is
    /// being ended for.
    void endLateGuest(AttemptId id);
    /// All processes of a living attempt stand still, or go on. Without effect when that is so already, or it ends.
    void setFrozen(AttemptId id, bool on);
    /// An attempt that was to be ended while it was being started lives now.
    void startedLate(AttemptId id);
    /// The first process of an attempt is gone and reaped; something may be left.
    void firstProcessEnded(AttemptId id);
    /// An orphan ended (epoll).
    void orphanEnded();
    /// Does what is due.
    void step(MonoTime now);
    MonoTime nextTimer() const;
    /// Orphans that ended by themselves while their action goes on.
    void reap();
    /// The end of the launcher: kills whatever is below it, without grace. False when something is left: call
    /// again.
    bool endEverything();

private:
    /// `why`: for the log; empty: it has been said, or the pool says it.
    void end(AttemptId id, EndCause cause, std::optional<Duration> grace, std::string_view why);

    struct Ward {
        SlotView view;
        UniqueFd root; ///< pidfd of the first process; it keeps meaning it (and its group) after it was reaped
        bool rootEnded = false;
        bool ending = false; ///< SIGTERM was sent
        bool hadSurvivors = false;
        MonoTime killAt = MonoTime::max();
        MonoTime nextAt = MonoTime::max();
        unsigned killRounds = 0;
        std::set<std::pair<int, std::uint64_t>> termed; ///< pid and start of those that had their SIGTERM
    };
    /// What stands still: by its group, or each process by SIGSTOP.
    struct Still {
        Ward tree; ///< view and root only
        bool byGroup = false;
        std::set<std::pair<int, std::uint64_t>> stopped; ///< by us: pid and start. Others stood still before
    };
    struct Orphan {
        host::HeldProcess process;
        std::int64_t lsn = 0; ///< 0: not known
    };
    Ward* adopt(SlotView view);
    /// True when nothing ended meanwhile: the orphans are all there are.
    bool refreshOrphans();
    std::size_t lookForOrphans();
    std::size_t reapDead(const std::vector<SlotView>& busy);
    /// The one action of which the process can be; 0 when there are several.
    std::int64_t onlyPossibleOwner(const host::ProcessStat& stat, const std::vector<SlotView>& busy) const;
    bool mayClaim(const Orphan& orphan, const Ward& ward, const std::vector<SlotView>& busy) const;
    std::vector<host::HeldProcess> membersOf(const Ward& ward, bool& settled);
    bool stepWard(Ward& ward, MonoTime now);
    void beginEnding(Ward& ward, MonoTime now);
    void stopTree(Still& still);
    void letGo(Still& still);
    /// It ends: it goes on with its SIGTERM.
    void forgetStill(AttemptId id);

    Board& board_;
    EpollSet& epoll_;
    const OrphanOwners owners_;
    const Tell tell_;
    std::map<AttemptId, Ward> wards_;
    std::map<int, Orphan> orphans_; ///< by pid
    std::map<AttemptId, Still> still_;
};

} // namespace yard::runners

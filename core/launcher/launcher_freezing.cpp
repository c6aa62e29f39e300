// The warden's other half: processes that stand still for a while.
#include "core/base/log.h"
#include "core/launcher/launcher_warden.h"

#include <ranges>
#include <signal.h>
#include <utility>

namespace yard::runners {

void Warden::setFrozen(AttemptId id, bool on) {
    if (!on) {
        const auto at = still_.find(id);
        if (at == still_.end()) return;
        letGo(at->second);
        still_.erase(at);
        board_.thaw(id, MonoClock::now());
        return;
    }
    // The deadline first: what stands still does not come nearer to it.
    std::optional<SlotView> view = board_.freeze(id, MonoClock::now());
    if (!view) return;
    Still& still = still_[id] = {};
    still.tree.root.reset(std::exchange(view->pidfd, -1));
    still.tree.view = *view;
    still.byGroup = tell_.freezeGroup && tell_.freezeGroup(*view, true);
    if (!still.byGroup) stopTree(still);
    if (board_.tellFrozen(id)) return;
    // It ended meanwhile. Whoever has its slot by now is not to stand still in its place.
    letGo(still);
    still_.erase(id);
}

/// One that forks while it is looked at leaves a child that the next look finds; what stands still forks no more.
void Warden::stopTree(Still& still) {
    constexpr int kLooks = 64;
    for (int look = 0; look < kLooks; ++look) {
        bool settled = refreshOrphans();
        bool isNew = false;
        for (const host::HeldProcess& member : membersOf(still.tree, settled)) {
            const auto key = std::pair(member.stat.pid, member.stat.startTicks);
            if (still.stopped.contains(key)) continue;
            const std::optional<host::ProcessStat> stat = host::readStat(member.stat.pid);
            if (!stat || stat->state == 'T') continue;
            if (!host::signalProcess(member.pidfd.get(), SIGSTOP)) continue;
            still.stopped.insert(key);
            isNew = true;
        }
        if (settled && !isNew) return;
    }
    logWarning("runners", "action {} makes processes faster than they can be stopped",
               still.tree.view.id.lsn.value);
}

/// Children first: a shell that goes on before them would be told that they were stopped.
void Warden::letGo(Still& still) {
    if (still.byGroup) {
        tell_.freezeGroup(still.tree.view, false);
        return;
    }
    bool settled = refreshOrphans();
    for (const host::HeldProcess& member : std::views::reverse(membersOf(still.tree, settled)))
        if (still.stopped.contains(std::pair(member.stat.pid, member.stat.startTicks)))
            host::signalProcess(member.pidfd.get(), SIGCONT);
}

void Warden::forgetStill(AttemptId id) {
    const auto at = still_.find(id);
    if (at == still_.end()) return;
    if (at->second.byGroup) letGo(at->second); // others go on with the SIGTERM of each
    still_.erase(at);
}

} // namespace yard::runners

#include "core/launcher/launcher_warden.h"

#include "core/base/log.h"
#include "core/lease/runner.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace yard::runners {
namespace {

constexpr Duration kFirstKillRound{5'000};
constexpr Duration kLastKillRound{200'000};
constexpr unsigned kRoundsBeforeWarning = 50; // about 10 s
/// The first process of a sandbox is left alone for so many: half a second.
constexpr unsigned kSparedRounds = 6;

// When a process may have started at the latest, on our scale: an action that began by then may have started it.
// /proc counts from boot, suspended time included, in ticks.
MonoTime latestStartOf(const host::ProcessStat& stat) {
    constexpr Duration kClockTick{20'000};
    const auto micros = [](clockid_t clock) {
        timespec t{};
        ::clock_gettime(clock, &t);
        return std::int64_t{t.tv_sec} * 1'000'000 + t.tv_nsec / 1000;
    };
    static const std::int64_t ticksPerSecond = ::sysconf(_SC_CLK_TCK);
    const auto sinceBoot = static_cast<std::int64_t>(stat.startTicks) * 1'000'000 / ticksPerSecond;
    return MonoTime(Duration(sinceBoot - micros(CLOCK_BOOTTIME) + micros(CLOCK_MONOTONIC))) + kClockTick;
}

std::string_view causeWords(StopCause cause) {
    switch (cause) {
    case StopCause::Cancelled: return "it was cancelled";
    case StopCause::Abandoned: return "its session is abandoned";
    case StopCause::EngineStopped: break;
    case StopCause::Limit: return "it is over its limit of memory or outputs";
    case StopCause::Machine: return "the machine is short of memory";
    }
    return "its engine stops";
}

Measures reapProcess(int pidfd) {
    siginfo_t info{};
    rusage usage{};
    if (::syscall(SYS_waitid, P_PIDFD, pidfd, &info, WEXITED | WNOHANG | __WALL, &usage) != 0 || info.si_pid == 0)
        return {};
    return measuresOf(usage);
}

} // namespace

Warden::Warden(Board& board, EpollSet& epoll, std::string ownerToken, Tell tell)
    : board_(board)
    , epoll_(epoll)
    , owners_(std::move(ownerToken))
    , tell_(std::move(tell)) {}

Warden::Ward* Warden::adopt(SlotView view) {
    const auto [it, isNew] = wards_.try_emplace(view.id);
    Ward& ward = it->second;
    UniqueFd root(std::exchange(view.pidfd, -1));
    if (isNew || !ward.root) ward.root = std::move(root);
    ward.view = view;
    return &ward;
}

void Warden::end(AttemptId id, StopCause cause, std::optional<Duration> grace) {
    end(id, endOf(cause), grace, causeWords(cause));
}

void Warden::end(AttemptId id, EndCause cause, std::optional<Duration> grace, std::string_view why) {
    const MonoTime now = MonoClock::now();
    std::optional<SlotView> view = board_.ward(id, cause, grace);
    if (!view) return;
    forgetStill(id);
    if (view->phase == SlotPhase::Starting) return tell_.giveUpStart(*view); // or startedLate() comes
    const Duration allowed = view->grace;
    Ward& ward = *adopt(std::move(*view));
    if (ward.ending) {
        ward.killAt = std::min(ward.killAt, now + allowed);
    } else {
        // A deadline has said so already, and of warm processes the pool says why.
        if (!why.empty() && !isWarmProcess(id))
            logInfo("runners", "action {} (attempt {}) is ended: {}", id.lsn.value, id.attempt, why);
        beginEnding(ward, now);
    }
    ward.nextAt = now;
}

void Warden::endOverdue(MonoTime now) {
    for (const SlotView& v : board_.busy()) {
        if (v.cause || v.frozenAt || v.deadlineAt > now) continue;
        logWarning("runners", "action {} (attempt {}) is past its deadline and is ended", v.id.lsn.value,
                   v.id.attempt);
        end(v.id, EndCause::Deadline, {}, {});
    }
}

void Warden::endLateGuest(AttemptId id) {
    end(id, EndCause::LeaseEnded, GuestTimes::kGrace, "the yard that it runs for was silent for too long");
}

void Warden::startedLate(AttemptId id) {
    std::optional<SlotView> view = board_.look(id);
    if (!view || !view->cause) {
        if (view && view->pidfd >= 0) ::close(view->pidfd);
        return;
    }
    Ward& ward = *adopt(std::move(*view));
    if (!ward.ending) beginEnding(ward, MonoClock::now());
    ward.nextAt = MonoClock::now();
}

void Warden::firstProcessEnded(AttemptId id) {
    std::optional<SlotView> view = board_.look(id);
    if (!view) return;
    forgetStill(id);
    Ward& ward = *adopt(std::move(*view));
    ward.rootEnded = true;
    ward.nextAt = MonoClock::now();
}

void Warden::orphanEnded() {
    const MonoTime now = MonoClock::now();
    refreshOrphans();
    for (auto& [id, ward] : wards_) ward.nextAt = std::min(ward.nextAt, now);
}

void Warden::beginEnding(Ward& ward, MonoTime now) {
    ward.ending = true;
    ward.killAt = now + ward.view.grace;
}

void Warden::step(MonoTime now) {
    for (auto it = wards_.begin(); it != wards_.end();) {
        if (it->second.nextAt > now || !stepWard(it->second, now)) {
            ++it;
            continue;
        }
        const Ward& ward = it->second;
        tell_.treeGone({ward.view.slot, ward.view.id, ward.hadSurvivors});
        it = wards_.erase(it);
    }
}

MonoTime Warden::nextTimer() const {
    MonoTime at = MonoTime::max();
    for (const auto& [id, ward] : wards_) at = std::min(at, ward.nextAt);
    return at;
}

bool Warden::stepWard(Ward& ward, MonoTime now) {
    bool settled = refreshOrphans();
    const std::vector<host::HeldProcess> members = membersOf(ward, settled);
    if (members.empty() && ward.rootEnded) {
        ward.nextAt = now; // unless it is done: look again at once
        return settled;
    }
    ward.hadSurvivors = ward.hadSurvivors || (ward.rootEnded && !members.empty());
    if (!ward.ending) beginEnding(ward, now);

    if (now < ward.killAt) {
        for (const host::HeldProcess& member : members) {
            if (!ward.termed.emplace(member.stat.pid, member.stat.startTicks).second) continue;
            host::signalProcess(member.pidfd.get(), SIGTERM);
            host::signalProcess(member.pidfd.get(), SIGCONT); // a stopped one could not answer
        }
        ward.nextAt = ward.killAt;
        return false;
    }
    // The group in one step, which a fork cannot escape; the others one by one, again and again. With the first
    // process of a sandbox the kernel ends the others, too, but counts for nobody what they used. It does that
    // itself once its program has ended.
    const bool spares = ward.view.isContained && !ward.rootEnded && ward.killRounds < kSparedRounds;
    if (ward.root && !spares) host::killGroup(ward.root.get());
    for (const host::HeldProcess& member : members)
        if (!spares || member.stat.pid != ward.view.pid) host::signalProcess(member.pidfd.get(), SIGKILL);
    if (++ward.killRounds == kRoundsBeforeWarning)
        logWarning("runners", "processes of action {} do not end although they were killed (pid {} and {} others)",
                   ward.view.id.lsn.value, members.empty() ? ward.view.pid : members.front().stat.pid,
                   members.empty() ? 0 : members.size() - 1);
    ward.nextAt = now + std::min(kFirstKillRound * (1 << std::min(ward.killRounds, 8u)), kLastKillRound);
    return false;
}

std::vector<host::HeldProcess> Warden::membersOf(const Ward& ward, bool& settled) {
    std::vector<host::HeldProcess> members;
    const auto add = [&](int pid, int pidfd, const host::ProcessStat& stat) {
        if (!host::isAlive(pidfd)) {
            settled = false;
            return;
        }
        std::vector<host::HeldProcess> below = host::holdDescendants(pid, pidfd);
        members.push_back({stat, UniqueFd(::fcntl(pidfd, F_DUPFD_CLOEXEC, 3))});
        std::ranges::move(below, std::back_inserter(members));
    };
    if (!ward.rootEnded && ward.root) {
        host::ProcessStat stat;
        stat.pid = ward.view.pid;
        add(ward.view.pid, ward.root.get(), stat);
    }
    const std::vector<SlotView> busy = board_.busy();
    for (const auto& [pid, orphan] : orphans_) {
        const bool ours = orphan.lsn == ward.view.id.lsn.value || (orphan.lsn == 0 && mayClaim(orphan, ward, busy));
        if (ours) add(pid, orphan.process.pidfd.get(), orphan.process.stat);
    }
    return members;
}

bool Warden::mayClaim(const Orphan& orphan, const Ward& ward, const std::vector<SlotView>& busy) const {
    const MonoTime start = latestStartOf(orphan.process.stat);
    return std::ranges::none_of(
        busy, [&](const SlotView& other) { return other.slot != ward.view.slot && other.begun <= start; });
}

std::int64_t Warden::onlyPossibleOwner(const host::ProcessStat& stat, const std::vector<SlotView>& busy) const {
    const MonoTime start = latestStartOf(stat);
    std::int64_t lsn = 0;
    for (const SlotView& view : busy) {
        if (view.begun > start) continue;
        if (lsn != 0) return 0;
        lsn = view.id.lsn.value;
    }
    return lsn;
}

/// A process that ends hands its children to us before it shows as dead. So one that is found dead may have done so
/// after the list was read, and only a look at which none was says that there are no others.
bool Warden::refreshOrphans() {
    constexpr int kLooks = 64; // against trees that fork and end forever
    for (int look = 0; look < kLooks; ++look)
        if (lookForOrphans() == 0) return true;
    return false;
}

/// Returns how many were found dead.
std::size_t Warden::lookForOrphans() {
    const int self = ::getpid();
    const std::vector<SlotView> busy = board_.busy();
    std::vector<FirstProcess> firsts;
    for (const SlotView& view : busy) firsts.push_back({view.pid, view.id.lsn.value});
    for (const int pid : host::childrenOfThread(self, self)) {
        auto it = orphans_.find(pid);
        if (it == orphans_.end()) {
            Orphan orphan;
            orphan.process.pidfd = host::openProcess(pid);
            const std::optional<host::ProcessStat> stat = host::readStat(pid);
            if (!orphan.process.pidfd || !stat) continue;
            orphan.process.stat = *stat;
            it = orphans_.emplace(pid, std::move(orphan)).first;
            epoll_.add(it->second.process.pidfd.get(), EPOLLIN, static_cast<std::uint64_t>(pid));
        }
        Orphan& orphan = it->second;
        if (orphan.lsn != 0) continue;
        // Looked at again each time: between fork and exec a process may not show its environment yet.
        if (const auto stat = host::readStat(pid)) orphan.process.stat = *stat;
        orphan.lsn = owners_.of(orphan.process.stat, firsts).lsn;
    }
    return reapDead(busy);
}

std::size_t Warden::reapDead(const std::vector<SlotView>& busy) {
    std::size_t dead = 0;
    for (auto it = orphans_.begin(); it != orphans_.end();) {
        host::HeldProcess& process = it->second.process;
        if (host::isAlive(process.pidfd.get())) {
            ++it;
            continue;
        }
        // What ended before anybody looked shows no environment any more.
        const std::int64_t lsn = it->second.lsn != 0 ? it->second.lsn : onlyPossibleOwner(process.stat, busy);
        board_.reap(lsn, [&process] { return reapProcess(process.pidfd.get()); });
        epoll_.remove(process.pidfd.get());
        it = orphans_.erase(it);
        ++dead;
    }
    return dead;
}

void Warden::reap() {
    refreshOrphans();
    std::erase_if(still_, [this](const auto& one) { return !board_.isFrozen(one.first); });
}

bool Warden::endEverything() {
    const bool settled = refreshOrphans();
    for (const auto& [pid, orphan] : orphans_) {
        for (const host::HeldProcess& below : host::holdDescendants(pid, orphan.process.pidfd.get()))
            host::signalProcess(below.pidfd.get(), SIGKILL);
        host::signalProcess(orphan.process.pidfd.get(), SIGKILL);
    }
    return settled && orphans_.empty();
}

} // namespace yard::runners

#include "core/runners/recovery.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/locks/named_lock.h"
#include "core/runners/launcher_group.h"
#include "core/runners/process_mark.h"
#include "core/runners/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners {
namespace {

// Processes that carry the token or the mark, and their descendants, which may have lost it. Also what came to us when the
// launcher died: it leads a session of its own, and all below it is in others than ours, whatever environment it
// has.
std::map<int, HeldProcess> findOwned(std::string_view token, int except) {
    std::map<int, HeldProcess> found;
    const ProcessMarks marks(token);
    const auto add = [&](HeldProcess held) {
        const int pid = held.stat.pid;
        if (pid != except && pid != ::getpid()) found.emplace(pid, std::move(held));
    };
    const int session = ::getsid(0);
    for (const int pid : childrenOf(::getpid())) {
        std::optional<HeldProcess> held = holdChild(pid, ::getpid(), -1);
        if (!held || held->stat.isDead() || held->stat.session == session || pid == except) continue;
        if (readOwnerMark(pid, token).foreign || isStuckStart(pid, token)) continue;
        for (HeldProcess& child : holdDescendants(pid, held->pidfd.get())) add(std::move(child));
        add(std::move(*held));
    }
    for (const int pid : allProcesses()) {
        if (pid == except || pid == ::getpid()) continue;
        HeldProcess held;
        held.pidfd = openProcess(pid);
        if (!held.pidfd) continue;
        const OwnerMark mark = readOwnerMark(pid, token);
        if (!mark.owned && (mark.foreign || !marks.isOurs(ProcessMarks::read(pid)))) continue;
        const std::optional<ProcessStat> stat = readStat(pid);
        if (!stat || stat->isDead() || !holdsNumber(held.pidfd.get()) || isStuckStart(pid, token)) continue;
        held.stat = *stat;
        for (HeldProcess& child : holdDescendants(pid, held.pidfd.get())) add(std::move(child));
        add(std::move(held));
    }
    return found;
}

void reapIfOurs(const HeldProcess& process) {
    siginfo_t info{};
    // WALL: the launcher's children were cloned, some without a signal at exit.
    ::waitid(P_PIDFD, static_cast<id_t>(process.pidfd.get()), &info, WEXITED | WNOHANG | __WALL);
}

/// Children of the dead launcher that ended before it did came to us as zombies, and have no environment to know
/// them by. Ours of other kinds are in our session; theirs lead sessions of their own.
/// Returns how many.
int reapStrays() {
    int reaped = 0;
    const int session = ::getsid(0);
    for (const int pid : childrenOf(::getpid())) {
        const std::optional<ProcessStat> stat = readStat(pid);
        if (!stat || !stat->isDead() || stat->parent != ::getpid() || stat->session == session) continue;
        siginfo_t info{};
        // Not yet where a thread of it still stands in the kernel.
        if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | __WALL) == 0 && info.si_pid != 0)
            ++reaped;
    }
    return reaped;
}

int millisecondsUntil(MonoTime end) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - MonoClock::now()).count();
    return static_cast<int>(std::max<decltype(left)>(left, 0));
}

} // namespace

int endOwned(std::string_view ownerToken, Duration limit, int except) {
    if (ownerToken.empty()) return 0;
    const MonoTime end = MonoClock::now() + limit;
    int killed = 0;
    for (;;) {
        const std::map<int, HeldProcess> found = findOwned(ownerToken, except);
        if (found.empty()) {
            // Who ended while we looked handed its children to us before that showed: look once more.
            if (reapStrays() == 0) return killed;
            if (MonoClock::now() >= end) return -1;
            continue;
        }
        for (const auto& [pid, process] : found)
            if (signalProcess(process.pidfd.get(), SIGKILL)) ++killed;
        for (const auto& [pid, process] : found) {
            const auto isStuck = [&] { return isStuckStart(process.stat.pid, ownerToken); };
            if (!waitDeadOr(process.pidfd.get(), millisecondsUntil(end), isStuck)) return -1;
            reapIfOurs(process);
        }
        if (MonoClock::now() >= end) return -1;
    }
}

void freeSlotLocks(const std::string& dataDir) {
    std::error_code error; // none are there yet
    for (std::filesystem::directory_iterator at(dataDir + "/scratch", error), end; !error && at != end;
         at.increment(error)) {
        const std::string path = at->path().string() + "/lock";
        auto taken = locks::takeFile(path, false);
        if (!taken) continue;
        if (taken->isBusy) ::unlink(path.c_str());
        taken->lock.releaseKeepingFile();
    }
}

Result<RecoveryReport> recoverSlots(const std::string& slotsPath, std::string_view ownerToken, Duration limit) {
    RecoveryReport report;
    const MonoTime end = MonoClock::now() + limit;
    auto slots = SlotsFile::open(slotsPath);
    if (slots) {
        report.interrupted = slots->entries();
        report.damaged = slots->damaged();
        // The launcher first: while it lives it may be about to clone.
        HeldProcess launcher;
        const int pid = slots->launcherPid();
        if (pid > 0) launcher.pidfd = openProcess(pid);
        if (launcher.pidfd && readOwnerMark(pid, ownerToken).owned &&
            signalProcess(launcher.pidfd.get(), SIGKILL)) {
            ++report.killed;
            if (!waitEnded(pid, launcher.pidfd.get(), millisecondsUntil(end)))
                return fail(ErrorKind::Busy,
                            fmt::format("the launcher of an earlier engine (pid {}) does not end", pid));
            reapIfOurs(launcher);
        }
    } else if (slots.error().kind != ErrorKind::NotFound) {
        const std::string aside = fmt::format("{}.garbled.{}", slotsPath, wallNow());
        logWarning("runners", "{}; it is set aside as {}, interrupted actions in it are counted as never started",
                   slots.error().message, aside);
        if (::rename(slotsPath.c_str(), aside.c_str()) != 0) return failErrno("rename " + slotsPath, errno);
        report.garbled = true;
    }
    // What is in the launcher's group belongs to it, whatever it has made of itself.
    const std::string dataDir = slotsPath.substr(0, slotsPath.rfind('/'));
    if (!endLauncherGroup(dataDir, ownerToken, end - MonoClock::now()))
        return fail(ErrorKind::Busy, "processes of an earlier engine do not end; try again or restart the machine");
    // Whoever the file lists carries the token, so the scan finds it, and what it has started besides.
    const int killed = endOwned(ownerToken, end - MonoClock::now());
    if (killed < 0)
        return fail(ErrorKind::Busy, "processes of an earlier engine do not end; try again or restart the machine");
    report.killed += static_cast<unsigned>(killed);
    freeSlotLocks(dataDir);
    return report;
}

} // namespace yard::runners

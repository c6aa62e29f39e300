#include "core/lease/recovery.h"

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/host/launcher_group.h"
#include "core/host/process_tree.h"
#include "core/lease/process_mark.h"
#include "core/locks/named_lock.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners {
namespace {

// Processes that carry the token or the mark, and their descendants, which may have lost it. Also what came to us when the
// launcher died: it leads a session of its own, and all below it is in others than ours, whatever environment it
// has.
std::map<int, host::HeldProcess> findOwned(std::string_view token, int except) {
    std::map<int, host::HeldProcess> found;
    const ProcessMarks marks(token);
    const auto add = [&](host::HeldProcess held) {
        const int pid = held.stat.pid;
        if (pid != except && pid != ::getpid()) found.emplace(pid, std::move(held));
    };
    const int session = ::getsid(0);
    for (const int pid : host::childrenOf(::getpid())) {
        std::optional<host::HeldProcess> held = host::holdChild(pid, ::getpid(), -1);
        if (!held || held->stat.isDead() || held->stat.session == session || pid == except) continue;
        if (host::readOwnerMark(pid, token).foreign || host::isStuckStart(pid, token)) continue;
        for (host::HeldProcess& child : host::holdDescendants(pid, held->pidfd.get())) add(std::move(child));
        add(std::move(*held));
    }
    for (const int pid : host::allProcesses()) {
        if (pid == except || pid == ::getpid()) continue;
        host::HeldProcess held;
        held.pidfd = host::openProcess(pid);
        if (!held.pidfd) continue;
        const host::OwnerMark mark = host::readOwnerMark(pid, token);
        if (!mark.owned && (mark.foreign || !marks.isOurs(ProcessMarks::read(pid)))) continue;
        const std::optional<host::ProcessStat> stat = host::readStat(pid);
        if (!stat || stat->isDead() || !host::holdsNumber(held.pidfd.get()) || host::isStuckStart(pid, token))
            continue;
        held.stat = *stat;
        for (host::HeldProcess& child : host::holdDescendants(pid, held.pidfd.get())) add(std::move(child));
        add(std::move(held));
    }
    return found;
}

void reapIfOurs(const host::HeldProcess& process) {
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
    for (const int pid : host::childrenOf(::getpid())) {
        const std::optional<host::ProcessStat> stat = host::readStat(pid);
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

/// The launcher of an engine that died brings to the disk what it has of its children's output: that takes a moment,
/// and is gone with it otherwise.
void waitForOutput(const SlotsFile& slots, const host::HeldProcess& launcher, MonoTime end) {
    constexpr Duration kLongest{3'000'000};
    constexpr int kStepMilliseconds = 2;
    end = std::min(end, MonoClock::now() + kLongest);
    while (!slots.isOutputKept() && MonoClock::now() < end) {
        pollfd ended{launcher.pidfd.get(), POLLIN, 0};
        if (::poll(&ended, 1, kStepMilliseconds) > 0) return;
    }
}

} // namespace

int endOwned(std::string_view ownerToken, Duration limit, int except) {
    if (ownerToken.empty()) return 0;
    const MonoTime end = MonoClock::now() + limit;
    int killed = 0;
    for (;;) {
        const std::map<int, host::HeldProcess> found = findOwned(ownerToken, except);
        if (found.empty()) {
            // Who ended while we looked handed its children to us before that showed: look once more.
            if (reapStrays() == 0) return killed;
            if (MonoClock::now() >= end) return -1;
            continue;
        }
        for (const auto& [pid, process] : found)
            if (host::signalProcess(process.pidfd.get(), SIGKILL)) ++killed;
        for (const auto& [pid, process] : found) {
            const auto isStuck = [&] { return host::isStuckStart(process.stat.pid, ownerToken); };
            if (!host::waitDeadOr(process.pidfd.get(), millisecondsUntil(end), isStuck)) return -1;
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
        host::HeldProcess launcher;
        const int pid = slots->launcherPid();
        if (pid > 0) launcher.pidfd = host::openProcess(pid);
        const bool isOurs = launcher.pidfd && host::readOwnerMark(pid, ownerToken).owned;
        if (isOurs) waitForOutput(*slots, launcher, end);
        if (isOurs && host::signalProcess(launcher.pidfd.get(), SIGKILL)) {
            ++report.killed;
            if (!host::waitEnded(pid, launcher.pidfd.get(), millisecondsUntil(end)))
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
    if (!host::endLauncherGroup(dataDir, ownerToken, end - MonoClock::now()))
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

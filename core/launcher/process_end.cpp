#include "core/launcher/process_end.h"

#include "core/base/log.h"
#include "core/launcher/launcher_memory.h"

#include <cerrno>
#include <cstring>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners {

/// Of a sandbox.
static void takeRecords(SlotChild& child, const LauncherShared& shared) {
    const sandbox::Told told = sandbox::readRecords(child.records.get());
    child.ended.overMemory = shared.groups && shared.groups->wasOverMemory(child.slot);
    child.records.reset();
    sandbox::Network network = std::exchange(child.network, {});
    if (told.isNetworkUnused) (*shared.sandbox)->networks().giveBack(std::move(network));
    if (told.signal && !child.ended.signal) {
        child.ended.signal = told.signal;
        child.ended.exitCode.reset();
    }
    // What the kernel says of init begins with what this process had at its start.
    auto& peak = child.ended.measures[Measure::PeakMemory];
    if (told.peakBytes && peak.value_or(0) <= ownPeakBytes()) peak = told.peakBytes;
    for (const sandbox::Denied& denied : told.denied)
        child.ended.denied.push_back(
            {.t = denied.micros, .what = denied.call, .path = denied.path, .err = denied.err, .pid = denied.pid});
}

bool collectExit(SlotChild& child, const LauncherShared& shared) {
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
    child.ended.measures = measuresOf(usage);
    auto& peak = child.ended.measures[Measure::PeakMemory];
    if (mayBeOurs(peak.value_or(0), child.peakBefore)) peak.reset();
    if (child.records) takeRecords(child, shared);
    return true;
}

} // namespace yard::runners

#include "core/host/idle_priority.h"

#include "core/host/process_tree.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace yard::host {

namespace {

// From linux/ioprio.h, which older headers lack.
constexpr int kIoPriorityOfProcess = 1;
constexpr int kIoPriorityIdle = 3 << 13;

/// Nobody else can get its number meanwhile.
void lowerThread(int thread) {
    const sched_param none{};
    (void)::sched_setscheduler(thread, SCHED_IDLE, &none);
    (void)::syscall(SYS_ioprio_set, kIoPriorityOfProcess, thread, kIoPriorityIdle);
}

void lowerProcess(int pid) {
    const UniqueFd held = openProcess(pid);
    if (!held) return;
    for (const int thread : threadsOf(pid)) {
        if (!holdsNumber(held.get())) return; // the numbers may be strangers' once the process is reaped
        lowerThread(thread);
    }
}

} // namespace

void lowerTree(int pid) {
    // Whoever is forked after its parent was lowered is lowered: a second walk finds those from before that.
    constexpr int kWalks = 2;
    const UniqueFd root = openProcess(pid);
    if (!root) return;
    for (int walk = 0; walk < kWalks; ++walk) {
        lowerProcess(pid);
        for (const HeldProcess& process : holdDescendants(pid, root.get())) lowerProcess(process.stat.pid);
    }
}

} // namespace yard::host

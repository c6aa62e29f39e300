// Looking at processes and signalling them without ever hitting a stranger: a number is opened as a pid descriptor
// first, then what /proc says of the number is checked, then the descriptor must still refer to a living process;
// only then was what /proc said about this process. Functions and values; everything blocks on /proc.
#pragma once

#include "core/base/unique_fd.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::host {

struct ProcessStat {
    int pid = 0;
    char state = '?'; ///< as ps shows it; Z and X are dead
    int parent = 0;
    int group = 0;
    int session = 0;
    std::int64_t cpuTicks = 0;    ///< used, by children that were waited for too; in 1/CLK_TCK s
    std::int64_t childTicks = 0;  ///< part of cpuTicks: of children that were waited for
    std::int64_t rssPages = 0;    ///< 0 where the text ends before it
    std::uint64_t startTicks = 0; ///< since boot, in 1/CLK_TCK s: with the pid the identity of a process
    bool isDead() const { return state == 'Z' || state == 'X' || state == 'x'; }
};
/// The text of /proc/PID/stat.
std::optional<ProcessStat> parseStat(int pid, std::string_view text);
/// /proc/PID/stat, nothing when there is no such process.
std::optional<ProcessStat> readStat(int pid);

/// Environment names by which a process is known to belong to an action of a data directory.
inline constexpr std::string_view kOwnerVariable = "YARD_OWNER";
inline constexpr std::string_view kLsnVariable = "YARD_LSN";

/// What the environment a process was started with says about whose it is.
struct OwnerMark {
    bool owned = false;   ///< YARD_OWNER is the token
    bool foreign = false; ///< YARD_OWNER is another one
    std::int64_t lsn = 0; ///< YARD_LSN, 0 when absent
};
OwnerMark readOwnerMark(int pid, std::string_view ownerToken);

/// The numbers of its threads now; none where there is no such process.
std::vector<int> threadsOf(int pid);

/// Children of all threads of a process, or of one thread. A snapshot: some may be missing when others end
/// meanwhile, but the answer is only empty when there was an instant without children.
std::vector<int> childrenOf(int pid);
std::vector<int> childrenOfThread(int pid, int thread);

/// A pid descriptor, or an empty one when there is no such process.
UniqueFd openProcess(int pid);
/// Not dead: neither reaped nor a zombie.
bool isAlive(int pidfd);
/// Not reaped yet: as long as this holds its number means this process.
bool holdsNumber(int pidfd);
/// False when it is gone.
bool signalProcess(int pidfd, int signal);
/// SIGKILL to the whole process group whose number the process has or had, in one step that a fork cannot escape.
/// Needs Linux 6.9, else does nothing; so only an addition to signalling members.
void killGroup(int pidfd);
/// Waits until it is dead, at most `milliseconds`. True when it is.
bool waitDead(int pidfd, int milliseconds);

/// It was killed, and what is left of it stands in the kernel where that has not reached it yet, for as long as a
/// file system does not answer: it runs nothing of its own any more.
bool isBeyondReach(int pid);
/// One that is beyond reach before it became an action's program: nothing has to wait for it.
bool isStuckStart(int pid, std::string_view ownerToken);
/// waitDead(), or until `isOver`, which is asked every 50 ms. `milliseconds`: -1: no limit.
bool waitDeadOr(int pidfd, int milliseconds, const std::function<bool()>& isOver);
/// waitDead(), or until isBeyondReach(). `milliseconds`: -1: no limit.
bool waitEnded(int pid, int pidfd, int milliseconds);

/// A process with its descriptor.
struct HeldProcess {
    ProcessStat stat;
    UniqueFd pidfd;
};
/// Opens a number and checks that it is a child of `parent`, whose own descriptor is `parentPidfd` (-1: the
/// caller).
std::optional<HeldProcess> holdChild(int pid, int parent, int parentPidfd);
/// Every living descendant of `root`, itself not included, as far as found in one walk.
std::vector<HeldProcess> holdDescendants(int root, int rootPidfd);

/// All numbers in /proc.
std::vector<int> allProcesses();

} // namespace yard::host

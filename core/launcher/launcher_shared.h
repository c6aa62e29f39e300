// What all threads of the launcher share. Constant after its start but for what synchronises itself.
#pragma once

#include "core/base/clock.h"
#include "core/launcher/launcher_board.h"
#include "core/launcher/launcher_pump.h"
#include "core/launcher/silent_paths.h"
#include "core/launcher/slot_groups.h"
#include "core/lease/process_mark.h"
#include "core/lease/slots.h"
#include "core/sandbox/enter.h"

#include <atomic>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace yard::runners {

/// The launcher owns it, and it outlives all threads that use it but those that were left behind in a start.
struct LauncherShared {
    Board& board;
    UpdateSender& updates;
    SlotsFile& slots;
    Pump& pump;
    std::string ownerToken;
    std::string dataDir;
    std::string lockDir; ///< of named locks; empty: none
    int enginePid = 0;
    const ProcessMarks marks;
    std::vector<std::string> environment; ///< of the engine, without YARD_OWNER and YARD_LSN
    rlimit openFiles{};                   ///< for children: as the engine was started
    int nullFd = -1;
    bool durable = false; ///< what may begin only once begins when that is on the disk
    int orphansFd =
        -1; ///< /proc/self/task/<main>/children: whoever was orphaned below us is a child of the main thread
    /// Called on a spawner's thread. The first process of a warded attempt has ended, or (false) an attempt that
    /// was warded while it was being started now lives.
    std::function<void(SlotId, AttemptId, bool exited)> tellWarden;
    /// The answer to KeepOutput, on the pump's thread: output of one spawner's children is in files.
    std::function<void()> outputKept;
    SilentPaths* silent = nullptr;                  ///< never null
    int pid = 0;                                    ///< of the launcher, asked once: it is a system call
    const Result<sandbox::Base>* sandbox = nullptr; ///< what all sandboxes share
    SlotGroups* groups = nullptr;                   ///< null: there are none
    std::atomic<unsigned> leftBehind{0};            ///< threads that still live
};

/// A start that takes longer is given up: a directory or a program does not answer.
inline constexpr Duration kLongestStart{5'000'000};

} // namespace yard::runners

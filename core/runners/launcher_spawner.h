// A spawner of the launcher: one thread that starts the children of its slots, reads their output, reaps them and
// starts the next lease without asking. Slot s belongs to spawner s modulo their number.
//
// Owner: its own thread. post() may be called by any, what is said to be the launcher's main thread's by that one.
//
// A thread that stands still in a start (start_watch.h) and does not come back is left behind: the main thread
// takes that child from it and starts another thread, which owns the spawner from then on: it ends that attempt and
// goes on with all others. The old thread keeps the child it stands in. When it comes back it ends what came of the
// start and lets go of everything. It lives until the last process that it has cloned is gone, as its end is their
// parent-death signal.
#pragma once

#include "core/runners/child_process.h"
#include "core/runners/epoll_set.h"
#include "core/runners/launcher_board.h"
#include "core/runners/launcher_pump.h"
#include "core/runners/process_mark.h"
#include "core/runners/silent_paths.h"
#include "core/runners/slot_groups.h"
#include "core/runners/slots.h"
#include "core/runners/start_watch.h"
#include "core/sandbox/enter.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <variant>
#include <vector>

namespace yard::runners {

/// What the whole launcher has once. Constant after its start but for what synchronises itself.
struct LauncherShared {
    Board& board;
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
    SilentPaths* silent = nullptr;                  ///< never null
    int pid = 0;                                    ///< of the launcher, asked once: it is a system call
    const Result<sandbox::Base>* sandbox = nullptr; ///< what all sandboxes share
    SlotGroups* groups = nullptr;                   ///< null: there are none
    std::atomic<unsigned> leftBehind{0};            ///< threads that still live
};

/// A start that takes longer is given up: a directory or a program does not answer.
inline constexpr Duration kLongestStart{5'000'000};

class Spawner {
public:
    struct Wake {}; ///< there may be a lease
    /// The warden: the last process of the tree is gone. CPU and memory are of the orphans it reaped.
    struct TreeGone {
        SlotId slot;
        AttemptId id;
        bool hadSurvivors = false;
    };
    struct StreamDone {
        SlotId slot;
        AttemptId id;
        Stream stream = Stream::Out;
        StreamResult result;
    };
    struct Watch {
        SlotId slot;
        AttemptId id;
        Stream stream = Stream::Out;
        bool on = true;
    };
    struct AskOutput {
        SlotId slot;
        AttemptId id;
    };
    struct Stop {}; ///< only when its slots are idle
    using Message = std::variant<Wake, TreeGone, StreamDone, Watch, AskOutput, Stop>;

    Spawner(LauncherShared& shared, unsigned index, unsigned count);
    ~Spawner();
    void post(Message message) { inbox_.post(std::move(message)); }

    // The main thread.

    /// Gives up the start of this attempt, if it is in it.
    void giveUpStart(AttemptId id, MonoTime now);
    /// Looks after a start that takes long. True: one is to end, and has to be looked at again in kPatience.
    /// `isEnding`: the launcher is about to end, whatever stands.
    bool lookAfterStart(MonoTime now, bool isEnding);
    /// Ends the thread. All slots are idle.
    void stop();

private:
    struct Flow;
    struct Child;
    struct Workspace;
    struct Blame;
    struct LeftBehind {}; ///< thrown to leave everything at once
    void drive();
    void run();
    bool leaveBehind(const StartWatch::Seen& seen, bool isEnding);
    bool isAttempt(int pid) const;
    void outliveChildren() const;
    void handle(Message message);
    void tellOutput(const AskOutput& ask);
    void handleEvent(std::uint64_t key);
    void startIdle(MonoTime now);
    void runChain(Child& child, Lease lease);
    std::optional<Lease> start(Child& child, Lease lease);
    std::optional<Lease> begin(Child& child);
    void beginMarked();
    SpawnFailure tryToStart(Child& child);
    bool lookAt(Child& child, std::string_view path);
    std::optional<SpawnFailure> refusedAtOnce(const Child& child) const;
    std::optional<SpawnFailure> findDirectory(Child& child);
    SpawnFailure findAndLaunch(Child& child);
    void endProcess(Child& child) const;
    static Blame blameFor(const Child& child, const std::string& lookedAt);
    SpawnFailure givenUp(const Child& child, const Blame& blame) const;
    /// What the failure of a start says whose path did not answer.
    static SpawnFailure silence(const Child& child, const Blame& blame);
    /// As execve takes them, with a null at the end; good as long as both are.
    static char** pointersTo(const std::vector<std::string>& texts, std::vector<char*>& pointers);
    std::optional<Lease> fail(Child& child, SpawnFailure failure);
    /// Takes what the lease claims. Nothing: it has them all.
    struct Refusal;
    std::optional<Refusal> takeLocks(Child& child);
    std::optional<Lease> refuse(Child& child, Refusal refusal);
    std::string_view searchPath(const Lease& lease) const;
    bool openPipes(Child& child, UniqueFd& outWrite, UniqueFd& errWrite);
    bool openTerminal(Child& child);
    /// The failure, if it does not run now.
    SpawnFailure launch(Child& child, const std::string& program, int outFd, int errFd);
    // launcher_sandbox.cpp
    SpawnFailure launchSandboxed(Child& child, const std::string& program, int outFd, int errFd);
    SpawnFailure failureOf(Child& child, const sandbox::Start& started, const std::string& program);
    void takeRecords(Child& child);
    std::vector<std::string> ownVariables(const Lease& lease) const;
    std::vector<std::string> variablesInside(const Lease& lease) const;
    void onExit(Child& child);
    bool collectExit(Child& child);
    std::optional<Lease> afterTree(Child& child);
    std::optional<Lease> finishIfComplete(Child& child);
    std::size_t drain(Child& child, Flow& flow, std::size_t limit);
    void toPump(Child& child, Flow& flow, bool watched);
    void closeFlow(Flow& flow);
    void registerPipes(Child& child);
    MonoTime nextTimer() const;
    bool hasOrphans();
    Child* childOf(SlotId slot, AttemptId id);

    LauncherShared& shared_;

    EpollSet epoll_;
    Inbox<Message> inbox_;
    StartWatch starts_;
    std::vector<std::shared_ptr<Child>> children_; ///< one per slot of ours, in use or not
    std::vector<char> buffer_;
    std::deque<Message> messages_; ///< taken from the inbox
    bool stopping_ = false;
    bool hasMarked_ = false; ///< children that wait for one sync together
    // In a start, the thread leaves these to the main one.
    std::shared_ptr<Workspace> workspace_;
    std::shared_ptr<Child> starting_;
    struct TakenOver;
    std::unique_ptr<TakenOver> takenOver_; ///< what the next thread begins with

    const unsigned index_;
    std::thread thread_; ///< the main thread's
};

} // namespace yard::runners

// A spawner of the launcher: one thread that starts the children of its slots, reads their output, reaps them and
// starts the next lease without asking (ENGINE 1). Slot s belongs to spawner s modulo their number.
//
// Owner: its own thread. post() and the static helpers may be called by any. It must outlive its children: its end
// is their parent-death signal.
#pragma once

#include "core/runners/child_process.h"
#include "core/runners/epoll_set.h"
#include "core/runners/launcher_board.h"
#include "core/runners/launcher_pump.h"
#include "core/runners/slot_groups.h"
#include "core/runners/slots.h"
#include "core/runners/start_watch.h"
#include "core/sandbox/enter.h"

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
    /// Any thread.
    StartWatch& starts() { return starts_; }

private:
    struct Flow;
    struct Child;
    void run();
    void handle(Message message);
    void tellOutput(const AskOutput& ask);
    void handleEvent(std::uint64_t key);
    void startIdle(MonoTime now);
    void runChain(Child& child, Lease lease);
    std::optional<Lease> start(Child& child, Lease lease);
    std::optional<Lease> begin(Child& child);
    void beginMarked();
    SpawnFailure tryToStart(Child& child);
    SpawnFailure givenUp(Child& child, SpawnFailure failure);
    std::optional<Lease> fail(Child& child, SpawnFailure failure);
    /// Takes what the lease claims. Nothing: it has them all.
    struct Refusal;
    std::optional<Refusal> takeLocks(Child& child);
    std::optional<Lease> refuse(Child& child, Refusal refusal);
    std::string_view searchPath(const Lease& lease) const;
    bool openPipes(Child& child, UniqueFd& outWrite, UniqueFd& errWrite);
    /// The failure, if it does not run now.
    SpawnFailure launch(Child& child, const std::string& program, int outFd, int errFd);
    // launcher_sandbox.cpp
    SpawnFailure launchSandboxed(Child& child, const std::string& program, int outFd, int errFd);
    void takeRecords(Child& child);
    std::vector<std::string> ownVariables(const Lease& lease) const;
    std::vector<std::string> variablesInside(const Lease& lease) const;
    void fillArguments(const Lease& lease);
    void onExit(Child& child);
    bool collectExit(Child& child);
    std::optional<Lease> afterTree(Child& child);
    std::optional<Lease> finishIfComplete(Child& child);
    void drain(Child& child, Flow& flow, std::size_t limit);
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
    ChildStack stack_;
    std::vector<std::unique_ptr<Child>> children_; ///< one per slot of ours, in use or not
    std::vector<char> buffer_;
    std::vector<char*> argv_; ///< reused between starts
    std::vector<char*> envp_;
    bool stopping_ = false;
    bool hasMarked_ = false; ///< children that wait for one sync together
    std::thread thread_;
};

} // namespace yard::runners

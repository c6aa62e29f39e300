// A spawner of the launcher: one thread that starts the children of its slots (ProgramStarter), reads their output
// (OutputReader), reaps them and starts the next lease without asking. Slot s belongs to spawner s modulo their
// number.
//
// Owner: its own thread. post() may be called by any, what is said to be the launcher's main thread's by that one.
//
// A thread that stands still in a start (start_watch.h) and does not come back is left behind: the main thread
// takes that child from it and starts another thread, which owns the spawner from then on: it ends that attempt and
// goes on with all others. The old thread keeps the child it stands in. When it comes back it ends what came of the
// start and lets go of everything. It lives until the last process that it has cloned is gone, as its end is their
// parent-death signal.
#pragma once

#include "core/launcher/epoll_set.h"
#include "core/launcher/launcher_child.h"
#include "core/launcher/launcher_shared.h"
#include "core/launcher/output_reader.h"
#include "core/launcher/program_starter.h"
#include "core/launcher/start_watch.h"

#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

namespace yard::runners {

class Spawner {
public:
    struct Wake {}; ///< there may be a lease
    /// The warden: the last process of the tree is gone. CPU and memory are of the orphans it reaped.
    struct TreeGone {
        SlotId slot;
        AttemptId id;
        bool hadSurvivors = false;
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
    struct KeepOutput {}; ///< the engine is lost: what was written goes where the next one finds it
    struct Stop {};       ///< only when its slots are idle
    using Message = std::variant<Wake, TreeGone, OutputReader::StreamDone, Watch, AskOutput, KeepOutput, Stop>;

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
    struct LeftBehind {}; ///< thrown to leave everything at once
    void drive();
    void run();
    bool leaveBehind(const StartWatch::Seen& seen, bool isEnding);
    bool isAttempt(int pid) const;
    void outliveChildren() const;
    void handle(Message message);
    void tellOutput(const AskOutput& ask);
    void keepOutput();
    void handleEvent(const ChildEvent& event);
    void startIdle();
    void runChain(SlotChild& child, Lease lease);
    std::optional<Lease> start(SlotChild& child, Lease lease);
    std::optional<Lease> begin(SlotChild& child);
    std::optional<Lease> refuseLate(SlotChild& child);
    void beginMarked();
    std::optional<Lease> fail(SlotChild& child, SpawnFailure failure);
    /// Takes what the lease claims. Nothing: it has them all.
    struct Refusal;
    std::optional<Refusal> takeLocks(SlotChild& child);
    std::optional<Lease> refuse(SlotChild& child, Refusal refusal);
    void onExit(SlotChild& child);
    std::optional<Lease> afterTree(SlotChild& child);
    std::optional<Lease> finishIfComplete(SlotChild& child);
    MonoTime nextTimer() const;
    bool hasOrphans();
    SlotChild* childOf(SlotId slot, AttemptId id);

    LauncherShared& shared_;

    EpollSet epoll_;
    Inbox<Message> inbox_;
    StartWatch starts_;
    ProgramStarter starter_;
    OutputReader output_;
    std::vector<std::shared_ptr<SlotChild>> children_; ///< one per slot of ours, in use or not
    std::deque<Message> messages_;                     ///< taken from the inbox
    bool stopping_ = false;
    bool hasMarked_ = false; ///< children that wait for one sync together
    // In a start, the thread leaves these to the main one.
    std::shared_ptr<StartWorkspace> workspace_;
    std::shared_ptr<SlotChild> starting_;
    struct TakenOver {
        std::shared_ptr<SlotChild> child; ///< in place of the one that thread stands in
        SpawnFailure failure;
    };
    std::unique_ptr<TakenOver> takenOver_; ///< what the next thread begins with

    const unsigned index_;
    std::thread thread_; ///< the main thread's
};

} // namespace yard::runners

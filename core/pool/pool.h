// The warm pool as a pure data structure: which process serves a request, when one is spawned, which one goes. No
// processes, sockets, clocks or threads: the time is a parameter, and what is to happen comes out in an Outbox, as
// from core/session; what became of it goes in as an event.
//
// It has over 40 functions: an event of one process may move another one, a group and those who wait in one step, and
// check() holds all of them against each other.
//
// Owner: one thread (the engine's). Nothing blocks. checkout() and close() are O(1); what a spawn follows may look
// at each group.
//
// The algorithm is that of an application pool for web applications. Where it leaves a hole, this one differs, and
// tests/pool/tst_holes.cpp shows why:
//   - a process counts against `max` from the order to spawn it until it is gone, not from ready until detached: a
//     budget is about what is alive
//   - nothing spawns under a lock; one that fails ends only those who wait for it and have no other process, and
//     does not take a healthy group along
//   - sessions are lowered before max_requests is looked at; a process is given no more sessions than it may serve
//   - evicted is the longest idle process of the group with the least traffic; what goes is the victim's entry
//   - a group with nobody waiting does not keep others out forever: once a new group has waited kPatience, the
//     next process that becomes free goes to it
#pragma once

#include "core/base/clock.h"
#include "core/base/owner.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::pool {

/// A place and how often it was used: one that is gone is never mistaken for the next one there.
template<class Tag>
struct Handle {
    std::uint32_t place = 0;
    std::uint32_t use = 0; ///< 0: none
    friend constexpr auto operator<=>(const Handle&, const Handle&) = default;
};
using ProcessId = Handle<struct ProcessTag>;
using WaiterId = Handle<struct WaiterTag>;
using GroupId = Handle<struct GroupTag>;

/// What is true of a process; numbers in order of life.
enum class ProcessState : unsigned char {
    Starting,  ///< ordered; spawned() or gone() ends it
    Idle,      ///< no session
    Busy,      ///< sessions
    Finishing, ///< detached: gets no more sessions, has some
    Stopping,  ///< detached and told to end; gone() ends it
    Gone
};
inline constexpr std::size_t kProcessStates = 6;
std::string_view name(ProcessState state);

enum class WhyStarted : unsigned char { FirstRequest, AllBusy, MinProcesses, Restart };
std::string_view name(WhyStarted why);

enum class WhyEnded : unsigned char {
    None,
    Idle,        ///< longer than max_idle_s
    Evicted,     ///< another group needed its place
    MaxRequests, ///< it served as many as it may
    Restart,     ///< replaced by a new one
    Detached,    ///< asked for
    Removed,     ///< its worker is gone, or the pool
    Replaced,    ///< a newer version of its worker is there
    Memory,      ///< over its worker's memory limit
    Crashed,     ///< died, or broke the protocol, or hung
    SpawnFailed, ///< did not come up
    ActionEnded  ///< with an action it worked on, which was cancelled or over its deadline
};
std::string_view name(WhyEnded why);

/// Of a worker. Each may change while processes run.
struct GroupOptions {
    unsigned minProcesses = 0;            ///< once it was used it has so many, but for a reason: see restore()
    unsigned maxProcesses = 0;            ///< of its family; 0: the pool's maxPerGroup
    unsigned maxRequests = 0;             ///< 0: any number
    std::optional<Duration> maxIdle = {}; ///< absent: the pool's; 0: forever
    bool globalQueue = true;              ///< else a request goes to the least busy process at once
    friend bool operator==(const GroupOptions&, const GroupOptions&) = default;
};

struct PoolOptions {
    unsigned max = 6;
    unsigned maxPerGroup = 0;      ///< 0: as many as `max`
    Duration maxIdle{300'000'000}; ///< 0: forever
    friend bool operator==(const PoolOptions&, const PoolOptions&) = default;
};

/// Checkouts of one request that end in a crash before it fails.
inline constexpr unsigned kMaxAttempts = 10;
/// So long a new group waits for a process of others to become idle; then it gets the next one that is free at all.
inline constexpr Duration kPatience{1'000'000};

/// What is to happen now, in order. The caller carries it out and clears it.
struct Outbox {
    struct Spawn {
        ProcessId process;
        GroupId group;
    };
    struct Served { ///< somebody who waited has a session with the process
        std::uint64_t tag;
        ProcessId process;
    };
    struct Failed { ///< somebody who waited will not get one: the spawn failed, or its group was removed
        std::uint64_t tag;
        WhyEnded why;
    };
    struct End { ///< end it, tell gone(). A Starting one is interrupted.
        ProcessId process;
        WhyEnded why;
    };
    std::vector<Spawn> spawn;
    std::vector<Served> served;
    std::vector<Failed> failed;
    std::vector<End> end;
    struct Finishing { ///< detached with sessions: unless it is for max_requests, what it was not sent goes
                       ///< elsewhere
        ProcessId process;
        WhyEnded why;
    };
    std::vector<Finishing> finishing;
    std::vector<GroupId> restarted; ///< every process is a new one
    struct RolledBack {             ///< a new one did not come up: what is left stays
        GroupId group;
        WhyEnded why;     ///< of the new one
        std::size_t left; ///< processes, new ones too
        std::size_t of;   ///< there were when the restart began
    };
    std::vector<RolledBack> rolledBack;
    void clear() { *this = {}; }
};

struct ProcessView {
    ProcessId id;
    GroupId group;
    ProcessState state = ProcessState::Gone;
    unsigned concurrency = 1;
    unsigned limit = 1;
    unsigned sessions = 0;
    std::uint64_t processed = 0;
    MonoTime started{};
    MonoTime lastUsed{};
    WhyStarted whyStarted = WhyStarted::FirstRequest;
    WhyEnded whyEnded = WhyEnded::None;
};
struct GroupView {
    GroupId id;
    std::string_view key;
    std::string_view family;
    GroupOptions options;
    std::size_t size = 0; ///< Idle and Busy
    unsigned starting = 0;
    unsigned leaving = 0;
    std::size_t waiting = 0;
    bool restarting = false;
    std::size_t target = 0;  ///< of the restart: processes there will be
    std::size_t renewed = 0; ///< of them, those that are new already
    bool superseded = false;
    MonoTime pausedUntil{};    ///< no spawn in the background before: one failed
    unsigned ofFamily = 0;     ///< processes of its family, in whatever state
    unsigned mostOfFamily = 0; ///< there may be
    bool isOwnLimit = false;   ///< that is maxProcesses, else the pool's
    double traffic = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    Duration saved{}; ///< what spawning for each request served would have taken more
};

struct Process;
struct Group;
struct Family;

class Pool {
public:
    explicit Pool(PoolOptions options);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    // -- groups and limits
    /// The newest group of its family from now on, whether it was there or not: the others' idle processes go. A
    /// group that is there keeps its family.
    GroupId addGroup(std::string_view key, std::string_view family, const GroupOptions& options, MonoTime now,
                     Outbox& out);
    void configureGroup(GroupId group, const GroupOptions& options, MonoTime now, Outbox& out);
    /// Detaches all its processes, interrupts its spawn, fails those who wait.
    void removeGroup(GroupId group, MonoTime now, Outbox& out);
    std::optional<GroupId> findGroup(std::string_view key) const;
    /// Over a lowered limit idle ones go at once, busy ones when they become idle.
    void configure(const PoolOptions& options, MonoTime now, Outbox& out);
    const PoolOptions& options() const { return options_; }

    // -- sessions
    struct Checkout {
        std::optional<ProcessId> process; ///< it has one session more
        WaiterId waiter;                  ///< else: Outbox::served or failed will name the tag
    };
    /// A session of a process of the group for a request, or a place in its waiting list.
    Checkout checkout(GroupId group, std::uint64_t tag, MonoTime now, Outbox& out);
    /// False: it was served or failed already.
    bool cancelWait(WaiterId waiter);
    /// A session has ended. `served`: the process answered it, else it was never sent. Without effect on one that
    /// is stopping or gone.
    void close(ProcessId process, bool served, MonoTime now, Outbox& out);

    // -- processes
    /// It came up: gets sessions from now on. `ahead`: what it may be sent beyond its concurrency.
    void spawned(ProcessId process, unsigned concurrency, unsigned ahead, MonoTime now, Outbox& out);
    /// The order is done with nothing to show; the process is gone. Those who wait and have no other process fail.
    void spawnFailed(ProcessId process, MonoTime now, Outbox& out);
    /// All its sessions are void: their requests are the caller's. End follows. `why`: Crashed, Memory, or
    /// ActionEnded, which is not its fault.
    void crashed(ProcessId process, MonoTime now, Outbox& out, WhyEnded why = WhyEnded::Crashed);
    /// No more sessions; ends once it has none. False: it is detached already, or unknown.
    bool detach(ProcessId process, WhyEnded why, MonoTime now, Outbox& out);
    /// What was told to end has ended.
    void gone(ProcessId process, MonoTime now, Outbox& out);
    void setAhead(ProcessId process, unsigned ahead, MonoTime now, Outbox& out);
    /// Paused it gets no more sessions until it has none left, or is no longer paused; what it has it keeps.
    /// Without effect on one that has none.
    void setPaused(ProcessId process, bool paused, MonoTime now, Outbox& out);
    /// One that is Starting lacks something else than a place, and its group has no other for those who wait: an
    /// idle process of a group that `helps` is detached. False: there is none, or nobody waits.
    bool makeRoom(ProcessId process, const std::function<bool(GroupId)>& helps, MonoTime now, Outbox& out);

    /// Somebody outside lacks what processes of a group that `helps` hold: an idle one is detached, the least used
    /// group's first, but none that min_processes keeps. Returns its group; nothing: there is none.
    std::optional<GroupId> evictIdle(const std::function<bool(GroupId)>& helps, MonoTime now, Outbox& out);

    // -- restart and cleaning
    /// One by one: a new one first where the budget allows it, then an old one goes; else an old one goes first. A
    /// new one that does not come up ends the restart: the old ones that are left stay, one that went first does
    /// not come back.
    void restart(GroupId group, MonoTime now, Outbox& out);
    /// All at once: what is idle ends, what is busy finishes what it has; the next request gets a new one.
    void reload(GroupId group, MonoTime now, Outbox& out);
    /// Idle ones beyond their time go, but not below min_processes. Returns when to look again, nothing: no need.
    std::optional<MonoTime> clean(MonoTime now, Outbox& out);
    /// Spawns that had to wait after a failure: when the next one is due.
    std::optional<MonoTime> retrySpawns(MonoTime now, Outbox& out);
    /// When retrySpawns() is to be called next. Nothing: no need.
    std::optional<MonoTime> nextSpawn() const;

    // -- questions
    unsigned count() const { return count_; }
    unsigned active() const { return active_; }
    std::size_t waiting() const { return waiting_; }
    std::optional<ProcessView> process(ProcessId id) const;
    std::optional<GroupView> group(GroupId id) const;
    std::vector<GroupId> groups() const;
    /// Of a group, whatever their state.
    std::vector<ProcessView> processes(GroupId id) const;
    /// Every invariant, a line each: the first that does not hold, or nothing. Walks everything.
    std::string verify() const;

private:
    // process.cpp: the life of a process, and its place in the lists
    Process* find(ProcessId id) const;
    Group* find(GroupId id) const;
    void move(Process& process, ProcessState to);
    void place(Process& process);
    void unplace(Process& process);
    void replace(Process& process, unsigned before, bool inFront);
    void reorder(Group& group);
    void open(Process& process, MonoTime now, Outbox& out);
    void detach(Process& process, WhyEnded why, Outbox& out);
    void forget(Process& process);
    void releaseIfGone(Group& group);

    // spawning.cpp: budgets, waiting lists
    unsigned limitOf(const Group& group) const;
    bool isOver(const Group& group) const;
    bool mayHold(const Group& group) const;
    void order(Group& group, WhyStarted why, MonoTime now, Outbox& out);
    void want(Group& group, MonoTime now, Outbox& out);
    void noteLack(Group& group);
    void restore(MonoTime now, Outbox& out);
    Process* victimFor(const Group& group, MonoTime now) const;
    Process* futureOne() const;
    bool evictFor(const Group& group, MonoTime now, Outbox& out);
    void wake(MonoTime now, Outbox& out);
    void serve(Group& group, MonoTime now, Outbox& out);
    void failWaiting(Group& group, WhyEnded why, Outbox& out);
    void settle(Group& group, MonoTime now, Outbox& out);
    void list(Group& group);
    bool leavesForOthers(const Process& process, MonoTime now) const;
    void dropUnneeded(Process& process, MonoTime now, Outbox& out);
    void trim(Outbox& out);

    // restarting.cpp
    void advance(Group& group, MonoTime now, Outbox& out);
    void rollBack(Group& group, WhyEnded why, Outbox& out);

    struct State; ///< process.h
    PoolOptions options_;
    std::unique_ptr<State> s_;
    unsigned count_ = 0;    ///< processes in whatever state
    unsigned active_ = 0;   ///< Busy
    unsigned stopping_ = 0; ///< Stopping: their places will be free
    std::size_t waiting_ = 0;
    OwnerCheck owner_;
};

} // namespace yard::pool

template<class Tag>
struct std::hash<yard::pool::Handle<Tag>> {
    std::size_t operator()(const yard::pool::Handle<Tag>& h) const noexcept {
        return std::hash<std::uint64_t>{}((std::uint64_t{h.place} << 32) | h.use);
    }
};

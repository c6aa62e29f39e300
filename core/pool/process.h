// What the pool keeps of a process, a group, a family and somebody who waits. Private to core/pool and its
// verifier; owner: as Pool.
#pragma once

#include "core/base/clock.h"
#include "core/pool/intrusive_list.h"
#include "core/pool/pool.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace yard::pool {

struct Group;

struct Process {
    ProcessId id;
    ProcessState state = ProcessState::Gone;
    Group* group = nullptr;
    unsigned concurrency = 1;
    unsigned limit = 1;    ///< sessions it is given in a global queue: concurrency and what may be sent ahead
    unsigned sessions = 0; ///< Idle: 0, Busy: > 0, Finishing: > 0, else 0
    std::uint64_t processed = 0;
    MonoTime started{};
    MonoTime lastUsed{};
    std::uint32_t generation = 0; ///< of its group when it was spawned: older ones are being replaced
    WhyStarted whyStarted = WhyStarted::FirstRequest;
    WhyEnded whyEnded = WhyEnded::None;
    Link inGroup;    ///< Idle and Busy: Group::processes, or full
    Link inInactive; ///< Idle: Pool's inactive list

    bool isInFull = false; ///< Group::full, and not processes
    bool paused = false;   ///< gets no more sessions until it has none

    bool isDetached() const { return state >= ProcessState::Finishing; }
};

struct Waiter {
    WaiterId id;
    std::uint64_t tag = 0;
    Group* group = nullptr; ///< null: the place is free
    MonoTime since{};
    Link inGroup;
};

/// Groups that roll over into one another: they share a budget.
struct Family {
    std::string name;
    unsigned alive = 0;         ///< processes of its groups, in whatever state
    std::vector<Group*> groups; ///< removed ones first, the newest last; a few
    bool everUsed = false;
};

struct Group {
    GroupId id;
    std::string key;
    Family* family = nullptr;
    GroupOptions options;
    bool detached = true;    ///< the place is free
    bool superseded = false; ///< a newer one of its family is there: what is idle goes
    /// Those that may be given a session. Idle ones first, then by sessions: the least busy is always the first.
    List<Process, &Process::inGroup> processes;
    /// Those with as many sessions as their limit, with private queues none; and those that are paused.
    List<Process, &Process::inGroup> full;
    std::size_t size() const { return processes.size() + full.size(); }
    /// First and last process with so many sessions; both null where there is none.
    struct Bucket {
        Process* first = nullptr;
        Process* last = nullptr;
    };
    std::vector<Bucket> bySessions;
    unsigned starting = 0; ///< being spawned: at most 1
    unsigned kept = 0;     ///< Starting, Idle and Busy: what min_processes is about
    unsigned leaving = 0;  ///< Finishing and Stopping
    List<Waiter, &Waiter::inGroup> waiting;
    // Somebody waits, and nothing is being spawned for it:
    Link inCreating; ///< it has no process
    Link inGrowing;  ///< all that it has are busy
    Link inLacking;  ///< it has fewer than min_processes

    std::uint32_t generation = 0;
    bool restarting = false;
    std::size_t target = 0; ///< of a restart: processes there were
    bool everUsed = false;  ///< or one of its family: before that min_processes are not started
    unsigned failures = 0;  ///< spawns that failed in a row
    MonoTime notBefore{};   ///< no spawn in the background before
    double traffic = 0;     ///< requests, halved each minute
    MonoTime trafficAt{};
    std::uint64_t hits = 0;   ///< checkouts that found a process
    std::uint64_t misses = 0; ///< that had to wait
    std::uint64_t spawned = 0;
    std::uint64_t served = 0;
    Duration spawnTime{}; ///< of all that came up
};

struct Pool::State {
    // Deques: elements stay where they are. A place is used again; its handle then counts one use more.
    std::deque<Process> processes;
    std::vector<std::uint32_t> freeProcesses;
    std::deque<Waiter> waiters;
    std::vector<std::uint32_t> freeWaiters;
    std::deque<Group> groups;
    std::vector<std::uint32_t> freeGroups;
    std::unordered_map<std::string, Group*> byKey;
    std::unordered_map<std::string, std::unique_ptr<Family>> families;
    List<Process, &Process::inInactive> inactive; ///< Idle, the longest first
    List<Group, &Group::inCreating> creating;     ///< in the order they began to wait
    List<Group, &Group::inGrowing> growing;
    List<Group, &Group::inLacking> lacking;
    MonoTime restoredAt{};
    bool gaveUp = false; ///< somebody who waited does not any more: there may be room for those that lack
    std::unordered_set<std::string> usedFamilies; ///< of those that are gone; at most kMostUsed
};

/// Families that are remembered to have been used: what is added again has its min_processes at once.
inline constexpr std::size_t kMostUsed = 1'024;

/// Recent requests, halved each minute.
double trafficOf(const Group& group, MonoTime now);
void touch(Group& group, MonoTime now);
/// A process of before the last restart, idle if there is one: those come first.
Process* oldProcess(const Group& group);
/// Back-off before the next background spawn after `failures` consecutive failures.
Duration pauseAfter(unsigned failures);

/// A free place, or a new one, whose handle is set.
template<class T>
T& takePlace(std::deque<T>& all, std::vector<std::uint32_t>& free) {
    if (free.empty()) {
        all.emplace_back();
        all.back().id = {static_cast<std::uint32_t>(all.size() - 1), 1};
        return all.back();
    }
    T& place = all[free.back()];
    free.pop_back();
    const auto id = place.id;
    place = T{};
    place.id = {id.place, id.use + 1};
    return place;
}

} // namespace yard::pool

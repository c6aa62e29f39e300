// The life of a process and its place in the lists.
#include "core/pool/process.h"

#include "core/base/state_machine.h"

#include <array>
#include <cassert>
#include <utility>

namespace yard::pool {

namespace {

[[maybe_unused]] constexpr TransitionTable<ProcessState, kProcessStates> kMoves{
    {ProcessState::Gone, {ProcessState::Starting}},
    {ProcessState::Starting, {ProcessState::Idle, ProcessState::Stopping, ProcessState::Gone}},
    {ProcessState::Idle, {ProcessState::Busy, ProcessState::Stopping}},
    {ProcessState::Busy, {ProcessState::Idle, ProcessState::Finishing}},
    {ProcessState::Finishing, {ProcessState::Stopping}},
    {ProcessState::Stopping, {ProcessState::Gone}},
};

} // namespace

std::string_view name(ProcessState state) {
    constexpr std::array<std::string_view, kProcessStates> kNames{"starting",  "idle",     "busy",
                                                                  "finishing", "stopping", "gone"};
    return kNames[std::to_underlying(state)];
}

std::string_view name(WhyStarted why) {
    constexpr std::array<std::string_view, 4> kNames{"first_request", "all_busy", "min_processes", "restart"};
    return kNames[std::to_underlying(why)];
}

std::string_view name(WhyEnded why) {
    constexpr std::array<std::string_view, 12> kNames{"",        "idle",     "evicted",      "max_requests",
                                                      "restart", "detached", "removed",      "replaced",
                                                      "memory",  "crashed",  "spawn_failed", "action_ended"};
    return kNames[std::to_underlying(why)];
}

Process* Pool::find(ProcessId id) const {
    if (id.place >= s_->processes.size()) return nullptr;
    Process& process = s_->processes[id.place];
    return process.id == id && process.state != ProcessState::Gone ? &process : nullptr;
}

Group* Pool::find(GroupId id) const {
    if (id.place >= s_->groups.size()) return nullptr;
    Group& group = s_->groups[id.place];
    return group.id == id && !group.detached ? &group : nullptr;
}

/// The one function that moves a process. Everything that is counted by state is counted here.
void Pool::move(Process& process, ProcessState to) {
    const ProcessState from = process.state;
    assert(kMoves.allows(from, to));
    Group& group = *process.group;
    const auto change = [&](auto& counter, auto holds) {
        counter += static_cast<unsigned>(holds(to));
        counter -= static_cast<unsigned>(holds(from));
    };
    const auto isAlive = [](ProcessState s) { return s != ProcessState::Gone; };
    change(count_, isAlive);
    change(group.family->alive, isAlive);
    change(active_, [](ProcessState s) { return s == ProcessState::Busy; });
    change(stopping_, [](ProcessState s) { return s == ProcessState::Stopping; });
    change(group.starting, [](ProcessState s) { return s == ProcessState::Starting; });
    change(group.leaving,
           [](ProcessState s) { return s == ProcessState::Finishing || s == ProcessState::Stopping; });
    const auto isKept = [](ProcessState s) { return s <= ProcessState::Busy; };
    change(group.kept, isKept);
    if (isKept(from) != isKept(to)) noteLack(group);
    if (from == ProcessState::Idle) s_->inactive.remove(process);
    if (to == ProcessState::Idle) s_->inactive.pushBack(process);
    process.state = to;
}

// --- the list of a group, by sessions

namespace {

using InGroup = List<Process, &Process::inGroup>;

bool isFull(const Process& process) {
    return process.paused || (process.group->options.globalQueue && process.sessions >= process.limit);
}

Group::Bucket& bucketOf(Group& group, unsigned sessions) {
    if (group.bySessions.size() <= sessions) group.bySessions.resize(sessions + 1);
    return group.bySessions[sessions];
}

void leaveList(Group& group, Process& process, unsigned sessions) {
    if (!InGroup::isLinked(process)) return;
    if (process.isInFull) {
        group.full.remove(process);
        process.isInFull = false;
        return;
    }
    Group::Bucket& bucket = bucketOf(group, sessions);
    if (bucket.first == &process && bucket.last == &process)
        bucket = {};
    else if (bucket.first == &process)
        bucket.first = group.processes.next(process);
    else if (bucket.last == &process)
        bucket.last = group.processes.previous(process);
    group.processes.remove(process);
}

/// The first process that has more sessions. Its neighbours know, but where nobody has one session less or more.
Process* firstAbove(Group& group, unsigned sessions) {
    if (sessions > 0)
        if (Process* below = group.bySessions[sessions - 1].last) return group.processes.next(*below);
    for (std::size_t above = sessions + 1; above < group.bySessions.size(); ++above)
        if (Process* first = group.bySessions[above].first) return first;
    return nullptr;
}

} // namespace

void Pool::place(Process& process) {
    replace(process, process.sessions, true);
}

void Pool::unplace(Process& process) {
    leaveList(*process.group, process, process.sessions);
}

/// Puts it where its sessions belong; they were `before`. In front of those that have as many, or behind.
void Pool::replace(Process& process, unsigned before, bool inFront) {
    Group& group = *process.group;
    leaveList(group, process, before);
    if (isFull(process)) {
        process.isInFull = true;
        group.full.pushBack(process);
        return;
    }
    Group::Bucket& bucket = bucketOf(group, process.sessions);
    if (!bucket.first) {
        group.processes.insertBefore(process, firstAbove(group, process.sessions));
        bucket = {&process, &process};
    } else if (inFront) {
        group.processes.insertBefore(process, bucket.first);
        bucket.first = &process;
    } else {
        group.processes.insertBefore(process, group.processes.next(*bucket.last));
        bucket.last = &process;
    }
}

/// Whether it is full is another question after its options changed.
void Pool::reorder(Group& group) {
    std::vector<Process*> all;
    for (const auto* list : {&group.processes, &group.full})
        for (Process* p = list->front(); p; p = list->next(*p)) all.push_back(p);
    for (Process* p : all) replace(*p, p->sessions, false);
}

// --- sessions and ends

void Pool::open(Process& process, MonoTime now, Outbox& out) {
    assert(process.state == ProcessState::Idle || process.state == ProcessState::Busy);
    if (process.state == ProcessState::Idle) move(process, ProcessState::Busy);
    ++process.sessions;
    replace(process, process.sessions - 1, false);
    process.lastUsed = now;
    // Not one more than it may serve: with many at once they would be over it before the first has ended.
    const unsigned most = process.group->options.maxRequests;
    if (most != 0 && process.processed + process.sessions >= most) detach(process, WhyEnded::MaxRequests, out);
}

/// Out of the lists. Its budget stays taken until it is gone.
void Pool::detach(Process& process, WhyEnded why, Outbox& out) {
    process.whyEnded = why;
    if (process.state == ProcessState::Idle || process.state == ProcessState::Busy) unplace(process);
    if (process.state == ProcessState::Busy) {
        move(process, ProcessState::Finishing);
        out.finishing.push_back({process.id, why});
        return;
    }
    move(process, ProcessState::Stopping);
    out.end.push_back({process.id, why});
}

void Pool::forget(Process& process) {
    Group& group = *process.group;
    move(process, ProcessState::Gone);
    s_->freeProcesses.push_back(process.id.place);
    releaseIfGone(group);
}

/// A removed group stays as long as a process of it lives.
void Pool::releaseIfGone(Group& group) {
    if (!group.detached || group.leaving > 0 || !group.family) return;
    Family& family = *group.family;
    std::erase(family.groups, &group);
    if (family.groups.empty()) {
        if (family.everUsed && s_->usedFamilies.size() < kMostUsed) s_->usedFamilies.insert(family.name);
        s_->families.erase(family.name);
    }
    group.family = nullptr;
    s_->freeGroups.push_back(group.id.place);
}

} // namespace yard::pool

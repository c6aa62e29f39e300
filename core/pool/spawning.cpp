// Budgets, waiting lists, and who goes so that another may come.
//
// A group is in `creating` or `growing` while somebody waits for it and nothing is being spawned. What wakes them,
// each by wake(): a process is gone, a spawn failed, a limit was raised. What serves those who wait, each by
// settle(): a process came up, a session was closed.
#include "core/pool/process.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace yard::pool {

namespace {

constexpr Duration kFirstPause{250'000};
constexpr Duration kLongestPause{30'000'000};
constexpr double kHalfLife = 60e6;

bool hasSpare(const Group& group) {
    return group.size() > group.options.minProcesses || group.superseded;
}

/// Of the groups it is shown, an idle process of the one with the least traffic, but rather of one that has more
/// than its min_processes; there the one that was idle for longest.
class LeastUsed {
public:
    explicit LeastUsed(MonoTime now)
        : now_(now) {}
    void look(const Group& group) {
        if (group.processes.empty() || group.processes.front()->sessions > 0) return;
        const double traffic = trafficOf(group, now_) + (hasSpare(group) ? 0 : 1e12);
        if (found_ && traffic >= least_) return;
        least_ = traffic;
        found_ = group.bySessions[0].last;
    }
    Process* found() const { return found_; }

private:
    const MonoTime now_;
    Process* found_ = nullptr;
    double least_ = 0;
};

} // namespace

Duration pauseAfter(unsigned failures) {
    if (failures == 0) return {};
    return std::min(kLongestPause, kFirstPause * (1 << std::min(failures - 1, 10u)));
}

double trafficOf(const Group& group, MonoTime now) {
    const auto passed = static_cast<double>((now - group.trafficAt).count());
    return passed <= 0 ? group.traffic : group.traffic * std::exp2(-passed / kHalfLife);
}

void touch(Group& group, MonoTime now) {
    // The power is dear and moves little within a second.
    if (now - group.trafficAt > Duration(1'000'000)) {
        group.traffic = trafficOf(group, now);
        group.trafficAt = now;
    }
    group.traffic += 1;
}

/// One limit for all of a family, that of its newest group: with one each, the larger one's processes would keep
/// the other out forever.
unsigned Pool::limitOf(const Group& group) const {
    const unsigned own = group.family->groups.back()->options.maxProcesses;
    const unsigned most = own != 0 ? own : options_.maxPerGroup;
    return most == 0 ? options_.max : most;
}

/// More is alive than the pool or the group's family may have, without what goes already.
bool Pool::isOver(const Group& group) const {
    if (count_ - stopping_ > options_.max) return true;
    const unsigned limit = limitOf(group);
    if (group.family->alive <= limit) return false;
    unsigned leaving = 0;
    for (const Group* other : group.family->groups) leaving += other->leaving;
    return group.family->alive - leaving > limit;
}

bool Pool::mayHold(const Group& group) const {
    return count_ < options_.max && group.family->alive < limitOf(group);
}

void Pool::order(Group& group, WhyStarted why, MonoTime now, Outbox& out) {
    assert(mayHold(group) && group.starting == 0 && !group.detached);
    Process& process = takePlace(s_->processes, s_->freeProcesses);
    process.group = &group;
    process.started = process.lastUsed = now;
    process.generation = group.generation;
    process.whyStarted = why;
    group.everUsed = group.family->everUsed = true;
    move(process, ProcessState::Starting);
    out.spawn.push_back({process.id, group.id});
}

/// Somebody waits, or would have liked a free one: another process if it may be.
void Pool::want(Group& group, MonoTime now, Outbox& out) {
    if (group.starting > 0) return;
    const bool isFirst = group.size() == 0;
    // Without a process those who wait are told that the spawn fails; with one they are served, if later.
    if (!isFirst && now < group.notBefore) return;
    if (mayHold(group)) return order(group, isFirst ? WhyStarted::FirstRequest : WhyStarted::AllBusy, now, out);
    list(group);
    if (isFirst && stopping_ < s_->creating.size()) evictFor(group, now, out);
}

/// To be called whenever one of these changes: what it keeps, its options, whether it is used, superseded, removed.
void Pool::noteLack(Group& group) {
    const bool lacks =
        group.everUsed && !group.superseded && !group.detached && group.kept < group.options.minProcesses;
    if (s_->lacking.isLinked(group) == lacks) return;
    lacks ? s_->lacking.pushBack(group) : s_->lacking.remove(group);
}

/// min_processes are kept here and nowhere else, by the end of each event: a group has fewer only while one is
/// being spawned, the pool or its family is full, spawns are paused after a failure, or a group without any process
/// waits for a place, which comes first: one that was just made for it would be filled again.
void Pool::restore(MonoTime now, Outbox& out) {
    s_->restoredAt = now;
    s_->gaveUp = false;
    if (!s_->creating.empty()) return;
    for (Group* group = s_->lacking.front(); group && count_ < options_.max;) {
        Group* next = s_->lacking.next(*group);
        if (group->starting == 0 && now >= group->notBefore && mayHold(*group)) {
            order(*group, WhyStarted::MinProcesses, now, out);
            list(*group);
        }
        group = next;
    }
}

/// An idle process whose place the group could have. Looks at each group.
Process* Pool::victimFor(const Group& wanting, MonoTime now) const {
    LeastUsed least(now);
    const auto look = [&](const Group& group) {
        if (&group != &wanting) least.look(group);
    };
    if (wanting.family->alive >= limitOf(wanting))
        for (const Group* group : wanting.family->groups) look(*group);
    else
        for (const Group& group : s_->groups)
            if (!group.detached) look(group);
    return least.found();
}

bool Pool::makeRoom(ProcessId id, const std::function<bool(GroupId)>& helps, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    const Process* process = find(id);
    if (!process || process->state != ProcessState::Starting) return false;
    const Group& wanting = *process->group;
    // One that is spawned for the future waits until there is room by itself, or two would end each other forever.
    if (wanting.waiting.empty() || wanting.size() > 0) return false;
    LeastUsed least(now);
    for (const Group& group : s_->groups)
        if (!group.detached && &group != &wanting && helps(group.id)) least.look(group);
    if (least.found()) detach(*least.found(), WhyEnded::Evicted, out);
    restore(now, out);
    return least.found() != nullptr;
}

std::optional<GroupId> Pool::evictIdle(const std::function<bool(GroupId)>& helps, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    LeastUsed least(now);
    for (const Group& group : s_->groups)
        if (!group.detached && hasSpare(group) && helps(group.id)) least.look(group);
    if (!least.found()) return std::nullopt;
    const GroupId group = least.found()->group->id;
    detach(*least.found(), WhyEnded::Evicted, out);
    restore(now, out);
    return group;
}

/// One that is being spawned for min_processes, which may take long where memory is short: nobody waits for it.
Process* Pool::futureOne() const {
    for (Process& process : s_->processes)
        if (process.state == ProcessState::Starting && process.whyStarted == WhyStarted::MinProcesses &&
            process.group->waiting.empty())
            return &process;
    return nullptr;
}

bool Pool::evictFor(const Group& group, MonoTime now, Outbox& out) {
    Process* victim = victimFor(group, now);
    if (!victim && group.family->alive < limitOf(group)) victim = futureOne();
    if (!victim) return false;
    detach(*victim, WhyEnded::Evicted, out);
    return true;
}

/// A place may be free, or could be made: those who wait for one, in the order they began to.
void Pool::wake(MonoTime now, Outbox& out) {
    unsigned promised = 0; // places of those that are stopping
    for (Group* group = s_->creating.front(); group;) {
        Group* next = s_->creating.next(*group);
        if (mayHold(*group)) {
            order(*group, WhyStarted::FirstRequest, now, out);
            list(*group);
        } else if (promised < stopping_ || evictFor(*group, now, out)) {
            ++promised;
        }
        group = next;
    }
    for (Group* group = s_->growing.front(); group && count_ < options_.max;) {
        Group* next = s_->growing.next(*group);
        if (mayHold(*group) && now >= group->notBefore) {
            order(*group, WhyStarted::AllBusy, now, out);
            list(*group);
        }
        group = next;
    }
}

/// Those who wait get what is free.
void Pool::serve(Group& group, MonoTime now, Outbox& out) {
    while (Waiter* waiter = group.waiting.front()) {
        Process* process = group.processes.front();
        if (!process) return;
        group.waiting.remove(*waiter);
        --waiting_;
        out.served.push_back({waiter->tag, process->id});
        waiter->group = nullptr;
        s_->freeWaiters.push_back(waiter->id.place);
        open(*process, now, out);
    }
}

void Pool::failWaiting(Group& group, WhyEnded why, Outbox& out) {
    while (Waiter* waiter = group.waiting.front()) {
        group.waiting.remove(*waiter);
        --waiting_;
        out.failed.push_back({waiter->tag, why});
        waiter->group = nullptr;
        s_->freeWaiters.push_back(waiter->id.place);
    }
}

/// After something of the group changed: serves, spawns what is missing, and puts it into the list it belongs to.
void Pool::settle(Group& group, MonoTime now, Outbox& out) {
    if (group.detached) return;
    serve(group, now, out);
    if (!group.waiting.empty()) want(group, now, out);
    list(group);
}

void Pool::list(Group& group) {
    const bool waits = !group.detached && !group.waiting.empty() && group.starting == 0;
    const auto set = [&group](auto& list, bool belongs) {
        if (list.isLinked(group) == belongs) return;
        if (belongs)
            list.pushBack(group);
        else
            list.remove(group);
    };
    set(s_->creating, waits && group.size() == 0);
    set(s_->growing, waits && group.size() > 0);
}

/// A group without a process has waited long enough for one to become idle, and could have this one's place.
bool Pool::leavesForOthers(const Process& process, MonoTime now) const {
    const Group* first = s_->creating.front();
    if (!first || stopping_ >= s_->creating.size()) return false;
    if (now - first->waiting.front()->since < kPatience) return false;
    return first->family->alive < limitOf(*first) || first->family == process.group->family;
}

/// A process that has a session less, or came up: goes if nobody needs it, or others need its place more.
void Pool::dropUnneeded(Process& process, MonoTime now, Outbox& out) {
    const Group& group = *process.group;
    const unsigned most = group.options.maxRequests;
    const bool isIdle = process.state == ProcessState::Idle;
    if (most != 0 && process.processed + process.sessions >= most)
        detach(process, WhyEnded::MaxRequests, out);
    else if (leavesForOthers(process, now))
        detach(process, WhyEnded::Evicted, out);
    else if (isIdle && isOver(group))
        detach(process, WhyEnded::Evicted, out);
    else if (isIdle && group.superseded && group.waiting.empty())
        detach(process, WhyEnded::Replaced, out);
}

/// Idle ones over a limit go, the longest idle first.
void Pool::trim(Outbox& out) {
    for (Process* process = s_->inactive.front(); process;) {
        Process* after = s_->inactive.next(*process);
        if (isOver(*process->group)) detach(*process, WhyEnded::Evicted, out);
        process = after;
    }
}

} // namespace yard::pool

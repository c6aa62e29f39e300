// The doors: commands and events. Each changes the lists, then lets those who wait have what became free.
#include "core/pool/pool.h"

#include "core/pool/process.h"

#include <algorithm>
#include <cassert>

namespace yard::pool {

Pool::Pool(PoolOptions options)
    : options_(options)
    , s_(std::make_unique<State>()) {}
Pool::~Pool() = default;

// --- groups and limits

GroupId Pool::addGroup(std::string_view key, std::string_view familyName, const GroupOptions& options, MonoTime now,
                       Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Group*& group = s_->byKey[std::string(key)];
    if (!group) {
        auto& family = s_->families[std::string(familyName)];
        if (!family) {
            family = std::make_unique<Family>();
            family->everUsed = s_->usedFamilies.erase(std::string(familyName)) > 0;
        }
        family->name = familyName;
        group = &takePlace(s_->groups, s_->freeGroups);
        group->key = key;
        group->family = family.get();
        group->detached = false;
        group->everUsed = family->everUsed;
    }
    std::erase(group->family->groups, group);
    group->family->groups.push_back(group);
    group->options = options;
    reorder(*group);
    group->superseded = false;
    for (Group* other : group->family->groups) {
        if (other == group || other->detached) continue;
        other->superseded = true;
        noteLack(*other);
        if (!other->waiting.empty()) continue;
        while (!other->processes.empty() && other->processes.front()->sessions == 0)
            detach(*other->processes.front(), WhyEnded::Replaced, out);
    }
    noteLack(*group);
    const GroupId id = group->id;
    trim(out); // its limit is that of its family now
    wake(now, out);
    restore(now, out);
    return id;
}

void Pool::configureGroup(GroupId id, const GroupOptions& options, MonoTime now, Outbox& out) {
    Group* group = find(id);
    if (!group || group->options == options) return;
    group->options = options;
    noteLack(*group);
    reorder(*group);
    trim(out);
    wake(now, out);
    settle(*group, now, out);
    restore(now, out);
}

void Pool::removeGroup(GroupId id, MonoTime now, Outbox& out) {
    Group* group = find(id);
    if (!group) return;
    failWaiting(*group, WhyEnded::Removed, out);
    for (auto* list : {&group->processes, &group->full})
        while (!list->empty()) detach(*list->front(), WhyEnded::Removed, out);
    for (Process& process : s_->processes)
        if (process.group == group && process.state == ProcessState::Starting)
            detach(process, WhyEnded::Removed, out);
    group->detached = true;
    group->restarting = false;
    list(*group);
    noteLack(*group);
    s_->byKey.erase(group->key);
    // Of those that stay the newest is current again, and its limit that of the family.
    auto& family = group->family->groups;
    std::erase(family, group);
    family.insert(family.begin(), group); // those that are detached come first
    if (!family.back()->detached) {
        family.back()->superseded = false;
        noteLack(*family.back());
    }
    releaseIfGone(*group);
    trim(out);
    wake(now, out);
    restore(now, out);
}

std::optional<GroupId> Pool::findGroup(std::string_view key) const {
    const auto at = s_->byKey.find(std::string(key));
    return at == s_->byKey.end() ? std::nullopt : std::optional(at->second->id);
}

void Pool::configure(const PoolOptions& options, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    options_ = options;
    trim(out);
    wake(now, out);
    restore(now, out);
}

// --- sessions

Pool::Checkout Pool::checkout(GroupId id, std::uint64_t tag, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Group* group = find(id);
    if (!group) {
        out.failed.push_back({tag, WhyEnded::Removed});
        return {};
    }
    touch(*group, now);
    Process* process = group->processes.front();
    if (process) {
        const ProcessId served = process->id;
        // All are busy and this request only gets in line: another process may take the next ones.
        const bool isCrowded = process->sessions >= process->concurrency;
        ++group->hits;
        open(*process, now, out);
        if (isCrowded) want(*group, now, out);
        restore(now, out);
        return {.process = served, .waiter = {}};
    }
    ++group->misses;
    Waiter& waiter = takePlace(s_->waiters, s_->freeWaiters);
    waiter.tag = tag;
    waiter.group = group;
    waiter.since = now;
    group->waiting.pushBack(waiter);
    ++waiting_;
    want(*group, now, out);
    list(*group);
    return {.process = {}, .waiter = waiter.id};
}

bool Pool::cancelWait(WaiterId id) {
    if (id.place >= s_->waiters.size()) return false;
    Waiter& waiter = s_->waiters[id.place];
    if (waiter.id != id || !waiter.group) return false;
    Group& group = *waiter.group;
    group.waiting.remove(waiter);
    --waiting_;
    waiter.group = nullptr;
    s_->freeWaiters.push_back(id.place);
    list(group);
    s_->gaveUp = true;
    return true;
}

void Pool::close(ProcessId id, bool served, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process || process->sessions == 0) return;
    Group& group = *process->group;
    --process->sessions;
    process->processed += static_cast<std::uint64_t>(served);
    group.served += static_cast<std::uint64_t>(served);
    process->lastUsed = now;
    if (process->state == ProcessState::Finishing) {
        if (process->sessions > 0) return;
        move(*process, ProcessState::Stopping);
        out.end.push_back({id, process->whyEnded});
        return;
    }
    if (process->sessions == 0) process->paused = false;
    replace(*process, process->sessions + 1, true);
    if (process->sessions == 0) move(*process, ProcessState::Idle);
    dropUnneeded(*process, now, out);
    advance(group, now, out);
    if (!group.waiting.empty() || process->isDetached()) settle(group, now, out);
    // It may be idle now, and somebody without any may have its place.
    if (!s_->creating.empty() && stopping_ < s_->creating.size()) wake(now, out);
    restore(now, out);
}

// --- processes

void Pool::spawned(ProcessId id, unsigned concurrency, unsigned ahead, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process || process->state != ProcessState::Starting) return; // interrupted meanwhile
    Group& group = *process->group;
    process->concurrency = std::max(concurrency, 1u);
    process->limit = process->concurrency + ahead;
    process->lastUsed = now;
    move(*process, ProcessState::Idle);
    place(*process);
    group.failures = 0;
    group.notBefore = {};
    ++group.spawned;
    group.spawnTime += now - process->started;
    if (process->whyStarted == WhyStarted::Restart && group.restarting) {
        if (Process* old = oldProcess(group)) detach(*old, WhyEnded::Restart, out);
    }
    advance(group, now, out);
    settle(group, now, out);
    if (process->state == ProcessState::Idle) dropUnneeded(*process, now, out);
    settle(group, now, out);
    if (!s_->creating.empty()) wake(now, out);
    restore(now, out);
}

void Pool::spawnFailed(ProcessId id, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process) return;
    if (process->state != ProcessState::Starting) return gone(id, now, out);
    Group& group = *process->group;
    process->whyEnded = WhyEnded::SpawnFailed;
    ++group.failures;
    group.notBefore = now + pauseAfter(group.failures);
    forget(*process);
    rollBack(group, WhyEnded::SpawnFailed, out);
    if (group.size() == 0) failWaiting(group, WhyEnded::SpawnFailed, out);
    list(group);
    wake(now, out);
    restore(now, out);
}

void Pool::crashed(ProcessId id, MonoTime now, Outbox& out, WhyEnded why) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process || process->state == ProcessState::Stopping) return;
    Group& group = *process->group;
    if (process->state == ProcessState::Starting) return spawnFailed(id, now, out);
    if (process->state != ProcessState::Finishing) {
        detach(*process, why, out);
        if (process->state == ProcessState::Finishing) out.finishing.pop_back(); // its sessions are void
    }
    if (process->state == ProcessState::Finishing) {
        process->whyEnded = why;
        process->sessions = 0;
        move(*process, ProcessState::Stopping);
        out.end.push_back({id, why});
    }
    // One that dies before it served anything will do so again.
    if (process->processed == 0 && why == WhyEnded::Crashed) group.notBefore = now + pauseAfter(++group.failures);
    advance(group, now, out);
    settle(group, now, out);
    restore(now, out);
}

bool Pool::detach(ProcessId id, WhyEnded why, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    Process* process = find(id);
    if (!process || process->isDetached()) return false;
    Group& group = *process->group;
    const bool wasStarting = process->state == ProcessState::Starting;
    detach(*process, why, out);
    if (wasStarting) rollBack(group, why, out);
    settle(group, now, out);
    restore(now, out);
    return true;
}

void Pool::gone(ProcessId id, MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    if (Process* process = find(id); process && process->state != ProcessState::Stopping) crashed(id, now, out);
    Process* process = find(id);
    if (!process) return; // it was being spawned: the failure said it all
    Group& group = *process->group;
    const GroupId groupId = group.id;
    forget(*process);
    // First those who have none; the group's own wishes are about a process more.
    wake(now, out);
    if (find(groupId)) {
        advance(group, now, out);
        settle(group, now, out);
    }
    restore(now, out);
}

void Pool::setAhead(ProcessId id, unsigned ahead, MonoTime now, Outbox& out) {
    Process* process = find(id);
    if (!process || process->limit == process->concurrency + ahead) return;
    process->limit = process->concurrency + ahead;
    if (process->state != ProcessState::Idle && process->state != ProcessState::Busy) return;
    replace(*process, process->sessions, false);
    if (!process->group->waiting.empty()) settle(*process->group, now, out);
}

void Pool::setPaused(ProcessId id, bool paused, MonoTime now, Outbox& out) {
    Process* process = find(id);
    if (!process || process->state != ProcessState::Busy || process->paused == paused) return;
    process->paused = paused;
    replace(*process, process->sessions, false);
    if (!process->group->waiting.empty()) settle(*process->group, now, out);
}

// --- cleaning

std::optional<MonoTime> Pool::clean(MonoTime now, Outbox& out) {
    YARD_ASSERT_OWNER(owner_);
    std::optional<MonoTime> next;
    for (Process* process = s_->inactive.front(); process;) {
        Process* after = s_->inactive.next(*process);
        const Group& group = *process->group;
        const Duration most = group.options.maxIdle.value_or(options_.maxIdle);
        if (most > Duration::zero() && group.size() > group.options.minProcesses) {
            const MonoTime due = process->lastUsed + most;
            if (due <= now)
                detach(*process, WhyEnded::Idle, out);
            else
                next = next ? std::min(*next, due) : due;
        }
        process = after;
    }
    restore(now, out);
    return next;
}

std::optional<MonoTime> Pool::retrySpawns(MonoTime now, Outbox& out) {
    wake(now, out);
    restore(now, out);
    return nextSpawn();
}

std::optional<MonoTime> Pool::nextSpawn() const {
    std::optional<MonoTime> next;
    const auto look = [&](const Group& group) {
        if (group.starting == 0 && mayHold(group)) next = std::min(next.value_or(MonoTime::max()), group.notBefore);
    };
    for (const Group* group = s_->growing.front(); group; group = s_->growing.next(*group)) look(*group);
    if (!s_->creating.empty()) return next;
    for (const Group* group = s_->lacking.front(); group; group = s_->lacking.next(*group)) look(*group);
    return next;
}

// --- questions

namespace {

ProcessView viewOf(const Process& p) {
    return {.id = p.id,
            .group = p.group->id,
            .state = p.state,
            .concurrency = p.concurrency,
            .limit = p.limit,
            .sessions = p.sessions,
            .processed = p.processed,
            .started = p.started,
            .lastUsed = p.lastUsed,
            .whyStarted = p.whyStarted,
            .whyEnded = p.whyEnded};
}

} // namespace

std::optional<ProcessView> Pool::process(ProcessId id) const {
    const Process* process = find(id);
    return process ? std::optional(viewOf(*process)) : std::nullopt;
}

namespace {

/// Of a restart that goes on: how many are of the newest generation.
std::size_t renewed(const Group& group) {
    std::size_t count = 0;
    if (!group.restarting) return count;
    for (const auto* list : {&group.processes, &group.full})
        for (Process* p = list->front(); p; p = list->next(*p))
            if (p->generation == group.generation) ++count;
    return count;
}

} // namespace

std::optional<GroupView> Pool::group(GroupId id) const {
    const Group* g = find(id);
    if (!g) return std::nullopt;
    GroupView view{.id = g->id,
                   .key = g->key,
                   .family = g->family->name,
                   .options = g->options,
                   .size = g->size(),
                   .starting = g->starting,
                   .leaving = g->leaving,
                   .waiting = g->waiting.size(),
                   .restarting = g->restarting,
                   .target = g->target,
                   .renewed = renewed(*g),
                   .superseded = g->superseded,
                   .pausedUntil = g->notBefore,
                   .ofFamily = g->family->alive,
                   .mostOfFamily = limitOf(*g),
                   .isOwnLimit = g->family->groups.back()->options.maxProcesses != 0,
                   .traffic = g->traffic,
                   .hits = g->hits,
                   .misses = g->misses};
    if (g->spawned > 0 && g->served > g->spawned)
        view.saved = g->spawnTime / static_cast<std::int64_t>(g->spawned) *
                     static_cast<std::int64_t>(g->served - g->spawned);
    return view;
}

std::vector<GroupId> Pool::groups() const {
    std::vector<GroupId> all;
    for (const Group& group : s_->groups)
        if (!group.detached) all.push_back(group.id);
    return all;
}

std::vector<ProcessView> Pool::processes(GroupId id) const {
    std::vector<ProcessView> all;
    for (const Process& process : s_->processes)
        if (process.state != ProcessState::Gone && process.group->id == id) all.push_back(viewOf(process));
    return all;
}

} // namespace yard::pool

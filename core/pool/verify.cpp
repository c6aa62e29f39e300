// Every invariant of the pool as a line. The first that does not hold is named.
#include "core/pool/process.h"

#include <algorithm>

#include <fmt/format.h>

namespace yard::pool {

namespace {

struct Tally {
    unsigned alive = 0;
    unsigned starting = 0;
    unsigned idle = 0;
    unsigned busy = 0;
    unsigned leaving = 0;
    unsigned stopping = 0;
    void count(const Process& p) {
        ++alive;
        starting += p.state == ProcessState::Starting;
        idle += p.state == ProcessState::Idle;
        busy += p.state == ProcessState::Busy;
        leaving += p.state >= ProcessState::Finishing;
        stopping += p.state == ProcessState::Stopping;
    }
};

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the text of the line is its name
#define HOLDS(line)                                                                                                \
    if (!(line)) return fmt::format("{}: {}", who, #line)

std::string verifyProcess(const Process& p) {
    const std::string who = fmt::format("process {}.{} ({})", p.id.place, p.id.use, name(p.state));
    const bool isLive = p.state == ProcessState::Idle || p.state == ProcessState::Busy;
    HOLDS(p.group != nullptr);
    HOLDS(p.concurrency >= 1 && p.limit >= p.concurrency);
    HOLDS(!p.paused || p.sessions > 0 || p.isDetached());
    HOLDS((p.sessions > 0) == (p.state == ProcessState::Busy || p.state == ProcessState::Finishing));
    HOLDS(p.inInactive.is_linked() == (p.sessions == 0 && isLive));
    HOLDS(p.inGroup.is_linked() == isLive);
    HOLDS(p.isDetached() == (p.state == ProcessState::Finishing || p.state == ProcessState::Stopping));
    HOLDS((p.whyEnded != WhyEnded::None) == p.isDetached());
    HOLDS(!p.group->detached || p.isDetached());
    HOLDS(p.generation <= p.group->generation);
    return {};
}

std::string verifyBuckets(const Group& g) {
    const std::string who = "group " + g.key;
    std::vector<Group::Bucket> seen(g.bySessions.size());
    const Process* before = nullptr;
    std::size_t size = 0;
    for (Process* p = g.processes.front(); p; p = g.processes.next(*p), ++size) {
        HOLDS(p->group == &g && !p->isInFull);
        HOLDS(!p->paused && (!g.options.globalQueue || p->sessions < p->limit));
        HOLDS(!before || before->sessions <= p->sessions); // so: if one is active, the next one is
        HOLDS((g.processes.previous(*p) == before));
        HOLDS(p->sessions < seen.size());
        if (!seen[p->sessions].first) seen[p->sessions].first = p;
        seen[p->sessions].last = p;
        before = p;
    }
    HOLDS(size == g.processes.size());
    HOLDS(before == g.processes.back());
    for (std::size_t i = 0; i < seen.size(); ++i)
        HOLDS(seen[i].first == g.bySessions[i].first && seen[i].last == g.bySessions[i].last);
    std::size_t full = 0;
    for (Process* p = g.full.front(); p; p = g.full.next(*p), ++full)
        HOLDS(p->group == &g && p->isInFull && (p->paused || (g.options.globalQueue && p->sessions >= p->limit)));
    HOLDS(full == g.full.size());
    return {};
}

std::string verifyGroup(const Group& g, const Tally& t) {
    const std::string who = "group " + g.key;
    if (std::string broken = verifyBuckets(g); !broken.empty()) return broken;
    HOLDS(g.size() == t.idle + t.busy);
    HOLDS(g.starting == t.starting && g.starting <= 1);
    HOLDS(g.leaving == t.leaving);
    HOLDS(g.waiting.empty() || g.processes.empty());
    const bool waits = !g.waiting.empty() && g.starting == 0;
    HOLDS(g.inCreating.is_linked() == (waits && g.size() == 0));
    HOLDS(g.inGrowing.is_linked() == (waits && g.size() > 0));
    HOLDS(!g.detached || (g.size() == 0 && g.starting == 0 && g.waiting.empty() && !g.restarting));
    return {};
}

} // namespace

std::string Pool::verify() const {
    std::string who = "pool";
    std::unordered_map<const Group*, Tally> ofGroup;
    std::unordered_map<const Family*, unsigned> ofFamily;
    Tally all;
    for (const Process& p : s_->processes) {
        if (p.state == ProcessState::Gone) continue;
        if (std::string broken = verifyProcess(p); !broken.empty()) return broken;
        HOLDS(p.state != ProcessState::Idle || !isOver(*p.group));
        all.count(p);
        ofGroup[p.group].count(p);
        ++ofFamily[p.group->family];
    }
    HOLDS(count_ == all.alive);
    HOLDS(active_ == all.busy);
    HOLDS(active_ <= count_);
    HOLDS(stopping_ == all.stopping);
    HOLDS(s_->inactive.size() == all.idle); // count - active of what is neither starting nor leaving
    for (const Process* p = s_->inactive.front(); p; p = s_->inactive.next(*p))
        HOLDS(p->sessions == 0 && find(p->group->id) == p->group);

    std::size_t waiting = 0;
    std::size_t creating = 0;
    std::size_t growing = 0;
    for (const Group& g : s_->groups) {
        if (!g.family) continue; // a free place
        if (std::string broken = verifyGroup(g, ofGroup[&g]); !broken.empty()) return broken;
        for (const Waiter* w = g.waiting.front(); w; w = g.waiting.next(*w)) HOLDS(w->group == &g);
        waiting += g.waiting.size();
        creating += g.inCreating.is_linked();
        growing += g.inGrowing.is_linked();
        const auto named = s_->byKey.find(g.key);
        const bool isAccessible = named != s_->byKey.end() && named->second == &g;
        HOLDS(g.detached != isAccessible);
        HOLDS(g.family->alive == ofFamily[g.family]);
        HOLDS(std::ranges::is_partitioned(g.family->groups, &Group::detached));
        HOLDS(g.detached || g.superseded != (g.family->groups.back() == &g));
        HOLDS(g.kept == ofGroup[&g].starting + ofGroup[&g].idle + ofGroup[&g].busy);
        const bool lacks = g.everUsed && !g.detached && !g.superseded && g.kept < g.options.minProcesses;
        HOLDS(g.inLacking.is_linked() == lacks);
    }
    HOLDS(waiting_ == waiting);
    HOLDS(s_->creating.size() == creating);
    HOLDS(s_->growing.size() == growing);
    // Min_processes that are not there have a reason that ends by itself, or with an event.
    for (const Group* g = s_->lacking.front(); g; g = s_->lacking.next(*g))
        HOLDS(!s_->creating.empty() || g->starting > 0 || !mayHold(*g) || g->notBefore > s_->restoredAt ||
              s_->gaveUp);
    // Nobody waits for a place while one is free that it may have.
    for (const Group* g = s_->creating.front(); g; g = s_->creating.next(*g)) HOLDS(!mayHold(*g));
    return {};
}

#undef HOLDS

} // namespace yard::pool

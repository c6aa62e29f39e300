// Rolling restart: processes of an older generation are replaced one by one within the budget.
#include "core/pool/process.h"

namespace yard::pool {

/// An old one, idle if there is one: those come first.
Process* oldProcess(const Group& group) {
    for (const auto* list : {&group.processes, &group.full})
        for (Process* p = list->front(); p; p = list->next(*p))
            if (p->generation < group.generation) return p;
    return nullptr;
}

void Pool::restart(GroupId id, MonoTime now, Outbox& out) {
    Group* group = find(id);
    if (!group) return;
    group->notBefore = {};
    if (group->size() == 0 && group->starting == 0) return restore(now, out); // the next is a new one in any case
    ++group->generation;
    if (!group->restarting) group->target = group->size() + group->starting;
    group->restarting = true;
    advance(*group, now, out);
    settle(*group, now, out);
    restore(now, out);
}

void Pool::reload(GroupId id, MonoTime now, Outbox& out) {
    Group* group = find(id);
    if (!group) return;
    ++group->generation;
    group->restarting = false;
    group->notBefore = {};
    for (Process& process : s_->processes)
        if (process.group == group && process.state == ProcessState::Starting)
            detach(process, WhyEnded::Restart, out);
    for (auto* list : {&group->processes, &group->full})
        while (!list->empty()) detach(*list->front(), WhyEnded::Restart, out);
    settle(*group, now, out);
    restore(now, out);
}

/// One step. While one is being spawned, or its place is not free yet, nothing is done: its end calls again.
void Pool::advance(Group& group, MonoTime now, Outbox& out) {
    if (!group.restarting || group.starting > 0) return;
    Process* old = oldProcess(group);
    const std::size_t fresh = group.size();
    if (!old && (fresh >= group.target || (!mayHold(group) && group.leaving == 0))) {
        group.restarting = false;
        out.restarted.push_back(group.id);
    } else if (mayHold(group)) {
        order(group, WhyStarted::Restart, now, out);
    } else if (old && group.leaving == 0) {
        // No room for both: the old one's place is the new one's.
        detach(*old, WhyEnded::Restart, out);
    }
}

/// The new one did not come up: those that are left are good enough.
void Pool::rollBack(Group& group, WhyEnded why, Outbox& out) {
    if (!group.restarting) return;
    group.restarting = false;
    for (const auto* list : {&group.processes, &group.full})
        for (Process* p = list->front(); p; p = list->next(*p)) p->generation = group.generation;
    out.rolledBack.push_back({.group = group.id, .why = why, .left = group.size(), .of = group.target});
}

} // namespace yard::pool

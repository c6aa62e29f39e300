#include "core/fleet/keep_away.h"

#include <algorithm>

namespace yard::fleet {

void KeepAway::failed(Lsn lsn, MachineId machine) {
    const auto [at, isNew] = failures_.try_emplace(lsn);
    if (std::ranges::find(at->second, machine) == at->second.end()) at->second.push_back(machine);
    if (!isNew) return;
    order_.push_back(lsn);
    while (order_.size() > kMaxActions) {
        failures_.erase(order_.front());
        order_.pop_front();
    }
}

KeepAway::Record& KeepAway::recordOf(Pair pair) {
    const auto [at, isNew] = records_.try_emplace(pair);
    if (isNew) {
        pairs_.push_back(pair);
        if (pairs_.size() > kMaxPairs) {
            records_.erase(pairs_.front());
            pairs_.pop_front();
        }
    }
    return at->second;
}

void KeepAway::succeeded(Lsn lsn, KindId kind, MachineId machine, MonoTime now) {
    if (const auto here = records_.find({kind, machine}); here != records_.end()) {
        here->second.failedInARow = 0;
        here->second.fineElsewhere = 0;
    }
    for (auto at = records_.lower_bound({kind, MachineId(0)}); at != records_.end() && at->first.first == kind;
         ++at)
        if (at->first.second != machine && at->second.failedInARow > 0) ++at->second.fineElsewhere;
    const auto failures = failures_.find(lsn);
    if (failures == failures_.end()) return;
    for (const MachineId other : failures->second) {
        if (other == machine) continue;
        Record& record = recordOf({kind, other});
        if (record.failedInARow++ == 0) record.fineElsewhere = 1;
        if (record.failedInARow >= kFailures) record.until = now + kFor;
    }
    forget(lsn);
}

void KeepAway::forget(Lsn lsn) {
    if (failures_.erase(lsn) > 0) std::erase(order_, lsn);
}

void KeepAway::forget(MachineId machine) {
    for (auto& [lsn, machines] : failures_) std::erase(machines, machine);
    std::erase_if(records_, [machine](const auto& entry) { return entry.first.second == machine; });
    std::erase_if(pairs_, [machine](const Pair& pair) { return pair.second == machine; });
}

bool KeepAway::isKept(MachineId machine, KindId kind, MonoTime now) const {
    const auto at = records_.find({kind, machine});
    return at != records_.end() && now < at->second.until;
}

std::vector<Kept> KeepAway::keptFrom(MachineId machine, MonoTime now) const {
    std::vector<Kept> all;
    for (const auto& [pair, record] : records_)
        if (pair.second == machine && now < record.until)
            all.push_back({.kind = pair.first,
                           .until = record.until,
                           .failedHere = record.failedInARow,
                           .fineElsewhere = record.fineElsewhere});
    return all;
}

bool KeepAway::allow(MachineId machine, KindId kind, MonoTime now) {
    if (!isKept(machine, kind, now)) return false;
    records_[{kind, machine}] = Record{};
    return true;
}

} // namespace yard::fleet

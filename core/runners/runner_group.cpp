#include "core/runners/runner_group.h"

#include <algorithm>
#include <utility>

namespace yard::runners {

std::uint32_t RunnerGroup::add(Runner& runner) {
    std::uint32_t first = 0;
    auto behind = members_.begin();
    for (; behind != members_.end() && behind->first - first < runner.capacity(); ++behind)
        first = behind->first + behind->runner->capacity();
    members_.insert(behind, {&runner, first});
    return first;
}

void RunnerGroup::remove(const Runner& runner) {
    std::erase_if(members_, [&runner](const Member& member) { return member.runner == &runner; });
}

unsigned RunnerGroup::capacity() const {
    unsigned sum = 0;
    for (const Member& member : members_) sum += member.runner->capacity();
    return sum;
}

unsigned RunnerGroup::free() const {
    unsigned sum = 0;
    for (const Member& member : members_) sum += member.runner->free();
    return sum;
}

const RunnerGroup::Member* RunnerGroup::memberOf(SlotId slot) const {
    const auto behind = std::ranges::upper_bound(members_, slot.value, {}, &Member::first);
    if (behind == members_.begin()) return nullptr;
    const Member& member = *std::prev(behind);
    return slot.value - member.first < member.runner->capacity() ? &member : nullptr;
}

void RunnerGroup::submit(std::vector<Lease> batch) {
    if (members_.size() == 1) return members_.front().runner->submit(std::move(batch));
    for (const Member& member : members_) {
        std::vector<Lease> own;
        std::vector<Lease> others;
        for (Lease& lease : batch) (memberOf(lease.slot) == &member ? own : others).push_back(std::move(lease));
        batch = std::move(others);
        for (Lease& lease : own) lease.slot = SlotId(lease.slot.value - member.first);
        if (!own.empty()) member.runner->submit(std::move(own));
    }
}

void RunnerGroup::acknowledge(SlotId slot, AttemptId id) {
    const Member* member = memberOf(slot);
    if (member) member->runner->acknowledge(SlotId(slot.value - member->first), id);
}

void RunnerGroup::number(std::uint32_t first, std::vector<Update>& batch) {
    if (first == 0) return;
    const auto renumber = [first](SlotId& slot) { slot = SlotId(slot.value + first); };
    for (Update& update : batch) {
        if (auto* started = std::get_if<Started>(&update.what)) renumber(started->slot);
        if (auto* ended = std::get_if<Ended>(&update.what)) renumber(ended->slot);
        if (auto* moved = std::get_if<Moved>(&update.what)) renumber(moved->slot);
    }
}

void RunnerGroup::endAll(StopCause cause, std::optional<Duration> grace) {
    for (const Member& member : members_) member.runner->endAll(cause, grace);
}

void RunnerGroup::shutDown(Duration grace) {
    for (const Member& member : members_) member.runner->shutDown(grace);
}

bool RunnerGroup::isDown() const {
    return std::ranges::all_of(members_, [](const Member& member) { return member.runner->isDown(); });
}

} // namespace yard::runners

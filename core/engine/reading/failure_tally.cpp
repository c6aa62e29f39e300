#include "core/engine/reading/failure_tally.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <ranges>
#include <tuple>
#include <utility>

namespace yard::engine {

namespace {

constexpr WallMicros kOneHour = 3'600'000'000;
/// Hours that are told apart: the oldest ones go.
constexpr std::size_t kMostHours = kMostFailureValues;

std::vector<std::string> namesIn(const FailureCounts& counts) {
    const auto names = counts.values | std::views::keys;
    return {names.begin(), names.end()};
}

/// As Values has it.
QueueId queueFrom(std::string_view text) {
    QueueId queue{};
    std::from_chars(text.data(), text.data() + text.size(), queue.value);
    return queue;
}

} // namespace

void FailureTally::Values::add(std::string_view value) {
    if (const auto at = counts_.find(value); at != counts_.end())
        ++at->second;
    else if (counts_.size() < kMostValues)
        counts_.emplace(value, 1);
    else
        ++untold_;
}

FailureCounts FailureTally::Values::counts(std::size_t most) const {
    FailureCounts counts;
    counts.values.assign(counts_.begin(), counts_.end());
    std::ranges::sort(counts.values, [](const auto& a, const auto& b) {
        return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    counts.others = untold_;
    while (counts.values.size() > most) {
        counts.others += counts.values.back().second;
        counts.values.pop_back();
    }
    return counts;
}

std::string FailureTally::workerOf(const ActionResult& row) const {
    const std::size_t number = row.classNumber;
    return number > 0 && number <= names_.workers.size() ? names_.workers[number - 1] : row.workerName;
}

/// Null: there are too many already, or it is not the one that is asked for.
FailureTally::Group* FailureTally::groupOf(Reason reason, const std::string& line) {
    std::pair key(line, reason);
    if (const auto at = groups_.find(key); at != groups_.end()) return &at->second;
    std::string id = failureId(reason, line);
    if (!only_.empty() && id != only_) return nullptr;
    if (groups_.size() == kMostTold) {
        ++untold_;
        return nullptr;
    }
    Group& group = groups_[std::move(key)];
    group.id = std::move(id);
    group.line = line;
    group.reason = reason;
    return &group;
}

void FailureTally::add(const ActionResult& row) {
    if (!isFailure(row)) return;
    ++total_;
    const MaskedLine masked = maskedLine(failureLine(row));
    Group* group = groupOf(row.outcome ? row.outcome->reason : Reason::None, masked.line);
    if (!group) return;
    ++group->count;
    const WallMicros end = endOf(row);
    group->first = group->count == 1 ? end : std::min(group->first, end);
    group->last = std::max(group->last, end);
    group->queues.add(fmt::format("{}", row.queue.value));
    group->workers.add(workerOf(row));
    if (row.times[ActionState::Submitting] != 0)
        group->machines.add(row.outcome && !row.outcome->machine.empty() ? row.outcome->machine : names_.machine);
    addHour(*group, end);
    if (group->lsns.size() < kMostFailureLsns) group->lsns.push_back(row.lsn);
    if (!only_.empty()) addParts(*group, row, masked);
}

/// What ended while this was counted belongs to the last hour.
void FailureTally::addHour(Group& group, WallMicros end) const {
    const WallMicros age = std::max<WallMicros>(0, names_.now - end) / kOneHour;
    if (std::cmp_less(age, group.hours.size()))
        ++group.hours[group.hours.size() - 1 - static_cast<std::size_t>(age)];
}

void FailureTally::addParts(const Group& group, const ActionResult& row, const MaskedLine& masked) {
    const WallMicros end = endOf(row);
    ++hours_[end - end % kOneHour];
    if (hours_.size() > kMostHours) hours_.erase(hours_.begin());
    // Lines that are alike have as many parts, of the same kinds.
    if (group.count == 1)
        for (const MaskedLine::Value& value : masked.values) parts_.emplace_back(value.mask, Values());
    for (std::size_t i = 0; i < std::min(parts_.size(), masked.values.size()); ++i)
        parts_[i].second.add(masked.values[i].text);
}

FailureGroup FailureTally::shown(const Group& group) {
    FailureGroup out{.id = group.id,
                     .line = group.line,
                     .reason = group.reason,
                     .count = group.count,
                     .first = group.first,
                     .last = group.last,
                     .workers = namesIn(group.workers.counts(kMostFailureValues)),
                     .machines = namesIn(group.machines.counts(kMostFailureValues)),
                     .lsns = group.lsns,
                     .hours = group.hours};
    for (const auto& [queue, count] : group.queues.counts(kMostFailureValues).values)
        out.queues.push_back(queueFrom(queue));
    return out;
}

FailureGroups FailureTally::groups() const {
    std::vector<const Group*> order;
    for (const Group& group : groups_ | std::views::values) order.push_back(&group);
    // The largest, of equal ones the newest; the id makes it the same order every time.
    std::ranges::sort(order, [](const Group* a, const Group* b) {
        return std::tie(b->count, b->last, a->id) < std::tie(a->count, a->last, b->id);
    });
    FailureGroups out;
    out.total = total_;
    out.isExact = untold_ == 0 && order.size() <= kMostFailureGroups;
    out.others = total_;
    for (const Group* group : order | std::views::take(kMostFailureGroups)) {
        out.groups.push_back(shown(*group));
        out.others -= group->count;
    }
    return out;
}

std::unique_ptr<FailureDetail> FailureTally::detail() const {
    if (groups_.empty()) return nullptr;
    const Group& group = groups_.begin()->second;
    auto out = std::make_unique<FailureDetail>();
    out->group = shown(group);
    out->queues = group.queues.counts(kMostFailureValues);
    out->workers = group.workers.counts(kMostFailureValues);
    out->machines = group.machines.counts(kMostFailureValues);
    out->hours.assign(hours_.begin(), hours_.end());
    for (const auto& [mask, values] : parts_) out->parts.push_back({mask, values.counts(kMostFailureValues)});
    return out;
}

} // namespace yard::engine

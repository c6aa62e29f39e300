#include "core/session/places.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace yard::session {

/// The last leaf that begins with it, or before it; else the first.
std::size_t OrderedRecords::leafOf(std::uint32_t record) const {
    assert(!leaves_.empty());
    if (!records_->less(record, leaves_.back().front())) return leaves_.size() - 1;
    const auto behind = std::ranges::partition_point(
        leaves_, [&](const Leaf& leaf) { return !records_->less(record, leaf.front()); });
    return behind == leaves_.begin() ? 0 : static_cast<std::size_t>(behind - leaves_.begin()) - 1;
}

void OrderedRecords::insert(std::uint32_t record) {
    before_.clear();
    ++size_;
    if (leaves_.empty()) leaves_.emplace_back();
    const auto first = [&](const Leaf& leaf) {
        return std::ranges::partition_point(leaf,
                                            [&](std::uint32_t other) { return records_->less(other, record); });
    };
    if (leaves_.size() == 1 && leaves_.front().empty()) {
        leaves_.front().push_back(record);
        return;
    }
    const std::size_t i = leafOf(record);
    if (leaves_[i].size() < kLeaf) {
        leaves_[i].insert(first(leaves_[i]), record);
        return;
    }
    if (i + 1 == leaves_.size() && records_->less(leaves_[i].back(), record)) { // as most do
        leaves_.emplace_back().push_back(record);
        return;
    }
    const auto middle = leaves_[i].begin() + kLeaf / 2;
    Leaf upper(middle, leaves_[i].end());
    leaves_[i].erase(middle, leaves_[i].end());
    Leaf& into = records_->less(record, upper.front()) ? leaves_[i] : upper;
    into.insert(first(into), record);
    leaves_.insert(leaves_.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(upper));
}

void OrderedRecords::erase(std::uint32_t record) {
    before_.clear();
    const std::size_t i = leafOf(record);
    Leaf& leaf = leaves_[i];
    const auto at =
        std::ranges::partition_point(leaf, [&](std::uint32_t other) { return records_->less(other, record); });
    assert(at != leaf.end() && *at == record);
    leaf.erase(at);
    --size_;
    if (leaf.empty()) leaves_.erase(leaves_.begin() + static_cast<std::ptrdiff_t>(i));
}

void OrderedRecords::count() const {
    if (!before_.empty()) return;
    before_.reserve(leaves_.size());
    std::uint32_t sum = 0;
    for (const Leaf& leaf : leaves_) {
        before_.push_back(sum);
        sum += static_cast<std::uint32_t>(leaf.size());
    }
}

std::uint32_t OrderedRecords::number(std::uint32_t record) const {
    count();
    const std::size_t i = leafOf(record);
    const auto at = std::ranges::partition_point(
        leaves_[i], [&](std::uint32_t other) { return records_->less(other, record); });
    assert(at != leaves_[i].end() && *at == record);
    return before_[i] + static_cast<std::uint32_t>(at - leaves_[i].begin());
}

std::uint32_t OrderedRecords::at(std::uint32_t number) const {
    assert(number < size_);
    count();
    const auto behind = std::ranges::upper_bound(before_, number);
    const auto i = static_cast<std::size_t>(behind - before_.begin()) - 1;
    return leaves_[i][number - before_[i]];
}

std::size_t OrderedRecords::memoryBytes() const {
    return leaves_.size() * (kLeaf * sizeof(std::uint32_t) + sizeof(Leaf)) +
           before_.capacity() * sizeof(std::uint32_t);
}

// -- queues

Places::Kept* Places::keptFor(std::uint32_t record) {
    const Record& r = records_[record];
    const auto found = queues_.find(lanes_[r.lane].queue);
    if (found == queues_.end()) return nullptr;
    const Lsn next = found->second.next;
    return next.value == 0 || records_.lsnOf(r) < next ? &found->second : nullptr;
}

void Places::entered(std::uint32_t record) {
    if (Kept* const kept = keptFor(record)) kept->order.insert(record);
}

void Places::left(std::uint32_t record) {
    if (Kept* const kept = keptFor(record)) kept->order.erase(record);
}

void Places::want(std::span<const std::uint32_t> wanted) {
    ++builds_;
    const std::size_t before = queues_.size();
    for (const std::uint32_t queue : wanted)
        queues_.try_emplace(queue, Kept{.order = OrderedRecords(records_)}).first->second.used = builds_;
    if (queues_.size() > before && queues_.size() > kMostQueues) forgetOthers();
}

/// What somebody is building stays: else two who ask for many queues would have each other begin again without end.
void Places::forgetOthers() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> others;
    for (const auto& [queue, kept] : queues_)
        if (kept.next.value == 0 && kept.used != builds_) others.emplace_back(kept.used, queue);
    std::ranges::sort(others);
    others.resize(std::min(others.size(), queues_.size() - kMostQueues));
    for (const auto& [used, queue] : others) queues_.erase(queue);
}

void Places::walked(std::uint32_t record, Lsn lsn) {
    const Record& r = records_[record];
    if (!isPendingPhase(r.phase)) return;
    const auto found = queues_.find(lanes_[r.lane].queue);
    if (found == queues_.end() || found->second.used != builds_) return;
    const Lsn next = found->second.next;
    if (next.value > 0 && lsn >= next) found->second.order.insert(record);
}

bool Places::build(std::span<const std::uint32_t> wanted, int most) {
    want(wanted);
    Lsn at{0}; // where the first of them goes on
    for (const std::uint32_t queue : wanted)
        if (const Lsn next = queues_.at(queue).next; next.value > 0 && (at.value == 0 || next < at)) at = next;
    for (int left = most; at.value > 0 && left > 0; --left) {
        const std::uint32_t record = records_.next(at);
        const Lsn lsn = record == kNone ? Lsn(-1) : records_.lsnOf(records_[record]);
        if (record != kNone) walked(record, lsn);
        at = Lsn(lsn.value + 1);
    }
    for (const std::uint32_t queue : wanted) {
        Lsn& next = queues_.at(queue).next;
        if (next.value > 0) next = at.value == 0 ? at : std::max(next, at);
    }
    return at.value == 0;
}

const OrderedRecords* Places::of(std::uint32_t queue) const {
    const auto found = queues_.find(queue);
    return found == queues_.end() || found->second.next.value > 0 ? nullptr : &found->second.order;
}

std::size_t Places::memoryBytes() const {
    std::size_t bytes = 0;
    for (const auto& [queue, kept] : queues_) bytes += sizeof(Kept) + kept.order.memoryBytes();
    return bytes;
}

} // namespace yard::session

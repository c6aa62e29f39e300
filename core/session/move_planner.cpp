#include "core/session/move_planner.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace yard::session {

namespace {

constexpr std::int64_t kGap = std::int64_t{1} << 32;
/// Ranks stay within what the journal gives back.
constexpr std::int64_t kMostRank = std::int64_t{1} << 60;

} // namespace

PlaceKey MovePlanner::keyOf(std::uint32_t record) const {
    const auto found = placed_.find(record);
    return found == placed_.end() ? records_.placeOf(record) : found->second;
}

std::vector<MovePlan::Placed> MovePlanner::take() const {
    std::vector<MovePlan::Placed> all;
    all.reserve(placed_.size());
    for (const auto& [record, to] : placed_)
        if (records_.placeOf(record) != to) all.push_back({records_.lsnOf(records_[record]), to});
    std::ranges::sort(all, {}, &MovePlan::Placed::lsn);
    return all;
}

Result<void> MovePlanner::plan(std::vector<std::uint32_t> chosen, MoveTo::Where where, std::uint32_t before) {
    std::ranges::sort(chosen, [this](std::uint32_t a, std::uint32_t b) { return records_.less(a, b); });
    chosen.erase(std::ranges::unique(chosen).begin(), chosen.end());
    matched_ = std::ssize(chosen);
    if (before != kNone) {
        const auto other = std::ranges::find_if(chosen, [&](std::uint32_t record) {
            return records_[record].priority() != records_[before].priority();
        });
        const std::int64_t lsn = records_.lsnOf(records_[before]).value;
        if (other != chosen.end())
            return invalid("to", fmt::format("Action {} has priority {} and action {} has {}: a higher one always "
                                             "goes first. Give them the same priority, then move.",
                                             records_.lsnOf(records_[*other]).value, records_[*other].priority(),
                                             lsn, records_[before].priority()));
        if (std::ranges::find(chosen, before) != chosen.end())
            return invalid("to", fmt::format("Action {} is one of those that are moved: name another one.", lsn));
    }
    for (std::span<const std::uint32_t> rest(chosen); !rest.empty();) {
        const int priority = records_[rest.front()].priority();
        const auto end = std::ranges::find_if(
            rest, [&](std::uint32_t record) { return records_[record].priority() != priority; });
        const auto count = static_cast<std::size_t>(end - rest.begin());
        const Band band = bandOf(rest.first(count));
        rest = rest.subspan(count);
        switch (where) {
        case MoveTo::Where::Top: toTop(band); break;
        case MoveTo::Where::Up: up(band); break;
        case MoveTo::Where::Down: down(band); break;
        case MoveTo::Where::Bottom: toBottom(band); break;
        case MoveTo::Where::Before: toBefore(band, before); break;
        }
    }
    return {};
}

MovePlanner::Band MovePlanner::bandOf(std::span<const std::uint32_t> records) const {
    Band band;
    band.records.assign(records.begin(), records.end());
    for (const std::uint32_t record : records) band.numbers.push_back(order_.number(record));
    const int priority = records_[records.front()].priority();
    const auto firstBelow = [&](int most) { // the first whose priority is at most that
        std::uint32_t from = 0;
        std::uint32_t to = order_.size();
        while (from < to) {
            const std::uint32_t middle = from + (to - from) / 2;
            if (records_[order_.at(middle)].priority() > most)
                from = middle + 1;
            else
                to = middle;
        }
        return from;
    };
    band.from = firstBelow(priority);
    band.to = firstBelow(priority - 1);
    return band;
}

void MovePlanner::toTop(const Band& band) {
    std::size_t there = 0;
    while (there < band.numbers.size() && band.numbers[there] == band.from + there) ++there;
    if (there == band.numbers.size()) return;
    const auto first = band.from + static_cast<std::uint32_t>(there);
    put(std::span(band.records).subspan(there), there == 0 ? kNone : order_.at(first - 1), order_.at(first));
}

void MovePlanner::toBottom(const Band& band) {
    const std::size_t n = band.numbers.size();
    std::size_t there = 0;
    while (there < n && band.numbers[n - 1 - there] == band.to - 1 - there) ++there;
    if (there == n) return;
    const auto last = band.to - 1 - static_cast<std::uint32_t>(there);
    put(std::span(band.records).first(n - there), order_.at(last), there == 0 ? kNone : order_.at(last + 1));
}

void MovePlanner::toBefore(const Band& band, std::uint32_t before) {
    const std::uint32_t at = order_.number(before);
    std::uint32_t left = at; // behind what is not moved
    auto next = std::ranges::lower_bound(band.numbers, at);
    while (left > band.from && next != band.numbers.begin() && *std::prev(next) == left - 1) {
        --left;
        --next;
    }
    if (at - left == band.numbers.size()) return; // there already
    put(band.records, left == band.from ? kNone : order_.at(left - 1), before);
}

void MovePlanner::up(const Band& band) {
    std::uint32_t passed = kNone; // by the block before, whose last one was at `passedTo`
    std::uint32_t passedTo = kNone;
    for (std::size_t i = 0; i < band.numbers.size();) {
        std::size_t end = i + 1;
        while (end < band.numbers.size() && band.numbers[end] == band.numbers[end - 1] + 1) ++end;
        const std::uint32_t first = band.numbers[i];
        std::uint32_t over = kNone;
        if (first > band.from) {
            over = order_.at(first - 1);
            std::uint32_t left = first - 1 == band.from ? kNone : order_.at(first - 2);
            if (passed != kNone && passedTo == first - 2) left = passed;
            put(std::span(band.records).subspan(i, end - i), left, over);
        }
        passed = over;
        passedTo = band.numbers[end - 1];
        i = end;
    }
}

void MovePlanner::down(const Band& band) {
    std::uint32_t passed = kNone; // by the block behind, whose first one was at `passedFrom`
    std::uint32_t passedFrom = kNone;
    for (std::size_t end = band.numbers.size(); end > 0;) {
        std::size_t i = end - 1;
        while (i > 0 && band.numbers[i - 1] + 1 == band.numbers[i]) --i;
        const std::uint32_t last = band.numbers[end - 1];
        std::uint32_t over = kNone;
        if (last + 1 < band.to) {
            over = order_.at(last + 1);
            std::uint32_t right = last + 2 == band.to ? kNone : order_.at(last + 2);
            if (passed != kNone && passedFrom == last + 2) right = passed;
            put(std::span(band.records).subspan(i, end - i), over, right);
        }
        passed = over;
        passedFrom = band.numbers[i];
        end = i;
    }
}

void MovePlanner::put(std::span<const std::uint32_t> items, std::uint32_t left, std::uint32_t right) {
    const auto count = static_cast<std::int64_t>(items.size());
    PlaceKey key = keyOf(left == kNone ? right : left);
    std::int64_t step = kGap;
    if (left == kNone) {
        key.rank -= kGap * (count + 1);
    } else if (right != kNone && keyOf(right).isBeside(key)) {
        step = (keyOf(right).rank - key.rank) / (count + 1);
    }
    if (step <= 0 || key.rank < -kMostRank || key.rank + step * count > kMostRank)
        return putAnew(items, left, right);
    for (const std::uint32_t record : items) {
        key.rank += step;
        placed_[record] = key;
    }
}

/// All that stand beside one anchor, and the items among them, with room between any two. An anchor that nobody moved
/// stays where it is.
void MovePlanner::putAnew(std::span<const std::uint32_t> items, std::uint32_t left, std::uint32_t right) {
    const std::uint32_t neighbour = left == kNone ? right : left;
    const PlaceKey spot = keyOf(neighbour);
    const std::unordered_set<std::uint32_t> moving(items.begin(), items.end());
    std::vector<std::uint32_t> group = neighboursOf(neighbour, moving);
    auto gap = std::ranges::find(group, neighbour);
    if (left != kNone) ++gap;
    group.insert(gap, items.begin(), items.end());
    const auto still = std::ranges::find_if(group, [&](std::uint32_t record) {
        return !moving.contains(record) && !records_[record].isMoved() && !placed_.contains(record);
    });
    const auto zero = still == group.end() ? std::ssize(group) / 2 : still - group.begin();
    const std::uint32_t stays = still == group.end() ? kNone : *still;
    for (std::ptrdiff_t i = 0; i < std::ssize(group); ++i) {
        const std::uint32_t record = group[static_cast<std::size_t>(i)];
        if (record != stays)
            placed_[record] = {.time = spot.time, .anchor = spot.anchor, .rank = (i - zero) * kGap};
    }
}

/// All of its priority that stand beside the same anchor, in order, those apart that are being moved.
std::vector<std::uint32_t> MovePlanner::neighboursOf(std::uint32_t record,
                                                     const std::unordered_set<std::uint32_t>& moving) const {
    const PlaceKey spot = keyOf(record);
    const int priority = records_[record].priority();
    const auto isBeside = [&](std::uint32_t other) {
        return records_[other].priority() == priority && records_.placeOf(other).isBeside(spot);
    };
    std::vector<std::uint32_t> group;
    std::uint32_t from = order_.number(record);
    while (from > 0 && isBeside(order_.at(from - 1))) --from;
    for (std::uint32_t i = from; i < order_.size() && isBeside(order_.at(i)); ++i)
        if (const std::uint32_t other = order_.at(i); keyOf(other).isBeside(spot) && !moving.contains(other))
            group.push_back(other);
    for (const auto& [other, key] : placed_)
        if (key.isBeside(spot) && !isBeside(other) && records_[other].priority() == priority &&
            !moving.contains(other))
            group.push_back(other);
    std::ranges::sort(group, [this](std::uint32_t a, std::uint32_t b) {
        const PlaceKey x = keyOf(a);
        const PlaceKey y = keyOf(b);
        return x != y ? x < y : records_.lsnOf(records_[a]) < records_.lsnOf(records_[b]);
    });
    return group;
}

} // namespace yard::session

#include "core/engine/alerts/queue_tallies.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Takes a number and one space behind it off the text. Nothing: there is none, or it is negative.
std::optional<std::int64_t> takeCount(std::string_view& text) {
    std::int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    text.remove_prefix(text.starts_with(' ') ? 1 : 0);
    return value;
}

} // namespace

void QueueTallies::noteChange(Kept& kept, WallMicros now) {
    kept.isChanged = true;
    if (!due_) due_ = now + kWrittenAfter;
}

void QueueTallies::count(QueueId queue, bool isFailure, WallMicros now) {
    Kept& kept = tallies_[queue];
    ++kept.tally.ended;
    if (isFailure) ++kept.tally.failed;
    noteChange(kept, now);
}

std::optional<QueueTally> QueueTallies::take(QueueId queue, WallMicros now) {
    const auto at = tallies_.find(queue);
    if (at == tallies_.end() || at->second.tally.ended == 0) return std::nullopt;
    const QueueTally tally = at->second.tally;
    at->second.tally = {};
    if (at->second.isWritten)
        noteChange(at->second, now);
    else
        tallies_.erase(at);
    if (std::ranges::none_of(tallies_, [](const auto& one) { return one.second.isChanged; })) due_.reset();
    return tally;
}

void QueueTallies::forget(WallMicros now) {
    std::erase_if(tallies_, [](const auto& one) { return !one.second.isWritten; });
    due_.reset();
    for (auto& [queue, kept] : tallies_) {
        kept.tally = {};
        noteChange(kept, now);
    }
}

std::optional<QueueId> QueueTallies::restore(std::string_view name, std::string_view body) {
    const auto queue = takeCount(name);
    const auto ended = takeCount(body);
    const auto failed = takeCount(body);
    if (!queue || !name.empty() || !ended || !failed || !body.empty() || *ended == 0 || *failed > *ended)
        return std::nullopt;
    const QueueId id(*queue);
    tallies_[id] = {.tally = {.ended = *ended, .failed = *failed}, .isWritten = true, .isChanged = false};
    return id;
}

std::vector<store::DocumentChange> QueueTallies::changes() {
    std::vector<store::DocumentChange> all;
    due_.reset();
    for (auto at = tallies_.begin(); at != tallies_.end();) {
        Kept& kept = at->second;
        const bool isOver = kept.tally.ended == 0;
        if (kept.isChanged)
            all.push_back({.kind = std::string(kKind),
                           .name = fmt::format("{}", at->first.value),
                           .body = isOver
                                       ? std::nullopt
                                       : std::optional(fmt::format("{} {}", kept.tally.ended, kept.tally.failed))});
        kept.isWritten = kept.isWritten || kept.isChanged;
        kept.isChanged = false;
        at = isOver ? tallies_.erase(at) : std::next(at);
    }
    return all;
}

void QueueTallies::refused(const std::vector<store::DocumentChange>& changes, WallMicros now) {
    for (const store::DocumentChange& change : changes) {
        std::string_view name = change.name;
        Kept& kept = tallies_[QueueId(takeCount(name).value_or(0))];
        kept.isWritten = true; // an earlier one may be there
        noteChange(kept, now);
    }
}

} // namespace yard::engine

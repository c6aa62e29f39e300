#include "core/schedule/timetable.h"

#include <algorithm>
#include <array>

namespace yard::schedule {

namespace {

constexpr std::array<std::string_view, 3> kMissedWords = {"once", "skip", "all"};

/// FNV-1a, mixed: the same in every build and on every machine.
std::uint64_t numberOf(std::string_view name) {
    std::uint64_t hash = 14'695'981'039'346'656'037U;
    for (const char c : name) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 1'099'511'628'211U;
    }
    return hash ^ (hash >> 32);
}

} // namespace

std::string_view missedWord(Missed missed) {
    return kMissedWords[std::to_underlying(missed)];
}

std::optional<Missed> missedIn(std::string_view word) {
    const auto* const found = std::ranges::find(kMissedWords, word);
    if (found == kMissedWords.end()) return std::nullopt;
    return static_cast<Missed>(found - kMissedWords.begin());
}

WallMicros Timetable::delayOf(std::string_view name, Duration jitter) {
    if (jitter <= Duration::zero()) return 0;
    return static_cast<WallMicros>(numberOf(name) % (static_cast<std::uint64_t>(jitter.count()) + 1));
}

void Timetable::put(std::string name, Plan plan, WallMicros decidedUntil, WallMicros now) {
    remove(name);
    const WallMicros delay = delayOf(name, plan.jitter);
    if (decidedUntil > now + kWrongClock) repeated_[name] = decidedUntil = now;
    const auto at =
        entries_
            .emplace(
                std::move(name),
                Entry{.plan = std::move(plan), .delay = delay, .decidedUntil = decidedUntil, .wake = std::nullopt})
            .first;
    this->plan(at->first, at->second);
}

void Timetable::remove(std::string_view name) {
    const auto at = entries_.find(name);
    if (at == entries_.end()) return;
    if (at->second.wake) order_.erase({*at->second.wake, at->first});
    repeated_.erase(at->first);
    entries_.erase(at);
}

std::optional<WallMicros> Timetable::wakeAt() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
}

std::optional<WallMicros> Timetable::nextOf(std::string_view name) const {
    const auto at = entries_.find(name);
    return at == entries_.end() ? std::nullopt : at->second.wake;
}

void Timetable::plan(const std::string& name, Entry& entry) {
    if (entry.wake) order_.erase({*entry.wake, name});
    entry.wake = entry.plan.timing.nextAfter(entry.decidedUntil);
    if (!entry.wake) return;
    *entry.wake += entry.delay;
    order_.emplace(*entry.wake, name);
}

void Timetable::goBy(WallMicros now) {
    const bool wasWrong = now < latest_ - kWrongClock;
    latest_ = wasWrong ? now : std::max(latest_, now);
    if (!wasWrong) return;
    for (auto& [name, entry] : entries_) {
        if (entry.decidedUntil <= now + kWrongClock) continue;
        repeated_[name] = entry.decidedUntil = now;
        plan(name, entry);
    }
}

void Timetable::decide(const std::string& name, Entry& entry, WallMicros now, std::vector<Due>& due) {
    const WallMicros until = now - entry.delay;
    auto times = entry.plan.timing.newest(entry.decidedUntil, until, kMostMissed + 1);
    entry.decidedUntil = until;
    if (times.empty()) return;
    const bool isLate = until - times.back() > kPunctual;
    const std::size_t before = times.size() - 1;
    if (entry.plan.missed != Missed::All) {
        const bool isRun = !isLate || entry.plan.missed == Missed::Once;
        // Where none runs that was missed, the one on time stands for itself alone.
        const bool isApart = isRun && entry.plan.missed == Missed::Skip && before > 0;
        if (isApart)
            due.push_back(
                {.name = name, .due = times[before - 1], .isLate = true, .skipped = before - 1, .isRun = false});
        due.push_back(
            {.name = name, .due = times.back(), .isLate = isLate, .skipped = isApart ? 0 : before, .isRun = isRun});
        return;
    }
    const bool isCut = times.size() > kMostMissed;
    if (isCut) times.erase(times.begin());
    for (const WallMicros at : times) {
        const bool isFirst = at == times.front();
        due.push_back({.name = name,
                       .due = at,
                       .isLate = isLate || at != times.back(),
                       .skipped = isCut && isFirst ? std::size_t(1) : 0,
                       .isRun = true});
    }
}

std::vector<Due> Timetable::take(WallMicros now, std::size_t most) {
    goBy(now);
    std::vector<Due> due;
    for (std::size_t seen = 0; seen < most && !order_.empty() && order_.begin()->first <= now; ++seen) {
        const auto at = entries_.find(order_.begin()->second);
        decide(at->first, at->second, now, due);
        plan(at->first, at->second);
    }
    std::ranges::sort(due, {}, [](const Due& one) { return std::pair(one.due, std::string_view(one.name)); });
    return due;
}

} // namespace yard::schedule

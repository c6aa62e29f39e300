#include "core/lifecycle/hook_queue.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>
#include <utility>

namespace yard::lifecycle {

HookQueue::HookQueue(std::vector<HookTarget> targets, std::size_t places)
    : places_(places) {
    for (HookTarget& target : targets) {
        targets_.push_back(entryOf(std::move(target)));
        points_ |= targets_.back().points;
    }
}

HookQueue::Entry HookQueue::entryOf(HookTarget target) {
    Entry entry;
    for (const HookPattern& pattern : target.patterns) entry.points |= pattern.points();
    entry.target = std::move(target);
    return entry;
}

void HookQueue::drop(Entry& entry, std::vector<HookRunNumber>& forgotten) {
    for (const HookRun& run : entry.asked) forgotten.push_back(run.number);
    waiting_ -= entry.asked.size() + entry.observing.size();
    entry.asked.clear();
    entry.observing.clear();
    entry.bytes = 0;
    entry.points.reset();
    entry.target.patterns.clear();
    entry.isGone = true;
}

std::vector<HookRunNumber> HookQueue::setPrograms(std::vector<HookTarget> programs) {
    std::vector<HookRunNumber> forgotten;
    for (Entry& entry : targets_) {
        const bool stays = entry.target.isPlugin ||
                           std::ranges::find(programs, entry.target.name, &HookTarget::name) != programs.end();
        if (!stays && !entry.isGone) drop(entry, forgotten);
    }
    for (HookTarget& program : programs) {
        const auto isIt = [&](const Entry& entry) {
            return !entry.isGone && !entry.target.isPlugin && entry.target.name == program.name;
        };
        if (std::ranges::any_of(targets_, isIt)) continue;
        const auto free =
            std::ranges::find_if(targets_, [](const Entry& entry) { return entry.isGone && entry.running == 0; });
        if (free == targets_.end())
            targets_.push_back(entryOf(std::move(program)));
        else
            *free = entryOf(std::move(program));
    }
    points_.reset();
    for (const Entry& entry : targets_) points_ |= entry.points;
    return forgotten;
}

std::vector<std::size_t> HookQueue::inOrder() const {
    std::vector<std::size_t> all;
    for (std::size_t at = 0; at < targets_.size(); ++at)
        if (!targets_[at].isGone) all.push_back(at);
    // Plugins stay in their order.
    std::ranges::sort(all, {}, [this](std::size_t at) {
        const HookTarget& target = targets_[at].target;
        return std::tuple(target.isPlugin, std::string_view(target.isPlugin ? "" : target.name.c_str()), at);
    });
    return all;
}

bool HookQueue::matches(const Entry& entry, const HookEvent& event) const {
    return entry.points.test(std::to_underlying(event.point)) &&
           std::ranges::any_of(entry.target.patterns,
                               [&](const HookPattern& pattern) { return pattern.matches(event); });
}

bool HookQueue::wants(const HookEvent& event) const {
    return wants(event.point) &&
           std::ranges::any_of(targets_, [&](const Entry& entry) { return matches(entry, event); });
}

/// A pass and a rest come again and again: the next one says no more than the one that waits.
static bool isToldOnce(HookPoint point) {
    return point == HookPoint::OrchestratorTickStarted || point == HookPoint::OrchestratorIdle;
}

std::vector<std::string> HookQueue::add(const HookEvent& event) {
    std::vector<std::string> losing;
    if (!wants(event.point)) return losing;
    std::string json;
    for (std::size_t at = 0; at < targets_.size(); ++at) {
        Entry& entry = targets_[at];
        if (!matches(entry, event)) continue;
        const auto isSame = [&](const HookRun& run) { return run.point == event.point; };
        if (isToldOnce(event.point) && std::ranges::any_of(entry.observing, isSame)) continue;
        if (json.empty()) json = hookJson(event);
        if (entry.observing.size() >= kMostWaiting || entry.bytes + json.size() > kMostBytes) {
            ++entry.dropped;
            if (!std::exchange(entry.isLosing, true)) losing.push_back(entry.target.name);
            continue;
        }
        entry.bytes += json.size();
        ++waiting_;
        entry.observing.push_back(
            {.number = ++last_, .target = at, .point = event.point, .name = hookName(event), .json = json});
    }
    return losing;
}

std::vector<std::size_t> HookQueue::askedOf(const HookEvent& event) const {
    std::vector<std::size_t> asked;
    if (!wants(event.point)) return asked;
    for (const std::size_t at : inOrder())
        if (matches(targets_[at], event)) asked.push_back(at);
    return asked;
}

Result<HookRunNumber> HookQueue::ask(std::size_t target, const HookEvent& event) {
    Entry& entry = targets_[target];
    if (entry.isHanging)
        return fail(ErrorKind::NotAccepting,
                    fmt::format("The hook {} has to be asked, and has not returned from what it was told before. "
                                "Nothing was changed.",
                                entry.target.name));
    if (entry.asked.size() >= kMostAsked)
        return fail(ErrorKind::Busy, fmt::format("The hook {} is asked too much at once; try again in a moment.",
                                                 entry.target.name));
    ++waiting_;
    entry.asked.push_back({.number = ++last_,
                           .target = target,
                           .point = event.point,
                           .name = hookName(event),
                           .json = hookJson(event),
                           .isAsked = true});
    return last_;
}

void HookQueue::forget(HookRunNumber number) {
    for (Entry& entry : targets_)
        waiting_ -= std::erase_if(entry.asked, [number](const HookRun& run) { return run.number == number; });
}

std::vector<HookRunNumber> HookQueue::hangs(HookRunNumber number) {
    std::vector<HookRunNumber> forgotten;
    const auto found = running_.find(number);
    if (found == running_.end()) return forgotten;
    Entry& entry = targets_[found->second.target];
    entry.isHanging = true;
    for (const HookRun& run : entry.asked) forgotten.push_back(run.number);
    waiting_ -= entry.asked.size();
    entry.asked.clear();
    return forgotten;
}

bool HookQueue::begin(std::size_t at, std::deque<HookRun>& from, std::vector<HookRun>& taken) {
    Entry& entry = targets_[at];
    if (from.empty()) return false;
    HookRun run = std::move(from.front());
    from.pop_front();
    --waiting_;
    ++entry.running;
    if (!entry.target.isPlugin) ++inPlaces_;
    if (!run.isAsked) {
        entry.bytes -= run.json.size();
        entry.isObserving = true;
        if (entry.observing.empty()) entry.isLosing = false;
    }
    running_[run.number] = {.target = at, .isAsked = run.isAsked};
    taken.push_back(std::move(run));
    return true;
}

std::vector<HookRun> HookQueue::take() {
    std::vector<HookRun> taken;
    for (std::size_t at = 0; at < targets_.size(); ++at) {
        Entry& entry = targets_[at];
        const auto mayRun = [&] { return entry.target.isPlugin ? entry.running == 0 : inPlaces_ < places_; };
        while (!entry.asked.empty() && mayRun()) begin(at, entry.asked, taken);
    }
    const std::size_t first = next_;
    for (std::size_t step = 0; step < targets_.size(); ++step) {
        const std::size_t at = (first + step) % targets_.size();
        Entry& entry = targets_[at];
        if (entry.isObserving) continue;
        // One place is for what is asked.
        const bool mayRun =
            entry.target.isPlugin ? entry.running == 0 : inPlaces_ + 1 < std::max(places_, std::size_t{2});
        if (mayRun && begin(at, entry.observing, taken)) next_ = at + 1;
    }
    return taken;
}

void HookQueue::ended(HookRunNumber number, bool isOk, Duration took) {
    const auto found = running_.find(number);
    if (found == running_.end()) return;
    const Running run = found->second;
    running_.erase(found);
    Entry& entry = targets_[run.target];
    --entry.running;
    entry.isHanging = false;
    if (!entry.target.isPlugin) --inPlaces_;
    if (!run.isAsked) entry.isObserving = false;
    ++entry.runs;
    if (!isOk) ++entry.failed;
    entry.times.push_back(took);
    if (entry.times.size() > kKeptTimes) entry.times.pop_front();
}

void HookQueue::clear() {
    for (Entry& entry : targets_) {
        entry.asked.clear();
        entry.observing.clear();
        entry.bytes = 0;
    }
    waiting_ = 0;
}

static Duration percentile95(const std::deque<Duration>& times) {
    if (times.empty()) return Duration::zero();
    std::vector<Duration> sorted(times.begin(), times.end());
    const std::size_t at = (sorted.size() * 95 + 99) / 100 - 1;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(at));
    return sorted[at];
}

std::vector<HookFigures> HookQueue::figures() const {
    std::vector<HookFigures> all;
    for (const std::size_t at : inOrder()) {
        const Entry& entry = targets_[at];
        all.push_back({.name = entry.target.name,
                       .isPlugin = entry.target.isPlugin,
                       .runs = entry.runs,
                       .failed = entry.failed,
                       .dropped = entry.dropped,
                       .waiting = entry.asked.size() + entry.observing.size(),
                       .p95 = percentile95(entry.times)});
    }
    return all;
}

} // namespace yard::lifecycle

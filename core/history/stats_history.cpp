#include "core/history/stats_history.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace yard::history {

namespace {

constexpr std::string_view kMagic = "yardmaster stats 2\n";
constexpr std::string_view kFirstMagic = "yardmaster stats 1\n";
constexpr std::size_t kFirstStepBytes = 40; // without what is known of GPUs, which stands last
constexpr double kMib = 1 << 20;
constexpr std::int64_t kUsualHistory = 900'000'000;
constexpr std::int64_t kUsualRows = 600;
constexpr std::int64_t kLongestSample = 3'600'000'000;
constexpr std::int64_t kPage = 4'096;
constexpr std::int64_t kMillis = 1'000;
/// Steps further apart than this in the file are written by themselves.
constexpr std::size_t kJoin = 8;

std::uint32_t clamped(std::int64_t value) {
    return static_cast<std::uint32_t>(
        std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

float mean(float before, double weightBefore, double value, double weight) {
    const double all = weightBefore + weight;
    return static_cast<float>(all > 0 ? (static_cast<double>(before) * weightBefore + value * weight) / all
                                      : value);
}

std::int64_t floorDiv(std::int64_t value, std::int64_t by) {
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}

} // namespace

StatsHistory::StatsHistory()
    : steps_(kSteps)
    , changed_(kSteps) {
    static_assert(kLevels.back().first + kLevels.back().count == kSteps);
    static_assert(kMagic.size() < kHeaderBytes);
}

void StatsHistory::add(WallMicros from, WallMicros to, const StatsSample& sample) {
    assert(from < to);
    from = std::max(from, to - kLongestSample);
    for (const Level& level : kLevels) addTo(level, from, to, sample);
}

void StatsHistory::addTo(const Level& level, WallMicros from, WallMicros to, const StatsSample& sample) {
    const std::int64_t last = (to - 1) / level.width;
    std::int64_t number = from / level.width;
    number = std::max(number, last - static_cast<std::int64_t>(level.count) + 1);
    for (; number <= last; ++number) {
        const std::size_t at = level.first + static_cast<std::size_t>(number) % level.count;
        Step& step = steps_[at];
        // A clock that was set back would overwrite what is newer: it is left as it is.
        if (step.number > number) continue;
        if (step.number != number) step = {.number = number};
        changed_[at] = true;
        const std::int64_t begin = std::max(from, number * level.width);
        const std::int64_t end = std::min(to, (number + 1) * level.width);
        const auto covered = static_cast<double>(end - begin) / kMillis;
        step.cpuActions = mean(step.cpuActions, step.coveredMillis, sample.cpuActions, covered);
        step.cpuOthers = mean(step.cpuOthers, step.coveredMillis, sample.cpuOthers, covered);
        const auto known = step.gpuPercent < 0 ? 0.0 : static_cast<double>(step.coveredMillis);
        if (sample.gpuPercent) step.gpuPercent = mean(step.gpuPercent, known, *sample.gpuPercent, covered);
        if (sample.gpuMemoryBytes)
            step.gpuMemoryMib = static_cast<float>(static_cast<double>(*sample.gpuMemoryBytes) / kMib);
        step.coveredMillis += static_cast<std::uint32_t>(std::ceil(covered));
        step.memoryPages = clamped(sample.memoryBytes / kPage);
        step.pending = clamped(sample.pending);
        step.running = clamped(sample.running);
        if (number < last) continue;
        step.completed = clamped(step.completed + sample.completed);
        step.failed = clamped(step.failed + sample.failed);
    }
}

const StatsHistory::Step* StatsHistory::find(const Level& level, std::int64_t number) const {
    if (number <= 0) return nullptr;
    const Step& step = steps_[level.first + static_cast<std::size_t>(number) % level.count];
    return step.number == number && step.coveredMillis > 0 ? &step : nullptr;
}

std::optional<StatsSample> StatsHistory::merged(const Level& level, std::int64_t number, std::int64_t count) const {
    std::optional<StatsSample> all;
    double weight = 0;
    double gpuWeight = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const Step* step = find(level, number + i);
        if (!step) continue;
        if (!all) all.emplace();
        const double more = step->coveredMillis;
        all->cpuActions =
            (all->cpuActions * weight + static_cast<double>(step->cpuActions) * more) / (weight + more);
        all->cpuOthers = (all->cpuOthers * weight + static_cast<double>(step->cpuOthers) * more) / (weight + more);
        weight += more;
        all->memoryBytes = step->memoryPages * kPage;
        all->pending = step->pending;
        all->running = step->running;
        all->completed += step->completed;
        all->failed += step->failed;
        if (step->gpuPercent >= 0) {
            all->gpuPercent =
                (all->gpuPercent.value_or(0) * gpuWeight + static_cast<double>(step->gpuPercent) * more) /
                (gpuWeight + more);
            gpuWeight += more;
        }
        if (step->gpuMemoryMib >= 0)
            all->gpuMemoryBytes = static_cast<std::int64_t>(static_cast<double>(step->gpuMemoryMib) * kMib);
    }
    return all;
}

StatsView StatsHistory::query(const StatsQuery& query, WallMicros now) const {
    const WallMicros to = std::min(query.to.value_or(now), now);
    const std::int64_t week = kLevels.back().width * static_cast<std::int64_t>(kLevels.back().count);
    const WallMicros from = std::max(query.from.value_or(to - kUsualHistory), now - week);
    const std::int64_t span = std::max<std::int64_t>(to - from, 0);
    std::int64_t asked = query.resolution ? query.resolution->count() : span / kUsualRows;
    asked = std::max<std::int64_t>({asked, 1, span / static_cast<std::int64_t>(kMostRows - 1) + 1});
    // The coarsest level that is fine enough, or, where that does not reach back so far, the next one that does.
    const Level* level = &kLevels.front();
    for (const Level& candidate : kLevels)
        if (candidate.width <= asked) level = &candidate;
    while (level != &kLevels.back() && now - level->width * static_cast<std::int64_t>(level->count) > from) ++level;
    const std::int64_t each = (asked + level->width - 1) / level->width;
    const std::int64_t width = each * level->width;

    StatsView view;
    view.resolution = Duration(width);
    for (std::int64_t number = floorDiv(from, width); number * width < to; ++number)
        view.rows.push_back({number * width, merged(*level, number * each, each)});
    return view;
}

std::vector<StatsHistory::Part> StatsHistory::partsOf(WallMicros from, WallMicros to, WallMicros now) {
    constexpr std::int64_t kMargin = 5'000'000;
    std::vector<Part> parts;
    to = std::min(to, now);
    for (std::size_t i = 0; i < kLevels.size() && from < to; ++i) {
        const Level& level = kLevels.at(i);
        WallMicros begin = now - level.width * static_cast<std::int64_t>(level.count) + kMargin;
        // No step is in two parts: they meet where a step of the coarser one ends.
        if (i + 1 < kLevels.size()) begin = -floorDiv(-begin, kLevels.at(i + 1).width) * kLevels.at(i + 1).width;
        begin = std::max(begin, from);
        if (begin >= to) continue;
        parts.push_back({.from = begin, .to = to, .width = Duration(level.width)});
        to = begin;
    }
    std::ranges::reverse(parts);
    return parts;
}

std::string StatsHistory::header() {
    std::string text(kMagic);
    text.resize(kHeaderBytes, '\0');
    return text;
}

std::vector<StatsHistory::Piece> StatsHistory::takeChanged() {
    std::vector<Piece> pieces;
    if (!headerWritten_) pieces.push_back({0, header()});
    headerWritten_ = true;
    for (std::size_t at = 0; at < kSteps; ++at) {
        if (!changed_[at]) continue;
        std::size_t end = at + 1;
        for (std::size_t next = end; next < std::min(end + kJoin, kSteps); ++next)
            if (changed_[next]) end = next + 1;
        Piece piece{kHeaderBytes + at * kStepBytes, std::string((end - at) * kStepBytes, '\0')};
        std::memcpy(piece.bytes.data(), &steps_[at], piece.bytes.size());
        pieces.push_back(std::move(piece));
        at = end - 1;
    }
    changed_.assign(kSteps, false);
    return pieces;
}

bool StatsHistory::restore(std::string_view file) {
    if (file.size() < kHeaderBytes) return false;
    std::string first(kFirstMagic);
    first.resize(kHeaderBytes, '\0');
    const bool isFirst = file.substr(0, kHeaderBytes) == first;
    if (!isFirst && file.substr(0, kHeaderBytes) != header()) return false;
    takeSteps(file.substr(kHeaderBytes), isFirst ? kFirstStepBytes : kStepBytes);
    headerWritten_ = !isFirst;
    if (isFirst) changed_.assign(kSteps, true); // each stands elsewhere now
    return true;
}

void StatsHistory::takeSteps(std::string_view file, std::size_t bytesEach) {
    for (const Level& level : kLevels)
        for (std::size_t i = 0; i < level.count; ++i) {
            const std::size_t at = level.first + i;
            if ((at + 1) * bytesEach > file.size()) return; // the rest was never written
            Step step;
            std::memcpy(&step, file.data() + at * bytesEach, bytesEach);
            const bool belongs = step.number > 0 && static_cast<std::size_t>(step.number) % level.count == i;
            const bool isReal = std::isfinite(step.cpuActions) && std::isfinite(step.cpuOthers) &&
                                step.cpuActions >= 0 && step.cpuOthers >= 0;
            constexpr float kMost = 1 << 30; // what is over it is damage, and in bytes over 64 bits
            if (!(step.gpuPercent >= 0 && step.gpuPercent <= kMost)) step.gpuPercent = kNoGpus;
            if (!(step.gpuMemoryMib >= 0 && step.gpuMemoryMib <= kMost)) step.gpuMemoryMib = kNoGpus;
            if (belongs && isReal) steps_[at] = step;
        }
}

} // namespace yard::history

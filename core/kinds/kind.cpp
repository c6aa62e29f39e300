#include "core/kinds/kind.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>

namespace yard::kinds {

namespace {

constexpr WallMicros kSecond = 1'000'000;
constexpr WallMicros kDay = 86'400 * kSecond;
constexpr WallMicros kWeek = 7 * kDay;
constexpr WallMicros kFirstMonday = 4 * kDay; // 1970-01-05
// Older runs count half after so many: a kind that was fixed stops being flaky.
constexpr std::uint64_t kGoodWindow = 2'000;
constexpr double kNormal95 = 1.959964; // 97.5 % of a normal distribution

WallMicros weekOf(WallMicros t) {
    return (t - kFirstMonday) / kWeek * kWeek + kFirstMonday;
}

} // namespace

void Figures::merge(const Figures& other) {
    runs += other.runs;
    failed += other.failed;
    for (std::size_t i = 0; i < kReasons; ++i) reasons[i] += other.reasons[i];
    for (std::size_t i = 0; i < kQuantities; ++i) sketches[i].merge(other.sketches[i]);
}

std::size_t Figures::bytes() const {
    std::size_t all = sizeof(Figures);
    for (const Sketch& sketch : sketches) all += sketch.bytes();
    return all;
}

// --- counting

namespace {

/// Of each quantity; nothing: not counted.
using Buckets = std::array<std::optional<Bucket>, kQuantities>;

Buckets bucketsOf(const Run& run) {
    Buckets buckets;
    const auto set = [&](Quantity q, const std::optional<double>& value) {
        if (value) buckets[std::to_underlying(q)] = bucketOf(*value);
    };
    if (run.isCompleted()) {
        set(Quantity::Duration, run.duration);
        set(Quantity::Cpu, run.cpu);
    }
    set(Quantity::Memory, run.memory);
    set(Quantity::Wait, run.wait);
    set(Quantity::Output, run.output);
    return buckets;
}

void countIn(Figures& figures, const Run& run, const Buckets& buckets) {
    ++figures.runs;
    if (!run.isCompleted()) {
        ++figures.failed;
        ++figures.reasons[std::to_underlying(run.reason)];
    }
    for (std::size_t i = 0; i < kQuantities; ++i)
        if (buckets[i]) figures.sketches[i].add(*buckets[i]);
}

NamedFigures& named(std::vector<NamedFigures>& all, std::uint8_t& nextId, std::string_view name, WallMicros end) {
    name = name.substr(0, Kind::kMaxLineBytes);
    auto found = std::ranges::find(all, name, &NamedFigures::name);
    if (found == all.end()) {
        if (all.size() >= Kind::kMaxNamed) all.erase(std::ranges::min_element(all, {}, &NamedFigures::last));
        while (nextId == 0 || std::ranges::count(all, nextId, &NamedFigures::id) > 0) ++nextId;
        all.push_back({.name = std::string(name), .id = nextId++, .last = end, .figures = {}});
        found = std::prev(all.end());
    }
    found->last = std::max(found->last, end);
    return *found;
}

/// Of its version or machine, by whose id the sample names it; 0: it has none.
std::uint8_t countNamed(std::vector<NamedFigures>& all, std::uint8_t& nextId, std::string_view name, const Run& run,
                        const Buckets& buckets) {
    if (name.empty()) return 0;
    NamedFigures& mine = named(all, nextId, name, run.end);
    countIn(mine.figures, run, buckets);
    return mine.id;
}

} // namespace

Figures& Kind::day(WallMicros end) {
    const WallMicros start = std::max<WallMicros>(0, end) / kDay * kDay;
    if (!days_.empty() && days_.back().start == start) return days_.back().figures;
    const auto place = std::ranges::lower_bound(days_, start, {}, &PeriodFigures::start);
    if (place != days_.end() && place->start == start) return place->figures;
    // The clock was set back by weeks: the oldest day that is known takes it.
    if (days_.size() >= kMaxDays && place == days_.begin()) return days_.front().figures;
    days_.insert(place, {.start = start, .figures = {}});
    if (days_.size() > kMaxDays) retireDay();
    return std::ranges::lower_bound(days_, start, {}, &PeriodFigures::start)->figures;
}

void Kind::retireDay() {
    const WallMicros start = weekOf(days_.front().start);
    auto place = std::ranges::lower_bound(weeks_, start, {}, &PeriodFigures::start);
    if (place == weeks_.end() || place->start != start)
        place = weeks_.insert(place, {.start = start, .figures = {}});
    place->figures.merge(days_.front().figures);
    days_.erase(days_.begin());
    if (weeks_.size() > kMaxWeeks) weeks_.erase(weeks_.begin());
}

bool Kind::add(const Run& run) {
    const Buckets buckets = bucketsOf(run);
    last_ = std::max(last_, run.end);
    asked_ = run.asked;
    countIn(total_, run, buckets);
    countIn(day(run.end), run, buckets);
    const std::uint8_t version = countNamed(versions_, nextVersion_, run.version, run, buckets);
    const std::uint8_t machine = countNamed(machines_, nextMachine_, run.machine, run, buckets);
    addWork(run);
    if (run.isCompleted()) addSample(run, version, machine);
    return unseen_ >= kLookEvery && series_.size() >= 2 * ChangeRules{}.minRuns;
}

// --- changes

void Kind::addSample(const Run& run, std::uint8_t version, std::uint8_t machine) {
    if (++skipped_ < stride_) return;
    skipped_ = 0;
    if (series_.size() >= kMaxSeries) makeRoomForSample();
    series_.push_back({.duration = static_cast<float>(run.duration.value_or(-1)),
                       .memory = static_cast<float>(run.memory.value_or(-1)),
                       .t = static_cast<std::uint32_t>(std::max<WallMicros>(0, run.end) / kSecond),
                       .version = version,
                       .machine = machine});
    ++unseen_;
}

/// The oldest go once they were looked at together with what is new. Of a kind that runs faster than one can look, every
/// second one goes, so that what stays reaches as far back as a look needs.
void Kind::makeRoomForSample() {
    if (unseen_ < kMaxSeries / 2) {
        constexpr std::size_t gone = kMaxSeries / 4;
        series_.erase(series_.begin(), series_.begin() + gone);
        for (std::size_t& from : from_) from -= std::min(from, gone);
        return;
    }
    for (std::size_t i = 0; i < series_.size() / 2; ++i) series_[i] = series_[2 * i];
    series_.resize(series_.size() / 2);
    for (std::size_t& from : from_) from /= 2;
    unseen_ /= 2;
    stride_ = std::min<std::uint32_t>(stride_ * 2, 1u << 20);
}

std::vector<float> Kind::seriesOf(ChangeOf what) const {
    std::vector<float> values;
    const std::size_t from = from_[std::to_underlying(what)];
    values.reserve(series_.size() - std::min(from, series_.size()));
    for (std::size_t i = from; i < series_.size(); ++i) {
        const float value = what == ChangeOf::Duration ? series_[i].duration : series_[i].memory;
        if (value < 0) return {}; // places are those of series_, so all have to be known
        values.push_back(value);
    }
    return values;
}

bool Kind::look() {
    if (unseen_ < kLookEvery * 2 && stride_ > 1) stride_ /= 2;
    unseen_ = 0;
    const bool duration = lookAt(ChangeOf::Duration);
    const bool memory = lookAt(ChangeOf::Memory);
    return duration || memory;
}

bool Kind::lookAt(ChangeOf what) {
    const auto found = findChange(seriesOf(what));
    if (!found) return false;
    const std::size_t from = from_[std::to_underlying(what)];
    const std::size_t at = from + found->at;
    if (changes_.size() >= kMaxChanges) changes_.erase(changes_.begin());
    Change change{.what = what,
                  .t = WallMicros{series_[at].t} * kSecond,
                  .before = found->before,
                  .after = found->after,
                  .p = found->p};
    change.version = came(at, &Sample::version, versions_, from);
    if (change.version.empty()) change.machine = came(at, &Sample::machine, machines_, from);
    changes_.push_back(std::move(change));
    from_[std::to_underlying(what)] = at;
    return true;
}

/// Who ran most of what came after the split and little of what was before it.
std::string Kind::came(std::size_t at, std::uint8_t Sample::* which, const std::vector<NamedFigures>& names,
                       std::size_t from) const {
    const std::span<const Sample> before = std::span(series_).subspan(from, at - from);
    const std::span<const Sample> after = std::span(series_).subspan(at);
    for (const NamedFigures& one : names) {
        const auto is = [&](const Sample& sample) { return sample.*which == one.id; };
        const auto then = static_cast<std::size_t>(std::ranges::count_if(before, is));
        const auto now = static_cast<std::size_t>(std::ranges::count_if(after, is));
        if (now * 5 >= after.size() * 3 && then * 5 <= before.size()) return one.name;
    }
    return {};
}

std::optional<Change> Kind::regression() const {
    const auto latestFirst = std::views::reverse(changes_);
    for (const ChangeOf what : {ChangeOf::Duration, ChangeOf::Memory}) {
        const auto last = std::ranges::find(latestFirst, what, &Change::what);
        if (last != latestFirst.end() && last->isRegression()) return *last;
    }
    return std::nullopt;
}

// --- what works now and then

void Kind::addWork(const Run& run) {
    const bool isOwn = !run.isCompleted() && !isInterruption(run.reason);
    if (!run.isCompleted() && !isOwn) return;
    Work& work = workOf(run.work);
    const bool worked = work.completed > 0;
    const std::uint32_t failures = run.failedBefore + (isOwn ? 1 : 0);
    if (failures > 0) {
        work.failed += failures;
        std::shift_right(work.lsns.begin(), work.lsns.end(), 1);
        work.lsns.front() = run.lsn;
        addLine(run.line);
    }
    if (run.isCompleted()) {
        ++work.completed;
        ++goodRuns_;
    }
    // Failures count once the inputs are known to work.
    const std::uint32_t known = worked ? failures : run.isCompleted() ? work.failed : 0;
    goodRuns_ += known;
    goodFailed_ += known;
    if (goodRuns_ > kGoodWindow) {
        goodRuns_ /= 2;
        goodFailed_ /= 2;
    }
}

Work& Kind::workOf(std::uint64_t key) {
    for (Work& work : works_)
        if (work.key == key) return work;
    if (works_.size() < kMaxWorks) return works_.emplace_back(Work{.key = key});
    for (std::size_t i = 0; i < kMaxWorks; ++i) {
        clock_ = (clock_ + 1) % kMaxWorks;
        if (!works_[clock_].isMixed()) break;
    }
    return works_[clock_] = Work{.key = key};
}

void Kind::addLine(std::string_view line) {
    if (line.empty()) return;
    const std::string_view kept = utf8Prefix(line, kMaxLineBytes);
    auto found = std::ranges::find(lines_, kept, &FailureLine::line);
    if (found == lines_.end()) {
        if (lines_.size() >= kMaxLines) lines_.erase(std::ranges::min_element(lines_, {}, &FailureLine::count));
        lines_.push_back({.line = std::string(kept), .count = 0});
        found = std::prev(lines_.end());
    }
    ++found->count;
}

Flakiness Kind::flakiness() const {
    Flakiness most;
    if (goodFailed_ == 0) return most;
    most = flakinessOf(goodFailed_, goodRuns_);
    const auto chances = static_cast<double>(works_.size());
    for (const Work& work : works_) {
        if (!work.isMixed()) continue;
        const Flakiness one = flakinessOf(work.failed, std::uint64_t{work.completed} + work.failed);
        most.probability = std::max(most.probability, 1 - (1 - one.probability) * chances);
    }
    return most;
}

std::size_t Kind::mixedWorks() const {
    return static_cast<std::size_t>(std::ranges::count_if(works_, &Work::isMixed));
}

// --- what comes next

Figures Kind::since(WallMicros since) const {
    Figures all;
    for (const PeriodFigures& week : weeks_)
        if (week.start + kWeek > since) all.merge(week.figures);
    for (const PeriodFigures& day : days_)
        if (day.start + kDay > since) all.merge(day.figures);
    return all;
}

/// The bounds are those values of the order whose places are a normal approximation of a binomial apart.
std::optional<Estimate> Kind::estimate(Quantity quantity) const {
    const Sketch& sketch = total_[quantity];
    const auto median = sketch.quantile(0.5);
    if (!median) return std::nullopt;
    if (sketch.count() < Estimate::kLeastForBounds)
        return Estimate{.median = *median, .low = {}, .high = {}, .runs = sketch.count()};
    const double apart = kNormal95 * 0.5 / std::sqrt(static_cast<double>(sketch.count()));
    return Estimate{.median = *median,
                    .low = sketch.quantile(0.5 - apart).value_or(*median),
                    .high = sketch.quantile(0.5 + apart).value_or(*median),
                    .runs = sketch.count()};
}

std::optional<double> Kind::learnedMemory() const {
    const Sketch& memory = total_[Quantity::Memory];
    if (memory.count() < kLearnRuns) return std::nullopt;
    return memory.quantile(0.99).value_or(0) * kLearnFactor;
}

std::size_t Kind::bytes() const {
    std::size_t all = sizeof(Kind) + name_.size() + total_.bytes() + series_.capacity() * sizeof(Sample) +
                      works_.capacity() * sizeof(Work) + lines_.size() * (sizeof(FailureLine) + kMaxLineBytes) +
                      changes_.capacity() * sizeof(Change);
    for (const auto* list : {&versions_, &machines_})
        for (const NamedFigures& one : *list) all += one.figures.bytes() + one.name.size();
    for (const auto* list : {&days_, &weeks_})
        for (const PeriodFigures& one : *list) all += one.figures.bytes();
    return all;
}

} // namespace yard::kinds

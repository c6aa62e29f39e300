#include "core/engine/reading/accounting_sums.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr WallMicros kHour = 3'600'000'000;
constexpr WallMicros kDay = 24 * kHour;

bool isWasted(const store::ActionUse::Attempt& attempt) {
    return attempt.state != ActionState::Completed;
}

bool isLarger(const AccountingRow& a, const AccountingRow& b) {
    if (a.coreSeconds != b.coreSeconds) return a.coreSeconds > b.coreSeconds;
    if (a.actions != b.actions) return a.actions > b.actions;
    return a.key < b.key;
}

void addTo(AccountingRow& sum, const AccountingRow& row) {
    sum.actions += row.actions;
    sum.coreSeconds += row.coreSeconds;
    sum.wastedCoreSeconds += row.wastedCoreSeconds;
    sum.memoryGbHours += row.memoryGbHours;
    sum.waitSeconds += row.waitSeconds;
}

} // namespace

std::string_view labelPrefix(std::string_view label) {
    constexpr std::string_view kDigits = "0123456789";
    constexpr std::string_view kIndex = "{index}"; // as an array was labelled: a number in each element
    const std::size_t mark = label.find_first_of("/:-_ ");
    const std::string_view numbered =
        label.ends_with(kIndex) ? label.substr(0, label.size() - kIndex.size()) : label;
    const std::size_t end = mark == label.npos ? numbered.find_last_not_of(kDigits) + 1 : mark;
    return end == 0 ? label : label.substr(0, end);
}

std::pair<WallMicros, WallMicros> AccountingSums::part(const store::ActionUse::Attempt& attempt) const {
    return {std::max(attempt.from, question_.from), std::min(attempt.until, question_.to)};
}

auto AccountingSums::rateOf(const Class& cls, const store::ActionUse::Attempt& attempt) -> Rate {
    return {.cores = cls.milliCores,
            .wasted = isWasted(attempt) ? cls.milliCores : 0,
            .memory = cls.memoryBytes > 0 ? cls.memoryBytes : attempt.peakBytes.value_or(0)};
}

void AccountingSums::count(Sums& sums, const Rate& rate, WallMicros time) {
    const auto length = static_cast<double>(time);
    sums.cores += static_cast<double>(rate.cores) * length;
    sums.wasted += static_cast<double>(rate.wasted) * length;
    sums.memory += static_cast<double>(rate.memory) * length;
}

auto AccountingSums::at(std::string_view key) -> Sums& {
    if (const auto found = byKey_.find(key); found != byKey_.end()) return found->second;
    if (byKey_.size() >= kMostKeys) return other_ ? *other_ : other_.emplace(Sums{});
    return byKey_.try_emplace(std::string(key)).first->second;
}

void AccountingSums::add(const store::ActionUse& use) {
    if (use.classNumber == 0 || use.classNumber > classes_.size()) return;
    const Class& cls = classes_[use.classNumber - 1];
    switch (question_.by) {
    case AccountingBy::Day:
    case AccountingBy::Hour: return addByTime(use, cls);
    case AccountingBy::Waste: return addByWaste(use, cls);
    case AccountingBy::Queue:
    case AccountingBy::Worker:
    case AccountingBy::Label:
    case AccountingBy::Machine: return addByKey(use, cls);
    }
}

std::string_view AccountingSums::keyOf(const store::ActionUse& use, const Class& cls, std::string& buffer) const {
    switch (question_.by) {
    case AccountingBy::Queue: return buffer = fmt::format("{}", use.queue.value);
    case AccountingBy::Label: return labelPrefix(use.label);
    case AccountingBy::Machine: return machine_;
    default: return cls.worker;
    }
}

void AccountingSums::addByKey(const store::ActionUse& use, const Class& cls) {
    Sums* sums = nullptr;
    std::string buffer;
    const auto found = [&]() -> Sums& { return sums ? *sums : *(sums = &at(keyOf(use, cls, buffer))); };
    if (isIn(use.ended)) {
        ++found().actions;
        found().waited += static_cast<double>(use.waited);
    }
    for (const store::ActionUse::Attempt& attempt : use.attempts)
        if (const auto [begin, end] = part(attempt); begin < end) count(found(), rateOf(cls, attempt), end - begin);
}

void AccountingSums::addByWaste(const store::ActionUse& use, const Class& cls) {
    std::uint64_t counted = 0; // a bit for each reason
    for (const store::ActionUse::Attempt& attempt : use.attempts) {
        const auto [begin, end] = part(attempt);
        if (!isWasted(attempt) || begin >= end) continue;
        Sums& sums = at(name(attempt.reason));
        count(sums, rateOf(cls, attempt), end - begin);
        const std::uint64_t bit = std::uint64_t{1} << (std::to_underlying(attempt.reason) & 63);
        if ((counted & bit) == 0) ++sums.actions;
        counted |= bit;
    }
}

WallMicros AccountingSums::step() const {
    return question_.by == AccountingBy::Hour ? kHour : kDay;
}

/// An attempt may go on for any number of steps, where clocks were wrong for a century: it is two parts, and what
/// is between them.
void AccountingSums::addByTime(const store::ActionUse& use, const Class& cls) {
    const WallMicros length = step();
    if (isIn(use.ended)) {
        Sums& sums = steps_[use.ended / length];
        ++sums.actions;
        sums.waited += static_cast<double>(use.waited);
    }
    for (const store::ActionUse::Attempt& attempt : use.attempts) {
        const auto [begin, end] = part(attempt);
        if (begin >= end) continue;
        const Rate rate = rateOf(cls, attempt);
        const std::int64_t first = begin / length;
        const std::int64_t last = (end - 1) / length;
        count(steps_[first], rate, std::min(end, (first + 1) * length) - begin);
        if (first == last) continue;
        count(steps_[last], rate, end - last * length);
        if (last - first == 1) continue;
        Rate& more = turns_[first + 1];
        more = {more.cores + rate.cores, more.wasted + rate.wasted, more.memory + rate.memory};
        Rate& less = turns_[last];
        less = {less.cores - rate.cores, less.wasted - rate.wasted, less.memory - rate.memory};
    }
}

/// With the whole steps of long attempts.
auto AccountingSums::steps() const -> std::map<std::int64_t, Sums> {
    std::map<std::int64_t, Sums> all = steps_;
    Rate now;
    for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
        now = {now.cores + turn->second.cores, now.wasted + turn->second.wasted, now.memory + turn->second.memory};
        const auto next = std::next(turn);
        if (next == turns_.end() || (now.cores == 0 && now.memory == 0)) continue;
        for (std::int64_t at = turn->first; at < next->first; ++at) count(all[at], now, step());
    }
    return all;
}

std::string AccountingSums::stepKey(std::int64_t step) const {
    using namespace std::chrono;
    const bool isHour = question_.by == AccountingBy::Hour;
    const std::int64_t day = isHour ? step / 24 : step;
    const year_month_day date{sys_days(days(day))};
    std::string key = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    if (isHour) key += fmt::format("T{:02}", step % 24);
    return key;
}

AccountingRow AccountingSums::rowOf(std::string key, const Sums& sums) {
    return {.key = std::move(key),
            .actions = sums.actions,
            .coreSeconds = sums.cores / 1e9,
            .wastedCoreSeconds = sums.wasted / 1e9,
            .memoryGbHours = sums.memory / 1e9 / static_cast<double>(kHour),
            .waitSeconds = sums.waited / 1e6};
}

std::vector<AccountingRow> AccountingSums::rows() const {
    std::vector<AccountingRow> rows;
    rows.reserve(byKey_.size());
    for (const auto& [key, sums] : byKey_) rows.push_back(rowOf(key, sums));
    const bool isByTime = question_.by == AccountingBy::Day || question_.by == AccountingBy::Hour;
    if (isByTime)
        for (const auto& [at, sums] : steps()) rows.push_back(rowOf(stepKey(at), sums));
    std::optional<AccountingRow> others;
    if (other_) others = rowOf(std::string(kOtherKey), *other_);
    if (rows.size() + (others ? 1 : 0) > kMostAccountingRows) {
        if (!others) others = AccountingRow{.key = std::string(kOtherKey)};
        const auto rest = rows.begin() + kMostAccountingRows - 1;
        std::ranges::nth_element(rows, rest, isLarger);
        std::for_each(rest, rows.end(), [&](const AccountingRow& row) { addTo(*others, row); });
        rows.erase(rest, rows.end());
    }
    if (isByTime)
        std::ranges::sort(rows, {}, &AccountingRow::key);
    else
        std::ranges::sort(rows, isLarger);
    if (others) rows.push_back(std::move(*others));
    return rows;
}

} // namespace yard::engine

#include "core/schedule/cron.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yard::schedule {

namespace {

constexpr std::size_t kLongestLine = 256;
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kDay = 86'400;
/// 29 February on a given weekday comes after 40 years at most: around 2100, which is no leap year.
constexpr std::int64_t kFarthest = 41 * 366 * kDay;
/// The year 9999: nothing is due after it.
constexpr std::int64_t kEndOfTime = 253'402'300'800;

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekdays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

struct Field {
    std::string_view name;
    int least;
    int most;
    std::span<const std::string_view> names; ///< of `least` and what follows
};
constexpr std::array<Field, 5> kFields = {{{.name = "minute", .least = 0, .most = 59, .names = {}},
                                           {.name = "hour", .least = 0, .most = 23, .names = {}},
                                           {.name = "day of month", .least = 1, .most = 31, .names = {}},
                                           {.name = "month", .least = 1, .most = 12, .names = kMonths},
                                           {.name = "weekday", .least = 0, .most = 7, .names = kWeekdays}}};

struct Shorthand {
    std::string_view word;
    std::string_view line;
};
constexpr std::array<Shorthand, 7> kShorthands = {{{.word = "@yearly", .line = "0 0 1 1 *"},
                                                   {.word = "@annually", .line = "0 0 1 1 *"},
                                                   {.word = "@monthly", .line = "0 0 1 * *"},
                                                   {.word = "@weekly", .line = "0 0 * * 0"},
                                                   {.word = "@daily", .line = "0 0 * * *"},
                                                   {.word = "@midnight", .line = "0 0 * * *"},
                                                   {.word = "@hourly", .line = "0 * * * *"}}};

std::string lowered(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return lower;
}

std::unexpected<Error> notAField(const Field& field, std::string_view item, std::string_view what) {
    return invalid("cron",
                   "The " + std::string(field.name) + " \"" + shortened(item, 40) + "\" " + std::string(what));
}

std::optional<int> numberIn(std::string_view text) {
    if (!isDigits(text) || text.size() > 4) return std::nullopt;
    int number = 0;
    for (const char c : text) number = number * 10 + (c - '0');
    return number;
}

std::optional<int> valueOf(const Field& field, std::string_view text) {
    if (const auto number = numberIn(text))
        return *number >= field.least && *number <= field.most ? number : std::nullopt;
    const auto name = std::ranges::find(field.names, text);
    if (name == field.names.end()) return std::nullopt;
    return field.least + static_cast<int>(name - field.names.begin());
}

/// First and last of "*", "5", "1-5".
Result<std::pair<int, int>> rangeOf(const Field& field, std::string_view text, std::string_view item) {
    if (text == "*") return std::pair(field.least, field.most);
    const std::size_t dash = text.find('-');
    const auto first = valueOf(field, text.substr(0, dash));
    auto last = dash == std::string_view::npos ? first : valueOf(field, text.substr(dash + 1));
    if (!first || !last)
        return notAField(field, item,
                         "is not understood. Give numbers from " + std::to_string(field.least) + " to " +
                             std::to_string(field.most) + (field.names.empty() ? "" : " or names") +
                             ", ranges as 1-5, steps as */5, with commas between several.");
    // A week may end with Sunday by name too.
    if (field.most == 7 && *last == 0 && *first > 0) last = 7;
    if (*last < *first)
        return notAField(field, item, "ends before it begins. Give two ranges with a comma between.");
    return std::pair(*first, *last);
}

/// The bits of "*", "5", "1-5", "*/5", "1-30/2".
Result<std::uint64_t> bitsOfItem(const Field& field, std::string_view item) {
    const std::size_t slash = item.find('/');
    const std::string_view span = item.substr(0, slash);
    const auto range = rangeOf(field, span, item);
    if (!range) return std::unexpected(range.error());
    int step = 1;
    if (slash != std::string_view::npos) {
        const auto number = numberIn(item.substr(slash + 1));
        if (!number || *number == 0)
            return notAField(field, item, "has no step after \"/\". Give a number from 1 on.");
        if (span != "*" && !span.contains('-'))
            return notAField(field, item, "has a step without a range. Write as 5-59/15 where it begins and ends.");
        step = *number;
    }
    std::uint64_t bits = 0;
    for (int value = range->first; value <= range->second; value += step) bits |= std::uint64_t(1) << value;
    return bits;
}

/// What other crons understand and this one does not.
std::optional<std::string_view> foreignSign(const Field& field, std::string_view text) {
    const bool takesDays = field.most == 31 || field.most == 7;
    if (text.contains('#')) return "has a \"#\": the nth weekday of a month cannot be given.";
    if (takesDays && (text == "l" || text.ends_with(",l") || text.starts_with("l-") || text.starts_with("l,") ||
                      (text.ends_with('l') && text.size() > 1 && isDigits(text.substr(text.size() - 2, 1)))))
        return "has an \"L\": the last day of a month or week cannot be given.";
    if (text.contains('?')) return "has a \"?\". Write * instead.";
    return std::nullopt;
}

Result<std::uint64_t> bitsOf(const Field& field, std::string_view text) {
    if (const auto sign = foreignSign(field, text)) return notAField(field, text, *sign);
    std::uint64_t bits = 0;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t comma = std::min(text.find(',', begin), text.size());
        const auto item = bitsOfItem(field, text.substr(begin, comma - begin));
        if (!item) return item;
        bits |= *item;
        begin = comma + 1;
    }
    return bits;
}

Result<std::string> spelledOut(std::string line) {
    if (!line.starts_with('@')) return line;
    const auto* const known = std::ranges::find(kShorthands, line, &Shorthand::word);
    if (known != kShorthands.end()) return std::string(known->line);
    if (line == "@reboot")
        return invalid("cron", "\"@reboot\" is no time. Give one, or let the system's own cron start it.");
    return invalid("cron",
                   "\"" + shortened(line, 40) +
                       "\" is not known. There are @yearly, @annually, @monthly, @weekly, @daily, @midnight and "
                       "@hourly.");
}

std::vector<std::string_view> wordsOf(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        words.push_back(line.substr(at, end - at));
        at = end;
    }
    return words;
}

/// The first one from `from` on; 64: none.
int firstBit(std::uint64_t bits, int from) {
    return from > 63 ? 64 : std::countr_zero(bits & (~std::uint64_t(0) << from));
}

bool has(std::uint64_t bits, unsigned value) {
    return (bits >> value & 1) != 0;
}

} // namespace

Result<Cron> Cron::parse(std::string_view text) {
    if (text.size() > kLongestLine) return invalid("cron", "A cron line has at most 256 characters.");
    std::string trimmed = lowered(text);
    trimmed.erase(0, trimmed.find_first_not_of(" \t"));
    trimmed.erase(trimmed.find_last_not_of(" \t") + 1);
    const auto line = spelledOut(std::move(trimmed));
    if (!line) return std::unexpected(line.error());
    const auto words = wordsOf(*line);
    if (words.size() != kFields.size())
        return invalid("cron",
                       "A cron line has five fields: minute, hour, day of month, month, weekday. This one has " +
                           std::to_string(words.size()) + ".");
    Cron cron;
    const std::array<std::uint64_t*, 5> targets = {&cron.minutes_, &cron.hours_, &cron.days_, &cron.months_,
                                                   &cron.weekdays_};
    for (std::size_t i = 0; i < kFields.size(); ++i) {
        const auto bits = bitsOf(kFields[i], words[i]);
        if (!bits) return std::unexpected(bits.error());
        *targets[i] = *bits;
    }
    if (has(cron.weekdays_, 7)) cron.weekdays_ |= 1;
    cron.isAnyMinute_ = words[0].starts_with('*');
    cron.isAnyDay_ = words[2].starts_with('*');
    cron.isAnyWeekday_ = words[4].starts_with('*');
    if (!cron.comesEver())
        return invalid("cron", "No month that is given has such a day: this would never be due.");
    return cron;
}

bool Cron::isDay(unsigned day, unsigned weekday) const {
    // Each of them may be all there is to say; else one of the two is enough.
    if (isAnyDay_ || isAnyWeekday_) return has(days_, day) && has(weekdays_, weekday);
    return has(days_, day) || has(weekdays_, weekday);
}

bool Cron::comesEver() const {
    constexpr std::array<unsigned, 13> kLengths = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (!isAnyDay_ && !isAnyWeekday_) return true;
    for (unsigned month = 1; month <= 12; ++month)
        if (has(months_, month) && firstBit(days_, 1) <= static_cast<int>(kLengths[month])) return true;
    return false;
}

std::optional<std::int64_t> Cron::firstMatch(std::int64_t first, std::int64_t end) const {
    using namespace std::chrono;
    const std::int64_t minute = (first + kMinute - 1) / kMinute;
    for (sys_days day = sys_days(days(minute / 1440)); day.time_since_epoch().count() * kDay < end;
         day += days(1)) {
        const year_month_day date(day);
        if (!has(months_, unsigned(date.month()))) {
            day = sys_days((date.year() / date.month() / last));
            continue;
        }
        if (!isDay(unsigned(date.day()), weekday(day).c_encoding())) continue;
        const std::int64_t midnight = std::int64_t(day.time_since_epoch().count()) * 1440;
        const int from = static_cast<int>(std::max<std::int64_t>(minute - midnight, 0));
        int hour = firstBit(hours_, from / 60);
        int at = firstBit(minutes_, hour == from / 60 ? from % 60 : 0);
        if (hour < 24 && at > 59) {
            hour = firstBit(hours_, hour + 1);
            at = firstBit(minutes_, 0);
        }
        if (hour > 23) continue;
        const std::int64_t found = (midnight + hour * 60 + at) * kMinute;
        return found < end ? std::optional(found) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::int64_t> Cron::next(const Zone& zone, std::int64_t after) const {
    // Before 1970 there is nothing to schedule, and rounding would be another.
    std::int64_t from = std::max<std::int64_t>(after, kDay) + 1;
    const std::int64_t limit = std::min(from + kFarthest, kEndOfTime);
    while (from < limit) {
        const Span span = zone.spanAt(from);
        std::int64_t first = from + span.offset;
        if (span.begin == from && firstMatch(span.begin + span.before, span.begin + span.offset)) return from;
        // What the clock shows for the second time.
        if (!isAnyMinute_ && span.before > span.offset) first = std::max(first, span.begin + span.before);
        const std::int64_t end = std::min(span.end, limit);
        if (const auto found = firstMatch(first, end + span.offset)) return *found - span.offset;
        from = end;
    }
    return std::nullopt;
}

} // namespace yard::schedule

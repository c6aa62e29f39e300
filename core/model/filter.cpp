#include "core/model/filter.h"

#include "core/base/moment.h"
#include "core/base/nearest.h"
#include "core/base/sizes.h"
#include "core/model/action_name.h"
#include "core/model/failure_line.h"
#include "core/model/replaced.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace yard {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Values : unsigned char { Words, Numbers, Seconds, Bytes, Times };
struct KeyInfo {
    std::string_view name;
    FilterKey key;
    Values values;
};
constexpr std::array kKeys{
    KeyInfo{"state", FilterKey::State, Values::Words},
    KeyInfo{"queue", FilterKey::Queue, Values::Words},
    KeyInfo{"worker", FilterKey::Worker, Values::Words},
    KeyInfo{"function", FilterKey::Function, Values::Words},
    KeyInfo{"label", FilterKey::Label, Values::Words},
    KeyInfo{"reason", FilterKey::Reason, Values::Words},
    KeyInfo{"denied", FilterKey::Denied, Values::Words},
    KeyInfo{"lsn", FilterKey::Lsn, Values::Numbers},
    KeyInfo{"tries", FilterKey::Tries, Values::Numbers},
    KeyInfo{"exit", FilterKey::Exit, Values::Numbers},
    KeyInfo{"runtime", FilterKey::Runtime, Values::Seconds},
    KeyInfo{"waited", FilterKey::Waited, Values::Seconds},
    KeyInfo{"started", FilterKey::Started, Values::Times},
    KeyInfo{"finished", FilterKey::Finished, Values::Times},
    KeyInfo{"silent", FilterKey::Silent, Values::Seconds},
    KeyInfo{"lock", FilterKey::Lock, Values::Words},
    KeyInfo{"machine", FilterKey::Machine, Values::Words},
    KeyInfo{"platform", FilterKey::Platform, Values::Words},
    KeyInfo{"after", FilterKey::After, Values::Numbers},
    KeyInfo{"name", FilterKey::Name, Values::Words},
    KeyInfo{"new", FilterKey::New, Values::Times},
    KeyInfo{"replaced", FilterKey::Replaced, Values::Words},
    KeyInfo{"failure", FilterKey::Failure, Values::Words},
    KeyInfo{"mark", FilterKey::Mark, Values::Words},
    KeyInfo{"comment", FilterKey::Comment, Values::Words},
};

/// The measures behind the others.
const std::vector<KeyInfo>& allKeys() {
    static const std::vector<KeyInfo> kAll = [] {
        std::vector<KeyInfo> all(kKeys.begin(), kKeys.end());
        for (const MeasureInfo& info : kMeasureTable)
            all.push_back({info.filter,
                           static_cast<FilterKey>(std::to_underlying(FilterKey::FirstMeasure) +
                                                  std::to_underlying(info.measure)),
                           info.unit == MeasureUnit::Microseconds ? Values::Seconds : Values::Bytes});
        return all;
    }();
    return kAll;
}

struct KindInfo {
    Values values;
    std::string_view plural;
    std::string_view noun;
    std::string_view forms;
};
constexpr std::array kKinds{
    KindInfo{Values::Words, "words", "word", "failed,abandoned, night*, \"two words\""},
    KindInfo{Values::Numbers, "numbers", "number", "3, 1..5"},
    KindInfo{Values::Seconds, "durations", "time", "10s, 5min, 1.5h, 1h..2h"},
    KindInfo{Values::Bytes, "sizes", "size", "500MB, 4GiB, 1GB..2GB"},
    KindInfo{Values::Times, "times", "time",
             "today, yesterday, 2026-11-20, 09:45, 2026-11-20T09:45, now, -1h..now, >-90s, since-22:00"},
};

struct Unit {
    std::string_view name;
    double factor;
};
constexpr std::array kSeconds{Unit{"ms", 1e-3}, Unit{"s", 1},     Unit{"min", 60}, Unit{"m", 60},
                              Unit{"h", 3600},  Unit{"d", 86400}, Unit{"", 1}};
constexpr std::array kPlain{Unit{"", 1}};

std::unexpected<Error> wrong(std::string message) {
    return invalid("q", std::move(message));
}

char lower(char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

std::string lowered(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

/// What results and columns call it, where the filter has a shorter word.
std::string_view keyOfMember(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLongNames{
        {{"exit_code", "exit"}, {"retry_count", "tries"}, {"queue_id", "queue"}, {"worker_id", "worker"}}};
    for (const auto& [member, key] : kLongNames)
        if (name == member) return key;
    for (const MeasureInfo& info : kMeasureTable)
        if (name == info.name) return info.filter;
    return {};
}

std::unexpected<Error> unknownKey(std::string_view key) {
    if (const std::string_view meant = keyOfMember(key); !meant.empty())
        return wrong(fmt::format("No key \"{}\"; did you mean \"{}\"?", key, meant));
    std::vector<std::string_view> known;
    for (const KeyInfo& info : allKeys()) known.push_back(info.name);
    if (const std::string_view nearest = nearestOf(key, known); !nearest.empty())
        return wrong(fmt::format("No key \"{}\"; did you mean \"{}\"?", key, nearest));
    std::string all;
    for (const KeyInfo& info : allKeys()) all += fmt::format("{}{}", all.empty() ? "" : ", ", info.name);
    return wrong(fmt::format("No key \"{}\"; there are {}. Put quotes around text with a colon in it.", key, all));
}

// --- reading

/// One term as written: where the key ends, and the values with their quotes taken off.
struct Written {
    bool negated = false;
    std::string key;
    char comparison = 0; ///< ':', '<', '>'; 0: a bare word
    bool orEqual = false;
    std::vector<std::string> values;
};

class Scanner {
public:
    explicit Scanner(std::string_view text)
        : text_(text) {}
    bool atEnd() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
        return at_ == text_.size();
    }
    Result<Written> next() {
        Written term;
        if (text_[at_] == '-') {
            term.negated = true;
            ++at_;
        }
        const std::size_t begin = at_;
        // A word that no key has is refused as one: taken for text, its negation would mean everything.
        while (at_ < text_.size() && isOfKey(text_[at_], at_ == begin)) ++at_;
        if (at_ > begin && at_ < text_.size() && std::string_view(":<>").contains(text_[at_])) {
            term.key = text_.substr(begin, at_ - begin);
            term.comparison = text_[at_++];
            if (term.comparison != ':' && at_ < text_.size() && text_[at_] == '=') {
                term.orEqual = true;
                ++at_;
            }
        } else {
            at_ = begin;
        }
        for (bool more = true; more;) {
            auto value = this->value(term.comparison != 0);
            if (!value) return std::unexpected(value.error());
            if (value->empty() && term.comparison != 0)
                return wrong(fmt::format("\"{}\" wants a value.", text_.substr(begin, at_ - begin)));
            // Nothing is in every text: it would mean all there is, or nothing.
            if (value->empty())
                return wrong(term.negated ? "A filter word is missing after \"-\"." : "A filter word is empty.");
            term.values.push_back(std::move(*value));
            more = term.comparison != 0 && at_ < text_.size() && text_[at_] == ',';
            if (more) ++at_;
        }
        return term;
    }

private:
    static bool isOfKey(char c, bool isFirst) {
        const auto letter = static_cast<unsigned char>(c);
        return std::isalpha(letter) || (!isFirst && (std::isdigit(letter) || c == '_' || c == '-'));
    }
    Result<std::string> value(bool ofKey) {
        std::string out;
        while (at_ < text_.size() && text_[at_] != ' ' && !(ofKey && text_[at_] == ',')) {
            if (text_[at_] != '"') {
                out += text_[at_++];
                continue;
            }
            const std::size_t close = text_.find('"', at_ + 1);
            if (close == text_.npos) return wrong("A quote is not closed.");
            out += text_.substr(at_ + 1, close - at_ - 1);
            at_ = close + 1;
        }
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

std::optional<double> perUnit(std::string_view unit, Values values) {
    if (values == Values::Bytes) return bytesPerUnit(unit);
    const auto units = values == Values::Seconds ? std::span<const Unit>(kSeconds) : std::span<const Unit>(kPlain);
    const auto known = std::ranges::find(units, unit, &Unit::name);
    return known == units.end() ? std::nullopt : std::optional(known->factor);
}

std::optional<double> numberOf(std::string_view text, Values values) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    const auto factor = perUnit(unit, values);
    return factor ? std::optional(value * *factor) : std::nullopt;
}

/// The last time it was "22:00" here, in microseconds.
std::optional<double> lastTimeOfDay(std::string_view text, WallMicros now) {
    int hour = 0;
    int minute = 0;
    const std::size_t colon = text.find(':');
    if (colon == text.npos) return std::nullopt;
    const auto read = [](std::string_view part, int most, int& out) {
        const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), out);
        return error == std::errc{} && end == part.data() + part.size() && out >= 0 && out <= most;
    };
    if (!read(text.substr(0, colon), 23, hour) || !read(text.substr(colon + 1), 59, minute)) return std::nullopt;
    const std::time_t seconds = now / 1'000'000;
    std::tm local{};
    if (!::localtime_r(&seconds, &local)) return std::nullopt;
    local.tm_hour = hour;
    local.tm_min = minute;
    local.tm_sec = 0;
    local.tm_isdst = -1;
    std::time_t then = std::mktime(&local);
    if (then > seconds) {
        --local.tm_mday;
        local.tm_isdst = -1;
        then = std::mktime(&local);
    }
    return static_cast<double>(then) * 1e6;
}

/// What a value stands for: equal, or of a time that has a length from its beginning to just before its end.
struct Bounds {
    double low;
    double high;
    bool withHigh() const { return low == high; }
};

std::optional<Bounds> boundsOf(std::string_view text, Values values, WallMicros now) {
    if (values == Values::Times)
        if (const auto time = timeIn(text, now))
            return Bounds{static_cast<double>(time->begin), static_cast<double>(time->end)};
    const auto value = numberOf(text, values);
    return value ? std::optional(Bounds{*value, *value}) : std::nullopt;
}

std::unexpected<Error> wrongValue(std::string_view text, const KeyInfo& info) {
    const auto kind = std::ranges::find(kKinds, info.values, &KindInfo::values);
    const std::string_view also = info.values == Values::Times ? ", or microseconds since 1970" : "";
    return wrong(fmt::format("\"{}\" is no {} ({}{}) for \"{}\".", text, kind->noun, kind->forms, also, info.name));
}

Result<FilterTerm::Range> rangeFrom(std::string_view text, const KeyInfo& info, const Written& term,
                                    WallMicros now) {
    constexpr std::string_view kSince = "since-";
    if (info.values == Values::Times && term.comparison == ':' && text.starts_with(kSince)) {
        if (const auto at = lastTimeOfDay(text.substr(kSince.size()), now))
            return FilterTerm::Range{.low = *at, .high = kInfinity};
        return wrong(fmt::format("\"{}:{}\" wants a time of day, as in since-22:00.", info.name, text));
    }
    const std::size_t dots = text.find("..");
    if (term.comparison == ':' && dots != text.npos) {
        const std::string_view from = text.substr(0, dots);
        const std::string_view to = text.substr(dots + 2);
        const auto low =
            from.empty() ? std::optional(Bounds{-kInfinity, -kInfinity}) : boundsOf(from, info.values, now);
        const auto high = to.empty() ? std::optional(Bounds{kInfinity, kInfinity}) : boundsOf(to, info.values, now);
        if (!low || !high || (from.empty() && to.empty())) return wrongValue(text, info);
        return FilterTerm::Range{low->low, high->high, true, high->withHigh()};
    }
    const auto value = boundsOf(text, info.values, now);
    if (!value) return wrongValue(text, info);
    if (term.comparison == '>') return FilterTerm::Range{value->low, kInfinity, term.orEqual, true};
    if (term.comparison == '<')
        return term.orEqual ? FilterTerm::Range{-kInfinity, value->high, true, value->withHigh()}
                            : FilterTerm::Range{-kInfinity, value->low, true, false};
    if (info.values == Values::Times && value->withHigh() && timeIn(text, now))
        return wrong(fmt::format("\"{0}:{1}\" is a single moment; write {0}>{1} for what came after it, or a range "
                                 "such as {0}:-2h..-1h.",
                                 info.name, text));
    return FilterTerm::Range{value->low, value->high, true, value->withHigh()};
}

Result<void> checkWord(FilterKey key, std::string_view word) {
    if (key == FilterKey::Replaced && word != "yes" && word != "no")
        return wrong(fmt::format("\"replaced\" takes yes or no, not \"{}\".", word));
    if (word.contains('*')) return {};
    if (key == FilterKey::Failure && !isFailureId(word))
        return wrong(
            fmt::format("\"{}\" is no id of failures alike; 'yardctl failures' and GET failures have them.", word));
    if (key == FilterKey::State && word != "held" && word != "retry" && !actionStateFrom(word))
        return wrong(fmt::format("\"{}\" is no state; there are {}.", word, filterStateNames()));
    if (key == FilterKey::Mark && !markFrom(word))
        return wrong(fmt::format("\"{}\" is no mark; there are {}, and none.", word, markNames()));
    if (key == FilterKey::Reason && !reasonFrom(word))
        return wrong(fmt::format("\"{}\" is no reason of a result, such as exit_code or deadline.", word));
    return {};
}

Result<FilterTerm> termFrom(Written written, WallMicros now) {
    FilterTerm term;
    term.negated = written.negated;
    if (written.comparison == 0) {
        term.words.push_back(lowered(written.values.front()));
        return term;
    }
    const auto info = std::ranges::find(allKeys(), written.key, &KeyInfo::name);
    if (info == allKeys().end()) return unknownKey(written.key);
    term.key = info->key;
    for (std::string& value : written.values) {
        if (info->values == Values::Words) {
            if (written.comparison != ':')
                return wrong(
                    fmt::format("\"{}\" is compared with \":\", not with \"{}\".", info->name, written.comparison));
            if (auto good = checkWord(info->key, value); !good) return std::unexpected(good.error());
            term.words.push_back(std::move(value));
        } else {
            auto range = rangeFrom(value, *info, written, now);
            if (!range) return std::unexpected(range.error());
            term.ranges.push_back(*range);
        }
    }
    return term;
}

// --- matching

bool anyPattern(const std::vector<std::string>& patterns, std::string_view text) {
    return std::ranges::any_of(patterns, [text](const std::string& p) { return matchesPattern(text, p); });
}

bool matchesState(const FilterTerm& term, const ActionResult& action) {
    return std::ranges::any_of(term.words, [&](const std::string& word) {
        const bool pending = action.state == ActionState::Pending;
        if (word == "held") return pending && action.held;
        if (word == "retry") return pending && action.retryAt != 0;
        return matchesPattern(name(action.state), word);
    });
}

bool matchesText(const std::string& word, const ActionResult& action) {
    const std::string pattern = "*" + word + "*";
    const auto has = [&](std::string_view text) { return matchesPattern(lowered(text), pattern); };
    return has(action.label) || has(action.function) || has(action.workerName) || has(action.note) ||
           has(action.command);
}

std::optional<double> numberIn(const AttemptOutcome& outcome, Measure measure) {
    const auto& value = outcome.measures[measure];
    return value ? std::optional(inItsUnit(measureInfo(measure), *value)) : std::nullopt;
}

std::optional<double> numberIn(const ActionResult& action, FilterKey key, WallMicros now) {
    const auto& outcome = action.outcome;
    if (const auto measure = measureOf(key)) return outcome ? numberIn(*outcome, *measure) : std::nullopt;
    const WallMicros running = action.times[ActionState::Running];
    const auto time = [](WallMicros t) { return t == 0 ? std::nullopt : std::optional(static_cast<double>(t)); };
    const auto seconds = [](WallMicros from, WallMicros to) { return static_cast<double>(to - from) / 1e6; };
    switch (key) {
    case FilterKey::Lsn: return static_cast<double>(action.lsn.value);
    case FilterKey::Tries: return static_cast<double>(triesOf(action));
    case FilterKey::Exit:
        return outcome && outcome->exitCode ? std::optional(static_cast<double>(*outcome->exitCode)) : std::nullopt;
    case FilterKey::New: return time(action.times[ActionState::New]);
    case FilterKey::Started: return time(running);
    case FilterKey::Finished: return time(endOf(action));
    case FilterKey::Runtime: {
        if (running == 0) return std::nullopt;
        const WallMicros end = action.times.exited ? action.times.exited : endOf(action);
        return seconds(running, end ? end : now);
    }
    case FilterKey::Silent:
        if (action.silentSince == 0) return std::nullopt;
        return seconds(action.silentSince, now);
    case FilterKey::Waited: return seconds(0, waited(action, now));
    default: return std::nullopt;
    }
}

/// In one of many that are in order and apart.
bool isInOneOf(const std::vector<FilterTerm::Range>& ranges, double value) {
    const auto behind = std::ranges::upper_bound(ranges, value, {}, &FilterTerm::Range::low);
    return behind != ranges.begin() && value <= std::prev(behind)->high;
}

bool isIn(const FilterTerm::Range& range, double value) {
    return (range.withLow ? value >= range.low : value > range.low) &&
           (range.withHigh ? value <= range.high : value < range.high);
}

bool matchesTerm(const FilterTerm& term, const ActionResult& action, WallMicros now,
                 std::span<const std::string> queueNames) {
    switch (term.key) {
    case FilterKey::Text:
        return matchesText(term.words.front(), action) ||
               (!action.isCommandKnown && isInOneOf(term.found, static_cast<double>(action.lsn.value)));
    case FilterKey::Name:
        if (!action.isCommandKnown) return isInOneOf(term.found, static_cast<double>(action.lsn.value));
        // As it was posted: what waits is looked for without its index.
        return anyPattern(term.words, action.label.empty() ? actionName(action) : action.label);
    case FilterKey::State: return matchesState(term, action);
    case FilterKey::Queue:
        return anyPattern(term.words, fmt::format("{}", action.queue.value)) ||
               std::ranges::any_of(queueNames,
                                   [&](const std::string& name) { return anyPattern(term.words, name); });
    case FilterKey::Worker:
        return anyPattern(term.words, action.workerName) || anyPattern(term.words, action.workerId);
    case FilterKey::Function: return anyPattern(term.words, action.function);
    case FilterKey::Lock:
        return std::ranges::any_of(action.locks,
                                   [&](const std::string& lock) { return anyPattern(term.words, lock); });
    case FilterKey::Machine: return !action.machine.empty() && anyPattern(term.words, action.machine);
    case FilterKey::Platform: return !action.platform.empty() && anyPattern(term.words, action.platform);
    case FilterKey::Label: return anyPattern(term.words, action.label);
    case FilterKey::Reason:
        return action.outcome && action.outcome->reason != Reason::None &&
               anyPattern(term.words, name(action.outcome->reason));
    case FilterKey::Denied:
        return action.outcome && std::ranges::any_of(action.outcome->denied, [&](const Denial& denial) {
                   return anyPattern(term.words, denial.what) || anyPattern(term.words, denial.path);
               });
    case FilterKey::Replaced: {
        const bool is = isEnded(action.state) && isReplaced(action);
        return std::ranges::find(term.words, is ? "yes" : "no") != term.words.end();
    }
    case FilterKey::Failure: {
        const std::optional<std::string> id = failureIdOf(action);
        return id && anyPattern(term.words, *id);
    }
    case FilterKey::Mark:
    case FilterKey::Comment:
    case FilterKey::After: return isInOneOf(term.found, static_cast<double>(action.lsn.value));
    default: break;
    }
    const auto value = numberIn(action, term.key, now);
    return value && std::ranges::any_of(term.ranges, [&](const auto& range) { return isIn(range, *value); });
}

} // namespace

bool operator==(const FilterTerm& a, const FilterTerm& b) {
    const auto same = [](const FilterTerm::Range& x, const FilterTerm::Range& y) {
        return x.low == y.low && x.high == y.high && x.withLow == y.withLow && x.withHigh == y.withHigh;
    };
    return a.key == b.key && a.negated == b.negated && a.words == b.words &&
           std::ranges::equal(a.ranges, b.ranges, same);
}

bool meansMark(const FilterTerm& term, Mark mark) {
    if (mark == Mark::None) return std::ranges::find(term.words, name(mark)) != term.words.end();
    return anyPattern(term.words, name(mark));
}

std::vector<std::string> commentPatterns(const FilterTerm& term) {
    std::vector<std::string> patterns;
    for (const std::string& word : term.words) patterns.push_back("*" + lowered(word) + "*");
    return patterns;
}

bool meansComment(const std::vector<std::string>& patterns, std::string_view text) {
    return anyPattern(patterns, lowered(text));
}

bool matchesPattern(std::string_view text, std::string_view pattern) {
    // The last star is the only one worth going back to.
    std::size_t t = 0, p = 0, star = pattern.npos, mark = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != pattern.npos) {
            p = star + 1;
            t = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

bool Filter::matches(const ActionResult& action, WallMicros now, std::span<const std::string> queueNames) const {
    return std::ranges::all_of(
        terms, [&](const FilterTerm& term) { return matchesTerm(term, action, now, queueNames) != term.negated; });
}

const FilterTerm* Filter::plain(FilterKey key) const {
    const FilterTerm* found = nullptr;
    for (const FilterTerm& term : terms) {
        if (term.key != key) continue;
        const bool literal = std::ranges::none_of(term.words, [](const std::string& w) { return w.contains('*'); });
        if (found || term.negated || !literal) return nullptr;
        found = &term;
    }
    return found;
}

std::vector<FilterKind> filterKinds() {
    std::vector<FilterKind> kinds;
    for (const KindInfo& kind : kKinds) {
        FilterKind& out = kinds.emplace_back(kind.plural, kind.noun, kind.forms);
        for (const KeyInfo& key : allKeys())
            if (key.values == kind.values) out.keys.push_back(key.name);
    }
    return kinds;
}

std::string filterStateNames() {
    std::string all;
    for (std::size_t i = 0; i < kActionStates; ++i) {
        const auto state = static_cast<ActionState>(i);
        all += i == 0 ? "" : i + 1 == kActionStates ? " and " : ", ";
        all += name(state);
        if (state == ActionState::Pending) all += ", held, retry";
    }
    return all;
}

Result<Filter> parseFilter(std::string_view text, WallMicros now) {
    if (text.size() > kMaxFilterBytes) return wrong(fmt::format("A filter has at most {} bytes.", kMaxFilterBytes));
    Filter filter;
    Scanner scanner(text);
    while (!scanner.atEnd()) {
        auto written = scanner.next();
        if (!written) return std::unexpected(written.error());
        auto term = termFrom(std::move(*written), now);
        if (!term) return std::unexpected(term.error());
        filter.terms.push_back(std::move(*term));
    }
    const auto noted = std::ranges::count_if(filter.terms, [](const FilterTerm& term) {
        return term.key == FilterKey::Mark || term.key == FilterKey::Comment;
    });
    if (noted > kMaxNotedTerms)
        return wrong(fmt::format("A filter has at most {} terms of \"mark\" and \"comment\"; a comma between words "
                                 "is or.",
                                 kMaxNotedTerms));
    return filter;
}

} // namespace yard

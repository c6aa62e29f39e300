// Private to core/engine: where the answers to a ListQuery are to be looked for.
#pragma once

#include "core/engine/state/views.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

namespace yard::engine {

/// An answer takes 20 ms at most: rows are looked for this long, what is left is for what they wait for
/// (Notes::kDescribeFor), for writing them, and for whoever has the thread when the time is over.
inline constexpr Duration kLookFor{13'000};
/// What is looked at once more looks this long.
inline constexpr Duration kLeastLook{1'000};
inline Duration lookLeft(MonoTime until, MonoTime now) {
    return std::max(until - now, kLeastLook);
}

/// Of the journal in one read.
inline constexpr int kRowsAtOnce = 1'000;

/// Numbers of filters are doubles; whole ones are exact up to here.
inline constexpr double kMostExactLsn = 9'007'199'254'740'992.0;

/// Decided by what people noted (Annotations).
inline bool isOfAnnotations(FilterKey key) {
    return key == FilterKey::Mark || key == FilterKey::Comment;
}

/// It asks for marks or comments that nobody has: of a query that was looked up.
inline bool meansNobody(const Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const FilterTerm& term) {
        return !term.negated && isOfAnnotations(term.key) && term.found.empty();
    });
}

/// Decided by what a row of the journal has in numbers.
inline bool isOfNumbers(FilterKey key) {
    switch (key) {
    case FilterKey::State:
    case FilterKey::Reason:
    case FilterKey::Lsn:
    case FilterKey::After:
    case FilterKey::Mark:
    case FilterKey::Comment:
    case FilterKey::Tries:
    case FilterKey::Exit:
    case FilterKey::Runtime:
    case FilterKey::Waited:
    case FilterKey::New:
    case FilterKey::Started:
    case FilterKey::Finished: return true;
    default: return false;
    }
}

inline bool wants(const std::vector<ActionState>& states, ActionState state) {
    return states.empty() || std::ranges::find(states, state) != states.end();
}

/// Some term is about what ActionRows::withNames() fills in.
inline bool wantsNames(const Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const FilterTerm& term) {
        return term.key == FilterKey::Lock || term.key == FilterKey::Machine || term.key == FilterKey::Platform;
    });
}

/// Some term is about what Selection::lookUp() looks up.
inline bool wantsLookUp(const Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const FilterTerm& term) {
        return term.key == FilterKey::After || isOfAnnotations(term.key);
    });
}

/// Looks at the command of an action, which the session does not have (Selection::findCommands).
inline bool looksAtCommand(const FilterTerm& term) {
    return term.key == FilterKey::Name || term.key == FilterKey::Text;
}

/// Some term holds of what runs only.
inline bool excludesEnded(const Filter& filter) {
    return std::ranges::any_of(
        filter.terms, [](const FilterTerm& term) { return !term.negated && term.key == FilterKey::Silent; });
}

/// Some term holds of what has ended only.
inline bool excludesLive(const Filter& filter) {
    return std::ranges::any_of(filter.terms, [](const FilterTerm& term) {
        return !term.negated &&
               (term.key == FilterKey::Exit || term.key == FilterKey::Reason || term.key == FilterKey::Finished ||
                term.key == FilterKey::Denied || term.key == FilterKey::Failure);
    });
}

/// Of a query that was looked up.
inline bool wantsLive(const ListQuery& query, SessionState session) {
    if (meansNobody(query.filter)) return false;
    const bool states = query.heldOnly || query.retryOnly || query.states.empty() ||
                        std::ranges::any_of(query.states, [](ActionState s) { return !isEnded(s); });
    // In an abandoned session the end is visible before it is kept.
    return states && (session == SessionState::Abandoned || !excludesLive(query.filter));
}

inline bool wantsEnded(const ListQuery& query) {
    return !meansNobody(query.filter) && !query.heldOnly && !query.retryOnly && !excludesEnded(query.filter) &&
           (query.states.empty() || std::ranges::any_of(query.states, isEnded));
}

inline bool onlyRunning(const ListQuery& query) {
    return !query.heldOnly && !query.retryOnly && !query.states.empty() &&
           std::ranges::all_of(query.states, [](ActionState s) {
               return s == ActionState::Submitting || s == ActionState::Running;
           });
}

/// A cursor of a list by LSN.
inline std::optional<Lsn> lsnFrom(std::string_view cursor) {
    Lsn lsn{};
    const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), lsn.value);
    if (error != std::errc{} || end != cursor.data() + cursor.size() || lsn.value <= 0) return std::nullopt;
    return lsn;
}

/// Those that a term names one by one: no others can match. Nothing: there is no such term.
inline std::optional<std::vector<Lsn>> lsnsNamedIn(const Filter& filter) {
    constexpr double kMostNoted = 1'000; // else the way through the journal is the shorter one
    const auto isNumber = [](double value) { return value >= 1 && value <= kMostExactLsn; };
    const auto isOne = [&](const FilterTerm::Range& range) {
        return range.low == range.high && range.withLow && range.withHigh && isNumber(range.low);
    };
    for (const FilterTerm& term : filter.terms) {
        if (term.negated) continue;
        std::vector<Lsn> lsns;
        if (term.key == FilterKey::Lsn && !term.ranges.empty() && std::ranges::all_of(term.ranges, isOne)) {
            lsns.reserve(term.ranges.size());
            for (const auto& range : term.ranges) lsns.emplace_back(static_cast<std::int64_t>(range.low));
            return lsns;
        }
        if (!isOfAnnotations(term.key)) continue;
        double sum = 0;
        for (const auto& range : term.found)
            sum += isNumber(range.low) ? range.high - range.low + 1 : kMostExactLsn;
        if (sum > kMostNoted) continue;
        for (const auto& range : term.found)
            for (double lsn = range.low; lsn <= range.high; ++lsn)
                lsns.emplace_back(static_cast<std::int64_t>(lsn));
        return lsns;
    }
    return std::nullopt;
}

} // namespace yard::engine

// The filter language of lists and of operations on many actions: `state:failed,abandoned queue:7 cpu>50 -label:x*
// "some words"`. Space is and, comma is or, `-` negates, quotes keep spaces, `*` stands for anything. Values; any
// thread.
//
//     state reason queue worker function label  words: state:failed, worker:thumb*, label:"night job"
//     name                                      name:"make *": its label, else its command, else worker.function
//     lock machine platform                     lock:app:* (that it asks for), machine:desk (that it runs, or ran, on),
//                                               platform:linux-* (of that machine)
//     lsn tries exit                            numbers: lsn:5,7 lsn:100..200 tries>2 exit:3
//     after                                     after:12 (that were to wait for it)
//     cpu runtime waited silent                 seconds, or with s min h d: cpu>50 runtime>10min waited:1h..2h
//     mem io                                    bytes, or with kB MB GB TB: mem>4GB
//     new started finished                      times as in core/base/moment.h: finished>-1h started:today new:-2h..-1h
//                                               and finished:since-22:00 (the last time it was 22:00 here)
//     denied                                    denied:open* (what was denied, or its path)
//     failure                                   failure:3f0c91d2a4b8e677: failed alike (failure_line.h)
//     mark                                      mark:red, mark:none, mark:* (any colour)
//     comment                                   comment:"ask anna" (in one of its comments, whatever its case)
//     replaced                                  replaced:yes, replaced:no (that ended, and another was submitted for)
//     a bare word                               in name, label, function, worker name or note, whatever its case
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/annotation.h"
#include "core/model/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard {

enum class FilterKey : unsigned char {
    Text,
    State,
    Queue,
    Worker,
    Function,
    Label,
    Reason,
    Lsn,
    Tries,
    Exit,
    Runtime,
    Waited,
    Started,
    Finished,
    Denied,
    Silent,
    Lock,
    Machine,
    Platform,
    After,
    Name,
    New,
    Replaced,
    Failure,
    Mark,
    Comment,
    FirstMeasure ///< those of measures.h follow in their order
};

/// Nothing for a key that is no measure.
constexpr std::optional<Measure> measureOf(FilterKey key) {
    if (key < FilterKey::FirstMeasure) return std::nullopt;
    return static_cast<Measure>(std::to_underlying(key) - std::to_underlying(FilterKey::FirstMeasure));
}

struct FilterTerm {
    FilterKey key = FilterKey::Text;
    bool negated = false;
    std::vector<std::string> words; ///< any of them
    struct Range {
        double low;
        double high;
        bool withLow = true; ///< false: above `low`
        bool withHigh = true;
    };
    std::vector<Range> ranges; ///< any of them; of keys that are numbers
    /// LSNs of which the journal knows that they match, found by the engine; ascending, and apart from each other.
    /// After: those that were to wait; without them nothing matches. Mark, Comment: likewise those that have one. Name, Text: those with such a command, where
    /// the action's is not at hand (isCommandKnown). Not part of what was asked for, so not compared.
    std::vector<Range> found;
    friend bool operator==(const FilterTerm&, const FilterTerm&);
};

struct Filter {
    std::vector<FilterTerm> terms; ///< all of them

    bool empty() const { return terms.empty(); }
    friend bool operator==(const Filter&, const Filter&) = default;
    /// `now`: for what has not ended. `queueNames`: what the action's queue is called beside its number.
    bool matches(const ActionResult& action, WallMicros now, std::span<const std::string> queueNames = {}) const;
    /// The one term of this key when it is not negated and each of its words is meant literally; else null.
    const FilterTerm* plain(FilterKey key) const;
};

/// Whether a term about marks means this one.
bool meansMark(const FilterTerm& term, Mark mark);
/// What a term about comments looks for, and whether a comment with this text is meant by that.
std::vector<std::string> commentPatterns(const FilterTerm& term);
bool meansComment(const std::vector<std::string>& patterns, std::string_view text);

/// Invalid with field `q`, saying which term is wrong and, for a key that is nearly right, which was meant. `now`
/// and the local time zone: for times.
Result<Filter> parseFilter(std::string_view text, WallMicros now);
/// `*` stands for any characters, none too.
bool matchesPattern(std::string_view text, std::string_view pattern);

/// What help and messages say of the keys whose values are of one kind, from the table that is parsed by.
struct FilterKind {
    std::string_view values; ///< "words", "numbers", "durations", "sizes", "times"
    std::string_view noun;   ///< "number"
    std::string_view forms;  ///< "3, 1..5"
    std::vector<std::string_view> keys;
};
std::vector<FilterKind> filterKinds();
/// What `state:` takes, with commas and an "and": for messages and descriptions.
std::string filterStateNames();

inline constexpr std::size_t kMaxFilterBytes = 4'096;
/// Terms of marks and comments: each is looked for among all that there are.
inline constexpr std::ptrdiff_t kMaxNotedTerms = 8;

} // namespace yard

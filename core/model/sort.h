// The orders that a list of actions may have (`sort` of GET jobs). Values; any thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/model/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard {

enum class SortField : unsigned char {
    Lsn,
    State, ///< in the order of an action's life: new, pending, … completed, failed, abandoned, cancelled
    Queue,
    Worker, ///< by name, then id
    Function,
    Label,
    Reason,
    ExitCode,
    Signal,
    RetryCount,
    Priority,
    Place,     ///< of what is pending: its number in the order of its queue
    Held,      ///< of what is pending: 0 or 1
    RetryAt,   ///< of what is pending and in back-off
    HungSince, ///< of what runs and is silent
    New,
    Submitting,
    Running,
    Exited,
    Finished,
    Runtime, ///< as the filter key `runtime`
    Waited,
    FirstMeasure ///< those of measures.h follow in their order
};

constexpr SortField sortFieldOf(Measure measure) {
    return static_cast<SortField>(std::to_underlying(SortField::FirstMeasure) + std::to_underlying(measure));
}
/// Nothing for one that is no measure.
constexpr std::optional<Measure> measureOf(SortField field) {
    if (field < SortField::FirstMeasure) return std::nullopt;
    return static_cast<Measure>(std::to_underlying(field) - std::to_underlying(SortField::FirstMeasure));
}

/// What is unknown of an action comes last, whichever the direction. The same goes by LSN.
struct Sort {
    SortField field = SortField::Lsn;
    bool descending = true;
    friend bool operator==(const Sort&, const Sort&) = default;
};

/// A field of a result, `-` before it for descending. Invalid, field `sort`, with the names there are.
Result<Sort> parseSort(std::string_view text);
/// All names, with commas in between: for messages and descriptions.
std::string sortFieldNames();

/// Compared by its text, which is not in the number: worker, function, label.
constexpr bool isNamed(SortField field) {
    return field == SortField::Worker || field == SortField::Function || field == SortField::Label;
}
/// The number an action is sorted by, nothing when it is unknown. Not for fields that are named. `now`: for what
/// has not ended.
std::optional<std::int64_t> sortNumber(const ActionResult& action, SortField field, WallMicros now);
/// Reasons in the order of their words; nothing for None.
std::optional<std::int64_t> reasonRank(Reason reason);

} // namespace yard

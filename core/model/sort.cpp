#include "core/model/sort.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard {

namespace {

struct Name {
    std::string_view word;
    SortField field;
};
/// As in results; those that are longer there, or that the filter calls otherwise, have two.
constexpr std::array kSortNames{
    Name{"lsn", SortField::Lsn},
    Name{"state", SortField::State},
    Name{"queue_id", SortField::Queue},
    Name{"queue", SortField::Queue},
    Name{"worker", SortField::Worker},
    Name{"worker_name", SortField::Worker},
    Name{"function", SortField::Function},
    Name{"label", SortField::Label},
    Name{"reason", SortField::Reason},
    Name{"exit_code", SortField::ExitCode},
    Name{"signal", SortField::Signal},
    Name{"retry_count", SortField::RetryCount},
    Name{"priority", SortField::Priority},
    Name{"place", SortField::Place},
    Name{"held", SortField::Held},
    Name{"retry_at", SortField::RetryAt},
    Name{"hung_since", SortField::HungSince},
    Name{"new", SortField::New},
    Name{"submitting", SortField::Submitting},
    Name{"running", SortField::Running},
    Name{"started", SortField::Running},
    Name{"exited", SortField::Exited},
    Name{"finished", SortField::Finished},
    Name{"runtime", SortField::Runtime},
    Name{"waited", SortField::Waited},
};

/// The measures behind the others.
const std::vector<Name>& names() {
    static const std::vector<Name> kAll = [] {
        std::vector<Name> all(kSortNames.begin(), kSortNames.end());
        for (const MeasureInfo& info : kMeasureTable) all.push_back({info.name, sortFieldOf(info.measure)});
        return all;
    }();
    return kAll;
}

std::optional<std::int64_t> known(WallMicros time) {
    return time == 0 ? std::nullopt : std::optional<std::int64_t>(time);
}

std::optional<std::int64_t> runtime(const ActionResult& action, WallMicros now) {
    const WallMicros from = action.times[ActionState::Running];
    if (from == 0) return std::nullopt;
    const WallMicros end = action.times.exited ? action.times.exited : endOf(action);
    return (end ? end : now) - from;
}

std::optional<std::int64_t> ofOutcome(const AttemptOutcome& outcome, SortField field) {
    if (const auto measure = measureOf(field)) return outcome.measures[*measure];
    switch (field) {
    case SortField::Reason: return reasonRank(outcome.reason);
    case SortField::ExitCode: return outcome.exitCode;
    case SortField::Signal: return outcome.signal;
    default: return std::nullopt;
    }
}

} // namespace

Result<Sort> parseSort(std::string_view text) {
    Sort sort;
    sort.descending = text.starts_with('-');
    const std::string_view word = text.substr(sort.descending ? 1 : 0);
    const auto found = std::ranges::find(names(), word, &Name::word);
    if (found == names().end())
        return invalid("sort",
                       fmt::format("\"{}\" is no field that can be sorted by; there are {}, each with \"-\" "
                                   "before it for descending.",
                                   word, sortFieldNames()));
    sort.field = found->field;
    return sort;
}

std::string sortFieldNames() {
    std::string all;
    for (const Name& name : names()) all += fmt::format("{}{}", all.empty() ? "" : ", ", name.word);
    return all;
}

std::optional<std::int64_t> reasonRank(Reason reason) {
    static const auto ranks = [] {
        std::array<std::size_t, kReasons> order{};
        for (std::size_t i = 0; i < kReasons; ++i) order[i] = i;
        std::ranges::sort(order, {}, [](std::size_t i) { return name(static_cast<Reason>(i)); });
        std::array<std::int64_t, kReasons> rank{};
        for (std::size_t at = 0; at < kReasons; ++at) rank[order[at]] = static_cast<std::int64_t>(at);
        return rank;
    }();
    const auto at = static_cast<std::size_t>(std::to_underlying(reason));
    if (reason == Reason::None || at >= kReasons) return std::nullopt;
    return ranks[at];
}

std::optional<std::int64_t> sortNumber(const ActionResult& action, SortField field, WallMicros now) {
    switch (field) {
    case SortField::Lsn: return action.lsn.value;
    case SortField::State: return std::to_underlying(action.state);
    case SortField::Queue: return action.queue.value;
    case SortField::RetryCount: return action.retryCount;
    case SortField::Priority: return action.priority;
    case SortField::Place: return action.place;
    case SortField::Held:
        return action.state == ActionState::Pending ? std::optional<std::int64_t>(action.held) : std::nullopt;
    case SortField::RetryAt: return known(action.retryAt);
    case SortField::HungSince: return known(action.hungSince);
    case SortField::New: return known(action.times[ActionState::New]);
    case SortField::Submitting: return known(action.times[ActionState::Submitting]);
    case SortField::Running: return known(action.times[ActionState::Running]);
    case SortField::Exited: return known(action.times.exited);
    case SortField::Finished: return known(endOf(action));
    case SortField::Runtime: return runtime(action, now);
    case SortField::Waited: return waited(action, now);
    default: return action.outcome ? ofOutcome(*action.outcome, field) : std::nullopt;
    }
}

} // namespace yard

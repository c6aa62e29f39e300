#include "app/yardctl/fold_view.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"

#include <fmt/format.h>
#include <string_view>

namespace yard::ctl {

namespace {

const json::object* foldOf(const json::object& row) {
    return objectOf(row, "fold");
}

std::int64_t countIn(const json::object& row, std::string_view state) {
    const json::object* states = objectOf(row, "states");
    return states ? integerOf(*states, state).value_or(0) : 0;
}

std::int64_t failedIn(const json::object& row) {
    return countIn(row, "failed") + countIn(row, "abandoned");
}

} // namespace

bool isFolded(const json::object& row) {
    return foldOf(row) != nullptr;
}

std::optional<std::string> foldLsns(const json::object& row) {
    const json::object* fold = foldOf(row);
    if (!fold) return std::nullopt;
    const std::int64_t first = integerOf(*fold, "first").value_or(0);
    return fmt::format("{}..{}", first, first + integerOf(*fold, "count").value_or(1) - 1);
}

std::optional<std::string> foldState(const json::object& row) {
    if (!isFolded(row)) return std::nullopt;
    for (const std::string_view state : {"running", "submitting"})
        if (countIn(row, state) > 0) return std::string(state);
    if (const std::int64_t pending = countIn(row, "pending"); pending > 0)
        return countIn(row, "held") == pending ? "pending: held" : "pending";
    for (const std::string_view state : {"failed", "abandoned", "cancelled"})
        if (countIn(row, state) > 0) return std::string(state);
    return "completed";
}

std::optional<std::string> foldDone(const json::object& row) {
    const json::object* fold = foldOf(row);
    if (!fold) return std::nullopt;
    const std::int64_t count = integerOf(*fold, "count").value_or(0);
    const std::int64_t live = countIn(row, "pending") + countIn(row, "submitting") + countIn(row, "running");
    return fmt::format("{} of {}", count - live, count); // what is forgotten had ended
}

std::optional<std::string> foldFailed(const json::object& row) {
    if (!isFolded(row)) return std::nullopt;
    return fmt::format("{}", failedIn(row));
}

std::optional<std::string> foldName(const json::object& row) {
    const json::object* fold = foldOf(row);
    if (!fold) return std::nullopt;
    std::string name = printable(textOf(*fold, "name"));
    const std::int64_t others = integerOf(*fold, "count").value_or(1) - 1;
    if (textOf(*fold, "kind") != "list" || others < 1) return name;
    return fmt::format("{} and {} other{}", name, others, others == 1 ? "" : "s");
}

std::optional<std::string> foldNote(const json::object& row) {
    const json::object* fold = foldOf(row);
    const json::object* failure = fold ? objectOf(*fold, "failure") : nullptr;
    if (!failure) return std::nullopt;
    return fmt::format("{} x {}", integerOf(*failure, "count").value_or(1), printable(textOf(*failure, "line")));
}

std::optional<std::int64_t> foldStarted(const json::object& row) {
    const json::object* fold = foldOf(row);
    if (!fold) return std::nullopt;
    return integerOf(*fold, "started").value_or(0);
}

} // namespace yard::ctl

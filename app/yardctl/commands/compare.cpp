// yardctl compare: in what two actions differ.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/named_actions.h"
#include "core/base/clock.h"

#include <array>
#include <fmt/format.h>
#include <set>
#include <string>

namespace yard::ctl {

namespace {

constexpr std::size_t kWidest = 48;

struct Compared {
    json::object action;
    json::object spec; ///< empty where it is not kept
};

Outcome<Compared> fetch(const Invocation& invocation, std::int64_t lsn) {
    auto action = invocation.engine.get(fmt::format("jobs/{}", lsn));
    if (!action) return failedWith(action.error());
    if (invocation.json) fmt::print("{}\n", action->text);
    auto spec = invocation.engine.get(fmt::format("jobs/{}/spec?element=1", lsn));
    return Compared{std::move(action->object), spec ? std::move(spec->object) : json::object()};
}

std::string waited(const json::object& action) {
    const auto seconds = waitedSeconds(action);
    return seconds ? durationWords(*seconds) : std::string();
}

std::string ran(const json::object& action) {
    const auto seconds = runSeconds(action);
    return seconds ? durationWords(*seconds) : std::string();
}

std::string bytesOf(const json::object& action, std::string_view member) {
    const json::object* chunk = objectOf(action, member);
    const auto size = chunk ? integerOf(*chunk, "size") : integerOf(action, member);
    return size && *size >= 0 ? sizeWords(static_cast<std::uint64_t>(*size)) : std::string();
}

std::string memberText(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    if (!value) return {};
    return printable(value->is_string() ? std::string_view(value->get_string()) : compactJson(*value));
}

class Differences {
public:
    void add(std::string_view what, const std::string& a, const std::string& b) {
        if (a == b) return;
        table_.add({std::string(what), a.empty() ? "-" : fitted(a, kWidest), b.empty() ? "-" : fitted(b, kWidest)});
        isEmpty_ = false;
    }
    bool isEmpty() const { return isEmpty_; }
    std::string text() const { return table_.text(terminalWidth()); }
    explicit Differences(std::string a, std::string b)
        : table_({{"WHAT", false, kLeast}, {std::move(a), false, kLeast}, {std::move(b), false, kLeast}}) {}

private:
    static constexpr std::size_t kLeast = 4; ///< columns of a terminal
    Table table_;
    bool isEmpty_ = true;
};

Outcome<int> compareCommand(const Invocation& invocation) {
    const auto first = theNamedAction("compare", invocation.arguments.operands().front());
    if (!first) return std::unexpected(first.error());
    const auto second = theNamedAction("compare", invocation.arguments.operands().back());
    if (!second) return std::unexpected(second.error());
    const auto a = fetch(invocation, *first);
    if (!a) return std::unexpected(a.error());
    const auto b = fetch(invocation, *second);
    if (!b) return std::unexpected(b.error());
    if (invocation.json) return 0;
    Differences all(fmt::format("{}", *first), fmt::format("{}", *second));
    std::set<std::string> members;
    for (const Compared* one : {&*a, &*b})
        for (const auto& member : one->spec) members.emplace(member.key());
    for (const std::string& member : members)
        all.add(member, memberText(a->spec, member), memberText(b->spec, member));
    all.add("queue_id", memberText(a->action, "queue_id"), memberText(b->action, "queue_id"));
    all.add("state", stateWords(a->action), stateWords(b->action));
    for (const std::string_view member : {"retry_count", "note"})
        all.add(member, memberText(a->action, member), memberText(b->action, member));
    all.add("waited", waited(a->action), waited(b->action));
    all.add("ran", ran(a->action), ran(b->action));
    for (const MeasureInfo& info : kMeasureTable) {
        const auto words = [&info](const json::object& action) {
            return action.contains(info.name) ? measureWords(action, info) : std::string();
        };
        all.add(info.label, words(a->action), words(b->action));
    }
    for (const std::string_view member : {"stdout", "stderr"})
        all.add(member, bytesOf(a->action, member), bytesOf(b->action, member));
    fmt::print("{}", all.isEmpty() ? "They do not differ.\n" : all.text());
    return 0;
}

} // namespace

Command compareRow() {
    return {.name = "compare",
            .usage = "A B",
            .summary = "in what two actions differ",
            .details = "In what was submitted, how they ended, and how long they took. What is alike is left out.",
            .examples = "yardctl compare 12 19",
            .options = {},
            .minOperands = 2,
            .maxOperands = 2,
            .function = compareCommand};
}

} // namespace yard::ctl

// yardctl move LSN… top|up|down|bottom|before LSN: the order of what waits in a queue.
#include "app/yardctl/action_view.h"
#include "app/yardctl/command_words.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/list_terms.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/refusals.h"
#include "app/yardctl/row_options.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

namespace {

/// The engine takes so many numbers in one request, and an order is given by one.
constexpr std::size_t kMostNamed = 1'000;

/// Takes the last words off: "top", or "before 12". Null: they are none.
Outcome<json::value> takePlace(std::vector<std::string>& words) {
    constexpr std::array<std::string_view, 4> kPlaces{"top", "up", "down", "bottom"};
    if (!words.empty() && std::ranges::find(kPlaces, words.back()) != kPlaces.end()) {
        json::value place(words.back());
        words.pop_back();
        return place;
    }
    if (words.size() < 2 || words[words.size() - 2] != "before") return json::value(nullptr);
    const auto before = parseInteger(words.back(), "the action after 'before'");
    if (!before) return std::unexpected(before.error());
    words.resize(words.size() - 2);
    return json::value(json::object{{"before", *before}});
}

void tell(const Invocation& invocation, const Answer& answer) {
    Refusals refusals;
    if (const json::array* refused = arrayOf(answer.object, "refused"))
        for (const json::value& entry : *refused)
            if (const json::object* one = entry.if_object())
                refusals.add(integerOf(*one, "lsn").value_or(0), textOf(*one, "error"),
                             printable(inCommandWords(textOf(*one, "message"))));
    const std::int64_t changed = integerOf(answer.object, "changed").value_or(0);
    const auto queue = integerOf(answer.object, "queue_id");
    const auto place = integerOf(answer.object, "place");
    const auto first = place ? fmt::format("number {}", *place) : std::string("the first one");
    if (invocation.json)
        fmt::print("{}\n", answer.text);
    else if (!queue)
        fmt::print("nothing was moved: no action that waits matches\n");
    else if (changed == 0)
        fmt::print("there already, from {} of queue {}\n", first, *queue);
    else
        fmt::print("{} action{} moved, from {} of queue {} now\n", changed, changed == 1 ? "" : "s", first, *queue);
    if (!refusals.empty()) std::fflush(stdout);
    for (const Refusal& refusal : refusals.refusals())
        fmt::print(stderr, "{}", errorLine(invocation.json, refusal.word, refusal.sentence));
}

} // namespace

Outcome<int> movePlaces(const Invocation& invocation) {
    std::vector<std::string> words = invocation.arguments.operands();
    auto place = takePlace(words);
    if (!place) return std::unexpected(place.error());
    const auto filter = invocation.arguments.value("filter");
    if (place->is_null())
        return usageError(
            "say where to: yardctl move --queue REF LSN…, or yardctl move LSN… top, up, down, bottom or "
            "before LSN");
    if (filter.has_value() != words.empty())
        return usageError("'move' wants the LSNs of actions before the place, or --filter");
    if (invocation.arguments.has("dry-run") || invocation.arguments.has("at-most"))
        return usageError("--dry-run and --at-most are for moves to another queue");
    json::object body;
    if (filter) {
        body["filter"] = *filter;
    } else {
        const auto lsns = namedActions(invocation.engine, words, "state:pending");
        if (!lsns) return std::unexpected(lsns.error());
        if (lsns->size() > kMostNamed)
            return usageError(
                fmt::format("{} actions are too many to name, {} at most: use --filter", lsns->size(), kMostNamed));
        body["lsns"] = json::array(lsns->begin(), lsns->end());
    }
    body["to"] = std::move(*place);
    const auto answer = invocation.engine.call(
        {.method = "POST", .path = "jobs/move", .body = compactJson(body), .silence = std::chrono::minutes(10)});
    const bool isNothing =
        answer ? !integerOf(answer->object, "queue_id") : answer.error().kind == ErrorKind::NotFound;
    if (filter && isNothing)
        if (auto known = checkQueues(invocation.engine, {*filter}); !known) return std::unexpected(known.error());
    if (!answer) return failedByWords(answer.error());
    tell(invocation, *answer);
    const json::array* refused = arrayOf(answer->object, "refused");
    return refused && !refused->empty() ? kExitFailed : 0;
}

} // namespace yard::ctl

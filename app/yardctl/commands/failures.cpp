// yardctl failures: what failed alike as one row; which groups are known, and what differs within one.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/list_terms.h"
#include "core/base/clock.h"
#include "core/model/failure_line.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace yard::ctl {

namespace {

/// Behind others who ask, a hundred thousand failures take a while to be read.
constexpr std::chrono::minutes kFailuresSilence{2};

using QueueTags = std::map<std::string, std::string>;

std::string failureTime(const json::object& object, std::string_view key) {
    return timeWords(integerOf(object, key).value_or(0), wallNow());
}

/// Of the start of an hour: its seconds say nothing.
std::string hourWords(const json::object& object, std::string_view key) {
    std::string words = failureTime(object, key);
    if (std::ranges::count(words, ':') == 2) words.resize(words.rfind(':'));
    return words;
}

std::string queueWords(const QueueTags& tags, const std::string& number) {
    const auto tag = tags.find(number);
    return tag == tags.end() || tag->second.empty() ? number : tag->second;
}

/// "nightly", "nightly +2".
std::string queuesWords(const json::object& group, const QueueTags& tags) {
    const json::array* queues = arrayOf(group, "queues");
    if (!queues || queues->empty() || !queues->front().is_number()) return "";
    const std::string first = queueWords(tags, fmt::format("{}", queues->front().to_number<std::int64_t>()));
    return queues->size() == 1 ? first : fmt::format("{} +{}", first, queues->size() - 1);
}

bool isMuted(const json::object& group) {
    return isTrue(group, "muted");
}

std::string muteWords(const json::object& group) {
    return isMuted(group) ? fmt::format("(muted until {}) ", failureTime(group, "muted_until")) : "";
}

std::string counted(std::int64_t count, std::string_view one) {
    return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// "127 failures in 12 groups, 1 muted".
std::string headWords(const json::object& answer, const json::array& groups) {
    const bool isExact = isTrue(answer, "exact");
    const auto muted = std::ranges::count_if(
        groups, [](const json::value& group) { return group.is_object() && isMuted(group.get_object()); });
    std::string words = fmt::format("{}{} in {}", isExact ? "" : "at least ",
                                    counted(integerOf(answer, "total").value_or(0), "failure"),
                                    counted(std::ssize(groups), "group"));
    if (const std::int64_t others = integerOf(answer, "others").value_or(0); others > 0)
        words += fmt::format(" and {} in others", others);
    return muted > 0 ? fmt::format("{}, {} muted", words, muted) : words;
}

void printGroups(const json::object& answer, Engine& engine) {
    const json::array* groups = arrayOf(answer, "groups");
    if (!groups || groups->empty()) {
        fmt::print("Nothing failed.\n");
        return;
    }
    fmt::print("{}\n", headWords(answer, *groups));
    const QueueTags tags = queueTags(engine);
    Table table({{"COUNT", true},
                 {"FIRST", false, kWhole, 1},
                 {"LAST", false, kWhole, 3},
                 {"QUEUES", false, 8, 2},
                 {"GROUP"},
                 {"LINE", false, 8}});
    for (const json::value& value : *groups) {
        const json::object* group = value.if_object();
        if (!group) continue;
        table.add({countText(*group, "count"), failureTime(*group, "first"), failureTime(*group, "last"),
                   queuesWords(*group, tags), printable(textOf(*group, "id")),
                   muteWords(*group) + printable(textOf(*group, "line"))});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

/// "  queue       nightly: 41, tests: 16, 3 others". What is counted may be a number itself.
void printCounts(std::string_view head, const json::object& counts, const QueueTags* tags) {
    std::string text;
    const json::array* values = arrayOf(counts, "values");
    for (const json::value& one : values ? *values : json::array()) {
        const json::object* value = one.if_object();
        if (!value) continue;
        const std::string shown(textOf(*value, "value"));
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ",
                            printable(tags ? queueWords(*tags, shown) : shown), countText(*value, "count"));
    }
    if (const std::int64_t others = integerOf(counts, "others").value_or(0); others > 0)
        text += fmt::format("{}{}", text.empty() ? "" : ", ", counted(others, "other"));
    if (!text.empty()) fmt::print("  {:<9} {}\n", head, text);
}

void printHours(const json::object& group) {
    std::string text;
    const json::array* hours = arrayOf(group, "hours");
    for (const json::value& one : hours ? *hours : json::array())
        if (const json::object* hour = one.if_object())
            text +=
                fmt::format("{}{}: {}", text.empty() ? "" : ", ", hourWords(*hour, "t"), countText(*hour, "count"));
    if (!text.empty()) fmt::print("  {:<9} {}\n", "hour", text);
}

void printGroup(const json::object& group, Engine& engine) {
    fmt::print("{}{}\n", muteWords(group), printable(textOf(group, "line")));
    fmt::print("  {}, {} to {}\n", counted(integerOf(group, "count").value_or(0), "failure"),
               failureTime(group, "first"), failureTime(group, "last"));
    if (const auto reason = textOf(group, "reason"); !reason.empty())
        fmt::print("  {:<9} {}\n", "reason", printable(reason));
    const QueueTags tags = queueTags(engine);
    const json::object* by = objectOf(group, "by");
    for (const std::string_view name : {"queue", "worker", "machine"})
        if (const json::object* counts = by ? objectOf(*by, name) : nullptr)
            printCounts(name, *counts, name == "queue" ? &tags : nullptr);
    printHours(group);
    const json::array* parts = arrayOf(group, "parts");
    for (const json::value& part : parts ? *parts : json::array())
        if (part.is_object()) printCounts(printable(textOf(part.get_object(), "mask")), part.get_object(), nullptr);
    std::vector<std::string> newest;
    const json::array* lsns = arrayOf(group, "lsns");
    for (const json::value& lsn : lsns ? *lsns : json::array())
        if (lsn.is_number()) newest.push_back(fmt::format("{}", lsn.to_number<std::int64_t>()));
    fmt::print("  {:<9} {}\n", "newest", fmt::join(newest, " "));
    fmt::print("  {:<9} yardctl retry --filter {}\n", "again", printable(textOf(group, "filter")));
}

/// A mute holds for any id, a mistyped one as well: whether something failed so is asked first.
Outcome<int> mute(const Invocation& invocation, const std::string& group, std::int64_t until) {
    if (until != 0) {
        const auto known =
            invocation.engine.call({.path = "failures?group=" + percentEncode(group), .silence = kFailuresSilence});
        if (!known) return failedWith(known.error());
    }
    const auto answer =
        invocation.engine.post("failures/mute", fmt::format(R"({{"group":"{}","until":{}}})", group, until));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (until == 0)
        fmt::print("{} is muted no more.\n", group);
    else
        fmt::print("{} is muted until {}.\n", group, timeWords(until, wallNow()));
    return 0;
}

/// Of the option, if it is given.
Outcome<std::optional<std::string>> groupOf(const Arguments& arguments, std::string_view option) {
    auto group = arguments.value(option);
    if (group && !isFailureId(*group))
        return usageError(
            fmt::format("'{}' is no group of failures: 'yardctl failures' has them, as in failures --{} "
                        "3f0c91d2a4b8e677",
                        printable(*group), option));
    return group;
}

/// Muting and unmuting; nothing when neither is asked for.
Outcome<std::optional<int>> changeMute(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    const auto muted = groupOf(arguments, "mute");
    if (!muted) return std::unexpected(muted.error());
    const auto unmuted = groupOf(arguments, "unmute");
    if (!unmuted) return std::unexpected(unmuted.error());
    const auto until = arguments.value("until");
    if (until.has_value() != muted->has_value())
        return usageError("--mute and --until go together: failures --mute GROUP --until +1h");
    if (!*muted && !*unmuted) return std::nullopt;
    const bool isAlone = arguments.operands().empty() && !arguments.has("show") && !arguments.has("since");
    if ((*muted && *unmuted) || !isAlone)
        return usageError("a mute goes alone: failures --mute GROUP --until +1h, failures --unmute GROUP");
    std::int64_t end = 0;
    if (until) {
        const auto moment = parseComing(*until, wallNow());
        if (!moment) return std::unexpected(moment.error());
        end = *moment;
    }
    const auto done = mute(invocation, *muted ? **muted : **unmuted, end);
    if (!done) return std::unexpected(done.error());
    return *done;
}

Outcome<int> failuresCommand(const Invocation& invocation) {
    const auto changed = changeMute(invocation);
    if (!changed) return std::unexpected(changed.error());
    if (*changed) return **changed;
    const Arguments& arguments = invocation.arguments;
    const auto shown = groupOf(arguments, "show");
    if (!shown) return std::unexpected(shown.error());
    std::string query;
    const auto add = [&query](std::string_view name, const std::string& value) {
        query += fmt::format("{}{}={}", query.empty() ? "?" : "&", name, percentEncode(value));
    };
    if (const auto since = arguments.value("since")) {
        const auto moment = parseMoment(*since, wallNow());
        if (!moment) return std::unexpected(moment.error());
        add("since", fmt::format("{}", *moment));
    }
    if (!arguments.operands().empty()) add("q", fmt::format("{}", fmt::join(arguments.operands(), " ")));
    if (*shown) add("group", **shown);
    const auto answer = invocation.engine.call({.path = "failures" + query, .silence = kFailuresSilence});
    if (!answer && !arguments.operands().empty() && !*shown)
        return std::unexpected(wrongInFilter(invocation.engine, failedByWords(answer.error()).error()));
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) fmt::print("{}\n", answer->text);
    const json::array* groups = arrayOf(answer->object, "groups");
    if (!*shown && (!groups || groups->empty()))
        if (auto known = checkQueues(invocation.engine, arguments.operands()); !known)
            return std::unexpected(known.error());
    if (invocation.json) return 0;
    if (*shown)
        printGroup(answer->object, invocation.engine);
    else
        printGroups(answer->object, invocation.engine);
    return 0;
}

} // namespace

Command failuresRow() {
    return {.name = "failures",
            .usage = "[options] [FILTER…]",
            .summary = "what failed alike, as one row",
            .details =
                "A group has the same first error line, but for numbers (#) and paths (<path>), and failed for "
                "the same reason. Of the newest 100000 failures, the 200 largest groups. --show has what differs "
                "within one: queues, workers, machines, hours, and what stood in place of # and <path>.\n"
                "\n"
                "A muted group is still counted, and says until when. 'failure:GROUP' is a filter: 'yardctl retry "
                "--filter failure:GROUP' runs all of a group again.",
            .examples = "yardctl failures\n"
                        "yardctl failures --since -1d queue:nightly\n"
                        "yardctl failures --show 3f0c91d2a4b8e677\n"
                        "yardctl failures --mute 3f0c91d2a4b8e677 --until tomorrow",
            .options = {{"since", 0, "TIME", "of those that ended from then on: -1h, 09:45, yesterday"},
                        {"show", 0, "GROUP", "the counts of this group"},
                        {"mute", 0, "GROUP", "mark it as known, with --until"},
                        {"until", 0, "TIME", "until then: +1h, 22:30 (the next one), tomorrow"},
                        {"unmute", 0, "GROUP", "end its mute"}},
            .takesFilter = true,
            .function = failuresCommand};
}

} // namespace yard::ctl

// yardctl queues, queue: list, make and steer queues.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/queue_ref.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/work_options.h"
#include "core/base/clock.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

/// "-": not known in the first minute of an engine.
std::string rateOf(const json::object& queue) {
    return queue.contains("per_minute") ? countText(queue, "per_minute") : "-";
}

std::string stateOf(const json::object& queue) {
    std::string out = printable(textOf(queue, "state"));
    if (isTrue(queue, "held")) out += ", held";
    return out;
}

void showQueue(const json::object& queue) {
    const auto line = [](std::string_view name, const std::string& value) {
        if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
    };
    line("queue", countText(queue, "queue_id"));
    line("tag", printable(textOf(queue, "tag")));
    line("token", printable(textOf(queue, "token")));
    line("mark", printable(textOf(queue, "mark")));
    line("state", stateOf(queue));
    for (const std::string_view key : {"pending", "running", "completed", "failed", "abandoned", "cancelled"})
        line(key, countText(queue, key));
    line("per minute", rateOf(queue));
    if (const std::string gap = gapWords(queue); !gap.empty())
        line("finish", "not known: " + gap);
    else if (objectOf(queue, "estimate"))
        line("finish", "in " + finishWords(queue, wallNow()));
    if (const json::object* config = objectOf(queue, "config"); config && !config->empty()) {
        fmt::print("config\n");
        for (const auto& [key, value] : *config)
            fmt::print("  {}={}\n", printable(key), printable(compactJson(value)));
    }
}

/// KEY=VALUE words as an object; a value that is no JSON is a string.
Outcome<json::object> configOf(std::span<const std::string> words) {
    json::object out;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return usageError(fmt::format("'{}' is not KEY=VALUE, like max_retries=5", printable(word)));
        const std::string text = word.substr(equals + 1);
        boost::system::error_code ec;
        json::value value = json::parse(text, ec);
        out[word.substr(0, equals)] = ec ? json::value(text) : std::move(value);
    }
    return out;
}

Outcome<std::string> pathOf(Engine& engine, const std::string& ref) {
    auto resolved = resolveQueue(engine, ref);
    if (!resolved) return resolved;
    return "queues/" + percentEncode(*resolved);
}

Outcome<int> printAnswer(const Invocation& invocation, const Result<Answer>& answer, const std::string& words) {
    if (!answer) return failedByWords(answer.error());
    fmt::print("{}\n", invocation.json ? answer->text : words);
    return 0;
}

/// A tag that two queues have names neither: a script that is run twice would be the last one that can use it.
Outcome<void> checkTag(const Invocation& invocation, const std::string& tag) {
    if (!tag.empty() && isDigits(tag))
        return usageError(fmt::format("'{}' as a tag would be taken for the number of a queue: add a letter", tag));
    if (tag.empty() || invocation.arguments.has("another")) return {};
    const auto tagged = queuesTagged(invocation.engine, tag);
    if (!tagged) return std::unexpected(tagged.error());
    if (tagged->empty()) return {};
    return failed(fmt::format("queue {} has the tag '{}' already: use that one, or add --another for a second one, "
                              "which only its number names",
                              tagged->front(), printable(tag)));
}

/// Its first word, or --tag.
Outcome<std::optional<std::string>> tagOf(const Invocation& invocation, std::span<const std::string> words) {
    const auto option = invocation.arguments.value("tag");
    if (words.empty() || words.front().contains('=')) {
        if (option) return std::string(*option);
        return std::nullopt;
    }
    if (!option) return words.front();
    return usageError(fmt::format("a queue has one tag, and this names two: '{}' and '{}'",
                                  printable(words.front()), printable(*option)));
}

Outcome<int> create(const Invocation& invocation, std::span<const std::string> words) {
    const auto tag = tagOf(invocation, words);
    if (!tag) return std::unexpected(tag.error());
    if (*tag && !invocation.arguments.has("tag")) words = words.subspan(1);
    auto config = configOf(words);
    if (!config) return std::unexpected(config.error());
    // What a person makes by hand stays until a person removes it.
    if (!config->contains("idle_expiry_s")) (*config)["idle_expiry_s"] = 0;
    json::object body{{"config", std::move(*config)}};
    if (*tag) {
        if (auto isFree = checkTag(invocation, **tag); !isFree) return std::unexpected(isFree.error());
        body["tag"] = **tag;
    }
    auto answer = invocation.engine.post("queues", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    return printAnswer(
        invocation, answer,
        fmt::format("{} {}", countText(answer->object, "queue_id"), printable(textOf(answer->object, "token"))));
}

Outcome<int> configure(const Invocation& invocation, std::span<const std::string> words) {
    auto said = queueConfigOf(invocation.arguments);
    if (!said) return std::unexpected(said.error());
    if (words.empty() || (words.size() < 2 && said->empty()))
        return usageError("something is missing: yardctl queue set REF [options] [KEY=VALUE…]");
    auto config = configOf(words.subspan(1));
    if (!config) return std::unexpected(config.error());
    for (auto& [key, value] : *said) (*config)[key] = std::move(value);
    const json::object body{{"config", std::move(*config)}};
    auto path = pathOf(invocation.engine, words.front());
    if (!path) return std::unexpected(path.error());
    const auto answer =
        invocation.engine.call({.method = "PATCH", .path = std::move(*path), .body = compactJson(body)});
    return printAnswer(invocation, answer, fmt::format("queue {} is configured", words.front()));
}

Outcome<int> markQueues(const Invocation& invocation, std::span<const std::string> words) {
    if (words.size() < 2) return usageError("something is missing: yardctl queue mark COLOUR|none REF…");
    const auto colour = markOf(words.front());
    if (!colour) return std::unexpected(colour.error());
    Outcome<int> code = 0;
    for (const std::string& ref : words.subspan(1)) {
        auto path = pathOf(invocation.engine, ref);
        if (!path) return std::unexpected(path.error());
        const auto answer = invocation.engine.call(
            {.method = "PATCH", .path = std::move(*path), .body = compactJson(json::object{{"mark", *colour}})});
        code = printAnswer(invocation, answer,
                           fmt::format("queue {} {}", ref,
                                       colour->is_null() ? "is without a mark" : "is marked " + words.front()));
        if (!code) break;
    }
    return code;
}

Outcome<int> showOneQueue(const Invocation& invocation, const std::string& ref) {
    auto path = pathOf(invocation.engine, ref);
    if (!path) return std::unexpected(path.error());
    auto answer = invocation.engine.get(*path);
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    showQueue(answer->object);
    if (answer->object.contains("comments")) showComments(invocation.engine, *path);
    return 0;
}

/// A verb that takes any number of queues: what it sends, what it says.
struct Verb {
    std::string_view name;
    std::string_view method;
    std::string_view suffix;
    std::string_view words;
};
constexpr std::array<Verb, 5> kVerbs = {{{"hold", "POST", "/hold", "is held"},
                                         {"release", "POST", "/release", "is released"},
                                         {"drain", "POST", "/drain", "drains"},
                                         {"cancel", "POST", "/cancel", "is cancelled"},
                                         {"delete", "DELETE", "", "is deleted"}}};

Outcome<int> apply(const Invocation& invocation, const Verb& verb, const std::string& ref) {
    auto path = pathOf(invocation.engine, ref);
    if (!path) return std::unexpected(path.error());
    const auto answer =
        invocation.engine.call({.method = std::string(verb.method), .path = *path + std::string(verb.suffix)});
    return printAnswer(invocation, answer, fmt::format("queue {} {}", ref, verb.words));
}

Outcome<int> queuesCommand(const Invocation& invocation) {
    auto answer = invocation.engine.get("queues");
    if (!answer) return failedWith(answer.error());
    const json::array* queues = arrayOf(answer->object, "queues");
    Table table({{"QUEUE", true},
                 {"TAG", false, 8},
                 {"STATE", false, 8},
                 {"PENDING", true},
                 {"RUNNING", true},
                 {"COMPLETED", true, kWhole, 4},
                 {"FAILED", true},
                 {"ABANDONED", true, kWhole, 1},
                 {"CANCELLED", true, kWhole, 2},
                 {"PER MIN", true, kWhole, 3},
                 {"FINISH IN", true, kWhole, 5}});
    for (const json::value& value : queues ? *queues : json::array()) {
        const json::object* q = value.if_object();
        if (!q) continue;
        if (invocation.json) {
            fmt::print("{}\n", compactJson(*q));
            continue;
        }
        const std::string tag = printable(textOf(*q, "tag"));
        table.add({countText(*q, "queue_id"), tag.empty() ? "-" : tag, stateOf(*q), countText(*q, "pending"),
                   countText(*q, "running"), countText(*q, "completed"), countText(*q, "failed"),
                   countText(*q, "abandoned"), countText(*q, "cancelled"), rateOf(*q), finishWords(*q, wallNow())});
    }
    if (!invocation.json) fmt::print("{}", table.text(terminalWidth()));
    return 0;
}

Outcome<int> queueCommand(const Invocation& invocation) {
    const std::span<const std::string> words = invocation.arguments.operands();
    const std::string& verb = words.front();
    const auto rest = words.subspan(1);
    if (verb != "set" && saysWork(invocation.arguments))
        return usageError("--deadline and --retries are of 'queue set'");
    if (verb != "create" && invocation.arguments.has("another"))
        return usageError("--another is of 'queue create'");
    if (verb == "create") return create(invocation, rest);
    if (verb == "ls" || verb == "list") {
        if (rest.empty()) return queuesCommand(invocation);
        return usageError(
            fmt::format("'queue {}' lists all; of one: yardctl queue show {}", verb, printable(rest.front())));
    }
    if (verb == "set") return configure(invocation, rest);
    if (verb == "mark") return markQueues(invocation, rest);
    const auto known = std::ranges::find(kVerbs, verb, &Verb::name);
    if (known == kVerbs.end() && verb != "show")
        return usageError(fmt::format("'queue' cannot '{}'; it knows create, show, hold, release, drain, cancel, "
                                      "delete, set and mark",
                                      printable(verb)));
    if (rest.empty()) return usageError(fmt::format("say which queue: yardctl queue {} REF…", verb));
    Outcome<int> code = 0;
    for (const std::string& ref : rest) {
        code = verb == "show" ? showOneQueue(invocation, ref) : apply(invocation, *known, ref);
        if (!code) break;
    }
    return code;
}

} // namespace

Command queuesRow() {
    return {.name = "queues",
            .usage = "",
            .summary = "list queues",
            .details =
                "What is pending or running is so now; what has ended counts since the queue was made, in queue "
                "0 since the data directory was.",
            .examples = "yardctl queues\n"
                        "yardctl queues --json",
            .options = {},
            .maxOperands = 0,
            .function = queuesCommand};
}

Command queueRow() {
    return {.name = "queue",
            .usage = "create|show|hold|release|drain|cancel|delete|set|mark [REF…]",
            .summary = "make and steer queues",
            .details = "  queue create [TAG] [KEY=VALUE…]          one that stays until it is deleted\n"
                       "  queue show REF…                          its counters and configuration\n"
                       "  queue hold|release REF…                  start nothing more from it; go on\n"
                       "  queue drain REF…                         take no more work, finish the rest;\n"
                       "                                           for good\n"
                       "  queue cancel REF…                        cancel everything in it; for good\n"
                       "  queue delete REF…                        the same, then forget it; finished\n"
                       "                                           actions stay\n"
                       "  queue set REF [options] [KEY=VALUE…]     configure it\n"
                       "  queue mark COLOUR|none REF…              give it a colour, as 'mark' does\n"
                       "Options are for 'set'; KEY=VALUE are the members of its configuration.",
            .examples = "yardctl queue create nightly max_running=2\n"
                        "yardctl queue set nightly --retries 5 weight=0.5\n"
                        "yardctl queue hold nightly",
            .options = joined({{"tag", 0, "TEXT", "create: the same as TAG"},
                               {"another", 0, "", "create: also where another queue has this tag"}},
                              workOptions(Work::QueueSet)),
            .minOperands = 1,
            .function = queueCommand};
}

} // namespace yard::ctl

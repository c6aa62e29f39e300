// yardctl objects: work that has a life (docs/objects.md).
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/commands/verbs.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/object_view.h"
#include "core/base/clock.h"

#include <array>
#include <fmt/format.h>
#include <span>

namespace yard::ctl {

namespace {

/// One long poll; then it is asked again.
constexpr int kWaitSeconds = 60;
constexpr std::int64_t kUsualRows = 100;

using ObjectWords = std::span<const std::string>;

Outcome<std::int64_t> idOf(const std::string& word) {
    const auto id = parseInteger(word, "ID");
    if (!id || *id < 1) return usageError(fmt::format("'{}' is no number of an object", printable(word)));
    return *id;
}

Outcome<json::array> idsOf(ObjectWords words) {
    json::array ids;
    for (const std::string& word : words) {
        const auto id = idOf(word);
        if (!id) return std::unexpected(id.error());
        ids.push_back(*id);
    }
    if (ids.empty()) return usageError("name one or more objects by their numbers");
    return ids;
}

/// FIELD=VALUE words; a VALUE that is no JSON is a text.
Outcome<json::object> fieldsOf(ObjectWords words) {
    json::object fields;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos || equals == 0)
            return usageError(fmt::format("'{}' is not FIELD=VALUE", printable(word)));
        const std::string text = word.substr(equals + 1);
        boost::system::error_code ec;
        json::value value = parseJson(text, ec);
        fields[word.substr(0, equals)] = ec ? json::value(text) : std::move(value);
    }
    return fields;
}

Outcome<int> listObjects(const Invocation& invocation, ObjectWords words) {
    if (!words.empty()) return usageError("'ls' takes options only; 'show' takes one object");
    std::int64_t limit = kUsualRows;
    if (const auto given = invocation.arguments.value("limit")) {
        const auto number = parseInteger(*given, "--limit");
        if (!number) return std::unexpected(number.error());
        if (*number < 1 || *number > 1000) return usageError("--limit takes 1 to 1000");
        limit = *number;
    }
    std::string path = fmt::format("objects?limit={}", limit);
    for (const std::string_view name : {"type", "status", "parent"})
        if (const auto value = invocation.arguments.value(name))
            path += fmt::format("&{}={}", name, percentEncode(*value));
    if (const auto value = invocation.arguments.value("where")) path += "&q=" + percentEncode(*value);
    auto answer = invocation.engine.get(path);
    if (!answer) return failedByWords(answer.error());
    const json::array* objects = arrayOf(answer->object, "objects");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (!objects || objects->empty())
        fmt::print(stderr, "{}\n",
                   answer->object.contains("cursor") ? "None of those that were looked at matches."
                                                     : "There are no objects.");
    else
        printObjects(*objects, wallNow());
    if (!invocation.json && answer->object.contains("cursor"))
        fmt::print(stderr, "There are more; --limit, --type and --status narrow it.\n");
    return 0;
}

Outcome<int> tellObject(const Invocation& invocation, const Answer& answer) {
    if (invocation.json)
        fmt::print("{}\n", answer.text);
    else
        printObject(answer.object, wallNow());
    return 0;
}

Outcome<int> showObject(const Invocation& invocation, ObjectWords words) {
    const auto id = words.size() == 1 ? idOf(words.front()) : Outcome<std::int64_t>(usageError("name one object"));
    if (!id) return std::unexpected(id.error());
    auto answer = invocation.engine.get(fmt::format("objects/{}", *id));
    if (!answer) return failedWith(answer.error());
    return tellObject(invocation, *answer);
}

Outcome<int> createObject(const Invocation& invocation, ObjectWords words) {
    if (words.empty()) return usageError("name the type: yardctl objects create TYPE [FIELD=VALUE…]");
    auto fields = fieldsOf(words.subspan(1));
    if (!fields) return std::unexpected(fields.error());
    json::object body{{"type", words.front()}, {"fields", *std::move(fields)}};
    if (const auto key = invocation.arguments.value("key")) body["key"] = *key;
    if (const auto parent = invocation.arguments.value("parent")) {
        const auto id = idOf(*parent);
        if (!id) return std::unexpected(id.error());
        body["parent"] = *id;
    }
    auto answer = invocation.engine.post("objects", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("{}\n", integerOf(answer->object, "id").value_or(0));
    return 0;
}

Outcome<int> setFields(const Invocation& invocation, ObjectWords words) {
    if (words.size() < 2) return usageError("say what is set: yardctl objects set ID FIELD=VALUE…");
    const auto id = idOf(words.front());
    if (!id) return std::unexpected(id.error());
    auto fields = fieldsOf(words.subspan(1));
    if (!fields) return std::unexpected(fields.error());
    auto answer = invocation.engine.call({.method = "PATCH",
                                          .path = fmt::format("objects/{}", *id),
                                          .body = compactJson(json::object{{"fields", *std::move(fields)}})});
    if (!answer) return failedByWords(answer.error());
    return tellObject(invocation, *answer);
}

/// Exit code 1 where one of them was refused or is not there.
Outcome<int> tellCount(const Invocation& invocation, const Answer& answer, std::size_t of, std::string_view what) {
    const std::int64_t count = integerOf(answer.object, "count").value_or(0);
    if (invocation.json) {
        fmt::print("{}\n", answer.text);
    } else {
        fmt::print("{} of {} {}\n", count, of, what);
        if (const json::array* refused = arrayOf(answer.object, "refused"))
            for (const json::value& each : *refused)
                if (const json::object* one = each.if_object())
                    fmt::print(stderr, "object {}: {}\n", integerOf(*one, "id").value_or(0),
                               printable(textOf(*one, "message")));
    }
    return count == static_cast<std::int64_t>(of) ? 0 : kExitFailed;
}

/// Asks `path` to do something with all of them; `what` they are afterwards.
Outcome<int> postIds(const Invocation& invocation, ObjectWords words, const std::string& path,
                     std::string_view what) {
    auto ids = idsOf(words);
    if (!ids) return std::unexpected(ids.error());
    const std::size_t of = ids->size();
    auto answer = invocation.engine.post(path, compactJson(json::object{{"ids", *std::move(ids)}}));
    if (!answer) return failedWith(answer.error());
    return tellCount(invocation, *answer, of, what);
}

Outcome<int> lookAtObjects(const Invocation& invocation, ObjectWords words) {
    return postIds(invocation, words, "objects/look", "are due now");
}

Outcome<int> deleteObjects(const Invocation& invocation, ObjectWords words) {
    return postIds(invocation, words, "objects/delete", "are deleted");
}

Outcome<int> moveObjects(const Invocation& invocation, ObjectWords words) {
    if (words.size() < 2) return usageError("say where to: yardctl objects move ID… STATUS");
    auto ids = idsOf(words.first(words.size() - 1));
    if (!ids) return std::unexpected(ids.error());
    const std::size_t of = ids->size();
    json::object body{{"ids", *std::move(ids)}, {"to", words.back()}};
    if (invocation.arguments.has("force")) body["force"] = true;
    auto answer = invocation.engine.post("objects/move", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    return tellCount(invocation, *answer, of, fmt::format("are {} now", printable(words.back())));
}

/// Long polls, over restarts of the engine.
Outcome<int> waitForObject(const Invocation& invocation, ObjectWords words) {
    if (words.empty() || words.size() > 2) return usageError("name one: yardctl objects wait ID [STATUS]");
    const auto id = idOf(words.front());
    if (!id) return std::unexpected(id.error());
    std::string path = fmt::format("objects/{}?wait={}", *id, kWaitSeconds);
    if (words.size() == 2) path += "&until=" + percentEncode(words[1]);
    for (;;) {
        auto answer = invocation.engine.callPatiently({.path = path, .silence = std::chrono::minutes(2)});
        if (!answer) return failedByWords(answer.error());
        if (answer->status == 202 && !invocation.engine.isInterrupted()) continue;
        return tellObject(invocation, *answer);
    }
}

struct ObjectVerb {
    std::string_view name;
    Outcome<int> (*function)(const Invocation&, ObjectWords);
    std::string_view options; ///< that it takes, a space around each
};
constexpr std::array<ObjectVerb, 8> kObjectVerbs = {
    {{.name = "ls", .function = &listObjects, .options = " type status parent where limit "},
     {.name = "show", .function = &showObject, .options = {}},
     {.name = "create", .function = &createObject, .options = " key parent "},
     {.name = "set", .function = &setFields, .options = {}},
     {.name = "look", .function = &lookAtObjects, .options = {}},
     {.name = "move", .function = &moveObjects, .options = " force "},
     {.name = "delete", .function = &deleteObjects, .options = {}},
     {.name = "wait", .function = &waitForObject, .options = {}}}};

std::vector<Option> optionsOfObjects() {
    return {{"type", 0, "TYPE", "of ls: of that type"},
            {"status", 0, "STATUS", "of ls: with that status"},
            {"where", 0, "FIELD:VALUE", "of ls: whose field has that value; several with blanks between"},
            {"parent", 0, "ID", "of ls and create: of that parent"},
            {"limit", 0, "N", "of ls: so many at most (default 100)"},
            {"key", 0, "KEY", "of create: made twice with the same key it is the first one"},
            {"force", 0, "", "of move: also where the type does not allow it"}};
}

Outcome<int> objectsCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const auto known = verbIn(kObjectVerbs, words);
    if (!known) return std::unexpected(known.error());
    const ObjectVerb& verb = **known;
    for (const Option& option : optionsOfObjects())
        if (invocation.arguments.has(option.name) && !verb.options.contains(fmt::format(" {} ", option.name)))
            return usageError(fmt::format("'objects {}' does not take --{}", verb.name, option.name));
    return verb.function(invocation, words.empty() ? ObjectWords() : ObjectWords(words).subspan(1));
}

} // namespace

Command objectsRow() {
    return {.name = "objects",
            .usage = "[ls [options] | show ID | create TYPE [FIELD=VALUE…] | set ID FIELD=VALUE… | look ID… "
                     "| move ID… STATUS | delete ID… | wait ID [STATUS]]",
            .summary = "work that has a life: what is where",
            .details =
                "'create' prints the number of the object. A VALUE is JSON, or else a text. 'look' lets objects "
                "be due now. 'move' does what their type allows, with --force anything. 'delete' leaves their "
                "children. 'wait' returns once the object has that status, without one once it has ended.",
            .examples = "yardctl objects --type snapshot --status queued\n"
                        "yardctl objects create snapshot url=https://example.org depth=2\n"
                        "yardctl objects wait 12\n"
                        "yardctl objects move 12 13 failed --force",
            .options = optionsOfObjects(),
            .function = objectsCommand};
}

} // namespace yard::ctl

// yardctl types: types of objects (docs/objects.md).
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/object_view.h"
#include "core/base/files.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kMaxTypeFile = 1U << 20;

Outcome<int> listTypes(const Invocation& invocation) {
    auto answer = invocation.engine.get("types");
    if (!answer) return failedWith(answer.error());
    const json::array* types = arrayOf(answer->object, "types");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (!types || types->empty())
        fmt::print(stderr, "There are no types of objects.\n");
    else
        printTypes(*types);
    return 0;
}

Outcome<int> addType(const Invocation& invocation, const std::string& file) {
    const auto text = readFile(file == "-" ? "/dev/stdin" : file, kMaxTypeFile);
    if (!text) return failedWith(text.error());
    auto answer = invocation.engine.post("types", *text);
    if (!answer) return failedByWords(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("{} is saved\n", printable(textOf(answer->object, "name")));
    return 0;
}

Outcome<int> removeType(const Invocation& invocation, const std::string& name) {
    const bool isForced = invocation.arguments.has("force");
    auto answer =
        invocation.engine.remove(fmt::format("types/{}{}", percentEncode(name), isForced ? "?force=1" : ""));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("{} is removed\n", printable(name));
    return 0;
}

Outcome<int> showType(const Invocation& invocation, const std::string& name, bool isGraph) {
    auto answer = invocation.engine.get(fmt::format("types/{}", percentEncode(name)));
    if (!answer) return failedWith(answer.error());
    const json::object* body = objectOf(answer->object, "type");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (isGraph && body)
        fmt::print("{}", typeGraph(*body));
    else
        printType(answer->object);
    return 0;
}

Outcome<int> typesCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    const std::string verb = words.empty() ? "ls" : words.front();
    if (invocation.arguments.has("force") && verb != "rm") return usageError("only 'types rm' takes --force");
    if (verb == "ls") {
        if (words.size() > 1) return usageError("'ls' lists all; 'show' takes one");
        return listTypes(invocation);
    }
    if (verb != "add" && verb != "show" && verb != "rm" && verb != "graph")
        return usageError(fmt::format("'{}' is none of ls, add, show, rm, graph", printable(verb)));
    if (words.size() != 2)
        return usageError(fmt::format("name one: yardctl types {} {}", verb, verb == "add" ? "FILE" : "NAME"));
    if (verb == "add") return addType(invocation, words[1]);
    if (verb == "rm") return removeType(invocation, words[1]);
    return showType(invocation, words[1], verb == "graph");
}

} // namespace

Command typesRow() {
    return {.name = "types",
            .usage = "[ls | add FILE|- | show NAME | rm NAME [--force] | graph NAME]",
            .summary = "types of objects: states, and who looks at them",
            .details =
                "'add' takes a descriptor in JSON; one whose name is known becomes its new version. 'rm' removes "
                "a type without objects, with --force its objects, too. 'graph' prints the states in the "
                "language of Graphviz.",
            .examples = "yardctl types\n"
                        "yardctl types add snapshot.json\n"
                        "yardctl types graph snapshot | dot -Tsvg > snapshot.svg",
            .options = {{"force", 0, "", "of rm: with its objects"}},
            .maxOperands = 2,
            .function = typesCommand};
}

} // namespace yard::ctl

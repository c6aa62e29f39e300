// yardctl tokens: tokens of the API for others than the owner of the engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/queue_ref.h"

#include "core/base/clock.h"
#include "core/model/queue.h"
#include "core/model/right.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string tokenQueues(const json::object& token) {
    const json::array* queues = arrayOf(token, "queues");
    if (!queues || queues->empty()) return textOf(token, "rights") == "submit" ? "new actions of all" : "-";
    std::string out;
    for (const json::value& queue : *queues) out += (out.empty() ? "" : ", ") + printable(compactJson(queue));
    return out;
}

void showTokens(const json::object& answer) {
    Table table({{"NAME"}, {"RIGHT"}, {"QUEUES", false, 8, 2}, {"MADE", false, kWhole, 1}, {"EXPIRES"}});
    if (const json::array* tokens = arrayOf(answer, "tokens"))
        for (const json::value& each : *tokens) {
            const json::object* token = each.if_object();
            if (!token) continue;
            const auto expires = integerOf(*token, "expires");
            table.add({printable(textOf(*token, "name")), printable(textOf(*token, "rights")), tokenQueues(*token),
                       timeWords(integerOf(*token, "created").value_or(0), wallNow()),
                       !expires                ? "never"
                       : *expires <= wallNow() ? "has expired"
                                               : timeWords(*expires, wallNow())});
        }
    if (table.empty())
        fmt::print(stderr, "There are no tokens but the owner's.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> listTokens(const Invocation& invocation) {
    auto answer = invocation.engine.get("tokens");
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        showTokens(answer->object);
    return 0;
}

/// By their numbers, or their tokens as text.
Outcome<json::array> queuesOfToken(const Invocation& invocation) {
    json::array queues;
    for (const std::string& word : invocation.arguments.values("queue")) {
        auto ref = resolveQueue(invocation.engine, word);
        if (!ref) return std::unexpected(ref.error());
        const auto parsed = parseQueueRef(*ref);
        const json::value queue = parsed && parsed->number ? json::value(parsed->number->value) : json::value(*ref);
        if (std::ranges::find(queues, queue) == queues.end()) queues.push_back(queue);
    }
    return queues;
}

Outcome<int> newToken(const Invocation& invocation, const std::string& name) {
    const Arguments& arguments = invocation.arguments;
    const std::string right = arguments.value("right").value_or("");
    if (!rightFrom(right))
        return usageError(fmt::format("say with --right what the token allows: {}", rightNames()));
    json::object body{{"name", name}, {"rights", right}};
    auto queues = queuesOfToken(invocation);
    if (!queues) return std::unexpected(queues.error());
    if (!queues->empty()) body["queues"] = std::move(*queues);
    if (const auto expires = arguments.value("expires")) {
        const auto seconds = parseDuration(*expires);
        if (!seconds) return std::unexpected(seconds.error());
        body["expires_s"] = static_cast<std::int64_t>(std::ceil(std::min(*seconds, 1e12)));
    }
    auto answer = invocation.engine.post("tokens", compactJson(body));
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    // Alone on stdout: it goes into a file, or to whom it is for.
    fmt::print("{}\n", printable(textOf(answer->object, "token")));
    fmt::print(stderr, "This is the token of {}; it is not shown again.\n", printable(name));
    return 0;
}

Outcome<int> removeTokens(const Invocation& invocation, const std::string& name) {
    auto answer = invocation.engine.remove(fmt::format("tokens/{}", percentEncode(name)));
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        fmt::print("the token of {} is removed\n", printable(name));
    return 0;
}

Outcome<int> tokensCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (words.empty()) return listTokens(invocation);
    const std::string& verb = words.front();
    if (verb != "new" && verb != "remove")
        return usageError(fmt::format("'{}' is neither new nor remove", printable(verb)));
    if (words.size() != 2) return usageError(fmt::format("name one token: yardctl tokens {} NAME", verb));
    return verb == "new" ? newToken(invocation, words[1]) : removeTokens(invocation, words[1]);
}

} // namespace

Command tokensRow() {
    return {.name = "tokens",
            .usage = "[new NAME --right RIGHT [--queue REF…] [--expires TIME] | remove NAME]",
            .summary = "tokens of the API for others than the owner",
            .details = "A token has one right, which has those before it:\n"
                       "  read      see everything but environments, inputs and tokens\n"
                       "  submit    add actions, and steer those of the queues that --queue names\n"
                       "  operate   steer all work\n"
                       "  admin     everything, as the owner\n"
                       "The token is printed once; the engine keeps its hash. Who uses it gives it to yardctl with "
                       "--url and --token-file. An action is a program that runs as the engine's user: give submit "
                       "only to whom you would give a shell.",
            .examples = "yardctl tokens\n"
                        "yardctl tokens new anna --right read > anna.token\n"
                        "yardctl tokens new ci --right submit --queue nightly --expires 30d\n"
                        "yardctl tokens remove anna",
            .options = {{"right", 0, "RIGHT", "read, submit, operate or admin"},
                        {"queue", 0, "REF", "submit: a queue that it reaches; may be repeated"},
                        {"expires", 0, "TIME", "it is valid for so long (default: until removed)"}},
            .maxOperands = 2,
            .function = tokensCommand,
            .live = "tokens"};
}

} // namespace yard::ctl

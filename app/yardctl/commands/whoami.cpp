// yardctl whoami: what the token allows that yardctl shows to the engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "core/base/clock.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

void showOwnToken(const json::object& token) {
    const std::string name = printable(textOf(token, "name"));
    const std::string right = printable(textOf(token, "rights"));
    fmt::print("name     {}\nright    {}\n", name.empty() ? "the owner of the engine" : name, right);
    if (const json::array* queues = arrayOf(token, "queues")) {
        std::string numbers;
        for (const json::value& queue : *queues)
            numbers += (numbers.empty() ? "" : ", ") + printable(compactJson(queue));
        fmt::print("queues   {}\n", numbers);
    } else if (right == "submit") {
        fmt::print("queues   new actions of all\n");
    }
    if (const auto expires = integerOf(token, "expires"))
        fmt::print("expires  {}\n", timeWords(*expires, wallNow()));
}

Outcome<int> whoamiCommand(const Invocation& invocation) {
    const auto answer = invocation.engine.get("token");
    if (!answer) return failedWith(answer.error());
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else
        showOwnToken(answer->object);
    return 0;
}

} // namespace

Command whoamiRow() {
    return {.name = "whoami",
            .usage = "",
            .summary = "what the token in use allows",
            .details =
                "Its name, its right, the queues that it reaches, and when it expires: of the token of the data "
                "directory, or of --token-file. 'yardctl tokens --help' has the rights.",
            .examples = "yardctl whoami\n"
                        "yardctl --url http://127.0.0.1:8640 --token-file anna.token whoami",
            .options = {},
            .maxOperands = 0,
            .function = whoamiCommand};
}

} // namespace yard::ctl

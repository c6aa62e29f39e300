// yardctl completion, manual: the table of commands for shells and for man. They ask no engine.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/completion.h"
#include "app/yardctl/format.h"

#include <fmt/format.h>

namespace yard::ctl {

Outcome<int> completionCommand(const Invocation& invocation) {
    const std::string& shell = invocation.arguments.operands().front();
    const auto script = completionScript(shell);
    if (!script)
        return usageError(fmt::format("there is completion for bash, zsh and fish, not '{}'", printable(shell)));
    if (invocation.json)
        fmt::print("{}\n", compactJson(json::object{{"shell", shell}, {"script", *script}}));
    else
        fmt::print("{}", *script);
    return 0;
}

Outcome<int> manualCommand(const Invocation& invocation) {
    const std::string page = manualPage(YARD_VERSION);
    if (invocation.json)
        fmt::print("{}\n", compactJson(json::object{{"manual", page}}));
    else
        fmt::print("{}", page);
    return 0;
}

} // namespace yard::ctl

// yardctl completion, manual: the table of commands for shells and for man. What only an engine knows is asked for
// by the shells, with 'completion values' (values.cpp).
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/completion.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/manual.h"
#include "core/base/files.h"

#include <fmt/format.h>

namespace yard::ctl {

Outcome<int> completionCommand(const Invocation& invocation) {
    const auto& words = invocation.arguments.operands();
    const std::string& shell = words.front();
    if (shell == "values")
        return offerValues(invocation.engine, words.size() > 1 ? words[1] : "", words.size() > 2 ? words[2] : "");
    if (words.size() > 1)
        return usageError(
            fmt::format("'{}' is one word more than 'completion {}' takes", printable(words[1]), printable(shell)));
    const auto script = completionScript(shell);
    if (!script)
        return usageError(fmt::format("there is completion for bash, zsh and fish, not '{}'", printable(shell)));
    if (invocation.json)
        fmt::print("{}\n", compactJson(json::object{{"shell", shell}, {"script", *script}}));
    else
        fmt::print("{}", *script);
    return 0;
}

namespace {

/// As an installation has them: a file for each command, and one for all.
Outcome<int> writePages(const std::string& directory) {
    const auto write = [&](const std::string& name, const std::string& page) -> Outcome<void> {
        if (auto written = writeFileAtomically(fmt::format("{}/{}", directory, name), page, 0644); !written)
            return failedWith(written.error());
        return {};
    };
    if (auto made = makeDirectories(directory, 0755); !made) return failedWith(made.error());
    if (auto written = write(manualFileName(nullptr), manualPage(YARD_VERSION)); !written)
        return std::unexpected(written.error());
    for (const Command& command : commands())
        if (auto written = write(manualFileName(&command), manualPage(command, YARD_VERSION)); !written)
            return std::unexpected(written.error());
    return 0;
}

} // namespace

Outcome<int> manualCommand(const Invocation& invocation) {
    const auto& words = invocation.arguments.operands();
    const auto directory = invocation.arguments.value("into");
    if (directory && !words.empty()) return usageError("'manual --into DIR' writes the pages of all commands");
    if (directory) return writePages(*directory);
    const Command* command = words.empty() ? nullptr : findCommand(words.front());
    if (!words.empty() && !command)
        return usageError(
            fmt::format("there is no command '{}'; 'yardctl --help' lists them", printable(words.front())));
    const std::string page = command ? manualPage(*command, YARD_VERSION) : manualPage(YARD_VERSION);
    if (invocation.json)
        fmt::print("{}\n", compactJson(json::object{{"manual", page}}));
    else
        fmt::print("{}", page);
    return 0;
}

} // namespace yard::ctl

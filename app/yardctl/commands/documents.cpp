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

namespace {

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

} // namespace

Command completionRow() {
    return {
        .name = "completion",
        .usage = "bash|zsh|fish",
        .summary = "print completion for a shell",
        .details =
            "The shells ask 'completion values KIND WORD' for what there is: lsns, of some states as active or "
            "ended, queues, workers, filters, settings, sorts, columns and commands; of the engine that is named "
            "on the line that is typed, by the yardctl that is. DIR is a directory in $fpath of zsh.",
        .examples = "yardctl completion bash > ~/.local/share/bash-completion/completions/yardctl\n"
                    "yardctl completion zsh > DIR/_yardctl\n"
                    "yardctl completion fish > ~/.config/fish/completions/yardctl.fish",
        .options = {},
        .minOperands = 1,
        .maxOperands = 3,
        .function = completionCommand};
}

Command manualRow() {
    return {.name = "manual",
            .usage = "[COMMAND]",
            .summary = "print a manual page",
            .details = "The page of yardctl, or of one command.",
            .examples = "yardctl manual | man -l -\n"
                        "yardctl manual run | man -l -\n"
                        "yardctl manual --into /usr/local/share/man/man1",
            .options = {{"into", 0, "DIR", "write all pages into this directory instead"}},
            .maxOperands = 1,
            .function = manualCommand};
}

} // namespace yard::ctl

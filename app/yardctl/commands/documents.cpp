// yardctl completion, manual: the table of commands for shells and for man. What only an engine knows is asked for
// by the shells, with 'completion values'.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/completion.h"
#include "app/yardctl/format.h"
#include "app/yardctl/manual.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

/// A word and what it stands for, as shells show it.
void offer(std::string_view word, std::string_view about) {
    if (!word.empty()) fmt::print("{}\t{}\n", printable(word), printable(about));
}

std::string whatIs(const json::object& action) {
    return fmt::format("{} ({})", whatWords(action), textOf(action, "state"));
}

struct Kind {
    std::string_view name;
    std::string_view path;
    std::string_view list;
    void (*offer)(const json::object& one);
};
constexpr std::array<Kind, 3> kKinds = {
    {{"lsns", "jobs?limit=100&sort=-lsn", "jobs",
      [](const json::object& one) { offer(fmt::format("{}", integerOf(one, "lsn").value_or(0)), whatIs(one)); }},
     {"queues", "queues", "queues",
      [](const json::object& one) {
          const std::string number = fmt::format("{}", integerOf(one, "queue_id").value_or(0));
          const std::string_view tag = textOf(one, "tag");
          offer(tag, fmt::format("queue {}", number));
          offer(number, tag.empty() ? "queue" : tag);
      }},
     {"workers", "workers/all", "workers",
      [](const json::object& one) { offer(textOf(one, "name"), textOf(one, "version")); }}}};

/// What there is of a kind, for the shells' scripts.
Outcome<int> offerAll(const Invocation& invocation) {
    const auto& words = invocation.arguments.operands();
    const auto kind = std::ranges::find(kKinds, words.size() > 1 ? words[1] : std::string(), &Kind::name);
    if (kind == kKinds.end()) return usageError("there are values of lsns, queues and workers");
    const auto answer = invocation.engine.get(std::string(kind->path));
    if (!answer) return failedWith(answer.error());
    if (const json::array* list = arrayOf(answer->object, kind->list))
        for (const json::value& one : *list)
            if (one.is_object()) kind->offer(one.get_object());
    return 0;
}

} // namespace

Outcome<int> completionCommand(const Invocation& invocation) {
    const std::string& shell = invocation.arguments.operands().front();
    if (shell == "values") return offerAll(invocation);
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

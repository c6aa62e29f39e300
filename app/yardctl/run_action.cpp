#include "app/yardctl/run_action.h"

#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/own_terminal.h"
#include "app/yardctl/program_input.h"
#include "app/yardctl/work_options.h"
#include "core/base/environment.h"
#include "core/model/action_spec.h"
#include "core/model/json_fields.h"

#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

Outcome<std::string> workingDirectory(const Arguments& arguments) {
    std::error_code ec;
    const auto here = std::filesystem::current_path(ec);
    if (ec) return failed(fmt::format("cannot tell the current directory: {}; name one with --cwd", ec.message()));
    const std::string path = (here / arguments.value("cwd").value_or("")).lexically_normal().string();
    return path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

namespace {

/// All of ours, but what says of a process what is not true of another.
json::object environmentHere(const Invocation& invocation, const std::string& directory) {
    const bool isInSandbox = invocation.arguments.has("sandbox");
    json::object out;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string_view::npos) continue;
        const std::string_view name = text.substr(0, equals);
        // In a sandbox these are other places.
        const bool isElsewhere = isInSandbox && (name == "HOME" || name == "TMPDIR");
        if (name == "_" || isElsewhere) continue;
        out[name] = name == "PWD" ? std::string_view(directory) : text.substr(equals + 1);
    }
    return out;
}

/// The program and its arguments, or the shell with its line; what follows the line are the line's $0, $1, ...
Outcome<std::vector<std::string>> commandOf(const Arguments& arguments) {
    std::vector<std::string> words = arguments.operands();
    const auto line = arguments.value("command");
    if (!line && words.empty()) return usageError("'run' wants a program, or a line for the shell with -c");
    if (line) words.insert(words.begin(), {"/bin/sh", "-c", std::string(*line)});
    return words;
}

/// Only then has it a directory for them.
Outcome<void> checkOutputs(const Arguments& arguments) {
    const bool hasPlace = arguments.has("expect") || arguments.has("input") || arguments.has("sandbox");
    if (!arguments.has("out") || hasPlace) return {};
    return usageError("--out saves what the program leaves in $YARD_SCRATCH/outputs; name it with --expect");
}

/// Somebody sits at this one, and sees the program through it.
Outcome<void> checkTerminal(const Invocation& invocation) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOthers = {
        {{"stdin", "the terminal is the program's stdin"},
         {"detach", "nobody would be at the terminal"},
         {"array", "there is one terminal here, and an action for each index"},
         {"json", "the terminal shows what the program prints"}}};
    for (const auto& [option, why] : kOthers)
        if (option == "json" ? invocation.json : invocation.arguments.has(option))
            return usageError(fmt::format("--tty and --{} do not go together: {}", option, why));
    if (OwnTerminal::isThere()) return {};
    return usageError(
        "--tty needs a terminal here as stdin and stdout; without it 'run' works with pipes and files");
}

TerminalSize askForTerminal(const Invocation& invocation, json::object& action) {
    const TerminalSize size = OwnTerminal::size();
    action["tty"] = json::object{{"rows", size.rows}, {"cols", size.cols}};
    // A person decides when it is over; the usual hour would end an editor in the middle of a word.
    if (!invocation.arguments.has("deadline")) action["deadline_s"] = static_cast<std::int64_t>(kMaxSeconds);
    const auto term = environment("TERM");
    if (action.contains("engine_env") || !term) return size; // it is in what is set here
    json::value& env = action["env"];
    if (!env.is_object()) env.emplace_object();
    env.get_object().insert({{"TERM", json::string(*term)}}); // unless it was given
    return size;
}

} // namespace

bool mayRunElsewhere(const Arguments& arguments) {
    return arguments.has("machine") && arguments.values("machine") != std::vector<std::string>{"local"};
}

Outcome<void> placeHere(const Invocation& invocation, json::object& action, ChunkSource& files) {
    const Arguments& arguments = invocation.arguments;
    const auto directory = workingDirectory(arguments);
    if (!directory) return std::unexpected(directory.error());
    const bool isHere = !mayRunElsewhere(arguments);
    if (isHere || arguments.has("cwd")) action["cwd"] = *directory;
    action["max_retries"] = 0; // as typed into a shell: once
    action["max_interruptions"] = 0;
    if (isHere && !arguments.has("clean-env")) {
        action["env"] = environmentHere(invocation, *directory);
        action["engine_env"] = false;
    }
    return applyWork(arguments, action, files);
}

Outcome<ActionOfRun> actionOfRun(const Invocation& invocation, ChunkSource& files) {
    const Arguments& arguments = invocation.arguments;
    json::object action{{"worker", "exec"}};
    const bool hasTerminal = arguments.has("tty");
    if (hasTerminal)
        if (auto fine = checkTerminal(invocation); !fine) return std::unexpected(fine.error());
    const auto command = commandOf(arguments);
    if (!command) return std::unexpected(command.error());
    if (auto fine = checkOutputs(arguments); !fine) return std::unexpected(fine.error());
    action["argv"] = json::array(command->begin(), command->end());
    if (auto placed = placeHere(invocation, action, files); !placed) return std::unexpected(placed.error());
    if (hasTerminal) {
        const TerminalSize size = askForTerminal(invocation, action);
        return ActionOfRun{compactJson(action), size};
    }
    auto input = stdinOfRun(invocation, files);
    if (!input) return std::unexpected(input.error());
    if (*input) action["stdin"] = std::move(**input);
    return ActionOfRun{compactJson(action), std::nullopt};
}

} // namespace yard::ctl

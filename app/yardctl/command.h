// One command of yardctl as data: its options, its help, its function. The table of all is in commands.cpp; the
// parser and every help text are made from it.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

struct Option {
    std::string_view name;      ///< without dashes
    char letter = 0;            ///< 0: none
    std::string_view valueName; ///< empty: a flag
    std::string_view help;
};

/// What stood on the command line after the command's name.
class Arguments {
public:
    bool has(std::string_view option) const { return options_.contains(std::string(option)); }
    /// The last value given, or nothing.
    std::optional<std::string> value(std::string_view option) const;
    std::vector<std::string> values(std::string_view option) const;
    const std::vector<std::string>& operands() const { return operands_; }

    void add(std::string_view option, std::string value) {
        options_[std::string(option)].push_back(std::move(value));
    }
    void replace(std::string_view option, std::vector<std::string> values) {
        options_[std::string(option)] = std::move(values);
    }
    void addOperand(std::string operand) { operands_.push_back(std::move(operand)); }

private:
    std::map<std::string, std::vector<std::string>> options_;
    std::vector<std::string> operands_;
};

/// Everything a command's function gets.
struct Invocation {
    const Arguments& arguments;
    Engine& engine;
    bool json = false;
};

using CommandFunction = Outcome<int> (*)(const Invocation&);

struct Command {
    std::string_view name;
    std::string_view usage;   ///< what follows the name: "[options] -- CMD…"
    std::string_view summary; ///< one line of the list of commands
    std::string_view
        details; ///< its own help: paragraphs to be filled, and lines that begin with spaces as they are
    std::string_view examples;   ///< a line each
    std::string_view exits = {}; ///< its exit codes; empty: 0, 1 and 2 as everywhere
    std::vector<Option> options;
    std::size_t minOperands = 0;
    std::size_t maxOperands = static_cast<std::size_t>(-1);
    bool firstOperandEndsOptions = false; ///< what follows belongs to another program
    bool takesFilter = false;             ///< operands are terms of the filter language, some begin with a dash
    /// Exits as programs do, so what keeps one from running has a code of its own. Looks for an engine, and for the
    /// queue that is named, only once it knows what to run.
    bool runsPrograms = false;
    bool unknownIsUsage = false; ///< what is named and does not exist exits 2: 1 says something else
    CommandFunction function = nullptr;
    std::string_view alias = {}; ///< a second name, as other tools call it; empty: none
    std::string_view live = {};  ///< what shells complete its operands with; empty: what the usage says
};

/// Those that the help has below one heading.
struct CommandGroup {
    std::string_view heading;
    std::span<const Command> commands; ///< some of commands()
};

/// What every command takes.
const std::vector<Option>& globalOptions();
/// In the order of the help.
std::span<const CommandGroup> commandGroups();
std::span<const Command> commands();
/// By its name or its alias.
const Command* findCommand(std::string_view name);
/// The command whose name is nearest to a mistyped one, or empty.
std::string_view nearestCommand(std::string_view name);
/// What a word that is no command may mean, to go on a sentence: "; here it is 'ls'". Empty when nobody knows.
std::string meantBy(std::string_view word);

/// A whole command line, parsed. Without a command: help or version was asked for.
struct CommandLine {
    GlobalOptions global;
    const Command* command = nullptr;
    Arguments arguments;
    bool help = false;
    bool version = false;
};
Outcome<CommandLine> parseCommandLine(std::span<const char* const> words);

std::string helpText();
std::string helpText(const Command& command);

} // namespace yard::ctl

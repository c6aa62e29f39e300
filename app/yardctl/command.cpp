#include "app/yardctl/command.h"

#include "app/yardctl/format.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace yard::ctl {

const std::vector<Option>& globalOptions() {
    static const std::vector<Option> options = {
        {"url", 0, "URL", "http(s)://HOST:PORT; http elsewhere: --insecure"},
        {"token-file", 0, "FILE", "file with the API token, instead of DIR/token"},
        {"data-dir", 0, "DIR", "the engine's data directory, if not the usual one"},
        {"insecure", 0, "", "plain HTTP to another machine, where others can read along"},
        {"json", 0, "", "print the engine's objects, one a line"},
        {"help", 'h', "", "this help, or that of a command"},
        {"version", 0, "", "the version of yardctl"},
    };
    return options;
}

namespace {

/// What tools of this kind call something that has another name here.
struct Elsewhere {
    std::string_view word;
    std::string_view here;
};
constexpr std::array<Elsewhere, 33> kElsewhere = {{{"add", "'run -d' or 'submit'"},
                                                   {"sbatch", "'run -d' or 'submit'"},
                                                   {"srun", "'run'"},
                                                   {"exec", "'run'"},
                                                   {"parallel", "'map'"},
                                                   {"xargs", "'map'"},
                                                   {"start", "'run', or 'release' for what is held"},
                                                   {"squeue", "'ls'"},
                                                   {"list", "'ls'"},
                                                   {"jobs", "'ls'"},
                                                   {"actions", "'ls'"},
                                                   {"follow", "'logs -f'"},
                                                   {"tail", "'logs -f'"},
                                                   {"output", "'logs'"},
                                                   {"cat", "'logs'"},
                                                   {"info", "'show'"},
                                                   {"scancel", "'cancel'"},
                                                   {"stop", "'cancel' for actions, 'session drain' for the engine"},
                                                   {"pause", "'hold', with --all for every queue"},
                                                   {"resume", "'release', with --all for every queue"},
                                                   {"continue", "'release', with --all for every queue"},
                                                   {"restart", "'retry'"},
                                                   {"rerun", "'retry'"},
                                                   {"remove", "'retire'"},
                                                   {"clean", "'retire'"},
                                                   {"delete", "'retire', or 'queue delete'"},
                                                   {"group", "'queue'"},
                                                   {"sinfo", "'session'"},
                                                   {"sacct", "'ls', or 'stats'"},
                                                   {"config", "'settings'"},
                                                   {"update", "'edit'"},
                                                   {"crontab", "'schedules'"}}};

/// Options of GNU parallel that are none of `map`.
constexpr std::array<Elsewhere, 6> kOfParallel = {{{"-L", "'-n N', which counts values"},
                                                   {"--max-lines", "'-n N', which counts values"},
                                                   {"-m", "'-X'"},
                                                   {"--xargs", "'-X'"},
                                                   {"-v", "'--dry-run' before, or '--joblog FILE'"},
                                                   {"--verbose", "'--dry-run' before, or '--joblog FILE'"}}};

const Option* findByName(const std::vector<Option>& options, std::string_view name) {
    const auto it = std::ranges::find(options, name, &Option::name);
    return it == options.end() ? nullptr : &*it;
}

const Option* findByLetter(const std::vector<Option>& options, char letter) {
    const auto it = std::ranges::find(options, letter, &Option::letter);
    return it == options.end() ? nullptr : &*it;
}

/// Walks the words once; global options may stand before and after the command's name.
class Parser {
public:
    explicit Parser(std::span<const char* const> words)
        : words_(words) {}

    Outcome<CommandLine> parse() {
        while (at_ < words_.size()) {
            const std::string_view word = words_[at_++];
            if (onlyOperands_ || word.size() < 2 || word.front() != '-' || isNegatedTerm(word) ||
                isNegative(word)) {
                if (auto taken = takeOperand(word); !taken) return std::unexpected(taken.error());
            } else if (word == "--") {
                onlyOperands_ = true;
            } else if (auto taken = word.starts_with("--") ? takeLong(word.substr(2)) : takeLetters(word.substr(1));
                       !taken) {
                return std::unexpected(taken.error());
            }
        }
        if (auto enough = checkOperands(); !enough) return std::unexpected(enough.error());
        return std::move(line_);
    }

private:
    /// "-state:completed" for a command whose operands are a filter: no option has such letters.
    bool isNegatedTerm(std::string_view word) const {
        if (!line_.command || !line_.command->takesFilter) return false;
        const std::size_t end = word.find_first_of(":<>");
        const std::string_view key = word.substr(1, end == std::string_view::npos ? 0 : end - 1);
        return !key.empty() && std::ranges::all_of(key, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    }
    /// -5, or -2h as a time, unless the command has an option -5.
    bool isNegative(std::string_view word) const {
        const std::size_t unit = std::min(word.find_first_not_of("0123456789", 1), word.size());
        const bool isNumber = unit > 1 && word.substr(unit).find_first_not_of("dhimnsw") == std::string_view::npos;
        return isNumber && !find([&](const auto& list) { return findByLetter(list, word[1]); });
    }

    Outcome<void> takeOperand(std::string_view word) {
        if (line_.command) {
            line_.arguments.addOperand(std::string(word));
            if (line_.command->firstOperandEndsOptions) onlyOperands_ = true;
            return {};
        }
        line_.command = findCommand(word);
        if (line_.command) return {};
        if (word == "help") {
            line_.help = true;
            return {};
        }
        return usageError(
            fmt::format("there is no command '{}'{}; 'yardctl --help' lists them", word, meantBy(word)));
    }

    const Option* find(auto&& match) const {
        if (line_.command)
            if (const Option* own = match(line_.command->options)) return own;
        return match(globalOptions());
    }

    Outcome<void> takeLong(std::string_view text) {
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        const Option* option = find([&](const auto& list) { return findByName(list, name); });
        if (!option) return unknown(fmt::format("--{}", name));
        if (equals == std::string_view::npos) return take(*option, std::nullopt);
        if (option->valueName.empty()) return usageError(fmt::format("--{} takes no value", name));
        return take(*option, text.substr(equals + 1));
    }

    Outcome<void> takeLetters(std::string_view letters) {
        while (!letters.empty()) {
            const char letter = letters.front();
            letters.remove_prefix(1);
            const Option* option = find([&](const auto& list) { return findByLetter(list, letter); });
            if (!option) return unknown(fmt::format("-{}", letter));
            if (!option->valueName.empty() && !letters.empty()) return take(*option, letters);
            if (auto taken = take(*option, std::nullopt); !taken) return taken;
        }
        return {};
    }

    Outcome<void> take(const Option& option, std::optional<std::string_view> value) {
        if (!option.valueName.empty() && !value) {
            if (at_ == words_.size())
                return usageError(fmt::format("--{} wants {}", option.name, option.valueName));
            value = words_[at_++];
        }
        const std::string text(value.value_or(""));
        if (option.name == "url")
            line_.global.url = text;
        else if (option.name == "token-file")
            line_.global.tokenFile = text;
        else if (option.name == "data-dir")
            line_.global.dataDir = text;
        else if (option.name == "json")
            line_.global.json = true;
        else if (option.name == "insecure")
            line_.global.insecure = true;
        else if (option.name == "help")
            line_.help = true;
        else if (option.name == "version")
            line_.version = true;
        else
            line_.arguments.add(option.name, text);
        return {};
    }

    Outcome<void> unknown(const std::string& option) const {
        const std::string where = line_.command ? fmt::format(" {}", line_.command->name) : "";
        const auto known = std::ranges::find(kOfParallel, option, &Elsewhere::word);
        if (where == " map" && known != kOfParallel.end())
            return usageError(fmt::format("'yardctl map' has no option {}; here it is {}", option, known->here));
        return usageError(
            fmt::format("'yardctl{}' has no option {}; 'yardctl{} --help' lists them", where, option, where));
    }

    Outcome<void> checkOperands() const {
        if (line_.help || line_.version) return {};
        if (!line_.command) return usageError("say what to do; 'yardctl --help' lists the commands");
        const std::size_t n = line_.arguments.operands().size();
        const Command& c = *line_.command;
        if (n < c.minOperands)
            return usageError(fmt::format("something is missing: yardctl {} {}", c.name, c.usage));
        if (n > c.maxOperands)
            return usageError(fmt::format("'{}' is one word more than '{}' takes: yardctl {}{}{}",
                                          line_.arguments.operands()[c.maxOperands], c.name, c.name,
                                          c.usage.empty() ? "" : " ", c.usage));
        return {};
    }

    std::span<const char* const> words_;
    std::size_t at_ = 0;
    bool onlyOperands_ = false;
    CommandLine line_;
};

constexpr std::size_t kHelpColumns = 80;

/// One paragraph, words separated by single spaces, in lines of at most kHelpColumns; all but the first begin with
/// `indent` spaces. The first begins in column `at`.
std::string filled(std::string_view text, std::size_t at, std::size_t indent) {
    std::string out;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        const bool isFirst = out.empty();
        if (!isFirst && at + 1 + displayWidth(word) > kHelpColumns) {
            out += '\n' + std::string(indent, ' ');
            at = indent;
        } else if (!isFirst) {
            out += ' ';
            ++at;
        }
        out += word;
        at += displayWidth(word);
    }
    return out + '\n';
}

/// Paragraphs filled, lines that begin with spaces as they are.
std::string paragraphs(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        out += line.starts_with(' ') ? fmt::format("{}\n", line) : filled(line, 0, 0);
    }
    return out;
}

void appendOptions(std::string& out, const std::vector<Option>& options) {
    constexpr std::size_t kHelpColumn = 29;
    for (const Option& o : options) {
        std::string left = o.letter ? fmt::format("-{}, ", o.letter) : std::string("    ");
        left += fmt::format("--{}", o.name);
        if (!o.valueName.empty()) left += fmt::format(" {}", o.valueName);
        left = fmt::format("  {:<26} ", left);
        out += left + filled(o.help, std::max(left.size(), kHelpColumn), kHelpColumn);
    }
}

} // namespace

std::optional<std::string> Arguments::value(std::string_view option) const {
    const auto it = options_.find(std::string(option));
    if (it == options_.end()) return std::nullopt;
    return it->second.back();
}

std::vector<std::string> Arguments::values(std::string_view option) const {
    const auto it = options_.find(std::string(option));
    return it == options_.end() ? std::vector<std::string>() : it->second;
}

const Command* findCommand(std::string_view name) {
    const auto all = commands();
    const auto it = std::ranges::find_if(
        all, [&](const Command& c) { return c.name == name || (!c.alias.empty() && c.alias == name); });
    return it == all.end() ? nullptr : &*it;
}

std::string_view nearestCommand(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Command& c : commands()) names.push_back(c.name);
    return nearestOf(name, names);
}

std::string meantBy(std::string_view word) {
    const auto elsewhere = std::ranges::find(kElsewhere, word, &Elsewhere::word);
    if (elsewhere != kElsewhere.end()) return fmt::format("; here it is {}", elsewhere->here);
    const std::string_view near = nearestCommand(word);
    return near.empty() ? std::string() : fmt::format(", did you mean '{}'?", near);
}

Outcome<CommandLine> parseCommandLine(std::span<const char* const> words) {
    return Parser(words).parse();
}

std::string helpText() {
    std::string out = "yardctl: submit work to a Yardmaster engine and watch it\n"
                      "Usage: yardctl [options] COMMAND … | --version\n\n";
    for (const CommandGroup& group : commandGroups()) {
        out += fmt::format("{}:\n", group.heading);
        for (const Command& c : group.commands) out += fmt::format("  {:<10} {}\n", c.name, c.summary);
    }
    out += "\nOptions of every command:\n";
    // Lines that others name: that of --url --insecure, the usage --version, the last lines --help. All has to fit a screen.
    std::vector<Option> shown = globalOptions();
    std::erase_if(shown, [](const Option& option) {
        return option.name == "insecure" || option.name == "version" || option.name == "help";
    });
    appendOptions(out, shown);
    out += "\n'yardctl COMMAND --help' explains a command. LSN: an action's number, or 12..20.\n"
           "Exit codes: 0 done, 1 not done, 2 wrong command line; of 'run' the program's.\n";
    return out;
}

std::string helpText(const Command& command) {
    constexpr std::string_view kUsage = "Usage: ";
    std::string out = fmt::format("{}\n\n{}", command.summary, kUsage);
    out += filled(fmt::format("yardctl {}{}{}", command.name, command.usage.empty() ? "" : " ", command.usage),
                  kUsage.size(), kUsage.size() + 4);
    if (!command.alias.empty()) out += fmt::format("Also: yardctl {}\n", command.alias);
    if (!command.details.empty()) out += fmt::format("\n{}", paragraphs(command.details));
    if (!command.exits.empty()) out += fmt::format("\nExits {}", filled(command.exits, 6, 0));
    out += "\nExamples:\n";
    for (std::string_view rest = command.examples; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        out += fmt::format("  {}\n", line);
    }
    if (!command.options.empty()) {
        out += "\nOptions:\n";
        appendOptions(out, command.options);
    }
    out += "\n'yardctl --help' lists the options of every command (--url, --json, …);\n";
    out += fmt::format("'yardctl manual {}' is its manual page.\n", command.name);
    return out;
}

} // namespace yard::ctl

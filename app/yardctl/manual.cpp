#include "app/yardctl/manual.h"

#include "core/base/roff.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::ctl {

namespace {

std::string optionText(const Option& option) {
    const std::string letter = option.letter ? fmt::format("-{}, ", option.letter) : "";
    return roff::option(fmt::format("{}--{}", letter, option.name), option.valueName, option.help);
}

std::string optionTexts(const std::vector<Option>& options) {
    std::string out;
    for (const Option& option : options) out += optionText(option);
    return out;
}

/// Lines as they stand.
std::string asIs(std::string_view lines) {
    return fmt::format(".PP\n.nf\n{}\n.fi\n", roff::text(lines));
}

/// Paragraphs are filled; lines that begin with spaces stay as they are.
std::string paragraphs(std::string_view text) {
    std::string out;
    bool isFilled = true;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.empty()) {
            out += ".PP\n";
            continue;
        }
        if (const bool fills = !line.starts_with(' '); fills != isFilled) {
            out += fills ? ".fi\n.PP\n" : ".PP\n.nf\n";
            isFilled = fills;
        }
        out += roff::text(line) + "\n";
    }
    return isFilled ? out : out + ".fi\n";
}

std::string synopsis(std::string_view name, std::string_view usage) {
    const std::string line = fmt::format(".B {}\n", roff::argument(fmt::format("yardctl {}", name)));
    return usage.empty() ? line : line + roff::text(usage) + "\n";
}

std::string exitStatus(const Command& command) {
    if (command.runsPrograms)
        return "That of the program; 128 and the signal that ended it; 124 at the deadline; 125 when it could not "
               "be "
               "run to its end; 126 and 127 when it could not be executed or found; 130 after Ctrl+C; 2 when the "
               "command line is wrong.\n";
    if (!command.exits.empty()) return roff::text(command.exits) + "\n";
    return "0 when it was done, 1 when it could not be done, 2 when the command line is wrong.\n";
}

/// Commands that the details or the examples name, and the page of all.
std::string seeAlso(const Command& command) {
    std::string out = ".BR yardctl (1)";
    for (const Command& other : commands()) {
        const std::string inQuotes = fmt::format("'{}", other.name);
        const std::string typed = fmt::format("yardctl {} ", other.name);
        const bool isNamed = command.details.contains(inQuotes + "'") || command.details.contains(inQuotes + " ") ||
                             command.examples.contains(typed);
        if (isNamed && other.name != command.name)
            out += fmt::format(",\n.BR {} (1)", roff::text(fmt::format("yardctl-{}", other.name)));
    }
    return out + "\n";
}

} // namespace

std::string manualFileName(const Command* command) {
    return command ? fmt::format("yardctl-{}.1", command->name) : std::string("yardctl.1");
}

std::string manualPage(const Command& command, std::string_view version) {
    std::string out = roff::head(fmt::format("yardctl-{}", command.name), version, command.summary);
    out += ".SH SYNOPSIS\n" + synopsis(command.name, command.usage);
    if (!command.alias.empty()) out += ".br\n" + synopsis(command.alias, command.usage);
    std::string summary(command.summary);
    if (summary.front() >= 'a' && summary.front() <= 'z') summary.front() += 'A' - 'a';
    out += fmt::format(".SH DESCRIPTION\n{}.\n", roff::text(summary));
    if (!command.details.empty()) out += ".PP\n" + paragraphs(command.details);
    out += ".SH OPTIONS\n" + optionTexts(command.options);
    if (!command.options.empty()) out += ".SS Options of every command\n";
    out += optionTexts(globalOptions());
    out += ".SH EXAMPLES\n" + asIs(command.examples);
    out += ".SH EXIT STATUS\n" + exitStatus(command);
    return out + ".SH SEE ALSO\n" + seeAlso(command);
}

std::string manualPage(std::string_view version) {
    std::string out = roff::head("yardctl", version, "submit work to a Yardmaster engine and watch it");
    out += ".SH SYNOPSIS\n.B yardctl\n[options]\n.I COMMAND\n\\&...\n";
    out +=
        ".SH DESCRIPTION\nSpeaks to an engine by its HTTP interface. It finds the engine by \\-\\-url, or by the "
        "files\n.I address\nand\n.I token\nof the data directory. An LSN is the number of an action; 12..20 means "
        "all from 12 to 20.\n";
    out += ".SH OPTIONS\nThey may stand before and after the command.\n" + optionTexts(globalOptions());
    out += ".SH COMMANDS\nEach has a page of its own: yardctl\\-COMMAND(1).\n";
    for (const Command& command : commands()) {
        out += fmt::format(".TP\n.B {}\n{}.",
                           roff::argument(fmt::format("yardctl {} {}", command.name, command.usage)),
                           roff::text(command.summary));
        if (!command.alias.empty()) out += fmt::format(" Also: yardctl {}.", roff::text(command.alias));
        out += "\n";
    }
    out += ".SH EXIT STATUS\n0 when it was done, 1 when it could not be done, 2 when the command line is wrong.\n"
           ".B yardctl run\nexits as the program does; 128 and the signal when one ended it.\n";
    out += ".SH FILES\n.TP\n.I ~/.local/share/yardmaster\nThe usual data directory: address and token of the "
           "engine.\n";
    out += ".SH SEE ALSO\n.BR yardmaster (1)";
    for (const Command& command : commands())
        out += fmt::format(",\n.BR {} (1)", roff::text(fmt::format("yardctl-{}", command.name)));
    return out + "\n";
}

} // namespace yard::ctl

#include "app/yardmaster/options.h"

#include "app/yardmaster/arguments.h"
#include "core/base/files.h"
#include "core/base/roff.h"

#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard::app {

namespace {

constexpr std::string_view kSummary = "Runs the engine: takes actions over HTTP, runs them, keeps every result.";
constexpr std::array<std::pair<int, std::string_view>, 5> kExits = {{{0, "ended as asked"},
                                                                     {1, "failure"},
                                                                     {2, "bad usage"},
                                                                     {3, "the data directory is in use"},
                                                                     {4, "cannot listen"}}};

constexpr int kLineEnd = 3; ///< in --help a line begins with this one, as all do not fit 80 columns

} // namespace

std::span<const OptionRow> optionRows() {
    static const std::vector<OptionRow> rows = {
        {Option::Headless, "headless", "", "no window (the default where there is no display)"},
        {Option::DataDir, "data-dir", "D",
         fmt::format("where everything is kept (default: {})", defaultDataDirectory())},
        {Option::Listen, "listen", "ADDR:PORT",
         fmt::format("where to serve; port 0 picks one (default: {})", Arguments().listen)},
        {Option::Capacity, "capacity", "N", "cores that actions have between them (default: number of processors)"},
        {Option::NoSandbox, "no-sandbox", "", "run registered workers without a sandbox"},
        {Option::Hooks, "hooks", "DIR",
         "programs that are told what happens to objects (default: hooks in the data "
         "directory)"},
        {Option::Plugin, "plugin", "FILE", "load this shared library, which is told the same; may be repeated"},
        {Option::Prefix, "prefix", "PATH", "path of the API (default: /compute)"},
        {Option::AllowHost, "allow-host", "NAME", "accept this name in the Host header, too; may be repeated"},
        {Option::Attach, "attach", "URL", "open the window on an engine elsewhere"},
        {Option::Example, "example", "", "with work to look at; 'yardctl example remove' takes it away"},
        {Option::TokenFile, "token-file", "F", "the token of the API, or of the engine attached to"},
        {Option::TlsCert, "tls-cert", "F", "serve TLS with this certificate (PEM)"},
        {Option::TlsKey, "tls-key", "F", "the key to it (PEM)"},
        {Option::Insecure, "insecure", "", "plain HTTP beyond this machine, where TLS is usual"},
        {Option::Join, "join", "URL", "work for the engine there: take what it sends"},
        {Option::JoinToken, "join-token", "T|@F",
         "lets this machine join; the first time only; @F: file F has it; else YARD_JOIN_TOKEN"},
        {Option::Serve, "serve", "on|off",
         "on: other engines may have it work for them (yardctl machines add); off: no --join either"},
        {Option::LinkStdio, "link-stdio", "",
         "work for the engine that started this by ssh (yardctl machines add ssh://USER@HOST)"},
        {Option::Bundle, "bundle", "F",
         "the program that 'yardctl machines add --install' copies (default: this one, or yardmaster-bundle beside "
         "it)"},
        {Option::Enter, "enter", "DIR", "run what 'yardctl reproduce' wrote, in its sandbox; needs no engine"},
        {Option::EnterWith, "enter-with", "HOW", "run, shell or debug: what --enter starts (default: run)"},
        {Option::Backup, "backup", "DIR",
         "take a backup of the data directory and end; beside an engine or without one"},
        {Option::Restore, "restore", "DIR", "make the data directory of that backup and end; it must be empty"},
        {Option::Name, "name", "N", "what this machine is called (default: the host's name)"},
        {Option::IdleExit, "idle-exit", "S", "end once nothing was done here for so many seconds"},
        {Option::Lifetime, "lifetime", "S", "end after so many seconds, as by TERM"},
        {Option::Set, "set", "NAME=VALUE", "a setting for this run, over settings.json; see docs/settings.md"},
        {Option::Level, "log-level", "L", "debug, info, warning or error (default: info)"},
        {Option::Manual, "manual", "", "print the manual page, yardmaster(1)"},
        {Option::Version, "version", "", "print the version"},
        {Option::Help, "help", "", "print this"}};
    return rows;
}

std::string helpText() {
    std::string out = fmt::format("Usage: yardmaster [OPTION]...\n{}\n\n", kSummary);
    for (const OptionRow& row : optionRows())
        out += fmt::format("  {:<20}  {}\n",
                           fmt::format("--{}{}{}", row.name, row.value.empty() ? "" : " ", row.value), row.help);
    out += "\nTalk to it with yardctl. Exit codes:";
    for (bool first = true; const auto& [code, words] : kExits)
        out += fmt::format("{}{}{} {}", std::exchange(first, false) ? "" : ",", code == kLineEnd ? '\n' : ' ', code,
                           words);
    return out + ".\n";
}

std::string manualPage() {
    std::string out = roff::head("yardmaster", YARD_VERSION, "run the engine that queues, runs and keeps work");
    out += ".SH SYNOPSIS\n.B yardmaster\n[\\fIOPTION\\fR]...\n";
    out += fmt::format(".SH DESCRIPTION\n{}\n", roff::text(kSummary));
    out += ".PP\nWith a display it opens a window; without one, or with \\-\\-headless, it prints where it listens "
           "and "
           "serves until INT or TERM. Work is submitted and watched with\n.BR yardctl (1).\n";
    out += ".SH OPTIONS\n";
    for (const OptionRow& row : optionRows())
        out += roff::option(fmt::format("--{}", row.name), row.value, row.help);
    out += ".SH EXIT STATUS\n";
    for (const auto& [code, words] : kExits) out += fmt::format(".TP\n.B {}\n{}\n", code, roff::text(words));
    out += ".SH FILES\n.TP\n.I ~/.local/share/yardmaster\nThe usual data directory.\n.I address\nsays where the "
           "engine "
           "serves,\n.I token\nis what clients show,\n.I settings.json\nhas the settings.\n";
    out += ".SH EXAMPLES\n.nf\nyardmaster \\-\\-example\nyardmaster \\-\\-headless\nyardmaster \\-\\-headless "
           "\\-\\-data\\-dir /srv/yard "
           "\\-\\-listen "
           "127.0.0.1:0\nyardmaster \\-\\-attach http://elsewhere:8640 \\-\\-token\\-file token\n.fi\n";
    return out + ".SH SEE ALSO\n.BR yardctl (1)\n";
}

} // namespace yard::app

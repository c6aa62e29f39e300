// The options of yardmaster as data: the parser, --help and the manual page are made from one table. Values, no owner.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace yard::app {

enum class Option : int {
    Headless = 1000,
    DataDir,
    Listen,
    Capacity,
    NoSandbox,
    Hooks,
    Plugin,
    Prefix,
    AllowHost,
    Attach,
    Example,
    TokenFile,
    TlsCert,
    TlsKey,
    Insecure,
    Join,
    JoinToken,
    Serve,
    LinkStdio,
    Bundle,
    Enter,
    EnterWith,
    Backup,
    Restore,
    Name,
    IdleExit,
    Lifetime,
    Set,
    Level,
    Manual,
    Version,
    Help
};

struct OptionRow {
    Option option;
    const char* name;
    std::string_view value; ///< empty: it takes none
    std::string help;
};

std::span<const OptionRow> optionRows();
/// What --help prints.
std::string helpText();
/// yardmaster(1), in man's macros.
std::string manualPage();

} // namespace yard::app

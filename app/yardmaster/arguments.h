// The command line of yardmaster (docs/api.md, 1). Values, no owner.
#pragma once

#include "app/yardmaster/entering.h"
#include "core/model/api_address.h"

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace yard::app {

struct Arguments {
    bool headless = false;
    bool noSandbox = false;
    std::string hooks;                ///< a directory; empty: that of the data directory
    std::vector<std::string> plugins; ///< shared libraries
    std::vector<std::string> set;     ///< NAME=VALUE, checked; --capacity and --log-level too
    std::string dataDir;              ///< empty with linkStdio: as the engine says that it is for
    std::string listen = "127.0.0.1:" + std::to_string(kUsualPort);
    std::string prefix{kUsualPrefix}; ///< empty: none
    std::string tokenFile;
    std::string tlsCert; ///< PEM; empty with tlsKey: none was given
    std::string tlsKey;
    bool insecure = false;                        ///< plain HTTP beyond this machine
    std::string join;                             ///< URL of an engine to work for; empty: none
    std::string joinToken;                        ///< empty: it has joined before
    bool serves = true;                           ///< it may work for other engines
    bool takesYards = false;                      ///< also for those that open a link to it
    bool linkStdio = false;                       ///< for the engine behind stdin and stdout, and no other
    std::string bundle;                           ///< what is copied to machines by ssh; empty: found
    std::string name;                             ///< of this machine; empty: the host's
    std::optional<std::chrono::seconds> idleExit; ///< it ends once nothing was done for so long
    std::optional<std::chrono::seconds> lifetime; ///< it ends after so long
    bool example = false;                         ///< it comes with work to look at
    std::string enter;                            ///< a directory to be entered in place of all else; empty: none
    EnterWith enterWith = EnterWith::Run;
    std::string backup;  ///< where a backup is to be taken, in place of all else; empty: none
    std::string restore; ///< the backup that the data directory is made of; empty: none
    std::string attach;  ///< URL of an engine elsewhere; empty: embed one
    std::vector<std::string> allowHosts;
};

/// Print this and exit with that: --help, --version, or what is wrong with the arguments (exit 2).
struct EarlyExit {
    std::string text;
    int code = 0;
};

std::variant<Arguments, EarlyExit> parseArguments(int argc, char** argv);

} // namespace yard::app

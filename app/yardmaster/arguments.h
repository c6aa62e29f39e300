// The command line of yardmaster (CONTRACT 1). Values, no owner.
#pragma once

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/engine/machine.h"

#include <string>
#include <variant>
#include <vector>

namespace yard::app {

struct Arguments {
    bool headless = false;
    bool noSandbox = false;
    bool powerDurability = false;
    int capacity = 0; ///< 0: number of processors
    Duration grace{2'000'000};
    engine::ResourceSettings resources;
    std::string dataDir;
    std::string listen = "127.0.0.1:8640";
    std::string prefix = "/compute";
    std::string tokenFile;
    std::string attach; ///< URL of an engine elsewhere; empty: embed one
    std::vector<std::string> allowHosts;
    LogLevel logLevel = LogLevel::Info;
};

/// Print this and exit with that: --help, --version, or what is wrong with the arguments (exit 2).
struct EarlyExit {
    std::string text;
    int code = 0;
};

std::variant<Arguments, EarlyExit> parseArguments(int argc, char** argv);

} // namespace yard::app

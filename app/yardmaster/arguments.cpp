#include "app/yardmaster/arguments.h"

#include "core/base/files.h"
#include "core/model/settings.h"

#include <filesystem>
#include <fmt/format.h>
#include <getopt.h>
#include <optional>

namespace yard::app {

namespace {

constexpr const char* kHelp =
    "Usage: yardmaster [OPTION]...\n"
    "Runs the engine: takes actions over HTTP, runs them, keeps every result.\n"
    "\n"
    "  --headless            no window (the default where there is no display)\n"
    "  --data-dir D          where everything is kept (default: {})\n"
    "  --listen ADDR:PORT    where to serve; port 0 picks one (default: {})\n"
    "  --capacity N          cores that actions have between them (default: number of processors)\n"
    "  --no-sandbox          run registered workers without a sandbox\n"
    "  --prefix PATH         path of the API (default: /compute)\n"
    "  --allow-host NAME     accept this name in the Host header, too; may be repeated\n"
    "  --attach URL          open the window on an engine elsewhere\n"
    "  --token-file F        the token of the API, or of the engine attached to\n"
    "  --set NAME=VALUE      a setting for this run, over settings.json; see docs/settings.md\n"
    "  --log-level L         debug, info, warning or error (default: info)\n"
    "  --version, --help\n"
    "\n"
    "Talk to it with yardctl. Exit codes: 0 ended as asked, 1 failure, 2 bad usage,\n"
    "3 the data directory is in use, 4 cannot listen.\n";

enum Option : int {
    Headless = 1000,
    DataDir,
    Listen,
    Capacity,
    NoSandbox,
    Prefix,
    AllowHost,
    Attach,
    TokenFile,
    Set,
    Level,
    Version,
    Help
};

constexpr option kOptions[] = {{"headless", no_argument, nullptr, Headless},
                               {"data-dir", required_argument, nullptr, DataDir},
                               {"listen", required_argument, nullptr, Listen},
                               {"capacity", required_argument, nullptr, Capacity},
                               {"no-sandbox", no_argument, nullptr, NoSandbox},
                               {"prefix", required_argument, nullptr, Prefix},
                               {"allow-host", required_argument, nullptr, AllowHost},
                               {"attach", required_argument, nullptr, Attach},
                               {"token-file", required_argument, nullptr, TokenFile},
                               {"set", required_argument, nullptr, Set},
                               {"log-level", required_argument, nullptr, Level},
                               {"version", no_argument, nullptr, Version},
                               {"help", no_argument, nullptr, Help},
                               {nullptr, 0, nullptr, 0}};

EarlyExit usage(std::string sentence) {
    return {fmt::format("yardmaster: {}\nTry 'yardmaster --help'.\n", sentence), 2};
}

std::optional<EarlyExit> applySet(Arguments& arguments, std::string setting) {
    const auto checked = applySetting({}, setting);
    if (!checked) return usage(checked.error().message);
    arguments.set.push_back(std::move(setting));
    return std::nullopt;
}

std::optional<EarlyExit> applyPrefix(Arguments& arguments, std::string prefix) {
    while (prefix.size() > 1 && prefix.back() == '/') prefix.pop_back();
    if (prefix.empty() || prefix.front() != '/' || prefix.find_first_of("?# %") != prefix.npos)
        return usage(fmt::format("--prefix is a path that begins with '/', not '{}'", prefix));
    arguments.prefix = prefix == "/" ? std::string() : prefix;
    return std::nullopt;
}

std::optional<EarlyExit> apply(Arguments& arguments, int which, const char* value) {
    switch (which) {
    case Headless: arguments.headless = true; return std::nullopt;
    case DataDir: arguments.dataDir = value; return std::nullopt;
    case Listen: arguments.listen = value; return std::nullopt;
    case Capacity: return applySet(arguments, fmt::format("capacity={}", value));
    case NoSandbox: arguments.noSandbox = true; return std::nullopt;
    case Prefix: return applyPrefix(arguments, value);
    case AllowHost: arguments.allowHosts.emplace_back(value); return std::nullopt;
    case Attach: arguments.attach = value; return std::nullopt;
    case TokenFile: arguments.tokenFile = value; return std::nullopt;
    case Set: return applySet(arguments, value);
    case Level: return applySet(arguments, fmt::format("log_level={}", value));
    case Version: return EarlyExit{"yardmaster " YARD_VERSION "\n", 0};
    case Help: return EarlyExit{fmt::format(kHelp, defaultDataDirectory(), Arguments().listen), 0};
    default: return usage("unknown option");
    }
}

} // namespace

std::variant<Arguments, EarlyExit> parseArguments(int argc, char** argv) {
    Arguments arguments;
    opterr = 0;
    optind = 1;
    for (;;) {
        const int at = optind;
        const int which = ::getopt_long(argc, argv, ":", kOptions, nullptr); // NOLINT(concurrency-mt-unsafe)
        if (which == -1) break;
        if (which == '?') return usage(fmt::format("unknown option '{}'", argv[at]));
        if (which == ':') return usage(fmt::format("option '{}' wants a value", argv[at]));
        if (auto exit = apply(arguments, which, optarg)) return *exit;
    }
    if (optind < argc) return usage(fmt::format("unexpected argument '{}'", argv[optind]));
    if (arguments.dataDir.empty()) arguments.dataDir = defaultDataDirectory();
    std::error_code error;
    // Actions run elsewhere: what depends on the working directory is settled now.
    arguments.dataDir = std::filesystem::absolute(arguments.dataDir, error).lexically_normal().string();
    while (arguments.dataDir.size() > 1 && arguments.dataDir.back() == '/') arguments.dataDir.pop_back();
    return arguments;
}

} // namespace yard::app

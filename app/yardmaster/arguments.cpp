#include "app/yardmaster/arguments.h"

#include "core/base/files.h"
#include "core/model/json_fields.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <getopt.h>
#include <optional>

namespace yard::app {

namespace {

constexpr std::string_view kResources = "resources.";

constexpr const char* kHelp =
    "Usage: yardmaster [OPTION]...\n"
    "Runs the engine: takes actions over HTTP, runs them, keeps every result.\n"
    "\n"
    "  --headless            no window (the default where there is no display)\n"
    "  --data-dir D          where everything is kept (default: {})\n"
    "  --listen ADDR:PORT    where to serve; port 0 picks one (default: 127.0.0.1:8640)\n"
    "  --capacity N          actions at once (default: number of processors)\n"
    "  --no-sandbox          run registered workers without a sandbox\n"
    "  --prefix PATH         path of the API (default: /compute)\n"
    "  --allow-host NAME     accept this name in the Host header, too; may be repeated\n"
    "  --attach URL          open the window on an engine elsewhere\n"
    "  --token-file F        the token of the API, or of the engine attached to\n"
    "  --set NAME=VALUE      a setting for this run: durability=process|power, grace_s=SECONDS,\n"
    "                        resources.NAME=AMOUNT (memory_mb, gpus, or any name of your own)\n"
    "  --log-level L         debug, info, warning or error (default: info)\n"
    "  --version, --help\n"
    "\n"
    "Talk to it with yardctl. Exit codes: 0 ended as asked, 1 failure, 2 bad usage,\n"
    "3 the data directory is in use, 4 cannot listen.\n";

enum Option : int {
    Headless = 1000, DataDir, Listen, Capacity, NoSandbox, Prefix, AllowHost, Attach, TokenFile, Set, Level, Version,
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

template<class T>
std::optional<T> number(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The amount of one resource, instead of what was found.
std::optional<EarlyExit> applyResource(Arguments& arguments, std::string_view name, std::string_view value) {
    constexpr double kMost = 1e9;
    if (name == "cores") return usage("the number of cores is set with --capacity");
    if (!isPlainName(name))
        return usage(fmt::format("'{}' cannot be the name of a resource: a letter, then letters, digits, '.', '_' or "
                                 "'-', at most 64",
                                 name));
    const auto amount = number<double>(value);
    if (!amount || !std::isfinite(*amount) || *amount < 0 || *amount > kMost)
        return usage(fmt::format("resources.{} is an amount from 0 to {:.0f}", name, kMost));
    if (name == "memory_mb")
        arguments.resources.memoryMb = std::llround(*amount);
    else
        arguments.resources.named.emplace_back(name, std::llround(*amount * 1000));
    return std::nullopt;
}

std::optional<EarlyExit> applySetting(Arguments& arguments, std::string_view setting) {
    const auto mark = setting.find('=');
    const std::string_view name = setting.substr(0, mark);
    const std::string_view value = mark == setting.npos ? std::string_view() : setting.substr(mark + 1);
    if (name == "durability") {
        if (value != "process" && value != "power") return usage("durability is 'process' or 'power'");
        arguments.powerDurability = value == "power";
        return std::nullopt;
    }
    if (name == "grace_s") {
        const auto seconds = number<double>(value);
        if (!seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > 60)
            return usage("grace_s is a number of seconds from 0 to 60");
        arguments.grace = Duration(std::llround(*seconds * 1e6));
        return std::nullopt;
    }
    if (name.starts_with(kResources)) return applyResource(arguments, name.substr(kResources.size()), value);
    return usage(fmt::format("there is no setting '{}'; there are durability, grace_s and resources.NAME", name));
}

std::optional<EarlyExit> applyPrefix(Arguments& arguments, std::string prefix) {
    while (prefix.size() > 1 && prefix.back() == '/') prefix.pop_back();
    if (prefix.empty() || prefix.front() != '/' || prefix.find_first_of("?# %") != prefix.npos)
        return usage(fmt::format("--prefix is a path that begins with '/', not '{}'", prefix));
    arguments.prefix = prefix == "/" ? std::string() : prefix;
    return std::nullopt;
}

std::optional<EarlyExit> applyCapacity(Arguments& arguments, std::string_view text) {
    const auto capacity = number<int>(text);
    if (!capacity || *capacity < 1 || *capacity > 4096)
        return usage(fmt::format("--capacity is a number from 1 to 4096, not '{}'", text));
    arguments.capacity = *capacity;
    return std::nullopt;
}

std::optional<EarlyExit> apply(Arguments& arguments, int which, const char* value) {
    switch (which) {
    case Headless: arguments.headless = true; return std::nullopt;
    case DataDir: arguments.dataDir = value; return std::nullopt;
    case Listen: arguments.listen = value; return std::nullopt;
    case Capacity: return applyCapacity(arguments, value);
    case NoSandbox: arguments.noSandbox = true; return std::nullopt;
    case Prefix: return applyPrefix(arguments, value);
    case AllowHost: arguments.allowHosts.emplace_back(value); return std::nullopt;
    case Attach: arguments.attach = value; return std::nullopt;
    case TokenFile: arguments.tokenFile = value; return std::nullopt;
    case Set: return applySetting(arguments, value);
    case Level:
        if (!parseLogLevel(value, arguments.logLevel))
            return usage(fmt::format("--log-level is debug, info, warning or error, not '{}'", value));
        return std::nullopt;
    case Version: return EarlyExit{"yardmaster " YARD_VERSION "\n", 0};
    case Help: return EarlyExit{fmt::format(kHelp, defaultDataDirectory()), 0};
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

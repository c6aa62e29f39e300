#include "app/yardmaster/arguments.h"

#include "app/yardmaster/options.h"
#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/model/json_fields.h"
#include "core/model/settings.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <getopt.h>
#include <optional>
#include <string_view>
#include <utility>

namespace yard::app {

namespace {

constexpr const char* kJoinTokenVariable = "YARD_JOIN_TOKEN";

/// The table as getopt wants it.
std::vector<option> getoptRows() {
    std::vector<option> rows;
    for (const OptionRow& row : optionRows())
        rows.push_back({row.name, row.value.empty() ? no_argument : required_argument, nullptr,
                        std::to_underlying(row.option)});
    rows.push_back({nullptr, 0, nullptr, 0});
    return rows;
}

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

std::optional<EarlyExit> applyServe(Arguments& arguments, std::string_view value) {
    if (value != "on" && value != "off") return usage(fmt::format("--serve is on or off, not '{}'", value));
    arguments.serves = arguments.takesYards = value == "on";
    return std::nullopt;
}

std::optional<EarlyExit> applyEnterWith(Arguments& arguments, std::string_view value) {
    if (value == "run")
        arguments.enterWith = EnterWith::Run;
    else if (value == "shell")
        arguments.enterWith = EnterWith::Shell;
    else if (value == "debug")
        arguments.enterWith = EnterWith::Debug;
    else
        return usage(fmt::format("--enter-with is run, shell or debug, not '{}'", value));
    return std::nullopt;
}

/// As actions name machines.
std::optional<EarlyExit> applyName(Arguments& arguments, std::string name) {
    if (!isMachineName(name))
        return usage(
            fmt::format("--name is a letter or digit and up to 63 more, or \".\", \"_\", \"-\", and not local, any "
                        "or digits alone; not '{}'",
                        name));
    arguments.name = std::move(name);
    return std::nullopt;
}

std::optional<EarlyExit> applySeconds(std::string_view option, std::string_view value,
                                      std::optional<std::chrono::seconds>& into) {
    constexpr int kMost = 366 * 24 * 3'600;
    int seconds = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (read.ec != std::errc{} || read.ptr != value.data() + value.size() || seconds < 1 || seconds > kMost)
        return usage(fmt::format("--{} is a number of seconds from 1 to {}, not '{}'", option, kMost, value));
    into = std::chrono::seconds(seconds);
    return std::nullopt;
}

/// Itself, or @ and the file that has it.
std::optional<EarlyExit> applyJoinToken(Arguments& arguments, std::string value) {
    if (!value.starts_with('@')) {
        arguments.joinToken = std::move(value);
        return std::nullopt;
    }
    auto token = readFile(value.substr(1), 4'096);
    if (!token) return usage(fmt::format("--join-token: {}", token.error().message));
    token->erase(token->find_last_not_of(" \t\r\n") + 1);
    if (token->empty()) return usage(fmt::format("--join-token: {} is empty", value.substr(1)));
    arguments.joinToken = std::move(*token);
    return std::nullopt;
}

/// Why they do not go together; nothing: they do. The token may come with the environment, where others on the
/// machine do not read it; what runs here does not see it there either.
std::optional<EarlyExit> checkJoin(Arguments& arguments) {
    const std::string given = environmentOrEmpty(kJoinTokenVariable);
    ::unsetenv(kJoinTokenVariable); // NOLINT(concurrency-mt-unsafe): no other thread yet
    if (!arguments.join.empty() && arguments.joinToken.empty()) arguments.joinToken = given;
    if (arguments.join.empty()) {
        if (arguments.joinToken.empty()) return std::nullopt;
        return usage("--join-token goes with --join: say which engine to work for");
    }
    if (!arguments.serves) return usage("--join works for another engine, and --serve off forbids that: give one");
    if (!arguments.attach.empty()) return usage("--attach has no engine of its own that could --join: give one");
    return std::nullopt;
}

/// It serves one engine, which nobody else knows of: without a window, at a port that is free, and it says little on stderr,
/// as that goes to the other side.
std::optional<EarlyExit> applyLinkStdio(Arguments& arguments) {
    if (!arguments.linkStdio) return std::nullopt;
    if (!arguments.serves)
        return usage("--link-stdio works for another engine, and --serve off forbids that: give one");
    if (!arguments.join.empty() || !arguments.attach.empty() || arguments.example)
        return usage("--link-stdio goes with none of --join, --attach and --example");
    arguments.headless = arguments.takesYards = true;
    if (arguments.listen == Arguments().listen) arguments.listen = "127.0.0.1:0";
    arguments.set.insert(arguments.set.begin(), "log_level=warning"); // what was given counts more
    return std::nullopt;
}

std::optional<EarlyExit> applyBackup(std::string& directory, std::string_view option, std::string_view value) {
    if (value.empty()) return usage(fmt::format("--{} wants a directory", option));
    directory = value;
    return std::nullopt;
}

std::optional<EarlyExit> apply(Arguments& arguments, Option which, const char* value) {
    using enum Option;
    switch (which) {
    case Headless: arguments.headless = true; return std::nullopt;
    case DataDir: arguments.dataDir = value; return std::nullopt;
    case Listen: arguments.listen = value; return std::nullopt;
    case Capacity: return applySet(arguments, fmt::format("capacity={}", value));
    case NoSandbox: arguments.noSandbox = true; return std::nullopt;
    case Hooks: arguments.hooks = value; return std::nullopt;
    case Plugin: arguments.plugins.emplace_back(value); return std::nullopt;
    case Prefix: return applyPrefix(arguments, value);
    case AllowHost: arguments.allowHosts.emplace_back(value); return std::nullopt;
    case Attach: arguments.attach = value; return std::nullopt;
    case Example: arguments.example = true; return std::nullopt;
    case TlsCert: arguments.tlsCert = value; return std::nullopt;
    case TlsKey: arguments.tlsKey = value; return std::nullopt;
    case Insecure: arguments.insecure = true; return std::nullopt;
    case Join: arguments.join = value; return std::nullopt;
    case JoinToken: return applyJoinToken(arguments, value);
    case Serve: return applyServe(arguments, value);
    case LinkStdio: arguments.linkStdio = true; return std::nullopt;
    case Bundle: arguments.bundle = value; return std::nullopt;
    case Enter: arguments.enter = value; return std::nullopt;
    case Option::EnterWith: return applyEnterWith(arguments, value);
    case Backup: return applyBackup(arguments.backup, "backup", value);
    case Restore: return applyBackup(arguments.restore, "restore", value);
    case Name: return applyName(arguments, value);
    case IdleExit: return applySeconds("idle-exit", value, arguments.idleExit);
    case Lifetime: return applySeconds("lifetime", value, arguments.lifetime);
    case TokenFile: arguments.tokenFile = value; return std::nullopt;
    case Set: return applySet(arguments, value);
    case Level: return applySet(arguments, fmt::format("log_level={}", value));
    case Version: return EarlyExit{"yardmaster " YARD_VERSION "\n", 0};
    case Manual: return EarlyExit{manualPage(), 0};
    case Help: return EarlyExit{helpText(), 0};
    }
    return usage("unknown option");
}

} // namespace

std::variant<Arguments, EarlyExit> parseArguments(int argc, char** argv) {
    Arguments arguments;
    opterr = 0;
    optind = 1;
    const std::vector<option> known = getoptRows();
    for (;;) {
        const int at = optind;
        const int which = ::getopt_long(argc, argv, ":", known.data(), nullptr); // NOLINT(concurrency-mt-unsafe)
        if (which == -1) break;
        if (which == '?') return usage(fmt::format("unknown option '{}'", argv[at]));
        if (which == ':') return usage(fmt::format("option '{}' wants a value", argv[at]));
        if (auto exit = apply(arguments, static_cast<Option>(which), optarg)) return *exit;
    }
    if (optind < argc) return usage(fmt::format("unexpected argument '{}'", argv[optind]));
    if (arguments.tlsCert.empty() != arguments.tlsKey.empty())
        return usage("--tls-cert and --tls-key go together: give both");
    if (arguments.insecure && !arguments.tlsCert.empty())
        return usage("--insecure means plain HTTP, and --tls-cert TLS: give one of them");
    if (arguments.example && !arguments.attach.empty())
        return usage("--example loads into an engine that is started here; at one elsewhere: yardctl example load");
    if (!arguments.backup.empty() && !arguments.restore.empty())
        return usage("--backup and --restore do not go together: give one");
    if (auto exit = checkJoin(arguments)) return *exit;
    if (auto exit = applyLinkStdio(arguments)) return *exit;
    if (arguments.dataDir.empty() && !arguments.linkStdio) arguments.dataDir = defaultDataDirectory();
    // Actions run elsewhere: what depends on the working directory is settled now.
    const auto settle = [](std::string& path) {
        std::error_code error;
        if (!path.empty()) path = std::filesystem::absolute(path, error).lexically_normal().string();
    };
    settle(arguments.dataDir);
    settle(arguments.hooks);
    settle(arguments.bundle);
    settle(arguments.backup);
    settle(arguments.restore);
    std::ranges::for_each(arguments.plugins, settle);
    while (arguments.hooks.size() > 1 && arguments.hooks.back() == '/') arguments.hooks.pop_back();
    while (arguments.dataDir.size() > 1 && arguments.dataDir.back() == '/') arguments.dataDir.pop_back();
    return arguments;
}

} // namespace yard::app

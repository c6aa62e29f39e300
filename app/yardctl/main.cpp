// yardctl: the command line client of an engine (docs/api.md, 1).

#include "app/yardctl/command.h"
#include "app/yardctl/format.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/queue_ref.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <system_error>
#include <unistd.h>

namespace {

using namespace yard::ctl;

int report(const Failure& failure, bool asJson) {
    // What was printed before belongs before the error, also when both go to one file.
    std::fflush(stdout);
    std::fputs(errorLine(asJson, failure.code, failure.message).c_str(),
               stderr); // fails in silence, as stderr does
    return failure.exitCode;
}

/// A descriptor that the caller has closed must not become that of a connection, which would be written into. Reading
/// from stdin and writing to stdout then fail; what would go to stderr nobody wants.
void occupyStandardStreams() {
    constexpr std::array<std::pair<int, int>, 3> kHow{
        {{STDIN_FILENO, O_WRONLY}, {STDOUT_FILENO, O_RDONLY}, {STDERR_FILENO, O_WRONLY}}};
    for (const auto& [fd, flags] : kHow)
        if (::fcntl(fd, F_GETFD) < 0) (void)::open("/dev/null", flags); // the lowest that is free: this one
}

int reportUnwritten(int err, bool asJson) {
    const char* why = err > 0 ? ::strerrordesc_np(err) : nullptr;
    return report(Failure(fmt::format("cannot write to standard output: {}", why ? why : "something was lost"),
                          kExitFailed, "io"),
                  asJson);
}

/// Of a command line that could not be parsed.
bool asksForJson(std::span<const char* const> words) {
    const auto end = std::ranges::find(words, std::string_view("--"));
    return std::find(words.begin(), end, std::string_view("--json")) != end;
}

Outcome<int> carryOut(Engine& engine, CommandLine& line) {
    if (!line.command->runsPrograms) {
        if (auto resolved = resolveQueueOption(engine, line.arguments); !resolved)
            return std::unexpected(resolved.error());
        if (auto resolved = resolveAfterOption(engine, line.arguments); !resolved)
            return std::unexpected(resolved.error());
    }
    return line.command->function({line.arguments, engine, line.global.json});
}

Outcome<int> perform(CommandLine& line) {
    if (line.version) {
        if (line.global.json)
            fmt::print("{{\"name\":\"yardctl\",\"version\":\"{}\"}}\n", YARD_VERSION);
        else
            fmt::print("yardctl {}\n", YARD_VERSION);
        return 0;
    }
    if (line.help) {
        fmt::print("{}", line.command ? helpText(*line.command) : helpText());
        return 0;
    }
    Engine engine(line.global);
    auto code = carryOut(engine, line);
    // Not to be taken for the program's own code.
    if (!code && line.command->runsPrograms && code.error().exitCode == kExitFailed)
        code.error().exitCode = kExitNotRun;
    const bool isUnknown = !code && code.error().code == errorName(yard::ErrorKind::NotFound);
    if (isUnknown && line.command->unknownIsUsage && engine.wasReached()) code.error().exitCode = kExitUsage;
    return code;
}

} // namespace

int main(int argc, char** argv) {
    occupyStandardStreams();
    const std::span<const char* const> words{argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)};
    auto line = parseCommandLine(words);
    if (!line) return report(line.error(), asksForJson(words));
    const bool asJson = line->global.json;
    try {
        auto code = perform(*line);
        if (!code) return report(code.error(), asJson);
        errno = 0;
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return reportUnwritten(errno, asJson);
        return *code;
    } catch (const std::system_error& error) { // {fmt}: what could not be written
        return reportUnwritten(error.code().value(), asJson);
    }
}

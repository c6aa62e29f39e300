// yardctl: the command line client of an engine (docs/api.md, 1).

#include "app/yardctl/command.h"
#include "app/yardctl/queue_ref.h"

#include <cstdio>
#include <fmt/format.h>

namespace {

using namespace yard::ctl;

int report(const Failure& failure) {
    // What was printed before belongs before the error, also when both go to one file.
    std::fflush(stdout);
    fmt::print(stderr, "yardctl: {}\n", failure.message);
    return failure.exitCode;
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
    if (auto resolved = resolveQueueOption(engine, line.arguments); !resolved)
        return std::unexpected(resolved.error());
    return line.command->function({line.arguments, engine, line.global.json});
}

} // namespace

int main(int argc, char** argv) {
    auto line = parseCommandLine({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    if (!line) return report(line.error());
    auto code = perform(*line);
    if (!code) return report(code.error());
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
        return report(Failure("cannot write to standard output: is the disk full?", kExitFailed));
    }
    return *code;
}

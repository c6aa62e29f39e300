// yardctl reproduce: an attempt as a directory in which it can be run again.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/reproduction.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

Outcome<int> reproduceCommand(const Invocation& invocation) {
    const auto& operands = invocation.arguments.operands();
    const auto named = namedAttempt("reproduce", operands.front());
    if (!named) return std::unexpected(named.error());
    const auto reproduction = Reproduction::of(invocation.engine, *named);
    if (!reproduction) return std::unexpected(reproduction.error());
    const auto directory = NewDirectory::make(
        operands.size() > 1 ? operands.back() : fmt::format("action-{}", reproduction->named().words()));
    if (!directory) return std::unexpected(directory.error());
    if (auto wrote = reproduction->writeTo(invocation.engine, *directory); !wrote)
        return failed(fmt::format("{}; {} is not complete", wrote.error().message, directory->path()));
    if (invocation.json)
        fmt::print("{}\n", json::serialize(json::object{{"lsn", reproduction->named().lsn},
                                                        {"attempt", reproduction->named().attempt},
                                                        {"directory", directory->path()}}));
    else
        fmt::print("{}\n", directory->path());
    return 0;
}

} // namespace

Command reproduceRow() {
    return {.name = "reproduce",
            .usage = "LSN[.N] [DIR]",
            .summary = "an attempt as a directory to run it again",
            .details =
                "Makes DIR (action-LSN.N) with its inputs, its worker, its variables and limits, and the scripts "
                "run, shell and debug, which enter the same sandbox: to run it, with a shell, with gdb. They "
                "need no engine. README there says what cannot be the same. DIR must not be there yet. Prints "
                "where it is.",
            .examples = "yardctl reproduce 12\n"
                        "yardctl reproduce 12.1 /tmp/first",
            .options = {},
            .minOperands = 1,
            .maxOperands = 2,
            .function = reproduceCommand};
}

} // namespace yard::ctl

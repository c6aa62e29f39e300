// yardctl map: a command for each of many values, as GNU parallel runs it.
#include "app/yardctl/map/map_options.h"

#include "app/yardctl/chunks.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/engine_start.h"
#include "app/yardctl/map/map_run.h"
#include "app/yardctl/named_actions.h"
#include "app/yardctl/output_follower.h"

#include <unistd.h>

namespace yard::ctl {

namespace {

Outcome<int> mapCommand(const Invocation& invocation) {
    Arguments arguments = invocation.arguments;
    const auto options = mapOptionsOf(arguments);
    if (!options) return std::unexpected(options.error());
    const bool readsTerminal =
        (options->block || options->sources.front().path == "-") && ::isatty(STDIN_FILENO) == 1;
    if (readsTerminal && ::isatty(STDERR_FILENO) == 1)
        (void)writeOutput(STDERR_FILENO,
                          "yardctl: map reads values from the terminal, a line each; Ctrl+D ends them\n");
    if (options->isDry) return printCommands(*options);
    if (auto there = ensureEngine(invocation.engine); !there) return std::unexpected(there.error());
    if (hasAfterRange(arguments))
        if (auto resolved = resolveAfterOption(invocation.engine, arguments); !resolved)
            return std::unexpected(resolved.error());
    return MapRun({arguments, invocation.engine, invocation.json}, *options).perform();
}

} // namespace

Command mapRow() {
    return {
        .name = "map",
        .usage = "[options] PROGRAM… ::: VALUE…  or  :::: FILE…",
        .summary = "run a command for each of many values, like GNU parallel",
        .details =
            "Each value makes a job: PROGRAM and its words with the value in place of {}, or behind them. The "
            "words are "
            "joined with spaces and are a line for the shell (/bin/sh, or $PARALLEL_SHELL); values are quoted. "
            "Without "
            "PROGRAM the values are the commands.\n"
            "\n"
            "  {}  the value              {#}  number of the job\n"
            "  {.} without extension      {%}  number of its place among those at once\n"
            "  {/} without directory      {1} {2.} {-1/}  of one source or column\n"
            "  {//} its directory         {/.} neither directory nor extension\n"
            "\n"
            "With --plus {..} and {/..} are without two extensions, {+/} {+.} the directory and the extension, "
            "{##} the number of jobs, {:2:3} three bytes behind the first two, {#X} and {%X} without X at the "
            "front "
            "or end, {/X/Y} with Y for X, an extended regular expression.\n"
            "\n"
            "::: is followed by values, :::: by files of them (- is stdin), a source each. Of several sources each "
            "value of one goes with each of the others; with + behind (:::+) one goes side by side with the source "
            "before it. Values are read as they are needed; 100,000 jobs wait at most.\n"
            "\n"
            "The jobs are actions in a queue of their own, in this directory and with this environment. The output "
            "of "
            "a job comes when it has ended. A failure is not tried again, unless --retries says so; what an engine "
            "that died had begun is begun again. INT, TERM or HUP cancels what has not ended; a second one leaves "
            "it to the engine. -d leaves all of it to the engine and prints the number of the queue.\n"
            "\n"
            "With --joblog a map that was ended, or killed, goes on with --resume: no job is run twice, also what "
            "the "
            "engine ran meanwhile is collected. With --json a line for each job is printed, the engine's object.",
        .examples = "yardctl map gzip -9 ::: *.log\n"
                    "find . -name '*.png' -print0 | yardctl map -0 --bar convert {} {.}.webp\n"
                    "yardctl map -k --tag 'ping -c1 {1} | tail -1; echo {2}' ::: a b ::: 1 2\n"
                    "yardctl map --joblog log --resume -j50% ./render {#} :::: frames\n"
                    "yardctl map --pipe --block 10M wc -l < big",
        .exits = "with the number of jobs that failed, 101 for over 100; with --halt with the code of the job that "
                 "ended "
                 "it, or the failures in percent; 128 + signal; 125 it could not be run to its end.",
        .options = mapOptions(),
        .firstOperandEndsOptions = true,
        .runsPrograms = true,
        .function = mapCommand};
}

} // namespace yard::ctl

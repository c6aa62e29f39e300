#include "app/yardctl/command_tables.h"
#include "app/yardctl/commands/functions.h"

namespace yard::ctl {

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> engineCommands() {
    return {
        {.name = "workers",
         .usage = "[add PATH | show ID | remove ID]",
         .summary = "list, register, show and remove workers",
         .details = "PATH is a descriptor, or a directory with one named worker.json. Files are found relative to "
                    "it; hashes, sizes and modes that the descriptor leaves out are filled in, and without "
                    "\"files\" it is every file of the directory whose name does not begin with a dot. Only what "
                    "the engine lacks is sent. ID is an id, the beginning of one, NAME or NAME@VERSION.",
         .examples = "yardctl workers\n"
                     "yardctl workers add ./thumbnailer\n"
                     "yardctl workers show thumbnailer@1.2.0",
         .options = {{"force", 0, "", "remove: also cancel its pending and running actions"}},
         .maxOperands = 2,
         .function = workersCommand},
        {.name = "session",
         .usage = "[options] [waiting|drain|pause|abandon|sunset]",
         .summary = "state of the engine, and its moves",
         .details = "Without a word it shows the state. Of its actions those that have ended count since the data "
                    "directory was made, also when they are no longer kept; the others are there now.\n"
                    "  waiting   why pending actions have not started, counted by reason\n"
                    "  drain     no new work, the rest runs to its end\n"
                    "  pause     nothing new, nothing starts, running actions finish\n"
                    "  abandon   pending and running actions are abandoned at once\n"
                    "  sunset    tear down and end, as by TERM\n"
                    "Only a restart of the engine takes back drain, pause, abandon and sunset. 'hold --all' is a "
                    "pause that 'release --all' takes back. On a terminal pause and abandon ask first.",
         .examples = "yardctl session\n"
                     "yardctl session waiting\n"
                     "yardctl session drain\n"
                     "yardctl session --yes abandon",
         .options = {{"yes", 'y', "", "pause, abandon: do not ask"}},
         .maxOperands = 1,
         .function = sessionCommand,
         .alias = "status"},
        {.name = "settings",
         .usage = "[NAME=VALUE…]",
         .summary = "show and change the engine's settings",
         .details = "NAME=default goes back to the default. What takes effect at the next start of the engine is "
                    "said to.",
         .examples = "yardctl settings\n"
                     "yardctl settings grace_s=5 log_level=debug\n"
                     "yardctl settings grace_s=default",
         .options = {},
         .function = settingsCommand},
        {.name = "pool",
         .usage = "[--gone | --output PROCESS | restart WORKER… | detach PROCESS… | set NAME=VALUE…]",
         .summary = "list, replace and end warm processes; limits of all",
         .details =
             "  restart   replace a worker's processes one by one, until a new one does\n"
             "            not come up; where the limits leave no room for both, the old one\n"
             "            goes first\n"
             "  detach    end a process once it has answered what it has\n"
             "  set       max, max_per_group, max_idle_s: at once, and kept\n"
             "NOW is the action a process works on, and for how long, or the step of its start. DONE and CPU "
             "count since the process started; how many found a process, and the starts that were saved, "
             "count since the engine started.",
         .examples = "yardctl pool\n"
                     "yardctl pool --gone\n"
                     "yardctl pool set max_idle_s=60",
         .options = {{"gone", 'g', "", "those that have ended, and why"},
                     {"output", 'o', "PROCESS", "the end of what one printed, also one of the last that ended"}},
         .function = poolCommand},
        {.name = "locks",
         .usage = "",
         .summary = "list named locks, who holds them and who waits",
         .details = "Locks are shared by all engines of this user on this machine: those of others are listed too.",
         .examples = "yardctl locks",
         .options = {},
         .maxOperands = 0,
         .function = locksCommand},
        {.name = "tokens",
         .usage = "[new NAME --right RIGHT [--queue REF…] [--expires TIME] | remove NAME]",
         .summary = "tokens of the API for others than the owner",
         .details = "A token has one right, which has those before it:\n"
                    "  read      see everything but environments, inputs and tokens\n"
                    "  submit    add actions, and steer those of the queues that --queue names\n"
                    "  operate   steer all work\n"
                    "  admin     everything, as the owner\n"
                    "The token is printed once; the engine keeps its hash. Who uses it gives it to yardctl with "
                    "--url and --token-file. An action is a program that runs as the engine's user: give submit "
                    "only to whom you would give a shell.",
         .examples = "yardctl tokens\n"
                     "yardctl tokens new anna --right read > anna.token\n"
                     "yardctl tokens new ci --right submit --queue nightly --expires 30d\n"
                     "yardctl tokens remove anna",
         .options = {{"right", 0, "RIGHT", "read, submit, operate or admin"},
                     {"queue", 0, "REF", "submit: a queue that it reaches; may be repeated"},
                     {"expires", 0, "TIME", "it is valid for so long (default: until removed)"}},
         .maxOperands = 2,
         .function = tokensCommand},
        {.name = "gc",
         .usage = "[--dry-run]",
         .summary = "clear up finished actions and chunks that are not kept",
         .details = "What is kept is said by the settings keep_days, keep_actions, keep_disk_percent and "
                    "chunk_grace_s. The engine does it by itself, too, every ten minutes while something happens.",
         .examples = "yardctl gc --dry-run",
         .options = {{"dry-run", 'n', "", "only say what would go"}},
         .maxOperands = 0,
         .function = gcCommand},
        {.name = "completion",
         .usage = "bash|zsh|fish",
         .summary = "print completion for a shell",
         .details =
             "The shells ask 'completion values KIND WORD' for what there is: lsns, of some states as active or "
             "ended, queues, workers, filters, settings, sorts, columns and commands; of the engine that is named "
             "on the line that is typed, by the yardctl that is. DIR is a directory in $fpath of zsh.",
         .examples = "yardctl completion bash > ~/.local/share/bash-completion/completions/yardctl\n"
                     "yardctl completion zsh > DIR/_yardctl\n"
                     "yardctl completion fish > ~/.config/fish/completions/yardctl.fish",
         .options = {},
         .minOperands = 1,
         .maxOperands = 3,
         .function = completionCommand},
        {.name = "manual",
         .usage = "[COMMAND]",
         .summary = "print a manual page",
         .details = "The page of yardctl, or of one command.",
         .examples = "yardctl manual | man -l -\n"
                     "yardctl manual run | man -l -\n"
                     "yardctl manual --into /usr/local/share/man/man1",
         .options = {{"into", 0, "DIR", "write all pages into this directory instead"}},
         .maxOperands = 1,
         .function = manualCommand},
    };
}

} // namespace yard::ctl

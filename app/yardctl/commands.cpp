#include "app/yardctl/command.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/work_options.h"

#include <algorithm>
#include <iterator>

namespace yard::ctl {

namespace {

const Option kFilterOption{"filter", 0, "F", "all actions that match, e.g. 'state:failed queue:7'"};
const Option kDryRunOption{"dry-run", 0, "", "say how many it would change, and change nothing"};
const Option kAtMostOption{"at-most", 0, "N", "change nothing when it would change more than N"};
const Option kFromOption{"from", 0, "TIME", "begin there: -1h, 09:45, yesterday, 2026-11-20"};
const Option kToOption{"to", 0, "TIME", "end there, instead of now"};
const Option kYesOption{"yes", 'y', "", "--all: do not ask"};

std::vector<Option> with(std::vector<Option> own, const std::vector<Option>& others) {
    std::ranges::copy(others, std::back_inserter(own));
    return own;
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> workCommands() {
    return {
        {.name = "run",
         .usage = "[options] -- CMD…  or  -c 'LINE'",
         .summary = "run one program and exit as it does",
         .details =
             "As if it was typed here, but queued and kept: in this directory, with this environment and, unless "
             "it\n"
             "is a terminal, this stdin, which is read to its end first; < /dev/null gives none. The output comes\n"
             "as it is written. INT, TERM or HUP cancels the action and waits for its end; a second one leaves it\n"
             "to the engine. A failure of the program is the end, unless --retries says otherwise. An "
             "interruption,\n"
             "which is no failure of the program (the engine died, the directory did not answer), is tried again "
             "up\n"
             "to max_interruptions times (10, see 'queue set'); stderr says so. With --json only the result is\n"
             "printed. Values of variables that match the setting env_never_kept are not kept.\n"
             "With -t the program has a terminal and keys go to it as they are typed. After Enter, ~. leaves it "
             "to\n"
             "the engine, ~^Z suspends yardctl, ~? lists these, ~~ is a tilde. An interruption is its end.\n"
             "Exits as the program; 128 + signal; 124 deadline; 125 it could not be run; 126, 127 as a shell.\n"
             "  yardctl run -- make -j4        yardctl run -c 'sort | uniq -c' < words\n"
             "  yardctl run -t -- vim notes    yardctl run -t -- bash\n"
             "  yardctl run -d -q nightly --memory 2G --after 12 -- ./report",
         .options = workOptions(Work::Run),
         .firstOperandEndsOptions = true,
         .runsPrograms = true,
         .function = runCommand},
        {.name = "submit",
         .usage = "[options] FILE|-",
         .summary = "submit actions from JSON",
         .details =
             "FILE holds one action, actions one after the other (JSON lines), or a list. All of it is accepted, "
             "or\n"
             "nothing; up to 64 MiB. Prints an LSN for each, in order; A..B for an array. An input may be given "
             "as\n"
             "\"@path\": the file is hashed and sent if the engine lacks it:\n"
             "  {\"worker\": \"thumbs\", \"function\": \"thumb\", \"inputs\": {\"photo.jpg\": \"@/data/1.jpg\"}}\n"
             "Actions of one request may wait for each other: \"id\": \"lint\" on one, \"after\": [\"lint\"] on "
             "another.\n"
             "Options hold for each of the actions, over what it says itself; locks, predecessors and expected\n"
             "outputs are added to its own.",
         .options =
             with({{"wait", 'w', "", "then wait for them, as 'wait' does"},
                   {"stream", 0, "", "accept them in parts as they come; what stands before a mistake stays"},
                   {"graph", 0, "", "print who waits for whom, for Graphviz' dot, and submit nothing"}},
                  workOptions(Work::Submit)),
         .minOperands = 1,
         .maxOperands = 1,
         .function = submitCommand},
        {.name = "wait",
         .usage = "[options] [LSN…]",
         .summary = "wait until actions have ended",
         .details =
             "Prints a line for each action. Exits 0 when all of them completed, else 1. With --queue it waits\n"
             "until the queue has nothing pending or running; with --filter for those that match now.\n"
             "  yardctl wait 12..20          yardctl wait --queue nightly          yardctl wait --any 12 13",
         .options = {{"timeout", 't', "TIME", "give up after 90, 90s, 10min, 2h"},
                     {"any", 0, "", "until the first of them has ended"},
                     {"fail-fast", 0, "", "until the first of them has ended otherwise than completed"},
                     queueOption(),
                     kFilterOption,
                     outOption()},
         .function = waitCommand},
        {.name = "show",
         .usage = "[options] LSN…",
         .summary = "everything known of an action",
         .details = "",
         .options = {outOption()},
         .minOperands = 1,
         .function = showCommand},
        {.name = "why",
         .usage = "LSN…",
         .summary = "what actions wait for",
         .details =
             "Each reason has a line: a hold, capacity and the place in line, a lock and its holder, another\n"
             "action, a pause before the next attempt, a time, a limit; its start, or that it was told to end.",
         .options = {},
         .minOperands = 1,
         .function = whyCommand},
        {.name = "attempts",
         .usage = "LSN…",
         .summary = "how each attempt of an action went",
         .details = "'logs --attempt N' prints the output of one.",
         .options = {},
         .minOperands = 1,
         .function = attemptsCommand},
        {.name = "compare",
         .usage = "A B",
         .summary = "in what two actions differ",
         .details = "In what was submitted, how they ended, and how long they took. What is alike is left out.",
         .options = {},
         .minOperands = 2,
         .maxOperands = 2,
         .function = compareCommand},
        {.name = "samples",
         .usage = "LSN…",
         .summary = "processor and memory of an action over time",
         .details = "Of the current or the last attempt.",
         .options = {},
         .minOperands = 1,
         .function = samplesCommand},
        {.name = "logs",
         .usage = "[options] LSN",
         .summary = "the output of an action",
         .details = "Its stdout goes to stdout and its stderr to stderr.",
         .options = {{"follow", 'f', "", "go on until the action has ended"},
                     {"attempt", 'n', "N", "of this attempt instead of the last"},
                     {"stdout", 0, "", "only its stdout"},
                     {"stderr", 0, "", "only its stderr"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = logsCommand},
        {.name = "ls",
         .usage = "[options] [FILTER…]",
         .summary = "list actions",
         .details =
             "FILTER is key:value, key>number or key:a..b; a comma is or, a space is and, - before a term "
             "negates.\n"
             "  yardctl ls state:failed,cancelled queue:7        yardctl ls 'worker:thumb*' -state:completed",
         .options = {{"limit", 'n', "N", "at most so many (100); 0 for all"},
                     {"sort", 's', "FIELD", "by a field of the result, - before it for descending (-lsn)"}},
         .takesFilter = true,
         .function = listCommand,
         .alias = "ps"},
    };
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> stewardCommands() {
    return {
        {.name = "queues",
         .usage = "",
         .summary = "list queues",
         .details = "",
         .options = {},
         .maxOperands = 0,
         .function = queuesCommand},
        {.name = "queue",
         .usage = "create|show|hold|release|drain|cancel|delete|set [REF…]",
         .summary = "make and steer queues",
         .details =
             "  queue create [--tag TEXT] [KEY=VALUE…]   a queue that stays until it is deleted\n"
             "  queue show REF…                          its counters and configuration\n"
             "  queue hold|release REF…                  start nothing more from it; go on\n"
             "  queue drain REF…                         take no more work, finish the rest; for good\n"
             "  queue cancel REF…                        cancel everything in it; for good\n"
             "  queue delete REF…                        the same, then forget it; finished actions stay\n"
             "  queue set REF [options] [KEY=VALUE…]     configure it: max_retries=5 max_running=2 weight=0.5",
         .options = with({{"tag", 0, "TEXT", "create: what people see it as"}}, workOptions(Work::QueueSet)),
         .minOperands = 1,
         .function = queueCommand},
        {.name = "cancel",
         .usage = "LSN…|--filter F|--all",
         .summary = "cancel actions",
         .details =
             "A running program gets TERM, and KILL once the setting grace_s (2 seconds) is over: until its\n"
             "processes have ended it is being cancelled. On a terminal --all asks first.",
         .options = {{"all", 'a', "", "all that is pending or running, of every queue"},
                     kYesOption,
                     kFilterOption,
                     kDryRunOption,
                     kAtMostOption},
         .function = cancelCommand,
         .alias = "kill"},
        {.name = "retry",
         .usage = "[--force] LSN…|--filter F|--all",
         .summary = "run failed or abandoned actions again",
         .details = "They keep their LSN.",
         .options = {{"force", 0, "", "also when the limit of retries is reached"},
                     {"all", 'a', "", "all that failed or was abandoned, of every queue"},
                     kFilterOption,
                     kDryRunOption,
                     kAtMostOption},
         .function = retryCommand},
        {.name = "retire",
         .usage = "LSN…|--filter F|--all",
         .summary = "forget finished actions and their results",
         .details = "On a terminal --all asks first.",
         .options = {{"all", 'a', "", "all that has finished, of every queue"},
                     kYesOption,
                     kFilterOption,
                     kDryRunOption,
                     kAtMostOption},
         .function = retireCommand,
         .alias = "rm"},
        {.name = "hold",
         .usage = "LSN…|--filter F|--all",
         .summary = "keep pending actions, or all queues, from starting",
         .details = "",
         .options = {{"all", 'a', "", "hold every queue"}, kFilterOption, kDryRunOption, kAtMostOption},
         .function = holdCommand},
        {.name = "release",
         .usage = "LSN…|--filter F|--all",
         .summary = "let held actions, or all queues, go on",
         .details = "",
         .options = {{"all", 'a', "", "release every queue"}, kFilterOption, kDryRunOption, kAtMostOption},
         .function = releaseCommand},
        {.name = "priority",
         .usage = "N LSN…|--filter F",
         .summary = "change the priority of pending actions",
         .details = "N is -100 to 100; what has a higher one starts first.\n"
                    "  yardctl priority 50 12..20          yardctl priority -10 --filter 'name:\"make *\"'",
         .options = {kFilterOption, kDryRunOption, kAtMostOption},
         .minOperands = 1,
         .function = priorityCommand},
        {.name = "edit",
         .usage = "[--replace] LSN",
         .summary = "change an action in an editor, and submit it again",
         .details =
             "The editor is $VISUAL, else $EDITOR, else vi. Prints the LSN of the new action, which goes to the\n"
             "queue of the old one. Nothing is submitted when nothing was changed, or the editor fails.",
         .options = {{"replace", 'r', "", "cancel the old one once the new one is accepted"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = editCommand},
        {.name = "workers",
         .usage = "[add PATH | show ID | remove ID]",
         .summary = "list, register, show and remove workers",
         .details =
             "PATH is a descriptor, or a directory with one named worker.json. Files are found relative to it;\n"
             "hashes, sizes and modes that the descriptor leaves out are filled in, and without \"files\" it is\n"
             "every file of the directory whose name does not begin with a dot. Only what the engine lacks is\n"
             "sent. ID is an id, the beginning of one, NAME or NAME@VERSION.",
         .options = {{"force", 0, "", "remove: also cancel its pending and running actions"}},
         .maxOperands = 2,
         .function = workersCommand},
        {.name = "session",
         .usage = "[waiting|drain|pause|abandon|sunset]",
         .summary = "state of the engine, and its moves",
         .details = "  waiting   why pending actions have not started, counted by reason\n"
                    "  drain     no new work, the rest runs to its end\n"
                    "  pause     nothing new, nothing starts, running actions finish\n"
                    "  abandon   pending and running actions are abandoned at once\n"
                    "  sunset    tear down and end, as by TERM\n"
                    "None of the last four can be taken back but by a restart; 'hold --all' can.",
         .options = {},
         .maxOperands = 1,
         .function = sessionCommand,
         .alias = "status"},
    };
}

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> programCommands() {
    return {
        {.name = "top",
         .usage = "[options]",
         .summary = "queues and running actions, live",
         .details = "Drawn anew every second; q ends it, the space bar asks at once. Without a terminal, or with\n"
                    "--json, it is printed once.",
         .options = {{"interval", 'i', "TIME", "ask so often (1s); 0.1s to 1h"},
                     {"once", '1', "", "print it once and leave"}},
         .maxOperands = 0,
         .function = topCommand},
        {.name = "events",
         .usage = "[FILTER…]",
         .summary = "what changes, as it happens",
         .details =
             "A line for each change of an action that FILTER means; without one for each end. With --json the\n"
             "engine's own frames, a line each. It goes on until it is interrupted, or the engine ends.\n"
             "  yardctl events queue:nightly          yardctl events --json state:failed",
         .options = {},
         .function = eventsCommand},
        {.name = "stats",
         .usage = "[--from TIME] [--to TIME]",
         .summary = "figures of the engine over time",
         .details =
             "Of the last hour, unless --from says otherwise; a week is kept. TIME is -1h (an hour ago), 09:45,\n"
             "today, yesterday, 2026-11-20 or '2026-11-20 09:45'.\n"
             "  yardctl stats --from yesterday --to today",
         .options = {kFromOption, kToOption},
         .maxOperands = 0,
         .function = statsCommand},
        {.name = "timeline",
         .usage = "[--from TIME] [--to TIME] [--worker NAME]",
         .summary = "what ran when, a lane for each slot",
         .details =
             "Of the last hour, unless --from says otherwise. Where several attempts share a column the worst\n"
             "is shown.\n"
             "  yardctl timeline --from -10min --worker exec",
         .options = {kFromOption, kToOption, {"worker", 0, "NAME", "only this worker's slots"}},
         .maxOperands = 0,
         .function = timelineCommand},
        {.name = "settings",
         .usage = "[NAME=VALUE…]",
         .summary = "show and change the engine's settings",
         .details = "NAME=default goes back to the default. What only the next start will heed is said so.\n"
                    "  yardctl settings grace_s=5 log_level=debug",
         .options = {},
         .function = settingsCommand},
        {.name = "gc",
         .usage = "[--dry-run]",
         .summary = "clear up finished actions and chunks that are not kept",
         .details = "What is kept is said by the settings keep_days, keep_actions, keep_disk_percent and\n"
                    "chunk_grace_s. The engine does it by itself, too, every ten minutes while something happens.",
         .options = {{"dry-run", 'n', "", "only say what would go"}},
         .maxOperands = 0,
         .function = gcCommand},
        {.name = "locks",
         .usage = "",
         .summary = "list named locks, who holds them and who waits",
         .details = "Locks are shared by all engines of this user on this machine: those of others are listed too.",
         .options = {},
         .maxOperands = 0,
         .function = locksCommand},
        {.name = "pool",
         .usage = "[--gone | --output PROCESS | restart WORKER… | detach PROCESS… | set NAME=VALUE…]",
         .summary = "list, replace and end warm processes; limits of all",
         .details =
             "  restart   replace a worker's processes one by one, until a new one does not come up; where the\n"
             "            limits leave no room for both, the old one goes first\n"
             "  detach    end a process once it has answered what it has\n"
             "  set       max, max_per_group, max_idle_s: at once, and kept\n"
             "NOW is the action a process works on, and for how long, or the step of its start.",
         .options = {{"gone", 'g', "", "those that have ended, and why"},
                     {"output", 'o', "PROCESS", "the end of what one printed, also one of the last that ended"}},
         .function = poolCommand},
        {.name = "completion",
         .usage = "bash|zsh|fish",
         .summary = "print completion for a shell",
         .details = "  bash  yardctl completion bash > ~/.local/share/bash-completion/completions/yardctl\n"
                    "  zsh   yardctl completion zsh > DIR/_yardctl, with DIR in $fpath\n"
                    "  fish  yardctl completion fish > ~/.config/fish/completions/yardctl.fish\n"
                    "They ask 'completion values lsns|queues|workers' for what the engine has.",
         .options = {},
         .minOperands = 1,
         .maxOperands = 2,
         .function = completionCommand},
        {.name = "manual",
         .usage = "",
         .summary = "print the manual page",
         .details = "  yardctl manual | man -l -",
         .options = {},
         .maxOperands = 0,
         .function = manualCommand},
    };
}

} // namespace

std::span<const Command> commands() {
    static const std::vector<Command> all = [] {
        std::vector<Command> out = workCommands();
        std::ranges::move(stewardCommands(), std::back_inserter(out));
        std::ranges::move(programCommands(), std::back_inserter(out));
        return out;
    }();
    return all;
}

} // namespace yard::ctl

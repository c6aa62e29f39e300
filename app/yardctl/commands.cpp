#include "app/yardctl/command.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/help_texts.h"
#include "app/yardctl/work_options.h"

#include <algorithm>
#include <iterator>

namespace yard::ctl {

namespace {

const Option kFilterOption{"filter", 0, "F",
                           "all actions that match, e.g. 'state:failed queue:7'; see 'yardctl ls --help'"};
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
    static const std::string forSubmit = submitDetails();
    static const std::string forList = listDetails();
    return {
        {.name = "run",
         .usage = "[options] -- CMD…  or  -c 'LINE'",
         .summary = "run one program and exit as it does",
         .details =
             "As if it was typed here, but queued and kept: in this directory, with this environment and, "
             "unless it is a terminal, this stdin. Stdin is read to its end first; < /dev/null gives none. "
             "The output comes as it is written. INT, TERM or HUP cancels the action and waits for its end; "
             "a second one leaves it to the engine.\n"
             "\n"
             "The program is begun once. A failure is the end, unless --retries says otherwise. An "
             "interruption (the engine or its launcher ended, the machine needed the memory, a directory did "
             "not answer) is the end as well, with exit code 125, unless --interruptions says how often it "
             "may begin again; stderr tells of each new beginning. An action that has not begun waits on, "
             "also while the engine is restarted.\n"
             "\n"
             "With -t the program has a terminal and keys go to it as they are typed. After Enter, ~. leaves it to "
             "the engine, ~^Z suspends yardctl, ~? lists these, ~~ is a tilde. It has no deadline but its own.\n"
             "\n"
             "With --json only the result is printed. Values of variables that match the setting "
             "env_never_kept are not kept.\n"
             "\n"
             "Exits as the program; 128 + signal; 124 deadline; 125 it could not be run to its end; 126, 127 "
             "as a shell; 1 an expected output is missing, or the output could not be written here.",
         .examples = "yardctl run -- make -j4\n"
                     "yardctl run -c 'sort | uniq -c' < words\n"
                     "yardctl run -t -- vim notes\n"
                     "yardctl run -d -q nightly --memory 2G --after 12 -- ./report\n"
                     "yardctl run --retries 2 --interruptions 5 -- ./fetch",
         .options = workOptions(Work::Run),
         .firstOperandEndsOptions = true,
         .runsPrograms = true,
         .function = runCommand},
        {.name = "submit",
         .usage = "[options] FILE|-",
         .summary = "submit actions from JSON",
         .details = forSubmit,
         .examples = "yardctl submit actions.json\n"
                     "./make-actions | yardctl submit --wait -q nightly -\n"
                     "yardctl submit --graph actions.json | dot -Tsvg > graph.svg",
         .exits = "0 when all was accepted, and with --wait all of it completed; 1 when it was refused, or with "
                  "--wait when one ended otherwise; 2 when the command line is wrong.",
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
         .details = "Prints a line for each action. With --queue it waits until the queue has nothing pending or "
                    "running; with --filter for those that match now. Of these, those that had failed or were "
                    "cancelled before count as well.",
         .examples = "yardctl wait 12..20\n"
                     "yardctl wait --queue nightly --timeout 2h\n"
                     "yardctl wait --any 12 13",
         .exits = "0 when all of them completed; 1 when one ended otherwise, or --timeout has passed; 2 when the "
                  "command line is wrong.",
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
         .details = "What it runs and where, how it is and why, when it was in which state, and what it used.",
         .examples = "yardctl show 12\n"
                     "yardctl show --json 12 | jq .exit_code",
         .options = {outOption()},
         .minOperands = 1,
         .function = showCommand},
        {.name = "why",
         .usage = "LSN…",
         .summary = "what actions wait for",
         .details =
             "Each reason has a line: a hold, capacity and the place in line, a lock and its holder, another "
             "action, a pause before the next attempt, a time, a limit; its start, or that it was told to "
             "end.",
         .examples = "yardctl why 12\n"
                     "yardctl why 12..20",
         .options = {},
         .minOperands = 1,
         .function = whyCommand},
        {.name = "attempts",
         .usage = "LSN…",
         .summary = "how each attempt of an action went",
         .details = "The one that is under way has no end yet. 'logs --attempt N' prints the output of one.",
         .examples = "yardctl attempts 12",
         .options = {},
         .minOperands = 1,
         .function = attemptsCommand},
        {.name = "compare",
         .usage = "A B",
         .summary = "in what two actions differ",
         .details = "In what was submitted, how they ended, and how long they took. What is alike is left out.",
         .examples = "yardctl compare 12 19",
         .options = {},
         .minOperands = 2,
         .maxOperands = 2,
         .function = compareCommand},
        {.name = "samples",
         .usage = "LSN…",
         .summary = "processor and memory of an action over time",
         .details = "Of the current or the last attempt.",
         .examples = "yardctl samples 12\n"
                     "yardctl samples --json 12 > samples.json",
         .options = {},
         .minOperands = 1,
         .function = samplesCommand},
        {.name = "logs",
         .usage = "[options] LSN",
         .summary = "the output of an action",
         .details = "Its stdout goes to stdout and its stderr to stderr.",
         .examples = "yardctl logs 12\n"
                     "yardctl logs -f 12\n"
                     "yardctl logs --attempt 1 --stderr 12",
         .options = {{"follow", 'f', "", "go on until the action has ended"},
                     {"attempt", 'n', "N", "of this attempt instead of the last"},
                     {"stdout", 0, "", "only its stdout"},
                     {"stderr", 0, "", "only its stderr"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = logsCommand},
        {.name = "ls",
         .usage = "[options] [LSN…] [FILTER…]",
         .summary = "list actions",
         .details = forList,
         .examples = "yardctl ls 12 15..20\n"
                     "yardctl ls state:failed,cancelled queue:7\n"
                     "yardctl ls 'worker:thumb*' -state:completed\n"
                     "yardctl ls 'finished>-1h' reason:exit_code,signal\n"
                     "yardctl ls started:yesterday..today 'label:\"night job\"'\n"
                     "yardctl ls 'mem>4GB' 'runtime:10min..2h' --sort -lsn",
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
         .details =
             "What is pending or running is so now; what has ended counts since the queue was made, in queue "
             "0 since the data directory was.",
         .examples = "yardctl queues\n"
                     "yardctl queues --json",
         .options = {},
         .maxOperands = 0,
         .function = queuesCommand},
        {.name = "queue",
         .usage = "create|show|hold|release|drain|cancel|delete|set [REF…]",
         .summary = "make and steer queues",
         .details = "  queue create [--tag TEXT] [KEY=VALUE…]   one that stays until it is deleted\n"
                    "  queue show REF…                          its counters and configuration\n"
                    "  queue hold|release REF…                  start nothing more from it; go on\n"
                    "  queue drain REF…                         take no more work, finish the rest;\n"
                    "                                           for good\n"
                    "  queue cancel REF…                        cancel everything in it; for good\n"
                    "  queue delete REF…                        the same, then forget it; finished\n"
                    "                                           actions stay\n"
                    "  queue set REF [options] [KEY=VALUE…]     configure it\n"
                    "Options are for 'set'; KEY=VALUE are the members of its configuration.",
         .examples = "yardctl queue create --tag nightly max_running=2\n"
                     "yardctl queue set nightly --retries 5 weight=0.5\n"
                     "yardctl queue hold nightly",
         .options = with({{"tag", 0, "TEXT", "create: what people see it as"}}, workOptions(Work::QueueSet)),
         .minOperands = 1,
         .function = queueCommand},
        {.name = "cancel",
         .usage = "LSN…|--filter F|--all",
         .summary = "cancel actions",
         .details = "A running program gets TERM, and KILL once the setting grace_s (2 seconds) is over: until its "
                    "processes have ended it is being cancelled. On a terminal --all asks first.",
         .examples = "yardctl cancel 12..20\n"
                     "yardctl cancel --filter 'queue:7 state:pending' --dry-run",
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
         .examples = "yardctl retry 12\n"
                     "yardctl retry --force --filter 'state:failed reason:engine_died'",
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
         .examples = "yardctl retire 12..20\n"
                     "yardctl retire --filter 'label:try*' --at-most 100",
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
         .details = "What runs goes on. 'release' takes it back.",
         .examples = "yardctl hold 12\n"
                     "yardctl hold --all",
         .options = {{"all", 'a', "", "hold every queue"}, kFilterOption, kDryRunOption, kAtMostOption},
         .function = holdCommand},
        {.name = "release",
         .usage = "LSN…|--filter F|--all",
         .summary = "let held actions, or all queues, go on",
         .details = "They start when their turn comes.",
         .examples = "yardctl release 12\n"
                     "yardctl release --all",
         .options = {{"all", 'a', "", "release every queue"}, kFilterOption, kDryRunOption, kAtMostOption},
         .function = releaseCommand},
        {.name = "priority",
         .usage = "N LSN…|--filter F",
         .summary = "change the priority of pending actions",
         .details = "N is -100 to 100; what has a higher one starts first.",
         .examples = "yardctl priority 50 12..20\n"
                     "yardctl priority -10 --filter 'name:\"make *\"'",
         .options = {kFilterOption, kDryRunOption, kAtMostOption},
         .minOperands = 1,
         .function = priorityCommand},
        {.name = "edit",
         .usage = "[options] LSN",
         .summary = "change an action in an editor, and submit it again",
         .details =
             "The editor is $VISUAL, else $EDITOR, else vi. Prints the LSN of the new action, which goes to the "
             "queue "
             "of the old one. Nothing is submitted when nothing was changed, or the editor fails.\n"
             "What failed only because of the old one (dependency_failed) is submitted again along with it, and so "
             "is what failed because of that. It waits for the new one, and a line for each says which is which. "
             "Where this cannot be done as it was, as across queues, nothing is submitted, and the message says "
             "why.\n"
             "Of an action that has ended there is nothing to cancel, and --replace says so. While pending actions "
             "wait for the old one, --replace is refused, as they would fail with it.",
         .examples = "yardctl edit 12\n"
                     "yardctl edit --alone 12\n"
                     "yardctl edit --replace 12",
         .options = {{"replace", 'r', "", "cancel the old one once the new one is accepted"},
                     {"alone", 0, "", "submit only this one, not what failed because of it"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = editCommand},
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
         .usage = "[waiting|drain|pause|abandon|sunset]",
         .summary = "state of the engine, and its moves",
         .details = "Without a word it shows the state. Of its actions those that have ended count since the data "
                    "directory was made, also when they are no longer kept; the others are there now.\n"
                    "  waiting   why pending actions have not started, counted by reason\n"
                    "  drain     no new work, the rest runs to its end\n"
                    "  pause     nothing new, nothing starts, running actions finish\n"
                    "  abandon   pending and running actions are abandoned at once\n"
                    "  sunset    tear down and end, as by TERM\n"
                    "Only a restart of the engine takes back drain, pause, abandon and sunset. 'hold --all' is a "
                    "pause that 'release --all' takes back.",
         .examples = "yardctl session\n"
                     "yardctl session waiting\n"
                     "yardctl session drain",
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
         .details = "Updates every second; q ends it, the space bar asks at once. Without a terminal, or with "
                    "--json, it is printed once.",
         .examples = "yardctl top\n"
                     "yardctl top --interval 5s",
         .options = {{"interval", 'i', "TIME", "ask so often (1s); 0.1s to 1h"},
                     {"once", '1', "", "print it once and leave"}},
         .maxOperands = 0,
         .function = topCommand},
        {.name = "events",
         .usage = "[FILTER…]",
         .summary = "what changes, as it happens",
         .details = "A line for each change of an action that FILTER means; without one for each end. With --json "
                    "the engine's own frames, a line each. It goes on until it is interrupted, or the engine ends.",
         .examples = "yardctl events queue:nightly\n"
                     "yardctl events --json state:failed",
         .options = {},
         .function = eventsCommand},
        {.name = "stats",
         .usage = "[--from TIME] [--to TIME]",
         .summary = "figures of the engine over time",
         .details = "Of the last 15 minutes, unless --from says otherwise; a week is kept. TIME is -1h (an hour "
                    "ago), 09:45, today, yesterday, 2026-11-20 or '2026-11-20 09:45'.",
         .examples = "yardctl stats\n"
                     "yardctl stats --from yesterday --to today",
         .options = {kFromOption, kToOption},
         .maxOperands = 0,
         .function = statsCommand},
        {.name = "timeline",
         .usage = "[--from TIME] [--to TIME] [--worker NAME]",
         .summary = "what ran when, a lane for each slot",
         .details = "Of the last hour, unless --from says otherwise. Where several attempts share a column the "
                    "worst is shown.",
         .examples = "yardctl timeline --from -10min --worker exec",
         .options = {kFromOption, kToOption, {"worker", 0, "NAME", "only this worker's slots"}},
         .maxOperands = 0,
         .function = timelineCommand},
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
        {.name = "gc",
         .usage = "[--dry-run]",
         .summary = "clear up finished actions and chunks that are not kept",
         .details = "What is kept is said by the settings keep_days, keep_actions, keep_disk_percent and "
                    "chunk_grace_s. The engine does it by itself, too, every ten minutes while something happens.",
         .examples = "yardctl gc --dry-run",
         .options = {{"dry-run", 'n', "", "only say what would go"}},
         .maxOperands = 0,
         .function = gcCommand},
        {.name = "locks",
         .usage = "",
         .summary = "list named locks, who holds them and who waits",
         .details = "Locks are shared by all engines of this user on this machine: those of others are listed too.",
         .examples = "yardctl locks",
         .options = {},
         .maxOperands = 0,
         .function = locksCommand},
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
        {.name = "completion",
         .usage = "bash|zsh|fish",
         .summary = "print completion for a shell",
         .details = "The shells ask 'completion values lsns|queues|workers' for what the engine has. DIR is a "
                    "directory in $fpath of zsh.",
         .examples = "yardctl completion bash > ~/.local/share/bash-completion/completions/yardctl\n"
                     "yardctl completion zsh > DIR/_yardctl\n"
                     "yardctl completion fish > ~/.config/fish/completions/yardctl.fish",
         .options = {},
         .minOperands = 1,
         .maxOperands = 2,
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

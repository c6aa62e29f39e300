#include "app/yardctl/command_tables.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/help_texts.h"
#include "app/yardctl/work_options.h"

namespace yard::ctl {

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> lookingCommands() {
    static const std::string forList = listDetails();
    static const Option kFromOption{"from", 0, "TIME", "begin there: -1h, 09:45, yesterday, 2026-11-20"};
    static const Option kToOption{"to", 0, "TIME", "end there, instead of now"};
    return {
        {.name = "ls",
         .usage = "[options] [LSN…] [FILTER…]",
         .summary = "list actions",
         .details = forList,
         .examples = "yardctl ls 12 15..20\n"
                     "yardctl ls state:failed,cancelled queue:7\n"
                     "yardctl ls 'worker:thumb*' -state:completed\n"
                     "yardctl ls 'finished>-1h' reason:exit_code,signal\n"
                     "yardctl ls started:yesterday..today 'label:\"night job\"'\n"
                     "yardctl ls 'mem>4GB' 'runtime:10min..2h' --sort -lsn\n"
                     "yardctl ls --columns lsn,exit_code,finished,name state:failed\n"
                     "yardctl ls --fold queue:nightly\n"
                     "yardctl ls --count-by label,reason state:failed 'finished>-1h'",
         .options = {{"limit", 'n', "N", "at most so many (100); 0 for all"},
                     queueOption(),
                     {"sort", 's', "FIELD", "by a field of the result, - before it for descending (-lsn)"},
                     {"columns", 'c', "COLUMNS", "these columns: lsn,state,name"},
                     {"fold", 0, "", "arrays and lists as one row each"},
                     {"count-by", 0, "FACETS", "numbers instead, by state,queue,worker,label,reason,machine"}},
         .takesFilter = true,
         .function = listCommand,
         .alias = "ps"},
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
             "end. Of one that did not complete it says how it ended; where it waited in vain for another "
             "one that was edited since, by which that is replaced.",
         .examples = "yardctl why 12\n"
                     "yardctl why 12..20",
         .options = {},
         .minOperands = 1,
         .function = whyCommand,
         .live = "active"},
        {.name = "graph",
         .usage = "[options] LSN | --queue REF",
         .summary = "who waits for whom",
         .details =
             "Of an action: what it waits for, directly or not, and what waits for it; of a queue what waits "
             "in it. At a terminal a line for each, else in the language of Graphviz. Arrays are one line, "
             "and so are several that are alike in what they wait for and what waits for them.\n"
             "\n"
             "LEFT is how long it usually takes from where it is, SPARE how much later it may end and the "
             "last one ends no later. The critical path, marked *, is the longest way to that end.",
         .examples = "yardctl graph 12\n"
                     "yardctl graph 12 | dot -Tsvg > graph.svg\n"
                     "yardctl graph --queue nightly --text",
         .options = {queueOption(),
                     {"dot", 0, "", "for Graphviz' dot, also at a terminal"},
                     {"text", 0, "", "a line for each, also where this is no terminal"},
                     {"unfold", 0, "", "each element of arrays by itself"},
                     {"limit", 'n', "N", "at most so many (2000): the nearest, of a queue the newest"}},
         .maxOperands = 1,
         .function = graphCommand},
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
         .usage = "[options] LSN… | --follow --queue REF | --follow --filter F",
         .summary = "the output of actions",
         .details =
             "Their stdout goes to stdout and their stderr to stderr. Of several actions each line begins with "
             "the LSN and the name, and --follow takes up to 32 of them.\n"
             "Lines have no times: --since shows the attempts that were not over by then, each from its "
             "start. TIME is -1h (an hour ago), 09:45, today, yesterday or '2026-11-20 09:45'. --tail keeps "
             "up to 4 MiB of a stream.\n"
             "\n"
             "--follow with --queue or --filter follows all that run and match; what starts later joins, until it "
             "is interrupted. 32 are followed at once; of more 1000 wait until one of these ends.",
         .examples = "yardctl logs 12\n"
                     "yardctl logs -f 12 15..17\n"
                     "yardctl logs --tail 20 -f 12\n"
                     "yardctl logs --since -1h 12..40\n"
                     "yardctl logs --attempt 1 --stderr 12\n"
                     "yardctl logs -f --queue nightly",
         .options = {{"follow", 'f', "", "go on until they have ended"},
                     {"tail", 0, "N", "of each stream of an attempt only the last N lines"},
                     {"since", 0, "TIME", "of all attempts that were not over by then"},
                     {"attempt", 'n', "N", "of this attempt instead of the last"},
                     {"stdout", 0, "", "only their stdout"},
                     {"stderr", 0, "", "only their stderr"},
                     queueOption(),
                     filterOption()},
         .function = logsCommand},
        {.name = "search",
         .usage = "[options] TEXT [LSN…] [FILTER…]",
         .summary = "lines with a text in the output of actions",
         .details =
             "Of all actions that match, the newest first: lines of the stdout and stderr of their last attempt "
             "that have the text, each behind its LSN. Capitals do not count. Of a stream the first 100 lines "
             "are shown, of a long line what is around the text. A search that finds nothing exits 1.",
         .examples = "yardctl search 'no space left'\n"
                     "yardctl search X3004 state:failed queue:nightly\n"
                     "yardctl search --line-number warning 12 15..20",
         .options = {{"limit", 'n', "N", "at most so many lines (1000)"},
                     {"line-number", 0, "", "with the number of the line: 12:88: text"},
                     {"case", 0, "", "capitals count"},
                     queueOption()},
         .minOperands = 1,
         .takesFilter = true,
         .function = searchCommand},
        {.name = "failures",
         .usage = "[options] [FILTER…]",
         .summary = "what failed alike, as one row",
         .details =
             "A group has the same first error line, but for numbers (#) and paths (<path>), and failed for "
             "the same reason. Of the newest 100000 failures, the 200 largest groups. --show has what differs "
             "within one: queues, workers, machines, hours, and what stood in place of # and <path>.\n"
             "\n"
             "A muted group is still counted, and says until when. 'failure:GROUP' is a filter: 'yardctl retry "
             "--filter failure:GROUP' runs all of a group again.",
         .examples = "yardctl failures\n"
                     "yardctl failures --since -1d queue:nightly\n"
                     "yardctl failures --show 3f0c91d2a4b8e677\n"
                     "yardctl failures --mute 3f0c91d2a4b8e677 --until tomorrow",
         .options = {{"since", 0, "TIME", "of those that ended from then on: -1h, 09:45, yesterday"},
                     {"show", 0, "GROUP", "the counts of this group"},
                     {"mute", 0, "GROUP", "mark it as known, with --until"},
                     {"until", 0, "TIME", "until then: +1h, 22:30 (the next one), tomorrow"},
                     {"unmute", 0, "GROUP", "end its mute"}},
         .takesFilter = true,
         .function = failuresCommand},
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
        {.name = "events",
         .usage = "[FILTER…]",
         .summary = "what changes, as it happens",
         .details =
             "A line for each change of an action that FILTER means; without one for each end. What leaves the "
             "filter is told once more, with its state. With --json the engine's own frames, a line each. It "
             "goes on until it is interrupted, or the engine ends.",
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
        {.name = "usage",
         .usage = "[--by KIND] [--from TIME] [--to TIME] [--csv]",
         .summary = "core hours, and what of them was for nothing",
         .details = "Of attempts that have ended, in the last day unless --from says otherwise: cores that they "
                    "reserved, times the time that they ran. Wasted is what did not complete: failures, also "
                    "those before a success, interruptions and what was cancelled. Memory is what was reserved, "
                    "else what was used at most. A wait is that for the last start, the mean of all actions that "
                    "ended.\n"
                    "\n"
                    "KIND is queue, worker, label (what stands before the first / : - _ or blank), machine, day or "
                    "hour (UTC), or waste: why attempts did not complete. At most 1000 rows; the smallest are "
                    "one, '…other'. --csv prints them for spreadsheets, in seconds and GB hours.",
         .examples = "yardctl usage\n"
                     "yardctl usage --by day --from 2026-11-01 --csv > november.csv\n"
                     "yardctl usage --by waste --from -7d",
         .options = {{"by", 'b', "KIND", "rows of: queue (usual), worker, label, machine, day, hour, waste"},
                     kFromOption,
                     kToOption,
                     {"csv", 0, "", "comma-separated, with a line of headings"}},
         .maxOperands = 0,
         .function = usageCommand},
        {.name = "timeline",
         .usage = "[--from TIME] [--to TIME] [--worker NAME]",
         .summary = "what ran when, a lane for each slot",
         .details = "Of the last hour, unless --from says otherwise. Where several attempts share a column the "
                    "worst is shown.",
         .examples = "yardctl timeline --from -10min --worker exec",
         .options = {kFromOption, kToOption, {"worker", 0, "NAME", "only this worker's slots"}},
         .maxOperands = 0,
         .function = timelineCommand},
    };
}

} // namespace yard::ctl

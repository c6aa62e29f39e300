#include "app/yardctl/command_tables.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/help_texts.h"
#include "app/yardctl/work_options.h"

namespace yard::ctl {

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> workCommands() {
    static const std::string forSubmit = submitDetails();
    return {
        {.name = "run",
         .usage = "[options] -- CMD…  or  -c 'LINE'",
         .summary = "run one program and exit as it does",
         .details =
             "As if it was typed here, but queued and kept: in this directory, with this environment and, "
             "unless it is a terminal, this stdin. Stdin is read to its end first; < /dev/null gives none. "
             "The output comes as it is written. INT, TERM or HUP cancels the action and waits for its end; "
             "a second one leaves it to the engine. Where stderr is a terminal it says what an action waits for "
             "that "
             "does not start.\n"
             "\n"
             "The program is begun once. A failure is the end, unless --retries says otherwise. An "
             "interruption (the engine or its launcher ended, the machine needed the memory, a directory did "
             "not answer) is the end as well, with exit code 125, unless --interruptions says how often it "
             "may begin again; stderr tells of each new beginning. An action that has not begun waits on, "
             "also while the engine is restarted.\n"
             "\n"
             "With -t the program has a terminal and keys go to it as they are typed. After Enter, ~. leaves it to "
             "the engine, ~^Z suspends yardctl, ~? lists these, ~~ is a tilde. HUP, as of a window that is closed, "
             "leaves it to the engine as well: 'attach' comes back. It has no deadline but its own.\n"
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
        {.name = "attach",
         .usage = "[options] LSN",
         .summary = "come back to the terminal of an action",
         .details =
             "Of an action that 'run -t' began, and whose yardctl was left with ~. or ended, or whose connection "
             "broke. Shows the end of what the program wrote, and has it draw itself again. Keys and ~. are as in "
             "'run -t'. A signal that ends yardctl leaves the action to the engine. An action that has ended is "
             "told.\n"
             "\n"
             "Exits as 'run'.",
         .examples = "yardctl attach 12\n"
                     "yardctl attach --share 12",
         .options = {{"share", 0, "", "also while somebody else is there: both see it, both type"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = attachCommand,
         .live = "terminals"},
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
             joined({{"wait", 'w', "", "then wait for them, as 'wait' does"},
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
             "Prints a line for each action once it has ended, with --all in the order given. With --queue it "
             "waits until the queue has nothing pending or running; with --filter for those that match now. "
             "What failed or was cancelled before it was asked counts as well, so that the exit code is not a "
             "matter of chance: with --queue all that is kept of the queue does. --queue and --filter together "
             "mean those "
             "of the queue that match. What 'edit' replaced counts as what was submitted in its place, which is "
             "waited for.\n"
             "With --timeout the actions go on when it has passed.",
         .examples = "yardctl wait 12..20\n"
                     "yardctl wait --queue nightly --timeout 2h\n"
                     "yardctl wait --queue 0 --filter 'new:today'\n"
                     "yardctl wait --any 12 13\n"
                     "yardctl wait --fail-fast --filter 'label:test*'",
         .exits =
             "0 when all of them completed, with --any the first that ended; 1 when one ended otherwise, or no "
             "action "
             "at all matches --filter (0 with --queue, which may have none of the kind); 2 when the command line "
             "is wrong, or there is no such action or queue; 124 when --timeout has passed first.",
         .options = {{"timeout", 't', "TIME", "give up after 90, 90s, 10min, 2h"},
                     {"all", 'a', "", "until all of them have ended, as without it"},
                     {"any", 0, "", "until the first of them has ended"},
                     {"fail-fast", 0, "", "until the first of them has ended otherwise than completed"},
                     notifyOption(),
                     queueOption(),
                     filterOption(),
                     outOption()},
         .unknownIsUsage = true,
         .function = waitCommand,
         .live = "active"},
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
             "One that has not begun is cancelled as soon as the new one is there, and what waits for it goes on "
             "with "
             "the new one likewise. One that runs goes on, unless --replace is given.\n"
             "Of an action that has ended there is nothing to cancel, and --replace says so. While pending actions "
             "wait for one that runs, --replace is refused, as they would fail with it.\n"
             "Each old one says by which it is replaced, and 'retry --filter' passes it over. One that was "
             "replaced "
             "already is refused, and the message names the newest one; --again edits it all the same.",
         .examples = "yardctl edit 12\n"
                     "yardctl edit --alone 12\n"
                     "yardctl edit --replace 12",
         .options = {{"replace", 'r', "", "cancel the old one that runs once the new one is accepted"},
                     {"alone", 0, "", "submit only this one, not what failed because of it"},
                     {"again", 0, "", "also one that was replaced already"}},
         .minOperands = 1,
         .maxOperands = 1,
         .function = editCommand},
    };
}

} // namespace yard::ctl

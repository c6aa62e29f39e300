#include "app/yardctl/command_tables.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/work_options.h"

namespace yard::ctl {

// NOLINTNEXTLINE(readability-function-size): a table
std::vector<Command> steeringCommands() {
    static const Option kYesOption{"yes", 'y', "", "--all: do not ask"};
    return {
        {.name = "queue",
         .usage = "create|show|hold|release|drain|cancel|delete|set|mark [REF…]",
         .summary = "make and steer queues",
         .details = "  queue create [TAG] [KEY=VALUE…]          one that stays until it is deleted\n"
                    "  queue show REF…                          its counters and configuration\n"
                    "  queue hold|release REF…                  start nothing more from it; go on\n"
                    "  queue drain REF…                         take no more work, finish the rest;\n"
                    "                                           for good\n"
                    "  queue cancel REF…                        cancel everything in it; for good\n"
                    "  queue delete REF…                        the same, then forget it; finished\n"
                    "                                           actions stay\n"
                    "  queue set REF [options] [KEY=VALUE…]     configure it\n"
                    "  queue mark COLOUR|none REF…              give it a colour, as 'mark' does\n"
                    "Options are for 'set'; KEY=VALUE are the members of its configuration.",
         .examples = "yardctl queue create nightly max_running=2\n"
                     "yardctl queue set nightly --retries 5 weight=0.5\n"
                     "yardctl queue hold nightly",
         .options = joined({{"tag", 0, "TEXT", "create: the same as TAG"},
                            {"another", 0, "", "create: also where another queue has this tag"}},
                           workOptions(Work::QueueSet)),
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
                     filterOption(),
                     dryRunOption(),
                     atMostOption()},
         .function = cancelCommand,
         .alias = "kill",
         .live = "active"},
        {.name = "retry",
         .usage = "LSN…|--filter F|--all",
         .summary = "run failed or abandoned actions again",
         .details =
             "They keep their LSN, and go again whatever their limit of retries says. --filter, --all and ranges "
             "pass over what 'edit' replaced, and what has a terminal: only by its LSN that goes again. Nobody is "
             "at a "
             "terminal then: 'attach' goes there.",
         .examples = "yardctl retry 12\n"
                     "yardctl retry --filter 'state:failed reason:engine_died'",
         .options = {{"force", 0, "", "changes nothing: what is asked for by hand has no limit"},
                     {"all", 'a', "", "all that failed or was abandoned, of every queue"},
                     filterOption(),
                     dryRunOption(),
                     atMostOption()},
         .function = retryCommand,
         .live = "failed"},
        {.name = "retire",
         .usage = "LSN…|--filter F|--all",
         .summary = "forget finished actions and their results",
         .details = "On a terminal --all asks first.",
         .examples = "yardctl retire 12..20\n"
                     "yardctl retire --filter 'label:try*' --at-most 100",
         .options = {{"all", 'a', "", "all that has finished, of every queue"},
                     kYesOption,
                     filterOption(),
                     dryRunOption(),
                     atMostOption()},
         .function = retireCommand,
         .alias = "rm",
         .live = "ended"},
        {.name = "hold",
         .usage = "LSN…|--filter F|--all",
         .summary = "keep pending actions, or all queues, from starting",
         .details = "What runs goes on. 'release' takes it back.",
         .examples = "yardctl hold 12\n"
                     "yardctl hold --all",
         .options = {{"all", 'a', "", "hold every queue"}, filterOption(), dryRunOption(), atMostOption()},
         .function = holdCommand,
         .live = "startable"},
        {.name = "release",
         .usage = "LSN…|--filter F|--all",
         .summary = "let held actions, or all queues, go on",
         .details = "They start when their turn comes.",
         .examples = "yardctl release 12\n"
                     "yardctl release --all",
         .options = {{"all", 'a', "", "release every queue"}, filterOption(), dryRunOption(), atMostOption()},
         .function = releaseCommand,
         .live = "held"},
        {.name = "priority",
         .usage = "N LSN…|--filter F",
         .summary = "change the priority of pending actions",
         .details = "N comes first and is -100 to 100; what has a higher one starts first.",
         .examples = "yardctl priority 50 12..20\n"
                     "yardctl priority -10 --filter 'name:\"make *\"'",
         .options = {filterOption(), dryRunOption(), atMostOption()},
         .minOperands = 1,
         .function = priorityCommand,
         .live = "pending"},
        {.name = "move",
         .usage = "--queue REF LSN…|--filter F",
         .summary = "move pending actions to another queue",
         .details = "They keep their LSN, their priority and their age, and from then on what the other queue is "
                    "configured to do holds for them. What has begun stays where it is.",
         .examples = "yardctl move --queue nightly 12..20\n"
                     "yardctl move -q 0 --filter 'queue:nightly label:urgent*' --at-most 10",
         .options = {queueOption(), filterOption(), dryRunOption(), atMostOption()},
         .function = moveCommand,
         .live = "pending"},
        {.name = "mark",
         .usage = "COLOUR|none LSN…|--filter F",
         .summary = "give actions a colour, or take it away",
         .details =
             "COLOUR is red, orange, yellow, green, blue, purple or grey. A mark is for people: nothing starts "
             "earlier or later for it. It fits every state, and stays until the action is retired. "
             "'ls mark:red' finds what has it, and 'queue mark' gives one to a queue.",
         .examples = "yardctl mark red 12..20\n"
                     "yardctl mark none --filter 'mark:grey state:completed'",
         .options = {filterOption(), dryRunOption(), atMostOption()},
         .minOperands = 1,
         .function = markCommand},
        {.name = "comment",
         .usage = "[--by NAME] LSN[,LSN]|--queue REF TEXT",
         .summary = "write something about actions or a queue",
         .details = "The first word names the actions: 12, 12..20 or 12,15; TEXT is what follows, at most 1,000 "
                    "characters; an action or a queue has at most 100 "
                    "comments, and they stay as long as it is kept. 'show' prints them, and "
                    "'ls comment:WORD' finds them.",
         .examples = "yardctl comment 12 ask Anna before you run this again\n"
                     "yardctl comment --queue nightly 'held until Monday'",
         .options = {queueOption(), {"by", 0, "NAME", "who writes it; else the user that runs yardctl"}},
         .minOperands = 1,
         .function = commentCommand},
    };
}

} // namespace yard::ctl

// What the session decides, as scripts (script.h has the language). Each row is one behaviour.
#include "tests/session/script.h"

#include <QTest>

using yard::session::test::runScript;

namespace {

struct Row {
    const char* sentence;
    const char* script;
};

const Row kOrder[] = {
    {"starts in order of age as far as the machine reaches",
     "cores 2; submit a b c; expect start a b; done a; expect finish a completed, start c"},
    {"higher priority goes first, whatever its age",
     "cores 1; submit a; submit b p5 c p-5 d p5 e; done a; expect start a c, finish a completed; done c; done e; "
     "done b;"
     "expect finish c completed, e completed, b completed, start e b d"},
    {"a lane of one class does not hold back another",
     "cores 2; class big 2; submit a; submit big b; submit c; expect start a c; done a; expect finish a completed; "
     "done c;"
     "expect finish c completed, start b"},
    {"a class that needs no core still starts",
     "cores 1; class none 0; submit none a b; submit c d; expect start a b c"},
    {"never hands out more than its limit", "cores 1; limit 2; class none 0; submit none a b c; expect start a b"},
    {"fractions of a core share it", "cores 1; class half 0.5; submit half a b c; expect start a b; done b; "
                                     "expect finish b completed, start c"},
    {"memory is not overbooked", "cores 4; memory 1000; class fat 1 memory 600; class thin 1 memory 400; "
                                 "submit fat a b; submit thin c d; expect start a c; done a; "
                                 "expect finish a completed, start b; done c; expect finish c completed, start d"},
    {"a named resource is counted beside the cores",
     "cores 4; amount licence.x 2; class x 1 licence.x 1; submit x a b c; submit d; expect start a b d; done b; "
     "expect finish b completed, start c"},
    {"half a named resource leaves the other half",
     "cores 4; amount gpus 1; class half 1 gpus 0.5; submit half a b c; expect start a b"},
    {"what is not one core takes a slot of its own, as long as there are any",
     "cores 4; shared 2; class bit 0.1; submit bit a b c; submit d; expect start a b d; done b; "
     "expect finish b completed, start c"},
    {"nothing is sent ahead beside what takes a part of a core",
     "cores 2; ahead 8; class bit 0.5; submit a; done a 1ms; submit bit b; submit c d e; "
     "expect start a b c, finish a completed"},
    {"what takes no core starts beside leases that wait ahead",
     "cores 1; ahead 1; memory 100; class none 0 memory 60; submit a; done a 1ms; submit b c d; submit none m n; "
     "expect start a b m, finish a completed, ahead c"},
    {"queues of equal weight take turns",
     "cores 1; queue q1; queue q2; submit q1 a b; submit q2 c d; done a; done c; done b; done d;"
     "expect start a c b d, finish a completed, c completed, b completed, d completed"},
    {"a queue with twice the weight starts twice as often",
     "cores 1; queue q1 weight 2; queue q2; submit q1 a b c d; submit q2 x y z; done a; done x; done b; done c; "
     "done y;"
     "expect start a x b c y d, finish a completed, x completed, b completed, c completed, y completed"},
    {"an idle queue does not save up turns", "cores 1; queue q1; queue q2; submit q1 a b c d; done a; done b; "
                                             "submit q2 x y z; done c; done x; done d; done y;"
                                             "expect start a b c x d y z, finish a completed, b completed, c "
                                             "completed, x completed, d completed, y completed"},
    {"a moved priority counts at once",
     "cores 1; submit a b c; priority c 1; state c pending; done a; expect start a c, finish a completed"},
    {"a moved action keeps its age in the new queue",
     "cores 1; queue q1 held; submit a; submit b; wait 1s; submit q1 c; move b q1; release q1; done a; "
     "expect start a b, finish a completed; counts q0 completed 1; counts q1 pending 2"},
    {"priority of a running action is refused",
     "submit a; refused wrong_state priority a 3; running a; refused wrong_state priority a 3;"
     "refused invalid priority a 101; refused wrong_state move a q0"},
    {"a move needs a queue that takes work", "queue q1 draining; queue q2; submit a b; refused wrong_state move b "
                                             "q1; forget q2; refused not_found move b q2"},
};

const Row kLife[] = {
    {"a lease is pending until the runner prepares it",
     "submit a; state a pending leased; counts q0 pending 1; submitting a; state a submitting; counts q0 running 1;"
     "running a; state a running; done a; state a gone; counts q0 completed 1; counts all completed 1"},
    {"running may be told without submitting, an end without either",
     "cores 2; submit a b; running a; state a running; done b; counts q0 running 1 completed 1"},
    {"an end is not visible before it is stored",
     "submit a; running a; store later; done a; state a running; counts q0 running 1; stored a; state a gone;"
     "counts q0 completed 1"},
    {"resources are free before the end is stored", "cores 1; submit a b; store later; done a; "
                                                    "expect start a b, finish a completed"},
    {"a retry is not started before it is stored",
     "submit q0 a; configure q0 backoff 0; running a; store later; fail a exit 1; state a running; counts q0 "
     "running 1;"
     "expect start a, retry a exit_code; stored a; expect start a#2; state a pending leased; counts q0 pending 1"},
    {"events of an older attempt are ignored", "configure q0 backoff 0; submit a; running a; fail a; running a; "
                                               "old a 1; state a running; counts q0 running 1"},
    {"events said twice count once", "submit a b; running a; running a; submitting a; state a running; counts q0 "
                                     "pending 1 running 1; done a; old a 1;"
                                     "expect start a b, finish a completed"},
    {"a lease that comes back is first again and uncounted",
     "cores 1; submit a b; return a; expect start a a; counts q0 pending 2; done a; expect finish a completed, "
     "start b"},
    {"a lease cannot come back once it ran", "submit a; running a; return a; state a running"},
};

const Row kDependencies[] = {
    {"an action waits for the end of another", "cores 2; submit a; submit after a b; state b pending; done a; "
                                               "expect start a b, finish a completed"},
    {"it waits until that end is stored", "cores 2; submit a; submit after a b; store later; done a; "
                                          "expect start a, finish a completed; stored a; expect start b"},
    {"it waits for all of them", "cores 3; submit a b; submit after a after b c; done b; done a; "
                                 "expect start a b c, finish b completed, a completed"},
    {"many may wait for one", "cores 3; submit a; submit after a b c d; done a; "
                              "expect start a b c d, finish a completed"},
    {"a retry is no end", "cores 2; configure q0 backoff 0; submit a; submit after a b; fail a; "
                          "expect start a a#2, retry a exit_code; done a; expect finish a#2 completed, start b"},
    {"its failure fails what waits for its success, and what waits for that",
     "cores 2; configure q0 retries 0; submit a; submit after a b; submit after b c; fail a; state c gone;"
     "expect start a, finish a failed exit_code, b failed dependency_failed, c failed dependency_failed;"
     "counts q0 failed 3"},
    {"any end will do where it says so",
     "cores 2; configure q0 retries 0; submit a c; submit after a:any b; submit after c:any d; fail a; cancel c; "
     "done c;"
     "expect start a c b d, finish a failed exit_code, c cancelled, stop c cancel"},
    {"what waits for a failure starts after one, and fails after a success",
     "cores 2; configure q0 retries 0; submit a c; submit after a:failed b; submit after c:failed d; fail a; done "
     "c;"
     "expect start a c b, finish a failed exit_code, c completed, d failed dependency_failed"},
    {"a cancelled predecessor fails what waits for its success",
     "cores 1; submit a b; submit after b c; cancel b; expect start a, finish b cancelled, c failed "
     "dependency_failed"},
    {"one that has ended already counts as it ended",
     "cores 2; configure q0 retries 0; submit a b; done a; fail b; submit after a=completed c; "
     "submit after b=failed d; submit after b:failed=failed e; submit after b:any=failed f;"
     "expect start a b c e, finish a completed, b failed exit_code, d failed dependency_failed; done c; "
     "expect finish c completed, start f"},
    {"one that is not known any more counts as wanted",
     "cores 2; submit a; done a; submit after a:failed=new b; expect start a b, finish a completed"},
    {"waiting, it can be cancelled, held and moved",
     "cores 3; queue q1; submit a; submit after a b c d; cancel b; hold c; "
     "priority d 5; move d q1; state d pending; done a; "
     "expect start a d, finish b cancelled, a completed; "
     "counts q1 pending 1; release c; expect start c"},
    {"waiting, it goes with its queue",
     "cores 2; queue q1; submit a; submit q1 after a b c; cancel q1; steps; done a; "
     "expect start a, finish b cancelled, c cancelled, a completed"},
    {"a predecessor that moves keeps those that wait for it",
     "cores 1; submit x; submit a; submit after a b; priority a 9; done x; done a; "
     "expect start x a b, finish x completed, a completed"},
    {"time and predecessors are both waited for",
     "cores 2; submit a; submit at 1s after a b; done a; state b pending timer; wait 2s; "
     "expect start a b, finish a completed"},
    {"what an abandoned session ends starts nothing",
     "cores 2; submit a; submit after a:any b; session abandoned; steps; "
     "expect start a, stop a abandon, finish a abandoned, b abandoned"},
    {"a chain survives many dead in between",
     "cores 1; submit a; submit after a b; submit after b:any c; cancel b; "
     "done a; expect start a c, finish b cancelled, a completed"},
};

const Row kLimits[] = {
    {"no more of a label than its queue allows",
     "cores 4; queue q1; limits q1 x 2; submit q1 label x a b c; submit q1 d; expect start a b d; done b; "
     "expect finish b completed, start c"},
    {"another queue has its own count",
     "cores 4; queue q1; limits q1 x 1; submit q1 label x a b; submit label x c d;"
     "expect start a c d"},
    {"higher priorities pass the gate first",
     "cores 2; queue q1; limits q1 x 1; submit q1 label x a b; submit q1 p5 label x c; done a; done c;"
     "expect start a c b, finish a completed, c completed"},
    {"a place that its candidate leaves goes to the next one",
     "cores 2; limits q0 x 1; submit label x a b c d; submit p9 y; submit p9 z; done a; cancel b; done z; "
     "expect start a y z c, finish a completed, b cancelled, z completed"},
    {"cancelled while it waits for a place", "cores 2; queue q1; limits q1 x 1; submit q1 label x a b c; cancel b; "
                                             "done a; expect start a c, finish b cancelled, a completed"},
    {"held while it waits for a place",
     "cores 2; queue q1; limits q1 x 1; submit q1 label x a b c; hold b; done a; "
     "expect start a c, finish a completed; release b; done c; "
     "expect finish c completed, start b"},
    {"moved while it waits for a place", "cores 2; queue q1; limits q1 x 1; submit q1 label x a b c; priority c 3; "
                                         "move b q0; expect start a b; done a; expect finish a completed, start c"},
    {"a limit that is lifted lets all through",
     "cores 4; queue q1; limits q1 x 1; submit q1 label x a b c; limits q1; expect start a b c"},
    {"a new limit counts what runs already",
     "cores 4; queue q1; submit q1 label x a b; limits q1 x 2; submit q1 label x c; done a;"
     "expect start a b c, finish a completed"},
    {"a cancelled queue takes along what waits for a place",
     "cores 2; queue q1; limits q1 x 1; submit q1 label x a b c; cancel q1; steps; done a; forget q1; "
     "expect start a, stop a cancel, finish b cancelled, c cancelled, a cancelled, forgotten q1"},
    {"an attempt that comes back gives its place back", "cores 2; queue q1; limits q1 x 1; submit q1 label x a b; "
                                                        "return a; expect start a a"},
    {"so many failures hold the queue",
     "cores 1; queue q1 retries 0 stop_after 2; submit q1 a b c d; fail a; done b; fail c; "
     "expect start a b c, finish a failed exit_code, b completed, c failed exit_code, stopped q1;"
     "release q1; expect start d; fail d; expect finish d failed exit_code"},
    {"what fails with another counts once, and so does the other",
     "cores 2; queue q1 retries 0 stop_after 3; submit q1 a x; submit q1 after a b; submit q1 c; fail a; "
     "expect start a x c, finish a failed exit_code, b failed dependency_failed; fail c; "
     "expect finish c failed exit_code, stopped q1"},
    {"a queue that is told when to stop counts from then",
     "cores 1; queue q1 retries 0; submit q1 a b c; fail a; configure q1 stop_after 1; fail b; "
     "expect start a b, finish a failed exit_code, b failed exit_code, stopped q1"},
};

const Row kLocks[] = {
    {"one lock has one holder, in the order of age",
     "cores 4; class k 1 lock x; submit k a b c; submit d; expect start a d; done a; expect finish a completed, "
     "start b; done b; expect finish b completed, start c"},
    {"classes that claim the same lock exclude each other, others do not",
     "cores 4; class k 1 lock x; class l 1 lock x lock y; class m 1 lock z; submit k a; submit l b; submit m c; "
     "expect start a c; done a; expect finish a completed, start b"},
    {"priority goes first when a lock becomes free",
     "cores 4; class k 1 lock x; submit k a b; submit k p5 c; expect start a; done a; expect finish a completed, "
     "start c"},
    {"what waits for a lock takes no place of others",
     "cores 1; class k 1 lock x; elsewhere x; submit k a; submit b; expect start b; done b; expect finish b "
     "completed; let_go x; expect start a"},
    {"what another engine holds waits until it lets go",
     "cores 2; class k 1 lock x; submit k a; elsewhere x; submit k b; done a; expect start a, finish a completed; "
     "let_go x; expect start b"},
    {"a start that found the lock held elsewhere goes back, uncounted",
     "cores 2; class k 1 lock x; submit k a; elsewhere x; return a; expect start a; waits a lock x elsewhere "
     "position "
     "0; let_go x; expect start a"},
    {"in a queue that is held nobody waits in front of others",
     "cores 4; class k 1 lock x; queue q1; queue q2; submit q1 k a b; submit q2 k c; hold q1; done a; expect "
     "start a c, finish a completed"},
    {"cancelled, moved and held ones make way",
     "cores 4; class k 1 lock x; queue q1; submit k a b c d e; cancel b; hold c; move d q1; done a; expect "
     "start a d, finish b cancelled, a completed; done d; expect finish d completed, start e; cancel e; expect"
     " stop e cancel"},
    {"cancelled with its queue while it waits for a lock",
     "cores 4; class k 1 lock x; queue q1; submit k a; submit q1 k b c; cancel q1; steps; expect start a, "
     "finish b cancelled, c cancelled"},
    {"a place of a label goes to one that needs no lock",
     "cores 4; class k 1 lock x; limits q0 l 1; elsewhere x; submit label l b; submit k p5 label l a; submit "
     "label l c; expect start b; done b; expect finish b completed, start c"},
    {"what claims two locks is not passed over forever",
     "cores 9; class k 1 lock x; class l 1 lock y; class m 1 lock x lock y; submit k a; submit l b; submit m "
     "c; submit p1 k a1 a2 a3 a4 a5 a6 a7 a8 a9; done a; done a1; done a2; done a3; done a4; done a5; done a6;"
     " done a7; waits a8 lock x kept position 0; waits c lock y b position 2; done b; running c; state c "
     "running; waits a8 lock x c position 0; done c; running a8; state a8 running"},
    {"a lock that is kept is given free when what it is for is held",
     "cores 9; class k 1 lock x; class l 1 lock y; class m 1 lock x lock y; submit k a; submit l b; submit m "
     "c; submit p1 k a1 a2 a3 a4 a5 a6 a7 a8 a9; done a; done a1; done a2; done a3; done a4; done a5; done a6;"
     " done a7; waits a8 lock x kept position 0; hold c; running a8; state a8 running"},
    {"a lock is not kept for what another engine keeps waiting",
     "cores 9; class k 1 lock x; class m 1 lock x lock y; elsewhere y; submit k a; submit m c; submit p1 k a1 "
     "a2 a3 a4 a5 a6 a7 a8 a9; done a; done a1; done a2; done a3; done a4; done a5; done a6; done a7; running "
     "a8; state a8 running"},
};

const Row kWaiting[] = {
    {"says which resource is short and how many come first",
     "cores 2; memory 100; class fat 1 memory 60; submit fat a b; submit fat c; waits b memory_mb 60/40 position "
     "0; "
     "waits c memory_mb 60/40 position 1; waits a starting memory_mb 60/40; running a; "
     "waits a nothing"},
    {"counts across lanes: higher priorities, older ones of other classes",
     "cores 1; class two 0.5; submit x; submit a b; submit two c d; submit p5 e f; submit p-5 g; submit p5 hold h; "
     "waits d cores 0.5/0 position 5; waits e cores 1/0 position 0; waits g cores 1/0 position 6"},
    {"says holds", "submit x; queue q1 held; submit hold a; submit q1 b; submit q1 hold c; "
                   "waits a held cores 1/0; waits b queue cores 1/0 position 0; waits c held queue cores 1/0"},
    {"says why a queue was stopped", "queue q1 retries 0 stop_after 1; submit q1 a b; fail a; "
                                     "waits b queue failures 1 position 0"},
    {"says what else is waited for",
     "cores 4; submit a b; submit after a after b c; waits c unmet 2; done a; waits c unmet 1; submit at 1s d; "
     "waits d timer; fail b; waits b backoff"},
    {"says limits",
     "cores 4; queue q1 max_running 1; queue q2; limits q2 x 1; submit q1 a b; submit q2 label x c d; "
     "waits b running 1/1 position 0; waits d label 1/1"},
    {"says which locks, and who has them",
     "cores 4; class k 1 lock x lock y; elsewhere y; class l 1 lock x; submit l "
     "a; submit k b; waits b lock x a lock y "
     "elsewhere position 0; done a; waits b lock y elsewhere position 0"},
    {"says that slots are short", "cores 4; shared 1; class bit 0.5; submit bit a b; waits b slot position 0"},
    {"says that the session holds", "submit a b; session paused; waits b session cores 1/0 position 0"},
};

const Row kRetries[] = {
    {"a failure is retried up to the limit, then it is final",
     "queue q1 retries 2 backoff 0; submit q1 a; fail a exit 3; fail a exit 3; fail a exit 3; state a gone;"
     "expect start a a#2 a#3, retry a exit_code, a#2 exit_code, finish a#3 failed exit_code; counts q1 failed 1"},
    {"no retries where the queue has none", "queue q1 retries 0; submit q1 a; fail a exit 1; "
                                            "expect start a, finish a failed exit_code"},
    {"an action's own number of retries goes before its queue's",
     "queue q1 retries 2 backoff 0; class once 1 retries 0; class thrice 1 retries 3; submit q1 once a; "
     "fail a exit 3; expect start a, finish a failed exit_code; "
     "submit q1 thrice b; fail b; fail b; fail b; fail b; "
     "expect start b b#2 b#3 b#4, retry b exit_code, b#2 exit_code, b#3 exit_code, finish b#4 failed exit_code"},
    {"an action's own number of interruptions goes before its queue's",
     "queue q1 interruptions 5 backoff 0; class never 1 interruptions 0; submit q1 never a; "
     "abandon a reason engine_died; expect start a, finish a abandoned engine_died"},
    {"interruptions do not count against the retries",
     "queue q1 retries 1 backoff 0; submit q1 a; abandon a reason lost_runner; abandon a reason engine_died; fail "
     "a; fail a;"
     "expect start a a#2 a#3 a#4, retry a lost_runner, a#2 engine_died, a#3 exit_code, finish a#4 failed "
     "exit_code"},
    {"interruptions have a limit of their own",
     "queue q1 interruptions 1; submit q1 a; abandon a reason engine_died; abandon a reason engine_died;"
     "expect start a a#2, retry a engine_died, finish a#2 abandoned engine_died; counts q1 abandoned 1"},
    {"one that ran at a restart runs again as the next attempt",
     "submit interrupted a; expect retry a engine_died, start a#2; done a; expect finish a#2 completed"},
    {"one that ran at a restart stays held",
     "submit hold interrupted a; expect retry a engine_died; state a pending held"},
    {"one that ran at a restart was run once too often",
     "queue q1 interruptions 0; submit q1 interrupted a; expect finish a abandoned engine_died; counts q1 "
     "abandoned 1"},
    {"never run twice means it", "queue q1 interruptions 0; submit q1 a; abandon a reason engine_stopped;"
                                 "expect start a, finish a abandoned engine_stopped"},
    {"a spawn error meets the limit of interruptions",
     "queue q1 interruptions 1 backoff 0; submit q1 a; never_ran a reason spawn_error; never_ran a reason "
     "spawn_error;"
     "expect start a a#2, retry a spawn_error, finish a#2 failed spawn_error"},
    {"a spawn error that cannot heal is final, whatever the rules say",
     "queue q1; rule q1 reason spawn_error yes; submit q1 a; never_ran a reason spawn_error cannot_heal;"
     "expect start a, finish a failed spawn_error; counts q1 failed 1"},
    {"an action whose spawn error was final runs when it is rescheduled by hand",
     "submit a; never_ran a reason spawn_error cannot_heal; reschedule a failed;"
     "expect start a a#2, finish a failed spawn_error; done a; expect finish a#2 completed"},
    {"what never ran for lack of its runner goes back uncounted",
     "queue q1 interruptions 0; submit q1 a; never_ran a reason lost_runner; expect start a a; done a; "
     "expect finish a completed"},
    {"the back-off doubles",
     "submit a; fail a; wakes 250ms; state a pending backoff; wait 1s; fail a; wakes 500ms; "
     "wait 1s; fail a; wakes 1s; expect start a a#2 a#3, retry a exit_code, a#2 exit_code, a#3 "
     "exit_code"},
    {"the back-off has a ceiling", "queue q1 retries 20 backoff 1s backoff_max 3s; submit q1 a; fail a; wait 2s; "
                                   "fail a; wait 3s; fail a; wakes 3s;"
                                   "wait 4s; fail a; wakes 3s"},
    {"no back-off when the engine was the cause",
     "submit a; abandon a reason engine_died; wakes never; expect start a a#2, retry a engine_died"},
    {"a rule by exit code forbids a retry",
     "queue q1; rule q1 exit 3 no; submit q1 a b; fail a exit 3; expect start a b, finish a failed exit_code"},
    {"the first rule that fits decides", "queue q1 backoff 0; rule q1 exit 3 yes; rule q1 reason exit_code no; "
                                         "submit q1 a; fail a exit 3; fail a exit 4;"
                                         "expect start a a#2, retry a exit_code, finish a#2 failed exit_code"},
    {"a rule by reason", "queue q1; rule q1 reason deadline no; submit q1 a; fail a reason deadline;"
                         "expect start a, finish a failed deadline"},
    {"a child of a failed parent is never retried by itself",
     "submit a; fail a reason dependency_failed; expect start a, finish a failed dependency_failed"},
    {"a retry keeps its age",
     "cores 1; configure q0 backoff 0; submit a; submit b p1 c; fail a; done c; fail a; done a; done b; "
     "expect start a c a#2 a#3 b, retry a exit_code, a#2 exit_code, finish c completed, a#3 completed, b "
     "completed"},
    {"a draining queue still retries", "queue q1 backoff 0; submit q1 a; drain q1; fail a; "
                                       "expect start a a#2, retry a exit_code"},
    {"back-off ends at its time, not before",
     "submit a; fail a; wait 199ms; state a pending backoff; wait 102ms; state a pending leased"},
};

const Row kReschedule[] = {
    {"by hand: counters move back",
     "queue q1 retries 1 backoff 0; submit q1 a; fail a; fail a; counts q1 failed 1; refused at_limit reschedule a "
     "failed "
     "tries 1; reschedule a failed tries 1 force; counts q1 pending 1; expect start a a#2 a#3, retry a exit_code, "
     "finish "
     "a#2 failed exit_code; fail a; expect finish a#3 failed exit_code; counts q1 failed 1"},
    {"by hand: its own limit goes before its queue's",
     "queue q1 retries 0 backoff 0; submit q1 a; fail a; refused at_limit reschedule a failed; "
     "refused at_limit reschedule a failed own 1 tries 1; reschedule a failed own 1; "
     "expect start a a#2, finish a failed exit_code"},
    {"only failed and abandoned ones", "submit a; done a; refused wrong_state reschedule a completed;"
                                       "refused wrong_state reschedule a cancelled force"},
    {"not while it is active", "submit a; refused wrong_state reschedule a failed"},
    {"not in a queue that drains", "queue q1 retries 0; submit q1 a; fail a; drain q1; "
                                   "refused wrong_state reschedule a failed force"},
    {"not in a queue that is gone", "queue q1 retries 0; submit q1 a; fail a; forget q1; "
                                    "refused wrong_state reschedule a failed force"},
    {"not while the session drains", "queue q1 retries 0; submit q1 a; fail a; session draining; "
                                     "refused not_accepting reschedule a failed force"},
};

const Row kCancel[] = {
    {"a pending action ends without an attempt",
     "submit a b; cancel b; state b gone; expect start a, finish b cancelled; counts q0 pending 1 cancelled 1"},
    {"a running one is stopped and ends cancelled whatever it says",
     "submit a; running a; cancel a; expect start a, stop a cancel; state a running; done a; "
     "expect finish a cancelled; counts q0 cancelled 1"},
    {"asking twice is fine", "submit a; running a; cancel a; cancel a; expect start a, stop a cancel"},
    {"one that has ended is refused", "submit a; store later; done a; refused wrong_state cancel a; stored a;"
                                      "refused not_found cancel a"},
    {"in its back-off",
     "submit a; fail a; cancel a; wakes never; expect start a, retry a exit_code, finish a cancelled"},
    {"between failure and its retry being stored",
     "submit a; store later; running a; fail a; cancel a; expect start a, retry a exit_code, finish a cancelled;"
     "counts q0 running 1; stored a; counts q0 cancelled 1; wakes never"},
    {"a cancelled action is never retried",
     "submit a; running a; cancel a; fail a; expect start a, stop a cancel, finish "
     "a cancelled"},
    {"a deadline that passed before the cancel stands, and is not retried",
     "submit a; running a; cancel a; fail a reason deadline enforced; expect start a, stop a cancel, finish a "
     "failed "
     "deadline; counts q0 failed 1"},
    {"a limit that was passed before its queue was cancelled stands",
     "queue q1; submit q1 a; running a; cancel q1; fail a reason memory enforced; expect start a, stop a cancel, "
     "finish a failed memory; counts q1 failed 1"},
    {"a deadline without a cancel is retried",
     "configure q0 backoff 0; submit a; running a; fail a reason deadline enforced; expect start a a#2, retry a "
     "deadline"},
    {"asked before a restart", "submit cancel_requested a; expect finish a cancelled; counts q0 cancelled 1"},
    {"asked before a restart of one that ran",
     "submit cancel_requested interrupted a; expect finish a cancelled; counts q0 cancelled 1; state a gone"},
    {"asked of its queue before a restart", "queue q1; submit q1 x; cancel q1; submit q1 interrupted a; expect "
                                            "start x, stop x cancel, finish a cancelled"},
    {"held ones too", "submit hold a; cancel a; expect finish a cancelled; counts q0 cancelled 1"},
    {"a lane goes on behind a cancelled first", "cores 1; submit a b c d; cancel b; cancel c; done a; expect start "
                                                "a d, finish b cancelled, c cancelled, a completed"},
};

const Row kHolds[] = {
    {"a held action waits, others pass", "cores 1; submit hold a; submit b; expect start b; release a; done b; "
                                         "expect finish b completed, start a"},
    {"held while queued, released in place", "cores 1; submit a b c; hold b; state b pending held; release b; done "
                                             "a; expect start a b, finish a completed"},
    {"held while queued, released after others passed", "cores 1; submit a b c d; hold b; done a; release b; done "
                                                        "c; expect start a c b, finish a completed, c completed"},
    {"running ones cannot be held", "submit a; running a; refused wrong_state hold a"},
    {"a lease that is held is asked back",
     "submit a; hold a; expect start a, take_back a; return a; state a pending held;"
     "release a; expect start a"},
    {"a queue is held and released as a whole",
     "cores 2; queue q1; hold q1; submit q1 a b; expect nothing; state a pending; release q1; expect start a b"},
    {"queue 0 can be held", "hold q0; submit a; expect nothing; release q0; expect start a"},
    {"a held queue keeps what is running", "queue q1; submit q1 a; running a; hold q1; state a running; done a; "
                                           "expect start a, finish a completed"},
    {"not before its time", "submit at 10s a; state a pending timer; wakes 10s; submit b; expect start b; wait 9s; "
                            "done b; expect finish b completed; wait 1s; expect start a"},
    {"held and not before its time: both must end",
     "submit hold at 10s a; wait 11s; state a pending held; release a; expect start a"},
    {"released before its time", "submit hold at 10s a; release a; expect nothing; wait 10s; expect start a"},
    {"not before survives a change of priority",
     "submit at 10s a; priority a 3; expect nothing; wakes 10s; wait 10s; expect start a"},
};

const Row kQueues[] = {
    {"max_running bounds what is handed out", "cores 4; queue q1 max_running 2; submit q1 a b c; submit d; expect "
                                              "start a b d; done a; expect finish a completed, "
                                              "start c"},
    {"max_running raised takes effect at once",
     "cores 4; queue q1 max_running 1; submit q1 a b c; configure q1 max_running 0; expect start a b c"},
    {"draining refuses new work and finishes the rest",
     "cores 1; queue q1; submit q1 a b; accepts q1; drain q1; refused wrong_state accepts q1; done a; done b;"
     "expect start a b, finish a completed, b completed; refused wrong_state drain q1"},
    {"cancelled ends everything",
     "cores 1; queue q1; submit q1 a b c; submit q1 hold d; submit q1 at 10s e; running a; cancel q1; "
     "expect start a, stop a cancel; steps; "
     "expect finish b cancelled, c cancelled, d cancelled, e cancelled; done a; "
     "expect finish a cancelled; counts q1 cancelled 5; refused wrong_state cancel q1; refused wrong_state accepts "
     "q1"},
    {"nothing of a cancelled queue starts before the steps",
     "cores 1; queue q1; submit a; submit q1 b; cancel q1; done a; expect start a, finish a completed; steps;"
     "expect finish b cancelled"},
    {"a retry in a cancelled queue is cancelled",
     "queue q1 backoff 0; submit q1 a; store later; fail a; cancel q1; stored a; "
     "expect start a, retry a exit_code, finish a cancelled; stored a; counts q1 cancelled 1"},
    {"a cancelled queue of the journal ends what comes back",
     "queue q1 cancelled; submit q1 a; expect finish a cancelled; counts q1 cancelled 1"},
    {"queue 0 cannot be drained, cancelled or deleted",
     "refused wrong_state drain q0; refused wrong_state cancel q0; refused wrong_state forget q0"},
    {"forgotten at once when nothing is active",
     "queue q1; forget q1; expect forgotten q1; refused not_found accepts q1"},
    {"forgotten when its last action has ended",
     "cores 1; queue q1; submit q1 a b; running a; forget q1; expect start a, stop a cancel; steps; "
     "expect finish b cancelled; refused wrong_state accepts q1; done a; expect finish a cancelled, forgotten q1; "
     "refused not_found hold q1"},
    {"a drained queue can be cancelled and forgotten", "queue q1; drain q1; cancel q1; forget q1; steps; "
                                                       "expect forgotten q1"},
    {"an action committed after its queue was forgotten ends cancelled", "queue q1; forget q1; submit q1 a; steps; "
                                                                         "expect forgotten q1, finish a cancelled"},
};

const Row kSession[] = {
    {"draining: no new work, the rest runs",
     "cores 1; submit a b; session draining; refused not_accepting accepts q0; "
     "done a; expect start a b, finish a completed"},
    {"paused: nothing starts, running ones finish", "cores 1; submit a b; session paused; refused not_accepting "
                                                    "accepts q0; done a; expect start a, finish a completed"},
    {"never back", "session paused; refused wrong_state session ready; refused wrong_state session draining"},
    {"abandoned: everything is abandoned at once",
     "cores 1; submit a b; submit hold c; submit at 9s d; running a; session abandoned; expect start a, stop a "
     "abandon; "
     "state a abandoned; state b abandoned; state c abandoned; state d abandoned; counts q0 abandoned 4; "
     "counts all abandoned 4; refused wrong_state cancel a; steps; "
     "expect finish a abandoned, b abandoned, c abandoned, d abandoned; state a gone; counts q0 abandoned 4; "
     "fail a; expect nothing; wakes never; counts q0 abandoned 4"},
    {"abandoned: a result that was on its way is kept",
     "cores 2; submit a b; store later; running a; done a; session abandoned; state a running; "
     "counts q0 running 1 abandoned 1; stored a; steps; stored b; counts q0 completed 1 abandoned 1"},
    {"abandoned: the process may end before or after its Finish is stored",
     "cores 2; submit a b; running a; running b; store later; session abandoned; fail a; steps; stored a; stored "
     "b; "
     "expect start a b, stop a abandon, b abandon, finish a abandoned, b abandoned; fail b; expect nothing; "
     "counts q0 abandoned 2"},
    {"abandoned: nothing is retried",
     "configure q0 backoff 0; submit a; store later; fail a; session abandoned; stored a;"
     "steps; expect start a, retry a exit_code, finish a abandoned"},
    {"abandoned: work committed meanwhile is abandoned too", "session abandoned; submit a; steps; expect finish a "
                                                             "abandoned; counts q0 abandoned 1"},
    {"sunset: running ones are stopped and go back, uncounted for retries",
     "cores 1; queue q1 retries 0; submit q1 a b; running a; session sunset; expect start a, stop a "
     "engine_stopped; "
     "abandon a reason engine_stopped; expect retry a engine_stopped; state a pending; counts q1 pending 2"},
    {"sunset: never run twice is final",
     "queue q1 interruptions 0; submit q1 a; running a; session sunset; "
     "abandon a reason engine_stopped; "
     "expect start a, stop a engine_stopped, finish a abandoned engine_stopped"},
    {"sunset: what had finished by itself is completed",
     "submit a; running a; session sunset; done a; "
     "expect start a, stop a engine_stopped, finish a completed"},
    {"sunset after abandoned stays abandoned",
     "submit a; session abandoned; session sunset; state a abandoned; steps; "
     "counts q0 abandoned 1; fail a"},
};

const Row kAhead[] = {
    {"nothing ahead while run times are unknown", "cores 1; ahead 2; submit a b c; expect start a"},
    {"nothing ahead where actions are long",
     "cores 1; ahead 2; submit a b c; done a 20ms; expect start a b, finish a "
     "completed"},
    {"short actions are handed out ahead, so many per slot",
     "cores 1; ahead 2; submit a b c d e f; done a 1ms; expect start a b, finish a completed, ahead c d; done b "
     "1ms;"
     "expect finish b completed, ahead e"},
    {"no action of several cores is leased ahead, nor what would come after it",
     "cores 2; ahead 2; class big 2; submit a; done a 1ms; submit b c; submit p1 big d; submit e; "
     "expect start a b c, finish a completed"},
    {"nothing ahead beside an action of several cores",
     "cores 4; ahead 2; class big 2; submit a; done a 1ms; submit big b; submit c d e f; "
     "expect start a b c d, finish a completed"},
    {"max_running counts leases ahead", "cores 1; ahead 4; queue q1 max_running 2; submit q1 a b c d; done a 1ms; "
                                        "expect start a b, finish a completed, ahead c"},
    {"an urgent arrival takes back what it overtakes",
     "cores 1; ahead 2; submit a b c d e; done a 1ms; expect start a b, finish a completed, ahead c d; submit p5 "
     "u; "
     "expect take_back c d; return c; return d; expect ahead u c; done b 1ms; expect finish b completed, ahead d"},
    {"an arrival of the same priority takes nothing back",
     "cores 1; ahead 2; submit a b c d; done a 1ms; submit u; expect start a b, finish a completed, ahead c d"},
    {"hold of the queue takes them back",
     "cores 1; ahead 2; submit a b c d; done a 1ms; hold q0; return c; return d; "
     "expect start a b, finish a completed, ahead c d, take_back c d; state c pending"},
    {"pause takes them back",
     "cores 1; ahead 1; submit a b c; done a 1ms; session paused; "
     "expect start a b, finish a completed, ahead c, take_back c; return c; expect nothing"},
    {"cancel asks back first and ends without an attempt",
     "cores 1; ahead 1; submit a b c; done a 1ms; cancel c; "
     "expect start a b, finish a completed, ahead c, take_back c; return c; expect finish c cancelled"},
    {"cancel of one that begins all the same stops it",
     "cores 1; ahead 1; submit a b c; done a 1ms; cancel c; done b 1ms; running c; "
     "expect start a b, finish a completed, b completed, ahead c, take_back c, stop c cancel; done c; "
     "expect finish c cancelled"},
    {"hold asks one back", "cores 1; ahead 1; submit a b c; done a 1ms; hold c; return c; state c pending held; "
                           "expect start a b, finish a completed, ahead c, take_back c"},
    {"sunset takes them back uncounted",
     "cores 1; ahead 1; submit a b c; done a 1ms; running b; session sunset; return c; "
     "state c pending; expect start a b, finish a completed, ahead c, take_back c, "
     "stop b engine_stopped"},
    {"abandoned: leases ahead are marked like the rest",
     "cores 1; ahead 1; submit a b c; done a 1ms; session abandoned; state c abandoned; return c; steps; "
     "fail b; counts q0 completed 1 abandoned 2"},
};

} // namespace

class TestScripts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void script_data();
    void script();
};

void TestScripts::script_data() {
    QTest::addColumn<QByteArray>("text");
    const auto rows = [](const char* group, const auto& table) {
        for (const Row& row : table) QTest::addRow("%s: %s", group, row.sentence) << QByteArray(row.script);
    };
    rows("order", kOrder);
    rows("life", kLife);
    rows("dependencies", kDependencies);
    rows("limits", kLimits);
    rows("locks", kLocks);
    rows("waiting", kWaiting);
    rows("retries", kRetries);
    rows("reschedule", kReschedule);
    rows("cancel", kCancel);
    rows("holds", kHolds);
    rows("queues", kQueues);
    rows("session", kSession);
    rows("ahead", kAhead);
}

void TestScripts::script() {
    QFETCH(QByteArray, text);
    const std::string wrong = runScript(text.toStdString());
    QVERIFY2(wrong.empty(), wrong.c_str());
}

QTEST_APPLESS_MAIN(TestScripts)
#include "tst_scripts.moc"

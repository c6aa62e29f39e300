// A little language to drive the real Session in virtual time and compare what it says.
//
// A script is statements between ";" or line ends; "#" begins a comment. After each statement the engine's part is
// played: what is in the outbox is noted, schedule() and check() run, and Retry and Finish count as stored at once
// (unless `store later`). Actions and queues have names; q0 is queue 0. The first statements may set the machine:
//     cores 2   slots 2   ahead 8   limit 100   shared 4   memory 1000   amount gpus 1
//                                                    (once something else was said they are fixed)
//     class k 1 lock x lock y                 (its actions claim these locks)
//     class big 4 memory 500 gpus 1           queue q1 weight 2 max_running 1 retries 0 interruptions 2 backoff 0
//     held draining rule q1 exit 3 no     rule q1 reason deadline yes limits q1 x 2 y 1     (labels of a queue and
//     how many of each may be handed out; none: no limits) submit q1 p5 big hold at 10s label x a b c     (all but
//     the names may be left out; at a
//            restart also `cancel_requested` and `interrupted`)
//     submit after a after b:any after c:failed d    (a predecessor that is gone: `after a=failed`, its state)
//     submitting a   running a   done a 2ms   fail a exit 3 | fail a reason deadline   abandon a reason engine_died
//     never_ran a reason lost_runner          return a      old a 1 done (an event of attempt 1)
//     stored a       step        steps (until no more work)          wait 250ms
//     cancel|hold|release a or q1     drain q1   forget q1   priority a 7   move a q2   configure q1 max_running 2
//     elsewhere x   let_go x   (another engine has the lock, has it no more)
//     session paused        reschedule a failed [force] [tries N]
// and what must hold:
//     expect start a b, ahead c, finish a completed, stop b cancel, take_back c, retry a exit_code, stopped q1,
//     forgotten q1
//            (all that was noted since the last expect, in the order of Outbox; `expect nothing`; attempt 2 is a#2)
//     state a pending held leased backoff | gone       counts q1 pending 1 running 1 … (those not named are 0)
//     waits a held queue unmet 2 backoff running 1/1 label 2/2 lock x a cores 1/0 position 3      (what Waiting
//     says) refused WORD cancel a  (the statement fails with this error name)     wakes 250ms | never (±20 % from
//     now)
#pragma once

#include <string>
#include <string_view>

namespace yard::session::test {

/// Empty when all of it held; else the line, what was expected and what was.
std::string runScript(std::string_view script);

} // namespace yard::session::test

// A little language to drive the real Session in virtual time and compare what it says.
//
// A script is statements between ";" or line ends; "#" begins a comment. After each statement the engine's part is
// played: what is in the outbox is noted, schedule() and check() run, and Retry and Finish count as stored at once
// (unless `store later`). Actions and queues have names; q0 is queue 0.
//
// The machine, as first statements only. Without them: cores 1, slots as many as cores, ahead 0, limit and shared
// 1000, memory 0, no amounts:
//     cores 2   slots 2   ahead 8   limit 100   shared 4   memory 1000   amount gpus 1
// Classes and queues. A class has cores, then pairs; its actions claim its locks. `retries` and `interruptions` of
// a class are the actions' own limits. Class `one` (1 core) is there from the start:
//     class big 4 memory 500 gpus 1
//     class k 1 lock x lock y retries 2 interruptions 3
//     queue q1 weight 2 max_running 1 stop_after 5 retries 0 interruptions 2 backoff 0 backoff_max 1s
//     queue q2 held draining            (words of a queue that is there at a start: held, draining, cancelled)
//     configure q1 max_running 2        (the same pairs)
//     rule q1 exit 3 no                 (a retry rule; at the end of the list)
//     rule q1 reason deadline yes
//     limits q1 x 2 y 1                 (labels and how many of each may be handed out; none: no limits)
// Actions: first the options, then the names. An option holds for the names behind it; all may be left out:
//     submit q1 p5 big hold at 10s label x a b c
//     submit after a after b:any after c:failed d
//     submit after a=failed d           (a predecessor that is gone: its state)
//     submit cancel_requested a         (at a restart; also `interrupted`)
// What people ask for; a queue or an action by its name:
//     hold a     release a     cancel a     priority a 7     move a q2
//     hold q1    release q1    cancel q1    drain q1         forget q1      accepts q1
//     reschedule a failed [force] [own N] [tries N]       (its state; its own limit; retries before)
//     session paused                                      (ready, draining, paused, abandoned, sunset)
// What runners and the journal tell, of the attempt that is on; `old a 1` is a late end of attempt 1:
//     submitting a     running a     return a     old a 1
//     done a 2ms       fail a exit 3       fail a reason deadline     abandon a reason engine_died
//     never_ran a reason lost_runner       (more words of an end: a run time, cannot_heal, enforced)
//     store later      stored a
//     elsewhere x      let_go x            (another engine has the lock x, has it no more)
// Time and turns:
//     wait 250ms       step       steps    (steps: until no more work)
//
// What must hold:
//     expect start a b, ahead c, finish a completed, stop b cancel, take_back c, retry a exit_code, stopped q1,
//            forgotten q1               (on one line: all that was noted since the last expect, in the order of
//            Outbox; `expect nothing`; attempt 2 of a is a#2)
//     state a pending held leased backoff timer           (or `state a gone`)
//     counts q1 pending 1 running 1                       (those not named are 0; `counts all` is every queue)
//     waits a held queue unmet 2 backoff running 1/1 label 2/2 lock x a cores 1/0 position 3
//            (on one line: what WaitReasons::of() says, in the order of script_expect.cpp)
//     refused WORD cancel a             (the statement fails with this error name)
//     wakes 250ms                       (+-20 % from now; `wakes never`)
#pragma once

#include <string>
#include <string_view>

namespace yard::session::test {

/// Empty when all of it held; else the line, what was expected and what was.
std::string runScript(std::string_view script);

} // namespace yard::session::test

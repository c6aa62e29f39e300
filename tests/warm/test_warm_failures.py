#!/usr/bin/env python3
"""Warm processes that die, break the protocol, or are cancelled and stopped at their deadline.
test_warm_failures.py YARDMASTER"""

import json
import os
import signal
import sys

import warm_case
from waiting import lives, wait_for
from warm_case import FUNCTIONS, RAW, WORKER, WarmCase


class Failures(WarmCase):
    def test_a_crash_fails_the_one_that_was_alone(self):
        self.register()
        result = self.run_one("die")
        self.assertEqual((result["state"], result["reason"], result["retry_count"]), ("failed", "worker_crashed", 3))
        self.assertIn("signal 9", result["note"])
        self.assertIn("about to die", result["note"])
        self.assertEqual(self.value("add", {"a": 1, "b": 1}), 2)

    def test_how_a_process_died_is_told_and_not_our_own_kill(self):
        self.register(text=WORKER.replace("held = []", """held = []
@yard_worker.function()
def fault(args, job):
    print("one\\nValueError: two", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGSEGV)
@yard_worker.function()
def leave(args, job):
    os._exit(9)
@yard_worker.function()
def hang_up(args, job):
    import socket
    socket.socket(fileno=os.dup(int(os.environ["YARD_SOCKET_FD"]))).shutdown(socket.SHUT_RDWR)
    time.sleep(1000)
@yard_worker.function()
def let_go(args, job):
    os.close(int(os.environ["YARD_SOCKET_FD"]))
    time.sleep(1000)
"""), functions=FUNCTIONS + ["fault", "leave", "hang_up", "let_go"])
        for function, words in [("fault", "its warm process died: it was ended by signal 11; its last output: ValueError: two"),
                                ("leave", "its warm process died: it ended with exit code 9; it printed nothing"),
                                ("hang_up", "its warm process was ended: it closed its socket and went on; it printed nothing"),
                                ("let_go", "its warm process was ended: it closed its socket and went on; it printed nothing")]:
            result = self.run_one(function, queue=self.queue(max_retries=0))
            self.assertEqual((result["reason"], result["note"]), ("worker_crashed", words))

    def test_a_crash_that_does_not_come_again_is_retried(self):
        self.register()
        result = self.run_one("once", self.path("flag"))
        self.assertEqual((result["state"], result["result"], result["retry_count"]), ("completed", "alive", 1))

    def test_what_no_process_read_goes_elsewhere_uncounted(self):
        # Each process answers one, and ends with the next in its socket.
        self.register(text=RAW + "frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n, '{}')\nos._exit(0)\n",
                      functions=["f"], pool={"max_processes": 1, "io": "inline"})
        queue = self.queue(max_retries=0, max_interruptions=0)
        lsns = self.call("POST", "queues/%d/jobs" % queue, [dict(worker="w", function="f") for _ in range(40)])["lsns"]
        self.assertEqual({(r["state"], r["retry_count"]) for r in map(self.result, lsns)}, {("completed", 0)})

    def test_a_worker_that_never_reads_fails_its_actions_and_says_how_it_ended(self):
        result = self.raw("frame(0, '{\"ready\":true}')\nprint('no licence', flush=True)\nos._exit(3)\n")
        self.assertEqual((result["state"], result["reason"], result["note"]),
                         ("failed", "worker_crashed", "10 warm processes ended before they read it; the last one: "
                          "it ended with exit code 3; its last output: no licence"))

    def test_what_may_not_be_interrupted_is_not_run_again(self):
        self.register(environment={"CONCURRENCY": "2"}, pool={"max_processes": 1})
        queue = self.queue(max_interruptions=0)
        for end in ("crash", "cancel"):
            with self.subTest(end):
                held = self.hold_one(end, function="count", queue=queue)
                if end == "crash":
                    self.submit("once", self.path("flag"))
                else:
                    self.call("POST", "jobs/%d/cancel" % self.hold_one("other"))
                result = self.result(held)
                self.assertEqual((result["state"], result["reason"], result["retry_count"]), ("abandoned", "lost_runner", 0))
                self.assertIn("its warm process, which worked on others too, ", result["note"])
                with open(self.path(end + ".marks"), encoding="utf-8") as marks:
                    self.assertEqual(marks.read(), "x")

    def test_those_that_shared_a_crash_were_interrupted(self):
        self.register(environment={"CONCURRENCY": "2"}, pool={"max_processes": 1})
        held = self.hold_one()
        crashed = self.submit("once", self.path("flag"))
        wait_for(lambda: [p for p in self.pool()["gone"] if p["why"] == "crashed"], "it crashed")
        self.let_go()
        self.assertEqual([self.result(lsn)["state"] for lsn in (held, crashed)], ["completed"] * 2)
        self.assertEqual([(r["retry_count"], r["attempts"][0]["state"], r["attempts"][0]["reason"])
                          for r in (self.result(held), self.result(crashed))], [(1, "abandoned", "lost_runner")] * 2)

    def test_whoever_shared_two_crashes_has_a_process_for_itself(self):
        self.register(environment={"CONCURRENCY": "4"}, pool={"max_processes": 1})
        queue = self.call("POST", "queues", {"config": {"max_retries": 0}})["queue_id"]
        held = [self.hold_one(name) for name in ("a", "b", "c")]
        poison = self.call("POST", "queues/%d/jobs" % queue, {"worker": "w", "function": "die"})["lsn"]
        wait_for(lambda: len([p for p in self.pool()["gone"] if p["why"] == "crashed"]) > 1, "two crashed")
        for name in ("a", "b", "c"):
            self.let_go(name)
        for result in map(self.result, held):
            self.assertEqual((result["state"], {a["reason"] for a in result["attempts"][:-1]}), ("completed", {"lost_runner"}))
        result = self.result(poison)
        self.assertEqual((result["state"], result["reason"]), ("failed", "worker_crashed"))
        self.assertIn("its warm process died: it was ended by signal 9", result["note"])
        self.assertLessEqual(len([p for p in self.pool()["gone"] if p["why"] == "crashed"]), 3)

    def test_what_an_aborted_run_left_is_no_output_of_the_next(self):
        self.register(text=WORKER.replace("held = []", """held = []
@yard_worker.function()
def part(args, job):
    open(os.path.join(job.outputs, str(os.getpid())), "w").close()
    os.chmod(job.inputs, 0o700)
    os.unlink(os.path.join(job.inputs, "i.txt")) # there again for the next one
    return gate(args, job)
"""), functions=FUNCTIONS + ["part"], environment={"CONCURRENCY": "2"}, pool={"max_processes": 1})
        part = self.submit("part", self.path("part"), inputs={"i.txt": self.chunk(b"hello")})
        wait_for(lambda: os.path.exists(self.path("part.running")), "it runs")
        first, = self.processes()
        self.call("POST", "jobs/%d/cancel" % self.hold_one())
        wait_for(lambda: [g for g in self.pool()["gone"] if g["id"] == first["id"]], "its process was ended")
        self.let_go("part")
        result = self.result(part)
        self.assertEqual((result["state"], result["retry_count"]), ("completed", 1), result)
        self.assertNotEqual(result["result"], first["pid"])
        self.assertEqual(list(result["outputs"]), [str(result["result"])])

    def test_a_private_queue_serves_each_at_the_least_busy(self):
        self.register(pool={"max_processes": 2, "queue": "private"})
        held = self.hold_one()
        lined = self.submit("pid")  # at the only process there is
        wait_for(lambda: sorted((p["state"], p["sessions"]) for p in self.processes()) == [("busy", 2), ("idle", 0)],
                 "it is in line, and another one is there")
        self.assertEqual(self.run_one("pid")["state"], "completed")
        self.assertEqual(max(p["sessions"] for p in self.processes()), 2)
        self.let_go()
        self.assertEqual(self.result(lined)["result"], self.result(held)["result"])

    def test_a_deadline_ends_the_process_and_is_final_for_the_attempt(self):
        self.register(pool={"max_processes": 1})
        first = self.value("pid")
        queue = self.call("POST", "queues", {"config": {"max_retries": 0}})["queue_id"]
        lsn = self.call("POST", "queues/%d/jobs" % queue,
                        dict(worker="w", function="gate", args=self.path("never"), deadline_s=0.3))["lsn"]
        result = self.result(lsn)
        self.assertEqual((result["state"], result["reason"]), ("failed", "deadline"))
        self.assertNotEqual(self.value("pid"), first)
        self.assertFalse(lives(first))
        self.assertEqual([g["why"] for g in self.pool()["gone"] if g["pid"] == first], ["action_ended"])

    def test_a_cancel_after_the_deadline_does_not_change_why_it_ended(self):
        self.call("PATCH", "settings", {"grace_s": 30})
        # It resists before it is asked for anything: on a busy machine the deadline may pass first.
        self.register(text="""#!/usr/bin/env python3
import os, signal, time
import yard_worker

signal.signal(signal.SIGTERM, lambda *_: open(%r, "w").close())

@yard_worker.function()
def resist(args, job):
    while not os.path.exists(args):
        time.sleep(0.005)
    os._exit(0)

yard_worker.run()
""" % self.path("end.term"), functions=["resist"])
        lsn = self.submit("resist", self.path("end"), deadline_s=0.3)
        wait_for(lambda: os.path.exists(self.path("end.term")), "its deadline passed")
        self.call("POST", "jobs/%d/cancel" % lsn)
        self.let_go("end")
        result = self.result(lsn)
        self.assertEqual((result["state"], result["reason"], result["retry_count"]), ("failed", "deadline", 0))

    def test_cancel_of_a_running_and_of_a_waiting_one(self):
        self.register(pool={"max_processes": 1})
        running = self.hold_one()
        waiting = self.submit("pid")
        self.call("POST", "jobs/%d/cancel" % waiting)
        self.assertEqual(self.result(waiting)["state"], "cancelled")
        self.call("POST", "jobs/%d/cancel" % running)
        self.assertEqual(self.result(running)["state"], "cancelled")
        self.assertEqual(self.value("add", {"a": 1, "b": 1}), 2)

    def test_a_worker_that_does_not_start_says_why(self):
        self.register(text="#!/usr/bin/env python3\nraise SystemExit('no licence')\n", functions=["f"])
        lsn = self.submit("f")
        result = wait_for(lambda: (lambda r: r if r.get("attempts") else None)(self.so_far(lsn)), "it failed")
        self.assertEqual(result["attempts"][0]["reason"], "spawn_error", result)
        self.assertIn("handshake", json.dumps(result))
        self.assertIn("no licence", json.dumps(result))
        self.call("POST", "jobs/%d/cancel" % lsn)

    def test_garbage_is_detached(self):
        for script, words in (("frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n, 'no json')\nread()", "garbage"),
                              ("frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n + 1, '{}')\nread()", "not asked"),
                              ("frame(0, '{\"ready\":true}')\nn, r = read()\ns.sendall(b'\\xff' * 12)\nread()", "1 MiB")):
            result = self.raw(script)
            self.assertEqual((result["state"], result["reason"]), ("failed", "worker_crashed"), result)
            self.assertIn(words, result["note"])
            self.call("DELETE", "workers/w")

    def test_an_answer_given_twice_is_detached(self):
        self.register(text=RAW + "frame(0, '{\"ready\":true}')\nwhile True:\n    n, r = read()\n    frame(n, '{}')\n    frame(n, '{}')\n",
                      functions=["f"], pool={"max_processes": 1})
        self.assertEqual(self.run_one("f")["state"], "completed")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["why"] == "crashed"], "it was detached")

    def test_a_first_frame_that_is_not_ready_is_a_spawn_error(self):
        result = self.raw("frame(0, '{\"ready\":false}')\nread()")
        self.assertEqual((result["state"], result["reason"]), ("failed", "spawn_error"))
        self.assertIn("ready", result["note"])


if __name__ == "__main__":
    warm_case.main()

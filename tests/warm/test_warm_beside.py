#!/usr/bin/env python3
"""Warm and other work at one machine, and the end of the engine.
test_warm_beside.py YARDMASTER"""

import os
import signal
import threading

import warm_case
from waiting import lives, wait_for
from warm_case import WarmCase


class Beside(WarmCase):
    def test_cores_are_shared_with_process_actions(self):
        self.register(pool={"max_processes": 2})
        os.mkdir(self.path("meeting"))
        lsns = [self.submit("meet", {"dir": self.path("meeting"), "count": 2}) for _ in range(2)]
        for lsn in lsns:
            self.result(lsn)
        # Two idle warm processes hold no cores: both are free for commands.
        both = [self.call("POST", "jobs", {"worker": "exec", "argv": ["/bin/sh", "-c", "touch %s.$0; while [ ! -e %s.1 ] || "
                                           "[ ! -e %s.2 ]; do sleep 0.01; done" % ((self.path("c"),) * 3), str(i)]})["lsn"]
                for i in (1, 2)]
        self.assertEqual([self.result(lsn)["state"] for lsn in both], ["completed"] * 2)

    def test_neither_warm_nor_other_work_starves(self):
        self.register(pool={"max_processes": 2, "io": "inline"})
        stop = threading.Event()

        def flood():
            while not stop.is_set():
                lsns = self.call("POST", "jobs", [dict(worker="w", function="pid") for _ in range(200)])["lsns"]
                self.result(lsns[-1])

        floods = [threading.Thread(target=flood) for _ in range(2)]
        for thread in floods:
            thread.start()
        try:
            for _ in range(3):
                result = self.result(self.call("POST", "jobs", {"worker": "exec", "argv": ["/bin/true"]})["lsn"])
                self.assertEqual(result["state"], "completed")
        finally:
            stop.set()
            for thread in floods:
                thread.join()

    def test_removing_a_worker_ends_its_processes(self):
        self.register()
        first = self.value("pid")
        self.call("DELETE", "workers/w")
        self.assertEqual(self.processes(), [])
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "removed"], "it went")
        self.assertFalse(lives(first))
        self.register()
        self.value("pid")

    def test_a_stop_puts_running_ones_back_and_leaves_no_process(self):
        self.register()
        lsn = self.hold_one()
        pid = self.processes()[0]["pid"]
        self.stop()
        self.assertFalse(lives(pid))
        self.let_go()
        self.start()
        result = self.result(lsn)
        self.assertEqual((result["state"], result["attempts"][0]["reason"]), ("completed", "engine_stopped"))

    def test_a_killed_engine_runs_what_was_sent_again_and_counts_it(self):
        self.register()
        lsn = self.hold_one()
        pid = self.processes()[0]["pid"]
        self.engine.send_signal(signal.SIGKILL)
        self.engine.wait(120)
        self.engine.stdout.close()
        self.let_go()
        self.start()
        self.assertFalse(lives(pid))
        result = self.result(lsn)
        self.assertEqual((result["state"], result["attempts"][0]["reason"], result["retry_count"]),
                         ("completed", "engine_died", 1))


if __name__ == "__main__":
    warm_case.main()

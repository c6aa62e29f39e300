#!/usr/bin/env python3
"""What bounds warm processes: number, memory, idle time, requests, cores.
test_warm_limits.py YARDMASTER"""

import os

import warm_case
from waiting import wait_for
from warm_case import WarmCase


class Limits(WarmCase):
    def test_max_processes_and_waiting(self):
        self.register(pool={"max_processes": 1})
        self.hold_one()
        others = [self.submit("pid") for _ in range(4)]
        group = wait_for(lambda: [g for g in self.pool()["groups"] if g["waiting"] == 4], "four wait")[0]
        self.assertEqual(len(group["processes"]), 1)
        self.assertEqual(len(group["processes"][0]["current"]), 1)
        self.let_go()
        self.assertEqual(len({self.result(lsn)["result"] for lsn in others}), 1)

    def test_what_a_request_waits_for_is_said_in_processes(self):
        self.register(environment={"CONCURRENCY": "2"}, pool={"max_processes": 1})
        self.register(name="other", pool={"max_processes": 2})
        self.call("PATCH", "pool", {"max": 1})
        held = [self.hold_one(name) for name in ("a", "b")]
        self.assertEqual(len(held), 2)
        full = {"kind": "capacity", "resource": "processes", "need": 1, "free": 0, "most": 1, "running": 1}
        for worker, limit, words in (("w", "max_processes", "its worker's 1 process is busy; it may have 1 at most"),
                                     ("other", "pool_max", "its worker has no process; the pool is full: 1 of 1 process")):
            lsn = self.submit("pid", worker=worker)
            wait_for(lambda: self.call("GET", f"jobs/{lsn}/why")["waits"] == [{**full, "name": limit, "message": words}], words)
            self.assertEqual(self.so_far(lsn)["note"], words)
        for name in ("a", "b"):
            self.let_go(name)

    def why(self, lsn):
        waits = self.call("GET", f"jobs/{lsn}/why")["waits"]
        return waits[0] if len(waits) == 1 else {}

    def exec(self, *argv, **more):
        return self.call("POST", "jobs", dict(worker="exec", argv=argv, cwd="/", **more))["lsn"]

    def test_cores_that_are_kept_for_something_large_are_named_and_given_when_that_is_cancelled(self):
        self.register()
        self.exec("sleep", "1000")
        large = self.exec("true", resources={"cores": 2})
        small = dict(worker="exec", argv=["true"], cwd="/", label="small")
        last = self.call("POST", "jobs", [small] * 1100)["lsns"][-1]
        wait_for(lambda: self.why(last).get("kept_for") == large, "it was passed over a thousand times")
        self.call("POST", "jobs/cancel", {"filter": "label:small"})
        warm = self.submit("pid")
        said = {"kind": "capacity", "resource": "cores", "need": 1, "free": 1, "kept_for": large,
                "message": f"its worker has 1 process, and waits for cores, 1 of 2 cores free, kept for action {large}"}
        wait_for(lambda: self.why(warm) == said, "it says so")
        self.call("POST", f"jobs/{large}/cancel")
        self.assertEqual(self.result(warm)["state"], "completed")

    def test_memory_that_another_process_waits_for_is_said_to_be_kept_for_it(self):
        self.stop()
        self.start("--set", "resources.memory_mb=1000")
        for name, memory in (("held", 200), ("large", 900), ("small", 300)):
            self.register(name=name, memory_mb=memory, pool={"max_processes": 1})
        self.hold_one(worker="held")
        large = self.submit("pid", worker="large")
        wait_for(lambda: (self.why(large).get("need"), self.why(large).get("free")) == (900, 800), "it lacks memory")
        small = self.submit("pid", worker="small")
        words = ("the first warm process of its worker waits for memory, 800 of 1000 MiB free, "
                 "kept for process p2 of large, which asked first")
        wait_for(lambda: self.why(small) == {"kind": "capacity", "resource": "memory_mb", "need": 300, "free": 800,
                                             "message": words}, words)
        self.assertEqual(self.so_far(small)["note"], words)
        self.call("POST", f"jobs/{large}/cancel")
        self.assertEqual(self.result(small)["state"], "completed")
        self.let_go()

    def test_a_warm_action_needs_what_its_process_needs_whatever_it_asks_for_itself(self):
        self.register(name="wide", cores=2)
        sleeps = self.exec("sleep", "1000")
        wide = self.submit("pid", worker="wide", resources={"cores": 1})
        words = "its worker has 1 process, and waits for cores, 1 of 2 cores free"
        wait_for(lambda: self.why(wide) == {"kind": "capacity", "resource": "cores", "need": 2, "free": 1, "message": words,
                                            "holders": [{"lsn": sleeps, "name": "sleep 1000", "amount": 1}]}, words)
        self.register(name="wider", cores=3)
        refused = self.call("POST", "jobs", dict(worker="wider", function="pid", resources={"cores": 1}), expect=422)
        self.assertEqual(refused["field"], "resources.cores")

    PIECES = ("--set", "resources.port=5000-5001", "--set", "resources.gpus=2")

    def test_an_action_is_given_the_pieces_that_it_asks_for(self):
        self.stop()
        self.start(*self.PIECES)
        self.register(pool={"max_processes": 3}, cores=0.1)
        ports = []
        for name in ("a", "b"):
            lsn = self.submit("given", self.path(name), resources={"port": 1})
            wait_for(lambda: os.path.exists(self.path(name) + ".running"), "it runs")
            ports.append(lsn)
        third = self.submit("given", resources={"port": 1})
        words = "0 of 2 port fit, it needs 1"
        wait_for(lambda: self.why(third).get("message", "").startswith(words), words)
        none = self.run_one("given")
        self.assertEqual((none["state"], none["result"]["given"]), ("completed", {}))
        self.assertNotIn("resources_given", none)
        self.let_go("a")
        first, last = self.result(ports[0]), self.result(third)
        for result in (first, last):
            self.assertEqual(result["resources_given"], {"port": ["5000"]})
            self.assertEqual(result["result"]["given"], {"port": ["5000"]})
        self.let_go("b")
        self.assertEqual(self.result(ports[1])["resources_given"], {"port": ["5001"]})

    def test_a_process_has_what_its_worker_keeps_while_it_lives_and_the_rest_while_it_works(self):
        self.stop()
        self.start(*self.PIECES)
        self.register(pool={"max_processes": 1, "keeps": ["gpus"]}, cores=0.1, resources={"gpus": 1, "port": 1})
        one, two = self.run_one("given"), self.run_one("given")
        for result in (one, two):
            self.assertEqual(result["state"], "completed", result)
            self.assertEqual(result["resources_given"], {"gpus": ["0"], "port": ["5000"]})
            self.assertEqual(result["result"]["given"], {"gpus": ["0"], "port": ["5000"]})
            self.assertEqual(result["result"]["environment"], {"YARD_RESOURCE_GPUS": "0"})
        wait_for(lambda: self.processes()[0].get("resources_given") == {"gpus": ["0"]}, "it gave its port back")
        beside = self.result(self.exec("sh", "-c", "echo $YARD_RESOURCE_GPUS", resources={"gpus": 1}))
        self.assertEqual(beside["resources_given"], {"gpus": ["1"]})

    def test_an_idle_process_gives_up_what_it_keeps_for_work_that_lacks_just_that(self):
        self.stop()
        self.start(*self.PIECES)
        self.register(pool={"max_processes": 1, "keeps": ["gpus"]}, cores=0.1, resources={"gpus": 1})
        pid = self.value("given")["pid"]
        both = self.result(self.exec("true", resources={"gpus": 2}))
        self.assertEqual(both["resources_given"], {"gpus": ["0", "1"]})
        self.assertNotEqual(self.value("given")["pid"], pid)

    def test_a_worker_that_asks_for_more_than_there_is_serves_nothing(self):
        self.register(resources={"gpus": 1})
        refused = self.call("POST", "jobs", dict(worker="w", function="given"), expect=422)
        self.assertEqual(refused["field"], "worker")

    def test_what_a_process_kept_is_free_after_kill_9_of_the_engine(self):
        self.stop()
        self.start(*self.PIECES)
        self.register(pool={"max_processes": 1, "keeps": ["gpus"]}, cores=0.1, resources={"gpus": 2})
        held = self.submit("given", self.path("a"))
        wait_for(lambda: os.path.exists(self.path("a") + ".running"), "it runs")
        self.engine.kill()
        self.engine.wait()
        self.engine.stdout.close()
        self.start(*self.PIECES)
        self.let_go("a")
        self.assertEqual(self.result(held)["resources_given"], {"gpus": ["0", "1"]})

    def test_two_processes_where_there_is_work_for_two(self):
        self.register(pool={"max_processes": 2})
        os.mkdir(self.path("meeting"))
        lsns = [self.submit("meet", {"dir": self.path("meeting"), "count": 2}) for _ in range(2)]
        self.assertEqual(len({self.result(lsn)["result"] for lsn in lsns}), 2)

    def test_nothing_waits_in_a_process_behind_a_long_one_while_another_is_idle(self):
        self.register(pool={"max_processes": 2, "io": "inline"})
        self.result([self.submit("pid") for _ in range(300)][-1])  # many, and short: they are sent ahead
        lsns = self.call("POST", "jobs", [dict(worker="w", function="gate", args=self.path("gate"))] +
                         [dict(worker="w", function="pid") for _ in range(100)])["lsns"]
        self.assertEqual({self.result(lsn)["state"] for lsn in lsns[1:]}, {"completed"})
        self.let_go()
        self.assertEqual(self.result(lsns[0])["state"], "completed")

    def test_max_requests(self):
        self.register(pool={"max_requests": 2, "max_processes": 1})
        pids = [self.value("pid") for _ in range(4)]
        self.assertEqual((pids[0], pids[2]), (pids[1], pids[3]))
        self.assertNotEqual(pids[0], pids[2])
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == pids[0] and g["why"] == "max_requests"], "it went")

    def test_idle_processes_go(self):
        self.register(pool={"max_idle_s": 0.2})
        self.value("pid")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["why"] == "idle"], "it went")
        self.assertEqual(self.processes(), [])

    def test_an_idle_process_goes_in_time_though_another_may_stay_longer(self):
        self.register(name="long", pool={"max_idle_s": 1000})
        self.register(name="short", pool={"max_idle_s": 0.2})
        self.value("pid", worker="long")
        for _ in range(2): # after the first the next look is the one for the long one
            pid = self.value("pid", worker="short")
            wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == pid and g["why"] == "idle"], "it went")

    def test_the_pools_limits_change_while_it_runs(self):
        self.register(pool={"max_processes": 2})
        pool = self.call("PATCH", "pool", {"max": 1, "max_idle_s": 0.2})
        self.assertEqual((pool["max"], pool["max_idle_s"]), (1, 0.2))
        self.hold_one()
        other = self.submit("pid")
        wait_for(lambda: [g for g in self.pool()["groups"] if g["waiting"] == 1], "it waits")
        self.call("PATCH", "pool", {"max": 2})
        self.result(other)
        self.let_go()
        self.assertEqual(self.call("PATCH", "pool", {"maximum": 1}, expect=422)["error"], "invalid")
        self.assertIn("max", self.call("PATCH", "pool", {"max": -1}, expect=422)["message"])

    def test_a_process_over_its_memory_is_replaced(self):
        self.register(memory_mb=60, pool={"max_processes": 1})
        first = self.value("pid")
        self.assertEqual(self.value("grow", 80), first)
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "memory"], "it went")
        self.assertNotEqual(self.value("pid"), first)

    def test_an_idle_process_goes_for_one_that_needs_its_memory(self):
        self.stop()
        self.start("--set", "resources.memory_mb=1000")
        for name in ("first", "second"):
            self.register(name=name, memory_mb=600, pool={"max_processes": 1, "max_idle_s": 0})
        for name in ("first", "second", "first"):
            pid = self.value("pid", worker=name)
        self.assertEqual([g["why"] for g in self.pool()["gone"]], ["evicted", "evicted"])
        self.assertEqual([p["pid"] for p in self.processes()], [pid])

    def test_idle_processes_go_for_other_work_that_lacks_nothing_but_their_memory(self):
        self.stop()
        self.start("--set", "resources.memory_mb=1000")
        self.register(name="kept", memory_mb=100, pool={"max_processes": 1, "min_processes": 1, "max_idle_s": 0})
        self.register(name="large", memory_mb=600, pool={"max_processes": 1, "max_idle_s": 0})
        kept, large = (self.value("pid", worker=name) for name in ("kept", "large"))

        def true(**needs):
            return self.call("POST", "jobs", dict(worker="exec", argv=["true"], resources=needs))["lsn"]

        def lacks(lsn):
            return [w.get("resource") for w in self.call("GET", f"jobs/{lsn}/why")["waits"]]

        self.hold_one(worker="kept")
        waits = true(memory_mb=500, cores=2)
        wait_for(lambda: lacks(waits) == ["cores", "memory_mb"], "it waits for both")
        self.assertEqual({p["pid"] for p in self.processes()}, {kept, large})
        self.let_go()
        self.assertEqual(self.result(waits)["state"], "completed")
        self.assertEqual([(g["pid"], g["why"]) for g in self.pool()["gone"]], [(large, "evicted")])
        # The first one of a worker waits for memory, too, and says so.
        self.register(name="larger", memory_mb=950, pool={"max_processes": 1})
        self.hold_one("again", worker="kept")
        first = self.submit("pid", worker="larger")
        words = "the first warm process of its worker waits for memory, 900 of 1000 MiB free"
        said = {"kind": "capacity", "resource": "memory_mb", "need": 950, "free": 900, "message": words}

        def says_so():
            waits = self.call("GET", f"jobs/{first}/why")["waits"]
            holders = [h for w in waits for h in w.pop("holders", [])]
            return waits == [said] and [(h["name"].endswith(" of kept"), h["amount"]) for h in holders] == [(True, 100)]

        wait_for(says_so, "it says so, and who has the rest")
        self.assertEqual(self.so_far(first)["note"], words)
        self.call("POST", f"jobs/{first}/cancel")
        wait_for(lambda: len(self.processes()) == 1, "nobody asks for it any more")
        self.let_go("again")
        # All that is idle holds too little.
        waits = true(memory_mb=950)
        self.value("pid", worker="kept")
        self.assertEqual(lacks(waits), ["memory_mb"])
        self.assertEqual([p["pid"] for p in self.processes()], [kept])

    def test_memory_that_is_given_is_not_taken_back_by_the_next_request(self):
        self.stop()
        self.start("--set", "resources.memory_mb=1000")
        self.register(memory_mb=600, pool={"max_processes": 1, "max_idle_s": 0, "io": "inline"})
        first = self.value("pid")
        lacking = self.call("POST", "jobs", dict(worker="exec", argv=["true"], resources={"memory_mb": 500}))["lsn"]
        pids = {self.value("pid") for _ in range(20)}
        self.assertEqual(self.result(lacking)["state"], "completed")
        self.assertLessEqual(len(pids), 2)
        self.assertEqual([g["why"] for g in self.pool()["gone"]], ["evicted"], (first, pids))


if __name__ == "__main__":
    warm_case.main()

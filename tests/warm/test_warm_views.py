#!/usr/bin/env python3
"""What people see of warm processes: states, memory, output, lanes.
test_warm_views.py YARDMASTER"""

import json
import threading
import urllib.error
import urllib.request

import warm_case
from waiting import wait_for
from warm_case import WarmCase


class Views(WarmCase):
    def test_what_people_see_of_a_process(self):
        self.register(memory_mb=2000, pool={"max_processes": 2, "min_processes": 1, "max_requests": 100})
        lsn = self.hold_one()
        group, = self.pool()["groups"]
        self.assertEqual([group["name"], group["version"], group["waiting"], group["spawning"]], ["w", "1", 0, 0])
        self.assertEqual(group["limits"], {"min_processes": 1, "max_processes": 2, "max_requests": 100,
                                           "queue": "global", "memory_mb": 2000})
        busy, = group["processes"]
        self.assertEqual([busy["state"], busy["sessions"], busy["current"], busy["why_started"], busy["concurrency"]],
                         ["busy", 1, [lsn], "first_request", 1])
        self.assertLessEqual(busy["started"], busy["current_since"])
        self.assertGreater(busy["rss_bytes"], 0)
        self.assertGreaterEqual(busy["cpu_seconds"], 0)
        self.let_go()
        self.assertEqual(self.result(lsn)["state"], "completed")
        wait_for(lambda: self.processes()[0]["processed"] == 1, "it is counted")
        idle, = self.processes()
        self.assertEqual([idle["state"], idle["sessions"], idle["current"]], ["idle", 0, []])
        self.assertGreaterEqual(idle["last_used"], idle["started"])

    def test_what_a_process_prints_is_seen_while_it_lives(self):
        self.register(pool={"max_processes": 1})
        self.value("print", {"out": "first\n", "err": "careful\n"})
        process, = self.processes()
        seen = self.call("GET", "pool/processes/" + process["id"])
        self.assertEqual({k: seen[k] for k in ("id", "pid", "state", "processed")},
                         {"id": process["id"], "pid": process["pid"], "state": "idle", "processed": 1})
        self.assertEqual(seen["stdout"], {"size": 6, "text": "first\n"})
        self.assertEqual(seen["stderr"], {"size": 8, "text": "careful\n"})
        # Also what it printed in a request that was answered just now, of a lot the end, and whole characters.
        text = "\u20ac" * 100000 + "end\n"
        self.value("print", {"out": text})
        seen = self.call("GET", "pool/processes/" + process["id"])["stdout"]
        self.assertEqual(seen["size"], 6 + 300004)
        self.assertTrue(text.endswith(seen["text"]))
        self.assertGreater(len(seen["text"].encode()), 65536 - 3)
        self.call("GET", "pool/processes/p9999", expect=404)
        self.call("GET", "pool/processes/p1?attempt=1", expect=400)

    def test_a_process_that_is_asked_for_is_looked_at_afresh(self):
        self.register(pool={"max_processes": 2})
        for name in ("a", "b"):
            self.hold_one(name)
        for name in ("a", "b"):
            self.let_go(name)
        wait_for(lambda: {p["state"] for p in self.processes()} == {"idle"}, "both are idle")
        grown = self.value("grow", 50)
        seen = [self.call("GET", "pool/processes/" + p["id"]) for p in self.processes()]
        self.assertEqual({p["pid"] for p in seen if p["rss_bytes"] > 50 << 20}, {grown})
        self.call("DELETE", "pool/processes/" + seen[0]["id"])
        wait_for(lambda: len(self.processes()) == 1, "one went")
        self.assertEqual(self.call("GET", "pool/processes/" + seen[0]["id"])["why"], "detached")

    def test_what_a_process_printed_is_seen_after_its_end(self):
        self.register()
        self.value("print", {"out": "x" * 100000 + "\n", "err": "y" * 100000 + "\nthe last line\n"})
        process, = self.processes()
        self.submit("die")
        gone = wait_for(lambda: [g for g in self.pool()["gone"] if g["id"] == process["id"]], "it is gone")[0]
        self.assertIn("about to die", gone["note"])
        seen = self.call("GET", "pool/processes/" + process["id"])
        self.assertEqual((seen["why"], seen["note"]), (gone["why"], gone["note"]))
        self.assertTrue(seen["stderr"]["text"].endswith("y\nthe last line\nabout to die\n"), seen["stderr"]["text"][-90:])
        self.assertEqual(seen["stderr"]["size"], 100015 + len("about to die\n"))
        self.assertEqual(seen["stdout"]["size"], 100001)

    def test_many_ask_at_once_what_a_process_prints_and_all_are_answered(self):
        self.register(pool={"max_processes": 1})
        self.value("print", {"out": "hello"})
        process, = self.processes()
        answers = []
        def ask():
            headers = {"Authorization": "Bearer " + self.token}
            request = urllib.request.Request(self.base + "pool/processes/" + process["id"], headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    answers.append(json.loads(answer.read())["stdout"]["text"])
            except urllib.error.HTTPError as error:
                answers.append(error.code)
        threads = [threading.Thread(target=ask) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 40)
        self.assertIn("hello", answers)
        self.assertLessEqual(set(answers), {"hello", 429})

    def test_processes_are_lanes_of_the_timelines(self):
        self.register(pool={"max_processes": 2})
        for name in ("a", "b"):
            self.hold_one(name)
        for name in ("a", "b"):
            self.let_go(name)
        for _ in range(5):
            self.value("pid")
        def lanes():
            workers = self.call("GET", "timelines")["workers"]
            return {lane["slot"]: len(lane["bars"]) + sum(lane["columns"]["count"])
                    for w in workers for lane in w["lanes"]}
        wait_for(lambda: sorted(lanes()) == [1, 2] and sum(lanes().values()) == 7, "two lanes with seven actions")


if __name__ == "__main__":
    warm_case.main()

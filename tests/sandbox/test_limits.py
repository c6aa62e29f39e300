#!/usr/bin/env python3
"""What bounds workers, against the real engine. test_limits.py YARDMASTER HOSTILE [--as-user] [TEST…]"""

import json
import re
import unittest

import test_escapes
from test_escapes import Engine

LIMIT = re.compile(r"^Max [a-z ]+?(\d+)", re.MULTILINE)
QUEUE = {"config": {"max_retries": 0, "max_interruptions": 0}}


class Limits(unittest.TestCase):
    def engine(self, *options):
        engine = Engine(*options)
        self.addCleanup(engine.stop)
        self.queue = json.loads(engine.call("POST", "queues", QUEUE))["queue_id"]
        return engine

    def run_one(self, engine, **spec):
        lsn = json.loads(engine.call("POST", f"queues/{self.queue}/jobs", spec))["lsn"]
        return engine.result(lsn), engine.out(lsn)

    def register(self, engine, name, script, **more):
        engine.register(name, b"#!/bin/sh\n" + script.encode(), **more)

    def test_what_a_descriptor_asks_for_is_bounded_by_the_settings(self):
        engine = self.engine("--set", "max_processes=20", "--set", "max_open_files=64", "--set", "max_output_bytes=100000")
        look = "grep -E 'Max (processes|open files|file size)' /proc/self/limits"
        greedy = {"processes": 1000000, "open_files": 1000000}
        modest = {"processes": 10, "open_files": 32, "output_bytes": 50000}
        for name, limits, expected in (("greedy", greedy, [100000, 21, 64]), ("silent", {}, [100000, 21, 64]),
                                       ("modest", modest, [50000, 11, 32])):
            self.register(engine, name, look, limits=limits)
            _, out = self.run_one(engine, worker=name, function="stay")
            self.assertEqual([int(number) for number in LIMIT.findall(out)], expected, out)
        _, out = self.run_one(engine, worker="exec", argv=["/bin/sh", "-c", look], sandbox=True)
        self.assertEqual([int(number) for number in LIMIT.findall(out)], [100000, 21, 64], out)
        # What is changed counts for what starts after that.
        engine.call("PATCH", "settings", {"max_processes": 15, "max_output_bytes": None})
        _, out = self.run_one(engine, worker="greedy", function="stay")
        self.assertEqual([int(number) for number in LIMIT.findall(out)], [64 << 30, 16, 64], out)

    def test_outputs_that_are_too_large_together_are_not_kept(self):
        engine = self.engine("--set", "max_output_bytes=100000")
        write = "head -c 60000 /dev/zero >/outputs/a; head -c 60000 /dev/zero >/outputs/b"
        self.register(engine, "writes", write, limits={"output_bytes": 1 << 40})
        for spec in ({"worker": "writes", "function": "stay"},
                     {"worker": "exec", "argv": ["/bin/sh", "-c", write], "sandbox": True}):
            result, _ = self.run_one(engine, **spec)
            self.assertEqual((result["state"], result["reason"]), ("failed", "result_too_large"), result)
            self.assertIn("max_output_bytes", result["note"])
            self.assertFalse(result.get("outputs"))


if __name__ == "__main__":
    test_escapes.main()

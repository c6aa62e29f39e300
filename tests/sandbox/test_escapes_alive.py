#!/usr/bin/env python3
"""What a hostile worker tries while it lives, its requests being made and collected meanwhile: as a warm process and as a process
of its own. test_escapes_alive.py YARDMASTER HOSTILE_ALIVE [--as-user] [--files N] [TEST…]"""

import hashlib
import json
import os
import sys
import unittest

import test_escapes
from test_escapes import Engine, wait_for

FILES = 5000  # five times what is allowed
FUNCTIONS = ["plant", "mount", "climb", "leave", "many", "lease", "swap", "late", "keep", "use", "pass", "fresh", "good"]
LIMITS = {"processes": 64, "open_files": 200, "output_bytes": 64 << 20, "output_files": 1000}


class Attacks:
    """In either mode."""
    mode = ""

    @classmethod
    def setUpClass(cls):
        cls.engine = Engine("--set", "sandbox_tmp_mb=64")
        with open(test_escapes.HOSTILE, "rb") as file:
            program = file.read()
        more = {"pool": {"io": "files", "max_processes": 2}} if cls.mode == "warm" else {}
        for name in ("attacker", "other"):
            descriptor = {"name": name, "version": "1", "platform": "linux-" + os.uname().machine, "executable": "bin/it",
                          "files": [{"path": "bin/it", "hash": cls.engine.put(program), "size": len(program),
                                     "mode": "0755"}],
                          "functions": [{"name": f, "version": "1"} for f in FUNCTIONS], "mode": cls.mode,
                          "limits": LIMITS, **more}
            text = json.dumps(descriptor, sort_keys=True, separators=(",", ":"))
            cls.engine.call("POST", "workers/" + hashlib.sha256(text.encode()).hexdigest(), descriptor)
        cls.queue = json.loads(cls.engine.call("POST", "queues", {"config": {"max_retries": 0}}))["queue_id"]
        cls.data = cls.engine.data
        with open(cls.data + "/token", "rb") as file:
            cls.secret = file.read()

    @classmethod
    def tearDownClass(cls):
        cls.engine.stop()

    def submit(self, function, args="", text=b"given", worker="attacker"):
        return json.loads(self.engine.call("POST", f"queues/{self.queue}/jobs", {
            "worker": worker, "function": function, "args": args, "inputs": {"i": self.engine.put(text)}}))["lsn"]

    def result(self, lsn):
        result = self.engine.result(lsn)
        self.assertEqual(result["state"], "completed", result)
        report = result["result"] if self.mode == "warm" else json.loads(self.engine.out(lsn))
        self.assertNotIn("ESCAPED", report)
        return result, report

    def run_one(self, function, args="", least=0):
        result, report = self.result(self.submit(function, args))
        self.assertGreaterEqual(len(report.strip().splitlines()), least, report)
        return result

    def content(self, output):
        """As stored: what its hash says, whenever it is looked at."""
        bytes_ = self.engine.call("GET", "chunks/" + output["hash"])
        self.assertEqual((hashlib.sha256(bytes_).hexdigest(), len(bytes_)), (output["hash"], output["size"]))
        return bytes_

    def goes_on_well(self):
        """The engine is what it was: a good action has its own input and output, and nothing else."""
        for text in (b"one", b"two", b"three", b"four", b"five", b"six"):
            result, _ = self.result(self.submit("fresh", text=text))
            self.assertEqual({name: self.content(o) for name, o in result["outputs"].items()}, {"good": text})
        with open(self.data + "/token", "rb") as file:
            self.assertEqual(file.read(), self.secret)

    def test_nothing_can_be_put_in_the_place_of_what_is_the_engines(self):
        self.run_one("plant", self.data, 36)
        self.goes_on_well()

    def test_nothing_can_be_mounted_inside(self):
        self.run_one("mount", self.data, 12)
        self.goes_on_well()

    def test_nothing_above_can_be_opened(self):
        result = self.run_one("climb", self.data, 13)
        self.assertEqual(result.get("outputs", {}), {})
        self.goes_on_well()

    def test_what_is_no_file_is_not_followed_nor_opened(self):
        result = self.run_one("leave", self.data)
        self.assertEqual({name: self.content(o) for name, o in result["outputs"].items()},
                         {"good": b"good", "twice": b"good", "closed": b"closed", "shut/in": b"in", "n" * 255: b"long"})
        denied = {one.get("path"): one["what"] for one in result["denied"]}
        for name, what in {"pipe": "special", "link": "link", "directory": "link", "magic": "link", "up": "link",
                           "loop": "link", "line\\x0abreak": "special", "\\xff\\xfe": "special"}.items():
            self.assertEqual(denied.get(name), what, denied)
        self.assertTrue([path for path in denied if path and path.startswith("deep/deep")], denied)
        self.goes_on_well()

    def test_many_entries_are_too_many(self):
        result = self.engine.result(self.submit("many", str(FILES)))
        self.assertEqual((result["state"], result["reason"], result.get("outputs", {})),
                         ("failed", "result_too_large", {}))
        self.goes_on_well()

    def test_an_output_that_nobody_may_open_stops_nobody(self):
        lsn = self.submit("lease")
        self.goes_on_well()
        result = self.engine.result(lsn)
        if self.mode == "warm":
            self.assertEqual((result["state"], result["reason"]), ("failed", "result_too_large"), result)
            self.assertIn("outputs/leased is leased", result["note"])
        else:
            self.assertEqual(self.content(self.result(lsn)[0]["outputs"]["leased"]), b"mine")

    def test_what_changes_places_while_it_is_collected_leads_nowhere(self):
        for lsn in [self.submit("swap", self.data) for _ in range(40)]:
            result, _ = self.result(lsn)
            for output in result.get("outputs", {}).values():
                self.assertEqual(self.content(output), b"mine", result)
        self.goes_on_well()

    def test_what_is_written_late_is_not_in_what_was_stored(self):
        for size in (1000, 16384, 3 << 20):
            for lsn in [self.submit("late", str(size)) for _ in range(5)]:
                result, _ = self.result(lsn)
                output = result["outputs"]["late"]
                first = self.content(output)
                self.assertEqual(output["size"], size)
                self.assertEqual(self.content(output), first)
        self.goes_on_well()

    def test_what_was_kept_of_a_request_reaches_no_other(self):
        result = self.run_one("keep")
        if self.mode != "warm":
            return
        for _ in range(6):
            second = self.run_one("use", self.data, 30)
            self.assertEqual({n: self.content(o) for n, o in second["outputs"].items()}, {"own": b"of the second"})
            self.assertEqual(self.content(result["outputs"]["secret"]), b"of the first")
            self.goes_on_well()
            result = self.run_one("keep")

    def test_no_descriptor_goes_to_another_sandbox(self):
        name = f"yard-alive-{os.getpid()}-{self.mode}"
        serving = self.submit("pass", name + " serve")
        if self.mode == "warm":
            self.result(serving)
        _, report = self.result(self.submit("pass", name + " use", worker="other"))
        self.assertIn("connect to a socket of another sandbox: ", report)
        self.engine.result(serving)
        self.goes_on_well()

    def test_nothing_is_left_behind(self):
        for function in ("good", "leave", "climb"):
            self.engine.result(self.submit(function, self.data))
        def names():
            return [os.path.join(base, name) for base, directories, files in os.walk(self.data + "/scratch")
                    for name in files if name != "lock" and not base.count(".requests.kept") * (name == "outputs")]
        try:
            wait_for(lambda: not names(), "files of requests are gone", 75)
        except AssertionError:
            self.fail("there are " + " ".join(names()[:10]) + self.engine.text()[-2000:])


class WarmAttacks(Attacks, unittest.TestCase):
    mode = "warm"


class ProcessAttacks(Attacks, unittest.TestCase):
    mode = "process"


if __name__ == "__main__":
    test_escapes.YARDMASTER = os.path.abspath(sys.argv.pop(1))
    test_escapes.HOSTILE = os.path.abspath(sys.argv.pop(1))
    if "--as-user" in sys.argv:
        sys.argv.remove("--as-user")
        if os.getuid() == 0:
            test_escapes.USER = 54321
    if "--files" in sys.argv:
        at = sys.argv.index("--files")
        FILES = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)

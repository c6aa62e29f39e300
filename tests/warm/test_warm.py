#!/usr/bin/env python3
"""Warm workers as their users see them: the real engine over HTTP, workers made with the Python kit, and some that break the
protocol. test_warm.py YARDMASTER"""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from waiting import lives, wait_for  # noqa: E402

KIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "kits", "python", "yard_worker.py")
YARDMASTER = ""

WORKER = """#!/usr/bin/env python3
import os, signal, sys, time
import yard_worker

@yard_worker.function()
def add(args, job):
    return args["a"] + args["b"]

@yard_worker.function()
def pid(args, job):
    return os.getpid()

@yard_worker.function()
def meet(args, job):
    # Works only if as many do it at once as args["count"] says.
    open(os.path.join(args["dir"], str(job.lsn)), "w").close()
    while len(os.listdir(args["dir"])) < args["count"]:
        time.sleep(0.005)
    return os.getpid()

@yard_worker.function()
def gate(args, job):
    # Runs until the file is there; says that it runs by another one.
    open(args + ".running", "w").close()
    while not os.path.exists(args):
        time.sleep(0.005)
    return os.getpid()

@yard_worker.function()
def die(args, job):
    print("about to die", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

@yard_worker.function()
def once(args, job):
    # Kills its process the first time only.
    if not os.path.exists(args):
        open(args, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "alive"

@yard_worker.function()
def count(args, job):
    # As gate, and leaves a mark for each time it runs.
    with open(args + ".marks", "a") as marks:
        marks.write("x")
    return gate(args, job)

@yard_worker.function()
def fail(args, job):
    raise yard_worker.Fail("no luck", 7)

@yard_worker.function()
def grow(args, job):
    held.append(bytearray(args << 20))
    return os.getpid()

@yard_worker.function()
def copy(args, job):
    with open(os.path.join(job.inputs, "i.txt")) as source, open(os.path.join(job.outputs, "o.txt"), "w") as target:
        target.write(source.read() + "!")

@yard_worker.function(name="print")
def prints(args, job):
    sys.stdout.write(args.get("out", ""))
    sys.stderr.write(args.get("err", ""))
    sys.stdout.flush()
    return os.getpid()

held = []
yard_worker.run(concurrency=int(os.environ.get("CONCURRENCY", "1")))
"""
FUNCTIONS = ["add", "pid", "meet", "gate", "die", "once", "count", "fail", "grow", "copy", "print"]

# Without the kit: what it sends is up to the test.
RAW = """#!/usr/bin/env python3
import json, os, socket, struct
s = socket.socket(fileno=int(os.environ["YARD_SOCKET_FD"]))
def frame(number, text):
    body = text.encode()
    s.sendall(struct.pack("<IQ", len(body) + 8, number) + body)
def read():
    head = s.recv(12, socket.MSG_WAITALL)
    if len(head) < 12:
        raise SystemExit(0)
    length, number = struct.unpack("<IQ", head)
    return number, json.loads(s.recv(length - 8, socket.MSG_WAITALL))
"""


class Warm(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="yard-warm-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.data = os.path.join(self.root, "data")
        self.engine = None
        self.start()
        self.addCleanup(self.stop)

    # --- the engine

    def start(self, *options):
        self.log = open(os.path.join(self.root, "log"), "ab")
        self.addCleanup(self.log.close)
        self.engine = subprocess.Popen([YARDMASTER, "--headless", "--no-sandbox", "--data-dir", self.data, "--listen",
                                        "127.0.0.1:0", "--capacity", "2", "--set", "grace_s=0.5", *options],
                                       stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL)
        line = self.engine.stdout.readline().decode()
        assert line.startswith("listening on "), line + open(os.path.join(self.root, "log")).read()
        self.base = line.split()[2] + "/compute/"
        with open(os.path.join(self.data, "token"), encoding="utf-8") as file:
            self.token = file.read().strip()

    def stop(self):
        if self.engine.poll() is None:
            self.engine.terminate()
            self.assertEqual(self.engine.wait(30), 0)
        self.engine.stdout.close()

    def call(self, method, path, body=None, expect=200):
        headers = {"Authorization": "Bearer " + self.token}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.base + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        value = json.loads(text or b"{}")
        self.assertEqual(status, expect, value)
        return value

    def chunk(self, content):
        digest = hashlib.sha256(content).hexdigest()
        self.call("PUT", "chunks/" + digest, content)
        return digest

    def register(self, name="w", text=WORKER, functions=FUNCTIONS, pool=None, version="1", **more):
        files = []
        with open(KIT, "rb") as kit:
            for path, content in (("w.py", text.encode()), ("yard_worker.py", kit.read())):
                files.append({"path": path, "hash": self.chunk(content), "size": len(content), "mode": "0755"})
        descriptor = {"name": name, "version": version, "platform": "linux-x86_64", "executable": "w.py", "files": files,
                      "functions": [{"name": f, "version": "1"} for f in functions], "mode": "warm"}
        descriptor.update(more)
        if pool is not None:
            descriptor["pool"] = pool
        return self.add_worker(descriptor)

    def add_worker(self, descriptor):
        canonical = json.dumps(descriptor, sort_keys=True, separators=(",", ":")).encode()
        worker = hashlib.sha256(canonical).hexdigest()
        self.call("POST", "workers/" + worker, descriptor)
        return worker

    def submit(self, function, args=None, worker="w", queue=None, **more):
        path = "jobs" if queue is None else "queues/%d/jobs" % queue
        return self.call("POST", path, dict(worker=worker, function=function, args=args, **more))["lsn"]

    def queue(self, **config):
        return self.call("POST", "queues", {"config": config})["queue_id"]

    def result(self, lsn, wait=30):
        return self.call("GET", "jobs/%d?wait=%d" % (lsn, wait), expect=200)

    def so_far(self, lsn):
        return self.call("GET", "jobs/%d" % lsn, expect=202)

    def run_one(self, function, args=None, **more):
        return self.result(self.submit(function, args, **more))

    def value(self, function, args=None, **more):
        result = self.run_one(function, args, **more)
        self.assertEqual(result["state"], "completed", result)
        return result["result"]

    def pool(self):
        return self.call("GET", "pool")

    def processes(self):
        return [p for g in self.pool()["groups"] for p in g["processes"]]

    def path(self, name):
        return os.path.join(self.root, name)

    def hold_one(self, name="gate", function="gate", **more):
        """An action that runs until its file is made."""
        lsn = self.submit(function, self.path(name), **more)
        wait_for(lambda: os.path.exists(self.path(name) + ".running"), "it runs")
        return lsn

    def let_go(self, name="gate"):
        open(self.path(name), "w").close()

    # --- what works

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
        wait_for(lambda: sorted(lanes()) == [0, 1] and sum(lanes().values()) == 7, "two lanes with seven actions")

    def test_a_process_serves_many_requests(self):
        self.register()
        first = self.value("pid")
        self.assertEqual([self.value("pid") for _ in range(5)], [first] * 5)
        self.assertEqual(self.value("add", {"a": 2, "b": 40}), 42)
        process, = self.processes()
        self.assertEqual((process["pid"], process["state"], process["processed"], process["sessions"]), (first, "idle", 7, 0))
        self.assertEqual(process["why_started"], "first_request")
        self.assertGreater(process["rss_bytes"], 1 << 20)

    def test_files_go_in_and_out(self):
        self.register()
        result = self.run_one("copy", inputs={"i.txt": self.chunk(b"hello")}, expect=["o.txt"])
        self.assertEqual(result["outputs"]["o.txt"]["hash"], hashlib.sha256(b"hello!").hexdigest())

    def test_only_who_names_files_or_says_so_gets_directories(self):
        text = WORKER.replace("held = []", """held = []
@yard_worker.function()
def which(args, job):
    return [bool(job.inputs and os.path.isdir(job.inputs)), bool(job.outputs and os.path.isdir(job.outputs))]
@yard_worker.function(files=True)
def always(args, job):
    open(os.path.join(job.outputs, "o.txt"), "w").write("here")
    return which(args, job)
""")
        with open(KIT, "rb") as kit:
            files = [{"path": path, "hash": self.chunk(content), "size": len(content), "mode": "0755"}
                     for path, content in (("w.py", text.encode()), ("yard_worker.py", kit.read()))]
        for io, plain in ((None, False), ("auto", False), ("files", True), ("inline", False)):
            self.add_worker({"name": "w", "version": str(io), "platform": "linux-x86_64", "executable": "w.py", "files": files,
                             "functions": [{"name": "which"}, {"name": "always", "files": True}], "mode": "warm",
                             **({"pool": {"io": io}} if io else {})})
            self.assertEqual(self.value("which"), [plain] * 2, io)
            if io == "inline":
                continue
            self.assertEqual(self.value("which", inputs={"i": self.chunk(b"x")}), [True] * 2, io)
            self.assertEqual(self.run_one("which", expect=["o"])["reason"], "missing_output", io)
            result = self.run_one("always")
            self.assertEqual((result["result"], list(result["outputs"])), ([True] * 2, ["o.txt"]), io)

    def test_io_inline_makes_no_directories(self):
        self.register(text=WORKER.replace("return args", "return [job.inputs, job.outputs], args"), pool={"io": "inline"})
        self.assertEqual(self.value("add", {"a": 1, "b": 1}), [[None, None], 2])

    def test_a_failure_has_code_and_message(self):
        self.register()
        result = self.run_one("fail", worker="w")
        self.assertEqual((result["state"], result["reason"], result["exit_code"], result["note"], result["retry_count"]),
                         ("failed", "exit_code", 7, "no luck", 3))

    def test_the_folder_of_a_kit_is_a_worker(self):
        for kit, interpreter in (("python", "python3"), ("node", "node")):
            if shutil.which(interpreter) is None:
                continue
            with self.subTest(kit):
                folder = os.path.join(os.path.dirname(KIT), "..", kit)
                with open(os.path.join(folder, "worker.json"), encoding="utf-8") as file:
                    descriptor = json.load(file)
                files = []
                for path in descriptor["files"]:
                    with open(os.path.join(folder, path), "rb") as file:
                        content = file.read()
                    files.append({"path": path, "hash": self.chunk(content), "size": len(content), "mode": "0755"})
                self.add_worker({**descriptor, "files": files, "platform": "linux-x86_64"})
                self.assertEqual(self.value("add", {"a": 2, "b": 3}, worker=descriptor["name"]), 5)
                result = self.run_one("fail", {"message": "no luck", "exit_code": 7}, worker=descriptor["name"])
                self.assertEqual((result["exit_code"], result["note"]), (7, "no luck"))
        self.assertGreaterEqual(len(self.processes()), 1)

    def test_a_hundred_in_a_batch(self):
        self.register(pool={"io": "inline"})
        lsns = self.call("POST", "jobs", [dict(worker="w", function="add", args={"a": i, "b": 1}) for i in range(500)])["lsns"]
        self.assertEqual([self.result(lsn)["result"] for lsn in lsns], [i + 1 for i in range(500)])

    def test_concurrency_holds_the_cores_once(self):
        self.register(environment={"CONCURRENCY": "8"}, pool={"max_processes": 1})
        os.mkdir(self.path("meeting"))
        lsns = [self.submit("meet", {"dir": self.path("meeting"), "count": 8}) for _ in range(8)]
        pids = [self.result(lsn)["result"] for lsn in lsns]
        self.assertEqual(len(set(pids)), 1)

    def test_the_same_file_serves_in_process_mode(self):
        self.register(mode="process")
        result = self.run_one("copy", inputs={"i.txt": self.chunk(b"hello")}, expect=["o.txt"])
        self.assertEqual(result["outputs"]["o.txt"]["hash"], hashlib.sha256(b"hello!").hexdigest())
        self.assertNotIn("result", result)
        self.assertEqual(self.value("add", {"a": 1, "b": 2}), 3)
        self.assertEqual(self.value("add", {"a": "one\n", "b": "two"}), "one\ntwo")
        long = "a" * 65000
        self.assertEqual(self.value("add", {"a": long, "b": ""}), long)
        self.assertEqual(self.processes(), [])

    # --- rules

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
        for worker, limit, words in (("w", "max_processes", "its worker's 1 process is busy; max_processes is 1"),
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
        words = ("the first warm process of its worker waits for memory, 800 of 1000 MB free, "
                 "kept for process p2 of large, which asked first")
        wait_for(lambda: self.why(small) == {"kind": "capacity", "resource": "memory_mb", "need": 300, "free": 800,
                                             "message": words}, words)
        self.assertEqual(self.so_far(small)["note"], words)
        self.call("POST", f"jobs/{large}/cancel")
        self.assertEqual(self.result(small)["state"], "completed")
        self.let_go()

    def test_a_warm_action_needs_what_its_process_needs_whatever_it_asks_for_itself(self):
        self.register(name="wide", cores=2)
        self.exec("sleep", "1000")
        wide = self.submit("pid", worker="wide", resources={"cores": 1})
        words = "its worker has 1 process, and waits for cores, 1 of 2 cores free"
        wait_for(lambda: self.why(wide) == {"kind": "capacity", "resource": "cores", "need": 2, "free": 1,
                                            "message": words}, words)
        self.register(name="wider", cores=3)
        refused = self.call("POST", "jobs", dict(worker="wider", function="pid", resources={"cores": 1}), expect=422)
        self.assertEqual(refused["field"], "resources.cores")

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
            wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == pid and g["why"] == "idle"], "it went", 10)

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

    def test_restart_txt(self):
        worker = self.register(pool={"max_processes": 1})
        first = self.value("pid")
        sign = os.path.join(self.data, "workers", worker, "tmp", "restart.txt")
        open(sign, "w").close()
        second = self.value("pid")
        self.assertNotEqual(second, first)
        self.assertEqual(self.value("pid"), second)

    def test_a_restart_asked_for_right_before_a_submission_holds_for_it(self):
        worker = self.register(pool={"max_processes": 1})
        sign = os.path.join(self.data, "workers", worker, "tmp", "restart.txt")
        before = self.value("pid")
        open(sign, "w").close()
        for second in range(1, 11):
            before, last = self.value("pid"), before
            self.assertNotEqual(before, last, second)
            os.utime(sign, (second, second))

    def test_always_restart_txt(self):
        worker = self.register()
        first = self.value("pid")
        sign = os.path.join(self.data, "workers", worker, "tmp", "always_restart.txt")
        open(sign, "w").close()
        pids = [self.value("pid") for _ in range(3)]
        self.assertEqual(len({first, *pids}), 4)
        os.unlink(sign)
        self.assertEqual(self.value("pid"), self.value("pid"))

    def test_restart_txt_in_a_directory_that_was_replaced(self):
        def remove(base):
            shutil.rmtree(base + "/current/tmp")
            self.assertEqual(self.value("pid", worker="removed"), pids["removed"])
        def move(base):
            os.rename(base + "/current", base + "/old")
        def link(base):
            os.makedirs(base + "/new")
            os.symlink("new", base + "/link")
            os.rename(base + "/link", base + "/current")
        pids = {}
        for way, replace in (("removed", remove), ("moved", move), ("link", link)):
            with self.subTest(way):
                base = self.path(way)
                os.makedirs(base + ("/first/tmp" if way == "link" else "/current/tmp"))
                if way == "link":
                    os.symlink("first", base + "/current")
                self.register(name=way, pool={"max_processes": 1, "restart_dir": base + "/current/tmp"})
                pids[way] = self.value("pid", worker=way)
                replace(base)
                os.makedirs(base + "/current/tmp")
                sign = base + "/current/tmp/restart.txt"
                open(sign, "w").close()
                wait_for(lambda: self.value("pid", worker=way) != pids[way], "it was replaced", 10)
                second = self.value("pid", worker=way)
                os.utime(sign, (1, 1))
                wait_for(lambda: self.value("pid", worker=way) != second, "it was replaced again", 10)

    def test_rolling_restart(self):
        self.register(pool={"max_processes": 2})
        first = self.value("pid")
        self.call("POST", "pool/w/restart")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "restart"], "it went")
        self.assertNotEqual(self.value("pid"), first)
        self.call("POST", "pool/nobody/restart", expect=404)

    def test_rolling_restart_rolls_back(self):
        flag = self.path("broken")
        self.register(text=WORKER.replace("held = []", "held = []\nif os.path.exists(%r): sys.exit('refuses')" % flag),
                      pool={"max_processes": 2})
        first = self.value("pid")
        open(flag, "w").close()
        self.call("POST", "pool/w/restart")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["why"] == "spawn_failed"], "the new one failed")
        gone = [g for g in self.pool()["gone"] if g["why"] == "spawn_failed"][0]
        self.assertIn("handshake", gone["note"])
        self.assertIn("refuses", gone["note"])
        self.assertNotIn("restart", self.pool()["groups"][0])
        self.assertEqual(self.value("pid"), first)

    def test_a_rolling_restart_without_room_says_how_many_are_left(self):
        flag = self.path("broken")
        self.register(text=WORKER.replace("held = []", "held = []\nif os.path.exists(%r): sys.exit('refuses')" % flag),
                      pool={"max_processes": 1})
        self.value("pid")
        open(flag, "w").close()
        self.call("POST", "pool/w/restart")
        def said():
            with open(os.path.join(self.root, "log"), encoding="utf-8") as log:
                return [line for line in log if "the restart of w was stopped" in line]
        line, = wait_for(said, "the log says it")
        self.assertIn("0 of 1 processes are left", line)
        self.assertIn("refuses", line)

    def test_detach_of_one_process(self):
        self.register()
        first = self.value("pid")
        process, = self.processes()
        self.call("DELETE", "pool/processes/" + process["id"])
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "detached"], "it went")
        self.assertNotEqual(self.value("pid"), first)
        self.call("DELETE", "pool/processes/p9999", expect=404)

    def test_a_new_version_rolls_over(self):
        self.register(version="1")
        first = self.value("pid")
        self.register(version="2")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "replaced"], "it went")
        self.assertNotEqual(self.value("pid"), first)

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
        words = "the first warm process of its worker waits for memory, 900 of 1000 MB free"
        wait_for(lambda: self.call("GET", f"jobs/{first}/why")["waits"] == [
            {"kind": "capacity", "resource": "memory_mb", "need": 950, "free": 900, "message": words}], "it says so")
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

    # --- what goes wrong

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
        self.register(text="""#!/usr/bin/env python3
import os, signal, time
import yard_worker

@yard_worker.function()
def resist(args, job):
    signal.signal(signal.SIGTERM, lambda *_: open(args + ".term", "w").close())
    while not os.path.exists(args):
        time.sleep(0.005)
    os._exit(0)

yard_worker.run()
""", functions=["resist"])
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

    def raw(self, script):
        self.register(text=RAW + script, functions=["f"], pool={"max_processes": 1})
        queue = self.call("POST", "queues", {"config": {"max_retries": 0, "max_interruptions": 0}})["queue_id"]
        return self.result(self.call("POST", "queues/%d/jobs" % queue, dict(worker="w", function="f"))["lsn"])

    def test_garbage_is_detached(self):
        for script, words in (("frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n, 'no json')\nread()", "garbage"),
                              ("frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n + 1, '{}')\nread()", "not asked"),
                              ("frame(0, '{\"ready\":true}')\nn, r = read()\ns.sendall(b'\\xff' * 12)\nread()", "1 MiB")):
            result = self.raw(script)
            self.assertEqual((result["state"], result["reason"]), ("failed", "worker_crashed"), result)
            self.assertIn(words, result["note"])
            self.call("DELETE", "workers/w")

    def test_what_a_worker_says_of_its_success_is_the_note(self):
        result = self.raw("frame(0, '{\"ready\":true}')\nn, r = read()\n"
                          "frame(n, json.dumps({'result': 3, 'message': 'two were there already\\n3 thumbnails written\\n'}))\nread()")
        self.assertEqual((result["state"], result["result"], result["note"]), ("completed", 3, "3 thumbnails written"))

    def test_an_answer_given_twice_is_detached(self):
        self.register(text=RAW + "frame(0, '{\"ready\":true}')\nwhile True:\n    n, r = read()\n    frame(n, '{}')\n    frame(n, '{}')\n",
                      functions=["f"], pool={"max_processes": 1})
        self.assertEqual(self.run_one("f")["state"], "completed")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["why"] == "crashed"], "it was detached")

    def test_a_first_frame_that_is_not_ready_is_a_spawn_error(self):
        result = self.raw("frame(0, '{\"ready\":false}')\nread()")
        self.assertEqual((result["state"], result["reason"]), ("failed", "spawn_error"))
        self.assertIn("ready", result["note"])

    def test_a_result_over_64_kib_fails(self):
        result = self.raw("frame(0, '{\"ready\":true}')\nn, r = read()\nframe(n, json.dumps({'result': 'a' * 70000}))\nread()")
        self.assertEqual((result["state"], result["reason"]), ("failed", "result_too_large"))

    def test_a_result_that_cannot_be_kept_fails_its_action_alone(self):
        self.register(text=WORKER.replace("held = []", """held = []
@yard_worker.function()
def odd(args, job):
    if args == "large":
        return 2 ** 70
    deep = 1
    for _ in range(100):
        deep = [deep]
    return deep
"""), functions=FUNCTIONS + ["odd"])
        pid = self.value("pid")
        for args, words in [("large", "Give the integer 1180591620717411303424 as a string: it needs more than 64 bits."),
                            ("deep", "The JSON is nested deeper than 64 levels; flatten it.")]:
            result = self.run_one("odd", args)
            self.assertEqual([result["state"], result["reason"], result["note"], result.get("result")],
                             ["failed", "result_too_large", "the result was not kept. " + words, None])
        self.assertEqual(self.value("pid"), pid)

    def test_args_over_a_mebibyte_are_refused_clearly(self):
        self.register()
        queue = self.call("POST", "queues", {"config": {"max_retries": 0, "max_interruptions": 0}})["queue_id"]
        lsn = self.call("POST", "queues/%d/jobs" % queue, dict(worker="w", function="add", args="a" * (1 << 20)))["lsn"]
        self.assertIn("1 MiB", self.result(lsn)["note"])
        self.assertEqual(self.value("add", {"a": 1, "b": 1}), 2)

    # --- other work, and the engine's end

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
        self.engine.wait(30)
        self.engine.stdout.close()
        self.let_go()
        self.start()
        self.assertFalse(lives(pid))
        result = self.result(lsn)
        self.assertEqual((result["state"], result["attempts"][0]["reason"], result["retry_count"]),
                         ("completed", "engine_died", 1))


if __name__ == "__main__":
    YARDMASTER = os.path.abspath(sys.argv.pop(1))
    unittest.main()

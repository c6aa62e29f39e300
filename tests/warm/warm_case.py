"""Warm workers as their users see them: the real engine over HTTP, workers made with the Python kit, and some that break the
protocol. The tests import it."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from waiting import wait_for  # noqa: E402

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

@yard_worker.function()
def given(args, job):
    # What it was told, and what its process was at its start.
    if args:
        gate(args, job)
    told = {name: os.environ[name] for name in ("YARD_RESOURCE_GPUS", "YARD_RESOURCE_PORT") if name in os.environ}
    return {"pid": os.getpid(), "given": job.resources_given, "environment": told}

@yard_worker.function(name="print")
def prints(args, job):
    sys.stdout.write(args.get("out", ""))
    sys.stderr.write(args.get("err", ""))
    sys.stdout.flush()
    return os.getpid()

held = []
yard_worker.run(concurrency=int(os.environ.get("CONCURRENCY", "1")))
"""
FUNCTIONS = ["add", "pid", "meet", "gate", "die", "once", "count", "fail", "grow", "copy", "given", "print"]

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


class WarmCase(unittest.TestCase):
    """An engine without a sandbox, two cores, and what asks it."""

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
            self.assertEqual(self.engine.wait(120), 0)
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

    def all_of(self, what, query):
        """The rows of a list, page by page: what a page has no time for comes in the next."""
        rows, cursor = [], ""
        while cursor is not None:
            page = self.call("GET", "%s?%s&limit=1000%s" % (what, query, cursor))
            rows += page[what]
            cursor = "&cursor=" + page["cursor"] if "cursor" in page else None
        return rows

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

    def result(self, lsn, wait=50):
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

    def raw(self, script):
        """The result of one request to a worker that runs `script` after RAW, with no retry."""
        self.register(text=RAW + script, functions=["f"], pool={"max_processes": 1})
        queue = self.call("POST", "queues", {"config": {"max_retries": 0, "max_interruptions": 0}})["queue_id"]
        return self.result(self.call("POST", "queues/%d/jobs" % queue, dict(worker="w", function="f"))["lsn"])

    def path(self, name):
        return os.path.join(self.root, name)

    def hold_one(self, name="gate", function="gate", **more):
        """An action that runs until its file is made."""
        lsn = self.submit(function, self.path(name), **more)
        wait_for(lambda: os.path.exists(self.path(name) + ".running"), "it runs")
        return lsn

    def let_go(self, name="gate"):
        open(self.path(name), "w").close()


def main():
    """Runs the tests of the program. Its first argument is yardmaster."""
    global YARDMASTER
    YARDMASTER = os.path.abspath(sys.argv.pop(1))
    unittest.main()

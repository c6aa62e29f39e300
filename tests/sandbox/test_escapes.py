#!/usr/bin/env python3
"""What a hostile worker tries, against the real engine with its sandbox on. test_escapes.py YARDMASTER HOSTILE
[--as-user] [--files N] [TEST…]; --as-user runs the engine as an ordinary user."""

import glob
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from waiting import wait_for  # noqa: E402

YARDMASTER = ""
HOSTILE = ""
USER = None
FILES = 5000  # five times what is allowed
FUNCTIONS = ["write", "read", "signal", "connect", "mount", "fork", "memory", "tmp", "share", "open", "disk", "parts", "daemon", "stay",
             "leave", "files", "directories"]
LIMITS = {"processes": 40, "open_files": 100, "file_bytes": 8 << 20, "output_bytes": 32 << 20, "output_files": 1000}


def daemon(number):
    """An argument that tells the daemons of this run from those of another one beside it."""
    return f"yard-hostile-daemon-{number}-{os.getpid()}"


def processes_named(marker):
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if marker.encode() in file.read().split(b"\0"):
                    found.append(path)
        except OSError:
            pass
    return found


# As in a container that has no more namespaces to give.
REFUSING = ["unshare", "-Ur", "sh", "-c", 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"', "sh"]


class Engine:
    def __init__(self, *options, within=()):
        self.root = tempfile.mkdtemp(prefix="yard-escapes-")
        os.chmod(self.root, 0o755)
        program = os.path.join(self.root, "yardmaster")
        shutil.copy(YARDMASTER, program)
        place = os.path.join(self.root, "own")
        os.mkdir(place)
        who = {}
        if USER:
            os.chown(place, USER, USER)
            who = {"user": USER, "group": USER, "extra_groups": []}
        self.data = os.path.join(place, "data")
        self.log = open(os.path.join(self.root, "log"), "wb")
        environment = dict(os.environ, SECRET="of the engine", HOME=place, XDG_RUNTIME_DIR=place)
        self.process = subprocess.Popen([*within, program, "--headless", "--data-dir", self.data, "--listen", "127.0.0.1:0",
                                         "--capacity", "2", "--set", "grace_s=0.5", *options], cwd="/",
                                        stdout=subprocess.PIPE, stderr=self.log, stdin=subprocess.DEVNULL,
                                        env=environment, **who)
        line = self.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            raise AssertionError(line + self.text())
        self.url = line.split()[2]
        self.port = int(self.url.rsplit(":", 1)[1])
        with open(os.path.join(self.data, "token"), encoding="utf-8") as file:
            self.token = file.read().strip()

    def text(self):
        with open(os.path.join(self.root, "log"), encoding="utf-8") as file:
            return file.read()

    def stop(self):
        self.process.terminate()
        code = self.process.wait(120)
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.root, ignore_errors=True)
        assert code == 0, code

    def call(self, method, path, body=None, expect=200):
        headers = {"Authorization": "Bearer " + self.token}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self.url + "/compute/" + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=90) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        assert status == expect, f"{method} {path}: {status} {text[:500]}"
        return text

    def put(self, data):
        name = hashlib.sha256(data).hexdigest()
        self.call("PUT", "chunks/" + name, data)
        return name

    def register(self, name, program, **more):
        descriptor = {"name": name, "version": "1", "platform": "linux-" + os.uname().machine, "executable": "bin/it",
                      "files": [{"path": "bin/it", "hash": self.put(program), "size": len(program), "mode": "0755"}],
                      "functions": [{"name": f, "version": "1"} for f in FUNCTIONS], **more}
        text = json.dumps(descriptor, sort_keys=True, separators=(",", ":"))
        self.call("POST", "workers/" + hashlib.sha256(text.encode()).hexdigest(), descriptor)

    def result(self, lsn, wait=60):
        return json.loads(self.call("GET", f"jobs/{lsn}?wait={wait}"))

    def out(self, lsn):
        return self.call("GET", f"jobs/{lsn}/stdout").decode(errors="replace")


class Escapes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = Engine()
        with open(HOSTILE, "rb") as file:
            cls.program = file.read()
        cls.engine.register("hostile", cls.program, limits=LIMITS, memory_mb=64)
        cls.queue = json.loads(cls.engine.call("POST", "queues", {"config": {"max_retries": 0, "max_interruptions": 0}}))["queue_id"]
        cls.input = cls.engine.put(b"given\n")

    @classmethod
    def tearDownClass(cls):
        cls.engine.stop()

    def submit(self, function, args="", **more):
        spec = {"worker": "hostile", "function": function, "args": args, "inputs": {"in": self.input}, **more}
        return json.loads(self.engine.call("POST", f"queues/{self.queue}/jobs", spec))["lsn"]

    def run_one(self, function, args="", **more):
        lsn = self.submit(function, args, **more)
        return self.engine.result(lsn), self.engine.out(lsn)

    def none_escaped(self, function, args=""):
        result, out = self.run_one(function, args)
        self.assertEqual(result["state"], "completed", (result, out))
        self.assertNotIn("ESCAPED", out)
        self.assertGreater(len(out.splitlines()), 3, out)
        return result, out

    def denied(self, result):
        return {one["what"] for one in result.get("denied", [])}

    def test_the_session_says_that_it_holds(self):
        sandbox = json.loads(self.engine.call("GET", "session"))["sandbox"]
        self.assertEqual((sandbox["workers"], sandbox["holds"]), (True, True), sandbox)
        self.assertTrue(all(part["holds"] for part in sandbox["parts"]), sandbox)

    def test_nothing_outside_can_be_written(self):
        place = os.path.join(self.engine.root, "own")
        self.none_escaped("write", f"{place} {self.engine.data} /tmp/../var/tmp")
        self.assertFalse(os.path.exists(os.path.join(place, "made")))

    def test_nothing_outside_can_be_read(self):
        other = self.submit("stay", "keeps-its-files")
        scratch = wait_for(lambda: glob.glob(f"{self.engine.data}/scratch/*/{other}.1/inputs/in"), "it runs")[0]
        paths = [scratch, os.path.dirname(scratch), self.engine.data, self.engine.data + "/token",
                 self.engine.data + "/journal.sqlite", self.engine.root, "/proc/%d/environ" % self.engine.process.pid]
        self.none_escaped("read", " ".join(paths))
        self.engine.call("POST", f"jobs/{other}/cancel", {})

    def test_nobody_outside_can_be_signalled_or_traced(self):
        victim = subprocess.Popen(["sleep", "1000"], **({"user": USER} if USER else {}))
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        result, _ = self.none_escaped("signal", f"{victim.pid} {self.engine.process.pid}")
        self.assertIsNone(victim.poll())
        self.assertIn("ptrace", self.denied(result))

    def test_nobody_outside_can_be_reached(self):
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        name = f"yard-escape-test-{os.getpid()}"
        server.bind("\0" + name)
        server.listen()
        result, out = self.none_escaped("connect", f"{self.engine.port} {name}")
        self.assertIn({"connect", "192.0.2.1:80"}, [{one["what"], one.get("path")} for one in result["denied"]], out)
        self.assertIn("socket", self.denied(result))

    def test_the_namespaces_cannot_be_changed(self):
        result, _ = self.none_escaped("mount")
        self.assertLessEqual({"mount", "umount2", "unshare", "chroot", "setns", "bpf", "keyctl", "clone", "open_tree_attr"},
                             self.denied(result))
        one = next(one for one in result["denied"] if one["what"] == "chroot")
        self.assertEqual((one["path"], one["errno"]), ("/tmp", 1))
        self.assertGreater(one["t"], 0)

    def number(self, out, word):
        return int(next(line.split()[1] for line in out.splitlines() if line.startswith(word + " ")))

    def test_processes_are_bounded(self):
        result, out = self.run_one("fork")
        self.assertEqual(result["state"], "completed", result)
        self.assertLessEqual(self.number(out, "forks"), LIMITS["processes"])
        self.assertGreater(self.number(out, "forks"), LIMITS["processes"] // 2)

    def test_processes_of_one_action_are_not_counted_against_another(self):
        self.assertEqual([self.number(self.engine.out(lsn), "forks") for lsn in
                          [self.engine.result(lsn)["lsn"] for lsn in [self.submit("fork") for _ in range(4)]]],
                         [LIMITS["processes"] - 1] * 4)

    def test_memory_is_bounded(self):
        result, out = self.run_one("memory")
        self.assertEqual(result["state"], "completed", result)
        self.assertNotIn("ESCAPED", out)
        self.assertLess(self.number(out, "memory"), 64)

    def test_tmp_is_bounded(self):
        result, out = self.run_one("tmp")
        if result["state"] == "failed":  # a look came before the end: its own memory counts, too
            self.assertEqual(result["reason"], "memory", result)
            return
        self.assertEqual(result["state"], "completed", result)
        self.assertLessEqual(self.number(out, "tmp"), 64)
        self.assertGreater(self.number(out, "tmp"), 32)

    def test_memory_that_no_process_has_alone_ends_the_action(self):
        result = self.engine.result(self.submit("share"))
        self.assertEqual((result["state"], result["reason"]), ("failed", "memory"), result)

    def test_descriptors_are_bounded(self):
        _, out = self.run_one("open")
        self.assertLess(self.number(out, "descriptors"), LIMITS["open_files"])

    def test_files_are_bounded(self):
        result, out = self.run_one("disk")
        self.assertEqual(self.number(out, "file"), LIMITS["file_bytes"] >> 20, result)

    def test_many_files_that_fill_the_disk_end_the_action(self):
        result = self.engine.result(self.submit("parts"))
        self.assertEqual((result["state"], result["reason"], result.get("outputs", {})),
                         ("failed", "result_too_large", {}))
        self.assertIn("twice", result["note"])

    def test_a_daemon_ends_with_its_action(self):
        result, out = self.run_one("daemon", daemon(1))
        self.assertEqual((result["state"], out), ("completed", "left\n"))
        self.assertEqual(processes_named(daemon(1)), [])

    def test_nothing_survives_a_cancel(self):
        lsn = self.submit("stay", daemon(2))
        wait_for(lambda: processes_named(daemon(2)), "the daemon lives")
        self.engine.call("POST", f"jobs/{lsn}/cancel", {})
        self.assertEqual(self.engine.result(lsn)["state"], "cancelled")
        self.assertEqual(processes_named(daemon(2)), [])

    def test_what_is_left_is_looked_at_not_followed(self):
        result, out = self.run_one("leave", self.engine.data)
        self.assertEqual(result["state"], "completed", result)
        self.assertNotIn("ESCAPED", out)
        self.assertEqual(sorted(result["outputs"]), ["..x", "closed/in", "plain"])
        denied = {one.get("path"): one["what"] for one in result["denied"]}
        for name, what in {"shadow": "link", "data": "link", "token": "link", "pipe": "special", "socket": "special",
                           "a\\x0ab": "special", "\\xff": "special", "\\x1b[2J": "special", "/outputs/null": "mknod"
                           if os.uname().machine == "x86_64" else "mknodat"}.items():
            alternatives = (what, "mknodat", "mknod") if what.startswith("mknod") else (what,)
            self.assertIn(denied.get(name), alternatives, (name, denied))

    def test_many_output_files_are_too_many(self):
        for what in ("files", "directories"):
            result, _ = self.run_one(what, str(FILES))
            self.assertEqual((result["state"], result["reason"], result.get("outputs", {})),
                             ("failed", "result_too_large", {}), what)

    def test_no_directory_of_an_action_is_left(self):
        self.run_one("leave", self.engine.data)
        wait_for(lambda: not [p for p in glob.glob(self.engine.data + "/scratch/*/*") if not p.endswith("/lock")],
                 "scratch directories are gone", 180)

    # --- how it is asked for

    def test_an_exec_can_ask_for_one(self):
        lsn = json.loads(self.engine.call("POST", "jobs", {
            "worker": "exec", "sandbox": True, "argv": ["sh", "-c", "id -u; pwd; ls /root 2>&1; echo x >outputs/o"]}))
        result = self.engine.result(lsn["lsn"])
        self.assertEqual(result["state"], "completed", result)
        self.assertEqual(list(result["outputs"]), ["o"])
        self.assertTrue(self.engine.out(lsn["lsn"]).startswith("1000\n/\n"), self.engine.out(lsn["lsn"]))

    def test_an_exec_may_not_look_at_the_engine(self):
        lsn = json.loads(self.engine.call("POST", f"queues/{self.queue}/jobs", {
            "worker": "exec", "sandbox": True, "argv": ["cat", "token"], "cwd": self.engine.data}))["lsn"]
        result = self.engine.result(lsn)
        self.assertEqual((result["state"], result["reason"]), ("failed", "spawn_error"))
        self.assertIn("engine's own files", result["note"])

    def test_a_program_that_is_not_there_is_told(self):
        lsn = json.loads(self.engine.call("POST", f"queues/{self.queue}/jobs", {
            "worker": "exec", "sandbox": True, "argv": ["/opt/no/such/program"]}))["lsn"]
        result = self.engine.result(lsn)
        self.assertEqual(result["reason"], "spawn_error")
        self.assertIn("is not there in the sandbox", result["note"])

    def test_the_deadline_holds(self):
        lsn = self.submit("stay", daemon(3), deadline_s=1)
        result = self.engine.result(lsn)
        self.assertEqual((result["state"], result["reason"]), ("failed", "deadline"))
        self.assertEqual(processes_named(daemon(3)), [])

    def test_the_memory_of_a_small_program_is_its_own(self):
        for argv, least, most in [(["true"], 100 << 10, 4 << 20),
                                  (["sh", "-c", "head -c 50M /dev/zero | tail -c 50M | wc -c"], 50 << 20, 60 << 20)]:
            lsn = json.loads(self.engine.call("POST", "jobs", {"worker": "exec", "sandbox": True, "argv": argv}))["lsn"]
            peak = self.engine.result(lsn)["max_rss_bytes"]
            self.assertTrue(least <= peak <= most, (argv, peak))

    def test_processor_time_of_all_processes_is_counted(self):
        script = "(i=0; while [ $i -lt 500000 ]; do i=$((i+1)); done) & wait"
        lsn = json.loads(self.engine.call("POST", "jobs", {"worker": "exec", "sandbox": True,
                                                           "argv": ["sh", "-c", script]}))["lsn"]
        self.assertGreater(self.engine.result(lsn)["cpu_seconds"], 0.05)


WARM = """#!/usr/bin/env python3
import os
import re
import yard_worker

@yard_worker.function()
def add(args, job):
    return args["a"] + args["b"]

@yard_worker.function()
def copy(args, job):
    with open(os.path.join(job.inputs, "i.txt")) as source, open(os.path.join(job.outputs, "o.txt"), "w") as target:
        target.write(source.read() + "!")

@yard_worker.function()
def look(args, job):
    try:
        open("/made", "w")
    except OSError as error:
        return [os.getuid(), sorted(os.listdir("/")), error.errno]

yard_worker.run()
"""


class Warm(unittest.TestCase):
    def setUp(self):
        self.engine = Engine()
        self.addCleanup(self.engine.stop)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "kits", "python",
                               "yard_worker.py"), "rb") as file:
            self.kit = file.read()

    def register(self, io):
        files = [{"path": name, "hash": self.engine.put(data), "size": len(data), "mode": mode}
                 for name, data, mode in [("bin/it", WARM.encode(), "0755"), ("bin/yard_worker.py", self.kit, "0644")]]
        descriptor = {"name": "warm", "version": io, "platform": "linux-" + os.uname().machine, "executable": "bin/it",
                      "files": files, "functions": [{"name": f, "version": "1"} for f in ["add", "copy", "look"]],
                      "mode": "warm", "pool": {"io": io}}
        text = json.dumps(descriptor, sort_keys=True, separators=(",", ":"))
        self.engine.call("POST", "workers/" + hashlib.sha256(text.encode()).hexdigest(), descriptor)

    def run_one(self, function, args=None, **more):
        lsn = json.loads(self.engine.call("POST", "jobs", {"worker": "warm", "function": function, "args": args, **more}))
        return self.engine.result(lsn["lsn"])

    def test_its_process_is_inside(self):
        self.register("inline")
        self.assertEqual(self.run_one("add", {"a": 2, "b": 3})["result"], 5)
        user, root, error = self.run_one("look")["result"]
        self.assertEqual((user, error), (1000, 30))
        self.assertNotIn("requests", root)
        self.assertNotIn("home", root)

    def test_it_gets_its_files(self):
        self.register("files")
        for text in ["one", "two"]:
            result = self.run_one("copy", inputs={"i.txt": self.engine.put(text.encode())})
            self.assertEqual(result["state"], "completed", result)
            self.assertEqual(self.engine.call("GET", "chunks/" + result["outputs"]["o.txt"]["hash"]).decode(), text + "!")
        self.assertIn("requests", self.run_one("look")["result"][1])
        wait_for(lambda: not glob.glob(self.engine.data + "/scratch/100000/.requests.open/*"), "requests are gone")
        wait_for(lambda: not glob.glob(self.engine.data + "/scratch/100000/.requests.kept/*/*/*"), "files are gone")


class Deaths(unittest.TestCase):
    def test_a_killed_engine_takes_everything_along(self):
        engine = Engine()
        try:
            with open(HOSTILE, "rb") as file:
                engine.register("hostile", file.read())
            engine.call("POST", "jobs", {"worker": "hostile", "function": "stay", "args": daemon(4)})
            wait_for(lambda: processes_named(daemon(4)), "the daemon lives")
            engine.process.kill()
            engine.process.wait()
            wait_for(lambda: not processes_named(daemon(4)), "all is gone")
        finally:
            engine.process.stdout.close()
            engine.log.close()
            shutil.rmtree(engine.root, ignore_errors=True)

    def test_a_killed_launcher_takes_everything_along(self):
        engine = Engine()
        self.addCleanup(engine.stop)
        with open(HOSTILE, "rb") as file:
            engine.register("hostile", file.read())
        engine.call("POST", "jobs", {"worker": "hostile", "function": "stay", "args": daemon(5),
                                     "deadline_s": 60, "not_before": 0})
        before = wait_for(lambda: processes_named(daemon(5)), "the daemon lives")
        children = []
        for path in glob.glob(f"/proc/{engine.process.pid}/task/*/children"):
            with open(path, encoding="utf-8") as file:
                children += file.read().split()
        launcher = int(children[0])
        os.kill(launcher, 9)
        wait_for(lambda: not os.path.exists(before[0]), "it is gone")

    def test_where_few_files_may_be_open_less_runs_at_once_and_none_fails(self):
        engine = Engine(within=["prlimit", "--nofile=512:512"])
        self.addCleanup(engine.stop)
        wait_for(lambda: "raise the hard limit" in engine.text(), "the log says so")
        engine.call("POST", "jobs", [{"worker": "exec", "sandbox": True, "argv": ["sleep", "0.3"],
                                      "resources": {"cores": 0.001}, "max_interruptions": 0}] * 120)

        wait_for(lambda: json.loads(engine.call("GET", "session"))["counts"]["completed"] == 120, "all have run", 180)

    def test_where_the_machine_refuses_so_does_the_engine(self):
        engine = Engine(within=REFUSING)
        self.addCleanup(engine.stop)
        sandbox = json.loads(engine.call("GET", "session"))["sandbox"]
        self.assertEqual((sandbox["workers"], sandbox["holds"]), (False, False))
        user = next(part for part in sandbox["parts"] if part["name"] == "user")
        self.assertIn("user namespace", user["why"])
        with open(HOSTILE, "rb") as file:
            program = file.read()
        with self.assertRaisesRegex(AssertionError, "409.*--no-sandbox"):
            engine.register("hostile", program)
        engine.call("POST", "jobs", {"worker": "exec", "sandbox": True, "argv": ["true"]}, expect=409)
        wait_for(lambda: "registered workers are refused" in engine.text(), "the log says so")

    def test_a_refusing_machine_runs_workers_without_one_when_told_to(self):
        engine = Engine("--no-sandbox", within=REFUSING)
        self.addCleanup(engine.stop)
        with open(HOSTILE, "rb") as file:
            engine.register("hostile", file.read())
        lsn = json.loads(engine.call("POST", "jobs", {"worker": "hostile", "function": "open"}))["lsn"]
        self.assertEqual(engine.result(lsn)["state"], "completed")

    def test_without_a_sandbox_it_is_said(self):
        engine = Engine("--no-sandbox")
        self.addCleanup(engine.stop)
        sandbox = json.loads(engine.call("GET", "session"))["sandbox"]
        self.assertEqual(sandbox["workers"], False)
        self.assertIn("--no-sandbox", sandbox["why"])
        wait_for(lambda: "--no-sandbox" in engine.text(), "the log says so")


def main():
    global YARDMASTER, HOSTILE, USER, FILES
    arguments = sys.argv[1:]
    YARDMASTER, HOSTILE = arguments[:2]
    rest = arguments[2:]
    if "--as-user" in rest:
        rest.remove("--as-user")
        USER = 54321 if os.geteuid() == 0 else None
    if "--files" in rest:
        at = rest.index("--files")
        FILES = int(rest[at + 1])
        del rest[at:at + 2]
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()

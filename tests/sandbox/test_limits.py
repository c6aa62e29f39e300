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

    def takes(self, script, memory_mb=64, **more):
        """What becomes of a worker that takes memory and then waits."""
        engine = self.engine()
        name = "takes"
        text = "import array, fcntl, os, socket, time\nkept = []\n" + script + "print('taken', flush=True)\ntime.sleep(300)\n"
        engine.register(name, b"#!/usr/bin/python3\n" + text.encode(), memory_mb=memory_mb, **more)
        return self.run_one(engine, worker=name, function="stay", deadline_s=60)

    def is_over_memory(self, script, **more):
        result, out = self.takes(script, **more)
        self.assertEqual((result["state"], result["reason"]), ("failed", "memory"), (result, out))
        self.assertIn(out, ("taken\n", ""))  # a look may come before the last of it is taken

    def test_what_waits_in_sockets_counts(self):
        self.is_over_memory("for i in range(400):\n"
                            "    a, b = socket.socketpair()\n"
                            "    a.setblocking(False)\n"
                            "    kept.append((a, b))\n"
                            "    try:\n"
                            "        while True: a.send(bytes(50000))\n"
                            "    except BlockingIOError: pass\n")

    def test_what_closed_sockets_sent_counts(self):
        self.is_over_memory("for i in range(500):\n"
                            "    a, b = socket.socketpair(type=socket.SOCK_DGRAM)\n"
                            "    a.setblocking(False)\n"
                            "    kept.append(b)\n"
                            "    try:\n"
                            "        while True: a.send(bytes(50000))\n"
                            "    except BlockingIOError: pass\n"
                            "    a.close()\n")

    def test_connections_that_nobody_accepts_count(self):
        self.is_over_memory("server = socket.socket(socket.AF_UNIX)\n"
                            "server.bind('\\0server')\n"
                            "server.listen(4096)\n"
                            "for i in range(500):\n"
                            "    a = socket.socket(socket.AF_UNIX)\n"
                            "    a.connect('\\0server')\n"
                            "    a.send(bytes(100000))\n"
                            "    a.close()\n")

    def test_what_waits_in_connections_counts(self):
        self.is_over_memory("server = socket.create_server(('127.0.0.1', 0), backlog=100)\n"
                            "for i in range(60):\n"
                            "    a = socket.create_connection(server.getsockname())\n"
                            "    a.setblocking(False)\n"
                            "    kept.append((a, server.accept()))\n"
                            "    try:\n"
                            "        while True: a.send(bytes(1000000))\n"
                            "    except BlockingIOError: pass\n")

    def test_what_waits_in_pipes_counts(self):
        self.is_over_memory("for i in range(500):\n"
                            "    r, w = os.pipe2(os.O_NONBLOCK)\n"
                            "    kept.append((r, w))\n"
                            "    try:\n"
                            "        while True: os.write(w, bytes(65536))\n"
                            "    except BlockingIOError: pass\n", memory_mb=24)

    def test_tmp_and_processes_count_together(self):
        self.is_over_memory("open('/tmp/a', 'wb').write(bytes(40 << 20))\nkept.append(bytearray([1]) * (30 << 20))\n")

    def test_what_is_idle_and_small_goes_on(self):
        # As many sockets and pipes as one likes, with nothing in them, and a file that is mapped once.
        result, out = self.takes("import mmap\n"
                                 "for i in range(200): kept.append((socket.socketpair(), os.pipe()))\n"
                                 "with open('/tmp/a', 'w+b') as file:\n"
                                 "    file.truncate(80 << 20)\n"
                                 "    mapped = mmap.mmap(file.fileno(), 0)\n"
                                 "for i in range(80): mapped[i << 20:i + 1 << 20] = b'x' * (1 << 20)\n"
                                 "time.sleep(4)\n"
                                 "os.kill(os.getpid(), 9)\n", memory_mb=120)
        self.assertEqual((result["reason"], result.get("signal")), ("signal", 9), (result, out))

    def test_memory_of_system_v_and_of_queues_is_not_there_or_bounded(self):
        result, out = self.takes("import ctypes, resource\n"
                                 "libc = ctypes.CDLL(None, use_errno=True)\n"
                                 "for call in (lambda: libc.shmget(0, 4096, 0o1600), lambda: libc.msgget(0, 0o1600),\n"
                                 "             lambda: libc.semget(0, 1, 0o1600)):\n"
                                 "    print(call(), ctypes.get_errno())\n"
                                 "print(resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1] <= 819200)\n"
                                 "print('end', end='', flush=True)\n"
                                 "os._exit(0)\n")
        self.assertEqual(out, "-1 38\n-1 38\n-1 38\nTrue\nend", result)

    def test_who_asks_for_no_memory_is_bounded_by_the_machine(self):
        with open("/proc/meminfo", encoding="utf-8") as file:
            machine = int(file.readline().split()[1]) >> 10
        for options, most in (((), machine * 90 // 100), (("--set", "guard_hold_percent=50"), machine // 2),
                              (("--set", "default_memory_mb=77"), 77)):
            engine = self.engine(*options)
            self.register(engine, "look", "grep 'data size' /proc/self/limits")
            _, out = self.run_one(engine, worker="look", function="stay")
            self.assertAlmostEqual(int(out.split()[3]) >> 20, most, delta=machine // 20)

    def test_what_children_share_with_their_parent_counts_once(self):
        result, out = self.takes("kept.append(bytearray([1]) * (35 << 20))\n"
                                 "for i in range(4):\n"
                                 "    if os.fork() == 0: time.sleep(300)\n"
                                 "time.sleep(4)\n"
                                 "os.kill(os.getpid(), 9)\n")
        self.assertEqual((result["reason"], result.get("signal")), ("signal", 9), (result, out))

    WARM = b"""#!/usr/bin/python3
import json, os, socket, struct, time
s = socket.socket(fileno=int(os.environ["YARD_SOCKET_FD"]))
def say(number, **what):
    text = json.dumps(what).encode()
    s.sendall(struct.pack("<IQ", 8 + len(text), number) + text)
say(0, ready=True, concurrency=1)
while True:
    head = s.recv(12, socket.MSG_WAITALL)
    if len(head) < 12: break
    size, number = struct.unpack("<IQ", head)
    s.recv(size - 8, socket.MSG_WAITALL)
    for i in range(8):
        if os.fork() == 0:
            time.sleep(CHILD)
            kept = bytearray([1]) * (45 << 20)
            time.sleep(300)
    time.sleep(PARENT)
    say(number, exit_code=0)
"""

    def warm(self, engine, child, parent):
        """An action whose worker leaves eight children: so long after it they take memory, so long it works on."""
        script = self.WARM.replace(b"CHILD", str(child).encode()).replace(b"PARENT", str(parent).encode())
        engine.register("warm", script, mode="warm", memory_mb=64, pool={"io": "inline"})
        return self.run_one(engine, worker="warm", function="stay", deadline_s=60)[0]

    def test_children_of_a_warm_request_are_ended_with_it_while_it_works(self):
        engine = self.engine()
        result = self.warm(engine, 0, 300)
        self.assertEqual((result["state"], result["reason"]), ("failed", "memory"), result)
        self.assertIn("took more than 64 MiB together", result["note"])
        gone = test_escapes.wait_for(lambda: json.loads(engine.call("GET", "pool"))["gone"], "it went")
        self.assertEqual(gone[0]["why"], "memory", gone)

    def test_children_of_a_warm_process_that_starts_count(self):
        engine = self.engine()
        script = self.WARM.replace(b"say(0, ready", b"for i in range(8):\n"
                                   b"    if os.fork() == 0:\n"
                                   b"        kept = bytearray([1]) * (45 << 20)\n"
                                   b"        time.sleep(300)\n"
                                   b"time.sleep(300)\n"
                                   b"say(0, ready")
        engine.register("warm", script, mode="warm", memory_mb=64, pool={"io": "inline"})
        result, _ = self.run_one(engine, worker="warm", function="stay", deadline_s=60)
        self.assertEqual((result["state"], result["reason"]), ("failed", "spawn_error"), result)
        self.assertIn("took more than 64 MiB together", result["note"])

    def test_children_of_warm_requests_count_when_it_is_idle_too(self):
        engine = self.engine()
        result = self.warm(engine, 2, 0)
        self.assertEqual(result["state"], "completed", result)
        gone = test_escapes.wait_for(lambda: json.loads(engine.call("GET", "pool"))["gone"], "it went", 60)
        self.assertEqual(gone[0]["why"], "memory", gone)


if __name__ == "__main__":
    test_escapes.main()

#!/usr/bin/env python3
"""The worker kits: each example in both modes, driven as the engine would. test_kits.py CPP_EXAMPLE CPP_FAILURES"""

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

KITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "kits")
CPP = ""
CPP_FAILURES = ""


class Warm:
    """The engine's end of a warm worker."""

    def __init__(self, command, cwd=None):
        ours, theirs = socket.socketpair()
        os.set_inheritable(theirs.fileno(), True)
        env = dict(os.environ, YARD_SOCKET_FD=str(theirs.fileno()))
        self.process = subprocess.Popen(command, env=env, cwd=cwd, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        theirs.close()
        self.socket = ours
        self.socket.settimeout(100)

    def read(self):
        head = self._exactly(12)
        length, request = struct.unpack("<IQ", head)
        value = json.loads(self._exactly(length - 8).decode())
        json.dumps(value, ensure_ascii=False).encode()  # the engine takes no halves of characters
        return request, value

    def _exactly(self, count):
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError()
            data += more
        return data

    @staticmethod
    def frame(request, value):
        body = json.dumps(value).encode()
        return struct.pack("<IQ", len(body) + 8, request) + body

    def ask(self, request, function, args, **more):
        self.socket.sendall(self.frame(request, dict(lsn=request, function=function, args=args, **more)))

    def end(self):
        self.socket.close()
        out, err = self.process.communicate(timeout=100)
        return self.process.returncode, out, err


class Kit:
    """What holds for every kit. `command` starts the example."""

    command = []

    def test_it_describes_its_functions(self):
        out = subprocess.run(self.command + ["--describe"], stdout=subprocess.PIPE, check=True, timeout=100).stdout
        functions = json.loads(out)["functions"]
        self.assertEqual(functions, [{"name": n, "version": "1"} for n in ("add", "copy", "fail")])

    def test_without_an_engine_it_says_what_it_is(self):
        ran = subprocess.run(self.command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
        self.assertEqual(ran.returncode, 2)
        self.assertIn(b"yardctl workers add", ran.stderr)

    def run_action(self, function, args, command=None):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        for name in ("inputs", "outputs"):
            os.mkdir(os.path.join(self.root, name))
        with open(os.path.join(self.root, "inputs", "a.txt"), "w", encoding="utf-8") as file:
            file.write("hello")
        with open(os.path.join(self.root, "action.json"), "w", encoding="utf-8") as file:
            json.dump({"lsn": 5, "function": function, "args": args, "inputs": {}}, file)
        env = dict(os.environ, YARD_ACTION=os.path.join(self.root, "action.json"))
        return subprocess.run(command or self.command, cwd=self.root, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)

    def failures_command(self):
        """A worker with the functions message, thrown, name and far."""
        raise NotImplementedError

    def in_both_modes(self, function, args, command=None):
        """The answer, which must be that of process mode, too; a warm worker must be there after it."""
        command = command or self.command
        ran = self.run_action(function, args, command)
        worker = Warm(command)
        worker.read()
        worker.ask(1, function, args)
        answer = worker.read()[1]
        worker.ask(2, "nothing", None)
        self.assertEqual(worker.read()[0], 2)
        worker.end()
        self.assertEqual(ran.returncode, answer["exit_code"])
        self.assertIn(answer.get("message", ""), ran.stderr.decode())
        self.assertEqual(json.loads(ran.stdout.decode() or "null"), answer.get("result"))
        return answer

    def test_progress_comes_before_the_answer(self):
        worker = Warm(self.failures_command())
        worker.read()
        for number, value, told in ((1, 0.4, 0.4), (2, 1, 1), (3, 7, 1), (4, -1, 0)):
            worker.ask(number, "far", {"value": value})
            self.assertEqual(worker.read(), (number, {"progress": told, "message": "packing \u00e4"}))
            self.assertEqual(worker.read(), (number, {"exit_code": 0}))
        worker.end()

    def test_in_process_mode_progress_is_in_the_status_file(self):
        with tempfile.TemporaryDirectory() as root:
            for path, told in ((os.path.join(root, "status"), {"progress": 0.25, "message": "packing \u00e4"}),
                               (os.path.join(root, "not", "there"), None), (None, None)):
                with unittest.mock.patch.dict(os.environ, {"YARD_STATUS": path} if path else {}):
                    self.assertEqual(self.run_action("far", {"value": 0.25}, self.failures_command()).returncode, 0)
                if told:
                    with open(path, encoding="utf-8") as file:
                        self.assertEqual(json.load(file), told)

    def test_an_exit_code_that_is_none_is_a_failure_and_said(self):
        for code in ("x", 256, -1):
            answer = self.in_both_modes("fail", {"message": "no", "exit_code": code})
            self.assertEqual(answer["exit_code"], 1)
            self.assertIn("exit", answer["message"])
        self.assertEqual(self.in_both_modes("fail", {"message": "no", "exit_code": 255}),
                         {"exit_code": 255, "message": "no"})

    def test_what_is_no_unicode_is_replaced(self):
        message = self.in_both_modes("message", None, self.failures_command())
        self.assertEqual(message["exit_code"], 3)
        self.assertRegex(message["message"], "^caf[?\ufffd].txt$")
        result = self.in_both_modes("name", None, self.failures_command())
        self.assertEqual(result["exit_code"], 0)
        self.assertRegex(result["result"], "^caf[?\ufffd].txt$")

    def test_whatever_is_thrown_fails_the_action_alone(self):
        self.assertEqual(self.in_both_modes("thrown", None, self.failures_command())["exit_code"], 1)

    def test_a_long_message_ends_between_characters(self):
        worker = Warm(self.command)
        worker.read()
        worker.ask(1, "fail", {"message": "a" + 2000 * "\U0001f600", "exit_code": 1})
        self.assertEqual(worker.read()[1]["message"], "a" + 999 * "\U0001f600")
        worker.end()

    def test_process_mode_prints_the_result(self):
        ran = self.run_action("add", {"a": 2, "b": 3})
        self.assertEqual((ran.returncode, ran.stdout), (0, b"5\n"))

    def test_process_mode_copies_files(self):
        self.assertEqual(self.run_action("copy", None).returncode, 0)
        with open(os.path.join(self.root, "outputs", "a.txt"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "hello")

    def test_process_mode_fails_with_code_and_message(self):
        ran = self.run_action("fail", {"message": "no \u00e4\n", "exit_code": 3})
        self.assertEqual(ran.returncode, 3)
        self.assertIn("no \u00e4", ran.stderr.decode())

    def test_warm_requests_are_answered(self):
        worker = Warm(self.command)
        request, ready = worker.read()
        self.assertEqual((request, ready["ready"], ready["concurrency"]), (0, True, 1))
        for i in (1, 2**63 + 1):
            worker.ask(i, "add", {"a": i % 7, "b": 40})
            self.assertEqual(worker.read(), (i, {"exit_code": 0, "result": i % 7 + 40}))
        self.assertEqual(worker.end()[0], 0)

    def test_warm_many_ahead_in_pieces(self):
        worker = Warm(self.command)
        worker.read()
        count = 200
        data = b"".join(Warm.frame(i, {"lsn": i, "function": "add", "args": {"a": i, "b": 1}}) for i in range(1, count + 1))
        for at in range(0, len(data), 1000):
            worker.socket.sendall(data[at:at + 1000])
        self.assertEqual([worker.read() for _ in range(count)], [(i, {"exit_code": 0, "result": i + 1}) for i in range(1, count + 1)])
        worker.end()

    def test_warm_failures_are_answers_and_the_worker_goes_on(self):
        worker = Warm(self.command)
        worker.read()
        worker.ask(1, "fail", {"message": "a \"b\"\n\u00e4\U0001f600", "exit_code": 7})
        self.assertEqual(worker.read(), (1, {"exit_code": 7, "message": "a \"b\"\n\u00e4\U0001f600"}))
        worker.ask(2, "nothing", None)
        request, answer = worker.read()
        self.assertEqual((request, answer["exit_code"]), (2, 1))
        self.assertIn("nothing", answer["message"])
        worker.ask(3, "copy", None)
        self.assertEqual(worker.read()[1]["exit_code"], 1)
        worker.ask(4, "add", {"a": 1, "b": 1})
        self.assertEqual(worker.read()[1]["result"], 2)
        worker.end()

    def test_warm_what_was_thrown_is_printed_and_a_failure_on_purpose_is_not(self):
        worker = Warm(self.command)
        worker.read()
        worker.ask(1, "fail", {"message": "on purpose", "exit_code": 7})
        worker.read()
        worker.ask(2, "copy", None)
        message = worker.read()[1]["message"]
        _, out, err = worker.end()
        self.assertEqual(out, b"")
        self.assertNotIn("on purpose", err.decode())
        self.assertIn(message.split(": ", 1)[-1], err.decode())

    def test_warm_files_go_through_the_directories(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("in", "out"):
                os.mkdir(os.path.join(root, name))
            with open(os.path.join(root, "in", "b.bin"), "wb") as file:
                file.write(bytes(range(256)))
            worker = Warm(self.command)
            worker.read()
            worker.ask(1, "copy", None, inputs=os.path.join(root, "in"), outputs=os.path.join(root, "out"))
            self.assertEqual(worker.read(), (1, {"exit_code": 0}))
            with open(os.path.join(root, "out", "b.bin"), "rb") as file:
                self.assertEqual(file.read(), bytes(range(256)))
            worker.end()


class Objects:
    """What holds for every kit whose workers look at objects. They all do the same there."""

    def objects_command(self):
        """A worker that looks at pages and has the effect note."""
        raise NotImplementedError

    def looker(self):
        worker = Warm(self.objects_command())
        worker.read()
        return worker

    @staticmethod
    def look_at(worker, status, pending=0, kind="page"):
        tick = {"object": {"id": 7, "type": kind, "status": status, "fields": {"url": "u"}, "retries": 0, "revision": 3},
                "children": {"done": 2, "queued": pending}, "pending": pending, "now": 1, "deadline_s": 60,
                "parent": {"id": 2, "type": "page", "status": "started", "fields": {}},
                "actions": {"sum": {"lsn": 9, "state": "completed", "exit_code": 0, "result": [4, {"n": 5}]}}}
        worker.socket.sendall(Warm.frame(1, {"function": "tick", "tick": tick}))
        return worker.read()[1]

    @staticmethod
    def carry_out(worker, effect, attempt):
        worker.socket.sendall(Warm.frame(1, {"function": "tick", "effect": effect, "args": {"a": 1}, "object": 7, "attempt": attempt}))
        return worker.read()[1]

    def test_a_look_answers_with_its_move_and_its_effects(self):
        worker = self.looker()
        self.assertEqual(self.look_at(worker, "started", pending=1), {"exit_code": 0, "look_in_s": 5})
        self.assertEqual(self.look_at(worker, "silent"), {"exit_code": 0})
        self.assertEqual(self.look_at(worker, "started"), {
            "exit_code": 0, "move": "sealed", "look_in_s": 2, "set": {"up": 2, "all": 2, "sum": [4, {"n": 5}]},
            "effects": [{"create": {"type": "result", "key": "k", "fields": {"n": 1}}}, {"submit": {"worker": "exec"}, "as": "pdf"},
                        {"wake": "parent"}, {"wake": [4, 5]}, {"call": "note", "args": {"a": 1}}]})
        worker.end()

    def test_a_look_that_throws_is_a_failure_of_its_object_alone(self):
        worker = self.looker()
        odd = self.look_at(worker, "odd")
        self.assertEqual(odd["exit_code"], 1)
        self.assertRegex(odd["message"], "(^|: )u$")
        self.assertEqual(self.look_at(worker, "odder")["exit_code"], 1)
        self.assertEqual(self.look_at(worker, "failing"), {"exit_code": 4, "message": "on purpose"})
        self.assertEqual(self.look_at(worker, "huge"), {"exit_code": 1, "message": "the answer of a look is over 1 MiB"})
        self.assertEqual(self.look_at(worker, "garbage")["exit_code"], 1)
        self.assertIn("other", self.look_at(worker, "started", kind="other")["message"])
        self.assertEqual(self.look_at(worker, "silent"), {"exit_code": 0})
        err = worker.end()[2].decode()
        self.assertIn("u\n", err)
        self.assertNotIn("on purpose", err)

    def test_what_is_no_unicode_in_an_answer_of_a_look_is_replaced(self):
        worker = self.looker()
        self.assertRegex(self.look_at(worker, "half")["set"]["url"], "^caf[?\ufffd]$")
        worker.end()

    def test_an_effect_is_called_until_it_succeeds(self):
        worker = self.looker()
        self.assertEqual(self.carry_out(worker, "note", 1), {"exit_code": 1, "message": "1 of 7"})
        self.assertEqual(self.carry_out(worker, "note", 2), {"exit_code": 0})
        self.assertIn("none", self.carry_out(worker, "none", 1)["message"])
        worker.end()

    def test_a_worker_that_looks_at_objects_describes_that(self):
        out = subprocess.run(self.objects_command() + ["--describe"], stdout=subprocess.PIPE, check=True, timeout=100).stdout
        self.assertEqual(json.loads(out)["functions"][-1], {"name": "tick", "version": "1"})


class Cpp(Kit, Objects, unittest.TestCase):
    def setUp(self):
        self.command = [CPP]

    def failures_command(self):
        return [CPP_FAILURES]

    def objects_command(self):
        return [CPP_FAILURES]

    def test_texts_of_what_is_no_list_are_an_exception(self):
        worker = self.looker()
        self.assertEqual(self.look_at(worker, "unlisted"), {"exit_code": 1, "message": 'this is no list: {"url": "u"}'})
        worker.end()

    def test_a_result_that_is_no_json_fails(self):
        for text in ("caf", "nan", "-inf", "01", "1.", "[1,]", '{"a" 1}', '"a', "{} {}", '"\\x"', '"\t"', 61 * "[" + 61 * "]"):
            with self.subTest(text):
                answer = self.in_both_modes("result", {"json": text}, [CPP_FAILURES])
                self.assertEqual(answer, {"exit_code": 1, "message": "the result of result is no JSON"})
        for text in ("-0.5e+7", "5", "true", "[]", ' { "a" : [1, {}, null] } ', '"\\u00e4\\n\u20ac"', 60 * "[" + 60 * "]"):
            with self.subTest(text):
                answer = self.in_both_modes("result", {"json": text}, [CPP_FAILURES])
                self.assertEqual(answer, {"exit_code": 0, "result": json.loads(text)})


class Python(Kit, Objects, unittest.TestCase):
    command = [sys.executable, os.path.join(KITS, "python", "example.py")]

    def written(self, text):
        """The command of a worker of this text."""
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        shutil.copy(os.path.join(KITS, "python", "yard_worker.py"), root)
        with open(os.path.join(root, "worker.py"), "w", encoding="utf-8") as file:
            file.write("import yard_worker\n" + text)
        return [sys.executable, os.path.join(root, "worker.py")]

    def warm(self, text):
        worker = Warm(self.written(text))
        return worker, worker.read()[1]

    def failures_command(self):
        return self.written(
            "import asyncio, os\n"
            "@yard_worker.function()\n"
            "def message(args, job):\n"
            "    raise yard_worker.Fail(os.fsdecode(b'caf\\xe9.txt'), 3)\n"
            "@yard_worker.function()\n"
            "def thrown(args, job):\n"
            "    raise asyncio.CancelledError()\n"
            "@yard_worker.function()\n"
            "def name(args, job):\n"
            "    return os.fsdecode(b'caf\\xe9.txt')\n"
            "@yard_worker.function()\n"
            "def far(args, job):\n"
            "    job.progress(args['value'], 'packing \\u00e4')\n"
            "yard_worker.run()\n")

    def test_a_thread_answers_whatever_was_raised(self):
        worker, _ = self.warm("@yard_worker.function()\ndef stop(args, job):\n    raise KeyboardInterrupt\n"
                              "yard_worker.run(concurrency=2)\n")
        for number in range(1, 9):
            worker.ask(number, "stop", None)
            self.assertEqual(worker.read(), (number, {"exit_code": 1, "message": "KeyboardInterrupt: "}))
        self.assertEqual(worker.end()[0], 0)

    def test_an_error_that_cannot_be_shown_fails_the_action_alone(self):
        command = self.written("import sys\n"
                               "class Mute(Exception):\n"
                               "    def __str__(self):\n        raise ValueError\n"
                               "@yard_worker.function()\ndef mute(args, job):\n    raise Mute\n"
                               "@yard_worker.function()\ndef closed(args, job):\n"
                               "    sys.stdout.close()\n    raise yard_worker.Fail('closed', 4)\n"
                               "yard_worker.run()\n")
        self.assertEqual(self.in_both_modes("mute", None, command)["exit_code"], 1)
        self.assertEqual(self.in_both_modes("closed", None, command), {"exit_code": 4, "message": "closed"})

    def test_a_thread_that_cannot_go_on_ends_the_worker(self):
        worker, _ = self.warm("import threading\n"
                              "held = threading.Event()\n"
                              "@yard_worker.function()\n"
                              "def hold(args, job):\n"
                              "    if threading.current_thread() is not threading.main_thread():\n"
                              "        held.wait()\n"
                              "        return\n"
                              "    held.set()\n"
                              "    threading.Event().wait()\n"
                              "yard_worker.run(concurrency=2)\n")
        worker.ask(1, "hold", None)
        worker.ask(2, "hold", None)
        worker.read()
        worker.socket.sendall(struct.pack("<IQ", 4, 3))
        self.assertEqual(worker.process.wait(timeout=100), 1)
        worker.end()

    def test_threads_work_at_once_and_answer_as_they_end(self):
        worker, ready = self.warm(
            "import threading\n"
            "met = threading.Barrier(2)\n"
            "second = threading.Event()\n"
            "@yard_worker.function()\n"
            "def first(args, job):\n"
            "    met.wait()\n"
            "    second.wait()\n"
            "@yard_worker.function()\n"
            "def other(args, job):\n"
            "    met.wait()\n"
            "@yard_worker.function()\n"
            "def go(args, job):\n"
            "    second.set()\n"
            "yard_worker.run(concurrency=2, ahead=0)\n")
        self.assertEqual(ready, {"ready": True, "concurrency": 2, "ahead": 0})
        worker.ask(1, "first", None)
        worker.ask(2, "other", None)
        self.assertEqual(worker.read()[0], 2)
        worker.ask(3, "go", None)
        self.assertEqual({worker.read()[0], worker.read()[0]}, {1, 3})
        self.assertEqual(worker.end()[0], 0)

    def test_a_traceback_goes_to_stderr_and_its_last_line_into_the_answer(self):
        worker, _ = self.warm("@yard_worker.function()\ndef bad(args, job):\n    return args['no']\nyard_worker.run()\n")
        worker.ask(1, "bad", {})
        self.assertEqual(worker.read()[1], {"exit_code": 1, "message": "KeyError: 'no'"})
        err = worker.end()[2].decode()
        self.assertIn("Traceback", err)
        self.assertIn("in bad", err)

    def test_what_was_printed_is_there_before_the_answer(self):
        worker, _ = self.warm("@yard_worker.function()\ndef say(args, job):\n    print('said')\nyard_worker.run()\n")
        worker.ask(1, "say", None)
        worker.read()
        os.set_blocking(worker.process.stdout.fileno(), False)
        self.assertEqual(worker.process.stdout.read(), b"said\n")
        worker.end()

    def test_sys_exit_ends_the_action_and_not_the_worker(self):
        worker, _ = self.warm("import sys\n@yard_worker.function()\ndef leave(args, job):\n    sys.exit(args)\n"
                              "yard_worker.run(concurrency=2)\n")
        refused = {"exit_code": 1, "message": "exit code 256 is no integer from 0 to 255"}
        for number, (code, answer) in enumerate([(3, {"exit_code": 3}), (None, {"exit_code": 0}), (256, refused),
                                                 ("no", {"exit_code": 1, "message": "no"})] * 2, 1):
            worker.ask(number, "leave", code)
            self.assertEqual(worker.read(), (number, answer))
        worker.end()

    def objects_command(self):
        return self.written(
            "@yard_worker.tick('page')\n"
            "def look(o):\n"
            "    if o.status == 'odd':\n        raise ValueError(o.fields['url'])\n"
            "    if o.status == 'odder':\n        raise KeyboardInterrupt\n"
            "    if o.status == 'failing':\n        raise yard_worker.Fail('on purpose', 4)\n"
            "    if o.status == 'huge':\n        return o.wait(set={'url': 'a' * 1048576})\n"
            "    if o.status == 'garbage':\n        return o.wait(set={'url': float('nan')})\n"
            "    if o.status == 'half':\n        return o.wait(set={'url': 'caf\\udce9'})\n"
            "    if o.status == 'silent':\n        return None\n"
            "    if o.children.pending:\n        return o.wait(5)\n"
            "    new = {'up': o.parent.id, 'all': sum(o.children.values()), 'sum': o.actions['sum']['result']}\n"
            "    return o.move('sealed', look_in=2, set=new,\n"
            "                  effects=[yard_worker.create('result', key='k', n=1), yard_worker.submit({'worker': 'exec'}, 'pdf'),\n"
            "                           yard_worker.wake('parent'), yard_worker.wake(4, 5), yard_worker.call('note', a=1)])\n"
            "@yard_worker.effect('note')\n"
            "def note(args, object_id, attempt):\n"
            "    if attempt == 1:\n        raise yard_worker.Fail('%s of %d' % (args['a'], object_id))\n"
            "yard_worker.run()\n")

    def test_a_result_over_64_kib_fails(self):
        worker, _ = self.warm("@yard_worker.function()\ndef big(args, job):\n    return 'a' * 65536\nyard_worker.run()\n")
        worker.ask(1, "big", None)
        answer = worker.read()[1]
        self.assertEqual(answer["exit_code"], 1)
        self.assertIn("64 KiB", answer["message"])
        worker.end()


class Node(Kit, Objects, unittest.TestCase):
    command = [shutil.which("node") or "node", os.path.join(KITS, "node", "example.js")]

    def setUp(self):
        if not shutil.which("node"):
            self.skipTest("node is not installed (Debian: nodejs)")

    def written(self, text):
        """The command of a worker of this text."""
        root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, root)
        shutil.copy(os.path.join(KITS, "node", "yard_worker.js"), root)
        with open(os.path.join(root, "worker.js"), "w", encoding="utf-8") as file:
            file.write("const yard = require('./yard_worker.js');\n" + text)
        return [shutil.which("node"), os.path.join(root, "worker.js")]

    def failures_command(self):
        return self.written(
            "yard.function('message', () => { throw new yard.Fail('caf\\ud83d.txt', 3); });\n"
            "yard.function('thrown', () => { throw Object.create(null); });\n"
            "yard.function('later', async () => { const fail = new yard.Fail('no'); fail.message = 5; throw fail; });\n"
            "yard.function('name', () => 'caf\\ud83d.txt');\n"
            "yard.function('far', (args, job) => job.progress(args.value, 'packing \\u00e4'));\n"
            "yard.function('escaped', () => ['\\\\ud83d', '\\u0001\\\\', '\\ud83d\\ude00']);\n"
            "yard.function('never', () => new Promise(() => {}));\n"
            "yard.run();\n")

    def objects_command(self):
        return self.written(
            "yard.tick('page', async (o) => {\n"
            "    if (o.status === 'odd') throw new TypeError(o.fields.url);\n"
            "    if (o.status === 'odder') throw Object.create(null);\n"
            "    if (o.status === 'failing') throw new yard.Fail('on purpose', 4);\n"
            "    if (o.status === 'huge') return o.wait(undefined, {set: {url: 'a'.repeat(1048576)}});\n"
            "    if (o.status === 'garbage') return 'sealed';\n"
            "    if (o.status === 'half') return o.wait(undefined, {set: {url: 'caf\\ud83d'}});\n"
            "    if (o.status === 'silent') return;\n"
            "    if (o.children.pending > 0) return o.wait(5);\n"
            "    let all = 0;\n"
            "    for (const count of o.children.values()) all += count;\n"
            "    return o.move('sealed', {lookIn: 2, set: {up: o.parent.id, all, sum: o.actions.sum.result}, effects: [\n"
            "        yard.create('result', {n: 1}, {key: 'k'}), yard.submit({worker: 'exec'}, 'pdf'), yard.wake('parent'),\n"
            "        yard.wake(4, 5), yard.call('note', {a: 1})]});\n"
            "});\n"
            "yard.effect('note', (args, objectId, attempt) => {\n"
            "    if (attempt === 1) throw new yard.Fail(`${args.a} of ${objectId}`);\n"
            "});\n"
            "yard.run();\n")

    def test_a_message_that_is_no_text_fails_the_action_alone(self):
        self.assertEqual(self.in_both_modes("later", None, self.failures_command()), {"exit_code": 1, "message": "5"})

    def test_only_halves_of_characters_are_replaced(self):
        self.assertEqual(self.in_both_modes("escaped", None, self.failures_command())["result"],
                         ["\\ud83d", "\x01\\", "\U0001f600"])

    def test_process_mode_without_an_answer_is_a_failure(self):
        self.assertEqual(self.run_action("never", None, self.failures_command()).returncode, 1)

    def test_async_functions_are_under_way_at_once(self):
        worker = Warm(self.written("let go;\n"
                                   "yard.function('wait', () => new Promise((done) => { go = done; }));\n"
                                   "yard.function('go', () => { go('went'); });\n"
                                   "yard.function('big', () => 'a'.repeat(65536));\n"
                                   "yard.run({concurrency: 2, ahead: 0});\n"))
        self.assertEqual(worker.read()[1], {"ready": True, "concurrency": 2, "ahead": 0})
        worker.ask(1, "wait", None)
        worker.ask(2, "go", None)
        self.assertEqual(dict([worker.read(), worker.read()]), {1: {"exit_code": 0, "result": "went"}, 2: {"exit_code": 0}})
        worker.ask(3, "big", None)
        self.assertIn("64 KiB", worker.read()[1]["message"])
        worker.end()


if __name__ == "__main__":
    CPP, CPP_FAILURES = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1))
    unittest.main()

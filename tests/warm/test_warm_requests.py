#!/usr/bin/env python3
"""Requests of warm workers: values, files, failures, batches, what is refused.
test_warm_requests.py YARDMASTER"""

import hashlib
import json
import os
import shutil

import warm_case
from warm_case import FUNCTIONS, KIT, WORKER, WarmCase


class Requests(WarmCase):
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

    def test_what_a_worker_says_of_its_success_is_the_note(self):
        result = self.raw("frame(0, '{\"ready\":true}')\nn, r = read()\n"
                          "frame(n, json.dumps({'result': 3, 'message': 'two were there already\\n3 thumbnails written\\n'}))\nread()")
        self.assertEqual((result["state"], result["result"], result["note"]), ("completed", 3, "3 thumbnails written"))

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


if __name__ == "__main__":
    warm_case.main()

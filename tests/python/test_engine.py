#!/usr/bin/env python3
"""Engine against the real one, killed and restarted as well. test_engine.py YARDMASTER"""

import gc
import os
import threading
import time
import weakref
from unittest import mock

import harness
import yardmaster
from harness import KIT, WithEngine, forgetful, wait_for

WORKER = b"""#!/usr/bin/env python3
import yard_worker

@yard_worker.function()
def double(args, job):
    if args == 13:
        raise yard_worker.Fail("no luck", 7)
    return args * 2

yard_worker.run()
"""


class Submitting(WithEngine):
    def test_a_command_runs_here_and_its_streams_come_apart(self):
        result = self.engine.run("pwd; echo err >&2; exit 3")
        self.assertEqual((result.state, result.exit_code, result.stdout_text, result.stderr_text, result.retry_count),
                         ("failed", 3, os.getcwd() + "\n", "err\n", 0))
        result = self.engine.run(["cat", "a b"], cwd=self.folder_with("a b", "text"))
        self.assertEqual((result.ok, result.stdout), (True, b"text"))
        self.assertEqual(self.engine.run(["true"]).stdout, b"")

    def folder_with(self, name, text):
        self.write(name, text)
        return self.folder

    def test_a_command_has_this_environment_but_for_secrets(self):
        with mock.patch.dict(os.environ, {"OF_THE_CLIENT": "seen", "MY_SECRET": "hidden", "odd-name": "x", "BROKEN": "\udcff"}):
            line = "echo $OF_THE_CLIENT/$MY_SECRET/$BROKEN"
            self.assertEqual(self.engine.run(line).stdout, b"seen//\xff\n")
            self.assertEqual(self.engine.run(line, env={"MY_SECRET": "given"}).stdout, b"/given/\n")

    def test_bytes_that_are_not_utf8_stay_what_they_are(self):
        folder = os.path.join(os.fsencode(self.folder), b"d\xe9")
        os.mkdir(folder)
        result = self.engine.run(["printf", "%s/%s/%s", b"\xff\xfe", "\udcfd\u00e9", os.fsdecode(folder)], cwd=folder,
                                 env={"A": b"\xfc"})
        self.assertEqual(result.stdout, b"/".join([b"\xff\xfe", b"\xfd\xc3\xa9", folder]))
        self.assertEqual(self.engine.run("pwd; echo $A", cwd=os.fsdecode(folder), env={"A": "\udcfc"}).stdout,
                         folder + b"\n\xfc\n")
        spec = self.engine.call("GET", "jobs/%d/spec" % result.lsn)
        self.assertEqual((os.fsencode(spec["cwd"]), spec["argv"][2:4]), (folder, ["\udcff\udcfe", "\udcfd\u00e9"]))
        with self.assertRaises(yardmaster.Invalid) as caught:
            self.engine.submit(worker="exec", argv=["true"], label="\udcff")
        self.assertEqual(caught.exception.field, "label")

    def test_a_command_that_fails_raises_where_that_is_asked_for(self):
        with self.assertRaises(yardmaster.ActionFailed) as caught:
            self.engine.run("echo broken >&2; exit 3", check=True)
        self.assertEqual(caught.exception.result.exit_code, 3)
        self.assertIn("exit code 3: broken", str(caught.exception))

    def test_a_command_that_takes_too_long_is_left_running(self):
        with self.assertRaises(TimeoutError):
            self.engine.run(["sleep", "60"], timeout=0.2, label="long")
        row, = self.engine.list("label:long")
        # On a busy machine it may not have begun yet.
        wait_for(lambda: self.engine.look(row.lsn).state == "running", "it runs")
        self.assertEqual(self.engine.cancel(row.lsn)["changed"], 1)
        self.assertEqual(self.engine.result(row.lsn).state, "cancelled")

    def test_inputs_are_sent_once_and_outputs_fetched(self):
        self.write("in.txt", "from a file")
        lsn = self.engine.submit({"worker": "exec", "argv": ["/bin/sh", "-c", "mkdir outputs/d; cat inputs/a inputs/b > outputs/d/o; "
                                                             "echo x > outputs/p"]},
                                 inputs={"a": b"from bytes ", "b": self.path("in.txt")}, expect=["p"])
        result = self.engine.result(lsn).check()
        self.assertEqual(self.engine.output(result, "d/o"), b"from bytes from a file")
        saved = self.engine.save_outputs(result, self.path("out"))
        self.assertEqual(sorted(saved), [self.path("out/d/o"), self.path("out/p")])
        with open(self.path("out/d/o"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "from bytes from a file")
        with self.assertRaises(yardmaster.NotFound):
            self.engine.output(result, "other")

    def test_a_list_is_submitted_whole_or_not_at_all(self):
        lsns = self.engine.submit_all({"worker": "exec", "argv": ["echo", str(i)], "label": "list"} for i in range(5))
        done, left = self.engine.wait(lsns)
        self.assertEqual(([r.lsn for r in done], left), (lsns, []))
        self.assertEqual([self.engine.stdout(n) for n in lsns], [b"%d\n" % i for i in range(5)])
        with self.assertRaises(yardmaster.Invalid) as caught:
            self.engine.submit_all([{"worker": "exec", "argv": ["true"]}, {"worker": "exec", "argv": ["true"], "priority": 1000}])
        self.assertEqual((caught.exception.status, caught.exception.code, caught.exception.field, caught.exception.index),
                         (422, "invalid", "priority", 1))
        self.assertEqual(self.engine.submit_all([]), [])

    def test_the_same_key_is_the_same_action(self):
        first = self.engine.submit(worker="exec", argv=["true"], key="k1")
        self.assertEqual(self.engine.submit(worker="exec", argv=["true"], key="k1"), first)
        with self.assertRaises(yardmaster.Invalid):
            self.engine.submit(worker="exec", argv=["false"], key="k1")

    def test_an_answer_that_is_lost_submits_nothing_twice(self):
        proxy = forgetful(self.engine.url, 1)
        self.addCleanup(proxy.close)
        with yardmaster.Engine(proxy.url, data_dir=self.data) as engine:
            engine._core.now_reached()
            lsn = engine.submit(worker="exec", argv=["true"], label="lost")
            self.assertEqual([r.lsn for r in self.engine.list("label:lost")], [lsn])
            proxy.count = 0
            result = engine.run(["echo", "hello"], label="lost too")
            self.assertEqual(result.stdout, b"hello\n")
            self.assertEqual([r.lsn for r in self.engine.list('label:"lost too"')], [result.lsn])

    def test_what_may_not_be_repeated_is_not(self):
        proxy = forgetful(self.engine.url, 1)
        self.addCleanup(proxy.close)
        with yardmaster.Engine(proxy.url, data_dir=self.data) as engine:
            engine._core.now_reached()
            with self.assertRaises(yardmaster.Unreachable):
                engine.create_queue("once")
            self.assertEqual(len([q for q in self.engine.queues() if q.get("tag") == "once"]), 1)

    def test_a_function_is_mapped_in_order(self):
        with open(KIT, "rb") as kit:
            contents = {"w.py": WORKER, "yard_worker.py": kit.read()}
        descriptor = {"name": "doubler", "version": "1", "platform": "linux-x86_64", "executable": "w.py", "mode": "warm",
                      "files": [{"path": "w.py", "mode": "0755"}, {"path": "yard_worker.py", "mode": "0644"}],
                      "functions": [{"name": "double", "version": "1"}]}
        told = []
        worker = self.engine._drive(self.engine._core.register_worker(descriptor, contents, lambda *n: told.append(n)))
        sizes = [len(contents[f["path"]]) for f in descriptor["files"]]
        self.assertEqual(told[:3], [("hashed", 1, sizes[0], 2), ("hashed", 2, sum(sizes), 2), ("sent", 0, 0, 2, sum(sizes))])
        self.assertEqual(told[3][:2] + told[3][3:], ("sent", 1, 2, sum(sizes)))
        self.assertEqual(self.engine.register_worker(descriptor, contents), worker)
        self.assertIn(worker, [w["id"] for w in self.engine.workers()])
        taken = []

        def numbers():
            for i in range(1000, 2000):
                taken.append(i)
                yield i

        values = self.engine.map("doubler", "double", numbers(), ahead=300)
        self.assertEqual(next(values), 2000)
        self.assertLessEqual(len(taken), 300)  # input is read as it is needed
        self.assertEqual(list(values), [2 * i for i in range(1001, 2000)])
        with self.assertRaises(yardmaster.ActionFailed):
            list(self.engine.map("doubler", "double", [13], max_retries=0))
        result, = self.engine.map("doubler", "double", [13], max_retries=0, check=False)
        self.assertEqual((result.exit_code, result.note), (7, "no luck"))
        self.assertEqual(list(self.engine.map("doubler", "double", [])), [])


class Looking(WithEngine):
    def test_waiting_ends_with_its_timeout(self):
        lsn = self.gate()
        with self.assertRaises(TimeoutError):
            self.engine.result(lsn, timeout=0.1)
        quick = self.engine.submit(worker="exec", argv=["true"])
        self.engine.result(quick)
        done, left = self.engine.wait([quick, lsn, quick], timeout=0.1)
        self.assertEqual(([r.lsn for r in done], left), ([quick], [lsn]))
        self.assertEqual(self.engine.why(lsn)["state"], "running")
        self.let_go()
        self.assertEqual([r.lsn for r in self.engine.wait([lsn])[0]], [lsn])

    def test_each_comes_as_it_ends(self):
        before = self.engine.submit(worker="exec", argv=["true"])
        self.engine.result(before)
        late, soon = self.gate("late"), self.gate("soon")
        order = []
        for result in self.engine.as_completed([late, soon, before], timeout=60):
            order.append(result.lsn)
            if result.lsn == before:
                self.let_go("soon")
            elif result.lsn == soon:
                self.let_go("late")
        self.assertEqual(order, [before, soon, late])
        self.assertEqual(list(self.engine.as_completed([])), [])
        with self.assertRaises(yardmaster.NotFound):
            list(self.engine.as_completed([999999]))
        with self.assertRaises(yardmaster.NotFound):
            self.engine.wait([999999])
        held = self.engine.submit(worker="exec", argv=["true"], hold=True)
        with self.assertRaises(TimeoutError):
            list(self.engine.as_completed([held], timeout=0.1))
        self.engine.release(held)
        self.engine.result(held)

    def test_lists_go_on_over_pages(self):
        lsns = self.engine.submit_all([{"worker": "exec", "argv": ["true"], "label": "paged"}] * 1500)
        self.assertEqual([r.lsn for r in self.engine.list("label:paged", sort="lsn")], lsns)
        self.assertEqual([r.lsn for r in self.engine.list(label="paged", sort="lsn", limit=1200)], lsns[:1200])
        done, left = self.engine.wait(lsns)
        self.assertEqual((len(done), left), (1500, []))
        self.assertEqual(self.engine.retire(*lsns)["changed"], 1500)

    def test_changes_say_what_they_refused(self):
        lsn = self.engine.submit(worker="exec", argv=["false"], max_retries=0)
        self.engine.result(lsn)
        answer = self.engine.cancel(lsn, 999999)
        self.assertEqual((answer["changed"], [r["lsn"] for r in answer["refused"]]), (0, [lsn, 999999]))
        self.assertEqual(self.engine.retry(lsn, force=True)["changed"], 1)
        self.engine.result(lsn)

    def test_what_waits_is_moved_within_the_order_of_its_queue(self):
        queue = self.engine.create_queue("moving")["queue_id"]
        self.engine.change_queue(queue, "hold")
        lsns = self.engine.submit_all([{"worker": "exec", "argv": ["true"]}] * 4, queue=queue)
        order = lambda: [lsns.index(r.lsn) for r in self.engine.list(queue=queue, sort="place")]
        for (moved, where), after in ((((2, 3), {}), [2, 3, 0, 1]), (((0,), {"to": "up"}), [2, 0, 3, 1]),
                                      (((2,), {"to": "down"}), [0, 2, 3, 1]), (((0,), {"to": "bottom"}), [2, 3, 1, 0]),
                                      (((1, 0), {"before": lsns[3]}), [2, 1, 0, 3])):
            answer = self.engine.move(*(lsns[i] for i in moved), **where)
            self.assertEqual((answer["queue_id"], answer["refused"]), (queue, []))
            self.assertEqual((order(), answer["place"]), (after, 1 + min(after.index(i) for i in moved)))
        answer = self.engine.move(lsns[3], 999999)
        self.assertEqual((answer["changed"], [r["lsn"] for r in answer["refused"]]), (1, [999999]))
        self.assertEqual(self.engine.move(), {"changed": 0, "refused": []})
        with self.assertRaises(yardmaster.NotFound):
            self.engine.move(999999)
        with self.assertRaises(yardmaster.Invalid) as caught:
            self.engine.move(lsns[0], to="sideways")  # type: ignore[arg-type]
        self.assertEqual(caught.exception.field, "to")
        self.engine.delete_queue(queue)

    def test_queues_are_known_by_number_token_and_tag(self):
        made = self.engine.create_queue("tagged", max_retries=1)
        for ref in (made["queue_id"], str(made["queue_id"]), made["token"], "tagged"):
            self.assertEqual(self.engine.queue(ref)["queue_id"], made["queue_id"])
        self.engine.change_queue(made["queue_id"], "hold")
        lsn = self.engine.submit(worker="exec", argv=["true"], queue=made["queue_id"])
        self.assertTrue(self.engine.queue("tagged")["held"])
        self.assertEqual(self.engine.configure_queue(made["token"], max_retries=2)["config"]["max_retries"], 2)
        self.engine.create_queue("tagged")
        with self.assertRaises(yardmaster.Conflict) as caught:
            self.engine.queue("tagged")
        self.assertIn("have the tag tagged", str(caught.exception))
        with self.assertRaises(yardmaster.NotFound):
            self.engine.queue("none")
        self.engine.delete_queue(made["queue_id"])
        self.assertEqual(self.engine.result(lsn).state, "cancelled")

    def test_chunks_come_back_as_they_went(self):
        data = os.urandom(3 << 20)
        name = self.engine.put_chunk(data)
        self.assertTrue(self.engine.has_chunk(name))
        self.assertFalse(self.engine.has_chunk("0" * 64))
        self.assertEqual(self.engine.get_chunk(name), data)
        self.engine.save_chunk(name, self.path("chunk"))
        self.assertEqual(self.engine.put_chunk(self.path("chunk")), name)
        with self.assertRaises(yardmaster.NotFound):
            self.engine.save_chunk("0" * 64, self.path("none"))
        self.assertEqual(os.listdir(self.folder), ["chunk"])

    def test_errors_are_exceptions_with_the_engines_words(self):
        for call, kind, code in ((lambda: self.engine.look(999999), yardmaster.NotFound, "not_found"),
                                 (lambda: self.engine.submit(worker="nobody"), yardmaster.EngineError, None),
                                 (lambda: self.engine.submit(worker="exec", argv=["x"], inputs={"a": "0" * 64}),
                                  yardmaster.NeedChunks, "need"),
                                 (lambda: self.engine.submit(worker="exec", argv=["x"], nonsense=1), yardmaster.Invalid, "invalid"),
                                 (lambda: self.engine.delete_queue(0), yardmaster.Conflict, "wrong_state"),
                                 (lambda: self.engine.call("POST", "jobs", b"{"), yardmaster.Invalid, "malformed"),
                                 (lambda: yardmaster.Engine(self.engine.url, token="no").session(), yardmaster.Unauthorized,
                                  "unauthorized")):
            with self.assertRaises(kind) as caught:
                call()
            if code:
                self.assertEqual(caught.exception.code, code)
            self.assertTrue(caught.exception.message)

    def test_an_exception_goes_with_whoever_caught_it(self):
        gc.disable()  # a circle would keep it, and all that its frames reach
        self.addCleanup(gc.enable)
        for use in (lambda: self.engine.look(999999),
                    lambda: yardmaster.Engine("http://127.0.0.1:1", token="t").session()):
            try:
                use()
            except yardmaster.YardmasterError as error:
                gone = weakref.ref(error)
            self.assertIsNone(gone())

    def test_events_tell_what_is_watched(self):
        with self.engine.events(finished=True) as events:
            self.assertIn("run_id", next(events))
            lsn = self.engine.submit(worker="exec", argv=["true"])
            wait_for(lambda: [a for a in events.next_frame(60).get("actions", ()) if a["lsn"] == lsn], "its end is told")
            held = self.engine.submit(worker="exec", argv=["true"], hold=True)
            events.watch(lsns=[held])
            wait_for(lambda: [a for a in events.next_frame(60).get("actions", ()) if a["lsn"] == held and a["held"]], "it is shown")
            self.engine.release(held)
            wait_for(lambda: [a for a in events.next_frame(60).get("actions", ()) if a["state"] == "completed"], "it ended")
            with self.assertRaises(TimeoutError):
                while True:
                    events.next_frame(0.3)
        self.assertIsNone(events.next_frame())
        with self.assertRaises(ValueError):
            self.engine.events(lsns=[1], finished=True)
        with self.assertRaises(yardmaster.Invalid):
            self.engine.events(filter="nonsense:1")


class Restarts(WithEngine):
    def setUp(self):
        super().setUp()
        self.errors = []

    def aside(self, work):
        def run():
            try:
                self.seen = work()
            except Exception as error:
                self.errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def test_a_wait_goes_on_with_the_next_engine(self):
        lsn = self.gate("wait")
        thread = self.aside(lambda: self.engine.result(lsn))
        time.sleep(0.1)  # it waits; sooner is as good
        self.kill()
        self.let_go("wait")
        self.start()  # on another port
        thread.join(60)
        self.assertEqual((self.errors, self.seen.state, self.seen.attempts[0]["reason"]), ([], "completed", "engine_died"))

    def test_a_wait_that_was_long_already_looks_for_the_engine_as_long(self):
        class Clock:
            """Of the client; its patience is over at once where it counts from the beginning of the wait."""
            ahead = 0.0

            def monotonic(self):
                return time.monotonic() + self.ahead

        clock = Clock()
        with mock.patch.object(yardmaster._core, "time", clock), yardmaster.Engine(data_dir=self.data) as engine:
            lsn = self.gate("long")
            thread = self.aside(lambda: engine.result(lsn))
            time.sleep(0.1)  # it waits; sooner is as good
            clock.ahead = 2 * engine.patience
            self.kill()
            self.let_go("long")
            self.start()
            thread.join(60)
        self.assertEqual((self.errors, self.seen.state), ([], "completed"))

    def test_a_wait_goes_on_after_a_stop(self):
        lsn = self.gate("stop")
        thread = self.aside(lambda: self.engine.result(lsn))
        time.sleep(0.1)
        self.stop()
        self.let_go("stop")
        self.start()
        thread.join(60)
        self.assertEqual((self.errors, self.seen.state, self.seen.attempts[0]["reason"]), ([], "completed", "engine_stopped"))

    def test_as_completed_goes_on_with_the_next_engine(self):
        lsns = [self.gate("one"), self.gate("two")]
        values = self.engine.as_completed(lsns)
        self.let_go("one")
        first = next(values)
        self.kill()
        self.let_go("two")
        self.start()
        self.assertEqual(sorted([first.lsn] + [r.lsn for r in values]), sorted(lsns))

    def test_events_go_on_with_the_next_engine(self):
        with self.engine.events(finished=True) as events:
            first = next(events)["run_id"]
            self.kill()
            self.start()
            again = wait_for(lambda: events.next_frame(60).get("run_id"), "it says who speaks")
            self.assertNotEqual(again, first)
            wait_for(lambda: events.next_frame(60).get("watch"), "it watches again")
            lsn = self.engine.submit(worker="exec", argv=["true"])
            wait_for(lambda: [a for a in events.next_frame(60).get("actions", ()) if a["lsn"] == lsn], "its end is told")

    def test_what_is_submitted_while_no_engine_runs_is_submitted_once(self):
        self.engine.session()
        self.kill()
        thread = self.aside(lambda: self.engine.submit(worker="exec", argv=["true"], label="meanwhile"))
        self.start()
        thread.join(60)
        self.assertEqual((self.errors, [r.lsn for r in self.engine.list("label:meanwhile")]), ([], [self.seen]))

    def test_an_engine_that_does_not_come_back_is_given_up(self):
        with yardmaster.Engine(data_dir=self.data, patience=0.3) as engine:
            lsn = self.gate("given")
            thread = self.aside(lambda: engine.result(lsn))
            time.sleep(0.1)
            self.kill()
            thread.join(60)
            self.assertEqual([type(e) for e in self.errors], [yardmaster.Unreachable])
            with self.assertRaises(yardmaster.Unreachable):
                engine.events()
        self.let_go("given")
        self.start()


if __name__ == "__main__":
    harness.main()

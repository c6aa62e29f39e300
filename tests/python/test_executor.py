#!/usr/bin/env python3
"""Executor against the real engine: what concurrent.futures promises, and limits. test_executor.py YARDMASTER"""

import concurrent.futures
import functools
import gc
import itertools
import json
import multiprocessing
import operator
import os
import sys
import threading
import time
import unittest.mock

import harness
import yardmaster
from harness import WithEngine, wait_for

sys.path.insert(0, harness.HERE)
import work  # noqa: E402


class Executing(WithEngine):
    def executor(self, *args, **options):
        executor = yardmaster.Executor(*args, **dict({"engine": self.engine}, **options))
        self.addCleanup(executor.shutdown, cancel_running=True)
        return executor


class Calls(Executing):
    def test_calls_come_back_as_futures(self):
        with self.executor() as ex:
            futures = [ex.submit(pow, 2, n) for n in range(20)]
            self.assertEqual([f.result(60) for f in futures], [2 ** n for n in range(20)])
            self.assertEqual(ex.submit(work.keywords, 1, b=2).result(60), (1, 2))
            self.assertEqual(ex.submit(functools.partial(work.keywords, 1), b=3).result(60), (1, 3))
            self.assertNotEqual(ex.submit(os.getpid).result(60), os.getpid())

    def test_map_is_in_order_and_of_many_short_calls_few_actions(self):
        with self.executor(label="many") as ex:
            self.assertEqual(list(ex.map(operator.add, range(20_000), range(20_000))), list(range(0, 40_000, 2)))
            self.assertEqual(list(ex.map(abs, [])), [])
            self.assertEqual(list(ex.map(abs, range(-10, 0), chunksize=4)), list(range(10, 0, -1)))
        rows = list(self.engine.list("label:many"))
        self.assertGreater(len(rows), 1)
        self.assertLess(len(rows), 2000)
        self.assertIn("many", {r["label"].split(" \u00d7")[0] for r in rows})
        self.assertIn("python-executor", {r["worker_name"] for r in rows})

    def progress_of(self, label):
        """What the only row of this label says, once it says something."""
        seen = []

        def said():
            seen[:] = [r["progress"] for r in self.engine.list("label:" + label) if r.get("progress")]
            return seen
        wait_for(said, "it says how far it is")
        return seen[0]

    def test_a_call_says_how_far_it_is(self):
        with self.executor(label="far") as ex:
            gate = self.path("gate")
            future = ex.submit(work.tell_and_wait, 0.4, "packing \u00e4", gate)
            self.assertEqual(self.progress_of("far"), {"fraction": 0.4, "message": "packing \u00e4"})
            self.let_go()
            self.assertEqual(future.result(60), "told")
            # What it wrote there in place of the file harms nobody.
            self.assertEqual(ex.submit(work.spoil_status).result(60), "spoilt")
            self.assertEqual(ex.submit(abs, -3).result(60), 3)
            kept = self.path("kept")
            with open(kept, "w", encoding="utf-8") as file:
                file.write("mine")
            ex.submit(work.link_status, kept).result(60)
            self.assertEqual(ex.submit(abs, -3).result(60), 3)
            with open(kept, encoding="utf-8") as file:
                self.assertEqual(file.read(), "mine")

    def test_of_several_calls_it_is_how_many_are_done(self):
        with self.executor(1, label="several") as ex:
            gate = self.path("gate")
            values = ex.map(work.wait_for_file, ["", "", gate, ""], chunksize=4)
            self.assertEqual(self.progress_of("several*"), {"fraction": 0.5})
            self.let_go()
            self.assertEqual(list(values), ["", "", gate, ""])

    def test_outside_of_an_action_nobody_is_told(self):
        self.assertNotIn("YARD_STATUS", os.environ)
        yardmaster.progress(0.5, "to nobody")
        for path, told in ((self.path("none/there"), None), (self.path("status"), {"progress": 1.0, "message": "x" * 200})):
            with unittest.mock.patch.dict(os.environ, {"YARD_STATUS": path}), \
                    unittest.mock.patch("yardmaster._status._next", 0.0):
                yardmaster.progress(7, "x" * 1000)
                yardmaster.progress(0.1)  # so soon after another one it is passed over
            if told:
                with open(path, encoding="utf-8") as file:
                    self.assertEqual(json.load(file), told)

    def test_a_million_calls_start_before_all_of_them_are_made(self):
        started = self.path("started")

        def numbers():
            yield from range(20_000)
            wait_for(lambda: os.path.exists(started), "the first runs while the others are made")
            yield from range(20_000, 40_000)

        with self.executor() as ex:
            values = ex.map(work.touch_at_zero, [started] * 40_000, numbers())
            self.assertEqual(sum(values), sum(range(40_000)))

    def test_map_reads_an_endless_source_no_further_than_its_buffer(self):
        read = []

        def numbers():
            for n in itertools.count():
                read.append(n)
                yield n

        with self.executor() as ex:
            for most, chunk in ((1, 0), (7, 3), (5, 20), (20_000, 0)):
                del read[:]
                values = ex.map(abs, numbers(), buffersize=most, chunksize=chunk)
                self.assertTrue(0 < len(read) <= most, len(read))
                for n in range(20):
                    self.assertEqual(next(values), n)
                    self.assertLessEqual(len(read), n + most)
                values.close()
            self.assertEqual(list(ex.map(abs, range(-9, 0), buffersize=4)), list(range(9, 0, -1)))
            self.assertEqual(list(ex.map(abs, [], buffersize=4)), [])

    def test_values_of_a_map_outlive_the_executor(self):
        for most in (4, 5):
            with yardmaster.Executor(1, engine=self.engine) as ex:
                values = ex.map(abs, range(-4, 0), buffersize=most)
            self.assertEqual(list(values), [4, 3, 2, 1])
        with self.assertRaises(RuntimeError):
            ex.map(abs, [])

    def test_an_executor_that_a_map_still_needs_is_not_forgotten(self):
        values = yardmaster.Executor(1, engine=self.engine).map(abs, range(-50, 0), buffersize=5)
        gc.collect()
        self.assertEqual(list(values), list(range(50, 0, -1)))

    def test_a_source_that_fails_fails_the_map_and_what_waits_is_not_run(self):
        def numbers(count):
            yield self.path("gate")
            for n in range(count):
                yield self.path(str(n))
            raise KeyError("no more")

        with self.executor(1) as ex:
            with self.assertRaises(KeyError):
                ex.map(work.gate, numbers(9_999))
            self.let_go()
            values = ex.map(work.gate, numbers(0), buffersize=1)
            self.assertEqual(next(values), "through")
            with self.assertRaises(KeyError):
                next(values)
        self.assertEqual([n for n in os.listdir(self.folder) if n not in ("gate", "gate.running", "0.running")], [])

    def test_it_is_made_as_a_process_pool_is(self):
        context = multiprocessing.get_context("spawn")
        with self.executor(1, context, work.remember, ("set",)) as ex:
            self.assertEqual(ex.submit(work.recall).result(60), "set")
        with self.executor(max_workers=1, mp_context=context) as ex:
            self.assertEqual(ex.submit(abs, -1).result(60), 1)

    def test_a_result_that_ends_its_reader_fails_its_call_alone(self):
        with self.executor(1) as ex:
            values = ex.map(work.ends_its_reader_at_two, range(4), chunksize=4)
            self.assertEqual([next(values), next(values)], [0, 1])
            with self.assertRaises(SystemExit):
                next(values)
            self.assertEqual(ex.submit(abs, -1).result(60), 1)

    def test_calls_of_another_python_are_refused(self):
        with self.executor(1, label="stranger") as ex:
            ex._state.args["python"] = "2.7"
            for value in [ex.submit(abs, 1)] + [ex.submit(abs, 1) for _ in range(5)]:
                with self.assertRaises(yardmaster.BrokenProcess) as caught:
                    value.result(60)
                self.assertIn("the calls are Python 2.7's, and %s here is Python %d.%d" %
                              (sys.executable, *sys.version_info[:2]), str(caught.exception))
            with self.assertRaises(yardmaster.BrokenProcess):
                list(ex.map(abs, range(5), chunksize=5))
        rows = list(self.engine.list("label:stranger*"))
        self.assertEqual({(r.exit_code, r.retry_count) for r in rows}, {(78, 0)})
        self.assertIn("stranger \u00d75", {r["label"] for r in rows})  # and none of them once more, alone

    def test_an_exception_comes_back_with_its_traceback(self):
        with self.executor() as ex:
            with self.assertRaises(ValueError) as caught:
                ex.submit(work.fail, "odd").result(60)
            self.assertEqual(str(caught.exception), "odd")
            self.assertIn("in fail\n", str(caught.exception.__cause__))
            values = ex.map(work.fail_at_three, range(5))
            self.assertEqual([next(values) for _ in range(3)], [0, 1, 2])
            with self.assertRaises(KeyError):
                next(values)
            with self.assertRaises(SystemExit):
                ex.submit(sys.exit, 3).result(60)
            self.assertEqual(ex.submit(abs, -1).result(60), 1)

    def test_what_cannot_be_pickled_fails_its_call_alone(self):
        with self.executor() as ex:
            lock = threading.Lock()
            with self.assertRaises(TypeError):
                ex.submit(work.keywords, lock, b=1).result(60)
            with self.assertRaises(Exception):
                ex.submit(work.unpicklable).result(60)
            with self.assertRaises(yardmaster.RemoteError) as caught:
                ex.submit(work.raise_unpicklable).result(60)
            self.assertIn("Odd: a lock inside", str(caught.exception))
            with self.assertRaises(yardmaster.RemoteError):  # it can be written, but not read again
                ex.submit(work.raise_unreadable).result(60)
            values = ex.map(work.identity, [1, lock, 3])
            self.assertEqual(next(values), 1)
            with self.assertRaises(TypeError):
                next(values)

    def test_large_arguments_and_results(self):
        with self.executor() as ex:
            data = os.urandom(3 << 20)
            self.assertEqual(ex.submit(work.identity, data).result(60), data)
            sizes = [10, 100_000, 50_000, 2_000_000, 5]
            self.assertEqual([len(v) for v in ex.map(work.zeros, sizes, chunksize=5)], sizes)
            self.assertEqual([len(v) for v in ex.map(work.zeros, [60_000] * 40, chunksize=40)], [60_000] * 40)
            self.assertEqual([len(v) for v in ex.map(len, [])], [])

    def test_calls_run_here_with_this_environment_but_no_secrets(self):
        os.environ["OF_THE_CLIENT"], os.environ["MY_API_KEY"] = "seen", "hidden"
        self.addCleanup(os.environ.pop, "OF_THE_CLIENT")
        self.addCleanup(os.environ.pop, "MY_API_KEY")
        with self.executor(env={"EXTRA_TOKEN": "given"}) as ex:
            self.assertEqual(ex.submit(os.getcwd).result(60), os.getcwd())
            self.assertEqual([ex.submit(os.getenv, n).result(60) for n in ("OF_THE_CLIENT", "MY_API_KEY", "EXTRA_TOKEN")],
                             ["seen", None, "given"])
            self.assertEqual(ex.submit(work.executable).result(60), sys.executable)
            self.assertEqual(ex.submit(work.prefix).result(60), sys.prefix)

    def test_each_executor_has_processes_of_its_own(self):
        with self.executor(1) as one, self.executor(1) as two:
            one.submit(work.remember, "one").result(60)
            two.submit(work.remember, "two").result(60)
            self.assertEqual([one.submit(work.recall).result(60), two.submit(work.recall).result(60)], ["one", "two"])

    def test_an_initializer_runs_once_in_each_process(self):
        with self.executor(1, initializer=work.remember, initargs=("set",)) as ex:
            self.assertEqual(set(ex.map(work.recall_of, range(50))), {"set"})
            self.assertEqual(ex.submit(work.times).result(60), 1)

    def test_an_initializer_that_fails_breaks_the_executor(self):
        ex = self.executor(1, initializer=work.fail, initargs=("no licence",))
        with self.assertRaises(concurrent.futures.BrokenExecutor) as caught:
            ex.submit(abs, 1).result(60)
        self.assertIn("no licence", str(caught.exception))
        with self.assertRaises(yardmaster.BrokenProcess):
            ex.submit(abs, 1)

    def test_wrong_options_are_refused(self):
        for text, megabytes in (("500M", 500), ("2GiB", 2048), ("2GB", 1908), ("1B", 1), ("1.5 g", 1536)):
            self.assertEqual(yardmaster.executor._megabytes(text), megabytes)
        for options in ({"max_workers": 0}, {"cores": 0}, {"deadline": 0}, {"retries": -1}, {"memory": "much"}, {"memory": "2Gb"}, {"memory": 0}):
            with self.assertRaises(ValueError, msg=options):
                yardmaster.Executor(engine=self.engine, **options)
        with self.assertRaises(TypeError):
            yardmaster.Executor(engine=self.engine, initializer=3)
        with self.assertRaises(yardmaster.NotFound):
            yardmaster.Executor(engine=self.engine, queue="nowhere")
        with self.executor() as ex:
            for options in ({"chunksize": -1}, {"buffersize": 0}):
                with self.assertRaises(ValueError):
                    ex.map(abs, [1], **options)


class Ending(Executing):
    def hold(self, ex, name="gate"):
        future = ex.submit(work.gate, self.path(name))
        wait_for(lambda: os.path.exists(self.path(name) + ".running"), "it runs")
        return future

    def test_nothing_is_taken_after_shutdown(self):
        ex = self.executor()
        future = ex.submit(abs, -1)
        ex.shutdown()
        self.assertEqual(future.result(0), 1)
        for use in (lambda: ex.submit(abs, 1), lambda: ex.map(abs, [1]), lambda: ex.submit(abs, threading.Lock())):
            with self.assertRaises(RuntimeError):
                use()
        ex.shutdown()

    def test_its_queue_goes_with_it(self):
        ex = self.executor(label="short lived")
        ex.submit(abs, 1).result(60)
        self.assertEqual(len([q for q in self.engine.queues() if q.get("tag") == "short lived"]), 1)
        ex.shutdown()
        self.assertEqual([q for q in self.engine.queues() if q.get("tag") == "short lived"], [])

    def test_what_waits_can_be_cancelled(self):
        ex = self.executor(1)
        running = self.hold(ex)
        more = [ex.submit(time.sleep, 0) for _ in range(50)]
        self.assertTrue(more[-1].cancel())
        self.assertFalse(running.cancel())
        values = ex.map(abs, range(50))
        ex.shutdown(wait=False, cancel_futures=True)
        with self.assertRaises(concurrent.futures.CancelledError):
            more[-2].result(60)
        with self.assertRaises(concurrent.futures.CancelledError):
            list(values)
        self.let_go()
        self.assertEqual(running.result(60), "through")
        ex.shutdown()

    def test_what_runs_can_be_cancelled(self):
        ex = self.executor(1)
        future = self.hold(ex)
        ex.shutdown(cancel_running=True)
        with self.assertRaises(concurrent.futures.CancelledError):
            future.result(0)

    def test_an_interrupt_ends_what_runs(self):
        with self.assertRaises(KeyboardInterrupt):
            with yardmaster.Executor(1, engine=self.engine) as ex:
                future = self.hold(ex)
                raise KeyboardInterrupt
        self.assertTrue(future.done())

    def test_map_has_a_timeout_and_leaves_the_rest(self):
        ex = self.executor(1)
        values = ex.map(work.gate, [self.path("one"), self.path("two"), self.path("three")], timeout=1)
        with self.assertRaises(concurrent.futures.TimeoutError):
            next(values)
        for name in ("one", "two", "three"):
            self.let_go(name)
        ex.shutdown()

    def test_an_executor_that_is_forgotten_ends(self):
        ex = yardmaster.Executor(engine=self.engine)
        threads = ex._state.threads
        future = ex.submit(abs, -3)
        del ex
        self.assertEqual(future.result(60), 3)
        for thread in threads:
            thread.join(60)
            self.assertFalse(thread.is_alive())

    def test_the_interpreter_waits_for_what_was_submitted(self):
        script = self.script("import sys, time, yardmaster\n"
                             "def main():\n"
                             "    ex = yardmaster.Executor(engine=yardmaster.Engine(data_dir=sys.argv[1]))\n"
                             "    future = ex.submit(time.sleep, 0.3)\n"
                             "    future.add_done_callback(lambda f: print('done', f.exception()))\n"
                             "if __name__ == '__main__':\n    main()\n")
        out, err = script.communicate(timeout=60)
        self.assertEqual((out, err, script.returncode), ("done None\n", "", 0))

    def test_functions_of_a_script_are_found(self):
        for guard in ("", "sys.modules['cloudpickle'] = None\n"):  # also where there is no cloudpickle
            script = self.script("import sys\n" + guard + "import yardmaster\n"
                                 "class Pair:\n    def __init__(self, a): self.a = a\n"
                                 "def double(pair): return Pair(pair.a * 2)\n"
                                 "if __name__ == '__main__':\n"
                                 "    with yardmaster.Executor(engine=yardmaster.Engine(data_dir=sys.argv[1])) as ex:\n"
                                 "        value = ex.submit(double, Pair(4)).result()\n"
                                 "        print(value.a, isinstance(value, Pair))\n")
            out, err = script.communicate(timeout=60)
            self.assertEqual((out, err), ("8 True\n", ""))

    def test_lambdas_need_cloudpickle(self):
        with self.executor() as ex:
            if yardmaster._calls.cloudpickle is None:
                with self.assertRaises(Exception):
                    ex.submit(lambda: 1).result(60)
            else:
                self.assertEqual(ex.submit(lambda: 1).result(60), 1)


class Limits(Executing):
    def test_a_call_has_a_deadline_of_its_own(self):
        with self.executor(1, deadline=0.5) as ex:
            values = [ex.submit(work.identity, 1), ex.submit(time.sleep, 60), ex.submit(work.identity, 2)]
            self.assertEqual((values[0].result(60), values[2].result(60)), (1, 2))
            with self.assertRaises(TimeoutError) as caught:
                values[1].result(60)
            self.assertIsInstance(caught.exception, yardmaster.CallTimeout)
            self.assertIn("deadline of 0.5 s", str(caught.exception))
            # In one action with others it is the only one that fails.
            values = ex.map(work.sleep_at_three, range(6), chunksize=6)
            self.assertEqual([next(values) for _ in range(3)], [0, 1, 2])
            with self.assertRaises(yardmaster.CallTimeout):
                next(values)

    def test_a_call_has_its_memory(self):
        with self.executor(1, memory="300M") as ex:
            with self.assertRaises(MemoryError):
                ex.submit(work.allocate, 500).result(60)
            self.assertEqual(ex.submit(work.allocate, 50).result(60), 50 << 20)

    def test_no_more_work_at_once_than_it_may(self):
        with self.executor(1) as ex:
            self.assertEqual(max(ex.map(work.at_once, [self.folder] * 6)), 1)

    def test_its_processes_hold_cores(self):
        with self.executor(cores=2) as ex:
            self.assertEqual(ex._max_workers, 1)
            ex.submit(abs, 1).result(60)
            worker, = [w for w in self.engine.workers() if w.get("cores") == 2]
            self.assertEqual(worker["name"], "python-executor")

    def test_a_queue_that_is_given_is_used_and_stays(self):
        made = self.engine.create_queue("mine", max_retries=0)
        with self.executor(queue="mine") as ex:
            self.assertEqual(ex.submit(abs, -1).result(60), 1)
            self.assertEqual(ex._state.retries, 0)
        self.assertEqual(self.engine.queue("mine")["completed"], 1)
        self.engine.delete_queue(made["queue_id"])


if __name__ == "__main__":
    harness.main()

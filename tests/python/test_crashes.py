#!/usr/bin/env python3
"""Executor on bad days: processes that die, engines and clients that are killed. test_crashes.py YARDMASTER"""

import concurrent.futures
import os
import signal
import sys

import harness
import yardmaster
from harness import WithEngine, lives, wait_for

sys.path.insert(0, harness.HERE)
import work  # noqa: E402


class Crashes(WithEngine):
    def executor(self, *args, **options):
        executor = yardmaster.Executor(*args, **dict({"engine": self.engine}, **options))
        self.addCleanup(executor.shutdown, cancel_running=True)
        return executor

    def marks(self):
        found = {}
        for name in os.listdir(self.folder):
            if name.isdigit():
                with open(self.path(name), encoding="utf-8") as file:
                    found[int(name)] = len(file.read())
        return found

    def test_a_call_survives_the_death_of_its_process(self):
        with self.executor(1, label="survivor") as ex:
            before = ex.submit(os.getpid).result(60)
            self.assertNotEqual(ex.submit(work.die_once, self.path("flag")).result(60), before)
        row = self.engine.look(next(self.engine.list("label:survivor", sort="-retry_count")).lsn)
        self.assertEqual((row.state, row.retry_count), ("completed", 1))
        self.assertEqual((row.attempts[0]["state"], row.attempts[0]["exit_code"]), ("failed", 70))

    def test_a_call_that_always_dies_is_given_up(self):
        with self.executor(1, retries=1, label="deadly") as ex:
            with self.assertRaises(concurrent.futures.BrokenExecutor) as caught:
                ex.submit(work.die).result(60)
            self.assertIn("signal 9 (SIGKILL)", str(caught.exception))
            with self.assertRaises(yardmaster.BrokenProcess) as caught:
                ex.submit(work.exit_hard, 7).result(60)
            self.assertIn("exit code 7", str(caught.exception))
            self.assertEqual(ex.submit(abs, -1).result(60), 1)  # and the Executor goes on
        self.assertEqual({r.retry_count for r in self.engine.list("label:deadly state:failed")}, {1})

    def test_a_death_among_many_costs_the_others_nothing(self):
        with self.executor(1, retries=1) as ex:
            values = ex.map(work.mark_and_die_at, [self.folder] * 10, range(10), [4] * 10, chunksize=10)
            self.assertEqual([next(values) for _ in range(4)], [0, 1, 2, 3])
            with self.assertRaises(yardmaster.BrokenProcess):
                next(values)
        # Tried in the batch, and once alone.
        self.assertEqual(self.marks(), {**{n: 1 for n in range(10)}, 4: 2})

    def test_a_death_among_many_without_retries_is_final(self):
        with self.executor(1, retries=0) as ex:
            values = ex.map(work.mark_and_die_at, [self.folder] * 4, range(4), [1] * 4, chunksize=4)
            self.assertEqual(next(values), 0)
            with self.assertRaises(yardmaster.BrokenProcess):
                next(values)
        self.assertEqual(self.marks(), {0: 1, 1: 1, 2: 1, 3: 1})

    def test_large_results_survive_a_death_after_them(self):
        with self.executor(1, retries=0) as ex:
            futures = ex.map(work.zeros, [2_000_000, 700_000, 700_000], chunksize=3)
            self.assertEqual([len(v) for v in futures], [2_000_000, 700_000, 700_000])
            pending = [ex.submit(work.zeros, 900_000), ex.submit(work.exit_hard, 1), ex.submit(work.zeros, 900_000)]
            self.assertEqual([len(pending[i].result(60)) for i in (0, 2)], [900_000] * 2)
            self.assertIsInstance(pending[1].exception(60), yardmaster.BrokenProcess)

    def test_what_a_call_over_its_deadline_started_ends_with_it(self):
        with self.executor(1, deadline=2) as ex:  # time to start the child on a busy machine
            with self.assertRaises(yardmaster.CallTimeout):
                ex.submit(work.with_child, self.path("child")).result(60)
        with open(self.path("child"), encoding="utf-8") as file:
            child = int(file.read())
        wait_for(lambda: not lives(child), "its child ended")

    def test_a_warm_process_that_is_killed_costs_no_call(self):
        with self.executor(1) as ex:
            future = ex.submit(work.gate, self.path("gate"))
            wait_for(lambda: os.path.exists(self.path("gate.running")), "it runs")
            os.unlink(self.path("gate.running"))
            process, = [p for g in self.engine.call("GET", "pool")["groups"] for p in g["processes"] if p["state"] == "busy"]
            os.kill(process["pid"], signal.SIGKILL)
            wait_for(lambda: os.path.exists(self.path("gate.running")), "it runs again")
            self.let_go()
            self.assertEqual(future.result(60), "through")

    def test_answers_that_are_lost_run_nothing_twice(self):
        proxy = harness.forgetful(self.engine.url, 12)
        self.addCleanup(proxy.close)
        with yardmaster.Engine(proxy.url, data_dir=self.data) as engine, yardmaster.Executor(2, engine=engine) as ex:
            self.assertEqual(list(ex.map(work.mark, [self.folder] * 30, range(30))), list(range(30)))
        self.assertGreater(proxy.count, 12)
        self.assertEqual(self.marks(), {n: 1 for n in range(30)})

    def test_a_worker_that_was_removed_is_registered_again(self):
        with self.executor(1) as ex:
            ex.submit(abs, 1).result(60)
            self.engine.call("DELETE", "workers/" + ex._state.worker)
            self.assertEqual(ex.submit(abs, -2).result(60), 2)

    def test_a_queue_that_was_deleted_is_made_again(self):
        with self.executor(1, label="again") as ex:
            ex.submit(abs, 1).result(60)
            self.engine.delete_queue(ex._state.queue)
            self.assertEqual(ex.submit(abs, -2).result(60), 2)
        self.assertEqual([q for q in self.engine.queues() if q.get("tag") == "again"], [])

    def test_a_queue_that_was_cancelled_takes_no_more(self):
        with self.executor(1) as ex:
            ex.submit(abs, 1).result(60)
            self.engine.change_queue(ex._state.queue, "cancel")
            with self.assertRaises(yardmaster.Conflict):
                ex.submit(abs, 1).result(60)

    def test_an_action_that_is_cancelled_cancels_its_calls(self):
        with self.executor(1, label="victim") as ex:
            future = ex.submit(work.gate, self.path("gate"))
            wait_for(lambda: os.path.exists(self.path("gate.running")), "it runs")
            row, = self.engine.list("label:victim state:running")
            self.engine.cancel(row.lsn)
            with self.assertRaises(concurrent.futures.CancelledError):
                future.result(60)
            self.assertEqual(ex.submit(abs, -1).result(60), 1)

    def test_a_client_that_is_killed_leaves_nothing_running(self):
        script = self.script("import sys\nsys.path.insert(0, %r)\nimport work, yardmaster\n"
                             "if __name__ == '__main__':\n"
                             "    ex = yardmaster.Executor(2, engine=yardmaster.Engine(data_dir=sys.argv[1]), label='orphan')\n"
                             "    list(ex.map(work.gate, ['gate%%d' %% n for n in range(20)]))\n" % harness.HERE)
        try:
            wait_for(lambda: len([n for n in os.listdir(self.folder) if n.endswith(".running")]) >= 2, "they run")
            script.kill()
            script.wait(120)
            wait_for(lambda: not [r for r in self.engine.list("label:orphan") if not r.is_final], "its actions ended")
            states = {(r.state, r.exit_code, r.note) for r in self.engine.list("label:orphan")}
            self.assertEqual(states, {("failed", 75, "the client that asked for it is gone")})
        finally:
            script.kill()
            script.communicate()


class Restarts(WithEngine):
    def test_calls_go_on_with_the_next_engine(self):
        kills = 2
        with yardmaster.Executor(engine=self.engine) as ex:
            values = ex.map(work.slow_square, range(400))
            seen = [next(values) for _ in range(20)]
            for _ in range(kills):
                self.kill()
                self.start()
                seen += [next(values) for _ in range(20)]
            self.assertEqual(seen + list(values), [n * n for n in range(400)])

    def test_calls_go_on_after_a_stop(self):
        with yardmaster.Executor(engine=self.engine, label="stopped") as ex:
            futures = [ex.submit(work.gate, self.path("g%d" % n)) for n in range(4)]
            wait_for(lambda: len([n for n in os.listdir(self.folder) if n.endswith(".running")]) >= 2, "they run")
            self.stop()
            for n in range(4):
                self.let_go("g%d" % n)
            self.start()
            self.assertEqual([f.result(60) for f in futures], ["through"] * 4)
        self.assertEqual(len({r.lsn for r in self.engine.list("label:stopped")}), 4)  # none was submitted twice

    def test_an_engine_that_does_not_come_back_fails_the_calls(self):
        engine = yardmaster.Engine(data_dir=self.data, patience=0.5)
        ex = yardmaster.Executor(1, engine=engine)
        futures = [ex.submit(work.gate, self.path("g%d" % n)) for n in range(3)]
        wait_for(lambda: os.path.exists(self.path("g0.running")), "it runs")
        self.kill()
        for future in futures:
            with self.assertRaises(yardmaster.Unreachable):
                future.result(60)
        ex.shutdown()
        engine.close()
        for n in range(3):
            self.let_go("g%d" % n)
        self.start()


if __name__ == "__main__":
    harness.main()

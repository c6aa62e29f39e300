#!/usr/bin/env python3
"""AsyncEngine and AsyncExecutor against the real engine: what they share with the others is tested there.

test_async.py YARDMASTER"""

import asyncio
import itertools
import os
import sys

import harness
import yardmaster
from harness import WithEngine, forgetful

sys.path.insert(0, harness.HERE)
import work  # noqa: E402


class Async(WithEngine):
    def run_async(self, work):
        async def with_engine():
            async with yardmaster.AsyncEngine(data_dir=self.data) as engine:
                return await asyncio.wait_for(work(engine), 120)

        return asyncio.run(with_engine())

    def test_commands_run_side_by_side(self):
        async def work(engine):
            return await asyncio.gather(*(engine.run(["echo", str(i)]) for i in range(40)))

        self.assertEqual([r.stdout for r in self.run_async(work)], [b"%d\n" % i for i in range(40)])

    def test_inputs_outputs_and_chunks(self):
        async def work(engine):
            lsn = await engine.submit(worker="exec", argv=["cp", "inputs/a", "outputs/b"], inputs={"a": b"hello"})
            result = (await engine.result(lsn)).check()
            saved = await engine.save_outputs(result, self.path("out"))
            data = os.urandom(2 << 20)
            name = await engine.put_chunk(data)
            self.assertTrue(await engine.has_chunk(name))
            self.assertFalse(await engine.has_chunk("0" * 64))
            self.assertEqual(await engine.get_chunk(name), data)
            await engine.save_chunk(name, self.path("chunk"))
            self.assertEqual(await engine.put_chunk(self.path("chunk")), name)
            return await engine.output(result, "b"), saved

        self.assertEqual(self.run_async(work), (b"hello", [self.path("out/b")]))

    def test_each_comes_as_it_ends(self):
        late, soon = self.gate("late"), self.gate("soon")

        async def work(engine):
            order = []
            async for result in engine.as_completed([late, soon], timeout=60):
                order.append(result.lsn)
                self.let_go("late")
            with self.assertRaises(yardmaster.NotFound):
                async for _ in engine.as_completed([999999]):
                    pass
            return order

        self.let_go("soon")
        self.assertEqual(self.run_async(work), [soon, late])

    def test_errors_timeouts_and_queues(self):
        async def work(engine):
            with self.assertRaises(yardmaster.Invalid) as caught:
                await engine.submit(worker="exec", argv=["true"], priority=1000)
            self.assertEqual(caught.exception.field, "priority")
            queue = await engine.create_queue("async", max_retries=0)
            self.assertEqual((await engine.queue("async"))["queue_id"], queue["queue_id"])
            lsns = await engine.submit_all([{"worker": "exec", "argv": ["true"], "hold": True}] * 3, queue=queue["queue_id"])
            with self.assertRaises(TimeoutError):
                await engine.result(lsns[0], timeout=0.1)
            self.assertEqual((await engine.move(lsns[2]))["place"], 1)
            self.assertEqual([r.lsn async for r in engine.list(queue=queue["queue_id"], sort="place")], [lsns[2], *lsns[:2]])
            self.assertEqual((await engine.release(*lsns))["changed"], 3)
            done, left = await engine.wait(lsns)
            self.assertEqual((len(done), left), (3, []))
            self.assertEqual([r.lsn async for r in engine.list(queue=queue["queue_id"], sort="lsn", limit=2)], lsns[:2])

        self.run_async(work)

    def test_an_answer_that_is_lost_submits_nothing_twice(self):
        proxy = forgetful(self.engine.url, 1)
        self.addCleanup(proxy.close)

        async def work(engine):
            async with yardmaster.AsyncEngine(proxy.url, data_dir=self.data) as behind:
                behind._core.now_reached()
                lsn = await behind.submit(worker="exec", argv=["true"], label="lost")
                return lsn, [r.lsn async for r in engine.list("label:lost")]

        lsn, seen = self.run_async(work)
        self.assertEqual(seen, [lsn])

    def test_waits_and_events_go_on_with_the_next_engine(self):
        lsn = self.gate("wait")

        async def work(engine):
            async with engine.events(finished=True) as events:
                self.assertIn("run_id", await events.next_frame(60))
                waiting = asyncio.ensure_future(engine.result(lsn))
                await asyncio.sleep(0.1)
                self.kill()
                self.let_go("wait")
                self.start()
                result = await waiting
                while True:
                    frame = await events.next_frame(60)
                    if [a for a in frame.get("actions", ()) if a["lsn"] == lsn] or frame.get("watch"):
                        break
                return result

        result = self.run_async(work)
        self.assertEqual((result.state, result.attempts[0]["reason"]), ("completed", "engine_died"))

    def test_no_engine_is_said(self):
        async def work(engine):
            async with yardmaster.AsyncEngine("http://127.0.0.1:1", token="t") as nobody:
                with self.assertRaises(yardmaster.Unreachable):
                    await nobody.session()
                with self.assertRaises(yardmaster.Unreachable):
                    async with nobody.events():
                        pass

        self.run_async(work)

    def run_executor(self, use, *args, **options):
        async def with_executor():
            async with yardmaster.AsyncExecutor(*args, **dict({"engine": self.engine}, **options)) as ex:
                return await asyncio.wait_for(use(ex), 120)

        return asyncio.run(with_executor())

    def test_calls_are_awaited(self):
        async def use(ex):
            self.assertEqual(await ex.submit(work.keywords, 1, b=2), (1, 2))
            with self.assertRaises(ValueError) as caught:
                await ex.submit(work.fail, "odd")
            self.assertIn("in fail\n", str(caught.exception.__cause__))
            return await asyncio.gather(*(ex.submit(pow, 2, n) for n in range(20)))

        self.assertEqual(self.run_executor(use, 2), [2 ** n for n in range(20)])

    def test_an_executor_is_one_for_run_in_executor(self):
        async def use(ex):
            return await asyncio.get_running_loop().run_in_executor(ex.executor, os.getpid)

        self.assertNotEqual(self.run_executor(use), os.getpid())

    def test_values_are_taken_in_order_as_they_come(self):
        async def use(ex):
            beside = asyncio.ensure_future(ticks())
            values = [v async for v in ex.map(abs, range(-20_000, 0))]
            self.assertGreater(len(ticked), 1)  # the loop was free between the first value and the last
            self.assertTrue(beside.cancel())
            self.assertEqual([v async for v in ex.map(abs, itertools.repeat(-3, 10), buffersize=3)], [3] * 10)
            self.assertEqual([v async for v in ex.map(abs, [])], [])
            return values

        ticked = []

        async def ticks():
            while True:
                await asyncio.sleep(0)
                ticked.append(None)

        self.assertEqual(self.run_executor(use), list(range(20_000, 0, -1)))

    def test_the_loop_does_not_wait_while_the_worker_is_made_again(self):
        async def use(ex):
            with ex.executor._state.establishing:  # as a lane does that talks to the engine
                return await ex.submit(abs, -7)

        self.assertEqual(self.run_executor(use), 7)

    def test_a_map_fails_where_a_call_does_and_has_a_timeout(self):
        async def use(ex):
            seen = []
            with self.assertRaises(KeyError):
                async for value in ex.map(work.fail_at_three, range(5)):
                    seen.append(value)
            with self.assertRaises(TimeoutError):
                async for value in ex.map(work.gate, [self.path("gate")], timeout=0.3):
                    seen.append(value)
            self.let_go()
            with self.assertRaises(ValueError):
                async for value in ex.map(abs, [1], buffersize=0):
                    seen.append(value)
            return seen

        self.assertEqual(self.run_executor(use), [0, 1, 2])

    def test_a_future_that_waits_can_be_cancelled(self):
        async def use(ex):
            running = ex.submit(work.gate, self.path("gate"))
            while not os.path.exists(self.path("gate.running")):
                await asyncio.sleep(0.01)
            waiting = ex.submit(work.mark, self.folder, 1)
            self.assertTrue(waiting.cancel())
            self.let_go()
            return await running

        self.assertEqual(self.run_executor(use, 1), "through")
        self.assertNotIn("1", os.listdir(self.folder))

    def test_a_task_that_is_cancelled_ends_what_runs(self):
        async def use(ex):
            future = ex.submit(work.gate, self.path("gate"))
            while not os.path.exists(self.path("gate.running")):
                await asyncio.sleep(0.01)
            asyncio.current_task().cancel()
            await future

        async def main():
            async with yardmaster.AsyncExecutor(1, engine=self.engine, label="cut") as ex:
                await use(ex)

        with self.assertRaises(asyncio.CancelledError):
            asyncio.run(main())
        self.assertEqual({r.state for r in self.engine.list("label:cut")}, {"cancelled"})

    def test_nothing_is_taken_before_it_starts_and_after_it_ended(self):
        ex = yardmaster.AsyncExecutor(1, engine=self.engine)
        with self.assertRaises(RuntimeError):
            ex.submit(abs, 1)

        async def use():
            await ex.shutdown()  # of nothing
            async with ex:
                await ex.shutdown(cancel_futures=True)
                with self.assertRaises(RuntimeError):
                    ex.submit(abs, 1)

        asyncio.run(use())


if __name__ == "__main__":
    harness.main()

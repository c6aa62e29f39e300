#!/usr/bin/env python3
"""CPython's own tests of executors, those that depend neither on fork nor on a pool's insides; skipped where Python came
without them (Debian: libpython3-testsuite). test_cpython.py YARDMASTER"""

import unittest

import harness
import yardmaster
from harness import WithEngine

try:
    from test import test_concurrent_futures as cpython
    cpython.ExecutorMixin  # in a package of its own from 3.12 on
except (ImportError, AttributeError):
    cpython = None

if cpython is None:
    class NotThere(unittest.TestCase):
        @unittest.skip("this Python came without its tests, or is 3.12 or newer")
        def test_the_tests_of_cpython(self):
            pass
else:
    class OnEngine(cpython.ExecutorMixin, WithEngine):
        worker_count = 2

        def executor_type(self, **options):
            return yardmaster.Executor(engine=self.engine, **options)

    class Executing(OnEngine, cpython.ExecutorTest):
        def test_map_chunksize(self):
            cpython.ProcessPoolExecutorTest.test_map_chunksize(self)

    class Waiting(OnEngine, cpython.WaitTests):
        pass

    class AsCompleted(OnEngine, cpython.AsCompletedTests):
        pass

    class Initializing(cpython.InitializerMixin, OnEngine):
        def test_initializer(self):
            futures = [self.executor.submit(cpython.get_init_status) for _ in range(self.worker_count)]
            self.assertEqual({f.result() for f in futures}, {"initialized"})

    class Shutdown(OnEngine):
        test_run_after_shutdown = cpython.ExecutorShutdownTest.test_run_after_shutdown
        test_hang_issue12364 = cpython.ExecutorShutdownTest.test_hang_issue12364


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""The joblib backend, where joblib is installed. test_joblib.py YARDMASTER"""

import os
import sys
import unittest

import harness
import yardmaster
from harness import WithEngine

sys.path.insert(0, harness.HERE)
import work  # noqa: E402

try:
    import joblib
except ImportError:
    joblib = None


class Joblib(WithEngine):
    def setUp(self):
        super().setUp()
        if joblib is None:
            self.skipTest("joblib is not installed")
        yardmaster.register_parallel_backend()

    def test_calls_run_on_the_engine(self):
        with joblib.parallel_backend("yardmaster", n_jobs=2, engine=self.engine):
            values = joblib.Parallel()(joblib.delayed(work.slow_square)(n) for n in range(50))
            pids = joblib.Parallel()(joblib.delayed(os.getpid)() for n in range(10))
        self.assertEqual(values, [n * n for n in range(50)])
        self.assertNotIn(os.getpid(), pids)
        self.assertTrue(list(self.engine.list("label:joblib")))

    def test_an_exception_comes_back(self):
        with joblib.parallel_backend("yardmaster", n_jobs=2, engine=self.engine), self.assertRaises(KeyError):
            joblib.Parallel()(joblib.delayed(work.fail_at_three)(n) for n in range(10))
        self.assertEqual([q for q in self.engine.queues() if q.get("tag") == "joblib"], [])

    def test_all_cores_or_one(self):
        with joblib.parallel_backend("yardmaster", n_jobs=-1, engine=self.engine):
            self.assertEqual(joblib.effective_n_jobs(-1), 2)
            self.assertEqual(joblib.Parallel()(joblib.delayed(abs)(n) for n in (-1, -2)), [1, 2])
        with joblib.parallel_backend("yardmaster", n_jobs=1, engine=self.engine):
            self.assertEqual(joblib.Parallel()(joblib.delayed(os.getpid)() for n in range(2)), [os.getpid()] * 2)


class Imports(unittest.TestCase):
    def test_the_package_does_not_import_joblib(self):
        code = "import sys, yardmaster; print([m for m in ('joblib', 'asyncio') if m in sys.modules])"
        with os.popen("PYTHONPATH=%s %s -c \"%s\"" % (os.path.abspath(harness.PACKAGE), sys.executable, code)) as answer:
            self.assertEqual(answer.read(), "[]\n")


if __name__ == "__main__":
    harness.main()

#!/usr/bin/env python3
"""CPython's own tests of executors; skipped where Python came without them (Debian: libpython3.11-testsuite).
test_cpython.py YARDMASTER. `test_cpython.py --left-out` names those that are left out, and why."""

import importlib
import pkgutil
import resource
import sys
import types
import unittest
from concurrent.futures import BrokenExecutor
from pickle import UnpicklingError

import harness
import yardmaster
from harness import WithEngine

_POOL = "looks at the processes or threads inside of ProcessPoolExecutor"
_THREADS = "looks at the threads of ThreadPoolExecutor, or shares memory with its calls"
_SCRIPT = "a script that makes an executor of concurrent.futures by name; test_executor.py has its like"
_FORKED = "semaphores and managers of multiprocessing, which only its own children may use"
_TASKS = "max_tasks_per_child, which Executor does not have"

LEFT_OUT = {
    "ExecutorShutdownTest.test_cancel_futures": "counts on a call that begins at once; test_executor.py has its like",
    "ExecutorShutdownTest.test_hang_gh83386": _SCRIPT,
    "ExecutorShutdownTest.test_hang_gh94440": _SCRIPT,
    "ExecutorShutdownTest.test_interpreter_shutdown": _SCRIPT,
    "ExecutorShutdownTest.test_submit_after_interpreter_shutdown": _SCRIPT,
    "ProcessPoolShutdownTest.test_context_manager_shutdown": _POOL,
    "ProcessPoolShutdownTest.test_del_shutdown": _POOL,
    "ProcessPoolShutdownTest.test_processes_terminate": _POOL,
    "ProcessPoolShutdownTest.test_shutdown_no_wait": _POOL,
    "ProcessPoolExecutorTest.test_idle_process_reuse_multiple": _POOL,
    "ProcessPoolExecutorTest.test_idle_process_reuse_one": _POOL,
    "ProcessPoolExecutorTest.test_killed_child": _POOL + "; test_crashes.py has its like",
    "ProcessPoolExecutorTest.test_max_tasks_early_shutdown": _TASKS,
    "ProcessPoolExecutorTest.test_max_tasks_per_child": _TASKS,
    "ProcessPoolExecutorTest.test_max_tasks_per_child_defaults_to_spawn_context": _TASKS,
    "ProcessPoolExecutorTest.test_max_workers_too_large": "a limit of Windows",
    "ProcessPoolExecutorTest.test_python_finalization_error": _POOL,
    "ProcessPoolExecutorTest.test_ressources_gced_in_workers": _FORKED,
    "ProcessPoolExecutorTest.test_saturation": _FORKED,
    "ProcessPoolExecutorTest.test_traceback": "names the class of ProcessPoolExecutor's causes; test_executor.py has its like",
    "ExecutorDeadlockTest.test_gh105829_should_not_deadlock_if_wakeup_pipe_full": _POOL,
    "ExecutorDeadlockTest.test_shutdown_deadlock_pickle": _POOL,
    "FailingInitializerMixin.test_initializer": "looks at a log and at `_broken`; test_executor.py has its like",
    "FailingInitializerResourcesTest.test_forkserver": _POOL,
    "FailingInitializerResourcesTest.test_spawn": _POOL,
}
_LEFT_OUT_CLASSES = {"FutureTests": "looks at Future, without an executor", "ThreadPoolExecutorTest": _THREADS,
                     "ThreadPoolShutdownTest": _THREADS, "ThreadPoolWaitTests": _THREADS}

# What breaks the whole of a ProcessPoolExecutor fails its own call here.
_ITS_OWN_CALL = {"test_error_at_task_unpickle": UnpicklingError, "test_exit_at_task_unpickle": SystemExit,
                 "test_error_during_result_unpickle_in_result_handler": UnpicklingError,
                 "test_exit_during_result_unpickle_in_result_handler": SystemExit}


def suite():
    """The modules of CPython's tests: one until 3.11, a package from 3.12 on."""
    try:
        found = [importlib.import_module("test.test_concurrent_futures")]
        for module in pkgutil.iter_modules(getattr(found[0], "__path__", ())):
            if module.name != "__main__":
                found.append(importlib.import_module("test.test_concurrent_futures." + module.name))
    except (ImportError, unittest.SkipTest):
        return []
    return found


def names_of(cls):
    """Of tests that it has, by the classes that define them."""
    loader = unittest.TestLoader()
    return {"%s.%s" % (k.__name__, n) for n in loader.getTestCaseNames(cls) for k in cls.__mro__ if n in vars(k)}


SUITE = suite()

if not SUITE:
    class NotThere(unittest.TestCase):
        @unittest.skip("this Python came without its tests")
        def test_the_tests_of_cpython(self):
            pass
else:
    cpython = types.SimpleNamespace(**{k: v for m in SUITE for k, v in vars(m).items()})
    for one in SUITE:
        if hasattr(one, "BrokenProcessPool"):
            one.BrokenProcessPool = BrokenExecutor  # BrokenProcess is one

    class OnEngine(cpython.ExecutorMixin, WithEngine):
        worker_count = 2

        def executor_type(self, max_workers=None, **options):
            return yardmaster.Executor(max_workers, engine=self.engine, **options)

    class Executing(OnEngine, cpython.ExecutorTest):
        test_map_chunksize = cpython.ProcessPoolExecutorTest.test_map_chunksize

    class Waiting(OnEngine, cpython.WaitTests):
        pass

    class AsCompleted(OnEngine, cpython.AsCompletedTests):
        pass

    class Initializing(cpython.InitializerMixin, OnEngine):
        pass

    class Shutdown(OnEngine):
        test_run_after_shutdown = cpython.ExecutorShutdownTest.test_run_after_shutdown
        test_hang_issue12364 = cpython.ExecutorShutdownTest.test_hang_issue12364

    class Deadlocks(OnEngine, cpython.ExecutorDeadlockTest):
        ctx = "spawn"
        test_shutdown_deadlock_pickle = None
        test_gh105829_should_not_deadlock_if_wakeup_pipe_full = None

        @classmethod
        def setUpClass(cls):
            resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
            super().setUpClass()

        def _check_crash(self, error, *args, **options):
            super()._check_crash(_ITS_OWN_CALL.get(self._testMethodName, error), *args, **options)

    class Complete(unittest.TestCase):
        def test_every_test_is_run_or_left_out_for_a_reason(self):
            classes = [v for v in vars(cpython).values() if isinstance(v, type) and v.__name__ not in _LEFT_OUT_CLASSES]
            theirs = {"%s.%s" % (c.__name__, n) for c in classes for n in vars(c) if n.startswith("test_")}
            run = set()
            for cls in (Executing, Waiting, AsCompleted, Initializing, Shutdown, Deadlocks):
                run |= names_of(cls)
                run |= {getattr(cls, n).__qualname__ for n in unittest.TestLoader().getTestCaseNames(cls)}
            self.assertEqual(theirs - run - set(LEFT_OUT), set(), "neither run nor left out")
            self.assertEqual(run & set(LEFT_OUT), set(), "left out, and yet run")


if __name__ == "__main__":
    if sys.argv[1:] == ["--left-out"]:
        for name, reason in sorted({**LEFT_OUT, **_LEFT_OUT_CLASSES}.items()):
            print("%-80s %s" % (name, reason))
    else:
        harness.main()

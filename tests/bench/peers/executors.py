#!/usr/bin/env python3
"""yardmaster.Executor beside ProcessPoolExecutor, joblib and dask.distributed, in turns, two processes each:
executors.py [--rounds N] [--calls N] [--slow-calls N] [YARDMASTER]

Calls a second of a no-op and of a function of a millisecond, from the call of map() to the last value. Targets for the no-op: 5
times dask.distributed, and half of ProcessPoolExecutor as it is by default (chunksize 1). Those that are slower get fewer calls.
What is not installed (Debian: python3-joblib, python3-distributed) is left out; installs nothing."""

import argparse
import concurrent.futures
import contextlib
import functools
import os
import sys
import tempfile
import time

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, BENCH)

from bench_python import WORKERS, millisecond, yardmaster  # noqa: E402
from engine_process import start  # noqa: E402

try:
    import joblib
except ImportError:
    joblib = None
try:
    import distributed
except ImportError:
    distributed = None


@contextlib.contextmanager
def ours(data, **options):
    with yardmaster.Executor(WORKERS, engine=yardmaster.Engine(data_dir=data)) as executor:
        yield functools.partial(executor.map, **options)


@contextlib.contextmanager
def pool(_, **options):
    with concurrent.futures.ProcessPoolExecutor(WORKERS) as executor:
        yield functools.partial(executor.map, **options)


@contextlib.contextmanager
def loky(_):
    with joblib.Parallel(WORKERS) as parallel:
        yield lambda function, values: parallel(joblib.delayed(function)(n) for n in values)


@contextlib.contextmanager
def dask(directory):
    with distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None,
                                  local_directory=directory) as cluster:
        with distributed.Client(cluster) as client:
            yield lambda function, values: client.gather(client.map(function, values, pure=False))


def rate(run, function, count):
    begun = time.perf_counter()
    seen = sum(run(function, range(count)))
    took = time.perf_counter() - begun
    assert seen == count * (count - 1) // 2
    return count / took


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--slow-calls", type=int, default=10_000)
    parser.add_argument("program", nargs="?", default=os.path.join(BENCH, "..", "..", "build", "release", "bin", "yardmaster"))
    given = parser.parse_args()
    peers = {"Executor": (ours, given.calls),
             "Executor, chunksize 100": (functools.partial(ours, chunksize=100), given.calls),
             "ProcessPoolExecutor": (pool, given.slow_calls),
             "  with chunksize 100": (functools.partial(pool, chunksize=100), given.calls)}
    if joblib is not None:
        peers["joblib (loky)"] = loky, given.slow_calls
    if distributed is not None:
        peers["dask.distributed"] = dask, given.slow_calls
    rates = {name: ([], []) for name in peers}
    with tempfile.TemporaryDirectory(prefix="bench-executors-") as data:
        engine = start(given.program, data, "--no-sandbox", "--capacity", str(WORKERS))
        try:
            for _ in range(given.rounds):
                for name, (begin, count) in peers.items():
                    with begin(data) as run:
                        rate(run, abs, 100)  # its processes are there
                        rates[name][0].append(rate(run, abs, count))
                        rates[name][1].append(rate(run, millisecond, 1000))
        finally:
            engine.terminate()
            engine.wait(30)
    mine = [sorted(seen)[len(seen) // 2] for seen in rates["Executor"]]
    for name, both in rates.items():
        none, one = (sorted(seen)[len(seen) // 2] for seen in both)
        print("%-24s no-op %8.0f/s, Executor is %6.2f times that; 1 ms %6.0f/s, %5.2f times"
              % (name, none, mine[0] / none, one, mine[1] / one))


if __name__ == "__main__":
    main()

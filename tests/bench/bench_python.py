#!/usr/bin/env python3
"""yardmaster.Executor beside concurrent.futures.ProcessPoolExecutor, in turns, two processes each:
bench_python.py [--rounds N] [--calls N] [YARDMASTER]

No-op calls by map() (target: 20,000/s, and at least half of ProcessPoolExecutor with chunksize 1) and by submit(), calls of
a millisecond, and one call at a time."""

import argparse
import concurrent.futures
import os
import sys
import tempfile
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.abspath(os.path.join(ROOT, "clients", "python", "src")))

import yardmaster  # noqa: E402
from engine_process import start  # noqa: E402

WORKERS = 2


def millisecond(n):
    until = time.perf_counter() + 0.001
    while time.perf_counter() < until:
        pass
    return n


def by_map(executor, count, function=abs, **options):
    begun = time.perf_counter()
    seen = sum(executor.map(function, range(count), **options))
    took = time.perf_counter() - begun
    assert seen == count * (count - 1) // 2
    return count / took


def by_submit(executor, count):
    begun = time.perf_counter()
    futures = [executor.submit(abs, n) for n in range(count)]
    seen = sum(f.result() for f in futures)
    took = time.perf_counter() - begun
    assert seen == count * (count - 1) // 2
    return count / took


def one_by_one(executor, count):
    begun = time.perf_counter()
    for n in range(count):
        executor.submit(abs, n).result()
    return count / (time.perf_counter() - begun)


def measure(executor, calls, is_pool):
    chunk = {"chunksize": 1} if is_pool else {}
    yield "no-op, map", by_map(executor, calls, **chunk)
    yield "no-op, map with chunksize 100", by_map(executor, calls, chunksize=100)
    yield "no-op, submit", by_submit(executor, calls // 5)
    yield "1 ms, map", by_map(executor, calls // 50, millisecond, **chunk)
    yield "no-op, one at a time", one_by_one(executor, 300)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("program", nargs="?", default=os.path.join(ROOT, "build", "release", "bin", "yardmaster"))
    given = parser.parse_args()
    rates = {}
    with tempfile.TemporaryDirectory() as data:
        engine = start(given.program, data, "--no-sandbox", "--capacity", str(WORKERS))
        try:
            for _ in range(given.rounds):
                with yardmaster.Executor(WORKERS, engine=yardmaster.Engine(data_dir=data)) as ours:
                    ours.submit(abs, 1).result()
                    for name, rate in measure(ours, given.calls, False):
                        rates.setdefault(name, ([], []))[0].append(rate)
                with concurrent.futures.ProcessPoolExecutor(WORKERS) as pool:
                    pool.submit(abs, 1).result()
                    for name, rate in measure(pool, given.calls, True):
                        rates[name][1].append(rate)
        finally:
            engine.terminate()
            engine.wait(30)
    for name, (ours, theirs) in rates.items():
        a, b = (sorted(r)[len(r) // 2] for r in (ours, theirs))
        print("%-30s %8.0f/s, %5.2f of ProcessPoolExecutor's %.0f/s" % (name, a, a / b, b))


if __name__ == "__main__":
    main()

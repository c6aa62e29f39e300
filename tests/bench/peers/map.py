#!/usr/bin/env python3
"""yardctl map beside GNU parallel and xargs -P, in turns: map.py [--jobs N] [--parallel-jobs N] [DIRECTORY]

DIRECTORY has yardmaster and yardctl. Each runs /bin/true for N values, two at once; prints jobs a second from the start of the
program to its end, the engine already running. GNU parallel, which is slower, gets fewer (--parallel-jobs). Targets: 5 times GNU
parallel, and ahead of xargs. What is not installed is left out; installs nothing."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from engine_process import start  # noqa: E402

ROUNDS = 3


def values(directory, count):
    path = os.path.join(directory, "values-%d" % count)
    with open(path, "w") as file:
        file.writelines("%d\n" % i for i in range(count))
    return path


def rate(command, path, count, environment):
    with open(path) as stdin:
        begun = time.perf_counter()
        done = subprocess.run(command, stdin=stdin, stdout=subprocess.DEVNULL, env=environment)
        seconds = time.perf_counter() - begun
    assert done.returncode == 0, (command, done.returncode)
    return count / seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100_000)
    parser.add_argument("--parallel-jobs", type=int, default=5_000)
    parser.add_argument("directory", nargs="?", default="build/release/bin")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-map-") as directory:
        many, few = values(directory, arguments.jobs), values(directory, arguments.parallel_jobs)
        data = os.path.join(directory, "data")
        environment = dict(os.environ, PARALLEL_HOME=directory)
        open(os.path.join(directory, "will-cite"), "w").close()
        map_command = [os.path.join(arguments.directory, "yardctl"), "--data-dir", data, "map", "-j2", "/bin/true"]
        runs = {"yardctl map": (map_command, many, arguments.jobs)}
        if shutil.which("xargs"):
            runs["xargs -P2 -n1"] = (["xargs", "-P2", "-n1", "/bin/true"], many, arguments.jobs)
        if shutil.which("parallel"):
            runs["parallel -j2"] = (["parallel", "-j2", "/bin/true"], few, arguments.parallel_jobs)
        engine = start(os.path.join(arguments.directory, "yardmaster"), data)
        try:
            rates = {name: [] for name in runs}
            for _ in range(ROUNDS):
                for name, (command, path, count) in runs.items():
                    rates[name].append(rate(command, path, count, environment))
        finally:
            engine.terminate()
            engine.wait(30)
    mine = max(rates["yardctl map"])
    for name, seen in rates.items():
        print("%-14s %8.0f/s   map is %.2f times that" % (name, max(seen), mine / max(seen)))


main()

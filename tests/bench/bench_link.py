#!/usr/bin/env python3
"""Actions on a machine over a link beside the same here, in turns: bench_link.py [--rounds N] [--actions N] [DIRECTORY]

DIRECTORY has yardmaster and yardctl. An engine, and a second one on loopback that joined it; an array of /bin/true runs on one, then on
the other, from the submission to the last result (target: 0.90 of the rate here). They share the CPUs with each other."""

import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

from engine_process import start

TIMEOUT_S = 300


def run(yardctl, *words):
    return subprocess.run([*yardctl, *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True,
                          timeout=TIMEOUT_S, text=True).stdout


def queue_of(machine):
    return f"bench/{machine}"


def rate(yardctl, machine, actions):
    begun = time.perf_counter()
    run(yardctl, "run", "-d", "--queue", queue_of(machine), "--machine", machine, "--array", f"1-{actions}", "--", "true")
    run(yardctl, "wait", "--queue", queue_of(machine))
    return actions / (time.perf_counter() - begun)


def await_machine(yardctl, name):
    end = time.monotonic() + TIMEOUT_S
    while name not in run(yardctl, "machines"):
        assert time.monotonic() < end, "the machine did not join"
        time.sleep(0.05)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--actions", type=int, default=1000)
    parser.add_argument("directory", nargs="?", default="build/release/bin")
    arguments = parser.parse_args()
    program = os.path.join(arguments.directory, "yardmaster")
    with tempfile.TemporaryDirectory(prefix="yard-bench-link-") as data:
        yard = start(program, os.path.join(data, "yard"))
        yardctl = [os.path.join(arguments.directory, "yardctl"), "--data-dir", os.path.join(data, "yard")]
        engines = [yard]
        try:
            made = json.loads(run(yardctl, "--json", "machines", "token"))
            engines.append(start(program, os.path.join(data, "next"), "--name", "next", "--join", made["url"],
                                 "--join-token", made["token"]))
            run([yardctl[0], "--data-dir", os.path.join(data, "next")], "settings", "guest_unsandboxed=on")
            await_machine(yardctl, "next")
            for machine in ("local", "next"):
                run(yardctl, "queue", "create", queue_of(machine))
            here, there = [], []
            for turn in range(arguments.rounds + 1):
                rates = rate(yardctl, "local", arguments.actions), rate(yardctl, "next", arguments.actions)
                if turn == 0:
                    continue  # both have started what they keep
                here.append(rates[0])
                there.append(rates[1])
                print(f"  here {rates[0]:.0f}/s, over the link {rates[1]:.0f}/s", flush=True)
        finally:
            for engine in reversed(engines):
                engine.terminate()
                engine.wait(60)
    ratios = [b / a for a, b in zip(here, there)]
    print(f"over the link {statistics.median(there):.0f}/s; of the same here (at least 0.90): median "
          f"{statistics.median(ratios):.3f}, least {min(ratios):.3f}, most {max(ratios):.3f}")


if __name__ == "__main__":
    main()

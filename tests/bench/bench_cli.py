#!/usr/bin/env python3
"""The command line beside plain processes, in turns: bench_cli.py [--rounds N] [DIRECTORY]

DIRECTORY has yardmaster and yardctl. `yardctl run -- true` (target: 6 ms with the engine idle), completion of an LSN (50 ms), `ls` of
1,000 rows (30 ms); the limits are /bin/true alone and `yardctl --version`, the start of the program."""

import argparse
import os
import statistics
import subprocess
import tempfile
import time

from engine_process import start

ROWS = 1000


def milliseconds(command):
    begun = time.perf_counter()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, command
    return (time.perf_counter() - begun) * 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("directory", nargs="?", default="build/release/bin")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="yard-bench-cli-") as data:
        engine = start(os.path.join(arguments.directory, "yardmaster"), data)
        yardctl = [os.path.join(arguments.directory, "yardctl"), "--data-dir", data]
        try:
            submitted = subprocess.run([*yardctl, "run", "-d", "--array", f"1-{ROWS}", "--", "true"], stdout=subprocess.DEVNULL)
            assert submitted.returncode == 0
            subprocess.run([*yardctl, "wait", "--queue", "0"], stdout=subprocess.DEVNULL, check=True)
            measured = {
                "/bin/true": ["/bin/true"],
                "yardctl --version": [*yardctl, "--version"],
                "yardctl run -- true": [*yardctl, "run", "--", "true"],
                "completion of an LSN": [*yardctl, "completion", "values", "lsns", "--", "1"],
                f"yardctl ls, {ROWS} rows": [*yardctl, "ls", "--limit", str(ROWS)],
            }
            took = {name: [] for name in measured}
            for _ in range(arguments.rounds):
                for name, command in measured.items():
                    took[name].append(milliseconds(command))
        finally:
            engine.terminate()
            engine.wait(30)
    least = statistics.median(took["/bin/true"])
    print(f"{'':30} {'median':>9} {'least':>9} {'of /bin/true':>13}")
    for name, values in took.items():
        middle = statistics.median(values)
        print(f"{name:30} {middle:6.1f} ms {min(values):6.1f} ms {middle / least:13.1f}")


if __name__ == "__main__":
    main()

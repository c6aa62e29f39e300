#!/usr/bin/env python3
"""The examples of clients/python, started as a user starts them. test_examples.py YARDMASTER"""

import hashlib
import os
import select
import subprocess
import sys

import harness
from harness import WithEngine, wait_for

EXAMPLES = os.path.abspath(os.path.join(harness.PACKAGE, "..", "examples"))


class Examples(WithEngine):
    def start_example(self, *args):
        """With the engine where it is looked for without a word."""
        home = self.path("home")
        os.mkdir(home)
        os.symlink(self.data, os.path.join(home, "yardmaster"))
        environment = dict(os.environ, PYTHONPATH=os.path.abspath(harness.PACKAGE), XDG_DATA_HOME=home,
                           PYTHONDONTWRITEBYTECODE="1")
        return subprocess.Popen([sys.executable, *args], cwd=EXAMPLES, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def test_primes_are_counted(self):
        out, _ = self.start_example("primes.py").communicate(timeout=120)
        self.assertEqual(out, "9592 primes below 100,000\n")

    def test_digests_come_in_the_order_of_the_names(self):
        os.mkdir(self.path("files"))
        os.mkdir(self.path("files/below"))
        expected = []
        for name in ["files/a", "files/b"] + ["files/below/%02d" % n for n in range(40)]:
            expected.append("%s  %s" % (hashlib.sha256(name.encode()).hexdigest(), self.write(name, name)))
        out, _ = self.start_example("digests.py", self.path("files")).communicate(timeout=120)
        self.assertEqual(out.splitlines(), expected + ["42 files"])

    def test_what_ends_is_watched(self):
        watch, ended = self.start_example("watch.py"), []

        def told():  # nobody else knows when it has begun to watch
            ended.append("%d completed" % self.engine.run(["true"]).lsn)
            return select.select([watch.stdout], [], [], 0.05)[0]

        try:
            wait_for(told, "it tells something")
            self.assertIn(watch.stdout.readline().strip(), ended)
        finally:
            watch.kill()
            watch.communicate()

    def test_pytest_runs_on_the_engine(self):
        out, _ = self.start_example("-m", "pytest", "-q", "-p", "no:cacheprovider",
                                    "test_on_engine.py").communicate(timeout=120)
        if "No module named pytest" in out:
            self.skipTest("pytest is not installed")
        self.assertIn("12 passed", out)


if __name__ == "__main__":
    harness.main()

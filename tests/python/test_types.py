#!/usr/bin/env python3
"""The package under mypy --strict, and what it tells the types of those who use it; skipped where mypy is not installed
(Debian: mypy). test_types.py YARDMASTER"""

import os
import subprocess
import sys
import tempfile
import unittest

import harness

PROJECT = os.path.abspath(os.path.join(harness.PACKAGE, ".."))
USE = """
import yardmaster

with yardmaster.Executor(memory="2G") as ex:
    reveal_type(ex.submit(pow, 2, 10).result())
    reveal_type(ex.map(len, ["a"], buffersize=1))

async def use() -> None:
    async with yardmaster.AsyncExecutor(2) as ex:
        reveal_type(await ex.submit(len, "four"))
        async for value in ex.map(len, ["a"]):
            reveal_type(value)
        ex.submit(3)
"""


class Types(unittest.TestCase):
    def mypy(self, *args):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(PROJECT, "pyproject.toml"),
                                   "--cache-dir", cache, *args], cwd=PROJECT, capture_output=True, text=True, check=False,
                                  env=dict(os.environ, MYPYPATH=os.path.join(PROJECT, "src")))
        if "No module named mypy" in done.stderr:
            self.skipTest("mypy is not installed")
        return done.stdout + done.stderr

    def test_the_package_is_strictly_typed(self):
        self.assertRegex(self.mypy("src"), r"\ASuccess: no issues found in \d+ source files\n\Z")

    def test_a_call_has_the_type_of_its_function(self):
        said = self.mypy("-c", USE)
        told = [line.split("note: Revealed type is ")[1] for line in said.splitlines() if "Revealed" in line]
        self.assertEqual(told, ['"builtins.int"', '"typing.Iterator[builtins.int]"', '"builtins.int"', '"builtins.int"'], said)
        self.assertIn('error: Argument 1 to "submit" of "AsyncExecutor" has incompatible type "int"', said)


if __name__ == "__main__":
    harness.main()

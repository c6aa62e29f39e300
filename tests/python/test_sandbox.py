#!/usr/bin/env python3
"""Executor on an engine whose workers run in the sandbox. test_sandbox.py YARDMASTER"""

import contextlib
import io
import logging
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import harness
import yardmaster
from harness import WithEngine
from yardmaster import _environment, _progress

SYSTEM = "/usr/bin/python3"
SCRIPT = """import sys
import yardmaster
import beside, package.inner
def here(n): return n + 1
if __name__ == "__main__":
    with yardmaster.Executor(2, engine=yardmaster.Engine(data_dir=sys.argv[1])) as ex:
        print(sum(ex.map(abs, range(-1000, 0))), ex.submit(here, 1).result(), ex.submit(beside.twice, 4).result(),
              ex.submit(package.inner.deep).result(), ex.submit(len, b"x" * 2_000_000).result(),
              len(ex.submit(bytes, 2_000_000).result()))
        try:
            ex.submit(open, sys.argv[0]).result()
        except FileNotFoundError:
            print("kept in")
"""


class Sandboxed(WithEngine):
    OPTIONS = ()

    def setUp(self):
        super().setUp()
        if not self.engine.session()["sandbox"]["workers"]:
            self.skipTest("this machine allows no sandbox")

    def script_in(self, text, python):
        self.write("beside.py", "def twice(n): return 2 * n\n")
        os.mkdir(self.path("package"))
        self.write("package/__init__.py", "")
        self.write("package/inner.py", "def deep(): return 'deep'\n")
        return self.script(text, python=python)

    @unittest.skipUnless(os.path.exists(SYSTEM), "there is no " + SYSTEM)
    def test_the_systems_python_brings_its_modules_along(self):
        for guard in ("", "import sys\nsys.modules['cloudpickle'] = None\n"):
            self.setUp()
            out, err = self.script_in(guard + SCRIPT, SYSTEM).communicate(timeout=120)
            self.assertEqual((out, err), ("500500 2 8 deep 2000000 2000000\nkept in\n", ""))

    @unittest.skipUnless(os.path.exists(SYSTEM), "there is no " + SYSTEM)
    def test_a_virtual_environment_comes_along(self):
        venv = self.path("venv")
        os.makedirs(os.path.join(venv, "bin"))
        os.symlink(SYSTEM, os.path.join(venv, "bin", "python"))
        self.write("venv/pyvenv.cfg", "home = /usr/bin\ninclude-system-site-packages = false\n")
        packages = os.path.join(venv, "lib", "python%s" % self.version_of(SYSTEM), "site-packages")
        os.makedirs(os.path.join(packages, "installed"))
        with open(os.path.join(packages, "installed", "__init__.py"), "w", encoding="utf-8") as file:
            file.write("def where(): return __file__\n")
        script = self.script("import sys, yardmaster, installed\n"
                             "with yardmaster.Executor(1, engine=yardmaster.Engine(data_dir=sys.argv[1])) as ex:\n"
                             "    print(ex.submit(installed.where).result())\n", python=os.path.join(venv, "bin", "python"))
        out, err = script.communicate(timeout=120)
        self.assertRegex(out, "^/worker/path[0-9]+/installed/__init__.py\n$", err)

    def version_of(self, python):
        with os.popen(python + " -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'") as answer:
            return answer.read().strip()


class Environments(unittest.TestCase):
    def environment(self, *path, main=None):
        with mock.patch.object(sys, "path", list(path)), mock.patch.object(_environment, "is_shown", lambda p: "/usr/" in p):
            with mock.patch.object(_environment.Environment, "_add_base", lambda self: None):
                return _environment.Environment(main)

    def test_modules_and_packages_come_along_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as root:
            for name in ("a.py", "b.so", "c.txt", ".hidden.txt", "p/__init__.py", "p/data.json", "p/__pycache__/x.pyc", "p/q/r.py",
                         "no/d.py"):
                os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
                open(os.path.join(root, name), "w", encoding="utf-8").close()
            made = self.environment("/usr/lib/python3", root, "/nowhere", main=os.path.join(root, "a.py"))
            self.assertEqual(sorted(made.files), ["main/a.py", "path1/a.py", "path1/b.so", "path1/p/__init__.py",
                                                  "path1/p/data.json", "path1/p/q/r.py"])
            self.assertEqual((made.path, made.main), (["/usr/lib/python3", "{worker}/path1"], "{worker}/main/a.py"))

    def test_what_is_too_much_is_refused(self):
        with tempfile.TemporaryDirectory() as root:
            for n in range(4):
                open(os.path.join(root, "m%d.py" % n), "w", encoding="utf-8").close()
            with mock.patch.object(_environment, "MOST_FILES", 3), self.assertRaises(yardmaster.YardmasterError) as caught:
                self.environment(root)
            self.assertIn("more than 3 files", str(caught.exception))

    def test_an_interpreter_elsewhere_comes_along(self):
        path = [p for p in sys.path if p.startswith(sys.base_prefix) and "-packages" not in p]
        with mock.patch.object(_environment, "is_shown", lambda p: False), mock.patch.object(sys, "path", path):
            made = _environment.Environment(None)
        self.assertIn("base/bin/python", made.executables)
        self.assertTrue([n for n in made.files if n.endswith("/json/__init__.py")])
        self.assertFalse([n for n in made.files if "/site-packages/" in n or n.endswith(".pyc")])
        self.assertTrue([p for p in made.path if p.startswith("{worker}/base/lib/python3")])
        self.assertIn("PYTHONHOME=$here/base", made.start())


    def test_what_was_found_is_told_file_by_file(self):
        told = []
        with tempfile.TemporaryDirectory() as root:
            for n in range(3):
                with open(os.path.join(root, "m%d.py" % n), "w", encoding="utf-8") as file:
                    file.write("x" * 10)
            with mock.patch.object(sys, "path", [root]), mock.patch.object(_environment, "is_shown", lambda p: False):
                with mock.patch.object(_environment.Environment, "_add_base", lambda self: None):
                    _environment.Environment(None, lambda *numbers: told.append(numbers))
        self.assertEqual(told, [("found", 1, 10), ("found", 2, 20), ("found", 3, 30)])


class Words(unittest.TestCase):
    def setUp(self):
        self.now = 100.0
        clock = mock.patch.object(_progress, "time", types.SimpleNamespace(monotonic=lambda: self.now))
        clock.start()
        self.addCleanup(clock.stop)

    def said(self, *calls):
        """What is on stderr after calls at so many seconds from the beginning."""
        out = io.StringIO()
        progress = _progress.Progress("taking it")
        began = self.now
        with contextlib.redirect_stderr(out):
            for at, numbers in calls:
                self.now = began + at
                progress(*numbers)
        return out.getvalue().splitlines()

    def test_a_sentence_comes_after_two_seconds_and_then_every_ten(self):
        many = ("found", 3_210, 845_400_000)
        self.assertEqual(self.said((1.9, many), (2.0, many), (11.9, many), (12.0, many)),
                         ["yardmaster: taking it: found 3,210 files, 845 MB"] * 2)
        self.assertEqual(self.said((3, ("hashed", 7, 2_000_000, 3_210))),
                         ["yardmaster: taking it: hashed 7 of 3,210 files, 2 MB"])
        self.assertEqual(self.said((3, ("sent", 7, 2_000_000, 3_210, 845_400_000))),
                         ["yardmaster: taking it: sent 7 of 3,210 files, 2 of 845 MB"])

    def test_of_a_few_files_nothing_is_said_unless_they_are_large(self):
        self.assertEqual(self.said((60, ("sent", 1, 10, 100, 1_000))), [])
        self.assertEqual(len(self.said((60, ("sent", 1, 10, 2, 1 << 30)))), 1)

    def test_who_has_set_up_logging_has_it_there(self):
        log = logging.getLogger("yardmaster")
        with self.assertLogs(log, "INFO") as kept:
            self.assertEqual(self.said((3, ("found", 3_210, 0))), [])
        self.assertEqual([r.getMessage() for r in kept.records], ["taking it: found 3,210 files, 0 MB"])

    def test_a_closed_stderr_stops_nothing(self):
        out = io.StringIO()
        out.close()
        progress = _progress.Progress("taking it")
        self.now += 3
        with contextlib.redirect_stderr(out):
            progress("found", 3_210, 0)


if __name__ == "__main__":
    harness.main()

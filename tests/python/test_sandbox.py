#!/usr/bin/env python3
"""Executor on an engine whose workers run in the sandbox. test_sandbox.py YARDMASTER"""

import os
import sys
import tempfile
import unittest
from unittest import mock

import harness
import yardmaster
from harness import WithEngine
from yardmaster import _environment

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


if __name__ == "__main__":
    harness.main()

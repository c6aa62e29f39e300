"""What a worker in the sandbox needs of this interpreter: the sandbox shows the system's directories and the worker's own
files, so an interpreter, packages and modules that lie elsewhere become files of the worker. The engine keeps each of them
once, by its content."""

from __future__ import annotations

import os
import sys
import sysconfig
from typing import Dict, List, Optional, Set, Tuple

from ._core import Content
from ._progress import Progress
from .errors import YardmasterError

WORKER = "{worker}"  # where the worker's files are, in what the host is told
MOST_FILES = 50_000
MOST_BYTES = 4 << 30
_SHOWN = ("/usr/", "/lib/", "/lib64/", "/bin/", "/sbin/")
_LEFT_OUT = {"__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages",
             "dist-packages"}


def is_shown(path: str) -> bool:
    real = os.path.realpath(path) + "/"
    return path.startswith(_SHOWN) and real.startswith(_SHOWN)


class Environment:
    """Files by their path in the worker, the search path as the host has to be told it, and how it starts."""

    def __init__(self, main: Optional[str], progress: Optional[Progress] = None) -> None:
        self.files: Dict[str, Content] = {}
        self.executables: Set[str] = set()
        self.main = main
        self._size = 0
        self._progress = progress
        self._version = "python%d.%d" % sys.version_info[:2]
        self._stdlib = os.path.realpath(sysconfig.get_path("stdlib"))
        self._takes_base = not is_shown(self._stdlib)
        if self._takes_base:
            self._add_base()
        self.path = self._search_path()
        if main is not None and not main.startswith("-m "):
            self.main = WORKER + "/main/" + os.path.basename(main)
            self._add("main/" + os.path.basename(main), main)

    def start(self) -> str:
        if not self._takes_base:
            python = os.path.realpath(sys.executable)
            return "exec '%s' \"${0%%/*}/host.py\"\n" % python.replace("'", "'\\''")
        return ("here=${0%/*}\nPYTHONHOME=$here/base LD_LIBRARY_PATH=$here/base/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "
                "PYTHONDONTWRITEBYTECODE=1 exec \"$here/base/bin/python\" \"$here/host.py\"\n")

    def _add(self, name: str, path: str) -> None:
        try:
            name.encode()
            size = os.stat(path).st_size
        except (UnicodeEncodeError, OSError):
            return  # no name that the engine takes, or a link to nothing
        self._size += size
        if len(self.files) >= MOST_FILES or self._size > MOST_BYTES:
            raise YardmasterError(
                "this Python has more than %d files or %d GiB to take into the engine's sandbox, at %s: use the system's "
                "interpreter, or an engine that was started with --no-sandbox" % (MOST_FILES, MOST_BYTES >> 30, path))
        self.files[name] = path
        if self._progress is not None:
            self._progress("found", len(self.files), self._size)

    def _add_base(self) -> None:
        self._add("base/bin/python", os.path.realpath(sys.executable))
        self.executables.add("base/bin/python")
        library = sysconfig.get_config_var("INSTSONAME") or ""
        for directory in (sysconfig.get_config_var("LIBDIR") or "", os.path.join(sys.base_prefix, "lib")):
            path = os.path.join(directory, library)
            if ".so" in library and os.path.isfile(path):
                self._add("base/lib/" + library, path)
                break
        self._add_tree("base/lib/" + self._version, self._stdlib, _LEFT_OUT)

    def _add_tree(self, name: str, root: str, left_out: Set[str]) -> None:
        for directory, below, files in os.walk(root):
            inside = os.path.relpath(directory, root)
            at = name if inside == "." else name + "/" + inside
            top = inside == "."
            below[:] = sorted(d for d in below if d != "__pycache__" and not (top and d in left_out))
            for file in sorted(files):
                path = os.path.join(directory, file)
                if os.path.isfile(path) and not file.endswith((".pyc", ".a")):
                    self._add(at + "/" + file, path)

    def _add_modules(self, name: str, root: str) -> None:
        """Of a directory that may hold anything: modules and packages."""
        for file in sorted(os.listdir(root)):
            path = os.path.join(root, file)
            if file.endswith((".py", ".so")) and os.path.isfile(path):
                self._add(name + "/" + file, path)
            elif os.path.isfile(os.path.join(path, "__init__.py")):
                self._add_tree(name + "/" + file, path, set())

    def _search_path(self) -> List[str]:
        told: List[str] = []
        for number, entry in enumerate(sys.path):
            path = os.path.abspath(entry)
            real = os.path.realpath(path)
            if self._takes_base and (real + "/").startswith(self._stdlib + "/") and "-packages" not in real:
                told.append(WORKER + "/base/lib/" + self._version + real[len(self._stdlib):])
            elif is_shown(path):
                told.append(path)
            elif os.path.isfile(path):
                told.append("%s/path%d/%s" % (WORKER, number, os.path.basename(path)))
                self._add("path%d/%s" % (number, os.path.basename(path)), path)
            elif os.path.isdir(path):
                name = "path%d" % number
                if os.path.basename(path) in ("site-packages", "dist-packages"):
                    self._add_tree(name, path, set())
                else:
                    self._add_modules(name, path)
                told.append(WORKER + "/" + name)
        return told


def described(environment: Environment) -> Tuple[List[Dict[str, str]], Dict[str, Content]]:
    """`files` of the descriptor, without hash and size, and their contents."""
    files = [{"path": name, "mode": "0755" if name in environment.executables else "0644"}
             for name in environment.files]
    return files, dict(environment.files)

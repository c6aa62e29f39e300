#!/usr/bin/env python3
"""Holds the #include lines of the tree against cmake/include-edges.txt.

Usage: check_includes.py [ROOT]   (default: the tree this script is in)

Prints one line `file:line: sentence` for every include that is not allowed and exits 1, else exits 0.
Besides the table: core/ includes no Qt, only core/http and core/cloud know Boost.Beast, the latter in a .cpp (elsewhere it
may appear in a .cpp outside core/), and a header of core/http that needs Beast is not for other folders.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
QT = re.compile(r"^Q[A-Z]|^Qt|^qt6?keychain|^qt6|^q[a-z]+\.h$")
SOURCES = {".h", ".cpp", ".hpp", ".cc", ".inc"}
BEAST = "boost/beast"
BEAST_HOME = "core/http"
BEAST_CLIENTS = ("core/cloud",)  # rooms of core that ask other services over HTTP


class TableError(Exception):
    pass


def read_table(path):
    """{folder: set of folders it may include from}, in the order of the file."""
    table = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#", 1)[0].strip()
        if not line:
            continue
        if ":" not in line:
            raise TableError(f"{path}:{number}: a line is `folder: folders it may include from`.")
        folder, targets = (part.strip() for part in line.split(":", 1))
        if folder in table:
            raise TableError(f"{path}:{number}: {folder} has two lines.")
        for target in targets.split():
            if target not in table:
                raise TableError(f"{path}:{number}: {folder} may not include from {target}: "
                                 "its line does not stand above, so the edge would point upwards.")
        table[folder] = set(targets.split())
    return table


def folder_of(name, table):
    """The table's folder that a path belongs to: the longest that has a line."""
    parts = pathlib.PurePosixPath(name).parts
    for depth in range(len(parts) - 1, 0, -1):
        if (folder := "/".join(parts[:depth])) in table:
            return folder
    return None


def includes_of(path):
    """(line number, quoted name or None, bracketed name or None) of each include."""
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1], match[2]


def beast_headers(root):
    """Headers of core/http that include Beast, themselves or through another header of the folder."""
    direct, through = set(), {}
    for path in sorted((root / BEAST_HOME).glob("**/*.h")):
        name = path.relative_to(root).as_posix()
        through[name] = set()
        for _, quoted, bracketed in includes_of(path):
            if bracketed and bracketed.startswith(BEAST):
                direct.add(name)
            if quoted:
                through[name].add(quoted)
    found = set(direct)
    while True:
        more = {name for name, used in through.items() if used & found} - found
        if not more:
            return found
        found |= more


class Checker:
    def __init__(self, root, table):
        self.root = root
        self.table = table
        self.beast = beast_headers(root)

    def complaints(self):
        for top in sorted({folder.split("/")[0] for folder in self.table}):
            for path in sorted((self.root / top).glob("**/*")):
                if path.suffix in SOURCES and path.is_file():
                    yield from self.file_complaints(path)

    def file_complaints(self, path):
        name = path.relative_to(self.root).as_posix()
        folder = folder_of(name, self.table)
        if folder is None:
            yield f"{name}:1: its folder has no line in cmake/include-edges.txt; add one on the floor where it belongs."
            return
        for number, quoted, bracketed in includes_of(path):
            sentence = (self.quoted_complaint(name, folder, quoted) if quoted
                        else self.bracketed_complaint(name, folder, bracketed))
            if sentence:
                yield f"{name}:{number}: {sentence}"

    def quoted_complaint(self, name, folder, target):
        if target.endswith(".moc"):
            return None
        if not (self.root / target).is_file():
            if folder.startswith("core/") and QT.match(pathlib.PurePosixPath(target).name):
                return f'core/ links no Qt, so it may not include "{target}".'
            return (f'"{target}" is no file of the tree. Quoted includes are written from the repository root; '
                    "headers of libraries go in <>.")
        other = folder_of(target, self.table)
        if other is None:
            return f'"{target}" lies in a folder without a line in cmake/include-edges.txt.'
        if other == folder:
            return None
        if other not in self.table[folder]:
            allowed = ", ".join(sorted(self.table[folder])) or "nothing else"
            return (f"{folder} may not include from {other} (\"{target}\"). Includes point downwards; "
                    f"{folder} may use: {allowed}. See cmake/include-edges.txt.")
        if target in self.beast and folder != "tests":
            return f'"{target}" brings Boost.Beast with it; it is private to {BEAST_HOME}.'
        return None

    def bracketed_complaint(self, name, folder, target):
        if folder.startswith("core/") and QT.match(target):
            return f"core/ links no Qt, so it may not include <{target}>."
        if target.startswith(("core/", "ui/", "app/", "tests/")):
            return f'write "{target}" with quotes: it is a file of the tree.'
        if target.startswith(BEAST) and folder != BEAST_HOME:
            if folder.startswith("core/") and folder not in BEAST_CLIENTS:
                return f"only {BEAST_HOME} knows Boost.Beast; {folder} may not include <{target}>."
            if name.endswith(".h"):
                return f"<{target}> in a header spreads a minute of compile time; keep it in a .cpp."
        return None


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    try:
        table = read_table(root / "cmake" / "include-edges.txt")
    except (TableError, OSError) as error:
        print(error)
        return 1
    complaints = list(Checker(root, table).complaints())
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

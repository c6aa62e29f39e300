#!/usr/bin/env python3
"""Says what a change can have touched, by the include lines of the tree and the floors of cmake/include-edges.txt.

Usage: changed_since.py REF groups|sources [ROOT]   (default: the tree this script is in)

The change is what the work tree has other than the commit REF, with files that git does not know yet.
groups   the test folders whose tests it can affect, one a line: those that include something of it, and those of the
         rooms above it. A room is a folder of cmake/include-edges.txt.
sources  the .cpp files of core/, ui/ and app/ that the compiler reads differently after it, one a line.
Prints `all` alone where the change is not about sources: the build, the checks, what every test uses.
Exits 2 with a sentence where git does not know REF.
"""
import pathlib
import subprocess
import sys

from check_includes import SOURCES, folder_of, includes_of, read_table

TOPS = ("core", "ui", "app", "tests")
# Read by people, or held against the sources by checks that run each time.
PAPERS = (".md", ".svg", ".png", ".gif", ".ts")
PAPER_FOLDERS = ("docs/", "translations/", "resources/")
# Among them: what workers and tests are made of.
CODE_FOLDERS = ("resources/kits/",)
# Tests start the programs, so their include lines do not tell what they use.
BY_PROGRAMS = ("kits", "python", "sandbox", "warm", "torture")


def changed_files(root, ref):
    def git(*arguments):
        run = subprocess.run(["git", "-C", root, *arguments], capture_output=True, text=True, check=False)
        if run.returncode:
            print(f"changed_since.py: {run.stderr.strip()}", file=sys.stderr)
            sys.exit(2)
        return [name for name in run.stdout.split("\0") if name]

    # A file that moved is one that went and one that came.
    return set(git("diff", "--name-only", "--no-renames", "-z", ref, "--")) | \
        set(git("ls-files", "--others", "--exclude-standard", "-z"))


def is_paper(name):
    return name.endswith(PAPERS) or (name.startswith(PAPER_FOLDERS) and not name.startswith(CODE_FOLDERS))


class Tree:
    def __init__(self, root):
        self.root = root
        self.edges = read_table(root / "cmake" / "include-edges.txt")
        self.included = {}
        for top in TOPS:
            for path in sorted((root / top).glob("**/*")):
                if path.suffix in SOURCES and path.is_file():
                    name = path.relative_to(root).as_posix()
                    self.included[name] = {quoted for _, quoted, _ in includes_of(path) if quoted}

    def with_includers(self, names):
        """These files and all that include them, directly or not."""
        found = set(names)
        while True:
            more = {name for name, used in self.included.items() if name not in found and used & found}
            if not more:
                return found
            found |= more

    def rooms_below(self, rooms):
        found = set(rooms)
        while True:
            more = {below for room in found for below in self.edges.get(room, ())} - found
            if not more:
                return found
            found |= more

    def groups(self):
        return sorted(path.parent.name for path in (self.root / "tests").glob("*/CMakeLists.txt"))

    def rooms_of_group(self, group):
        """The rooms whose code is in the programs of this group."""
        seen, todo = set(), [name for name in self.included if name.startswith(f"tests/{group}/")]
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += [used for used in self.included.get(name, ()) if used in self.included]
        return self.rooms_below({folder_of(name, self.edges) for name in seen} - {None, "tests"})


def affected_groups(tree, changed):
    affected = tree.with_includers(changed)
    rooms = {folder_of(name, tree.edges) for name in affected if not name.startswith("tests/")} - {None}
    for group in tree.groups():
        own = any(name.startswith(f"tests/{group}/") for name in affected)
        by_program = group in BY_PROGRAMS and any(not name.startswith("tests/") for name in affected)
        if own or by_program or rooms & tree.rooms_of_group(group):
            yield group


def is_source(name):
    return name.startswith(TOPS) and pathlib.PurePosixPath(name).suffix in SOURCES


def touches_everything(tree, name):
    """What no include line tells of: the build, the checks, clients that are no C++, what all tests are linked with."""
    parts = name.split("/")
    if parts[0] == "tests":
        return len(parts) < 3 or (parts[1] not in tree.groups() and not name.endswith(".h"))
    return not is_source(name) and folder_of(name, tree.edges) is None


def with_lists(tree, changed):
    """A list of sources or another file of a room stands for all files of it."""
    for name in changed:
        yield name
        if not is_source(name):
            folder = name.rpartition("/")[0] + "/"
            yield from (other for other in tree.included if other.startswith(folder))


def main(ref, what, root):
    tree = Tree(root)
    changed = {name for name in changed_files(root, ref) if not is_paper(name)}
    for name in sorted(changed):
        if touches_everything(tree, name):
            print(f"changed_since.py: everything, as {name} is another", file=sys.stderr)
            print("all")
            return
    changed = set(with_lists(tree, changed))
    if what == "groups":
        found = affected_groups(tree, changed)
    else:
        found = sorted(name for name in tree.with_includers(changed)
                       if name in tree.included and name.endswith(".cpp") and not name.startswith("tests/"))
    for name in found:
        print(name)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in ("groups", "sources"):
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    main(sys.argv[1], sys.argv[2],
         pathlib.Path(sys.argv[3]) if len(sys.argv) == 4 else pathlib.Path(__file__).resolve().parents[1])

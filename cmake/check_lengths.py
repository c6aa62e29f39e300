#!/usr/bin/env python3
"""Functions have 60 lines at most, files 600, and what is longer is split by matter.

Usage: check_lengths.py [ROOT]   (default: the tree this script is in)

Prints one line `file:line: name: N lines` for every function, and `file: N lines` for every file that is longer, and exits 1, else
exits 0. It goes by the layout that clang-format makes: a function ends at the `}` that stands below its first letter. Tables are
no functions: rows of a test (name_data), and what NOLINTNEXTLINE(readability-function-size) is written above."""
import pathlib
import re
import sys

from tree_files import files_of

MOST_OF_FUNCTION = 60
MOST_OF_FILE = 600
PLACES = ("core", "app", "ui", "tests", "tools")
ENDINGS = (".h", ".cpp")
END = re.compile(r"( *)\}$")
NAME = re.compile(r"([\w~:]+|operator\W+)\(")
NO_FUNCTION = re.compile(r"\s*(if|for|while|switch|else|do|try|catch|class|struct|enum|union|namespace|extern|case|default)\b")
TABLE = "NOLINTNEXTLINE(readability-function-size)"


def sources(root):
    for name, path in files_of(root, ENDINGS):
        if name.split("/")[0] in PLACES:
            yield name, path.read_text(errors="replace").splitlines()


def start_of(lines, end, indent):
    """The line on which what ends there begins; none: it cannot be told."""
    for at in range(end - 1, -1, -1):
        line = lines[at]
        if line.strip() and len(line) - len(line.lstrip()) <= indent and not line.startswith("#"):
            return at if len(line) - len(line.lstrip()) == indent else None
    return None


def long_functions(lines):
    for end, line in enumerate(lines):
        match = END.fullmatch(line)
        if not match:
            continue
        start = start_of(lines, end, len(match[1]))
        if start is None or end - start < MOST_OF_FUNCTION or NO_FUNCTION.match(lines[start]):
            continue
        name = NAME.search(lines[start])
        if not name or name[1].endswith("_data") or (start > 0 and TABLE in lines[start - 1]):
            continue
        yield start + 1, name[1], end - start + 1


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    found = 0
    for name, lines in sources(root):
        for start, function, length in long_functions(lines):
            print(f"{name}:{start}: {function}: {length} lines, {MOST_OF_FUNCTION} at most")
            found += 1
        if len(lines) > MOST_OF_FILE:
            print(f"{name}: {len(lines)} lines, {MOST_OF_FILE} at most")
            found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

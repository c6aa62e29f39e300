#!/usr/bin/env python3
"""Plain words: code, papers and texts say things in today's English.

Usage: check_words.py [ROOT]   (default: the tree this script is in)

Prints one line `file:line: word: sentence` for every word of the list and exits 1, else exits 0. Changelogs keep what they said."""
import pathlib
import re
import sys

from tree_files import files_of

# What is said today instead. A word that is right somewhere is no word for this list.
INSTEAD = {
    r"anew": "again",
    r"for ever": "forever, or what ends it",
    r"shall": "must, will, or the plain present",
    r"of late": "lately, or since when",
    r"heed\w*": "use, apply, go by",
    r"mend\w*": "fix, correct",
    r"milliards?": "billion",
    r"passes by": "say who calls",
    r"henceforth": "from now on",
    r"whilst": "while",
    r"amongst": "among",
    r"thereof|therein|thereby": "of it, in it, by it",
}
WORDS = re.compile(r"\b(" + "|".join(f"(?:{word})" for word in INSTEAD) + r")\b", re.IGNORECASE)
ENDINGS = {".h", ".cpp", ".md", ".py", ".txt", ".sh"}
PLACES = ("core", "app", "ui", "tests", "docs", "cmake", "clients")


def instead_of(word):
    return next(plain for pattern, plain in INSTEAD.items() if re.fullmatch(pattern, word, re.IGNORECASE))


def sources(root):
    for name, path in files_of(root, ENDINGS):
        top = name.split("/")[0]
        if top in PLACES or "/" not in name:
            if not top.startswith("CHANGELOG") and path.name not in ("check_words.py", "test_check_words.py"):
                yield name, path


def main(arguments):
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    found = 0
    for name, path in sources(root):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for match in WORDS.finditer(line):
                print(f"{name}:{number}: {match[1]}: say {instead_of(match[1])}.")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

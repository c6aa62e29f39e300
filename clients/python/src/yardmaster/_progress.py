"""Says what takes long: a large environment is packed and sent for minutes."""

from __future__ import annotations

import logging
import sys
import time

FIRST = 2.0  # seconds until the first sentence
EVERY = 10.0
FEW_FILES = 100  # of so few, and so few bytes, nothing is said
FEW_BYTES = 64 << 20


class Progress:
    """Of files that an engine is to have. Sentences go to the handlers of the logger "yardmaster", or of those above it, where
    there are some, else to stderr. One thread at a time."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._next = time.monotonic() + FIRST

    def __call__(self, done: str, files: int, size: int, of_files: int = 0, of_size: int = 0) -> None:
        """`done`: what was done to so many files and bytes; 0: of how many is not known."""
        if max(files, of_files) <= FEW_FILES and max(size, of_size) <= FEW_BYTES:
            return
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + EVERY
        self._say("%s: %s %s, %s" % (self._what, done, _count("{:,}", files, of_files, "files"),
                                     _count("{:,.0f}", size / 1e6, of_size / 1e6, "MB")))

    @staticmethod
    def _say(sentence: str) -> None:
        log = logging.getLogger("yardmaster")
        if log.hasHandlers():
            log.info("%s", sentence)
            return
        try:
            print("yardmaster: " + sentence, file=sys.stderr, flush=True)
        except (OSError, ValueError):
            pass  # nobody is there to read it


def _count(form: str, number: float, of: float, unit: str) -> str:
    return (form + " {}").format(number, unit) if not of else (form + " of " + form + " {}").format(number, of, unit)

"""An engine for the programs that measure, on a port and a data directory of its own."""

import subprocess


def start(program, data, *more):
    """Serves when this returns; the caller ends it."""
    engine = subprocess.Popen([program, "--headless", "--data-dir", data, "--listen", "127.0.0.1:0", *more],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    assert engine.stdout.readline().startswith(b"listening on ")
    return engine

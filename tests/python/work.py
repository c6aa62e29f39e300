"""What the tests of Executor run."""

import os
import signal
import sys
import threading
import time

_kept = []


def keywords(a, b):
    return a, b


def identity(value):
    return value


def fail(words):
    raise ValueError(words)


def fail_at_three(n):
    if n == 3:
        raise KeyError(n)
    return n


def sleep_at_three(n):
    if n == 3:
        time.sleep(60)
    return n


def wait_for_file(path):
    while path and not os.path.exists(path):
        time.sleep(0.01)
    return path


def tell_and_wait(fraction, message, gate):
    import yardmaster
    yardmaster.progress(fraction, message)
    wait_for_file(gate)
    return "told"


def spoil_status():
    """What is opened there waits for a writer that never comes."""
    path = os.environ["YARD_STATUS"]
    os.unlink(path)
    os.mkfifo(path)
    time.sleep(1.5)
    return "spoilt"


def link_status(target):
    path = os.environ["YARD_STATUS"]
    os.unlink(path)
    os.symlink(target, path)


def unpicklable():
    return threading.Lock()


class Odd(Exception):
    pass


def raise_unpicklable():
    error = Odd("a lock inside")
    error.lock = threading.Lock()
    raise error


class Picky(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def raise_unreadable():
    raise Picky(1, 2)


class EndsItsReader:
    """Once it is read again, where it was not made."""

    def __reduce__(self):
        return sys.exit, (4,)


def ends_its_reader_at_two(n):
    return EndsItsReader() if n == 2 else n


def zeros(size):
    return bytes(size)


def executable():
    return sys.executable


def prefix():
    return sys.prefix


def remember(value):
    _kept.append(value)


def recall():
    return _kept[-1]


def recall_of(_):
    return _kept[-1]


def times():
    return len(_kept)


def gate(path):
    open(path + ".running", "w", encoding="utf-8").close()
    while not os.path.exists(path):
        time.sleep(0.005)
    return "through"


def touch_at_zero(path, n):
    if n == 0:
        open(path, "w", encoding="utf-8").close()
    return n


def allocate(megabytes):
    return len(bytearray(megabytes << 20))


def at_once(folder):
    """How many are at it at the same time."""
    path = os.path.join(folder, "at-%d" % os.getpid())
    open(path, "w", encoding="utf-8").close()
    try:
        time.sleep(0.02)
        return len(os.listdir(folder))
    finally:
        os.unlink(path)


def mark(folder, n):
    """Leaves a trace of each time that it runs."""
    with open(os.path.join(folder, str(n)), "a", encoding="utf-8") as file:
        file.write("x")
    return n


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def mark_and_die_at(folder, n, at):
    mark(folder, n)
    if n == at:
        die()
    return n


def die_once(path):
    if not os.path.exists(path):
        open(path, "w", encoding="utf-8").close()
        die()
    return os.getpid()


def exit_hard(code):
    os._exit(code)


def slow_square(n):
    time.sleep(0.01)
    return n * n


def with_child(path):
    """Starts a process that outlives the call."""
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    with open(path, "w", encoding="utf-8") as file:
        file.write(str(pid))
    time.sleep(60)

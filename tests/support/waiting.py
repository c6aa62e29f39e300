"""What the tests in Python wait for. No sleep stands for an event: a condition is asked again until it holds."""

import time


def wait_for(condition, what, limit=120):
    """What the condition returns once that is true; an error that names it after `limit` seconds, which end what hangs."""
    until = time.monotonic() + limit
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("it did not come to this: " + what)


def lives(pid):
    """Not when it has ended and only waits for whoever inherited it to ask how."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as stat:
            return stat.read().rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except (FileNotFoundError, ProcessLookupError):
        return False

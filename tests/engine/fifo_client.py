"""A client of a jobserver by a named pipe, as GNU make is one from 4.4 on: it opens the pipe once for reading, which does not
wait, and once for writing; what it starts beside its first job has a token, which comes back when that job's process is gone,
however it ended. fifo_client.py LOG [hold]

Four builds of ten jobs each, one in another as sub-makes are; each job writes b and e into LOG, every fifth is killed by
SIGKILL. With "hold" three jobs that go on until they are ended."""

import os
import re
import signal
import sys
import time


def run(path, jobs):
    pipe = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    back = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    os.set_blocking(pipe, False)
    running = {}
    while jobs or running:
        while running:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            os.write(back, running.pop(pid))
        token = b""  # of the first job: it is the one that this client was started for
        if jobs and b"" in running.values():
            try:
                token = os.read(pipe, 1)
            except BlockingIOError:
                pass
        if not jobs or (b"" in running.values() and not token):
            time.sleep(0.002)
            continue
        job = jobs.pop()
        pid = os.fork()
        if pid == 0:
            job()
            os._exit(0)
        running[pid] = token
    os.close(pipe)
    os.close(back)


def main():
    path = re.search(r"--jobserver-auth=fifo:(\S+)", os.environ["MAKEFLAGS"]).group(1)
    log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC)

    def recipe(number):
        os.write(log, b"b")
        time.sleep(0.005)
        os.write(log, b"e")
        if number % 5 == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hold():
        os.write(log, b"b")
        time.sleep(1000)

    if sys.argv[2:] == ["hold"]:
        run(path, [hold] * 3)
    else:
        run(path, [lambda: run(path, [lambda n=n: recipe(n) for n in range(10)])] * 4)


main()

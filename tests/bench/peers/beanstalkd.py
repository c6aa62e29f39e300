#!/usr/bin/env python3
"""beanstalkd with its binlog and two workers that do nothing: beanstalkd.py [JOBS]

Jobs are put 500 at a time over one connection; each worker is a process that reserves and deletes, one job at a time, the
delete of one and the reserve of the next in one write. Prints jobs a second from the first put to the last delete. Installs
nothing."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

GROUP = 500


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def connect(port):
    for _ in range(200):
        try:
            s = socket.create_connection(("127.0.0.1", port))
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return s, s.makefile("rb")
        except OSError:
            time.sleep(0.02)
    sys.exit("beanstalkd does not answer")


def work(port):
    s, lines = connect(port)
    s.sendall(b"reserve\r\n")
    while True:
        words = lines.readline().split()
        if not words:
            return
        if words[0] == b"DELETED":
            continue
        assert words[0] == b"RESERVED", words
        body = lines.read(int(words[2]) + 2)
        if body == b"end\r\n":
            s.sendall(b"delete %s\r\n" % words[1])
            lines.readline()
            return
        s.sendall(b"delete %s\r\nreserve\r\n" % words[1])


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--work":
        return work(int(sys.argv[2]))
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    program = shutil.which("beanstalkd") or shutil.which("beanstalkd", path="/usr/sbin:/usr/local/bin")
    if not program:
        sys.exit("beanstalkd is not here: `apt-get install beanstalkd`, or put it into PATH")
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="bench-beanstalkd-") as directory:
        # -f 0 would sync each write to the disk; -F leaves that to the kernel, as the engine does by default.
        server = subprocess.Popen([program, "-l", "127.0.0.1", "-p", str(port), "-b", directory, "-F"])
        try:
            s, lines = connect(port)
            body = b'{"function":"noop","args":{"frame":7,"path":"/srv/render/shot-0040/beauty.exr"}}'
            put = b"put 1 0 60 %d\r\n%s\r\n" % (len(body), body)
            workers = [subprocess.Popen([sys.executable, os.path.abspath(__file__), "--work", str(port)])
                       for _ in range(2)]
            begun = time.perf_counter()
            for at in range(0, jobs, GROUP):
                count = min(GROUP, jobs - at)
                s.sendall(put * count)
                for _ in range(count):
                    assert lines.readline().startswith(b"INSERTED")
            # Of the lowest priority: each worker ends with one of these, when there is nothing else.
            s.sendall(b"put 4000000000 0 60 3\r\nend\r\n" * 2)
            for worker in workers:
                worker.wait()
            seconds = time.perf_counter() - begun
            print("beanstalkd with binlog, two workers: %.0f/s" % (jobs / seconds))
        finally:
            server.terminate()
            server.wait()


main()

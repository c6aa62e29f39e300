"""The real engine for the tests of clients/python, and servers that misbehave."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..", "clients", "python", "src")
KIT = os.path.join(HERE, "..", "..", "resources", "kits", "python", "yard_worker.py")
sys.path.insert(0, os.path.abspath(PACKAGE))
sys.path.insert(0, os.path.join(HERE, "..", "support"))

import waiting  # noqa: E402
import yardmaster  # noqa: E402
from waiting import lives  # noqa: E402, F401

YARDMASTER = ""
wait_for = waiting.wait_for


def main():
    global YARDMASTER
    module = sys.modules["harness"]
    module.YARDMASTER = os.path.abspath(sys.argv.pop(1))
    unittest.main(module="__main__")


class WithEngine(unittest.TestCase):
    """An engine for each class; a test that kills or needs another one starts its own."""

    OPTIONS = ("--no-sandbox",)

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix="yard-python-")
        cls.data = os.path.join(cls.root, "data")
        cls.process = None
        cls.start()
        cls.engine = yardmaster.Engine(data_dir=cls.data)

    @classmethod
    def tearDownClass(cls):
        cls.engine.close()
        cls.stop()
        shutil.rmtree(cls.root, ignore_errors=True)

    @classmethod
    def start(cls):
        with open(os.path.join(cls.root, "log"), "ab") as log:
            cls.process = subprocess.Popen(
                [sys.modules["harness"].YARDMASTER, "--headless", "--data-dir", cls.data, "--listen", "127.0.0.1:0",
                 "--capacity", "2", "--set", "grace_s=0.5", *cls.OPTIONS],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL)
        line = cls.process.stdout.readline().decode()
        if not line.startswith("listening on "):
            with open(os.path.join(cls.root, "log"), encoding="utf-8") as log:
                raise AssertionError(line + log.read())

    @classmethod
    def stop(cls):
        if cls.process.poll() is None:
            cls.process.terminate()
            assert cls.process.wait(120) == 0
        cls.process.stdout.close()

    @classmethod
    def kill(cls):
        cls.process.send_signal(signal.SIGKILL)
        cls.process.wait(120)
        cls.process.stdout.close()

    def path(self, name):
        return os.path.join(self.folder, name)

    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=self.root)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def script(self, text, *args, python=sys.executable, **options):
        """A program of its own that uses the package."""
        environment = dict(os.environ, PYTHONPATH=os.path.abspath(PACKAGE))
        return subprocess.Popen([python, self.write("script.py", text), self.data, *args], env=environment, cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def gate(self, name="gate", **fields):
        """A command that runs until let_go(), and that the engine knows to run; it says so by a file, too."""
        lsn = self.engine.submit(worker="exec", argv=["/bin/sh", "-c", "touch $0.running; while [ ! -e $0 ]; do sleep 0.01; "
                                                      "done; echo through", self.path(name)], **fields)
        wait_for(lambda: os.path.exists(self.path(name + ".running")), "it runs")
        wait_for(lambda: self.engine.look(lsn).state == "running", "the engine has heard of it")
        return lsn

    def let_go(self, name="gate"):
        open(self.path(name), "w", encoding="utf-8").close()


class Server:
    """Each connection is given to `serve`, in a thread of its own."""

    def __init__(self, serve):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.socket.getsockname()[1]
        self.count = 0
        self._serve = serve
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.count += 1
            threading.Thread(target=self._one, args=(connection, self.count), daemon=True).start()

    def _one(self, connection, number):
        with connection:
            try:
                self._serve(connection, number)
            except OSError:
                pass

    def close(self):
        self.socket.close()


def read_request(connection):
    """Head and body as bytes; empty when there is none."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    head, body = data.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def forgetful(url, losses):
    """A proxy to `url` that passes requests on, and of the first `losses` of them loses the answer."""
    host, port = url[len("http://"):].split(":")

    def serve(connection, number):
        request = read_request(connection)
        if not request:
            return
        head, body = request.split(b"\r\n\r\n", 1)
        with socket.create_connection((host, int(port))) as engine:
            engine.sendall(head + b"\r\nConnection: close\r\n\r\n" + body)
            answer = b""
            while True:
                more = engine.recv(65536)
                if not more:
                    break
                answer += more
        if number > losses:
            connection.sendall(answer)

    return Server(serve)

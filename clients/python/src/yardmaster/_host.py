"""The worker of an Executor, one file, standard library only: a warm process that never runs a user's code itself. For each
Executor it forks a child with that Executor's directory, path, environment and initializer; the child calls functions
and writes what came of each call into shared memory. A child that dies costs the call it worked on and no other.

A request's args: {"n", "key", "python", "context", "calls", "deadline_s", "client"}; "calls" is in the input file of that
name where it is long. The answer: {"o": outcomes} or {"file": "outcomes"}, and "s", the seconds it took. An outcome is 4
bytes of length, a letter, and what the letter says: v a value, e an exception, x a crash, t over its deadline, i a failed
initializer. Before the answer a request that takes over a second gets frames that say how far it is: of several calls how many
are done, of one what it wrote into the file that $YARD_STATUS names."""

from __future__ import annotations

import base64
import json
import mmap
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import tempfile
import time
import traceback
import zlib
from typing import Any, Dict, List, Optional, Tuple, Union

MAX_INLINE = 45_000  # base64 of it and the rest stay below the 64 KiB of a result
MAX_CHILDREN = 4
SPAN = 1 << 20
_HEAD = struct.Struct("<IIQQd")  # started, finished, bytes in the span, bytes spilled, when the call began
_FRAME = struct.Struct("<IQ")
CRASHED, NOBODY, OTHER = 70, 75, 78  # exit codes: a call's process died; who asked is gone; another Python's
_MAX_KEPT = 256  # functions a child keeps
_MAX_FRAME = 1 << 20
_MAX_STATUS = 4096
State = Tuple[int, int, int, int, float]  # as in the head
Client = Optional[List[Any]]


def _state_of(span: Union[mmap.mmap, bytearray]) -> State:
    started, finished, used, spilled, at = _HEAD.unpack_from(span)
    return started, finished, used, spilled, at


# --- the child


class _Outcomes:
    """Appends to the shared span, and to a file where that is too small. What the head says is there is there, whatever
    becomes of this process."""

    def __init__(self, span: Union[mmap.mmap, bytearray], path: str) -> None:
        self.span = span
        self.path = path
        self.started, self.finished, self.used, self.spilled, self.at = _state_of(span)

    def begin(self, timed: bool) -> None:
        self.started = self.finished + 1
        self.at = time.monotonic() if timed else 0.0
        _HEAD.pack_into(self.span, 0, self.started, self.finished, self.used, self.spilled, self.at)

    def add(self, outcome: bytes) -> None:
        record = struct.pack("<I", len(outcome)) + outcome
        if self.used + len(record) > len(self.span) - _HEAD.size:
            self._spill()
        if len(record) > len(self.span) - _HEAD.size:
            self._write(record)
        else:
            at = _HEAD.size + self.used
            self.span[at:at + len(record)] = record
            self.used += len(record)
        self.finished += 1
        _HEAD.pack_into(self.span, 0, self.started, self.finished, self.used, self.spilled, self.at)

    def _spill(self) -> None:
        self._write(bytes(self.span[_HEAD.size:_HEAD.size + self.used]))
        self.used = 0
        _HEAD.pack_into(self.span, 0, self.started, self.finished, self.used, self.spilled, self.at)

    def _write(self, data: bytes) -> None:
        with open(self.path, "ab") as file:
            file.truncate(self.spilled)
            file.write(data)
        self.spilled += len(data)


def _dumps(value: Any) -> bytes:
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception:
        try:
            import cloudpickle
            by_value = cloudpickle.dumps
        except ImportError:
            by_value = None
        if by_value is None:
            raise
        return bytes(by_value(value))


def _exception(error: BaseException) -> bytes:
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    try:
        data = _dumps((error, text))
        pickle.loads(data)  # one that cannot be read again is of no use to the client
    except BaseException:
        data = pickle.dumps((None, text))
    return b"e" + data


class _Child:
    def __init__(self, connection: socket.socket, span: mmap.mmap, context: bytes, status: str) -> None:
        self.connection = connection
        self.status = status
        self.span = span
        self.context = context
        self.functions: Dict[bytes, Any] = {}
        self.failed: Optional[bytes] = None
        self.main: Optional[str] = None

    def prepare(self) -> None:
        memory = int(os.environ.get("YARD_EXECUTOR_MEMORY_MB", "0"))
        if memory:
            resource.setrlimit(resource.RLIMIT_DATA, (memory << 20, memory << 20))
        context = pickle.loads(zlib.decompress(self.context))
        os.environ.update(context["env"])
        os.environ["YARD_STATUS"] = self.status  # that of the client, if it is an action itself, is not of these calls
        here = os.path.dirname(os.path.abspath(__file__))
        sys.path[:] = [p.replace("{worker}", here, 1) for p in context["path"]]
        sys.argv[:] = context["argv"]
        self.main = context["main"] and context["main"].replace("{worker}", here, 1)
        try:
            os.chdir(context["cwd"])
        except OSError:
            pass  # it is not shown in a sandbox, or went
        if context["init"] is not None:
            try:
                function, args = self.loads(context["init"])
                function(*args)
            except BaseException as error:
                traceback.print_exc()
                self.failed = b"i" + ("%s: %s" % (type(error).__name__, error)).encode("utf-8", "replace")

    def loads(self, data: bytes) -> Any:
        if self.main is not None and b"__main__" in data:
            self.import_main()
        return pickle.loads(data)

    def import_main(self) -> None:
        """As multiprocessing does it for a spawned process."""
        from multiprocessing import spawn
        path, self.main = self.main or "", None
        if path.startswith("-m "):
            getattr(spawn, "_fixup_main_from_name")(path[3:])
        else:
            getattr(spawn, "_fixup_main_from_path")(path)

    def call(self, blob: bytes, payload: bytes) -> bytes:
        try:
            function = self.functions.get(blob)
            if function is None:
                function = self.loads(blob)
                if len(self.functions) >= _MAX_KEPT:
                    self.functions.clear()
                self.functions[blob] = function
            args, kwargs = self.loads(payload)
            return b"v" + _dumps(function(*args, **kwargs))
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the caller's as well
            return _exception(error)

    def serve(self) -> None:
        self.prepare()
        while True:
            message = _receive(self.connection)
            if message is None:
                return
            calls, path, timed = pickle.loads(message)
            outcomes = _Outcomes(self.span, path)
            if isinstance(calls, str):
                with open(calls, "rb") as file:
                    blobs, arguments = pickle.load(file)
            else:
                blobs, arguments = pickle.loads(calls)
            del calls
            for index, payload in arguments[outcomes.finished:]:
                outcomes.begin(timed)
                outcomes.add(self.failed or self.call(blobs[index], payload))
            del blobs, arguments
            for stream in (sys.stdout, sys.stderr):
                try:
                    stream.flush()
                except Exception:
                    pass  # the function may have closed or replaced it
            self.connection.sendall(b"d")


def _receive(connection: socket.socket) -> Optional[bytes]:
    head = _exactly(connection, 8)
    return None if head is None else _exactly(connection, struct.unpack("<Q", head)[0])


def _exactly(connection: socket.socket, count: int) -> Optional[bytes]:
    """Not a byte more: what was not read, another process may get."""
    data = bytearray(count)
    view = memoryview(data)
    while view:
        got = connection.recv_into(view)
        if not got:
            return None
        view = view[got:]
    return bytes(data)


# --- the process that the engine started


class _Forked:
    """A child as its parent sees it."""

    def __init__(self, key: str, context: bytes, client: Client, engine: socket.socket) -> None:
        self.key = key
        self.client = client
        self.span = mmap.mmap(-1, SPAN)
        here = os.getcwd()  # goes with this process, however that ends
        descriptor, self.status = tempfile.mkstemp(prefix="status.", dir=here if os.access(here, os.W_OK) else None)
        os.close(descriptor)
        ours, theirs = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.setpgid(0, 0)
                ours.close()
                engine.close()
                _Child(theirs, self.span, context, self.status).serve()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                try:
                    sys.stdout.flush()
                    sys.stderr.flush()
                finally:
                    os._exit(code)
        theirs.close()
        self.connection = ours

    def end(self) -> int:
        """Its exit status; ended by force where it does not go by itself."""
        self.connection.close()
        until = time.monotonic() + 0.2
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > until:
                self.kill()
                _, status = os.waitpid(self.pid, 0)
                break
            time.sleep(0.002)
        self.span.close()
        try:
            os.unlink(self.status)
        except OSError:
            pass  # the call took it away
        return status

    def said(self) -> Dict[str, Any]:
        """What the call says of how far it is. Whatever it wrote cannot harm more than that."""
        said: Dict[str, Any] = {}
        try:
            with open(self.status, "rb", opener=_without_waiting) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_STATUS))
                tail = file.read(_MAX_STATUS)
        except (OSError, ValueError):
            return said
        for line in tail.decode("utf-8", "replace").splitlines():
            word, _, rest = line.strip("\0").partition(" ")
            try:
                told = json.loads(line) if line.startswith("{") else {word: float(rest) if word == "progress" else rest}
            except (ValueError, RecursionError):
                continue
            fraction, message = told.get("progress"), told.get("message")
            if type(fraction) in (int, float) and 0 <= fraction <= 1:
                said["progress"] = fraction
            if isinstance(message, str):
                said["message"] = message[:200].encode("utf-8", "replace").decode()
        return said

    def forget_said(self) -> None:
        """The next call begins without a word."""
        try:
            with open(self.status, "rb+", buffering=0, opener=_without_waiting) as file:  # not what a link leads to
                if os.fstat(file.fileno()).st_size:
                    file.truncate(0)
        except (OSError, ValueError):
            pass

    def kill(self) -> None:
        for end in (os.killpg, os.kill):
            try:
                end(self.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def _without_waiting(path: str, flags: int) -> int:
    """Whatever the call put there in place of the file."""
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW)


def version() -> str:
    return "%d.%d" % sys.version_info[:2]


def here() -> str:
    """Names the machine, this boot of it, and the processes that can be seen."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return "%s %s" % (file.read().strip(), os.readlink("/proc/self/ns/pid"))


def _lives(client: Client) -> bool:
    """As far as it can be seen: one that comes through a tunnel or from a container is not, nor is anybody else's where /proc
    is mounted so."""
    if not client:
        return True
    try:
        if client[2] != here() or not os.path.exists("/proc/1/stat"):
            return True
    except OSError:
        return True
    try:
        with open("/proc/%d/stat" % client[0], "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
        return bool(fields[19].decode() == client[1]) and fields[0] not in (b"Z", b"X")
    except OSError:
        return False


def _ended_by(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = "no name"
        return "its process was ended by signal %d (%s)" % (number, name)
    return "its process ended with exit code %d" % os.waitstatus_to_exitcode(status)


class _Gone(Exception):
    """Who asked is gone."""


class Host:
    def __init__(self, connection: socket.socket) -> None:
        self.engine = connection
        self.children: Dict[str, _Forked] = {}
        self.number = 0  # of the request that is worked on
        self.told_last: Dict[str, Any] = {}  # of how far it is
        # Where memory is limited, it is for one at a time.
        self.most = 1 if os.environ.get("YARD_EXECUTOR_MEMORY_MB") else MAX_CHILDREN

    def serve(self) -> None:
        self.write(0, {"ready": True, "concurrency": 1})
        while True:
            self.wait()
            head = _exactly(self.engine, _FRAME.size)
            if head is None:
                return
            length, number = _FRAME.unpack(head)
            if not 8 <= length <= _MAX_FRAME:
                raise OSError("the engine sent a frame of %d bytes" % length)
            body = _exactly(self.engine, length - 8)
            if body is None:
                return
            self.number, self.told_last = number, {}
            self.write(number, self.answer(json.loads(body)))

    def write(self, number: int, value: Dict[str, Any]) -> None:
        text = json.dumps(value).encode()
        self.engine.sendall(_FRAME.pack(len(text) + 8, number) + text)

    def wait(self) -> None:
        """For a request; children of clients that went are not kept meanwhile."""
        poll = select.poll()
        poll.register(self.engine, select.POLLIN)
        while not poll.poll(5000 if self.children else None):
            for child in [c for c in self.children.values() if not _lives(c.client)]:
                del self.children[child.key]
                child.end()

    def answer(self, request: Dict[str, Any]) -> Dict[str, Any]:
        args = request["args"]
        began = time.monotonic()
        if args.get("python", version()) != version():
            # Functions that were pickled by value hold byte code, which another version may not even refuse.
            return {"exit_code": OTHER, "message": "the calls are Python %s's, and %s here is Python %s"
                    % (args["python"], sys.executable, version())}
        try:
            calls: Union[bytes, str]
            if "calls" in args:
                calls = base64.b64decode(args["calls"])
            else:
                calls = os.path.join(request["inputs"], "calls")  # the child reads them
            return self.work(args, calls, os.path.join(request["outputs"], "outcomes"), began)
        except _Gone:
            return {"exit_code": NOBODY, "message": "the client that asked for it is gone"}

    def child_of(self, args: Dict[str, Any]) -> _Forked:
        key = args["key"]
        child = self.children.pop(key, None)
        if child is None:
            while len(self.children) >= self.most:
                self.children.pop(next(iter(self.children))).end()
            child = _Forked(key, base64.b64decode(args["context"]), args.get("client"), self.engine)
        self.children[key] = child  # the last used is the last in line
        return child

    def work(self, args: Dict[str, Any], calls: Union[bytes, str], path: str, began: float) -> Dict[str, Any]:
        count, deadline = args["n"], args.get("deadline_s")
        state: State = (0, 0, 0, 0, 0.0)
        span = b""
        idle_deaths = 0
        while state[1] < count:
            child = self.child_of(args)
            _HEAD.pack_into(child.span, 0, *state)
            child.span[_HEAD.size:_HEAD.size + len(span)] = span
            overdue = self.watch(child, pickle.dumps((calls, path, deadline is not None)), deadline, count)
            state = _state_of(child.span)
            span = child.span[_HEAD.size:_HEAD.size + state[2]]
            if state[1] == count:
                break
            del self.children[child.key]
            copy = _Copy(state, span, path)
            words = self.over(child, overdue, deadline)
            if state[0] == state[1]:  # between two calls: nobody's fault
                idle_deaths += 1
                if idle_deaths > 3:
                    return {"exit_code": CRASHED, "message": words}
                continue
            if count == 1 and not overdue:
                return {"exit_code": CRASHED, "message": words}
            copy.add((b"t" if overdue else b"x") + words.encode())
            state, span = copy.state(), bytes(copy.span[_HEAD.size:_HEAD.size + copy.used])
        return self.told(state, span, path, began)

    def over(self, child: _Forked, overdue: bool, deadline: Optional[float]) -> str:
        if overdue:
            child.kill()
            child.end()
            return "it took longer than its deadline of %g s" % (deadline or 0)
        return _ended_by(child.end())

    def tell(self, child: _Forked, count: int) -> None:
        said = child.said()
        if count > 1:
            said["progress"] = _state_of(child.span)[1] / count
        # "progress" comes first: that is how the engine knows these frames.
        said = {"progress": said.get("progress"), **{k: v for k, v in said.items() if k == "message"}}
        if said != self.told_last and said != {"progress": None}:
            self.told_last = said
            self.write(self.number, said)

    def watch(self, child: _Forked, message: bytes, deadline: Optional[float], count: int) -> bool:
        """Until the child has done all, or died. True: a call was over its deadline."""
        child.forget_said()
        try:
            child.connection.sendall(struct.pack("<Q", len(message)) + message)
        except (BrokenPipeError, ConnectionResetError):
            return False
        poll = select.poll()
        poll.register(child.connection, select.POLLIN)
        looked = time.monotonic()
        while True:
            pause = 1.0
            if deadline is not None:
                started, finished, _, _, at = _state_of(child.span)
                if started > finished:
                    pause = min(pause, at + deadline - time.monotonic())
                    if pause <= 0:
                        return True
                else:
                    pause = min(pause, deadline)
            if poll.poll(max(1, int(pause * 1000))):
                try:
                    child.connection.recv(1)
                except ConnectionResetError:
                    pass
                return False
            if time.monotonic() - looked >= 1.0:
                looked = time.monotonic()
                self.tell(child, count)
                if not _lives(child.client):
                    del self.children[child.key]
                    child.kill()
                    child.end()
                    raise _Gone()

    def told(self, state: State, span: bytes, path: str, began: float) -> Dict[str, Any]:
        took = round(time.monotonic() - began, 6)
        if not state[3] and len(span) <= MAX_INLINE:
            return {"exit_code": 0, "result": {"o": base64.b64encode(span).decode(), "s": took}}
        with open(path, "ab") as file:
            file.truncate(state[3])
            file.write(span)
        return {"exit_code": 0, "result": {"file": "outcomes", "s": took}}


class _Copy(_Outcomes):
    """To go on where a dead child stopped."""

    def __init__(self, state: State, span: bytes, path: str) -> None:
        copy = bytearray(SPAN)
        _HEAD.pack_into(copy, 0, *state)
        copy[_HEAD.size:_HEAD.size + len(span)] = span
        super().__init__(copy, path)

    def state(self) -> State:
        return (self.finished, self.finished, self.used, self.spilled, 0.0)


def main() -> None:
    descriptor = int(os.environ["YARD_SOCKET_FD"])
    os.set_inheritable(descriptor, False)
    connection = socket.socket(fileno=descriptor)
    connection.setblocking(True)
    try:
        Host(connection).serve()
    except (BrokenPipeError, ConnectionResetError):
        pass  # the engine ends this process


if __name__ == "__main__":
    if "YARD_SOCKET_FD" not in os.environ:
        print("This is the worker of yardmaster.Executor: an engine starts it.", file=sys.stderr)
        sys.exit(2)
    main()

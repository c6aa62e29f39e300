"""Calls of an Executor: how they are written for its worker, gathered into actions, and answered."""

from __future__ import annotations

import base64
import concurrent.futures
import itertools
import os
import pickle
import struct
import sys
import threading
import time
import zlib
from typing import Any, Callable, Deque, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _host
from ._core import kept_environment
from .errors import BrokenProcess, CallTimeout, RemoteError, YardmasterError

try:
    import cloudpickle
except ImportError:
    cloudpickle = None

TARGET_S = 0.05  # what an action should take at least, where calls are shorter
MOST_CALLS = 1000
MOST_BYTES = 192 << 10  # of calls in args; longer ones go as an input
_MAX_KINDS = 1000
_PORTION = 5000  # of a map()


def dumps(value: Any) -> bytes:
    """By pickle where that names nothing of __main__, which the worker does not have; else by cloudpickle if there."""
    try:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        if cloudpickle is None or b"__main__" not in data:
            return data
    except Exception:
        if cloudpickle is None:
            raise
    return bytes(cloudpickle.dumps(value))


def main_module() -> Optional[str]:
    """What a worker imports for functions of __main__ that were pickled by name."""
    if cloudpickle is not None:
        return None
    module = sys.modules.get("__main__")
    if module is not None:  # the name under which a worker imports it, for what comes back
        sys.modules.setdefault("__mp_main__", module)
    spec = getattr(module, "__spec__", None)
    if spec is not None and spec.name:
        return "-m " + str(spec.name)
    path = getattr(module, "__file__", None)
    return os.path.abspath(path) if path else None


def context(initializer: Optional[Callable[..., object]], initargs: Tuple[Any, ...], env: Optional[Mapping[str, str]],
            path: List[str], main: Optional[str]) -> str:
    """Where and how calls run: this process's directory, path and environment, but for what looks like a secret."""
    kept = kept_environment()
    kept.update(env or {})
    told = {"env": kept, "path": path, "argv": list(sys.argv), "main": main, "cwd": os.getcwd(),
            "init": None if initializer is None else dumps((initializer, initargs))}
    return base64.b64encode(zlib.compress(pickle.dumps(told))).decode()


def this_client() -> Optional[List[Union[int, str]]]:
    """By which a worker on this machine sees that nobody waits any more: number, start, and where numbers are counted."""
    try:
        with open("/proc/self/stat", "rb") as file:
            return [os.getpid(), file.read().rsplit(b")", 1)[1].split()[19].decode(), _host.here()]
    except OSError:
        return None


def name_of(function: Any) -> str:
    while hasattr(function, "func") and not hasattr(function, "__qualname__"):  # functools.partial
        function = function.func
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    module = getattr(function, "__module__", None)
    return str(name) if module in (None, "builtins", "__main__") else "%s.%s" % (module, name)


class MapSink:
    """The values of one map(), taken in order while they come."""

    def __init__(self) -> None:
        self.kept: Dict[int, Tuple[bool, Any]] = {}
        self.count = 0  # of the calls that were made
        self.cancelled = False
        self.listener: Optional[Callable[[], None]] = None  # told by the threads that bring values
        self._condition = threading.Condition()

    def put(self, index: int, good: bool, value: Any) -> None:
        self.kept[index] = (good, value)

    def notify(self) -> None:
        with self._condition:
            self._condition.notify_all()
        listener = self.listener
        if listener is not None:
            listener()

    def take(self, index: int) -> Any:
        good, value = self.kept.pop(index)
        if not good:
            raise value
        return value

    def wait(self, index: int, until: Optional[float]) -> None:
        with self._condition:
            while index not in self.kept:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    raise concurrent.futures.TimeoutError()
                self._condition.wait(left)


class Call:
    __slots__ = ("name", "function", "payload", "future", "sink", "index", "alone", "chunk")

    def __init__(self, name: str, function: bytes, payload: bytes, future: Optional["concurrent.futures.Future[Any]"],
                 sink: Optional[MapSink] = None, index: int = 0, chunk: int = 0) -> None:
        self.name = name
        self.function = function
        self.payload = payload
        self.future = future
        self.sink = sink
        self.index = index
        self.alone = False  # its process died in a batch: it gets an action of its own
        self.chunk = chunk

    def begin(self) -> bool:
        if self.alone:
            return True
        if self.future is not None:
            return self.future.set_running_or_notify_cancel()
        return self.sink is not None and not self.sink.cancelled

    def succeed(self, value: Any) -> None:
        self._set(True, value)

    def fail(self, error: BaseException) -> None:
        self._set(False, error)

    def _set(self, good: bool, value: Any) -> None:
        if self.sink is not None:
            self.sink.put(self.index, good, value)
        elif self.future is not None:
            try:
                if good:
                    self.future.set_result(value)
                else:
                    self.future.set_exception(value)
            except concurrent.futures.InvalidStateError:
                pass  # answered already

    def cancel(self) -> None:
        if self.future is not None:
            self.future.cancel()
            self.future.set_running_or_notify_cancel()
        elif self.sink is not None:
            self.sink.put(self.index, False, concurrent.futures.CancelledError())


class MapFeed:
    """Makes the calls of one map(): all of them, or so many that `most` are made and not taken. In portions, so that the
    first run while the others are made."""

    def __init__(self, function: Callable[..., Any], source: Iterator[Tuple[Any, ...]], chunk: int, most: Optional[int],
                 add: Callable[[List[Call]], None], owner: object) -> None:
        self.sink = MapSink()
        self._function, self._name = dumps(function), name_of(function)
        self._source = source
        self._chunk = chunk
        self._most = most
        self._add = add
        self._owner = owner  # an Executor that still gets calls is not forgotten
        self._ended = False

    def portion(self, taken: int) -> bool:
        """Makes some calls more; false where there are none, or where `most` are made already."""
        size = self._room(taken)
        if size == 0:
            return False
        sink, made = self.sink, self.sink.count
        calls = []
        try:
            for args in itertools.islice(self._source, size):
                try:
                    calls.append(Call(self._name, self._function, dumps((args, {})), None, sink, sink.count, self._chunk))
                except Exception as error:
                    sink.put(sink.count, False, error)
                sink.count += 1
            if calls:  # an end that is found late adds nothing: the Executor may be shut down by then
                self._add(calls)
        except BaseException:
            self.end()
            raise
        if sink.count - made < size:
            self._ended, self._owner = True, None
        return not self._ended

    def _room(self, taken: int) -> int:
        if self._ended:
            return 0
        room = _PORTION
        if self._most is not None:
            unread = self.sink.count - taken
            if unread > self._most // 2:
                return 0
            room = min(room, self._most - unread)
        chunk = max(1, self._chunk)
        return max(1, room // chunk) * chunk if self._most is None or chunk <= room else room

    def values(self, until: Optional[float]) -> Iterator[Any]:
        sink, index = self.sink, 0
        try:
            while True:
                while self.portion(index):
                    pass
                if index == sink.count:
                    return
                if index not in sink.kept:
                    sink.wait(index, until)
                yield sink.take(index)
                index += 1
        finally:
            self.end()

    def end(self) -> None:
        """Nobody takes more: what waits is not run."""
        self._ended, self._owner = True, None
        self.sink.cancelled = True


class Batches:
    """Which calls go together: as many of known short ones as take TARGET_S, and never more than a fair share of what
    waits, so that the last of them do not wait for each other."""

    def __init__(self, share: int) -> None:
        self._share = max(1, share)
        self._seconds: Dict[str, float] = {}

    def learn(self, calls: List[Call], seconds: float) -> None:
        each = seconds / len(calls)
        if len(self._seconds) > _MAX_KINDS:
            self._seconds.clear()
        for name in {call.name for call in calls}:
            known = self._seconds.get(name)
            self._seconds[name] = each if known is None or each < known else (known + each) / 2

    def take(self, pending: Deque[Call]) -> List[Call]:
        most = min(MOST_CALLS, -(-len(pending) // self._share))
        taken: List[Call] = []
        seconds, size = 0.0, 0
        while pending:
            call = pending[0]
            if taken:
                if call.alone or size + len(call.payload) > MOST_BYTES:
                    break
                if call.sink is taken[0].sink and len(taken) < taken[0].chunk:
                    pass  # whoever called map() wants them together
                elif len(taken) >= most or seconds + self._seconds.get(call.name, TARGET_S) > TARGET_S * 1.001:
                    break
            pending.popleft()
            if not call.begin():
                continue
            taken.append(call)
            seconds += self._seconds.get(call.name, TARGET_S)
            size += len(call.payload) + 16
            if call.alone:
                break
        return taken


def encode(calls: List[Call]) -> bytes:
    places: Dict[bytes, int] = {}
    arguments = []
    for call in calls:
        place = places.setdefault(call.function, len(places))
        arguments.append((place, call.payload))
    return pickle.dumps((list(places), arguments), pickle.HIGHEST_PROTOCOL)


def outcomes(data: bytes) -> Iterator[Tuple[bytes, bytes]]:
    at = 0
    while at < len(data):
        size, = struct.unpack_from("<I", data, at)
        if size < 1 or at + 4 + size > len(data):
            raise YardmasterError("the outcomes of the worker are damaged")
        yield data[at + 4:at + 5], data[at + 5:at + 4 + size]
        at += 4 + size


class _RemoteTraceback(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return '\n"""\n%s"""' % self.text


def _exception_of(data: bytes) -> BaseException:
    error, text = pickle.loads(data)
    if not isinstance(error, BaseException):
        return RemoteError(text)
    error.__cause__ = _RemoteTraceback(text)
    return error


def settle(call: Call, kind: bytes, data: bytes) -> None:
    """One outcome, but for a crash."""
    try:
        if kind == b"v":
            call.succeed(pickle.loads(data))
        elif kind == b"e":
            call.fail(_exception_of(data))
        elif kind == b"t":
            call.fail(CallTimeout("%s: %s" % (call.name, data.decode("utf-8", "replace"))))
        else:
            call.fail(BrokenProcess("%s: %s" % (call.name, data.decode("utf-8", "replace"))))
    except BaseException as error:  # what came cannot be unpickled here, or ends whoever does it
        call.fail(error)


def notify(calls: List[Call]) -> None:
    for sink in {id(call.sink): call.sink for call in calls if call.sink is not None}.values():
        sink.notify()

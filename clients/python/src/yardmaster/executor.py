"""An Executor of concurrent.futures whose calls are actions of an engine, in warm Python processes."""

from __future__ import annotations

import atexit
import base64
import concurrent.futures
import hashlib
import math
import os
import platform
import re
import sys
import threading
import time
import uuid
import weakref
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union

from . import _calls, _host
from ._calls import Batches, Call, MapFeed
from ._core import Content
from ._environment import Environment, described
from ._progress import Progress
from .engine import Engine
from .errors import BrokenProcess, CallTimeout, EngineError, NeedChunks, NotFound, YardmasterError
from .results import Result

T = TypeVar("T")
_NO_DEADLINE = 31_536_000.0
_MARGIN = 30.0  # the worker's own clock ends a call; the engine's is for a worker that hangs
_MAX_LANES = 512
_OVERHEAD_MB = 32  # of the process that forks those that work
_PASSED_ON = ("LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONHASHSEED", "PYTHONDEVMODE", "PYTHONUTF8")
_TAKING = "taking this Python into the engine's sandbox"
_LETTERS = "kmgt"  # alone or with iB a power of 1024, with B a power of 1000: as yardctl has it


def _megabytes(memory: Union[int, str, None]) -> int:
    """Bytes, or a text such as "500M" or "2GiB" (powers of 1024), or "2GB" (of 1000)."""
    if memory is None:
        return 0
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:([kmgtKMGT])(i?B)?|B)?\s*", memory)
        if not match:
            raise ValueError('memory is bytes, or a text such as "500M" or "2GiB" (powers of 1024) or "2GB" (of 1000), not %r'
                             % memory)
        power = _LETTERS.index(match.group(2).lower()) + 1 if match.group(2) else 0
        memory = int(float(match.group(1)) * (1000 if match.group(3) == "B" else 1024) ** power)
    if memory <= 0:
        raise ValueError("memory must be over 0")
    return max(1, -(-memory // (1 << 20)))


def _descriptor(name: str, cores: float, memory_mb: int, max_workers: int,
                taken: Optional[Environment]) -> Tuple[Dict[str, Any], Dict[str, Content]]:
    """The worker: this interpreter with this virtual environment, and the file _host.py. `taken`: what goes into the sandbox."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_host.py"), "rb") as file:
        host = file.read()
    files = [{"path": "start", "mode": "0755"}, {"path": "host.py", "mode": "0644"}]
    contents: Dict[str, Content] = {}
    if taken is None:
        start = "exec '%s' \"${0%%/*}/host.py\"\n" % os.path.abspath(sys.executable).replace("'", "'\\''")
    else:
        start = taken.start()
        more, contents = described(taken)
        files += more
    environment = {k: os.environ[k] for k in _PASSED_ON if k in os.environ}
    if memory_mb:
        environment["YARD_EXECUTOR_MEMORY_MB"] = str(memory_mb)
    contents.update({"start": b"#!/bin/sh\n" + start.encode(), "host.py": host})
    descriptor: Dict[str, Any] = {
        "name": name, "version": platform.python_version().replace("+", "-"),
        "platform": "linux-" + platform.machine(), "executable": "start",
        "files": files,
        "functions": [{"name": "call", "version": "1", "files": True}], "mode": "warm", "cores": cores,
        "deadline_s": _NO_DEADLINE, "limits": {"processes": 100_000, "open_files": 65_536},
        "pool": {"max_processes": max_workers, "max_idle_s": 120}}
    if memory_mb:
        descriptor["memory_mb"] = memory_mb + _OVERHEAD_MB
    if environment:
        descriptor["environment"] = environment
    # Other files, other limits: another group, or the two would replace each other's processes.
    mark = hashlib.sha256(repr((sorted(contents.items()), sorted(descriptor.items(), key=str))).encode()).hexdigest()[:10]
    descriptor["pool"]["group"] = "%s-%s" % (name, mark)
    return descriptor, contents


class _State:
    """What the threads of an Executor share. They do not hold the Executor itself: one that is forgotten ends."""

    def __init__(self, engine: Engine, owns_engine: bool, lanes: int) -> None:
        self.engine = engine
        self.owns_engine = owns_engine
        self.lanes = lanes
        self.condition = threading.Condition()
        self.establishing = threading.Lock()  # never under `condition`: who adds calls does not wait for the engine
        self.pending: Deque[Call] = deque()
        self.batches = Batches(2 * lanes)
        self.threads: List[threading.Thread] = []
        self.idle = 0
        self.ended = 0
        self.is_shutdown = False
        self.broken: Optional[BaseException] = None
        self.worker = ""
        self.queue: Union[int, str, None] = None
        self.own_queue: Optional[Dict[str, Any]] = None  # its configuration
        self.descriptor: Dict[str, Any] = {}
        self.contents: Dict[str, Content] = {}
        self.retries = 0
        self.action: Dict[str, Any] = {}
        self.args: Dict[str, Any] = {}
        self.label: Optional[str] = None
        self.deadline: Optional[float] = None

    # --- what the engine has to have

    def establish(self, progress: Progress) -> None:
        self.register(progress)
        if self.own_queue is not None:
            self.make_queue()

    def register(self, progress: Progress) -> None:
        self.worker = self.engine._drive(self.engine._core.register_worker(self.descriptor, self.contents, progress))

    def make_queue(self) -> None:
        # A second one, where an answer was lost, goes by itself.
        making = self.engine._core.create_queue(self.label or "python", self.own_queue or {}, repeatable=True)
        self.queue = self.engine._drive(making)["queue_id"]

    def establish_again(self, before: Tuple[str, Union[int, str, None]]) -> bool:
        """What is missing, if anything is: somebody removed the worker, or the queue was forgotten while nothing ran."""
        with self.establishing:
            if (self.worker, self.queue) != before:
                return True
            missing = False
            try:
                self.engine.call("GET", "workers/" + self.worker)
            except NotFound:
                self.register(Progress(_TAKING))
                missing = True
            try:
                if self.own_queue is not None and self.queue is not None:
                    self.engine.queue(self.queue)
            except NotFound:
                self.make_queue()
                missing = True
            return missing

    # --- calls in

    def add(self, calls: List[Call]) -> None:
        with self.condition:
            if self.broken is not None:
                raise BrokenProcess("the initializer of this Executor failed: %s" % self.broken)
            if self.is_shutdown:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self.pending.extend(calls)
            wanted = min(self.lanes, len(self.threads) - self.ended + len(self.pending) - self.idle)
            while len(self.threads) - self.ended < wanted and not self.idle >= len(self.pending):
                thread = threading.Thread(target=self.run, name="yardmaster-lane", daemon=True)
                self.threads.append(thread)
                thread.start()
            self.condition.notify(len(calls))

    def forgotten(self) -> None:
        """By the garbage collector, anywhere: without a word to the engine. Lanes end by themselves."""
        with self.condition:
            self.is_shutdown = True
            self.condition.notify_all()

    def begin_shutdown(self, cancel: bool = False) -> None:
        with self.condition:
            self.is_shutdown = True
            cancelled = list(self.pending) if cancel else []
            if cancel:
                self.pending.clear()
            self.condition.notify_all()
        for call in cancelled:
            call.cancel()
        _calls.notify(cancelled)
        if not self.threads:
            self.finish()

    def cancel_running(self) -> None:
        if self.own_queue is not None and self.queue is not None:
            self.try_once("POST", "queues/%s/cancel" % self.queue)

    def try_once(self, method: str, path: str) -> None:
        """Of an engine that is gone nothing is expected."""
        try:
            self.engine._drive(self.engine._core.call(method, path, stubborn=False))
        except (YardmasterError, OSError):
            pass

    # --- a lane: one batch after another

    def run(self) -> None:
        while True:
            with self.condition:
                self.idle += 1
                while not self.pending and not self.is_shutdown:
                    self.condition.wait()
                self.idle -= 1
                if not self.pending:
                    self.ended += 1
                    last = self.ended == len(self.threads)
                    break
                batch = self.batches.take(self.pending)
            if batch:
                self.work(batch)
                _calls.notify(batch)
            del batch
        if last:
            self.finish()

    def finish(self) -> None:
        """The queue goes with its Executor; what ended in it stays."""
        with self.condition:
            queue, self.queue = self.queue, None
        if self.own_queue is not None and queue is not None:
            self.try_once("DELETE", "queues/%s" % queue)  # else it goes by itself when nobody asks for it
        if self.owns_engine:
            self.engine.close()

    def work(self, batch: List[Call]) -> None:
        try:
            result = self.submit(batch)
            if result.state == "completed":
                self.take_outcomes(batch, result)
            else:
                self.take_failure(batch, result)
        except BaseException as error:  # a call without an answer would be waited for without end
            for call in batch:
                call.fail(error)

    def submit(self, batch: List[Call]) -> Result:
        body = _calls.encode(batch)
        count = len(batch)
        name = self.label or batch[0].name
        action = dict(self.action, worker=self.worker, function="call",
                      label=(name if count == 1 else "%s \u00d7%d" % (name, count))[:200])
        args = dict(self.args, n=count)
        if self.deadline is not None:
            args["deadline_s"] = self.deadline
            action["deadline_s"] = min(_NO_DEADLINE, self.deadline * count + _MARGIN)
        if len(body) <= _calls.MOST_BYTES + (64 << 10):
            args["calls"] = base64.b64encode(body).decode()
        else:
            action["inputs"] = {"calls": body}
        action["args"] = args
        if batch[0].alone:
            action["max_retries"] = max(0, self.retries - 1)  # the first of them was in the batch
        before = (self.worker, self.queue)
        try:
            return self.post(action)
        except NeedChunks:
            raise
        except EngineError as error:
            if error.status not in (404, 409, 422) or not self.establish_again(before):
                raise
            action["worker"] = self.worker
            return self.post(action)

    def post(self, action: Dict[str, Any]) -> Result:
        return self.engine._drive(self.engine._core.submit_and_wait(action, self.queue, patient=True))

    def take_outcomes(self, batch: List[Call], result: Result) -> None:
        value = result.value
        if not isinstance(value, dict):
            raise YardmasterError("the worker's answer of action %d is not one" % result.lsn)
        data = self.engine.output(result, "outcomes") if "file" in value else base64.b64decode(value["o"])
        self.batches.learn(batch, float(value["s"]))
        crashed: List[Call] = []
        settled = 0
        for call, (kind, content) in zip(batch, _calls.outcomes(data)):
            settled += 1
            if kind == b"x" and self.retries > 0 and not call.alone:
                call.alone = True
                crashed.append(call)
                continue
            if kind == b"i":
                self.broken = self.broken or YardmasterError(content.decode("utf-8", "replace"))
            _calls.settle(call, kind, content)
        for call in batch[settled:]:
            call.fail(YardmasterError("the worker said nothing of this call"))
        self.again(crashed)

    def take_failure(self, batch: List[Call], result: Result) -> None:
        if result.state == "cancelled":
            for call in batch:
                call.fail(concurrent.futures.CancelledError())
        elif result.reason == "deadline":
            for call in batch:
                call.fail(CallTimeout(result.describe()))
        elif len(batch) > 1 and self.retries > 0 and result.exit_code != _host.OTHER:
            for call in batch:
                call.alone = True
            self.again(batch)
        else:
            for call in batch:
                call.fail(BrokenProcess("%s: %s" % (batch[0].name, result.describe())))

    def again(self, calls: List[Call]) -> None:
        with self.condition:
            self.pending.extendleft(reversed(calls))
            self.condition.notify(len(calls))


class Executor(concurrent.futures.Executor):
    """Runs functions on an engine, in warm processes of this interpreter with this virtual environment.

    Each process holds `cores` and may use `memory` (bytes, or "2G"). At most `max_workers` work at once: as many as fit
    into the engine's cores if not given. A call whose process dies is tried again `retries` times, or as `queue` says where
    one is given. `deadline` are the seconds that one call may take. `env` are variables besides this process's own, of
    which those that look like secrets are left out. The first four stand as in ProcessPoolExecutor; `mp_context` is
    taken and means nothing here. docs/python.md has the rest."""

    def __init__(self, max_workers: Optional[int] = None, mp_context: object = None,
                 initializer: Optional[Callable[..., object]] = None, initargs: Tuple[Any, ...] = (), *,
                 cores: float = 1, memory: Union[int, str, None] = None, engine: Optional[Engine] = None,
                 queue: Union[int, str, None] = None, label: Optional[str] = None, retries: int = 3,
                 deadline: Optional[float] = None, priority: int = 0, env: Optional[Mapping[str, str]] = None,
                 patience: float = 60.0, name: str = "python-executor") -> None:
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        if cores < 0.001:
            raise ValueError("cores must be over 0")
        if deadline is not None and deadline <= 0:
            raise ValueError("deadline must be over 0")
        if retries < 0:
            raise ValueError("retries must be 0 or more")
        if initializer is not None and not callable(initializer):
            raise TypeError("initializer must be a callable")
        memory_mb = _megabytes(memory)
        own = engine is None
        self._engine = Engine(patience=patience) if engine is None else engine
        session = self._engine.session()
        if max_workers is None:
            max_workers = max(1, min(256, int(math.floor(float(session.get("capacity", 1)) / cores))))
        self._max_workers = max_workers
        state = self._state = _State(self._engine, own, min(_MAX_LANES, max_workers))
        state.label = label
        state.deadline = deadline
        sandboxed = bool((session.get("sandbox") or {}).get("workers"))
        main, path = _calls.main_module(), [os.path.abspath(p) for p in sys.path]
        progress = Progress(_TAKING)
        taken = Environment(main, progress) if sandboxed else None
        if taken is not None:
            main, path = taken.main, taken.path
        state.descriptor, state.contents = _descriptor(name, cores, memory_mb, max_workers, taken)
        if priority:
            state.action["priority"] = priority
        self._choose_queue(queue, retries)
        client = _calls.this_client()
        state.args = {"key": uuid.uuid4().hex, "python": _host.version(),
                      "context": _calls.context(initializer, initargs, env, path, main)}
        if client is not None:
            state.args["client"] = client
        state.establish(progress)
        _open.add(state)
        self._finalizer = weakref.finalize(self, state.forgotten)
        self._finalizer.atexit = False

    def _choose_queue(self, queue: Union[int, str, None], retries: int) -> None:
        state = self._state
        if queue is not None:
            found = self._engine.queue(queue)
            state.queue = found["queue_id"]
            state.retries = int(found.get("config", {}).get("max_retries", 3))
            return
        state.retries = retries
        state.own_queue = {"max_retries": retries, "idle_expiry_s": 3600,
                           "retry_rules": [{"exit_codes": [_host.NOBODY, _host.OTHER], "retry": False},
                                           {"reasons": ["deadline"], "retry": False}]}

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "concurrent.futures.Future[T]":
        future: "concurrent.futures.Future[T]" = concurrent.futures.Future()
        try:
            call = Call(_calls.name_of(fn), _calls.dumps(fn), _calls.dumps((args, kwargs)), future)
        except Exception as error:
            self._check()
            future.set_running_or_notify_cancel()
            future.set_exception(error)
            return future
        self._state.add([call])
        return future

    def _check(self) -> None:
        self._state.add([])

    def map(self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Optional[float] = None, chunksize: int = 0,
            buffersize: Optional[int] = None) -> Iterator[T]:
        """As map() of concurrent.futures, but that calls are put together by how long they take; `chunksize` over 1 puts
        at least so many together. With `buffersize` the iterables, endless ones too, are read only so far ahead of the
        values that were taken."""
        until = None if timeout is None else time.monotonic() + timeout
        feed = self._feed(fn, iterables, chunksize, buffersize)
        while feed.portion(0):
            pass
        return feed.values(until)

    def _feed(self, fn: Callable[..., Any], iterables: Tuple[Iterable[Any], ...], chunksize: int,
              buffersize: Optional[int]) -> MapFeed:
        if chunksize < 0:
            raise ValueError("chunksize must be 0 (by time) or more")
        if buffersize is not None and buffersize < 1:
            raise ValueError("buffersize must be None (all) or over 0")
        self._check()
        return MapFeed(fn, zip(*iterables), chunksize, buffersize, self._state.add, buffersize and self)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False, cancel_running: bool = False) -> None:
        """As concurrent.futures has it. `cancel_running` also ends what runs, where the queue is this Executor's own."""
        state = self._state
        self._finalizer.detach()
        state.begin_shutdown(cancel_futures or cancel_running)
        if cancel_running:
            state.cancel_running()
        if wait:
            for thread in list(state.threads):
                thread.join()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> Optional[bool]:
        stop = kind is not None and issubclass(kind, (KeyboardInterrupt, SystemExit))
        self.shutdown(wait=True, cancel_running=stop)
        return None


_open: "weakref.WeakSet[_State]" = weakref.WeakSet()


def _at_exit() -> None:
    """As the other Executors: what was submitted is done before the interpreter ends."""
    states = list(_open)
    for state in states:
        state.begin_shutdown()
    for state in states:
        for thread in list(state.threads):
            thread.join()


getattr(threading, "_register_atexit", atexit.register)(_at_exit)

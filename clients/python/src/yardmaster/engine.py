"""The engine as a program sees it, with blocking calls."""

from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Deque, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from ._core import Argument, Content, Core, Json, MovePlace, Pause, Steps
from ._http import Transport, TransportFailed
from .events import Events, ends_in, watch_of
from .errors import NotFound, Unreachable, Untrusted
from .results import Result

T = TypeVar("T")
QueueRef = Union[int, str]
_NO_FIELDS: Dict[str, Any] = {}


class Engine:
    """Finds the engine as yardctl does: by `url`, else by the files `address` and `token` of `data_dir` or of the user's
    default data directory. Safe for many threads.

    An engine by TLS (https) is known by its fingerprint: the one that it wrote down, else `fingerprint`, else the one of
    the user's file known_engines; without any an authority of the system has to vouch for it. Plain HTTP to another
    machine has to be meant, by `insecure`.

    An engine that has answered once is looked for during `patience` seconds when it is gone: what it has accepted it
    will run. Submissions carry an Idempotency-Key, so nothing is submitted twice."""

    def __init__(self, url: Optional[str] = None, *, token_file: Optional[str] = None, data_dir: Optional[str] = None,
                 token: Optional[str] = None, patience: float = 30.0, fingerprint: Optional[str] = None,
                 insecure: bool = False) -> None:
        self._core = Core(url, token_file, data_dir, token, patience, fingerprint, insecure)
        self._transport = Transport()

    def __enter__(self) -> "Engine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._transport.close()

    @property
    def url(self) -> str:
        return self._core.endpoint().url

    @property
    def patience(self) -> float:
        return self._core.patience

    def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    time.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    answer = self._transport.send(self._core.endpoint(), step)
                except (TransportFailed, Unreachable, Untrusted) as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            steps.close()

    # --- any route

    def call(self, method: str, path: str, body: Optional[object] = None, *, key: str = "") -> Json:
        """A route of the API below its prefix, JSON in and out. A POST without `key` is not repeated when the connection
        breaks after it was sent."""
        repeatable = bool(key) or method in ("GET", "HEAD", "PUT", "DELETE", "PATCH")
        return self._drive(self._core.call(method, path, body, key=key, repeatable=repeatable))

    def session(self) -> Json:
        return self.call("GET", "session")

    # --- submitting

    def submit(self, action: Optional[Mapping[str, Any]] = None, *, queue: Optional[QueueRef] = None,
               key: Optional[str] = None, **fields: Any) -> int:
        """Submits one action (docs/api.md has its members, given as a mapping, by name, or both) and returns its LSN.

        `inputs` maps names to bytes, to a path, or to the hash of a chunk; what the engine lacks is sent."""
        return self._drive(self._core.submit(dict(action or _NO_FIELDS, **fields), queue, key))

    def submit_all(self, actions: Iterable[Mapping[str, Any]], *, queue: Optional[QueueRef] = None,
                   key: Optional[str] = None) -> List[int]:
        """Submits a list, whole or not at all."""
        return self._drive(self._core.submit_all(actions, queue, key))

    def run(self, argv: Union[str, Sequence[Argument]], *, queue: Optional[QueueRef] = None, timeout: Optional[float] = None,
            check: bool = False, **fields: Any) -> Result:
        """Runs a command (a text is for /bin/sh) in this process's directory with its environment, but for what looks like
        a secret, and waits: a Result with stdout and stderr. `env` replaces those variables.

        Nothing is tried again unless `max_retries` says so. TimeoutError after `timeout` seconds leaves it running;
        `deadline_s` ends it."""
        result = self._drive(self._core.run(argv, fields, queue, timeout))
        return result.check() if check else result

    def map(self, worker: str, function: str, args: Iterable[Any], *, queue: Optional[QueueRef] = None, ahead: int = 1000,
            batch: int = 100, check: bool = True, **fields: Any) -> Iterator[Any]:
        """Calls a function of a registered worker for each of `args`, and yields the values in that order. At most
        `ahead` actions are submitted before their turn. With `check` false it yields Results, failed ones included."""
        source = iter(args)
        waiting: Deque[int] = deque()
        ready: Dict[int, Result] = {}
        more = True
        while True:
            while more and len(waiting) + batch <= max(ahead, batch):
                part = [dict(fields, worker=worker, function=function, args=a) for _, a in zip(range(batch), source)]
                more = len(part) == batch
                if part:
                    waiting.extend(self.submit_all(part, queue=queue))
            if not waiting:
                return
            if waiting[0] not in ready:
                self.result(waiting[0])
                few = list(waiting)[:batch]
                ready.update((n, r) for n, r in self._drive(self._core.looks(few)).items() if r.is_final)
            result = ready.pop(waiting.popleft())
            yield result.check().value if check else result

    # --- waiting

    def look(self, lsn: int) -> Result:
        """An action as it is now."""
        return self._drive(self._core.look(lsn))

    def result(self, lsn: int, timeout: Optional[float] = None) -> Result:
        """Waits for its end; TimeoutError after `timeout` seconds."""
        return self._drive(self._core.result(lsn, timeout))

    def wait(self, lsns: Iterable[int], timeout: Optional[float] = None) -> Tuple[List[Result], List[int]]:
        """Waits for all; the results, and the LSNs of those that have not ended within `timeout` seconds."""
        return self._drive(self._core.wait_all(lsns, timeout))

    def as_completed(self, lsns: Iterable[int], timeout: Optional[float] = None) -> Iterator[Result]:
        """Each as it ends, those that have ended first."""
        left = dict.fromkeys(lsns)
        until = None if timeout is None else time.monotonic() + timeout
        with self.events(finished=True) as events:
            look: List[int] = []  # all, once it is told what ends from then on
            while left:
                if look:
                    seen = self._drive(self._core.looks(look))
                    for lsn in look:
                        if lsn not in seen:
                            raise NotFound(404, "not_found", "There is no action %d." % lsn)
                        if lsn in left and seen[lsn].is_final:
                            del left[lsn]
                            yield seen[lsn]
                    if not left:
                        return
                remaining = None if until is None else until - time.monotonic()
                if remaining is not None and remaining <= 0:
                    raise TimeoutError("%d actions have not ended" % len(left))
                frame = events.next_frame(remaining)
                if frame is None:
                    return
                again = "watch" in frame or frame.get("resync") or frame.get("snapshot")
                look = list(left) if again else ends_in(frame, left.__contains__)

    def events(self, *, lsns: Optional[Iterable[int]] = None, filter: Optional[str] = None,
               finished: bool = False) -> Events:
        """Frames of GET events; reconnects and goes on from where it was."""
        return Events(self._core, watch_of(lsns, filter, finished))

    # --- looking

    def list(self, q: str = "", *, state: Optional[str] = None, queue: Optional[QueueRef] = None,
             worker: Optional[str] = None, label: Optional[str] = None, sort: Optional[str] = None,
             limit: Optional[int] = None) -> Iterator[Result]:
        """Actions, the newest first; `q` is the filter language (docs/lists.md)."""
        query = {"q": q or None, "state": state, "queue": queue, "worker": worker, "label": label, "sort": sort,
                 "limit": 1000 if limit is None else min(limit, 1000), "cursor": None}
        while True:
            rows, cursor = self._drive(self._core.page(query))
            for row in rows if limit is None else rows[:limit]:
                yield row
            if limit is not None:
                limit -= len(rows)
            if not cursor or (limit is not None and limit <= 0):
                return
            query["cursor"] = cursor

    def why(self, lsn: int) -> Json:
        return self.call("GET", "jobs/%d/why" % lsn)

    def stdout(self, lsn: int, attempt: Optional[int] = None) -> bytes:
        return self._drive(self._core.stream(lsn, "stdout", attempt))

    def stderr(self, lsn: int, attempt: Optional[int] = None) -> bytes:
        return self._drive(self._core.stream(lsn, "stderr", attempt))

    def output(self, result: Result, name: str) -> bytes:
        return self._drive(self._core.output(result, name))

    def save_outputs(self, result: Result, directory: Union[str, "os.PathLike[str]"]) -> List[str]:
        """Every output below `directory`; the paths."""
        return self._drive(self._core.save_outputs(result, os.fspath(directory)))

    # --- changing

    def cancel(self, *lsns: int) -> Json:
        """{"changed": N, "refused": [...]}, as retry, retire, hold and release."""
        return self._drive(self._core.change("cancel", lsns, {}))

    def retry(self, *lsns: int, force: bool = False) -> Json:
        return self._drive(self._core.change("retry", lsns, {"force": True} if force else {}))

    def retire(self, *lsns: int) -> Json:
        return self._drive(self._core.change("retire", lsns, {}))

    def hold(self, *lsns: int) -> Json:
        return self._drive(self._core.change("hold", lsns, {}))

    def release(self, *lsns: int) -> Json:
        return self._drive(self._core.change("release", lsns, {}))

    def move(self, *lsns: int, to: MovePlace = "top", before: Optional[int] = None) -> Json:
        """Pending actions of one queue, within its order: to "top", "up", "down" or "bottom", or before another one.
        At most 1000. {"changed": N, "queue_id": ..., "place": the first one's number then, "refused": [...]}"""
        return self._drive(self._core.move(lsns, to, before))

    # --- queues

    def queues(self) -> List[Json]:
        return list(self.call("GET", "queues")["queues"])

    def queue(self, ref: QueueRef) -> Json:
        """By its number, its token or its tag."""
        return self._drive(self._core.queue(ref))

    def create_queue(self, tag: Optional[str] = None, **config: Any) -> Json:
        return self._drive(self._core.create_queue(tag, config))

    def configure_queue(self, ref: QueueRef, **config: Any) -> Json:
        return self.call("PATCH", "queues/%s" % ref, {"config": config})

    def change_queue(self, ref: QueueRef, what: str) -> Json:
        """hold, release, drain or cancel."""
        return self.call("POST", "queues/%s/%s" % (ref, what))

    def delete_queue(self, ref: QueueRef) -> Json:
        return self.call("DELETE", "queues/%s" % ref)

    # --- chunks and workers

    def put_chunk(self, content: Content) -> str:
        """Bytes, or the file at a path; its hash."""
        return self._drive(self._core.put_chunk(content))

    def get_chunk(self, name: str) -> bytes:
        return self._drive(self._core.get_chunk(name))

    def has_chunk(self, name: str) -> bool:
        return self._drive(self._core.has_chunk(name))

    def save_chunk(self, name: str, path: Union[str, "os.PathLike[str]"]) -> None:
        self._drive(self._core.save_chunk(name, os.fspath(path)))

    def workers(self) -> List[Json]:
        return list(self.call("GET", "workers/all")["workers"])

    def register_worker(self, descriptor: Mapping[str, Any], contents: Mapping[str, Content] = {}) -> str:
        """Registers a descriptor and returns its id. `contents` has the files' bytes or paths by their path in the
        descriptor; hash and size are filled in, and what the engine lacks is sent."""
        return self._drive(self._core.register_worker(descriptor, contents))

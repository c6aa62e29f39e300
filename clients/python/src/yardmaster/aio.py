"""The asyncio twin of Engine: the same names, arguments and rules; what waits there is awaited here."""

from __future__ import annotations

import asyncio
import os
import time
from collections import deque
from typing import Any, AsyncIterator, Deque, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TypeVar, Union

from . import _websocket
from ._aio_http import AsyncTransport, Connection, open_connection
from ._core import Argument, Content, Core, Json, MovePlace, Pause, Steps, dumps
from ._http import BLOCK, ResponseParser, TransportFailed, head_of
from .errors import NotFound, ProtocolError, Unreachable, Untrusted
from .events import SILENCE, Frame, Place, ends_in, refused, watch_of
from .results import Result

T = TypeVar("T")
QueueRef = Union[int, str]


class AsyncEvents:
    """Frames by `async for` or next_frame(); an async context manager."""

    def __init__(self, core: Core, watch: Frame) -> None:
        self._core = core
        self._place = Place(watch)
        self._connection: Optional[Connection] = None
        self._decoder = _websocket.Decoder()
        self._frames: Deque[Frame] = deque()
        self._ended = False

    async def __aenter__(self) -> "AsyncEvents":
        await self._connect_patiently()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def __aiter__(self) -> "AsyncEvents":
        return self

    async def __anext__(self) -> Frame:
        frame = await self.next_frame()
        if frame is None:
            raise StopAsyncIteration
        return frame

    def close(self) -> None:
        self._ended = True
        self._drop()

    def watch(self, *, lsns: Optional[Iterable[int]] = None, filter: Optional[str] = None, finished: bool = False) -> None:
        self._place.watch = watch_of(lsns, filter, finished)
        self._write(_websocket.encode(_websocket.TEXT, dumps(self._place.watch)))

    async def next_frame(self, timeout: Optional[float] = None) -> Optional[Frame]:
        until = None if timeout is None else time.monotonic() + timeout
        while not self._frames:
            if self._ended:
                return None
            if self._connection is None:
                await self._connect_patiently()
                continue
            left = SILENCE if until is None else min(SILENCE, until - time.monotonic())
            if left <= 0:
                raise TimeoutError("no frame within %.3g s" % (timeout or 0))
            try:
                data = await asyncio.wait_for(self._connection[0].read(BLOCK), left)
                if not data:
                    raise OSError("the connection ended")
                self._feed(data)
            except asyncio.TimeoutError:
                if until is None:
                    self._drop()  # not even a ping
            except (OSError, ProtocolError):
                self._drop()
        return self._frames.popleft()

    def _write(self, data: bytes) -> None:
        if self._connection is not None:
            self._connection[1].write(data)

    def _feed(self, data: bytes) -> None:
        for text in self._decoder.feed(data):
            self._frames.append(self._place.take(text))
        if self._decoder.out:
            self._write(self._decoder.out)
            self._decoder.out = b""
        if self._decoder.closed:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection[1].close()

    async def _connect_patiently(self) -> None:
        until = time.monotonic() + self._core.patience
        pause = 0.05
        while not self._ended:
            try:
                await self._connect()
                return
            except (TransportFailed, Unreachable, OSError, asyncio.TimeoutError) as error:
                self._core.lost()
                if not self._core.reached() or time.monotonic() + pause > until:
                    raise Unreachable("no engine answers (%s)" % error) from None
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 1.0)

    async def _connect(self) -> None:
        endpoint = self._core.endpoint()
        request, proof = _websocket.upgrade(self._place.path)
        reader, writer = await open_connection(endpoint, 30.0)
        try:
            parser = ResponseParser()
            writer.write(head_of(endpoint, request, 0))
            while not parser.complete:
                parser.take(await asyncio.wait_for(reader.read(BLOCK), 30.0))
            if parser.status != 101:
                raise refused(parser)
            _websocket.check_upgrade(parser, proof)
            self._core.now_reached()
            self._decoder = _websocket.Decoder()
            self._connection = (reader, writer)
            self._write(_websocket.encode(_websocket.TEXT, dumps(self._place.watch)))
            self._feed(parser.rest)
        except ProtocolError as error:
            writer.close()
            raise Unreachable(str(error)) from error
        except BaseException:
            writer.close()
            raise


class AsyncEngine:
    """As Engine, for one event loop."""

    def __init__(self, url: Optional[str] = None, *, token_file: Optional[str] = None, data_dir: Optional[str] = None,
                 token: Optional[str] = None, patience: float = 30.0, fingerprint: Optional[str] = None,
                 insecure: bool = False) -> None:
        self._core = Core(url, token_file, data_dir, token, patience, fingerprint, insecure)
        self._transport = AsyncTransport()

    async def __aenter__(self) -> "AsyncEngine":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
                    step = next(steps)
                    continue
                try:
                    answer = await self._transport.send(self._core.endpoint(), step)
                except (TransportFailed, Unreachable, Untrusted) as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            steps.close()

    async def call(self, method: str, path: str, body: Optional[object] = None, *, key: str = "") -> Json:
        repeatable = bool(key) or method in ("GET", "HEAD", "PUT", "DELETE", "PATCH")
        return await self._drive(self._core.call(method, path, body, key=key, repeatable=repeatable))

    async def session(self) -> Json:
        return await self.call("GET", "session")

    async def submit(self, action: Optional[Mapping[str, Any]] = None, *, queue: Optional[QueueRef] = None,
                     key: Optional[str] = None, **fields: Any) -> int:
        return await self._drive(self._core.submit(dict(action or {}, **fields), queue, key))

    async def submit_all(self, actions: Iterable[Mapping[str, Any]], *, queue: Optional[QueueRef] = None,
                         key: Optional[str] = None) -> List[int]:
        return await self._drive(self._core.submit_all(actions, queue, key))

    async def run(self, argv: Union[str, Sequence[Argument]], *, queue: Optional[QueueRef] = None,
                  timeout: Optional[float] = None, check: bool = False, **fields: Any) -> Result:
        result = await self._drive(self._core.run(argv, fields, queue, timeout))
        return result.check() if check else result

    async def map(self, worker: str, function: str, args: Iterable[Any], *, queue: Optional[QueueRef] = None,
                  ahead: int = 1000, batch: int = 100, check: bool = True, **fields: Any) -> AsyncIterator[Any]:
        source = iter(args)
        waiting: Deque[int] = deque()
        ready: Dict[int, Result] = {}
        more = True
        while True:
            while more and len(waiting) + batch <= max(ahead, batch):
                part = [dict(fields, worker=worker, function=function, args=a) for _, a in zip(range(batch), source)]
                more = len(part) == batch
                if part:
                    waiting.extend(await self.submit_all(part, queue=queue))
            if not waiting:
                return
            if waiting[0] not in ready:
                await self.result(waiting[0])
                few = list(waiting)[:batch]
                ready.update((n, r) for n, r in (await self._drive(self._core.looks(few))).items() if r.is_final)
            result = ready.pop(waiting.popleft())
            yield result.check().value if check else result

    async def look(self, lsn: int) -> Result:
        return await self._drive(self._core.look(lsn))

    async def result(self, lsn: int, timeout: Optional[float] = None) -> Result:
        return await self._drive(self._core.result(lsn, timeout))

    async def wait(self, lsns: Iterable[int], timeout: Optional[float] = None) -> Tuple[List[Result], List[int]]:
        return await self._drive(self._core.wait_all(lsns, timeout))

    async def as_completed(self, lsns: Iterable[int], timeout: Optional[float] = None) -> AsyncIterator[Result]:
        left = dict.fromkeys(lsns)
        until = None if timeout is None else time.monotonic() + timeout
        async with self.events(finished=True) as events:
            look: "List[int]" = []
            while left:
                if look:
                    seen = await self._drive(self._core.looks(look))
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
                frame = await events.next_frame(remaining)
                if frame is None:
                    return
                again = "watch" in frame or frame.get("resync") or frame.get("snapshot")
                look = list(left) if again else ends_in(frame, left.__contains__)

    def events(self, *, lsns: Optional[Iterable[int]] = None, filter: Optional[str] = None,
               finished: bool = False) -> AsyncEvents:
        return AsyncEvents(self._core, watch_of(lsns, filter, finished))

    async def list(self, q: str = "", *, state: Optional[str] = None, queue: Optional[QueueRef] = None,
                   worker: Optional[str] = None, label: Optional[str] = None, sort: Optional[str] = None,
                   limit: Optional[int] = None) -> AsyncIterator[Result]:
        query = {"q": q or None, "state": state, "queue": queue, "worker": worker, "label": label, "sort": sort,
                 "limit": 1000 if limit is None else min(limit, 1000), "cursor": None}
        while True:
            rows, cursor = await self._drive(self._core.page(query))
            for row in rows if limit is None else rows[:limit]:
                yield row
            if limit is not None:
                limit -= len(rows)
            if not cursor or (limit is not None and limit <= 0):
                return
            query["cursor"] = cursor

    async def why(self, lsn: int) -> Json:
        return await self.call("GET", "jobs/%d/why" % lsn)

    async def stdout(self, lsn: int, attempt: Optional[int] = None) -> bytes:
        return await self._drive(self._core.stream(lsn, "stdout", attempt))

    async def stderr(self, lsn: int, attempt: Optional[int] = None) -> bytes:
        return await self._drive(self._core.stream(lsn, "stderr", attempt))

    async def output(self, result: Result, name: str) -> bytes:
        return await self._drive(self._core.output(result, name))

    async def save_outputs(self, result: Result, directory: Union[str, "os.PathLike[str]"]) -> "List[str]":
        return await self._drive(self._core.save_outputs(result, os.fspath(directory)))

    async def cancel(self, *lsns: int) -> Json:
        return await self._drive(self._core.change("cancel", lsns, {}))

    async def retry(self, *lsns: int, force: bool = False) -> Json:
        return await self._drive(self._core.change("retry", lsns, {"force": True} if force else {}))

    async def retire(self, *lsns: int) -> Json:
        return await self._drive(self._core.change("retire", lsns, {}))

    async def hold(self, *lsns: int) -> Json:
        return await self._drive(self._core.change("hold", lsns, {}))

    async def release(self, *lsns: int) -> Json:
        return await self._drive(self._core.change("release", lsns, {}))

    async def move(self, *lsns: int, to: MovePlace = "top", before: Optional[int] = None) -> Json:
        return await self._drive(self._core.move(lsns, to, before))

    async def queues(self) -> "List[Json]":
        return [dict(q) for q in (await self.call("GET", "queues"))["queues"]]

    async def queue(self, ref: QueueRef) -> Json:
        return await self._drive(self._core.queue(ref))

    async def create_queue(self, tag: Optional[str] = None, **config: Any) -> Json:
        return await self._drive(self._core.create_queue(tag, config))

    async def configure_queue(self, ref: QueueRef, **config: Any) -> Json:
        return await self.call("PATCH", "queues/%s" % ref, {"config": config})

    async def change_queue(self, ref: QueueRef, what: str) -> Json:
        return await self.call("POST", "queues/%s/%s" % (ref, what))

    async def delete_queue(self, ref: QueueRef) -> Json:
        return await self.call("DELETE", "queues/%s" % ref)

    async def put_chunk(self, content: Content) -> str:
        return await self._drive(self._core.put_chunk(content))

    async def get_chunk(self, name: str) -> bytes:
        return await self._drive(self._core.get_chunk(name))

    async def has_chunk(self, name: str) -> bool:
        return await self._drive(self._core.has_chunk(name))

    async def save_chunk(self, name: str, path: Union[str, "os.PathLike[str]"]) -> None:
        await self._drive(self._core.save_chunk(name, os.fspath(path)))

    async def workers(self) -> "List[Json]":
        return [dict(w) for w in (await self.call("GET", "workers/all"))["workers"]]

    async def register_worker(self, descriptor: Mapping[str, Any], contents: Mapping[str, Content] = {}) -> str:
        return await self._drive(self._core.register_worker(descriptor, contents))

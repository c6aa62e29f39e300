"""Executor for asyncio."""

from __future__ import annotations

import asyncio
import functools
import time
from typing import Any, AsyncIterator, Callable, Iterable, Optional, TypeVar

from ._calls import MapFeed
from .executor import Executor

T = TypeVar("T")
_BREATH = 500


class AsyncExecutor:
    """Executor for one event loop: `async with AsyncExecutor(memory="2G") as ex`, with the arguments of Executor. What
    waits there is awaited here; the loop is never held up by the engine.

    `executor` is the Executor itself, for loop.run_in_executor(); there is none before the `async with`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._make: Callable[[], Executor] = functools.partial(Executor, *args, **options)
        self._executor: Optional[Executor] = None

    @property
    def executor(self) -> Executor:
        if self._executor is None:
            raise RuntimeError("an AsyncExecutor starts with `async with`")
        return self._executor

    async def __aenter__(self) -> "AsyncExecutor":
        self._executor = await asyncio.get_running_loop().run_in_executor(None, self._make)
        return self

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        stop = kind is not None and issubclass(kind, (asyncio.CancelledError, KeyboardInterrupt, SystemExit))
        await self.shutdown(cancel_running=stop)

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "asyncio.Future[T]":
        """A future of this loop: to await, to gather, to cancel while it waits."""
        return asyncio.wrap_future(self.executor.submit(fn, *args, **kwargs))

    async def map(self, fn: Callable[..., T], *iterables: Iterable[Any], timeout: Optional[float] = None,
                  chunksize: int = 0, buffersize: Optional[int] = None) -> AsyncIterator[T]:
        """As Executor.map(), by `async for`. Nothing is submitted before the first value is asked for."""
        until = None if timeout is None else time.monotonic() + timeout
        feed = self.executor._feed(fn, iterables, chunksize, buffersize)
        there = asyncio.Event()
        feed.sink.listener = functools.partial(_tell, asyncio.get_running_loop(), there)
        index = 0
        try:
            while True:
                while feed.portion(index):
                    await asyncio.sleep(0)
                if index == feed.sink.count:
                    return
                await _value(feed, index, there, until)
                yield feed.sink.take(index)
                index += 1
                if index % _BREATH == 0:
                    await asyncio.sleep(0)  # others of the loop, where values come faster than they are taken
        finally:
            feed.end()

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False, cancel_running: bool = False) -> None:
        if self._executor is not None:
            end = functools.partial(self._executor.shutdown, wait, cancel_futures=cancel_futures,
                                    cancel_running=cancel_running)
            await asyncio.get_running_loop().run_in_executor(None, end)


async def _value(feed: MapFeed, index: int, there: asyncio.Event, until: Optional[float]) -> None:
    while index not in feed.sink.kept:
        there.clear()
        if index in feed.sink.kept:  # it came between
            return
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError("call %d has not ended" % index)
        try:
            await asyncio.wait_for(there.wait(), left)
        except asyncio.TimeoutError:
            pass


def _tell(loop: asyncio.AbstractEventLoop, there: asyncio.Event) -> None:
    try:
        loop.call_soon_threadsafe(there.set)
    except RuntimeError:
        pass  # the loop is closed, nobody waits

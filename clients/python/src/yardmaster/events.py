"""What changes in the engine, as it changes: frames of GET events (docs/events.md), one after the other, also over the
engine's end and next start."""

from __future__ import annotations

import json
import socket
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Iterable, Iterator, List, Optional
from urllib.parse import quote

from . import _websocket
from ._core import Core, dumps
from ._http import BLOCK, ResponseParser, TransportFailed, connect, head_of
from .endpoint import Endpoint
from .errors import Invalid, ProtocolError, Unreachable, error_of

Frame = Dict[str, Any]
SILENCE = 150.0  # the engine pings at least once a minute


def watch_of(lsns: Optional[Iterable[int]], filter: Optional[str], finished: bool) -> Frame:
    given = [lsns is not None, filter is not None, finished]
    if sum(given) > 1:
        raise ValueError("watch lsns, a filter or what finished, one of them")
    if lsns is not None:
        return {"watch": {"lsns": list(lsns)}}
    if filter is not None:
        return {"watch": {"filter": filter}}
    return {"watch": {"finished": True} if finished else {}}


def refused(parser: ResponseParser) -> Exception:
    text = parser.response().body[:1 << 16].decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    return error_of(parser.status, body, text)


class Place:
    """Where in the order of changes a watcher is, for a connection to go on from there."""

    def __init__(self, watch: Frame) -> None:
        self.watch = watch
        self._run = ""
        self._seq: Optional[int] = None

    @property
    def path(self) -> str:
        return "events" if self._seq is None else "events?since=" + quote("%s.%d" % (self._run, self._seq))

    def take(self, text: bytes) -> Frame:
        try:
            frame = json.loads(text)
        except ValueError:
            frame = None
        if not isinstance(frame, dict):
            raise ProtocolError("a frame of events is no JSON object")
        if "run_id" in frame:
            self._run = str(frame["run_id"])
        if isinstance(frame.get("seq"), int) and not frame.get("partial"):
            self._seq = frame["seq"]
        return frame


class Events(Iterator[Frame]):
    """Frames, by iteration or next_frame(); a context manager. One thread uses it, close() is for any."""

    def __init__(self, core: Core, watch: Frame) -> None:
        self._core = core
        self._place = Place(watch)
        self._socket: Optional[socket.socket] = None
        self._decoder = _websocket.Decoder()
        self._frames: Deque[Frame] = deque()
        self._ended = False
        self._connect_patiently()
        self._confirm()

    def _confirm(self) -> None:
        """What happens from now on is told."""
        seen = 0
        until = time.monotonic() + 30.0
        while time.monotonic() < until:
            if self._socket is None:
                self._connect_patiently()
            for frame in list(self._frames)[seen:]:
                seen += 1
                if "watch" in frame:
                    return
                if "error" in frame:
                    self.close()
                    raise Invalid(422, str(frame["error"]), str(frame.get("message", "")))
            self._receive(1.0, until)
        raise Unreachable("the engine does not answer what to watch")

    def __enter__(self) -> "Events":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __next__(self) -> Frame:
        frame = self.next_frame()
        if frame is None:
            raise StopIteration
        return frame

    def close(self) -> None:
        self._ended = True
        connection, self._socket = self._socket, None
        if connection is not None:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()

    def watch(self, *, lsns: Optional[Iterable[int]] = None, filter: Optional[str] = None, finished: bool = False) -> None:
        """Replaces what is watched. Session, counts, queues and workers come in any case."""
        self._place.watch = watch_of(lsns, filter, finished)
        if self._socket is not None:
            try:
                self._socket.sendall(_websocket.encode(_websocket.TEXT, dumps(self._place.watch)))
            except OSError:
                self._drop()

    def next_frame(self, timeout: Optional[float] = None) -> Optional[Frame]:
        """None after close(); TimeoutError when nothing came within `timeout` seconds."""
        until = None if timeout is None else time.monotonic() + timeout
        while not self._frames:
            if self._ended:
                return None
            if self._socket is None:
                self._connect_patiently()
            left = SILENCE if until is None else min(SILENCE, until - time.monotonic())
            if left <= 0:
                raise TimeoutError("no frame within %.3g s" % (timeout or 0))
            self._receive(left, until)
        return self._frames.popleft()

    def _receive(self, left: float, until: Optional[float]) -> None:
        connection = self._socket
        assert connection is not None
        try:
            connection.settimeout(left)
            data = connection.recv(BLOCK)
            if not data:
                raise OSError("the connection ended")
            self._feed(data)
        except socket.timeout:
            if until is None:
                self._drop()  # not even a ping
        except (OSError, ProtocolError):
            self._drop()

    def _feed(self, data: bytes) -> None:
        for text in self._decoder.feed(data):
            self._frames.append(self._place.take(text))
        if self._decoder.out and self._socket is not None:
            out, self._decoder.out = self._decoder.out, b""
            self._socket.sendall(out)
        if self._decoder.closed:
            self._drop()

    def _drop(self) -> None:
        connection, self._socket = self._socket, None
        if connection is not None:
            connection.close()

    def _connect_patiently(self) -> None:
        until = time.monotonic() + self._core.patience
        pause = 0.05
        while not self._ended:
            try:
                self._connect(self._core.endpoint())
                return
            except (TransportFailed, Unreachable, OSError) as error:
                self._core.lost()
                if not self._core.reached() or time.monotonic() + pause > until:
                    raise Unreachable("no engine answers (%s)" % error) from None
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)

    def _connect(self, endpoint: Endpoint) -> None:
        request, proof = _websocket.upgrade(self._place.path)
        connection = connect(endpoint, 30.0)
        try:
            parser = ResponseParser()
            connection.sendall(head_of(endpoint, request, 0))
            while not parser.complete:
                parser.take(connection.recv(BLOCK))
            if parser.status != 101:
                raise refused(parser)
            _websocket.check_upgrade(parser, proof)
            self._core.now_reached()
            self._decoder = _websocket.Decoder()
            self._socket = connection
            connection.sendall(_websocket.encode(_websocket.TEXT, dumps(self._place.watch)))
            self._feed(parser.rest)
        except ProtocolError as error:
            connection.close()
            raise Unreachable(str(error)) from error
        except BaseException:
            connection.close()
            raise


def ends_in(frame: Frame, wanted: "Callable[[int], bool]") -> List[int]:
    """The numbers of a frame's actions that have ended and are wanted."""
    final = ("completed", "failed", "abandoned", "cancelled")
    return [int(a["lsn"]) for a in frame.get("actions", ()) if a.get("state") in final and wanted(int(a["lsn"]))]

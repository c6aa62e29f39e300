"""HTTP/1.1 as this client needs it: requests and answers as bytes, without sockets, and the transport over blocking
ones. Answers are hostile bytes: heads and bodies have limits."""

from __future__ import annotations

import os
import select
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import BinaryIO, Callable, Dict, Iterator, List, Optional, Tuple, Union

from . import _tls
from .endpoint import Endpoint
from .errors import ProtocolError

MAX_HEAD = 64 << 10
MAX_BODY = 256 << 20
BLOCK = 256 << 10
_MAX_IDLE = 32

Sink = Callable[[bytes], object]


@dataclass
class Request:
    method: str
    path: str  # below the prefix
    body: bytes = b""
    file: Optional[str] = None  # its bytes are the body
    headers: Dict[str, str] = field(default_factory=dict)
    silence: float = 30.0  # seconds without a byte
    repeatable: bool = True  # a repeat does no harm
    patient: bool = False  # 429 and 503 are waited out as a lost engine is
    stubborn: bool = True  # an engine that is gone is looked for
    sink: Optional[Sink] = None  # takes the body of a success
    limit: int = MAX_BODY  # of the answer


@dataclass
class Response:
    status: int
    body: bytes
    headers: Dict[str, str]


class TransportFailed(Exception):
    """No answer came. `sent`: the engine may have read the request. `garbled`: what came is no HTTP."""

    def __init__(self, message: str, sent: bool, garbled: bool = False) -> None:
        super().__init__(message)
        self.sent = sent
        self.garbled = garbled


def head_of(endpoint: Endpoint, request: Request, length: int) -> bytes:
    lines = ["%s %s/%s HTTP/1.1" % (request.method, endpoint.prefix, request.path), "Host: " + endpoint.authority]
    if endpoint.token:
        lines.append("Authorization: Bearer " + endpoint.token)
    if length or request.method in ("POST", "PUT", "PATCH"):
        lines.append("Content-Length: %d" % length)
    lines += ["%s: %s" % pair for pair in request.headers.items()]
    text = "\r\n".join(lines)
    if text.count("\n") != len(lines) - 1 or text.count("\r") != len(lines) - 1:
        raise ValueError("a line break in a path or header")
    return (text + "\r\n\r\n").encode("latin-1")


class ResponseParser:
    """Fed with what comes; `complete` when the answer is whole."""

    def __init__(self, sink: Optional[Sink] = None, limit: int = MAX_BODY) -> None:
        self.status = 0
        self.headers: Dict[str, str] = {}
        self.complete = False
        self.begun = False
        self.rest = b""  # after the head of a switch of protocols
        self._sink = sink
        self._limit = limit
        self._buffer = bytearray()
        self._parts: List[bytes] = []
        self._size = 0
        self._left: Optional[int] = None  # of a body of known length, or of a chunk
        self._chunked = False
        self._state = self._head

    @property
    def keep_alive(self) -> bool:
        return self.complete and self.headers.get("connection", "").lower() != "close" and self._left is not None

    def response(self) -> Response:
        return Response(self.status, b"".join(self._parts), self.headers)

    def feed(self, data: bytes) -> None:
        self.begun = True
        self._buffer += data
        while self._state():
            pass

    def take(self, data: bytes) -> None:
        """What one read gave; nothing is the end of the connection."""
        if data:
            self.feed(data)
        else:
            self.eof()

    def eof(self) -> None:
        """The connection ended: so does a body of unknown length."""
        if self.status and self._left is None and not self._chunked:
            self.complete = True
        if not self.complete:
            raise ProtocolError("the answer ended early")

    def _take_line(self) -> Optional[bytes]:
        end = self._buffer.find(b"\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                raise ProtocolError("a line of the answer is too long")
            return None
        line = bytes(self._buffer[:end])
        del self._buffer[:end + 2]
        return line

    def _head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD:
                raise ProtocolError("the head of the answer is too long")
            return False
        lines = bytes(self._buffer[:end]).decode("latin-1").split("\r\n")
        del self._buffer[:end + 4]
        words = lines[0].split(" ", 2)
        if len(words) < 2 or not words[0].startswith("HTTP/1.") or not (words[1].isdigit() and len(words[1]) == 3):
            raise ProtocolError("the answer is not HTTP")
        status = int(words[1])
        if 100 <= status < 200 and status != 101:
            return True
        self.status = status
        for line in lines[1:]:
            name, _, value = line.partition(":")
            self.headers[name.strip().lower()] = value.strip()
        return self._begin_body()

    def _begin_body(self) -> bool:
        if self.status == 101:
            self.rest = bytes(self._buffer)
            self.complete = True
            return False
        if self.status == 204 or self.status == 304:
            self._left = 0
        elif "chunked" in self.headers.get("transfer-encoding", "").lower():
            self._chunked = True
            self._state = self._chunk_head
            return True
        elif "content-length" in self.headers:
            text = self.headers["content-length"]
            if not text.isdigit():
                raise ProtocolError("the length of the answer is no number")
            self._left = int(text)
        self._state = self._body
        return True

    def no_body(self) -> None:
        """Of the answer to HEAD there is only a head."""
        if self.status:
            self._left = 0
            self.complete = True

    def _keep(self, data: bytes) -> None:
        self._size += len(data)
        if self._sink is not None and 200 <= self.status < 300:
            self._sink(data)
            return
        if self._size > self._limit:
            raise ProtocolError("the answer is over %d bytes" % self._limit)
        self._parts.append(data)

    def _body(self) -> bool:
        if self._buffer:
            if self._left is None:
                data = bytes(self._buffer)
            else:
                data = bytes(self._buffer[:self._left])
                self._left -= len(data)
            del self._buffer[:len(data)]
            if data:
                self._keep(data)
        if self._left == 0:
            self.complete = True
        return False

    def _chunk_head(self) -> bool:
        line = self._take_line()
        if line is None:
            return False
        try:
            self._left = int(line.split(b";")[0], 16)
        except ValueError:
            raise ProtocolError("a chunk of the answer has no size") from None
        self._state = self._chunk if self._left else self._trailer
        return True

    def _chunk(self) -> bool:
        assert self._left is not None
        data = bytes(self._buffer[:self._left])
        del self._buffer[:len(data)]
        self._left -= len(data)
        if data:
            self._keep(data)
        if self._left or len(self._buffer) < 2:
            return False
        del self._buffer[:2]
        self._state = self._chunk_head
        return True

    def _trailer(self) -> bool:
        line = self._take_line()
        if line is None:
            return False
        if line == b"":
            self.complete = True
            return False
        return True


def body_blocks(request: Request) -> Tuple[int, Union[bytes, BinaryIO]]:
    """Length and source of a body."""
    if request.file is None:
        return len(request.body), request.body
    file = open(request.file, "rb")
    return os.fstat(file.fileno()).st_size, file


def file_blocks(file: BinaryIO, length: int) -> Iterator[bytes]:
    """Exactly `length` bytes: a file that shrank would leave the engine waiting."""
    while length:
        block = file.read(min(BLOCK, length))
        if not block:
            raise OSError("the file became shorter while it was sent")
        length -= len(block)
        yield block


class Transport:
    """Blocking connections, kept and used again. Safe for many threads, and after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: List[Tuple[Tuple[str, int], socket.socket]] = []
        self._pid = os.getpid()
        self._closed = False

    def __del__(self) -> None:
        for _, connection in self._idle:
            connection.close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _take(self, key: Tuple[str, int]) -> Optional[socket.socket]:
        with self._lock:
            if self._pid != os.getpid():
                self._idle, self._pid = [], os.getpid()
            while self._idle:
                at, connection = self._idle.pop()
                poll = select.poll()
                poll.register(connection, select.POLLIN)
                if at == key and not poll.poll(0):  # else the engine closed it meanwhile
                    return connection
                connection.close()
        return None

    def _give_back(self, key: Tuple[str, int], connection: socket.socket) -> None:
        with self._lock:
            if not self._closed and len(self._idle) < _MAX_IDLE and self._pid == os.getpid():
                self._idle.append((key, connection))
                return
        connection.close()

    def send(self, endpoint: Endpoint, request: Request) -> Response:
        length, source = body_blocks(request)
        try:
            return self._send(endpoint, request, length, source)
        finally:
            if not isinstance(source, bytes):
                source.close()

    def _send(self, endpoint: Endpoint, request: Request, length: int, source: Union[bytes, BinaryIO]) -> Response:
        key = (endpoint.host, endpoint.port)
        head = head_of(endpoint, request, length)
        connection = self._take(key)
        if connection is None:
            connection = connect(endpoint, request.silence)
        parser = ResponseParser(request.sink, request.limit)
        try:
            connection.settimeout(request.silence)
            try:
                if isinstance(source, bytes):
                    connection.sendall(head + source)
                else:
                    connection.sendall(head)
                    for block in file_blocks(source, length):
                        connection.sendall(block)
            except (BrokenPipeError, ConnectionResetError):
                pass  # it may have answered before it read all
            while not parser.complete:
                parser.take(connection.recv(BLOCK))
                if request.method == "HEAD":
                    parser.no_body()
        except (OSError, ProtocolError) as error:
            connection.close()
            garbled = isinstance(error, ProtocolError) and parser.begun
            raise TransportFailed(str(error) or type(error).__name__, sent=True, garbled=garbled) from error
        except BaseException:
            connection.close()
            raise
        if parser.keep_alive:
            self._give_back(key, connection)
        else:
            connection.close()
        return parser.response()


def connect(endpoint: Endpoint, timeout: float) -> socket.socket:
    timeout = min(timeout, 30.0)
    try:
        connection = socket.create_connection((endpoint.host, endpoint.port), timeout)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _secured(endpoint, connection) if endpoint.secure else connection
        except BaseException:
            connection.close()
            raise
    except ssl.SSLCertVerificationError:
        raise _tls.stranger(endpoint, timeout) from None
    except OSError as error:
        raise TransportFailed("cannot connect: %s" % error, sent=False) from error


def _secured(endpoint: Endpoint, plain: socket.socket) -> ssl.SSLSocket:
    connection = _tls.context(bool(endpoint.fingerprint)).wrap_socket(plain, server_hostname=endpoint.host)
    try:
        if endpoint.fingerprint:
            _tls.check(endpoint, connection.getpeercert(True))
        return connection
    except BaseException:
        connection.close()
        raise

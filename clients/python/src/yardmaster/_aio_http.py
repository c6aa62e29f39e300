"""The transport over asyncio's streams. One event loop uses it."""

from __future__ import annotations

import asyncio
import ssl
from typing import List, Tuple

from ._http import (BLOCK, Request, Response, ResponseParser, TransportFailed, body_blocks, file_blocks, head_of)
from . import _tls
from .endpoint import Endpoint
from .errors import ProtocolError

_MAX_IDLE = 32
Connection = Tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def open_connection(endpoint: Endpoint, timeout: float) -> Connection:
    timeout = min(timeout, 30.0)
    context = _tls.context(bool(endpoint.fingerprint)) if endpoint.secure else None
    name = endpoint.host if endpoint.secure else None
    try:
        opening = asyncio.open_connection(endpoint.host, endpoint.port, ssl=context, server_hostname=name)
        reader, writer = await asyncio.wait_for(opening, timeout)
    except ssl.SSLCertVerificationError:
        loop = asyncio.get_running_loop()
        raise await loop.run_in_executor(None, _tls.stranger, endpoint, timeout) from None
    except (OSError, asyncio.TimeoutError) as error:
        raise TransportFailed("cannot connect: %s" % (error or "it took too long"), sent=False) from error
    if endpoint.fingerprint and endpoint.secure:
        try:
            _tls.check(endpoint, writer.get_extra_info("ssl_object").getpeercert(True))
        except BaseException:
            writer.close()
            raise
    return reader, writer


class AsyncTransport:
    def __init__(self) -> None:
        self._idle: List[Tuple[Tuple[str, int], Connection]] = []
        self._closed = False

    async def close(self) -> None:
        self._closed = True
        idle, self._idle = self._idle, []
        for _, (_, writer) in idle:
            writer.close()

    async def _take(self, endpoint: Endpoint, timeout: float) -> Connection:
        while self._idle:
            at, connection = self._idle.pop()
            reader, writer = connection
            if at == (endpoint.host, endpoint.port) and not reader.at_eof() and not writer.is_closing():
                return connection
            writer.close()
        return await open_connection(endpoint, timeout)

    async def send(self, endpoint: Endpoint, request: Request) -> Response:
        length, source = body_blocks(request)
        try:
            reader, writer = await self._take(endpoint, request.silence)
            parser = ResponseParser(request.sink, request.limit)
            try:
                try:
                    if isinstance(source, bytes):
                        writer.write(head_of(endpoint, request, length) + source)
                    else:
                        writer.write(head_of(endpoint, request, length))
                        for block in file_blocks(source, length):
                            writer.write(block)
                            await asyncio.wait_for(writer.drain(), request.silence)
                    await asyncio.wait_for(writer.drain(), request.silence)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # it may have answered before it read all
                while not parser.complete:
                    parser.take(await asyncio.wait_for(reader.read(BLOCK), request.silence))
                    if request.method == "HEAD":
                        parser.no_body()
            except (OSError, ProtocolError, asyncio.TimeoutError) as error:
                writer.close()
                garbled = isinstance(error, ProtocolError) and parser.begun
                raise TransportFailed(str(error) or type(error).__name__, sent=True, garbled=garbled) from error
            except BaseException:
                writer.close()
                raise
            if parser.keep_alive and not self._closed and len(self._idle) < _MAX_IDLE:
                self._idle.append(((endpoint.host, endpoint.port), (reader, writer)))
            else:
                writer.close()
            return parser.response()
        finally:
            if not isinstance(source, bytes):
                source.close()

"""The client's side of a WebSocket (RFC 6455, no extensions) as bytes in and out; frames and messages have limits."""

from __future__ import annotations

import base64
import hashlib
import os
import struct
from typing import Dict, List, Tuple

from ._http import Request, ResponseParser
from .errors import ProtocolError

MAX_MESSAGE = 32 << 20
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, TEXT, BINARY, CLOSE, _PING, _PONG = 0, 1, 2, 8, 9, 10


def upgrade(path: str) -> Tuple[Request, str]:
    """The request, and what the answer has to prove."""
    nonce = base64.b64encode(os.urandom(16))
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
               "Sec-WebSocket-Key": nonce.decode()}
    return Request("GET", path, headers=headers), base64.b64encode(hashlib.sha1(nonce + _GUID).digest()).decode()


def check_upgrade(parser: ResponseParser, proof: str) -> None:
    headers: Dict[str, str] = parser.headers
    if headers.get("upgrade", "").lower() != "websocket" or headers.get("sec-websocket-accept") != proof:
        raise ProtocolError("the other side does not speak WebSocket")


def encode(opcode: int, payload: bytes) -> bytes:
    """One masked frame."""
    size = len(payload)
    if size < 126:
        head = struct.pack(">BB", 0x80 | opcode, 0x80 | size)
    elif size < 1 << 16:
        head = struct.pack(">BBH", 0x80 | opcode, 0x80 | 126, size)
    else:
        head = struct.pack(">BBQ", 0x80 | opcode, 0x80 | 127, size)
    mask = os.urandom(4)
    key = int.from_bytes((mask * (size // 4 + 1))[:size], "big")
    return head + mask + (int.from_bytes(payload, "big") ^ key).to_bytes(size, "big")


class Decoder:
    """Fed with what comes; `out` is what has to be sent back (pongs, the answer to a close)."""

    def __init__(self) -> None:
        self.out = b""
        self.closed = False
        self.close_code = 0
        self._buffer = bytearray()
        self._parts: List[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> List[bytes]:
        """The messages that are whole now."""
        self._buffer += data
        messages: List[bytes] = []
        while not self.closed and self._frame(messages):
            pass
        return messages

    def _frame(self, messages: List[bytes]) -> bool:
        buffer = self._buffer
        if len(buffer) < 2:
            return False
        first, second = buffer[0], buffer[1]
        if first & 0x70 or second & 0x80:
            raise ProtocolError("a frame has reserved bits, or is masked")
        opcode, final, size, at = first & 0x0F, bool(first & 0x80), second & 0x7F, 2
        if size >= 126:
            width = 2 if size == 126 else 8
            if len(buffer) < 2 + width:
                return False
            size = int.from_bytes(buffer[2:2 + width], "big")
            at = 2 + width
        if opcode >= CLOSE and (size > 125 or not final):
            raise ProtocolError("a control frame is too long, or in parts")
        if self._size + size > MAX_MESSAGE:
            raise ProtocolError("a message is over %d bytes" % MAX_MESSAGE)
        if len(buffer) < at + size:
            return False
        payload = bytes(buffer[at:at + size])
        del buffer[:at + size]
        self._take(opcode, final, payload, messages)
        return True

    def _take(self, opcode: int, final: bool, payload: bytes, messages: List[bytes]) -> None:
        if opcode == _PING:
            self.out += encode(_PONG, payload)
        elif opcode == CLOSE:
            self.closed = True
            self.close_code = int.from_bytes(payload[:2], "big")
            self.out += encode(CLOSE, payload[:2])
        elif opcode in (TEXT, BINARY, _CONTINUED):
            if (opcode == _CONTINUED) != bool(self._parts):
                raise ProtocolError("the parts of a message are out of order")
            # An empty first part still begins a message.
            self._parts.append(payload)
            self._size += len(payload)
            if final:
                messages.append(b"".join(self._parts))
                self._parts, self._size = [], 0
        elif opcode != _PONG:
            raise ProtocolError("a frame of unknown kind %d" % opcode)

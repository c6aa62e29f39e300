"""TLS as this client needs it: an engine is known by the fingerprint of its key, or an authority of the system vouches for
it. Nothing is sent to one that is not trusted."""

from __future__ import annotations

import functools
import hashlib
import os
import socket
import ssl
from typing import TYPE_CHECKING, Optional, Tuple

from .errors import Untrusted, YardmasterError

if TYPE_CHECKING:
    from .endpoint import Endpoint

_MAX_FILE = 1 << 20
_SEQUENCE = 0x30
_VERSION = 0xA0  # [0] of a certificate's first part, where it has one
_BEFORE_KEY = 5  # serial number, algorithm, issuer, validity, subject


def _element(der: bytes, at: int) -> Tuple[int, int, int]:
    """Tag, begin of the content, and end of the element at a place."""
    tag, size, begin = der[at], der[at + 1], at + 2
    if size & 0x80:
        count = size & 0x7F
        if not 1 <= count <= 4:
            raise ValueError("a length that no certificate has")
        size, begin = int.from_bytes(der[begin:begin + count], "big"), begin + count
    if begin + size > len(der):
        raise ValueError("it ends early")
    return tag, begin, begin + size


def fingerprint_of(der: bytes) -> str:
    """SHA-256 of the SubjectPublicKeyInfo of a certificate."""
    try:
        tag, at, _ = _element(der, 0)
        first, at, _ = _element(der, at)
        if tag != _SEQUENCE or first != _SEQUENCE:
            raise ValueError("it is no certificate")
        tag, _, end = _element(der, at)
        if tag == _VERSION:
            at = end
        for _ in range(_BEFORE_KEY):
            at = _element(der, at)[2]
        tag, _, end = _element(der, at)
        if tag != _SEQUENCE:
            raise ValueError("it has no key")
    except (IndexError, ValueError) as error:
        raise YardmasterError("the certificate of the engine cannot be read: %s" % error) from None
    return hashlib.sha256(der[at:end]).hexdigest()


@functools.lru_cache(maxsize=2)
def context(pinned: bool) -> ssl.SSLContext:
    """With a pin the key decides, which is looked at after the handshake."""
    made = ssl.create_default_context()
    if pinned:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    return made


def check(endpoint: "Endpoint", der: Optional[bytes]) -> None:
    """Untrusted unless it is the key that is known."""
    shown = fingerprint_of(der or b"")
    if shown != endpoint.fingerprint:
        raise Untrusted("%s shows the fingerprint %s, and %s says %s: either the engine was set up again, or somebody is in "
                        "between" % (endpoint.url, shown, endpoint.known_by, endpoint.fingerprint))


def stranger(endpoint: "Endpoint", timeout: float) -> Exception:
    """Why an engine that nobody vouches for is not spoken to. Connects once more, to be able to say what it shows."""
    try:
        with socket.create_connection((endpoint.host, endpoint.port), timeout) as plain:
            with context(True).wrap_socket(plain) as connection:
                shown = fingerprint_of(connection.getpeercert(True) or b"")
    except OSError as error:
        return Untrusted("%s is not known here, and has gone: %s" % (endpoint.url, error))
    return Untrusted("%s is not known here; its fingerprint is %s. If the engine printed the same when it started, give "
                     "fingerprint=, or add the line '%s %s' to %s"
                     % (endpoint.url, shown, endpoint.authority, shown, known_engines_file()))


def known_engines_file() -> str:
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not config.startswith("/"):  # the XDG rules ignore a relative value
        config = os.path.expanduser("~") + "/.config"
    return config + "/yardmaster/known_engines"


def known_fingerprint(authority: str) -> str:
    """Empty: nothing is known of it."""
    try:
        with open(known_engines_file(), encoding="utf-8", errors="replace") as file:
            lines = file.read(_MAX_FILE).splitlines()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise YardmasterError("the known engines cannot be read: %s" % error) from None
    for line in lines:
        name, _, fingerprint = line.partition(" ")
        if name == authority and is_fingerprint(fingerprint):
            return fingerprint
    return ""


def is_fingerprint(text: str) -> bool:
    return len(text) == 64 and all(c in "0123456789abcdef" for c in text)

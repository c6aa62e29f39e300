"""Where the engine is and how it is spoken to: by a URL, or by `address` and `token` of a data directory, as yardctl
finds it."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass, replace
from typing import Optional, Tuple
from urllib.parse import urlsplit

from . import _tls
from .errors import Unreachable, YardmasterError

_USUAL_PORT = 8640
_USUAL_PREFIX = "/compute"
_MAX_FILE = 64 << 10


@dataclass(frozen=True)
class Endpoint:
    host: str
    port: int
    prefix: str
    token: str
    secure: bool = False  # by TLS
    fingerprint: str = ""  # that it has to show; empty: the authorities of the system decide
    known_by: str = ""  # who says so

    @property
    def authority(self) -> str:
        return "[%s]:%d" % (self.host, self.port) if ":" in self.host else "%s:%d" % (self.host, self.port)

    @property
    def url(self) -> str:
        return ("https://" if self.secure else "http://") + self.authority

    @property
    def is_loopback(self) -> bool:
        return _is_loopback(self.host)


def _is_loopback(host: str) -> bool:
    # Digits and dots only: 127.example.org is somebody else.
    return host in ("localhost", "::1") or (host.startswith("127.") and all(c in "0123456789." for c in host))


def default_data_dir() -> str:
    data = os.environ.get("XDG_DATA_HOME", "")
    if data.startswith("/"):  # the XDG rules ignore a relative value
        return data + "/yardmaster"
    home = os.environ.get("HOME", "")
    if not home.startswith("/"):
        try:
            home = pwd.getpwuid(os.geteuid()).pw_dir
        except KeyError:
            home = ""
    return home + "/.local/share/yardmaster"


def _bad(url: str, why: str) -> YardmasterError:
    return YardmasterError("%s is not an address of an engine: %s; write it as http://HOST:PORT or https://HOST:PORT" % (url, why))


def _parse(url: str, usual_prefix: Optional[str]) -> Tuple[str, int, str]:
    if not url.startswith(("http://", "https://")):
        raise _bad(url, "it begins with neither http:// nor https://")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _bad(url, str(error)) from None
    if parts.username is not None or parts.query or parts.fragment:
        raise _bad(url, "only host, port and path belong into it")
    if not host or any(c <= " " or c >= "\x7f" or c in '\\"<>' for c in host):
        raise _bad(url, "there is no host name in it")
    if port == 0:
        raise _bad(url, "the port is not a number from 1 to 65535")
    prefix = parts.path
    if usual_prefix is None:  # as an engine publishes it: "/" is no prefix
        prefix = _USUAL_PREFIX if not prefix else prefix.rstrip("/")
    else:
        prefix = prefix.rstrip("/") or usual_prefix
    return host, _USUAL_PORT if port is None else port, prefix


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(_MAX_FILE).strip()


def _read_token(path: str) -> str:
    token = _read(path)
    if not token or not all("\x20" < c < "\x7f" for c in token):
        raise YardmasterError("%s does not hold a token" % path)
    return token


def _published(directory: str) -> Tuple[str, str]:
    """The address that an engine wrote down, and the fingerprint of its TLS."""
    address, _, fingerprint = _read(directory + "/address").partition("\n")
    return address.strip(), fingerprint.strip()


def _pin(endpoint: Endpoint, directory: str) -> Endpoint:
    """As the engine wrote down itself, or as its user trusted it before."""
    try:
        address, fingerprint = _published(directory)
        if _parse(address, None)[:2] == (endpoint.host, endpoint.port) and _tls.is_fingerprint(fingerprint):
            return replace(endpoint, fingerprint=fingerprint, known_by=directory + "/address")
    except (OSError, YardmasterError):
        pass
    return replace(endpoint, fingerprint=_tls.known_fingerprint(endpoint.authority), known_by=_tls.known_engines_file())


def locate(url: Optional[str] = None, token_file: Optional[str] = None, data_dir: Optional[str] = None,
           token: Optional[str] = None, fingerprint: Optional[str] = None, insecure: bool = False) -> Endpoint:
    """Reads files, does not connect. A token that was not named for it goes to this machine only."""
    directory = data_dir if data_dir is not None else default_data_dir()
    if url is None:
        try:
            address = _published(directory)[0]
        except OSError as error:
            if isinstance(error, (FileNotFoundError, NotADirectoryError)):
                raise Unreachable("no engine serves the data directory %s; start one with 'yardmaster --headless', or say "
                                  "where it is with url= or data_dir=" % directory) from None
            raise Unreachable("the address of the engine cannot be read: %s" % error) from None
        host, port, prefix = _parse(address, None)
        secure = address.startswith("https://")
    else:
        host, port, prefix = _parse(url, _USUAL_PREFIX)
        secure = url.startswith("https://")
        if not (secure or insecure or _is_loopback(host) or host in ("0.0.0.0", "::")):
            raise _bad(url, "it is plain HTTP to another machine, where others can read along; use https://, a tunnel "
                            "(ssh -L), or insecure=True")
    if token is None:
        token = ""
        try:
            if token_file is not None:
                token = _read_token(token_file)
            elif url is None or data_dir is not None or _is_loopback(host):
                token = _read_token(directory + "/token")
        except OSError as error:
            if url is None or token_file is not None or not isinstance(error, FileNotFoundError):
                raise Unreachable("the token cannot be read: %s" % error) from None
    found = Endpoint(host, port, prefix, token, secure)
    if fingerprint is not None:
        if not _tls.is_fingerprint(fingerprint):
            raise YardmasterError("a fingerprint is 64 lower-case hexadecimal digits, not %r" % fingerprint)
        return replace(found, fingerprint=fingerprint, known_by="fingerprint=")
    return _pin(found, directory) if secure else found

"""What goes wrong, as exceptions. All but the standard ones are YardmasterError."""

from __future__ import annotations

import concurrent.futures
from typing import TYPE_CHECKING, List, Optional

if TYPE_CHECKING:
    from .results import Result


class YardmasterError(Exception):
    """Anything this package reports."""


class Unreachable(YardmasterError, ConnectionError):
    """No engine answers: it was never there, or was looked for during `patience` and did not come back."""


class Untrusted(YardmasterError):
    """Who answers by TLS is not the engine that is known there, or nobody knows it: nothing was sent."""


class ProtocolError(YardmasterError):
    """The other side does not speak as an engine does."""


class EngineError(YardmasterError):
    """The engine refused. `code` and `message` are its own; `field` names the member at fault, `index` the place in a
    list, `need` the chunks that are missing."""

    def __init__(self, status: int, code: str, message: str, field: str = "", index: Optional[int] = None,
                 need: Optional[List[str]] = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.index = index
        self.need: List[str] = need or []

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.status, self.code, self.message, self.field, self.index, self.need)


class Unauthorized(EngineError):
    """401: no token or a wrong one."""


class NotFound(EngineError):
    """404: there is no such thing."""


class Conflict(EngineError):
    """409: its state, or a limit, forbids this."""


class NeedChunks(Conflict):
    """409: chunks are missing."""


class TooLarge(EngineError):
    """413: the body is over its limit."""


class Invalid(EngineError):
    """400, 415, 422: what was sent is not acceptable; `field` names it."""


class Busy(EngineError):
    """429: try again shortly."""


class NotAccepting(EngineError):
    """503: the session takes no work."""


class ActionFailed(YardmasterError):
    """An action did not complete; `result` tells how it ended."""

    def __init__(self, result: "Result") -> None:
        super().__init__(result.describe())
        self.result = result

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return type(self), (self.result,)


class BrokenProcess(concurrent.futures.BrokenExecutor, YardmasterError):
    """The process of a call ended before the call did, as often as its queue lets it be tried."""


class CallTimeout(YardmasterError, TimeoutError):
    """A call of an Executor took longer than the `deadline` of the Executor."""


class RemoteError(YardmasterError):
    """A call raised what cannot be pickled; the text is its traceback."""


_BY_STATUS = {400: Invalid, 401: Unauthorized, 404: NotFound, 405: Invalid, 409: Conflict, 413: TooLarge, 415: Invalid,
              422: Invalid, 429: Busy, 431: TooLarge, 503: NotAccepting}


def error_of(status: int, body: object, text: str) -> EngineError:
    """The error of an answer that is no success; `body` its JSON, or None where it has none."""
    if not isinstance(body, dict) or not isinstance(body.get("message"), str):
        first = text.strip().splitlines()[0][:200] if text.strip() else ""
        return EngineError(status, "internal", "the server answered %d%s; is this address a Yardmaster engine?"
                           % (status, ": " + first if first else ""))
    code = str(body.get("error", "internal"))
    kind = NeedChunks if code == "need" else _BY_STATUS.get(status, EngineError)
    index = body.get("index")
    need = body.get("need")
    return kind(status, code, body["message"], str(body.get("field", "")), index if isinstance(index, int) else None,
                [str(h) for h in need] if isinstance(need, list) else None)

"""Yardmaster for Python: Engine and AsyncEngine speak to an engine, Executor and AsyncExecutor run functions on it."""

import sys
from typing import TYPE_CHECKING, Any

from .engine import Engine
from .errors import (ActionFailed, BrokenProcess, Busy, CallTimeout, Conflict, EngineError, Invalid, NeedChunks, NotAccepting,
                     NotFound, ProtocolError, RemoteError, TooLarge, Unauthorized, Unreachable, Untrusted, YardmasterError)
from ._status import progress
from .executor import Executor
from .results import Result

if TYPE_CHECKING:
    from ._aio_executor import AsyncExecutor
    from .aio import AsyncEngine

__version__ = "0.1.0"
__all__ = ["ActionFailed", "AsyncEngine", "AsyncExecutor", "BrokenProcess", "Busy", "CallTimeout", "Conflict", "Engine",
           "EngineError", "Executor", "Invalid", "NeedChunks", "NotAccepting", "NotFound", "ProtocolError", "RemoteError",
           "Result", "TooLarge", "Unauthorized", "Unreachable", "Untrusted", "YardmasterError",
           "progress", "register_parallel_backend"]


def __getattr__(name: str) -> Any:
    if name == "AsyncEngine":  # asyncio takes its time to import
        from .aio import AsyncEngine
        return AsyncEngine
    if name == "AsyncExecutor":
        from ._aio_executor import AsyncExecutor
        return AsyncExecutor
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


def register_parallel_backend(name: str = "yardmaster") -> None:
    """Makes Executor a backend of joblib: `with joblib.parallel_backend("yardmaster"): …`."""
    from .joblib_backend import register
    register(name)


if "joblib" in sys.modules:
    register_parallel_backend()

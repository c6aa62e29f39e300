"""Yardmaster for Python: Engine and AsyncEngine speak to an engine, Executor runs functions on it."""

from .aio import AsyncEngine
from .engine import Engine
from .errors import (ActionFailed, BrokenProcess, Busy, CallTimeout, Conflict, EngineError, Invalid, NeedChunks, NotAccepting,
                     NotFound, ProtocolError, RemoteError, TooLarge, Unauthorized, Unreachable, YardmasterError)
from .executor import Executor
from .results import Result

__version__ = "0.1.0"
__all__ = ["ActionFailed", "AsyncEngine", "BrokenProcess", "Busy", "CallTimeout", "Conflict", "Engine", "EngineError",
           "Executor", "Invalid", "NeedChunks", "NotAccepting", "NotFound", "ProtocolError", "RemoteError", "Result",
           "TooLarge", "Unauthorized", "Unreachable", "YardmasterError", "register_joblib"]


def register_joblib() -> None:
    """Makes "yardmaster" a backend of joblib: joblib.parallel_backend("yardmaster")."""
    from .joblib_backend import register
    register()

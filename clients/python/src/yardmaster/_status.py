"""How far the action is that this process belongs to, told to the engine by the file that $YARD_STATUS names."""

from __future__ import annotations

import json
import os
import time
from typing import Dict, Optional, Union

_EVERY = 0.1  # seconds
_MAX_MESSAGE = 200
_next = 0.0


def progress(fraction: Optional[float] = None, message: Optional[str] = None) -> None:
    """Says how far this action is, from 0 to 1, and in one line what it does. For functions that an Executor calls, and for
    programs that the engine runs; elsewhere it does nothing. Of more than ten calls a second the others are passed over."""
    global _next
    path = os.environ.get("YARD_STATUS")
    now = time.monotonic()
    if not path or now < _next:
        return
    _next = now + _EVERY
    said: Dict[str, Union[float, str]] = {}
    if fraction is not None and fraction == fraction:
        said["progress"] = min(max(float(fraction), 0.0), 1.0)
    if message is not None:
        said["message"] = str(message)[:_MAX_MESSAGE]
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")
    except OSError:
        pass  # nobody hears it, which is no failure of the caller

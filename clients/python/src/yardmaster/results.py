"""Actions as they ended, or as far as they are known."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Optional

_FINAL = ("completed", "failed", "abandoned", "cancelled")


class Result(Mapping[str, Any]):
    """An action as the engine tells it: a mapping of every member (docs/api.md), the usual ones as attributes.

    `stdout` and `stderr` are filled by Engine.run(); of others ask Engine.stdout() and Engine.stderr()."""

    __slots__ = ("_members", "stdout", "stderr")

    def __init__(self, members: Dict[str, Any]) -> None:
        self._members = members
        self.stdout: Optional[bytes] = None
        self.stderr: Optional[bytes] = None

    def __getitem__(self, name: str) -> Any:
        return self._members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __repr__(self) -> str:
        return "<Result %s>" % self.describe()

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return Result, (self._members,)

    @property
    def lsn(self) -> int:
        return int(self._members["lsn"])

    @property
    def state(self) -> str:
        return str(self._members.get("state", ""))

    @property
    def is_final(self) -> bool:
        return self.state in _FINAL

    @property
    def ok(self) -> bool:
        return self.state == "completed"

    @property
    def reason(self) -> str:
        return str(self._members.get("reason", ""))

    @property
    def note(self) -> str:
        return str(self._members.get("note", ""))

    @property
    def exit_code(self) -> Optional[int]:
        return self._members.get("exit_code")

    @property
    def retry_count(self) -> int:
        return int(self._members.get("retry_count", 0))

    @property
    def value(self) -> Any:
        """What the function returned; None where there is nothing."""
        return self._members.get("result")

    @property
    def outputs(self) -> Dict[str, Dict[str, Any]]:
        return self._members.get("outputs") or {}

    @property
    def attempts(self) -> List[Dict[str, Any]]:
        return self._members.get("attempts") or []

    @property
    def stdout_text(self) -> str:
        return (self.stdout or b"").decode("utf-8", "replace")

    @property
    def stderr_text(self) -> str:
        return (self.stderr or b"").decode("utf-8", "replace")

    def describe(self) -> str:
        """One line: number, state, why."""
        words = ["action %s %s" % (self._members.get("lsn", "?"), self.state or "unknown")]
        if self.reason and self.reason != self.state:
            code = self.exit_code
            words.append("exit code %d" % code if self.reason == "exit_code" and code is not None else self.reason)
        if self.note:
            words.append(self.note)
        return ": ".join(words)

    def check(self) -> "Result":
        """Itself, or ActionFailed."""
        if not self.ok:
            from .errors import ActionFailed
            raise ActionFailed(self)
        return self

"""What a client does, without deciding how it waits: each operation is a generator of requests and pauses, which
Engine carries out with blocking sockets and AsyncEngine with asyncio. One copy of every rule."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
import uuid
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Dict, Generator, Iterable, List, Literal, Mapping, Optional, Sequence, Tuple, TypeVar, Union
from urllib.parse import quote, urlencode

from ._http import BLOCK, Request, Response, Sink, TransportFailed
from ._progress import Progress
from .endpoint import Endpoint, locate
from .errors import Conflict, EngineError, NeedChunks, NotFound, ProtocolError, Unreachable, Untrusted, error_of
from .results import Result

T = TypeVar("T")
Json = Dict[str, Any]
Argument = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
MovePlace = Literal["top", "up", "down", "bottom"]
Content = Union[bytes, str, "os.PathLike[str]"]  # bytes themselves; a chunk's hash of 64 hex digits; else a path

LONGEST_WAIT = 60.0  # of one long poll; the engine takes up to 300
MOST_ROWS = 500  # of one list
_SECRET = ("*TOKEN*", "*SECRET*", "*PASSWORD*", "*KEY*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_ANY_SIZE = 1 << 62  # of what the caller asked for by name
_HEX = frozenset("0123456789abcdef")
_MAX_HASHES = 100_000
_hashes: Dict[str, Tuple[Tuple[int, ...], str]] = {}  # of files, as long as they look the same


@dataclass
class Pause:
    seconds: float


Steps = Generator[Union[Request, Pause], Any, T]


def is_hash(text: object) -> bool:
    return isinstance(text, str) and len(text) == 64 and _HEX.issuperset(text)


def hash_of(content: Content) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    if is_hash(content):
        return str(content)
    digest = hashlib.sha256()
    with open(content, "rb") as file:
        stat = os.fstat(file.fileno())
        seal = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        known = _hashes.get(os.fspath(content))
        if known is not None and known[0] == seal:
            return known[1]
        for block in iter(lambda: file.read(BLOCK), b""):
            digest.update(block)
        # What changed a moment ago may change again within one tick of the file system's clock.
        if len(_hashes) < _MAX_HASHES and time.time_ns() - stat.st_ctime_ns > 2_000_000_000:
            _hashes[os.fspath(content)] = (seal, digest.hexdigest())
    return digest.hexdigest()


def kept_environment() -> Dict[str, str]:
    """This process's variables, but for what looks like a secret, as the engine keeps what is submitted."""
    kept = {}
    for name, value in os.environ.items():
        secret = any(fnmatchcase(name.upper(), pattern) for pattern in _SECRET)
        if not secret and not name.startswith("YARD_") and _NAME.match(name):
            kept[name] = text_of(os.fsencode(value))
    return kept


def text_of(value: Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]) -> str:
    """As it stands in JSON: bytes that are not UTF-8 as code units \\udc80 to \\udcff."""
    plain = os.fspath(value)
    return plain.decode("utf-8", "surrogateescape") if isinstance(plain, bytes) else plain


def dumps(value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except UnicodeEncodeError:  # of bytes that are not UTF-8, which have to be escaped
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()


def queue_path(queue: Union[int, str, None], rest: str) -> str:
    return rest if queue is None else "queues/%s/%s" % (quote(str(queue), safe=""), rest)


class Core:
    def __init__(self, url: Optional[str], token_file: Optional[str], data_dir: Optional[str], token: Optional[str],
                 patience: float, fingerprint: Optional[str] = None, insecure: bool = False) -> None:
        self._where = (url, token_file, data_dir, token, fingerprint, insecure)
        self._endpoint: Optional[Endpoint] = None
        self._reached = False  # somebody was there: an answer came, or a connection
        self.patience = patience

    # --- one request

    def endpoint(self) -> Endpoint:
        if self._endpoint is None:
            self._endpoint = locate(*self._where)
        return self._endpoint

    def lost(self) -> None:
        """The engine may come back elsewhere: it is looked for again."""
        self._endpoint = None

    def reached(self) -> bool:
        return self._reached

    def now_reached(self) -> None:
        self._reached = True

    def exchange(self, request: Request) -> Steps[Response]:
        """A success, or an exception. An engine that answered before is looked for during `patience`."""
        errors: List[Exception] = []  # the last one
        try:
            return (yield from self._exchange(request, errors))
        finally:
            errors.clear()  # a traceback and its frame would hold each other, and an Executor that nobody else has

    def _exchange(self, request: Request, errors: List[Exception]) -> Steps[Response]:
        until = 0.0  # counted from the first failure: a long poll may have waited longer than that
        pause = 0.05
        looked_again = False
        while True:
            try:
                response: Response = yield request
                self._reached = True
                if 200 <= response.status < 300:
                    return response
                errors[:] = [_error_of(response)]
                if response.status == 401 and not looked_again:
                    looked_again = True  # a token may have been made again
                    self.lost()
                    continue
                if response.status not in (429, 503) or not request.patient:
                    raise errors[0]
            except TransportFailed as failure:
                where = "" if self._endpoint is None else " at " + self._endpoint.url
                errors[:] = [Unreachable("no engine answers%s (%s); start one with 'yardmaster --headless', or say where it "
                                         "is with url= or data_dir=" % (where, failure))]
                self.lost()
                self._reached = self._reached or (failure.sent and not failure.garbled)
                if failure.garbled or not request.stubborn or not self._reached or (failure.sent and not request.repeatable):
                    raise errors[0] from None
            except Untrusted:  # another may be known at the next try
                self.lost()
                raise
            except Unreachable as gone:  # the address file went with the engine
                errors[:] = [gone]
                if not self._reached or not request.stubborn:
                    raise
            until = until or time.monotonic() + self.patience
            if time.monotonic() + pause > until:
                raise errors[0]
            yield Pause(pause)
            pause = min(pause * 1.5, 1.0)

    def call(self, method: str, path: str, body: Optional[object] = None, *, wait: float = 0.0, key: str = "",
             repeatable: bool = True, patient: bool = False, stubborn: bool = True) -> Steps[Json]:
        headers = {}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers["Idempotency-Key"] = key
        response = yield from self.exchange(Request(
            method, path, b"" if body is None else body if isinstance(body, bytes) else dumps(body), headers=headers,
            silence=wait + 30.0, repeatable=repeatable, stubborn=stubborn,
            patient=stubborn and (patient or method == "GET")))  # an engine that stops answers 503
        try:
            value = json.loads(response.body)
        except ValueError:
            value = None
        if not isinstance(value, dict):
            raise ProtocolError("the answer to %s %s is not a JSON object; is this address a Yardmaster engine?"
                                % (method, path))
        return value

    # --- submitting

    def prepared(self, action: Mapping[str, Any]) -> Tuple[Json, Dict[str, Content]]:
        """The action as it is posted, and the content of its inputs by hash."""
        ready = dict(action)
        contents: Dict[str, Content] = {}
        inputs = ready.get("inputs")
        if inputs:
            hashes = {}
            for name, content in inputs.items():
                hashes[name] = hash_of(content)
                if not is_hash(content):
                    contents[hashes[name]] = content
            ready["inputs"] = hashes
        if isinstance(ready.get("cwd"), (bytes, os.PathLike)):
            ready["cwd"] = text_of(ready["cwd"])
        if isinstance(ready.get("argv"), (list, tuple)):
            ready["argv"] = [text_of(a) if isinstance(a, (bytes, os.PathLike)) else a for a in ready["argv"]]
        if isinstance(ready.get("env"), Mapping) and any(isinstance(v, bytes) for v in ready["env"].values()):
            ready["env"] = {k: text_of(v) if isinstance(v, bytes) else v for k, v in ready["env"].items()}
        return {k: v for k, v in ready.items() if v is not None}, contents

    def post_actions(self, body: object, contents: Mapping[str, Content], queue: Union[int, str, None], key: str,
                     patient: bool, wait: float = 0.0) -> Steps[Json]:
        path = queue_path(queue, "jobs") + ("?wait=%.3f" % wait if wait > 0 else "")
        text = dumps(body)
        for _ in range(8):
            try:
                return (yield from self.call("POST", path, text, key=key, wait=wait, patient=patient))
            except NeedChunks as error:
                missing = [h for h in error.need if h not in contents]
                if missing or not error.need:
                    raise
                for needed in error.need:
                    yield from self.put_chunk(contents[needed], needed)
        raise ProtocolError("the engine asks for the same chunks again and again")

    def submit(self, action: Mapping[str, Any], queue: Union[int, str, None] = None, key: Optional[str] = None,
               patient: bool = False) -> Steps[int]:
        ready, contents = self.prepared(action)
        answer = yield from self.post_actions(ready, contents, queue, key or new_key(), patient)
        return int(answer["lsn"])

    def submit_all(self, actions: Iterable[Mapping[str, Any]], queue: Union[int, str, None] = None,
                   key: Optional[str] = None, patient: bool = False) -> Steps[List[int]]:
        bodies: List[Json] = []
        contents: Dict[str, Content] = {}
        for action in actions:
            ready, more = self.prepared(action)
            bodies.append(ready)
            contents.update(more)
        answer = yield from self.post_actions(bodies, contents, queue, key or new_key(), patient)
        return [int(lsn) for lsn in answer["lsns"]]

    def submit_and_wait(self, action: Mapping[str, Any], queue: Union[int, str, None] = None,
                        timeout: Optional[float] = None, key: Optional[str] = None, patient: bool = False) -> Steps[Result]:
        """One request where the action ends soon."""
        until = None if timeout is None else time.monotonic() + timeout
        ready, contents = self.prepared(action)
        wait = LONGEST_WAIT if timeout is None else max(0.001, min(LONGEST_WAIT, timeout))
        answer = yield from self.post_actions(ready, contents, queue, key or new_key(), patient, wait)
        if "state" in answer:
            result = Result(answer)
            if result.is_final:
                return result
        return (yield from self.result(int(answer["lsn"]), None if until is None else until - time.monotonic()))

    # --- results

    def look(self, lsn: int, wait: float = 0.0) -> Steps[Result]:
        """As it is now, or after `wait` seconds."""
        path = "jobs/%d" % lsn + ("?wait=%.3f" % wait if wait > 0 else "")
        return Result((yield from self.call("GET", path, wait=wait)))

    def result(self, lsn: int, timeout: Optional[float] = None) -> Steps[Result]:
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = LONGEST_WAIT if until is None else min(LONGEST_WAIT, until - time.monotonic())
            result = yield from self.look(lsn, max(0.0, left))
            if result.is_final:
                return result
            if until is not None and time.monotonic() >= until:
                raise TimeoutError("action %d is %s after %.3g s" % (lsn, result.state, timeout or 0))

    def looks(self, lsns: Sequence[int]) -> Steps[Dict[int, Result]]:
        """Many as they are now; those that are not there are absent."""
        found: Dict[int, Result] = {}
        for at in range(0, len(lsns), MOST_ROWS):
            part = lsns[at:at + MOST_ROWS]
            cursor = ""
            while True:
                query = {"lsn": ",".join(map(str, part)), "limit": "1000"}
                if cursor:
                    query["cursor"] = cursor
                answer = yield from self.call("GET", "jobs?" + urlencode(query, safe=","))
                for row in answer["jobs"]:
                    found[int(row["lsn"])] = Result(row)
                cursor = answer.get("cursor") or ""
                if not cursor:
                    break
        return found

    def wait_all(self, lsns: Iterable[int], timeout: Optional[float]) -> Steps[Tuple[List[Result], List[int]]]:
        """Until all have ended: one after the other, as the last of them is the one that counts."""
        asked = list(dict.fromkeys(lsns))
        left = asked
        until = None if timeout is None else time.monotonic() + timeout
        done: Dict[int, Result] = {}
        while left:
            seen = yield from self.looks(left)
            for lsn in left:
                if lsn not in seen:
                    raise NotFound(404, "not_found", "There is no action %d." % lsn)
            done.update((lsn, seen[lsn]) for lsn in left if seen[lsn].is_final)
            left = [lsn for lsn in left if not seen[lsn].is_final]
            if not left:
                break
            try:
                yield from self.result(left[-1], None if until is None else max(0.0, until - time.monotonic()))
            except TimeoutError:
                break
        return [done[lsn] for lsn in asked if lsn in done], left

    def page(self, query: Mapping[str, Any]) -> Steps[Tuple[List[Result], str]]:
        answer = yield from self.call("GET", "jobs?" + urlencode({k: v for k, v in query.items() if v is not None}))
        return [Result(row) for row in answer["jobs"]], answer.get("cursor") or ""

    def stream(self, lsn: int, name: str, attempt: Optional[int]) -> Steps[bytes]:
        path = "jobs/%d/%s" % (lsn, name) + ("" if attempt is None else "?attempt=%d" % attempt)
        return (yield from self.exchange(Request("GET", path, patient=True, limit=_ANY_SIZE))).body

    def run(self, argv: Union[str, Sequence[Argument]], fields: Mapping[str, Any], queue: Union[int, str, None],
            timeout: Optional[float]) -> Steps[Result]:
        action: Json = {"worker": "exec", "argv": ["/bin/sh", "-c", argv] if isinstance(argv, str) else
                        list(argv), "cwd": os.getcwdb(), "max_retries": 0}
        action.update(fields)
        if "env" not in action:
            action["env"] = kept_environment()
        result = yield from self.submit_and_wait(action, queue, timeout)
        result.stdout = yield from self.kept_stream(result, "stdout")
        result.stderr = yield from self.kept_stream(result, "stderr")
        return result

    def kept_stream(self, result: Result, name: str) -> Steps[bytes]:
        kept = result.get(name)
        if not isinstance(kept, dict) or kept.get("size") == 0:
            return b""
        return (yield from self.stream(result.lsn, name, None))

    # --- chunks

    def put_chunk(self, content: Content, known: str = "") -> Steps[str]:
        name = known or hash_of(content)
        if is_hash(content):
            return name
        headers = {"Content-Type": "application/octet-stream"}
        data, path = (content, None) if isinstance(content, bytes) else (b"", os.fspath(content))
        yield from self.exchange(Request("PUT", "chunks/" + name, data, path, headers, silence=300.0))
        return name

    def has_chunk(self, name: str) -> Steps[bool]:
        try:
            yield from self.exchange(Request("HEAD", "chunks/" + name))
            return True
        except EngineError as error:
            if error.status == 404:
                return False
            raise

    def get_chunk(self, name: str, sink: Optional[Sink] = None, lsn: int = 0) -> Steps[bytes]:
        """`lsn`: an action that left it, which a token that only reads has to name."""
        path = "chunks/" + name + ("?lsn=%d" % lsn if lsn else "")
        request = Request("GET", path, sink=sink, repeatable=sink is None, patient=True, limit=_ANY_SIZE)
        return (yield from self.exchange(request)).body

    def output(self, result: Result, name: str) -> Steps[bytes]:
        try:
            kept = result.outputs[name]
        except KeyError:
            raise NotFound(404, "not_found", "Action %d has no output %r." % (result.lsn, name)) from None
        return (yield from self.get_chunk(str(kept["hash"]), lsn=result.lsn))

    def save_chunk(self, name: str, path: str, lsn: int = 0) -> Steps[None]:
        """Whole or not at all."""
        part = "%s.part-%d-%s" % (path, os.getpid(), uuid.uuid4().hex[:8])
        try:
            with open(part, "wb") as file:
                digest = hashlib.sha256()

                def take(data: bytes) -> None:
                    digest.update(data)
                    file.write(data)

                yield from self.get_chunk(name, take, lsn)
            if digest.hexdigest() != name:
                raise ProtocolError("chunk %s came damaged" % name)
            os.replace(part, path)
        finally:
            if os.path.exists(part):
                os.unlink(part)

    def save_outputs(self, result: Result, directory: str) -> Steps[List[str]]:
        saved = []
        for name, kept in result.outputs.items():
            if os.path.isabs(name) or ".." in name.split("/"):
                raise ProtocolError("the output %r would lie outside of the directory" % name)
            path = os.path.join(directory, name)
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            yield from self.save_chunk(str(kept["hash"]), path, result.lsn)
            saved.append(path)
        return saved

    # --- changing

    def change(self, what: str, lsns: Sequence[int], more: Mapping[str, Any]) -> Steps[Json]:
        """cancel, retry, retire, hold or release: one, or many at once."""
        total: Json = {"changed": 0, "refused": []}
        for at in range(0, len(lsns), MOST_ROWS):
            body = dict(more, lsns=list(lsns[at:at + MOST_ROWS]))
            answer = yield from self.call("POST", "jobs/" + what, body, repeatable=what != "retry")
            total["changed"] += answer.get("changed", 0)
            total["refused"] += answer.get("refused", [])
        return total

    def move(self, lsns: Sequence[int], to: MovePlace, before: Optional[int]) -> Steps[Json]:
        """Where they go depends on all of them: never in parts. Asked again, "up" would go up twice."""
        if not lsns:
            return {"changed": 0, "refused": []}
        body = {"lsns": list(lsns), "to": to if before is None else {"before": before}}
        again = before is not None or to in ("top", "bottom")
        answer = yield from self.call("POST", "jobs/move", body, repeatable=again)
        return {"refused": [], **answer}

    # --- queues, workers

    def create_queue(self, tag: Optional[str], config: Mapping[str, Any], repeatable: bool = False) -> Steps[Json]:
        body: Json = {}
        if tag is not None:
            body["tag"] = tag
        if config:
            body["config"] = dict(config)
        return (yield from self.call("POST", "queues", body, repeatable=repeatable, patient=repeatable))

    def queue(self, ref: Union[int, str]) -> Steps[Json]:
        """By number, token or tag."""
        text = str(ref)
        if text.isdigit() or len(text) == 24:
            return (yield from self.call("GET", "queues/" + quote(text, safe="")))
        answer = yield from self.call("GET", "queues")
        found = [q for q in answer["queues"] if q.get("tag") == text]
        if len(found) > 1:
            raise Conflict(409, "wrong_state", "Queues %s have the tag %s: name one by its number."
                           % (" and ".join(str(q["queue_id"]) for q in found), text))
        if not found:
            raise NotFound(404, "not_found", "There is no queue %s." % text)
        return dict(found[0])

    def register_worker(self, descriptor: Mapping[str, Any], contents: Mapping[str, Content],
                        progress: Optional[Progress] = None) -> Steps[str]:
        """The id: registering the same again changes nothing."""
        files = [dict(f) for f in descriptor.get("files", [])]
        by_hash: Dict[str, Content] = {}
        sizes: Dict[str, int] = {}
        total = 0
        for number, file in enumerate(files):
            content = contents.get(file["path"])
            if content is None:
                continue
            file["hash"] = hash_of(content)
            file["size"] = len(content) if isinstance(content, bytes) else os.stat(content).st_size
            by_hash[file["hash"]] = content
            sizes[file["hash"]] = file["size"]
            total += file["size"]
            if progress is not None:
                progress("hashed", number + 1, total, len(files))
        text = canonical(dict(descriptor, files=files))
        worker = hashlib.sha256(text).hexdigest()
        if len(files) > 100:  # to look is less work than to say it all again
            try:
                yield from self.call("GET", "workers/" + worker)
                return worker
            except NotFound:
                pass
        for _ in range(8):
            try:
                yield from self.call("POST", "workers/" + worker, text)
                return worker
            except NeedChunks as error:
                if not error.need or any(h not in by_hash for h in error.need):
                    raise
                sent, wanted = 0, sum(sizes[h] for h in error.need)
                for number, needed in enumerate(error.need):
                    if progress is not None:
                        progress("sent", number, sent, len(error.need), wanted)
                    yield from self.put_chunk(by_hash[needed], needed)
                    sent += sizes[needed]
        raise ProtocolError("the engine asks for the same chunks again and again")


def canonical(value: object) -> bytes:
    """RFC 8785 for what descriptors have: names in ASCII order, whole numbers, and fractions as JavaScript writes them."""
    return json.dumps(_plain(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def new_key() -> str:
    return uuid.uuid4().hex


def _error_of(response: Response) -> EngineError:
    text = response.body.decode("utf-8", "replace")
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    return error_of(response.status, body, text)

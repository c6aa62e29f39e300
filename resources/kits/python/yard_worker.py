"""Yardmaster worker kit for Python: one file, standard library only. Put it beside your worker.

    #!/usr/bin/env python3
    import yard_worker

    @yard_worker.function("1")
    def add(args, job):
        return args["a"] + args["b"]

    yard_worker.run()

The same file serves in both modes of a worker descriptor. "warm": started once, answers requests over the socket in
YARD_SOCKET_FD. "process": started once for each action, which YARD_ACTION describes; the result is printed. With
--describe it prints its functions as JSON and ends.

A function gets `args` (the action's, as Python values) and `job`: `job.lsn`, and `job.inputs` and `job.outputs`,
directories as text, or None where a warm action has none: see "io" of the descriptor. job.progress(0.4, "packing") says how
far it is. `job.resources_given` is what a warm action and its process have of what is told apart: {"gpus": ["1"]}; else
YARD_RESOURCE_GPUS says so. What it returns becomes the result (JSON, at most
64 KiB). Raise Fail("what went wrong", 3) to fail with a message and an exit code, an integer from 0 to 255; any other
exception, BaseException included, fails the action with exit code 1 and prints its traceback to stderr; sys.exit() ends
the action, not the worker. With run(concurrency=8), eight threads work on as many requests at once.

Objects (docs/objects.md of Yardmaster): a function that looks at one object of a type and says what becomes of it. Nothing is
written here; the engine does that. What it raises is kept with the object, which is looked at again later.

    @yard_worker.tick("snapshot")
    def look(o):
        if o.status == "queued":
            return o.move("started", effects=[yard_worker.create("result", key=o.fields["url"], url=o.fields["url"])])
        if o.children.pending:
            return o.wait(5)
        return o.move("sealed")

    @yard_worker.effect("write_index")  # of yard_worker.call("write_index", path="/tmp/index"): may come more than once
    def write_index(args, object_id, attempt):
        ...
"""

import functools
import json
import operator
import os
import socket
import struct
import sys
import threading
import time
import traceback

_functions = {}
_ticks = {}
_effects = {}
_MAX_RESULT = 64 * 1024
_MAX_FRAME = 1024 * 1024
_MAX_MESSAGE = 4000
_MAX_PROGRESS = 200
_PROGRESS_EVERY = 0.1


class Fail(Exception):
    """The action fails with this message and exit code."""

    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


class Job:
    __slots__ = ("lsn", "inputs", "outputs", "resources_given", "_tell", "_next")

    def __init__(self, lsn, inputs, outputs, tell, resources_given=None):
        self.lsn = lsn
        self.inputs = inputs
        self.outputs = outputs
        self.resources_given = resources_given or {}
        self._tell = tell
        self._next = 0

    def progress(self, fraction=None, message=None):
        """Says how far the action is, from 0 to 1, and in one line what it does. Costs little: of more than ten calls a second
        the others are passed over."""
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _PROGRESS_EVERY
        said = {"progress": None if fraction is None or fraction != fraction else min(max(float(fraction), 0.0), 1.0)}
        if message is not None:
            said["message"] = _words(message)[:_MAX_PROGRESS]
        try:
            self._tell(_json(said))
        except OSError:
            pass  # nobody hears it, which is no failure of the action


def function(version="1", name=None, files=False):
    """Makes a function known under its own name, or `name`. `files`: it writes to job.outputs also for actions that name no
    files."""

    def add(body):
        _functions[name or body.__name__] = (body, version, files)
        return body

    return add


class Counts(dict):
    """How many children there are by status; `pending` of them have not ended."""

    pending = 0


class Object:
    """What one look sees: `id`, `type`, `status`, `fields`, `retries`, `revision`, `key`, `children`, `parent` (an Object or
    None), `actions` (what its looks submitted, by their names), `now` and `deadline_s` of this look, and `raw`, all that the engine said."""

    __slots__ = ("id", "type", "status", "fields", "retries", "revision", "key", "children", "parent", "actions", "now",
                 "deadline_s", "raw")

    def __init__(self, raw, tick=None):
        tick = tick or {}
        self.raw = raw
        self.id, self.type, self.status = raw["id"], raw["type"], raw["status"]
        self.fields, self.key = raw.get("fields", {}), raw.get("key")
        self.retries, self.revision = raw.get("retries", 0), raw.get("revision", 0)
        self.children = Counts(tick.get("children", raw.get("children", {})))
        self.children.pending = tick.get("pending", 0)
        self.parent = Object(tick["parent"]) if tick.get("parent") else None
        self.actions = tick.get("actions", {})
        self.now, self.deadline_s = tick.get("now"), tick.get("deadline_s")

    def move(self, status, look_in=None, set=None, effects=()):
        """Its next status; it is looked at again at once, or in so many seconds."""
        return dict(self.wait(look_in, set, effects), move=status)

    def wait(self, look_in=None, set=None, effects=()):
        """It stays as it is for so many seconds, or as long as its type says."""
        answer = {}
        if look_in is not None:
            answer["look_in_s"] = look_in
        if set:
            answer["set"] = set
        if effects:
            answer["effects"] = list(effects)
        return answer


def tick(type):
    """Looks at objects of that type. The function answers with what o.move() or o.wait() returns; None is o.wait()."""

    def add(body):
        _ticks[type] = body
        return body

    return add


def effect(name):
    """Carries out call(name, …). It is repeated until it succeeds, so it has to be able to run twice."""

    def add(body):
        _effects[name] = body
        return body

    return add


def create(type, key=None, parent=None, status=None, **fields):
    """An effect: a new object, once. The one that is looked at becomes its parent where its type says so."""
    new = {"type": type, "fields": fields}
    for name, value in (("key", key), ("parent", parent), ("status", status)):
        if value is not None:
            new[name] = value
    return {"create": new}


def submit(action, name=None):
    """An effect: an action, once. `action` is what POST jobs takes. When it ends the object is due, and looks see what became of
    it as `o.actions[name]`: {"lsn", "state", "reason", "exit_code", "note", "outputs", "result"}."""
    return {"submit": action} if name is None else {"submit": action, "as": name}


def wake(*whom):
    """An effect: others are due now: numbers of objects, "parent" or "children"."""
    return {"wake": whom[0] if len(whom) == 1 and isinstance(whom[0], str) else list(whom)}


def call(name, **args):
    """An effect: the function of @effect(name) is called by an actor of the type, at least once."""
    return {"call": name, "args": args}


def run(concurrency=1, ahead=None):
    """Serves until the engine closes the socket, or runs the one action of YARD_ACTION. Does not return.

    `ahead=0` forbids the engine to send requests beyond `concurrency`."""
    if "--describe" in sys.argv[1:]:
        known = [{"name": n, "version": v, **({"files": True} if files else {})}
                 for n, (_, v, files) in sorted(_functions.items())]
        if (_ticks or _effects) and "tick" not in _functions:
            known.append({"name": "tick", "version": "1"})  # what types of objects name
        print(json.dumps({"functions": known}))
        sys.exit(0)
    if "YARD_SOCKET_FD" in os.environ:
        _serve(int(os.environ["YARD_SOCKET_FD"]), concurrency, ahead)
        sys.exit(0)
    if "YARD_ACTION" in os.environ:
        sys.exit(_run_once(os.environ["YARD_ACTION"]))
    print("This is a Yardmaster worker: register it with `yardctl workers add`, or ask it with --describe.",
          file=sys.stderr)
    sys.exit(2)


def _call(name, args, job):
    """Exit code, result as JSON text or None, message or None: the same in both modes, whatever the function raises."""
    entry = _functions.get(name)
    if entry is None:
        return _failed(1, "this worker has no function %r" % name)
    try:
        value = entry[0](args, job)
        if value is None:
            return 0, None, None
        result = _json(value)
        if len(result.encode()) > _MAX_RESULT:
            return _failed(1, "the result of %s is over 64 KiB: write it into a file in job.outputs" % name)
        return 0, result, None
    except Fail as failure:
        return _failed(getattr(failure, "exit_code", 1), _words(failure))
    except SystemExit as end:  # the end of this action, as it is in process mode, not of the worker
        if end.code is None or isinstance(end.code, int):
            return _failed(end.code or 0, None)
        return _failed(1, _words(end.code))
    except BaseException as error:  # whatever it is, it is this request's failure and not the next one's
        _try(traceback.print_exc)
        return _failed(1, "%s: %s" % (type(error).__name__, _words(error)))


def _look(request):
    """The answer to what an actor is asked, as text."""
    try:
        text = _json(dict(_looked(request), exit_code=0))
        if len(text.encode()) > _MAX_FRAME - 8:
            raise Fail("the answer of a look is over 1 MiB")
        return text
    except Fail as failure:
        return _answer(*_failed(getattr(failure, "exit_code", 1) or 1, _words(failure)))
    except BaseException as error:
        _try(traceback.print_exc)
        return _answer(*_failed(1, "%s: %s" % (type(error).__name__, _words(error))))


def _looked(request):
    """What the function says that looks at the object, or carries the effect out."""
    if "tick" in request:
        seen = Object(request["tick"]["object"], request["tick"])
        if seen.type not in _ticks:
            raise Fail("this worker does not look at objects of the type %r" % seen.type)
        return _ticks[seen.type](seen) or {}
    if request["effect"] not in _effects:
        raise Fail("this worker has no effect %r" % request["effect"])
    _effects[request["effect"]](request.get("args"), request["object"], request["attempt"])
    return {}


def _failed(code, message):
    """Another code would end a warm worker, and be cut to 8 bits in process mode: 256 to a success."""
    try:
        number = operator.index(code)
    except TypeError:
        number = -1
    if not 0 <= number <= 255:
        refused = "exit code %s is no integer from 0 to 255" % _words(code)
        number, message = 1, "%s (%s)" % (message, refused) if message else refused
    return number, None, None if message is None else _clean(message)


def _words(value):
    try:
        return str(value)
    except Exception:
        return "<%s without words>" % type(value).__name__


def _json(value):
    return _clean(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _clean(text):
    """Halves of characters, as os.fsdecode() makes them of a file's name, are no UTF-8."""
    return text.encode("utf-8", "replace").decode()


def _try(tell, *args, **named):
    """The function may have closed or replaced stdout and stderr: that alone is no failure."""
    try:
        tell(*args, **named)
    except Exception:
        pass


def _tell_file(text):
    path = os.environ.get("YARD_STATUS")
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + "\n")


def _run_once(path):
    with open(path, encoding="utf-8") as file:
        action = json.load(file)
    code, result, message = _call(action["function"], action.get("args"), Job(action["lsn"], "inputs", "outputs", _tell_file))
    if result is not None:
        print(result)
    if message is not None:
        _try(print, message, file=sys.stderr)
    _try(lambda: sys.stdout.flush())
    return code


class _Stream:
    """Frames of a socket: 4 bytes of length, 8 of request id, JSON. Safe for many threads."""

    def __init__(self, fd):
        os.set_inheritable(fd, False)
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(True)
        self._buffer = b""
        self._at = 0
        self._reading = threading.Lock()
        self._writing = threading.Lock()

    def read(self):
        """Request id and JSON bytes of the next frame; None when the engine has closed the socket."""
        with self._reading:
            head = self._take(12)
            if head is None:
                return None
            length, request = struct.unpack("<IQ", head)
            if length < 8 or length > _MAX_FRAME:
                raise OSError("the engine sent a frame of %d bytes" % length)
            body = self._take(length - 8)
            return None if body is None else (request, body)

    def _take(self, count):
        end = self._at + count
        while len(self._buffer) < end:
            more = self._socket.recv(65536)
            if not more:
                return None
            self._buffer = self._buffer[self._at:] + more
            self._at = 0
            end = count
        taken = self._buffer[self._at:end]
        self._at = end
        return taken

    def write(self, request, text):
        body = text.encode()
        frame = struct.pack("<IQ", len(body) + 8, request) + body
        with self._writing:
            self._socket.sendall(frame)


def _answer(code, result, message):
    if message is None:
        return '{"exit_code":%d}' % code if result is None else '{"exit_code":%d,"result":%s}' % (code, result)
    short = message.encode()[:_MAX_MESSAGE].decode("utf-8", "ignore")  # not the half of a character
    return '{"exit_code":%d,"message":%s}' % (code, json.dumps(short))


def _serve(fd, concurrency, ahead):
    stream = _Stream(fd)
    ready = {"ready": True, "concurrency": concurrency}
    if ahead is not None:
        ready["ahead"] = ahead
    stream.write(0, json.dumps(ready))

    def work():
        try:
            while True:
                frame = stream.read()
                if frame is None:
                    return
                request = json.loads(frame[1])
                if "tick" in request or "effect" in request:
                    answer = _look(request)
                else:
                    job = Job(request["lsn"], request.get("inputs"), request.get("outputs"),
                              functools.partial(stream.write, frame[0]), request.get("resources_given"))
                    answer = _answer(*_call(request["function"], request.get("args"), job))
                _try(lambda: sys.stdout.flush())  # before anybody knows that it is done: what it printed is there then
                stream.write(frame[0], answer)
        except (BrokenPipeError, ConnectionResetError):
            return  # the engine ends this worker

    def work_beside():
        try:
            work()
        except BaseException:  # not this thread alone: its request would wait for its deadline
            _try(traceback.print_exc)
            os._exit(1)

    others = [threading.Thread(target=work_beside, daemon=True) for _ in range(concurrency - 1)]
    for thread in others:
        thread.start()
    work()
    for thread in others:
        thread.join()

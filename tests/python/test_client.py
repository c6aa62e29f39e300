#!/usr/bin/env python3
"""Without an engine: where it is looked for, bytes of HTTP and WebSocket, hostile servers. test_client.py YARDMASTER"""

import hashlib
import json
import os
import pickle
import struct
import tempfile
import unittest
from unittest import mock

import harness
import yardmaster
from yardmaster import _calls, _core, _host, _http, _websocket, endpoint
from yardmaster._core import canonical, hash_of
from yardmaster._http import MAX_HEAD, ResponseParser


class Places(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.data = self.folder.name

    def write(self, name, text):
        with open(os.path.join(self.data, name), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(self.data, name)

    def test_the_data_directory_has_address_and_token(self):
        self.write("address", "http://127.0.0.1:8641\n")
        self.write("token", "secret\n")
        found = endpoint.locate(data_dir=self.data)
        self.assertEqual((found.host, found.port, found.prefix, found.token), ("127.0.0.1", 8641, "/compute", "secret"))
        self.write("address", "http://[::1]:8641/")
        found = endpoint.locate(data_dir=self.data)
        self.assertEqual((found.authority, found.prefix), ("[::1]:8641", ""))

    def test_the_default_directory_is_that_of_yardctl(self):
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "/x", "HOME": "/h"}):
            self.assertEqual(endpoint.default_data_dir(), "/x/yardmaster")
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "relative", "HOME": "/h"}):
            self.assertEqual(endpoint.default_data_dir(), "/h/.local/share/yardmaster")
        with mock.patch.dict(os.environ, {"XDG_DATA_HOME": "", "HOME": ""}):
            self.assertTrue(endpoint.default_data_dir().endswith("/.local/share/yardmaster"))

    def test_a_url_as_people_write_it(self):
        for url, told in (("http://box:1234", ("box", 1234, "/compute")), ("http://box", ("box", 8640, "/compute")),
                          ("http://box/", ("box", 8640, "/compute")), ("http://box/api/", ("box", 8640, "/api")),
                          ("https://box/", ("box", 8640, "/compute"))):
            found = endpoint.locate(url, insecure=True)
            self.assertEqual(found.secure, url.startswith("https"))
            self.assertEqual((found.host, found.port, found.prefix), told, url)

    def test_a_token_goes_to_this_machine_only_unless_it_was_named(self):
        token = self.write("token", "secret")
        with mock.patch.object(endpoint, "default_data_dir", lambda: self.data):
            for url, sent in (("http://127.0.0.1:1", "secret"), ("http://localhost:1", "secret"), ("http://127.example.org", ""),
                              ("http://box:1", "")):
                self.assertEqual(endpoint.locate(url, insecure=True).token, sent, url)
        self.assertEqual(endpoint.locate("https://box:1", token_file=token).token, "secret")
        self.assertEqual(endpoint.locate("https://box:1", data_dir=self.data).token, "secret")
        self.assertEqual(endpoint.locate("https://box:1", token="t").token, "t")

    def test_what_is_no_address_is_said(self):
        for url, words in (("box:1", "neither http:// nor https://"), ("http://box", "plain HTTP to another machine"), ("http://", "no host name"),
                           ("http://box:0", "port"), ("http://box:99999", "is not an address"), ("http://a b", "no host name"),
                           ("http://u@box", "only host"), ("http://box?x", "only host")):
            with self.assertRaises(yardmaster.YardmasterError) as caught:
                endpoint.locate(url)
            self.assertIn(words, str(caught.exception), url)

    def test_an_engine_that_is_not_there_is_said(self):
        with self.assertRaises(yardmaster.Unreachable) as caught:
            yardmaster.Engine(data_dir=self.data).session()
        self.assertIn("no engine serves the data directory " + self.data, str(caught.exception))
        self.write("address", "http://127.0.0.1:1")
        with self.assertRaises(yardmaster.Unreachable) as caught:
            yardmaster.Engine(data_dir=self.data).session()
        self.assertIn("the token cannot be read", str(caught.exception))
        self.write("token", "two words")
        with self.assertRaises(yardmaster.YardmasterError) as caught:
            yardmaster.Engine(data_dir=self.data).session()
        self.assertIn("does not hold a token", str(caught.exception))
        self.write("token", "t")
        with self.assertRaises(yardmaster.Unreachable) as caught:
            yardmaster.Engine(data_dir=self.data).session()
        self.assertIn("no engine answers at http://127.0.0.1:1", str(caught.exception))


class Http(unittest.TestCase):
    def parse(self, *parts, **options):
        parser = ResponseParser(**options)
        for part in parts:
            parser.feed(part)
        return parser

    def test_an_answer_in_any_pieces(self):
        text = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        for cut in range(len(text)):
            parser = self.parse(text[:cut], text[cut:])
            self.assertTrue(parser.complete and parser.keep_alive)
            self.assertEqual(parser.response().body, b"hello")

    def test_an_answer_in_chunks(self):
        text = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: 1\r\n\r\n"
        for cut in range(len(text)):
            parser = self.parse(text[:cut], text[cut:])
            self.assertTrue(parser.complete)
            self.assertEqual(parser.response().body, b"hello!")

    def test_an_answer_until_the_end_of_the_connection(self):
        parser = self.parse(b"HTTP/1.1 200 OK\r\n\r\nhel", b"lo")
        self.assertFalse(parser.complete)
        parser.eof()
        self.assertEqual((parser.response().body, parser.keep_alive), (b"hello", False))

    def test_what_comes_before_an_answer_is_passed_over(self):
        parser = self.parse(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
        self.assertEqual((parser.status, parser.complete), (204, True))

    def test_a_failure_does_not_go_where_the_content_would(self):
        got = []
        self.parse(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", sink=got.append)
        parser = self.parse(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno", sink=got.append)
        self.assertEqual((got, parser.response().body), ([b"ok"], b"no"))

    def test_hostile_answers_are_refused(self):
        for data, options in ((b"SSH-2.0\r\n\r\n", {}), (b"HTTP/1.1 99999\r\n\r\n", {}), (b"x" * (MAX_HEAD + 1), {}),
                              (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", {}),
                              (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", {}),
                              (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * (MAX_HEAD + 1), {}),
                              (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", {"limit": 8})):
            with self.assertRaises(yardmaster.ProtocolError, msg=data[:60]):
                self.parse(data, **options)
        with self.assertRaises(yardmaster.ProtocolError):
            self.parse(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1").eof()

    def engine_of(self, answer):
        def serve(connection, number):
            harness.read_request(connection)
            connection.sendall(answer)

        server = harness.Server(serve)
        self.addCleanup(server.close)
        return yardmaster.Engine(server.url, token="t", patience=0.1)

    def test_what_is_no_engine_is_said(self):
        for answer, kind, words in (
                (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", yardmaster.ProtocolError, "is not a JSON object"),
                (b"HTTP/1.1 502 Bad\r\nContent-Length: 4\r\n\r\nnope", yardmaster.EngineError, "answered 502: nope"),
                (b"HTTP/1.1 500 Bad\r\nContent-Length: 0\r\n\r\n", yardmaster.EngineError, "answered 500;"),
                (b"garbage\r\n\r\n", yardmaster.Unreachable, "the answer is not HTTP"), (b"", yardmaster.Unreachable, "ended early")):
            with self.assertRaises(kind) as caught:
                self.engine_of(answer).session()
            self.assertIn(words, str(caught.exception))

    def test_a_chunk_may_have_any_size(self):
        core = yardmaster.Engine("http://127.0.0.1:1", token="t")._core
        self.assertGreater(next(core.get_chunk("0" * 64)).limit, 1 << 60)
        self.assertEqual(next(core.look(1)).limit, _http.MAX_BODY)

    def test_a_chunk_that_an_action_left_is_asked_for_with_it(self):
        core = yardmaster.Engine("http://127.0.0.1:1", token="t")._core
        kept = "0" * 64
        result = yardmaster.Result({"lsn": 7, "state": "completed", "outputs": {"o": {"hash": kept, "size": 1}}})
        self.assertEqual(next(core.output(result, "o")).path, "chunks/%s?lsn=7" % kept)
        self.assertEqual(next(core.get_chunk(kept)).path, "chunks/" + kept)

    def test_a_token_that_breaks_the_head_is_refused(self):
        with self.assertRaises(ValueError):
            yardmaster.Engine("http://127.0.0.1:1", token="a\r\nb")._transport.send(
                endpoint.Endpoint("127.0.0.1", self.engine_of(b"")._core.endpoint().port, "", "a\r\nb"),
                __import__("yardmaster._http", fromlist=["Request"]).Request("GET", "x"))

    def test_errors_can_be_pickled(self):
        error = yardmaster.Invalid(422, "invalid", "Give it.", "priority", 3, ["x"])
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), again.code, str(again), again.field, again.index, again.need),
                         (yardmaster.Invalid, "invalid", "Give it.", "priority", 3, ["x"]))
        failed = yardmaster.ActionFailed(yardmaster.Result({"lsn": 3, "state": "failed", "reason": "exit_code", "exit_code": 2}))
        self.assertEqual(str(pickle.loads(pickle.dumps(failed))), "action 3 failed: exit code 2")


def frame(opcode, payload, final=True, masked=False):
    size = len(payload)
    head = struct.pack(">BB", (0x80 if final else 0) | opcode, (0x80 if masked else 0) | min(size, 126))
    return head + (struct.pack(">H", size) if size >= 126 else b"") + payload


class WebSocket(unittest.TestCase):
    def test_messages_in_any_pieces(self):
        text = frame(1, b"one") + frame(1, b"tw", final=False) + frame(9, b"ping") + frame(0, b"o") + frame(2, b"x" * 300)
        for cut in range(0, len(text), 7):
            decoder = _websocket.Decoder()
            self.assertEqual(decoder.feed(text[:cut]) + decoder.feed(text[cut:]), [b"one", b"two", b"x" * 300])
            self.assertEqual((decoder.out[0], len(decoder.out)), (0x8A, 10))

    def test_a_frame_of_ours_can_be_read(self):
        for size in (0, 5, 125, 126, 70_000):
            payload = os.urandom(size)
            data = _websocket.encode(1, payload)
            at = 2 if size < 126 else 4 if size < 65536 else 10
            mask = data[at:at + 4]
            self.assertEqual(bytes(b ^ mask[i % 4] for i, b in enumerate(data[at + 4:])), payload)

    def test_a_close_is_answered(self):
        decoder = _websocket.Decoder()
        self.assertEqual(decoder.feed(frame(8, struct.pack(">H", 1001)) + frame(1, b"late")), [])
        self.assertEqual((decoder.closed, decoder.close_code, decoder.out[0]), (True, 1001, 0x88))

    def test_hostile_frames_are_refused(self):
        for data in (frame(1, b"x", masked=True), b"\xc1\x00", frame(3, b""), frame(9, b"x" * 126), frame(9, b"", final=False),
                     frame(0, b"x"), frame(1, b"x", final=False) + frame(1, b"y"),
                     struct.pack(">BBQ", 0x81, 127, _websocket.MAX_MESSAGE + 1)):
            with self.assertRaises(yardmaster.ProtocolError, msg=data[:20]):
                _websocket.Decoder().feed(data)
        decoder = _websocket.Decoder()
        part = struct.pack(">BBQ", 0x01, 127, 1 << 24) + bytes(1 << 24)
        decoder.feed(part)
        with self.assertRaises(yardmaster.ProtocolError):  # in parts it may not be longer either
            decoder.feed(struct.pack(">BBQ", 0x00, 127, (1 << 24) + 1))


class Values(unittest.TestCase):
    def test_content_is_bytes_a_hash_or_a_path(self):
        digest = hashlib.sha256(b"hello").hexdigest()
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"hello")
            file.flush()
            self.assertEqual([hash_of(b"hello"), hash_of(digest), hash_of(file.name)], [digest] * 3)

    def test_a_file_that_changed_is_hashed_anew(self):
        with tempfile.NamedTemporaryFile() as file:
            for text in (b"one", b"two"):
                file.seek(0)
                file.write(text)
                file.flush()
                self.assertEqual(hash_of(file.name), hashlib.sha256(text).hexdigest())
            with mock.patch("time.time_ns", lambda: 1 << 62):  # long unchanged: kept
                for _ in range(2):
                    self.assertEqual(hash_of(file.name), hashlib.sha256(b"two").hexdigest())
                self.assertIn(file.name, _core._hashes)
                file.write(b"!")
                file.flush()
                self.assertEqual(hash_of(file.name), hashlib.sha256(b"two!").hexdigest())

    def test_descriptors_are_canonical(self):
        self.assertEqual(canonical({"b": 1.0, "a": [True, None, "\u00e9"], "c": {"z": 0.5, "y": ()}}),
                         json.dumps({"a": [True, None, "\u00e9"], "b": 1, "c": {"y": [], "z": 0.5}}, ensure_ascii=False,
                                    separators=(",", ":")).encode())

    def calls(self, *names):
        out = []
        for name in names:
            call = _calls.Call(name, b"f", b"p" * 10, None, _calls.MapSink())
            out.append(call)
        return out

    def test_calls_go_alone_until_it_is_known_how_long_they_take(self):
        from collections import deque
        batches = _calls.Batches(2)
        pending = deque(self.calls(*["f"] * 100))
        first = batches.take(pending)
        self.assertEqual(len(first), 1)
        batches.learn(first, 0.001)
        self.assertEqual(len(batches.take(pending)), 50)  # a half of what waits: it takes 50 ms
        batches.learn(first, 0.00001)
        self.assertEqual(len(batches.take(pending)), 25)
        batches.learn(first, 10.0)
        self.assertEqual(len(batches.take(pending)), 1)

    def test_at_least_a_chunk_goes_together(self):
        from collections import deque
        batches = _calls.Batches(2)
        sink = _calls.MapSink()
        calls = [_calls.Call("f", b"f", b"p", None, sink, n, 10) for n in range(100)]
        pending = deque(calls)
        self.assertEqual(len(batches.take(pending)), 10)
        batches.learn(calls, 0.1)
        self.assertEqual(len(batches.take(pending)), 45)
        other = _calls.MapSink()
        pending.insert(3, _calls.Call("slow", b"f", b"p", None, other))
        self.assertEqual(len(batches.take(pending)), 3)

    def test_a_call_whose_process_died_goes_alone(self):
        from collections import deque
        batches = _calls.Batches(1)
        calls = self.calls(*["f"] * 5)
        batches.learn(calls, 0.0)
        calls[2].alone = True
        pending = deque(calls)
        self.assertEqual([len(batches.take(pending)) for _ in range(3)], [2, 1, 2])

    def test_a_client_that_cannot_be_seen_is_taken_to_live(self):
        here = _calls.this_client()
        self.assertTrue(_host._lives(here))
        self.assertTrue(_host._lives(None))
        self.assertFalse(_host._lives([here[0], "1", here[2]]))  # the number is another's now
        self.assertFalse(_host._lives([1 << 30, here[1], here[2]]))
        self.assertTrue(_host._lives([1 << 30, here[1], "elsewhere"]))
        with mock.patch.object(_host, "here", side_effect=OSError):
            self.assertTrue(_host._lives([1 << 30, here[1], here[2]]))

    def test_damaged_outcomes_are_refused(self):
        for data in (b"\x00\x00\x00\x00", b"\x09\x00\x00\x00v"):
            with self.assertRaises(yardmaster.YardmasterError):
                list(_calls.outcomes(data))


if __name__ == "__main__":
    harness.main()

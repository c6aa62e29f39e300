"""The Python client by TLS: an engine that is known, one that is not, and one that shows another key."""

import asyncio
import os
import ssl
import unittest
from unittest import mock

import harness
import yardmaster
from yardmaster import _tls, endpoint


class ByTls(harness.WithEngine):
    OPTIONS = ("--no-sandbox", "--listen", "0.0.0.0:0")

    def setUp(self):
        super().setUp()
        patch = mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": self.folder})
        patch.start()
        self.addCleanup(patch.stop)
        with open(os.path.join(self.data, "address"), encoding="utf-8") as file:
            address, self.fingerprint = file.read().split()
        # By another name than the engine wrote down: its user has to know it.
        self.authority = "127.0.0.1:" + address.rpartition(":")[2]
        self.url = "https://" + self.authority
        self.token = os.path.join(self.data, "token")

    def elsewhere(self, **options):
        engine = yardmaster.Engine(self.url, token_file=self.token, patience=1.0, **options)
        self.addCleanup(engine.close)
        return engine

    def know(self, fingerprint):
        os.makedirs(os.path.join(self.folder, "yardmaster"))
        with open(_tls.known_engines_file(), "w", encoding="utf-8") as file:
            file.write("other:1 %s\n%s %s\n" % ("0" * 64, self.authority, fingerprint))

    def test_who_has_the_directory_knows_the_engine(self):
        self.assertTrue(self.engine.url.startswith("https://0.0.0.0:"))
        self.assertEqual(self.engine.session()["fingerprint"], self.fingerprint)
        self.assertEqual(self.engine.run("echo by TLS").stdout, b"by TLS\n")
        data = os.urandom(3_000_000)
        self.assertEqual(self.engine.get_chunk(self.engine.put_chunk(data)), data)

    def test_events_come(self):
        lsns = [self.engine.submit(worker="exec", argv=["true"], cwd="/") for _ in range(3)]
        self.assertEqual(sorted(r.lsn for r in self.engine.as_completed(lsns, timeout=60)), lsns)

    def test_a_known_engine_is_trusted(self):
        self.know(self.fingerprint)
        self.assertEqual(self.elsewhere().session()["fingerprint"], self.fingerprint)

    def test_a_fingerprint_that_is_given_is_enough(self):
        self.assertEqual(self.elsewhere(fingerprint=self.fingerprint).session()["fingerprint"], self.fingerprint)

    def test_an_unknown_engine_is_refused_with_what_it_shows(self):
        with self.assertRaises(yardmaster.Untrusted) as caught:
            self.elsewhere().session()
        self.assertIn("its fingerprint is " + self.fingerprint, str(caught.exception))
        self.assertIn("add the line '%s %s'" % (self.authority, self.fingerprint), str(caught.exception))
        with self.assertRaises(yardmaster.Untrusted):
            next(iter(self.elsewhere().as_completed([1])))

    def test_another_key_is_refused_with_both(self):
        self.know("a" * 64)
        with self.assertRaises(yardmaster.Untrusted) as caught:
            self.elsewhere().session()
        self.assertIn(self.fingerprint, str(caught.exception))
        self.assertIn("a" * 64, str(caught.exception))

    def test_an_authority_may_vouch_for_it(self):
        certificate = os.path.join(self.data, "tls", "certificate.pem")
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": certificate}):
            _tls.context.cache_clear()
            self.addCleanup(_tls.context.cache_clear)
            self.assertEqual(self.elsewhere().session()["fingerprint"], self.fingerprint)

    def test_asyncio_does_the_same(self):
        async def ask(**options):
            async with yardmaster.AsyncEngine(self.url, token_file=self.token, patience=1.0, **options) as engine:
                found = (await engine.session())["fingerprint"]
                lsn = await engine.submit(worker="exec", argv=["true"], cwd="/")
                async for result in engine.as_completed([lsn], timeout=60):
                    self.assertEqual(result.lsn, lsn)
                return found

        self.assertEqual(asyncio.run(ask(fingerprint=self.fingerprint)), self.fingerprint)
        for options, words in (({}, "is not known here; its fingerprint is " + self.fingerprint),
                               ({"fingerprint": "b" * 64}, "b" * 64)):
            with self.assertRaises(yardmaster.Untrusted) as caught:
                asyncio.run(ask(**options))
            self.assertIn(words, str(caught.exception))

    def test_a_key_that_changed_is_read_again(self):
        known = os.path.join(self.folder, "yardmaster")
        self.know("c" * 64)
        engine = self.elsewhere()
        with self.assertRaises(yardmaster.Untrusted):
            engine.session()
        with open(os.path.join(known, "known_engines"), "w", encoding="utf-8") as file:
            file.write("%s %s\n" % (self.authority, self.fingerprint))
        self.assertEqual(engine.session()["fingerprint"], self.fingerprint)

    def test_the_fingerprint_is_that_of_the_key(self):
        with open(os.path.join(self.data, "tls", "certificate.pem"), encoding="ascii") as file:
            der = ssl.PEM_cert_to_DER_cert(file.read())
        self.assertEqual(_tls.fingerprint_of(der), self.fingerprint)
        for end in range(0, len(der), 7):
            try:
                _tls.fingerprint_of(der[:end])
            except yardmaster.YardmasterError:
                pass


class Files(unittest.TestCase):
    def test_bytes_that_are_no_certificate_are_said(self):
        for der in (b"", b"\x30", b"\x30\x00", b"\x31\x02\x30\x00", b"\x30\x85\x01\x01\x01\x01\x01", b"\x30\x03\x30\x01\xa0",
                    b"\x30\x0c\x30\x0a" + b"\x02\x00" * 5):
            with self.assertRaises(yardmaster.YardmasterError, msg=der):
                _tls.fingerprint_of(der)

    def test_what_is_no_fingerprint_is_said(self):
        with self.assertRaises(yardmaster.YardmasterError) as caught:
            endpoint.locate("https://box", fingerprint="ABC")
        self.assertIn("64 lower-case", str(caught.exception))

    def test_known_engines_that_cannot_be_read_are_said(self):
        with mock.patch.object(_tls, "known_engines_file", lambda: "/"):
            with self.assertRaises(yardmaster.YardmasterError) as caught:
                endpoint.locate("https://box")
        self.assertIn("the known engines cannot be read", str(caught.exception))

    def test_the_file_is_that_of_yardctl(self):
        with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": "/x"}):
            self.assertEqual(_tls.known_engines_file(), "/x/yardmaster/known_engines")
        with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": "relative", "HOME": "/h"}):
            self.assertEqual(_tls.known_engines_file(), "/h/.config/yardmaster/known_engines")
            self.assertEqual(_tls.known_fingerprint("box:1"), "")

    def test_a_server_without_tls_is_said(self):
        server = harness.Server(lambda connection, _: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"))
        self.addCleanup(server.close)
        with self.assertRaises(yardmaster.Unreachable) as caught:
            yardmaster.Engine(server.url.replace("http://", "https://"), token="t", patience=0.1).session()
        self.assertIn("cannot connect", str(caught.exception))


if __name__ == "__main__":
    harness.main()

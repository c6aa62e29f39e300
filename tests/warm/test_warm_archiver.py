#!/usr/bin/env python3
"""The sample archiver on a site with pages that are slow, broken, endless and redirected in a circle, while the engine is killed.
test_warm_archiver.py YARDMASTER; YARD_ARCHIVER_PAGES and YARD_ARCHIVER_KILLS for longer ones."""

import glob
import http.server
import json
import os
import signal
import threading

import warm_case
from warm_case import WarmCase
from waiting import wait_for

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "samples", "archiver")
PAGES = int(os.environ.get("YARD_ARCHIVER_PAGES", "40"))
KILLS = int(os.environ.get("YARD_ARCHIVER_KILLS", "4"))
PER_PAGE = 8  # pages that each one leads to
BROKEN = ("gone", "broken", "short", "endless", "circle", "never")


class Site(http.server.BaseHTTPRequestHandler):
    """/0 leads to all pages, each to PER_PAGE behind it and to the one before; every tenth is slow, every seventh fails at first."""

    protocol_version = "HTTP/1.1"
    failed = set()
    stopped = threading.Event()

    def log_message(self, *args):
        pass

    def do_GET(self):
        try:
            self.answer(self.path[1:])
        except OSError:
            pass  # whoever asked was killed

    def answer(self, name):
        if name.isdigit() and int(name) < PAGES:
            return self.page(int(name))
        if name == "picture.png":
            return self.send(200, b"\x89PNG", "image/png")
        if name == "broken":
            return self.send(500, b"no")
        if name == "short":  # fewer bytes than it says
            return self.send(200, b"<title>short", length=1000)
        if name == "never":  # no answer at all
            self.stopped.wait(60)
            self.close_connection = True
            return None
        if name == "endless":
            return self.endless()
        if name in ("circle", "back"):
            return self.send(302, b"", location="/back" if name == "circle" else "/circle")
        return self.send(404, b"no such page")

    def page(self, number):
        if number % 7 == 3 and number not in self.failed:
            self.failed.add(number)
            return self.send(503, b"later")
        if number % 10 == 5:
            self.stopped.wait(0.3)
        first = number * PER_PAGE + 1
        links = ["/%d" % n for n in range(first, min(first + PER_PAGE, PAGES))] + ["/%d#top" % max(number - 1, 0)]
        links += ["/" + name for name in BROKEN] if number == 0 else []
        links += ["http://elsewhere.invalid/", "mailto:a@b", "javascript:void(0)", "http://[odd"]
        body = "<html><head><title>Page %d</title><script>no text</script></head><body><p>Text of %d<img src=/picture.png>%s" % (
            number, number, "".join('<a href="%s">on</a>' % link for link in links))
        return self.send(200, body.encode())

    def send(self, status, body, kind="text/html; charset=utf-8", length=None, location=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
        self.send_header("Connection", "close")
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def endless(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Connection", "close")
        self.end_headers()
        while not self.stopped.is_set():
            self.wfile.write(b"<p>more</p>" * 4096)


class Archiver(WarmCase):
    def setUp(self):
        super().setUp()
        Site.failed = set()
        Site.stopped = threading.Event()
        self.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.site.daemon_threads = True
        serving = threading.Thread(target=self.site.serve_forever, daemon=True)
        serving.start()
        self.addCleanup(self.site.server_close)
        self.addCleanup(self.site.shutdown)
        self.addCleanup(Site.stopped.set)
        self.url = "http://127.0.0.1:%d/" % self.site.server_address[1]
        with open(os.path.join(SAMPLE, "worker.json"), encoding="utf-8") as file:
            descriptor = json.load(file)
        descriptor["files"] = [self.file(name) for name in descriptor["files"]]
        descriptor["platform"] = "linux-x86_64"
        self.archive = self.path("archive")
        descriptor["environment"] = {"ARCHIVER_DIR": self.archive, "ARCHIVER_SECONDS": "15", "ARCHIVER_PAUSE_S": "0.5"}
        self.add_worker(descriptor)
        for name in ("crawl", "snapshot", "result"):
            with open(os.path.join(SAMPLE, "types", name + ".json"), encoding="utf-8") as file:
                kind = json.load(file)
            if "actor" in kind:
                kind["actor"]["max_tick_time_s"] = 5  # so long waits what was looked at when the engine was killed
            self.call("POST", "types", kind)

    def file(self, name):
        with open(os.path.join(SAMPLE, name), "rb") as file:
            content = file.read()
        return {"path": name, "hash": self.chunk(content), "size": len(content), "mode": "0755"}

    def counts(self, name):
        return {status: n for status, n in self.call("GET", "types/" + name)["counts"].items() if n}

    def kill(self):
        self.engine.send_signal(signal.SIGKILL)
        self.engine.wait()
        self.engine.stdout.close()

    def objects(self, kind):
        return self.all_of("objects", "type=%s&sort=id" % kind)

    def test_each_page_is_kept_once_and_what_cannot_be_had_failed_with_a_reason_whatever_is_killed(self):
        crawl = self.call("POST", "objects", {"type": "crawl", "fields": {"url": self.url + "0", "depth": 9}})["id"]
        ended = lambda: sum(self.counts("snapshot").get(end, 0) for end in ("sealed", "failed"))  # noqa: E731
        for kill in range(KILLS):
            wait_for(lambda: ended() >= (kill + 1) * PAGES // (KILLS + 2), "it gets on after %d kills" % kill, 120)
            self.kill()
            self.start()
        done = lambda: self.call("GET", "objects/%d" % crawl)  # noqa: E731
        wait_for(lambda: done()["status"] in ("sealed", "failed"), "the crawl is complete", 300)
        self.assertEqual({name: done()["fields"][name] for name in ("pages", "failed")}, {"pages": PAGES, "failed": len(BROKEN)})
        snapshots = self.objects("snapshot")
        self.assertEqual(sorted(s["fields"]["url"] for s in snapshots),
                         sorted([self.url + str(n) for n in range(PAGES)] + [self.url + name for name in BROKEN]))
        self.assertEqual({s["fields"]["url"][len(self.url):] for s in snapshots if s["status"] == "failed"}, set(BROKEN))
        for snapshot in snapshots:
            self.assertTrue(snapshot["status"] == "sealed" or snapshot["fields"]["error"], snapshot)
        self.every_result_is_there(snapshots)
        wait_for(lambda: self.call("GET", "orchestrator")["outbox"] == 0, "each effect is carried out")
        view = self.call("GET", "orchestrator")
        self.assertEqual((view["stuck"], view["orphan_count"], sum(t["due"] for t in view["types"])), (0, 0, 0))
        self.the_index_has_each_page_once()

    def every_result_is_there(self, snapshots):
        names = {}
        for result in self.objects("result"):
            self.assertEqual(result["status"], "kept")
            names.setdefault(result["parent"], []).append(result["fields"]["name"])
        sealed = [s for s in snapshots if s["status"] == "sealed"]
        self.assertEqual(sorted(names), [s["id"] for s in sealed])
        for found in names.values():
            self.assertEqual(sorted(found), ["links.json", "page", "picture-0", "text.txt"])
        some = self.all_of("objects", "type=result&q=name:text.txt")[0]
        self.assertEqual(self.call("GET", "jobs/%d" % some["fields"]["action"])["object"], some["parent"])

    def the_index_has_each_page_once(self):
        (index,) = glob.glob(os.path.join(self.archive, "crawl-*.jsonl"))
        with open(index, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.assertEqual(sorted(row["url"] for row in rows), sorted(self.url + str(n) for n in range(PAGES)))
        self.assertEqual({row["title"] for row in rows}, {"Page %d" % n for n in range(PAGES)})


if __name__ == "__main__":
    warm_case.main()

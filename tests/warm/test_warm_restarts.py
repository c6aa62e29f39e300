#!/usr/bin/env python3
"""Restarts of warm processes: asked for, rolling, rolled back, by a new version.
test_warm_restarts.py YARDMASTER"""

import os
import shutil
import sys

import warm_case
from waiting import wait_for
from warm_case import WORKER, WarmCase


class Restarts(WarmCase):
    def test_restart_txt(self):
        worker = self.register(pool={"max_processes": 1})
        first = self.value("pid")
        sign = os.path.join(self.data, "workers", worker, "tmp", "restart.txt")
        open(sign, "w").close()
        second = self.value("pid")
        self.assertNotEqual(second, first)
        self.assertEqual(self.value("pid"), second)

    def test_a_restart_asked_for_right_before_a_submission_holds_for_it(self):
        worker = self.register(pool={"max_processes": 1})
        sign = os.path.join(self.data, "workers", worker, "tmp", "restart.txt")
        before = self.value("pid")
        open(sign, "w").close()
        for second in range(1, 11):
            before, last = self.value("pid"), before
            self.assertNotEqual(before, last, second)
            os.utime(sign, (second, second))

    def test_always_restart_txt(self):
        worker = self.register()
        first = self.value("pid")
        sign = os.path.join(self.data, "workers", worker, "tmp", "always_restart.txt")
        open(sign, "w").close()
        pids = [self.value("pid") for _ in range(3)]
        self.assertEqual(len({first, *pids}), 4)
        os.unlink(sign)
        self.assertEqual(self.value("pid"), self.value("pid"))

    def test_restart_txt_in_a_directory_that_was_replaced(self):
        def remove(base):
            shutil.rmtree(base + "/current/tmp")
            self.assertEqual(self.value("pid", worker="removed"), pids["removed"])
        def move(base):
            os.rename(base + "/current", base + "/old")
        def link(base):
            os.makedirs(base + "/new")
            os.symlink("new", base + "/link")
            os.rename(base + "/link", base + "/current")
        pids = {}
        for way, replace in (("removed", remove), ("moved", move), ("link", link)):
            with self.subTest(way):
                base = self.path(way)
                os.makedirs(base + ("/first/tmp" if way == "link" else "/current/tmp"))
                if way == "link":
                    os.symlink("first", base + "/current")
                self.register(name=way, pool={"max_processes": 1, "restart_dir": base + "/current/tmp"})
                pids[way] = self.value("pid", worker=way)
                replace(base)
                os.makedirs(base + "/current/tmp")
                sign = base + "/current/tmp/restart.txt"
                open(sign, "w").close()
                wait_for(lambda: self.value("pid", worker=way) != pids[way], "it was replaced")
                second = self.value("pid", worker=way)
                os.utime(sign, (1, 1))
                wait_for(lambda: self.value("pid", worker=way) != second, "it was replaced again")

    def test_rolling_restart(self):
        self.register(pool={"max_processes": 2})
        first = self.value("pid")
        self.call("POST", "pool/w/restart")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "restart"], "it went")
        self.assertNotEqual(self.value("pid"), first)
        self.call("POST", "pool/nobody/restart", expect=404)

    def test_rolling_restart_rolls_back(self):
        flag = self.path("broken")
        self.register(text=WORKER.replace("held = []", "held = []\nif os.path.exists(%r): sys.exit('refuses')" % flag),
                      pool={"max_processes": 2})
        first = self.value("pid")
        open(flag, "w").close()
        self.call("POST", "pool/w/restart")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["why"] == "spawn_failed"], "the new one failed")
        gone = [g for g in self.pool()["gone"] if g["why"] == "spawn_failed"][0]
        self.assertIn("handshake", gone["note"])
        self.assertIn("refuses", gone["note"])
        self.assertNotIn("restart", self.pool()["groups"][0])
        self.assertEqual(self.value("pid"), first)

    def test_a_rolling_restart_without_room_says_how_many_are_left(self):
        flag = self.path("broken")
        self.register(text=WORKER.replace("held = []", "held = []\nif os.path.exists(%r): sys.exit('refuses')" % flag),
                      pool={"max_processes": 1})
        self.value("pid")
        open(flag, "w").close()
        self.call("POST", "pool/w/restart")
        def said():
            with open(os.path.join(self.root, "log"), encoding="utf-8") as log:
                return [line for line in log if "the restart of w was stopped" in line]
        line, = wait_for(said, "the log says it")
        self.assertIn("0 of 1 processes are left", line)
        self.assertIn("refuses", line)

    def test_detach_of_one_process(self):
        self.register()
        first = self.value("pid")
        process, = self.processes()
        self.call("DELETE", "pool/processes/" + process["id"])
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "detached"], "it went")
        self.assertNotEqual(self.value("pid"), first)
        self.call("DELETE", "pool/processes/p9999", expect=404)

    def test_a_new_version_rolls_over(self):
        self.register(version="1")
        first = self.value("pid")
        self.register(version="2")
        wait_for(lambda: [g for g in self.pool()["gone"] if g["pid"] == first and g["why"] == "replaced"], "it went")
        self.assertNotEqual(self.value("pid"), first)


if __name__ == "__main__":
    warm_case.main()

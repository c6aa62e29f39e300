#!/usr/bin/env python3
"""Objects with real actors: looks, children, calls, crashes, looks that never end, and an engine that is killed again and again; and
the example of each kit. test_warm_objects.py YARDMASTER ORDERS, the latter made of resources/kits/cpp/orders.cpp."""

import json
import os
import shutil
import signal
import subprocess
import sys

import warm_case
from warm_case import WarmCase
from waiting import lives, wait_for

KITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "kits")
ORDERS = ""

ACTORS = """#!/usr/bin/env python3
import os, signal, time
import yard_worker as yard

def mark(name):
    with open(os.environ["MARKS"], "a") as marks:
        marks.write(name + "\\n")

@yard.tick("page")
def look(o):
    if o.status == "queued":
        return o.move("started", set={"seen": o.id}, effects=[yard.create("result", key="%d/%d" % (o.id, n), n=n) for n in range(2)])
    if o.children.pending:
        return o.wait(1)
    return o.move("sealed", effects=[yard.call("note", page=o.id)])

@yard.tick("result")
def result(o):
    how = o.fields.get("how")
    if how == "crash" and o.retries == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "hang" and o.retries == 0:
        time.sleep(1000)
    if how == "raise":
        raise yard.Fail("no luck")
    return o.move("done", set={"parent_was": o.parent.id if o.parent else 0})

@yard.tick("paper")
def paper(o):
    if o.status == "queued":
        add = {"worker": "w", "function": "add", "args": {"n": o.fields.get("n", 0)}}
        return o.move("printing", look_in=3600, effects=[yard.submit(add, "sum"), yard.submit(dict(add, args={}, max_retries=0), "bad")])
    if any(o.actions.get(name, {}).get("state") not in ("completed", "failed") for name in ("sum", "bad")):
        return o.wait(3600)
    return o.move("done", set={"seen": o.actions["sum"]["result"], "how": o.actions["bad"]["state"]})

@yard.function()
def add(args, job):
    mark("add %d" % args["n"])
    return args["n"] + 1

@yard.effect("note")
def note(args, object_id, attempt):
    mark("%d" % args["page"])

yard.run()
"""


def type_of(name, states, transitions, **more):
    fields = {"n": {"type": "integer"}, "seen": {"type": "integer"}, "how": {"type": "string"}, "parent_was": {"type": "integer"}}
    return dict({"name": name, "fields": fields, "states": states,
                 "transitions": [{"from": a, "to": b} for a, b in transitions], "max_retries": 3, "backoff_s": 0.2,
                 "actor": {"worker": "w", "max_tick_time_s": 2, "max_actors": 2, "max_per_key": 2,
                           "resources": {"cores": 0.1}}}, **more)


PAGE = type_of("page", {"queued": {"initial": True}, "started": {}, "sealed": {"final": True}},
               [("queued", "started"), ("started", "sealed")])
RESULT = type_of("result", {"queued": {"initial": True}, "done": {"final": True}, "bad": {"final": True, "kind": "bad"}},
                 [("queued", "done"), ("queued", "bad")], parent="page")


PAPER = type_of("paper", {"queued": {"initial": True}, "printing": {}, "done": {"final": True}},
                [("queued", "printing"), ("printing", "done")])


def ancestors(pid):
    while pid > 1:
        with open("/proc/%d/stat" % pid, "rb") as stat:
            pid = int(stat.read().rsplit(b")", 1)[1].split()[1])
        yield pid


class Objects(WarmCase):
    def setUp(self):
        super().setUp()
        self.marks = self.path("marks")
        self.register(text=ACTORS, functions=["tick", "add"], environment={"MARKS": self.marks})
        self.call("POST", "types", PAGE)
        self.call("POST", "types", RESULT)
        self.call("POST", "types", PAPER)

    def object(self, number, wait=60):
        return self.call("GET", "objects/%d?wait=%d" % (number, wait))

    def make(self, **fields):
        return self.call("POST", "objects", {"type": "result", "fields": fields})["id"]

    def counts(self, name):
        return {status: n for status, n in self.call("GET", "types/" + name)["counts"].items() if n}

    def called(self):
        """Pages for which the effect was called, in that order."""
        if not os.path.exists(self.marks):
            return []
        with open(self.marks, encoding="utf-8") as marks:
            return marks.read().split()

    def kill(self):
        self.engine.send_signal(signal.SIGKILL)
        self.engine.wait()
        self.engine.stdout.close()

    def test_a_page_is_sealed_when_its_children_are_done(self):
        page = self.call("POST", "objects", {"type": "page"})["id"]
        sealed = self.object(page)
        self.assertEqual((sealed["status"], sealed["children"], sealed["fields"]["seen"]), ("sealed", {"done": 2}, page))
        self.assertEqual([m["to"] for m in sealed["history"]], ["started", "sealed"])
        self.assertTrue(sealed["history"][0]["actor"].startswith("w #"))
        child = self.call("GET", "objects/%d/children" % page)["objects"][0]
        self.assertEqual(child["fields"]["parent_was"], page)
        wait_for(lambda: self.called() == [str(page)], "the call is carried out")

    def is_looked_at(self, number):
        return any(actor.get("object") == number for t in self.call("GET", "orchestrator")["types"] for actor in t["actors"])

    def test_orchestrator_must_start_and_stop_with_the_engine(self):
        hang = self.make(how="hang")
        wait_for(lambda: self.is_looked_at(hang), "it is looked at")
        pids = [p["pid"] for p in self.processes()]
        self.stop()
        wait_for(lambda: not any(lives(pid) for pid in pids), "no actor is left")
        self.start()
        self.assertEqual(self.object(hang)["status"], "done")

    def test_only_one_orchestrator_may_run_per_collection(self):
        second = subprocess.run([warm_case.YARDMASTER, "--headless", "--no-sandbox", "--data-dir", self.data, "--listen", "127.0.0.1:0"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
        self.assertNotEqual(second.returncode, 0)
        self.assertIn(str(self.engine.pid), second.stderr.decode())
        self.assertEqual(self.object(self.make())["status"], "done")  # the first goes on

    def test_actor_must_be_a_child_process_of_the_orchestrator(self):
        hang = self.make(how="hang")
        wait_for(lambda: self.is_looked_at(hang), "it is looked at")
        (actor,) = self.processes()
        self.assertIn(self.engine.pid, list(ancestors(actor["pid"])))

    def test_actor_must_exit_when_its_queue_is_empty(self):
        self.assertEqual(self.object(self.make())["status"], "done")
        wait_for(lambda: not self.processes(), "its process has gone")
        types = self.call("GET", "orchestrator")["types"]
        moves = {of["name"]: of.pop("moves", []) for of in types}
        self.assertEqual(types, [{"name": name, "queue": 0, "due": 0, "wanted": 0, "actors": []}
                                 for name in ("page", "result", "paper")])
        self.assertEqual([(one.get("from"), one["to"], one["per_min"]) for one in moves["result"]],
                         [(None, "queued", 0.1), ("queued", "done", 0.1)])
        self.assertEqual(moves["page"] + moves["paper"], [])

    def test_an_actor_holds_the_locks_of_its_type_while_it_lives(self):
        self.call("POST", "types", dict(RESULT, actor=dict(RESULT["actor"], locks=["licence"], linger_s=60)))
        self.assertEqual(self.object(self.make())["status"], "done")
        held = {lock["name"]: lock["holder"] for lock in self.call("GET", "locks")["locks"] if "holder" in lock}
        self.assertEqual(held["licence"]["lsn"], 0)  # no action has it

    def test_a_crash_and_a_look_that_never_ends_are_tried_again(self):
        crash, hang, fine = self.make(how="crash"), self.make(how="hang"), self.make()
        self.assertEqual(self.object(fine)["status"], "done")
        crashed = self.object(crash)
        self.assertEqual(crashed["status"], "done")
        self.assertTrue(crashed["last_error"].startswith("worker_crashed"), crashed)
        hung = self.object(hang)
        self.assertEqual((hung["status"], hung["last_error"]), ("done", "tick_timeout"))

    def test_after_a_restart_too_looks_are_of_the_version_that_was_registered_last(self):
        def version(number):
            text = ACTORS.replace('set={"parent_was": o.parent.id if o.parent else 0}', 'set={"seen": %d}' % number)
            self.register(text=text, functions=["tick", "add"], environment={"MARKS": self.marks}, version=str(number))

        # Whichever has the lesser id, it is last once.
        for last in (1, 2, 1):
            version(last)
            self.assertEqual(self.object(self.make())["fields"]["seen"], last)
            self.kill()
            self.start()
            self.assertEqual(self.object(self.make())["fields"]["seen"], last)

    def test_what_fails_too_often_goes_to_the_bad_end(self):
        bad = self.object(self.make(how="raise"))
        self.assertEqual((bad["status"], bad["last_error"]), ("bad", "no luck"))

    def test_a_look_at_a_type_without_a_function_says_so(self):
        self.call("POST", "types", dict(RESULT, name="other"))
        other = self.object(self.call("POST", "objects", {"type": "other"})["id"])
        self.assertEqual(other["status"], "bad")
        self.assertIn("does not look at", other["last_error"])

    def test_the_end_of_its_actions_wakes_an_object_which_sees_them_by_their_names(self):
        paper = self.object(self.call("POST", "objects", {"type": "paper", "fields": {"n": 4}})["id"])
        self.assertEqual((paper["status"], paper["fields"]["seen"], paper["fields"]["how"]), ("done", 5, "failed"))
        self.assertEqual({name: action["state"] for name, action in paper["actions"].items()},
                         {"sum": "completed", "bad": "failed"})
        action = self.call("GET", "jobs/%d" % paper["actions"]["sum"]["lsn"])
        self.assertEqual((action["object"], action["result"]), (paper["id"], 5))

    def test_an_engine_that_is_killed_submits_each_action_once_and_tells_each_end(self):
        papers = self.call("POST", "objects", [{"type": "paper", "fields": {"n": n}} for n in range(40)])["ids"]
        for kill in range(5):
            wait_for(lambda: self.counts("paper").get("done", 0) > 6 * kill or self.counts("paper") == {"done": 40}, "it gets on")
            self.kill()
            self.start()
        wait_for(lambda: self.counts("paper") == {"done": 40}, "all are done")
        for number, paper in enumerate(papers):
            self.assertEqual(self.object(paper)["fields"]["seen"], number + 1)
        owned = [job["lsn"] for job in self.all_of("jobs", "sort=lsn") if job.get("function") == "add"]
        self.assertEqual(len(owned), 80)  # two of each, whatever died

    def test_an_engine_that_is_killed_loses_and_repeats_nothing(self):
        pages = 70
        self.call("POST", "objects", [{"type": "page"}] * pages)
        for kill in range(6):
            before = self.counts("page").get("sealed", 0)
            wait_for(lambda: self.counts("page").get("sealed", 0) > before + kill or
                     self.counts("page").get("sealed", 0) == pages, "it gets on")
            self.kill()
            self.start()
        wait_for(lambda: self.counts("page") == {"sealed": pages}, "all are sealed")
        self.assertEqual(self.counts("result"), {"done": 2 * pages})
        rows = self.all_of("objects", "type=result")
        keys = [row["key"] for row in rows]
        self.assertEqual(len(keys), len(set(keys)))
        for row in self.all_of("objects", "type=page"):
            history = self.call("GET", "objects/%d/history" % row["id"])["history"]
            self.assertEqual([m["to"] for m in history], ["started", "sealed"])
        wait_for(lambda: self.call("GET", "orchestrator")["outbox"] == 0, "each effect is carried out")
        self.assertEqual(len(set(self.called())), pages)
        view = self.call("GET", "orchestrator")
        self.assertEqual((view["stuck"], view["orphan_count"]), (0, 0))


class Orders(WarmCase):
    """The example that each kit has, as it is in resources/kits."""

    def register_orders(self, language, program=None):
        """`program`: instead of the file that the descriptor names."""
        folder = os.path.join(KITS, language)
        with open(os.path.join(folder, "orders.json"), encoding="utf-8") as file:
            descriptor = json.load(file)
        files = []
        for name in descriptor["files"]:
            with open(program or os.path.join(folder, name), "rb") as file:
                content = file.read()
            files.append({"path": name, "hash": self.chunk(content), "size": len(content), "mode": "0755"})
        self.add_worker(dict(descriptor, files=files, platform="linux-x86_64"))
        for name in ("order", "item"):
            with open(os.path.join(KITS, "objects", name + ".json"), encoding="utf-8") as file:
                self.call("POST", "types", json.load(file))

    def order(self, *items):
        return self.call("POST", "objects", {"type": "order", "fields": {"items": items}})["id"]

    def ended(self, number):
        return self.call("GET", "objects/%d?wait=60" % number)

    def printed(self):
        """By all processes that have ended."""
        gone = [self.call("GET", "pool/processes/" + p["id"]) for p in self.pool()["gone"]]
        return "".join(p["stdout"]["text"] for p in gone if "stdout" in p)

    def orders_are_sent(self):
        order = self.order("cup", "spoon \"large\"", "sugar \u00e4\U0001f600")
        sent = self.ended(order)
        self.assertEqual((sent["status"], sent["fields"]["total"], sent["children"]), ("sent", 30, {"packed": 3}))
        self.assertEqual([m["to"] for m in sent["history"]], ["packing", "sent"])
        self.assertEqual(sent["actions"]["price"]["result"], 30)
        items = self.call("GET", "objects/%d/children" % order)["objects"]
        self.assertEqual({i["fields"]["name"] for i in items}, {"cup", "spoon \"large\"", "sugar \u00e4\U0001f600"})
        self.assertEqual({i["key"] for i in items}, {"%d/%s" % (order, i["fields"]["name"]) for i in items})
        wait_for(lambda: "order %d: 30\n" % order in self.printed(), "the receipt is printed")
        wait_for(lambda: self.call("GET", "orchestrator")["outbox"] == 0, "what was carried out is known to be")
        with_a_unicorn = self.order("unicorn", "cup")
        self.assertEqual(self.ended(with_a_unicorn)["children"], {"packed": 1, "missing": 1})
        missing = self.call("GET", "objects?type=item&status=missing")["objects"]
        self.assertEqual([i["last_error"] for i in missing], ["there are no unicorns"])

    def test_an_order_is_sent_by_a_worker_in_cpp(self):
        self.register_orders("cpp", ORDERS)
        self.orders_are_sent()

    def test_an_order_is_sent_by_a_worker_in_python(self):
        self.register_orders("python")
        self.orders_are_sent()

    def test_an_order_is_sent_by_a_worker_in_node(self):
        if not shutil.which("node"):
            self.skipTest("node is not installed (Debian: nodejs)")
        self.register_orders("node")
        self.orders_are_sent()


if __name__ == "__main__":
    ORDERS = os.path.abspath(sys.argv.pop(2))
    warm_case.main()

#!/usr/bin/env python3
"""A small web archiver: a worker whose actions fetch pages, and whose looks take crawls and snapshots through their states.

crawl     queued -> crawling -> sealed | failed     one start address; ends when each of its snapshots has
snapshot  queued -> fetching -> keeping -> sealed | failed     one page; its action keeps the page, its text, links and pictures
result    kept     one of those files: which action has it, under which hash"""

import fcntl
import hashlib
import json
import os
import time

import pages
import yard_worker as yard

DIRECTORY = os.path.expanduser(os.environ.get("ARCHIVER_DIR", "~/archive"))
PAUSE_S = float(os.environ.get("ARCHIVER_PAUSE_S", "5"))  # before a page is tried again
TRIES = 3
ENDED = ("completed", "failed", "abandoned", "cancelled")
HOPELESS = 3  # exit code of a fetch that another try would not help
LOST_S = 600  # an action that nobody knows of after that long is asked for again


# --- actions

@yard.function(files=True)
def fetch(args, job):
    """Leaves page, text.txt, links.json and pictures as outputs; what the look needs is the result."""
    until = time.monotonic() + pages.SECONDS
    url = args["url"]
    try:
        kind, charset, content, base = pages.get(url, until)
    except pages.Broken as broken:
        raise yard.Fail(str(broken), 1 if broken.again else HOPELESS)
    _leave(job, "page", content)
    if kind != "text/html":
        return {"title": "", "links": []}
    try:
        text = content.decode(charset, "replace")
    except LookupError:  # a charset that nobody knows
        text = content.decode("utf-8", "replace")
    page = pages.Page(base, text)
    _leave(job, "text.txt", "\n".join(page.text).encode())
    _leave(job, "links.json", json.dumps(page.links).encode())
    for number, picture in enumerate(page.pictures):
        try:
            _leave(job, "picture-%d" % number, pages.get(picture, until)[2])
        except pages.Broken:
            pass  # a page without one of its pictures is better than none
    links, room = [], 40_000
    for link in page.links:
        room -= len(link) + 4
        if pages.is_of_site(link, url) and room > 0:
            links.append(link)
    return {"title": page.title, "links": links}


def _leave(job, name, content):
    with open(os.path.join(job.outputs, name), "wb") as file:
        file.write(content)


# --- looks

@yard.tick("crawl")
def crawl(o):
    if o.status == "queued":
        url = pages.plain(o.fields["url"])
        if url is None:
            return o.move("failed", set={"error": "no address of a page"})
        return o.move("crawling", look_in=3600, effects=[_snapshot(o.id, url, o.fields["depth"])])
    if o.children.pending:
        return o.wait(3600)  # the end of each of them wakes it
    sealed, failed = o.children.get("sealed", 0), o.children.get("failed", 0)
    if not sealed:
        return o.move("failed", set={"error": "no page could be had", "failed": failed})
    return o.move("sealed", set={"pages": sealed, "failed": failed})


@yard.tick("snapshot")
def snapshot(o):
    if o.status == "queued":
        tries = o.fields["tries"] + 1
        action = {"worker": "archiver", "function": "fetch", "args": {"url": o.fields["url"]}, "label": o.fields["url"][-120:],
                  "max_retries": 0, "deadline_s": int(pages.SECONDS * 2 + 60)}
        return o.move("fetching", look_in=60, set={"tries": tries, "asked": o.now}, effects=[yard.submit(action, "fetch-%d" % tries)])
    action = o.actions.get("fetch-%d" % o.fields["tries"], {})
    if o.status == "fetching":
        if action.get("state") == "completed":
            return _keep(o, action)
        if action.get("state") in ENDED:
            return _fail(o, action)
        if not action and o.now - o.fields["asked"] > LOST_S * 1_000_000:
            return o.move("queued")
        return o.wait(60)  # its end wakes it
    return o.move("sealed", effects=[yard.call("write_index", crawl=o.parent.id if o.parent else 0, url=o.fields["url"],
                                               title=o.fields.get("title", ""), action=action.get("lsn"),
                                               files={name: file["hash"] for name, file in action.get("outputs", {}).items()})])


def _keep(o, action):
    """What is made here is there before the next look: so the crawl does not end between a page and those it leads to."""
    found = action.get("result") or {}
    effects = [yard.create("result", key="%d/%s" % (o.id, name), status="kept", name=name, action=action["lsn"], hash=file["hash"],
                           size=file["size"]) for name, file in sorted(action.get("outputs", {}).items())]
    if o.parent and o.fields["depth"] > 0:
        effects += [_snapshot(o.parent.id, link, o.fields["depth"] - 1) for link in found.get("links", [])]
    return o.move("keeping", set={"title": found.get("title", "")}, effects=effects)


def _fail(o, action):
    why = action.get("note") or action.get("reason") or action["state"]
    failures = o.fields["failures"] + (action.get("reason") not in ("engine_died", "engine_stopped", "lost_runner"))
    if action.get("exit_code") == HOPELESS or failures >= TRIES or action["state"] == "cancelled":
        return o.move("failed", set={"failures": failures, "error": why[:1000]})
    return o.move("queued", look_in=PAUSE_S, set={"failures": failures, "error": why[:1000]})


def _snapshot(crawl_id, url, depth):
    """Its key makes it one of each page in a crawl, however many lead to it."""
    return yard.create("snapshot", key="%d/%s" % (crawl_id, hashlib.sha256(url.encode()).hexdigest()), parent=crawl_id, url=url,
                       depth=depth)


# --- side effects

@yard.effect("write_index")
def write_index(args, object_id, attempt):
    """A line for each page in crawl-N.jsonl. It may come again, and may have been killed in the middle of a line."""
    os.makedirs(DIRECTORY, exist_ok=True)
    line = json.dumps(dict(args, snapshot=object_id), sort_keys=True)
    with open(os.path.join(DIRECTORY, "crawl-%d.jsonl" % args["crawl"]), "a+b") as index:
        fcntl.flock(index, fcntl.LOCK_EX)
        index.seek(0)
        there = index.read()
        whole = there.rfind(b"\n") + 1
        index.truncate(whole)
        if line.encode() not in there[:whole].split(b"\n"):
            index.write(line.encode() + b"\n")


yard.run()

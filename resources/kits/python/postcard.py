#!/usr/bin/env python3
"""A worker with something to look at: draws a picture, and leaves what is in it as JSON and as CSV beside it.

It is the warm worker of `yardmaster --example`."""
import csv
import json
import math
import pathlib
import struct
import zlib

import yard_worker

WIDTH, HEIGHT = 240, 160


def colour(number, x, y):
    """Hills below a sky; another evening for each number."""
    hill = HEIGHT * (0.62 + 0.12 * math.sin(number + x / 37) + 0.05 * math.sin(number * 3 + x / 11))
    if y > hill:
        shade = 1 - 0.5 * (y - hill) / HEIGHT
        return int(40 * shade), int((70 + 9 * (number % 7)) * shade), int(52 * shade)
    glow = y / hill
    return int(60 + 180 * glow), int(70 + 90 * glow * glow), int(120 - 40 * glow + 5 * (number % 9))


def png(rows):
    def part(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    raw = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(raw, 9)) + part(b"IEND", b"")


@yard_worker.function("1", files=True)
def draw(args, job):
    number = args["number"]
    rows = [[colour(number, x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
    light = [sum(map(sum, row)) / (3 * WIDTH) for row in rows]
    outputs = pathlib.Path(job.outputs)
    (outputs / "picture.png").write_bytes(png(rows))
    about = {"number": number, "width": WIDTH, "height": HEIGHT,
             "light": {"least": round(min(light), 1), "most": round(max(light), 1)}}
    (outputs / "about.json").write_text(json.dumps(about, indent=2) + "\n")
    with open(outputs / "light.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["row", "light"])
        table.writerows([y, round(value, 1)] for y, value in enumerate(light))
    return about["light"]


@yard_worker.function("1")
def measure(args, job):
    number = args["number"]
    if number % 16 == 9:
        raise yard_worker.Fail(f"card_{number}.raw: the shutter was closed: no light in 240 x 160 pixels", 3)
    return {"number": number, "light": round(120 + 40 * math.sin(number), 1)}


yard_worker.run()

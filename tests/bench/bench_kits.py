#!/usr/bin/env python3
"""The worker kits beside bare loops with the same framing and JSON, in turns: bench_kits.py [ROUNDS]

Requests with small args, 32 outstanding and one at a time, over a socket pair. Target: half of the bare loop."""

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

KITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "kits")

PYTHON_KIT = "import yard_worker\n@yard_worker.function()\ndef f(args, job):\n    return args['a']\nyard_worker.run()\n"
PYTHON_BARE = """import json, os, socket, struct
s = socket.socket(fileno=int(os.environ["YARD_SOCKET_FD"]))
def send(n, text):
    body = text.encode()
    s.sendall(struct.pack("<IQ", len(body) + 8, n) + body)
send(0, '{"ready":true}')
data = b""
while True:
    more = s.recv(65536)
    if not more:
        break
    data += more
    at = 0
    while len(data) - at >= 12:
        length, n = struct.unpack_from("<IQ", data, at)
        if len(data) - at < 4 + length:
            break
        r = json.loads(data[at + 12:at + 4 + length])
        at += 4 + length
        send(n, json.dumps({"exit_code": 0, "result": r["args"]["a"]}))
    data = data[at:]
"""
NODE_KIT = "const yard = require('./yard_worker.js');\nyard.function('f', (args) => args.a);\nyard.run();\n"
NODE_BARE = """const net = require('net');
const s = new net.Socket({fd: Number(process.env.YARD_SOCKET_FD), readable: true, writable: true});
const send = (id, text) => {
    const body = Buffer.from(text);
    const head = Buffer.alloc(12);
    head.writeUInt32LE(body.length + 8, 0);
    id.copy(head, 4);
    s.write(Buffer.concat([head, body]));
};
send(Buffer.alloc(8), '{"ready":true}');
let rest = Buffer.alloc(0);
s.on('data', (data) => {
    rest = Buffer.concat([rest, data]);
    let at = 0;
    while (rest.length - at >= 12) {
        const length = rest.readUInt32LE(at);
        if (rest.length - at < 4 + length) break;
        const r = JSON.parse(rest.toString('utf8', at + 12, at + 4 + length));
        send(rest.subarray(at + 4, at + 12), JSON.stringify({exit_code: 0, result: r.args.a}));
        at += 4 + length;
    }
    rest = rest.subarray(at);
});
s.on('end', () => process.exit(0));
"""


def rate(command, ahead, count):
    """Requests a second."""
    ours, theirs = socket.socketpair()
    os.set_inheritable(theirs.fileno(), True)
    process = subprocess.Popen(command, env=dict(os.environ, YARD_SOCKET_FD=str(theirs.fileno())),
                               pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    ours.recv(4096)  # ready
    body = json.dumps({"lsn": 1, "function": "f", "args": {"a": 7, "text": "x" * 40}}).encode()
    frame = struct.pack("<IQ", len(body) + 8, 1) + body
    begun = time.perf_counter()
    sent = answered = 0
    data = b""
    while answered < count:
        if sent - answered < ahead and sent < count:
            more = min(ahead - (sent - answered), count - sent)
            ours.sendall(frame * more)
            sent += more
        data += ours.recv(65536)
        at = 0
        while len(data) - at >= 4:
            length, = struct.unpack_from("<I", data, at)
            if len(data) - at < 4 + length:
                break
            at += 4 + length
            answered += 1
        data = data[at:]
    took = time.perf_counter() - begun
    ours.close()
    process.wait(30)
    return count / took


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    root = tempfile.mkdtemp()
    programs = {}
    for kind, run, extension, kit, bare in (("python", sys.executable, "py", PYTHON_KIT, PYTHON_BARE),
                                            ("node", shutil.which("node"), "js", NODE_KIT, NODE_BARE)):
        if not run:
            continue
        shutil.copy(os.path.join(KITS, kind, "yard_worker." + extension), root)
        for name, text in (("kit", kit), ("bare", bare)):
            path = os.path.join(root, "%s_%s.%s" % (kind, name, extension))
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            programs[kind, name] = [run, path]
    for kind in sorted({kind for kind, _ in programs}):
        for ahead, count in ((32, 40000), (1, 10000)):
            rates = {"kit": [], "bare": []}
            for _ in range(rounds):
                for name, all_rates in rates.items():
                    all_rates.append(rate(programs[kind, name], ahead, count))
            kit, bare = (sorted(r)[rounds // 2] for r in (rates["kit"], rates["bare"]))
            print("%s, %d outstanding: %.0f/s, %.2f of the bare loop's %.0f/s (target: 0.50)" %
                  (kind, ahead, kit, kit / bare, bare))
    shutil.rmtree(root)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Redis with BullMQ and two workers that do nothing: bullmq.py [JOBS]

Redis appends to its log each second, as it comes. Jobs are added 500 at a time; each worker is a process of Node with 32 jobs
at once. Prints jobs a second from the first add to the last end. Installs nothing: NODE_PATH says where bullmq is."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

WORKER = """
const {Worker} = require('bullmq');
new Worker('noop', async () => null, {connection: {host: '127.0.0.1', port: +process.argv[1], maxRetriesPerRequest: null},
                                      concurrency: 32});
"""
CLIENT = """
const {Queue} = require('bullmq');
(async () => {
    const queue = new Queue('noop', {connection: {host: '127.0.0.1', port: +process.argv[1]}});
    await queue.waitUntilReady();
    const count = +process.argv[2];
    const job = {name: 'noop', data: {frame: 7, path: '/srv/render/shot-0040/beauty.exr'}};
    const begun = process.hrtime.bigint();
    for (let at = 0; at < count; at += 500) await queue.addBulk(Array(Math.min(500, count - at)).fill(job));
    while (await queue.getCompletedCount() < count) await new Promise((done) => setTimeout(done, 5));
    console.log('Redis with BullMQ, two workers: %d/s',
                Math.round(count / Number(process.hrtime.bigint() - begun) * 1e9));
    process.exit(0);
})();
"""


def main():
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    redis, node = shutil.which("redis-server"), shutil.which("node")
    if not redis:
        sys.exit("redis-server is not here: `apt-get install redis-server`, or put it into PATH")
    if not node:
        sys.exit("node is not here: `apt-get install nodejs`")
    if subprocess.run([node, "-e", "require('bullmq'), require('ioredis')"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        sys.exit("bullmq is not here: `npm install --prefix DIR bullmq ioredis`, then NODE_PATH=DIR/node_modules")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="bench-bullmq-") as directory:
        server = subprocess.Popen([redis, "--bind", "127.0.0.1", "--port", str(port), "--dir", directory, "--appendonly",
                                   "yes", "--save", ""], stdout=subprocess.DEVNULL)
        workers = []
        try:
            for _ in range(200):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    time.sleep(0.05)
            workers = [subprocess.Popen([node, "-e", WORKER, str(port)], stderr=subprocess.DEVNULL) for _ in range(2)]
            subprocess.run([node, "-e", CLIENT, str(port), str(jobs)], check=True)
        finally:
            for process in [*workers, server]:
                process.kill()
                process.wait()


main()

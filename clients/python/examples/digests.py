"""SHA-256 of every file below a directory, with asyncio: python3 digests.py DIRECTORY

However many there are: names are read no more than 10,000 ahead of what was printed."""

import asyncio
import hashlib
import os
import sys

import yardmaster


def names_below(directory):
    for path, below, files in os.walk(directory):
        below.sort()
        yield from (os.path.join(path, name) for name in sorted(files))


def digest(path):
    with open(path, "rb") as file:
        return path, hashlib.sha256(file.read()).hexdigest()


async def main(directory):
    count = 0
    async with yardmaster.AsyncExecutor(label="digests") as executor:
        async for path, name in executor.map(digest, names_below(directory), buffersize=10_000):
            print(name, path, sep="  ")
            count += 1
    print(count, "files")


if __name__ == "__main__":
    asyncio.run(main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".")))

"""Tests whose slow parts run on an engine, at once and within limits: pytest test_on_engine.py

Without an engine (yardmaster --headless) they are skipped."""

import hashlib
import zlib

import pytest

import yardmaster


@pytest.fixture(scope="session")
def executor():
    try:
        engine = yardmaster.Engine(patience=5)
        engine.session()
    except yardmaster.YardmasterError as error:
        pytest.skip("no engine: %s" % error)
    with yardmaster.Executor(engine=engine, memory="1G", deadline=60, label="pytest") as ex:
        yield ex


def digest_of(seed):
    data = hashlib.shake_128(str(seed).encode()).digest(1 << 20)
    return zlib.crc32(zlib.decompress(zlib.compress(data))) == zlib.crc32(data)


def hog():
    return len(bytearray(4 << 30))


def test_every_seed_survives_compression(executor):
    """Two hundred checks as fast as the cores let them."""
    assert all(executor.map(digest_of, range(200)))


@pytest.mark.parametrize("level", range(10))
def test_levels(executor, level):
    assert executor.submit(zlib.compress, b"a" * 10_000, level).result()


def test_what_takes_too_much_memory_fails_alone(executor):
    with pytest.raises(MemoryError):
        executor.submit(hog).result()
    assert executor.submit(abs, -1).result() == 1

"""Typed decoding in several threads at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TWO_THREADS = """
import threading, time
import msgspec
from scry.core import decoding

building = threading.Event()

def slowly():
    building.set()
    time.sleep(0.2)
    return int

class Inner(msgspec.Struct):
    number: "slowly()"

class Outer(msgspec.Struct):
    inner: Inner

values = {{"inner": {{"number": 3}}}}
text, packed = msgspec.json.encode(values), msgspec.msgpack.encode(values)
found = []

def second():
    building.wait()
    found.append({call})

thread = threading.Thread(target=second)
thread.start()
found.append({call})
thread.join()
assert found == [Outer(Inner(3)), Outer(Inner(3))], found
"""


@pytest.mark.parametrize(
    "call",
    [
        "decoding.decode_json(text, Outer)",
        "decoding.decode_msgpack(packed, Outer)",
        "decoding.convert(values, Outer)",
        "decoding.json_decoder(Outer)(text)",
        "decoding.msgpack_decoder(Outer)(packed)",
    ],
)
def test_two_threads_decode_a_class_for_the_first_time_at_once(call: str) -> None:
    program = TWO_THREADS.format(call=call)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")

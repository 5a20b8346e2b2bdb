"""What a long-lived process has freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

FREE = """
import os, threading, time
from scry.core.heap import limit_heap

def memory():
    return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

def fill():
    for _ in range(20):
        blocks.extend([b"x" * (1000 + number % 500) for number in range(5_000)])

limit_heap()
blocks = []
before = memory()
threads = [threading.Thread(target=fill) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
filled = memory() - before
end = time.process_time() + 0.3
while time.process_time() < end: pass
blocks = blocks[::1000]
end = time.monotonic() + 60
while memory() - before > filled / 4 and time.monotonic() < end:
    time.sleep(0.1)
print((memory() - before) * 4 < filled)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems' C libraries keep nothing")
def test_freed_memory_goes_back_to_the_system() -> None:
    assert subprocess.run([sys.executable, "-c", FREE], stdout=subprocess.PIPE, check=True).stdout == b"True\n"

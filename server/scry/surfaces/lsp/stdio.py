"""Standard input and output, taken for frames alone.

The two descriptors are moved away at once: what a library prints goes to standard error, and a child process reads an
empty input instead of our frames. One thread reads and one writes, so that neither a client that does not read nor one
that does not write ever blocks the loop.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the indexers are started before it is imported
    import asyncio

_READ_BYTES = 64 * 1024


def claim_stdio() -> tuple[int, int]:
    """Move descriptors 0 and 1 away. Returns (where frames are read, where frames are written)."""
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    try:
        os.dup2(2, 1)
    except OSError:  # no standard error either
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(sink, os.O_BINARY)
    return source, sink


def start_reading(source: int, loop: asyncio.AbstractEventLoop, on_data: Callable[[bytes], None]) -> None:
    """Hand every chunk to `take` on the loop, `b""` at the end of input; the next one only when that was taken."""
    taken = threading.Event()

    def step(data: bytes) -> None:
        try:
            on_data(data)
        finally:
            taken.set()

    def read() -> None:
        data = b"-"
        while data:
            data = _read_chunk(source)
            taken.clear()
            try:
                loop.call_soon_threadsafe(step, data)
            except RuntimeError:  # the loop is closed: nobody wants more
                return
            taken.wait()

    # A daemon: at the end it sits in a read that nothing can interrupt.
    threading.Thread(target=read, name="scry-read", daemon=True).start()


def _read_chunk(source: int) -> bytes:
    try:
        return os.read(source, _READ_BYTES)
    except OSError:
        return b""


class FrameWriter:
    """Writes bytes in order, from a thread of its own."""

    def __init__(self, sink: int, on_broken: Callable[[], None]) -> None:
        """`broken` is called, in the writing thread, when nobody reads any more."""
        self._sink = sink
        self._on_broken = on_broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="scry-write", daemon=True)
        self._thread.start()

    def write(self, data: bytes) -> None:
        """Write these bytes after all others; returns at once."""
        self._queue.put(data)

    def close(self) -> None:
        """Nothing more will come."""
        self._queue.put(None)

    def finish(self, timeout: float) -> None:
        """Close, and wait until everything is written, at most `timeout` seconds."""
        self.close()
        self._thread.join(timeout)

    def _write(self) -> None:
        while (data := self._queue.get()) is not None:
            rest = memoryview(data)
            try:
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
            except OSError:
                self._on_broken()
                return

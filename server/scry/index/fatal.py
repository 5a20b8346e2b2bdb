"""Remembers contents that ended the process while they were parsed, so that the next process reads them as plain text.

A parser in C can overrun its stack or never come back on a hostile text, and nothing in the process can catch that. So
before each content is parsed its key stands in a file; a process that finds one there, at its start, knows what its
predecessor died of.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_MAX_CRASHING_KEYS = 1000


_CRASHING_KEYS_FILE = "fatal-contents"


def is_known_to_crash(folder: Path, key: bytes) -> bool:
    """Whether a content is known to be fatal, for those who only read."""
    try:
        return key.hex() in (folder / _CRASHING_KEYS_FILE).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return False


class CrashGuard:
    """Two small files in the project's cache folder: the key in hand, and the keys that were fatal, one a line."""

    def __init__(self, folder: Path, purpose: str) -> None:
        """Takes over what an ended process left. Raises nothing: where nothing can be written, nothing is remembered.

        purpose: names the file of the key in hand; two that parse at the same time need two.
        """
        self._known = folder / _CRASHING_KEYS_FILE
        self._handle: int | None = None
        self.keys: frozenset[str] = frozenset()
        with contextlib.suppress(OSError, ValueError):
            self._handle = os.open(folder / f"in-hand-{purpose}", os.O_RDWR | os.O_CREAT, 0o600)
            self._record_last_crash()

    def _record_last_crash(self) -> None:
        known = self._known.read_text(encoding="ascii").split() if self._known.exists() else []
        left = os.pread(self._handle or 0, 200, 0).decode("ascii").strip()
        if left:
            known = [*known, left][-_MAX_CRASHING_KEYS:]
            self._known.write_text("\n".join(known), encoding="ascii")
            self._write("")
        self.keys = frozenset(known)

    def __contains__(self, key: bytes) -> bool:
        return key.hex() in self.keys

    def begin(self, key: bytes) -> None:
        """Says what is parsed from now on."""
        self._write(key.hex())

    def end(self) -> None:
        """Says that nothing is."""
        self._write("")

    def _write(self, text: str) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.pwrite(self._handle, text.ljust(200).encode("ascii"), 0)

    def close(self) -> None:
        """Says that nothing is parsed, and gives the file free."""
        self.end()
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

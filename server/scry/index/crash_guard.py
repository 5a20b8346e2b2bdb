"""Remember the contents on which a process ended, and prove which of them is to blame.

A parser in C can overrun its stack on a hostile text, and nothing in the process can catch that. So the key of each
content stands in a file while it is parsed. A process that finds a key there at its start suspects that content: its
predecessor may as well have been killed, or the machine have lost power. A suspect is parsed again in a process of its
own (`scry.index.parse.isolation`), and is blamed only if that process ends by what it does itself. A blamed content is
read as plain text by this version of Scry; another version tries it again.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from scry.core.files import replace_file_text
from scry.core.platform import BINARY, start_process_time_limit, stop_process_time_limit
from scry.index.parse.parser_version import reading_version

_MAX_KEYS = 1000
_BLAMED_FILE = "fatal-contents"
_SUSPECTS_FILE = "suspect-contents"

_MIN_PROCESS_SECONDS = 8.0
"""Processor time of the whole process, of which parsing one content may take a part, before it ends itself: a call into
C cannot be interrupted in any other way. The next process then suspects that content.
"""


class CrashGuard:
    """Small files in the project's cache folder: the key being parsed, the suspects, and the blamed keys."""

    def __init__(self, folder: Path, purpose: str) -> None:
        """Suspect the key that an ended process left. Raises nothing: where nothing can be written, nothing is
        remembered.

        purpose: names the file of the key being parsed; two that parse at the same time need two.
        """
        self._folder = folder
        self._handle: int | None = None
        self.suspects: frozenset[str] = frozenset()
        self.blamed: dict[str, str] = {}
        with contextlib.suppress(OSError, ValueError):
            self._handle = os.open(folder / f"in-hand-{purpose}", os.O_RDWR | os.O_CREAT | BINARY, 0o600)
            self._suspect_last_key()

    def _suspect_last_key(self) -> None:
        self.blamed = _read_blamed(self._folder)
        suspects = _read_lines(self._folder / _SUSPECTS_FILE)
        left = os.read(self._handle or 0, 200).decode("ascii").strip()
        if left and left not in suspects and left not in self.blamed:
            suspects = [*suspects, left][-_MAX_KEYS:]
            replace_file_text(self._folder / _SUSPECTS_FILE, "\n".join(suspects))
        self._write("")
        self.suspects = frozenset(suspects)

    def blame_of(self, key: bytes) -> str:
        """Return why a content is read as plain text; empty where nothing was proved against it."""
        return self.blamed.get(key.hex(), "")

    def is_suspect(self, key: bytes) -> bool:
        """Return whether a process ended while it parsed this content, and nothing is proved yet."""
        return key.hex() in self.suspects

    def acquit(self, key: bytes) -> None:
        """Record that a suspect was parsed in a process of its own."""
        self.suspects -= {key.hex()}
        self._save_suspects()

    def blame(self, key: bytes, reason: str) -> None:
        """Record that a suspect ended the process that parsed it alone. reason: how."""
        blamed = [*_read_lines(self._folder / _BLAMED_FILE), f"{key.hex()} {reading_version()} {reason}"][-_MAX_KEYS:]
        with contextlib.suppress(OSError, ValueError):
            replace_file_text(self._folder / _BLAMED_FILE, "\n".join(blamed))
        self.blamed[key.hex()] = reason
        self.acquit(key)

    def _save_suspects(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            replace_file_text(self._folder / _SUSPECTS_FILE, "\n".join(sorted(self.suspects)))

    @contextmanager
    def watching(self, key: bytes, max_seconds: float) -> Generator[None]:
        """Record that the content with this key is being parsed, and end the process where that never ends.

        max_seconds: what parsing should take at most.
        """
        self._write(key.hex())
        try:
            with _process_limit(max(_MIN_PROCESS_SECONDS, 4 * max_seconds)):
                yield
        finally:
            self._write("")

    def _write(self, text: str) -> None:
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.lseek(self._handle, 0, os.SEEK_SET)  # Windows has no pwrite
                os.write(self._handle, text.ljust(200).encode("ascii"))

    def close(self) -> None:
        """Record that nothing is being parsed, and close the file."""
        self._write("")
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@contextmanager
def _process_limit(seconds: float) -> Generator[None]:
    """End the process by SIGVTALRM where the work takes more than so much of its processor time.

    Only one thread at a time is so limited: the limit is that of the process.
    """
    is_limited = start_process_time_limit(seconds)
    try:
        yield
    finally:
        if is_limited:
            stop_process_time_limit()


def read_blame(folder: Path, key: bytes) -> str:
    """Return why a content is read as plain text, for readers that do not parse; empty for any other."""
    return _read_blamed(folder).get(key.hex(), "")


def _read_blamed(folder: Path) -> dict[str, str]:
    """Return the keys that this version of Scry blames, with the reasons."""
    blamed: dict[str, str] = {}
    for line in _read_lines(folder / _BLAMED_FILE):
        key, _, rest = line.partition(" ")
        version, _, reason = rest.partition(" ")
        if version == reading_version():
            blamed[key] = reason or "the parser ends its process"
    return blamed


def _read_lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []

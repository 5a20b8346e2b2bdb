"""One indexer per project: a lock that the operating system gives free when its holder dies.

The lock file is never removed: a process that holds a removed file and one that holds its successor would both believe
to be the only one. What is locked is the open file, so a crash leaves nothing that could block the next.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_MAX_ATTEMPTS = 5
"""How often an acquisition starts again because the file was replaced meanwhile; more means that someone fights it."""


class IndexerLock:
    """Held from `acquire` until `release`, or until the process ends in whatever way.

    Programs that this process starts do not inherit it, since the handle is closed there; a fork without exec would.
    """

    @classmethod
    def acquire(cls, path: Path) -> IndexerLock | None:
        """Takes the lock without waiting; None when another process holds it.

        Raises OSError when the file can't be made or opened.
        """
        for _ in range(_MAX_ATTEMPTS):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            if not _try_lock(handle):
                os.close(handle)
                return None
            lock = cls(path, handle)
            if lock.is_valid():
                return lock
            lock.release()
        return None

    def __init__(self, path: Path, handle: int) -> None:
        """Use `acquire`."""
        self._path = path
        self._handle = handle

    def is_valid(self) -> bool:
        """Whether the locked file is still the one at its path; not so when the cache folder was removed."""
        try:
            there = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._handle))

    def release(self) -> None:
        """Gives the lock free."""
        os.close(self._handle)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

"""Open engines by folder, share them between requests, and close the idle ones.

An engine is opened when its project is first asked, and borrowed for the length of a request; it is never closed while
it is borrowed. Opening one project delays no request to another. A project that could not be opened is tried again at
the next request.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct, field

from scry.core.errors import IndexUnavailable, RegistryUnavailable
from scry.core.projects import find_project_at
from scry.core.settings import load_settings
from scry.engine.engine import Engine
from scry.projects.registration import open_registry

_log = logging.getLogger(__name__)


def make_engine_opener(
    surface: str, *, force: bool = False, start_indexer: bool = True, warn: Callable[[str], None] = _log.warning
) -> Callable[[Path], Engine]:
    """Return a function for an EnginePool that opens the engine of the project in a folder, with its settings.

    surface, force, start_indexer: as of Engine.open; a registered folder is opened as if forced. warn: called with each
    warning about a project's settings. The function raises ScryError.
    """

    def open_engine(root: Path) -> Engine:
        settings = load_settings(root, os.environ)
        for warning in settings.warnings:
            warn(warning)
        agreed = force or _is_registered(root)
        return Engine.open(root, settings, force=agreed, start_indexer=start_indexer, surface=surface)

    return open_engine


def _is_registered(root: Path) -> bool:
    try:
        return find_project_at(open_registry().list_projects(), root) is not None
    except RegistryUnavailable:
        return False


IDLE_TIMEOUT_S = 600.0
"""Seconds without a request after which an engine is closed; its indexer ends a minute later. Opening an engine again
takes some 20 ms; keeping it open costs the memory of its index's pages and a process."""

MAX_IDLE_ENGINES = 16
"""Idle engines that stay open; of more, the least recently used are closed at once."""

CLOSE_TIMEOUT_S = 5.0
"""Seconds that `close` waits for requests in progress."""


class _Slot(Struct, eq=False):
    """The place of one project in the pool.

    users: how many requests hold or await the engine. last_used: when it was last given back, by the pool's clock.
    """

    root: Path
    opening: threading.Lock = field(default_factory=threading.Lock)
    engine: Engine | None = None
    users: int = 0
    last_used: float = 0.0


class EnginePool:
    """The open engines of one process. Every method may be called from any thread."""

    def __init__(
        self,
        open_engine: Callable[[Path], Engine],
        *,
        idle_timeout_s: float = IDLE_TIMEOUT_S,
        max_idle: int = MAX_IDLE_ENGINES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open nothing yet.

        open_engine: opens the project in a resolved folder; may raise ScryError. max_idle: as MAX_IDLE_ENGINES.
        """
        self._open = open_engine
        self._idle = idle_timeout_s
        self._most_idle = max_idle
        self._clock = clock
        self._changed = threading.Condition()
        self._slots: dict[Path, _Slot] = {}
        self._sweeper: threading.Thread | None = None
        self._closed = False

    @contextmanager
    def borrow(self, root: Path) -> Generator[Engine]:
        """Hold the engine of the project in a folder open until the `with` ends.

        Raises what `open_engine` raises, and IndexUnavailable once the pool is closed.
        """
        slot = self._acquire(root.expanduser().resolve())
        try:
            with slot.opening:
                engine = slot.engine = slot.engine or self._open(slot.root)
            yield engine
        finally:
            self._release(slot)

    def open_roots(self) -> tuple[Path, ...]:
        """Return the folders whose engines are open, in the order of their first request."""
        with self._changed:
            return tuple(slot.root for slot in self._slots.values() if slot.engine is not None)

    def close_idle(self) -> None:
        """Close the engines that are idle for too long. The pool's own thread calls this."""
        with self._changed:
            before = self._clock() - self._idle
            idle = self._remove([slot for slot in self._slots.values() if not slot.users and slot.last_used <= before])
        _close_engines(idle)

    def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Close all engines and refuse further requests.

        timeout_s: seconds to wait for requests in progress; an engine that is still in use after that is closed when
        its last user gives it back.
        """
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            idle = self._remove([slot for slot in self._slots.values() if not slot.users])
        _close_engines(idle)
        with self._changed:
            self._changed.wait_for(lambda: not self._slots, timeout_s)

    # Inside -------------------------------------------------------------------------------------------------------

    def _acquire(self, root: Path) -> _Slot:
        with self._changed:
            if self._closed:
                raise IndexUnavailable("Scry is ending, and answers no more questions.")
            if self._sweeper is None:
                self._sweeper = threading.Thread(target=self._sweep_loop, name="engine pool", daemon=True)
                self._sweeper.start()
            slot = self._slots.setdefault(root, _Slot(root))
            slot.users += 1
            return slot

    def _release(self, slot: _Slot) -> None:
        with self._changed:
            slot.users -= 1
            slot.last_used = self._clock()
            idle = sorted((each for each in self._slots.values() if not each.users), key=lambda each: each.last_used)
            unwanted = idle if self._closed else idle[: max(0, len(idle) - self._most_idle)]
            never_opened = [slot] if not slot.users and slot.engine is None and slot not in unwanted else []
            closing = self._remove([*unwanted, *never_opened])
        _close_engines(closing)
        with self._changed:
            self._changed.notify_all()

    def _remove(self, slots: list[_Slot]) -> list[Engine]:
        """Remove slots from the pool, under its lock; return their engines, to be closed outside of the lock."""
        for slot in slots:
            del self._slots[slot.root]
        return [slot.engine for slot in slots if slot.engine is not None]

    def _sweep_loop(self) -> None:
        """Close idle engines often enough that none stays open a quarter longer than it should."""
        while True:
            with self._changed:
                if self._changed.wait_for(lambda: self._closed, self._idle / 4):
                    return
            self.close_idle()


def _close_engines(engines: list[Engine]) -> None:
    for engine in engines:
        try:
            engine.close()
        except Exception as error:
            _log.error("an engine could not be closed", exc_info=error)

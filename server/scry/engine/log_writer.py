"""Writes events in a thread of its own, so that an answer never waits for the disk.

A query is handed over and forgotten about; if the log can't be written, it waits here for better times. An act of the
person (a use, a rating) is waited for until it is on the disk: only then it is acknowledged.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from math import inf

from msgspec import Struct, field

from scry.core.errors import LogUnavailable
from scry.core.events import Event
from scry.index.project import Project, make_data_folder
from scry.store.events import EventLog

SETTLED_S = 1.0
"""A query that was typed into a picker counts once no other has come for so long (E1)."""

SOON_S = 0.1
"""A query is written so much later: not while its answer, or the next one, is on its way, and several at once."""

ACKNOWLEDGED_WITHIN_S = 10.0
"""So long an act waits for the disk; another process's write is waited for half of it."""

END_WITHIN_S = 2.0
"""So long the end of the process waits for what is still to be written."""

MOST_WAITING = 1000
"""So many queries wait for a log that can't be written; the oldest are dropped first."""

log = logging.getLogger(__name__)

Make = Callable[[], Event]
"""Makes an event, in the writing thread: that of a long answer takes a while."""


class _Job(Struct, eq=False):
    """Events to be written together. is_act: whether someone waits for it; then `done` is set once it has ended."""

    makes: Sequence[Make]
    is_act: bool
    done: threading.Event = field(default_factory=threading.Event)
    new: Sequence[bool] = ()
    error: LogUnavailable | None = None

    def end(self, new: Sequence[bool] = (), error: LogUnavailable | None = None) -> None:
        """Says how it ended, once."""
        if not self.done.is_set():
            self.new, self.error = new, error
            self.done.set()


class LogWriter:
    """The way into one project's log. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens and starts nothing yet."""
        self._project = project
        self._log: EventLog | None = None
        self._news = threading.Condition()
        self._jobs: deque[_Job] = deque()
        self._jobs_due: float | None = None
        self._typed: dict[str, tuple[float, Make]] = {}
        self._waiting: deque[Event] = deque(maxlen=MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._trouble = ""
        _writers.add(self)

    @property
    def trouble(self) -> str:
        """Why the log could not be written the last time, in words for a person; empty when it could."""
        return self._trouble

    def add(self, make: Make) -> None:
        """Has an event written soon."""
        with self._news:
            self._jobs.append(_Job([make], is_act=False))
            if self._jobs_due is None:
                self._jobs_due = time.monotonic() + SOON_S
                self._wake()

    def add_typed(self, picker: str, make: Make) -> None:
        """Has a query written once it has settled; it takes the place of what was last typed into that picker."""
        with self._news:
            self._typed[picker] = (time.monotonic() + SETTLED_S, make)
            self._wake()

    def record(self, makes: Sequence[Make]) -> Sequence[bool]:
        """Writes events, and returns which of them were new once they are on the disk. Raises LogUnavailable."""
        job = _Job(makes, is_act=True)
        with self._news:
            self._jobs.append(job)
            self._jobs_due = 0.0
            self._wake()
        if not job.done.wait(ACKNOWLEDGED_WITHIN_S):
            raise LogUnavailable(f"the log did not take it within {ACKNOWLEDGED_WITHIN_S:.0f} s")
        if job.error is not None:
            raise job.error
        return job.new

    def close(self, timeout: float = END_WITHIN_S) -> None:
        """Writes what is left, what was typed last too, and ends; waits at most `timeout` seconds."""
        with self._news:
            self._is_closing = True
            thread = self._thread
            self._news.notify()
        if thread is not None:
            thread.join(timeout)

    # Under the condition ------------------------------------------------------------------------------------------

    def _wake(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._is_closing = False
            self._thread = threading.Thread(target=self._run, name="scry-log", daemon=True)
            self._thread.start()
        self._news.notify()

    def _due(self) -> list[_Job]:
        """The next jobs; empty when it is time to end. Waits for them."""
        while True:
            now = time.monotonic()
            settled = [name for name, (due, _) in self._typed.items() if due <= now or self._is_closing]
            if settled or self._is_closing or (self._jobs_due is not None and self._jobs_due <= now):
                jobs = [*self._jobs, *(_Job([self._typed.pop(name)[1]], is_act=False) for name in settled)]
                self._jobs.clear()
                self._jobs_due = None
                return jobs
            until = min([due for due, _ in self._typed.values()] + [self._jobs_due or inf])
            self._news.wait(None if until == inf else until - now)

    # In the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._news:
                jobs = self._due()
                if not jobs:
                    self._thread = None
                    break
            self._write(jobs)
        if self._log is not None:
            self._log.close()
            self._log = None

    def _write(self, jobs: Sequence[_Job]) -> None:
        made = [self._made(job) for job in jobs]
        earlier = list(self._waiting)
        try:
            new = self._ready().append([*earlier, *(event for events in made for event in events)])
        except LogUnavailable as error:
            self._put_off(jobs, made, error)
            return
        except Exception as error:  # the thread has to live on
            log.exception("events could not be written")
            self._put_off(jobs, [[] for _ in jobs], LogUnavailable(f"{type(error).__name__}: {error}"))
            return
        self._trouble = ""
        self._waiting.clear()
        at = len(earlier)
        for job, events in zip(jobs, made, strict=True):
            job.end(new[at : at + len(events)])
            at += len(events)

    def _made(self, job: _Job) -> list[Event]:
        try:
            return [make() for make in job.makes]
        except Exception as error:
            log.exception("an event could not be made")
            job.end(error=LogUnavailable(f"{type(error).__name__}: {error}"))
            return []

    def _put_off(self, jobs: Sequence[_Job], made: Sequence[Sequence[Event]], error: LogUnavailable) -> None:
        """Queries wait; who waits for an act is told that it was not kept."""
        self._trouble = str(error)
        if self._log is not None:
            self._log.close()
            self._log = None
        for job, events in zip(jobs, made, strict=True):
            job.end(error=error)
            if not job.is_act:
                self._waiting.extend(events)

    def _ready(self) -> EventLog:
        if self._log is not None and not self._log.is_in_place():
            self._log.close()
            self._log = None
        if self._log is None:
            self._log = EventLog.open(self._project.data, lambda: make_data_folder(self._project))
        return self._log


_writers: weakref.WeakSet[LogWriter] = weakref.WeakSet()


@atexit.register
def _write_what_is_left() -> None:
    """For engines that nobody closed."""
    for writer in list(_writers):
        writer.close()

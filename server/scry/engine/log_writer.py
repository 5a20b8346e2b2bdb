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
from scry.core.events import LogEvent
from scry.index.project import Project, create_data_folder
from scry.store.events import EventLog

TYPING_SETTLE_S = 1.0
"""A query that was typed into a picker counts once no other has come for so long (E1)."""

WRITE_DELAY_S = 0.1
"""A query is written so much later: not while its answer, or the next one, is on its way, and several at once."""

ACKNOWLEDGE_TIMEOUT_S = 10.0
"""So long an act waits for the disk; another process's write is waited for half of it."""

CLOSE_TIMEOUT_S = 2.0
"""So long the end of the process waits for what is still to be written."""

MAX_PENDING_EVENTS = 1000
"""So many queries wait for a log that can't be written; the oldest are dropped first."""

_log = logging.getLogger(__name__)

EventFactory = Callable[[], LogEvent]
"""Makes an event, in the writing thread: that of a long answer takes a while."""


class _WriteJob(Struct, eq=False):
    """Events to be written together. is_act: whether someone waits for it; then `done` is set once it has ended."""

    makes: Sequence[EventFactory]
    is_act: bool
    done: threading.Event = field(default_factory=threading.Event)
    new: Sequence[bool] = ()
    error: LogUnavailable | None = None

    def finish(self, new: Sequence[bool] = (), error: LogUnavailable | None = None) -> None:
        """Says how it ended, once."""
        if not self.done.is_set():
            self.new, self.error = new, error
            self.done.set()


class EventWriter:
    """The way into one project's log. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Opens and starts nothing yet."""
        self._project = project
        self._log: EventLog | None = None
        self._condition = threading.Condition()
        self._jobs: deque[_WriteJob] = deque()
        self._jobs_due: float | None = None
        self._debounced: dict[str, tuple[float, EventFactory]] = {}
        self._pending: deque[LogEvent] = deque(maxlen=MAX_PENDING_EVENTS)
        self._thread: threading.Thread | None = None
        self._is_closing = False
        self._trouble = ""
        _writers.add(self)

    @property
    def trouble(self) -> str:
        """Why the log could not be written the last time, in words for a person; empty when it could."""
        return self._trouble

    def add(self, make: EventFactory) -> None:
        """Has an event written soon."""
        with self._condition:
            self._jobs.append(_WriteJob([make], is_act=False))
            if self._jobs_due is None:
                self._jobs_due = time.monotonic() + WRITE_DELAY_S
                self._start_thread()

    def add_debounced(self, picker: str, make: EventFactory) -> None:
        """Has a query written once it has settled; it takes the place of what was last typed into that picker."""
        with self._condition:
            self._debounced[picker] = (time.monotonic() + TYPING_SETTLE_S, make)
            self._start_thread()

    def write_now(self, makes: Sequence[EventFactory]) -> Sequence[bool]:
        """Writes events, and returns which of them were new once they are on the disk. Raises LogUnavailable."""
        job = _WriteJob(makes, is_act=True)
        with self._condition:
            self._jobs.append(job)
            self._jobs_due = 0.0
            self._start_thread()
        if not job.done.wait(ACKNOWLEDGE_TIMEOUT_S):
            raise LogUnavailable(f"the log did not take it within {ACKNOWLEDGE_TIMEOUT_S:.0f} s")
        if job.error is not None:
            raise job.error
        return job.new

    def close(self, timeout: float = CLOSE_TIMEOUT_S) -> None:
        """Writes what is left, what was typed last too, and ends; waits at most `timeout` seconds."""
        with self._condition:
            self._is_closing = True
            thread = self._thread
            self._condition.notify()
        if thread is not None:
            thread.join(timeout)

    # Under the condition ------------------------------------------------------------------------------------------

    def _start_thread(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._is_closing = False
            self._thread = threading.Thread(target=self._run, name="scry-log", daemon=True)
            self._thread.start()
        self._condition.notify()

    def _next_jobs(self) -> list[_WriteJob]:
        """The next jobs; empty when it is time to end. Waits for them."""
        while True:
            now = time.monotonic()
            settled = [name for name, (due, _) in self._debounced.items() if due <= now or self._is_closing]
            if settled or self._is_closing or (self._jobs_due is not None and self._jobs_due <= now):
                jobs = [*self._jobs, *(_WriteJob([self._debounced.pop(name)[1]], is_act=False) for name in settled)]
                self._jobs.clear()
                self._jobs_due = None
                return jobs
            until = min([due for due, _ in self._debounced.values()] + [self._jobs_due or inf])
            self._condition.wait(None if until == inf else until - now)

    # In the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._condition:
                jobs = self._next_jobs()
                if not jobs:
                    self._thread = None
                    break
            self._write(jobs)
        if self._log is not None:
            self._log.close()
            self._log = None

    def _write(self, jobs: Sequence[_WriteJob]) -> None:
        made = [self._make_events(job) for job in jobs]
        earlier = list(self._pending)
        try:
            new = self._open_log().append([*earlier, *(event for events in made for event in events)])
        except LogUnavailable as error:
            self._defer(jobs, made, error)
            return
        except Exception as error:  # the thread has to live on
            _log.exception("events could not be written")
            self._defer(jobs, [[] for _ in jobs], LogUnavailable(f"{type(error).__name__}: {error}"))
            return
        self._trouble = ""
        self._pending.clear()
        at = len(earlier)
        for job, events in zip(jobs, made, strict=True):
            job.finish(new[at : at + len(events)])
            at += len(events)

    def _make_events(self, job: _WriteJob) -> list[LogEvent]:
        try:
            return [make() for make in job.makes]
        except Exception as error:
            _log.exception("an event could not be made")
            job.finish(error=LogUnavailable(f"{type(error).__name__}: {error}"))
            return []

    def _defer(self, jobs: Sequence[_WriteJob], made: Sequence[Sequence[LogEvent]], error: LogUnavailable) -> None:
        """Queries wait; who waits for an act is told that it was not kept."""
        self._trouble = str(error)
        if self._log is not None:
            self._log.close()
            self._log = None
        for job, events in zip(jobs, made, strict=True):
            job.finish(error=error)
            if not job.is_act:
                self._pending.extend(events)

    def _open_log(self) -> EventLog:
        if self._log is not None and not self._log.is_in_place():
            self._log.close()
            self._log = None
        if self._log is None:
            self._log = EventLog.open(self._project.data, lambda: create_data_folder(self._project))
        return self._log


_writers: weakref.WeakSet[EventWriter] = weakref.WeakSet()


@atexit.register
def _flush_writers() -> None:
    """For engines that nobody closed."""
    for writer in list(_writers):
        writer.close()

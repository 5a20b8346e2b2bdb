"""Store every answer as it is sent, and log it, its uses and its ratings in the background (E1-E3).

A thread of its own writes the events, so that an answer never waits for the disk. Queries are queued without waiting;
while the log can't be written, they stay in memory. An act of the person (a use, a rating) is acknowledged only once it
is on the disk. No failure here can fail a question: a problem is reported once, in the index state of the next answer.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import cached_property, partial
from itertools import chain
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, field

from scry.core.doc_id import is_query_id, split_off_project
from scry.core.errors import BadRequest, LogUnavailable
from scry.core.events import FEEDBACK, USE, LogEvent
from scry.core.notices import Notice
from scry.core.platform import IS_WINDOWS, terminal_session
from scry.core.settings import Settings
from scry.core.text import escape_unencodable
from scry.engine.activity.answer_store import AnswerArchive, RecordingSwitch
from scry.engine.response.recording import (
    AnswerOrigin,
    StoredAnswer,
    describe_missing_place,
    describe_missing_rank,
    query_event,
)
from scry.projects.project import Project, create_data_folder, folder_in_repository
from scry.store.events.log import EventLog, EventReader, explain_unwritable_log, now_ms

if TYPE_CHECKING:
    from scry.engine.activity.learning import LearningThread

TYPING_SETTLE_S = 1.0
"""Seconds without another query after which one that was typed into a picker is logged (E1)."""

WRITE_DELAY_S = 0.1
"""Seconds by which writing a query is delayed: past its answer and the next, and so that several go at once."""

ACKNOWLEDGE_TIMEOUT_S = 10.0
"""Seconds that an act waits for the disk; another process's write is waited for half of them."""

CLOSE_TIMEOUT_S = 2.0
"""Seconds that the end of the process waits for events still to be written."""

MAX_PENDING_EVENTS = 1000
"""How many queries wait for a log that can't be written; the oldest are dropped first."""

_log = logging.getLogger(__name__)

EventFactory = Callable[[], LogEvent]
"""Makes an event, in the writing thread, because encoding a long answer takes a while."""


class _WriteJob(Struct, eq=False):
    """Events to be written together.

    is_act: whether a caller waits for the job; `done` is set once it has ended. new: for each event, whether the log
    did not hold it before. error: why nothing was written.
    """

    makes: Sequence[EventFactory]
    is_act: bool
    done: threading.Event = field(default_factory=threading.Event)
    new: Sequence[bool] = ()
    error: LogUnavailable | None = None

    def finish(self, new: Sequence[bool] = (), error: LogUnavailable | None = None) -> None:
        """Record the outcome of the job; later calls change nothing."""
        if not self.done.is_set():
            self.new, self.error = new, error
            self.done.set()


class EventWriter:
    """Writes events to one project's log. Every method may be called from any thread."""

    def __init__(self, project: Project, learning: RecordingSwitch) -> None:
        """Open and start nothing yet. learning: whether to learn from the acts that are written."""
        self._project = project
        self._learning = learning
        self._learner: LearningThread | None = None
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
        """The reason why the log could not be written the last time, in words for a person; empty when it could."""
        return self._trouble

    def add(self, make: EventFactory) -> None:
        """Queue an event to be written soon."""
        with self._condition:
            self._jobs.append(_WriteJob([make], is_act=False))
            if self._jobs_due is None:
                self._jobs_due = time.monotonic() + WRITE_DELAY_S
                self._start_thread()

    def add_debounced(self, picker: str, make: EventFactory) -> None:
        """Queue a query to be written once it has settled, in place of the one last typed into that picker."""
        with self._condition:
            self._debounced[picker] = (time.monotonic() + TYPING_SETTLE_S, make)
            self._start_thread()

    def discard_debounced(self, picker: str) -> None:
        """Discard the query last typed into a picker, if it has not settled yet."""
        with self._condition:
            self._debounced.pop(picker, None)

    def write_now(self, makes: Sequence[EventFactory]) -> Sequence[bool]:
        """Write events; once they are on the disk, return which of them were new. Raises LogUnavailable."""
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

    def write_queued(self) -> None:
        """Write what is queued, unsettled queries aside, and return once it is on the disk, or can't be written."""
        if self._thread is not None:
            with suppress(LogUnavailable):  # `trouble` says so
                self.write_now([])

    def close(self, timeout: float = CLOSE_TIMEOUT_S) -> None:
        """Write all queued events, unsettled queries included, and end; wait at most `timeout` seconds."""
        with self._condition:
            self._is_closing = True
            thread = self._thread
            self._condition.notify()
        if thread is not None:
            thread.join(timeout)
        if self._learner is not None:
            self._learner.close(timeout)

    # Under the condition ------------------------------------------------------------------------------------------

    def _start_thread(self) -> None:
        if self._thread is None or not self._thread.is_alive():
            self._is_closing = False
            self._thread = threading.Thread(target=self._run, name="scry-log", daemon=True)
            self._thread.start()
        self._condition.notify()

    def _next_jobs(self) -> list[_WriteJob]:
        """Wait for the next jobs and return them; empty when it is time to end."""
        while True:
            now = time.monotonic()
            settled = [name for name, (due, _) in self._debounced.items() if due <= now or self._is_closing]
            if settled or self._is_closing or (self._jobs_due is not None and self._jobs_due <= now):
                jobs = [*self._jobs, *[_WriteJob([self._debounced.pop(name)[1]], is_act=False) for name in settled]]
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
        made: list[list[LogEvent]] = []
        for job in jobs:
            try:
                made.append([make() for make in job.makes])
            except Exception as error:
                _log.exception("an event could not be made")
                job.finish(error=LogUnavailable(f"{type(error).__name__}: {error}"))
                made.append([])
        earlier = list(self._pending)
        try:
            if self._log is not None and not self._log.is_in_place():
                self._log.close()
                self._log = None
            if self._log is None:
                self._log = EventLog.open(self._project.data, partial(create_data_folder, self._project))
            new = self._log.append([*earlier, *chain.from_iterable(made)])
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
        kinds = [event.kind for event in chain.from_iterable(made)]
        if (USE in kinds or FEEDBACK in kinds) and self._learning.is_on():
            from scry.engine.activity.learning import LearningThread  # most processes write no act

            self._learner = self._learner or LearningThread(self._project.data)
            self._learner.wake()

    def _defer(self, jobs: Sequence[_WriteJob], made: Sequence[Sequence[LogEvent]], error: LogUnavailable) -> None:
        """Hold queries until the next write; fail the jobs of acts."""
        self._trouble = str(error)
        if self._log is not None:
            self._log.close()
            self._log = None
        for job, events in zip(jobs, made, strict=True):
            job.finish(error=error)
            if not job.is_act:
                self._pending.extend(events)


_writers: weakref.WeakSet[EventWriter] = weakref.WeakSet()


@atexit.register
def _flush_writers() -> None:
    """Write the queued events of engines that nobody closed."""
    for writer in list(_writers):
        writer.close()


_SEARCH_STILL_WORKS = "search works, but what is done with its answers is not logged"


class RecordedAct(Struct, frozen=True):
    """The outcome of recording an act. is_recorded: whether it is new and on the disk. notice: why it is not."""

    is_recorded: bool
    notice: Notice | None = None


class ActSubject(Struct, frozen=True):
    """The answer that an act is about.

    doc_ids: of its results, by rank. further: the doc_ids of each result's further places, by rank. of_team: whether
    each result is of a team's repository. roots: the work tree of each result; empty for unknown. make: makes the event
    of its question. is_private: nothing of it is logged.
    """

    query_id: str
    doc_ids: Sequence[str]
    further: Sequence[Sequence[str]]
    of_team: Sequence[bool]
    roots: Sequence[str]
    make: EventFactory
    is_private: bool

    def doc_id(self, rank: int, place: str | None = None) -> str:
        """Return the doc_id at a rank, or that of a further place of that result. Raises BadRequest for neither."""
        if not 1 <= rank <= len(self.doc_ids):
            raise BadRequest("rank", describe_missing_rank(self.query_id, rank, len(self.doc_ids)))
        own, further = self.doc_ids[rank - 1], self.further[rank - 1]
        if place is None or place == own or place in further:
            return place or own
        raise BadRequest("doc_id", describe_missing_place(rank, place, further))


class Recorder:
    """Stores and logs the answers of one project. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, surface: str) -> None:
        """Open nothing yet. surface: the way in, such as cli or lsp."""
        self.answers = AnswerArchive(project)
        self.surface = surface
        self.project = project
        # Askers are told apart by the terminal on the command line, and by the process elsewhere.
        self._caller = f"{surface}:{terminal_session(0) if surface == 'cli' else os.getpid()}"
        self._switch = RecordingSwitch(settings, "log")
        self._writer = EventWriter(project, RecordingSwitch(settings, "learn"))
        self._trouble_reported = False
        self._lock = threading.Lock()

    @cached_property
    def folder(self) -> str:
        """The folder of the project in its repository, whose projects share one log; empty for the whole."""
        return folder_in_repository(self.project.root)

    def describe_origin(self, doc_id: str, *, of_team: bool, root: str) -> str:
        """Return where a result is from: `team` for a team's repository, `elsewhere` for another project than this one,
        empty for this one.

        root: its work tree, which tells projects apart; where that is not known any more, their names do.
        """
        if of_team:
            return "team"
        named, _ = split_off_project(doc_id)
        own = self.project.name if not root else escape_unencodable(str(self.project.root))
        return "elsewhere" if named and (root or named) != own else ""

    # Answers on their way out -------------------------------------------------------------------------------------

    def make_origin(
        self,
        mode: str,
        options: Mapping[str, object],
        encoding: str,
        doc_keys: Sequence[int] = (),
        roots: Sequence[Path] = (),
    ) -> AnswerOrigin:
        """Return the origin of an answer that is made now; parameters as of AnswerOrigin."""
        return AnswerOrigin(
            mode=mode,
            time_ms=now_ms(),
            surface=self.surface,
            asker=self._caller,
            root=escape_unencodable(str(self.project.root)),
            encoding=encoding,
            options=options,
            is_private=not self._switch.is_on(),
            doc_keys=doc_keys,
            roots=[escape_unencodable(str(root)) for root in roots],
        )

    def log(self, make: EventFactory, origin: AnswerOrigin, picker: str | None = None) -> None:
        """Queue an event, unless its question is private. Never fails.

        picker: the picker in which its query is being typed.
        """
        if origin.is_private:
            return
        if picker is None:
            self._writer.add(make)
        else:
            self._writer.add_debounced(picker, make)

    def discard_typed(self, picker: str | None) -> None:
        """Discard the query that is being typed into a picker: a newer one is logged by another project."""
        if picker is not None:
            self._writer.discard_debounced(picker)

    def open_store(self) -> None:
        """Open the file that answers are stored in, so that the first answer need not wait for it. Never fails."""
        self.answers.prepare()

    def latest_answer(self) -> StoredAnswer | None:
        """Return the newest answer to a question of this terminal or process; None for none.

        Where terminals can't be told apart, on Windows, it is the newest of this surface.
        """
        return self.answers.latest_from(
            lambda origin: origin.surface == self.surface if IS_WINDOWS else origin.asker == self._caller
        )

    # Acts ---------------------------------------------------------------------------------------------------------

    def find_subject(self, query_id: str) -> ActSubject:
        """Return the answer that an act is about, stored or logged. Raises BadRequest where there is none."""
        stored = self.answers.get(query_id)
        if stored is not None:
            make = partial(query_event, stored)
            of_team = [bool(each.commit) for each in stored.results]
            roots = [stored.root_of(rank) for rank in range(1, len(stored.results) + 1)]
            private = stored.origin.is_private
            return ActSubject(query_id, stored.doc_ids, stored.further_doc_ids, of_team, roots, make, private)
        logged = self._find_logged(query_id)
        if logged is None:
            raise BadRequest("query_id", self.answers.explain_absence(query_id))
        return ActSubject(query_id, *_logged_results(logged), lambda: logged, is_private=False)

    def record_act(self, subject: ActSubject, event: LogEvent) -> RecordedAct:
        """Write an act, preceded by its question where that is not logged yet: just typed, or lost to an error."""
        from scry.engine.notices import ActNotWritten, ActRepeated, AskedWhileLogOff, LogOff

        if subject.is_private or not self._switch.is_on():
            return RecordedAct(False, AskedWhileLogOff() if subject.is_private else LogOff())
        try:
            _, is_new = self._writer.write_now([subject.make, lambda: event])
        except LogUnavailable as error:
            self._trouble_reported = True
            return RecordedAct(False, ActNotWritten(str(error)))
        return RecordedAct(is_new, None if is_new else ActRepeated())

    def has_answer(self, query_id: str) -> bool:
        """Return whether this answer is stored or logged here."""
        try:
            self.find_subject(query_id)
        except BadRequest:
            return False
        return True

    # The log ------------------------------------------------------------------------------------------------------

    @property
    def trouble(self) -> str:
        """The reason why answers or events can't be written, in words for a person; empty when they can."""
        if self._writer.trouble:
            return f"{self._writer.trouble}; {_SEARCH_STILL_WORKS}"
        if self.answers.trouble:
            return f"answers can't be kept in {self.project.data} ({self.answers.trouble}); {_SEARCH_STILL_WORKS}"
        return ""

    def new_trouble(self) -> str:
        """Return the trouble the first time that it is met, empty afterwards, until recording has worked again."""
        with self._lock:
            trouble, was_reported = self.trouble, self._trouble_reported
            self._trouble_reported = bool(trouble)
            return "" if was_reported else trouble

    def expected_trouble(self) -> str:
        """Return the trouble, or the trouble that the next event would meet."""
        if self.trouble or not self._switch.is_on():
            return self.trouble
        trouble = explain_unwritable_log(self.project.data)
        return f"{trouble}; {_SEARCH_STILL_WORKS}" if trouble else ""

    def write_queued(self) -> None:
        """Write the queued events now, so that whoever reads the log finds what was asked before."""
        self._writer.write_queued()

    def close(self) -> None:
        """Write all queued events, and close the files."""
        self._writer.close()
        self.answers.close()

    # Inside -------------------------------------------------------------------------------------------------------

    def _find_logged(self, query_id: str) -> LogEvent | None:
        """Return the logged event of a query whose answer has expired."""
        if not is_query_id(query_id):
            return None
        try:
            reader = EventReader.open(self.project.data)
            if reader is None:
                return None
            with closing(reader):
                logged = reader.find_query(query_id)
        except LogUnavailable:
            return None
        return logged.event if logged else None


def _logged_results(event: LogEvent) -> tuple[list[str], list[list[str]], list[bool], list[str]]:
    """Return of a logged query's results, by rank, the doc_ids, those of further places, whether a team has it, and the
    work tree, which was not logged.
    """
    body: dict[str, Any] = msgspec.json.decode(event.body)
    results = body["results"]
    return (
        [result["doc_id"] for result in results],
        [result.get("further", []) for result in results],
        [result.get("team", False) for result in results],
        [""] * len(results),
    )

"""Store every answer as it leaves, and write it, its uses and its ratings to the log in the background.

Writes events in a thread of its own, so that an answer never waits for the disk.

A query is handed over and forgotten about; if the log can't be written, it waits here for better times. An act of the
person (a use, a rating) is waited for until it is on the disk: only then it is acknowledged.

Where every answer passes on its way out: it is kept, then logged; and where uses and ratings come in (E1-E3).

Nothing here can fail a question: what goes wrong is told once, in the state of the next answer.
"""

from __future__ import annotations

import atexit
import logging
import os
import secrets
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from math import inf
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct, field

from scry.core.errors import BadRequest, LogUnavailable
from scry.core.events import LogEvent
from scry.core.settings import Settings
from scry.core.text import escape_unencodable
from scry.engine.activity.answer_store import (
    AnswerArchive,
    AnswerOrigin,
    RecordingSwitch,
    StoredAnswer,
    describe_missing_rank,
    detail_event,
    feedback_event,
    logged_doc_ids,
    logged_options,
    query_event,
    use_event,
)
from scry.engine.context import is_query_id, new_query_id, now_ms
from scry.projects.project import Project, create_data_folder
from scry.store.events.log import EventLog, EventReader, explain_unwritable_log
from scry_protocol.messages import Answer, Detail, Explanation, FeedbackParams, IndexState, Recorded, UseParams

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


RecordedOutcome = TypeVar("RecordedOutcome", Answer, Explanation)

_LOG_OFF = "the log is off, so this was not kept (scry log on)"
_ASKED_PRIVATELY = "this was asked while the log was off, so what is done with it is not kept"
_SEARCH_STILL_WORKS = "search works, but what is done with its answers is not logged"
_ALREADY_RECORDED = "this act was recorded before"


class Recorder:
    """Keeps and logs the answers of one project. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, surface: str) -> None:
        """surface: the way in, such as cli or lsp. Opens nothing yet."""
        self.answers = AnswerArchive(project)
        self._project = project
        self._surface = surface
        self._caller = f"{surface}:{_caller_id(surface)}"
        self._switch = RecordingSwitch(settings, "log")
        self._writer = EventWriter(project)
        self._trouble_reported = False
        self._lock = threading.Lock()

    # Answers on their way out -------------------------------------------------------------------------------------

    def record_answer(
        self,
        answer: RecordedOutcome,
        params: msgspec.Struct,
        encoding: str = "utf-16",
        doc_keys: Sequence[int] = (),
        roots: Sequence[Path] = (),
    ) -> RecordedOutcome:
        """Keeps the answer and has it logged; returns it with what there is to say of the log. Never fails.

        params: what was asked. numbers: the store's numbers of the results' documents, by rank. roots: their work
        trees, by rank, where they are not all of this project's.
        """
        mode = answer.mode if isinstance(answer, Answer) else "why"
        asked = self._make_origin(mode, params, encoding, doc_keys, roots)
        clean = msgspec.structs.replace(answer, query=escape_unencodable(answer.query)) if answer.query else answer
        kept = StoredAnswer(asked, clean) if isinstance(clean, Answer) else StoredAnswer(asked, explanation=clean)
        self.answers.add(kept)
        self._log(partial(query_event, kept), asked, getattr(params, "picker", None))
        return self._add_new_trouble(answer)

    def record_detail(self, detail: Detail, params: msgspec.Struct) -> Detail:
        """Has a result that is shown in full logged, as a question and as a use. Never fails."""
        asked = self._make_origin("detail", params, "utf-16")
        self._log(partial(detail_event, detail, asked, new_query_id()), asked, None)
        kept = self.answers.get(detail.query_id)
        if kept is not None and not kept.asked.is_private:
            use = UseParams(detail.query_id, detail.result.rank, "detail", f"detail-{secrets.token_hex(8)}")
            self._log(partial(query_event, kept), asked, None)
            self._log(partial(use_event, use, detail.result.doc_id, self._surface), asked, None)
        return detail

    def open_store(self) -> None:
        """Opens what answers are kept in, so that the first one need not wait for that. Never fails."""
        self.answers.prepare()

    # Acts ---------------------------------------------------------------------------------------------------------

    def use(self, params: UseParams) -> Recorded:
        """A result was used. It is on the disk when this returns `recorded`.

        Raises BadRequest for an answer or a rank that does not exist.
        """
        subject = self._subject(params.query_id)
        return self._record_act(subject, use_event(params, subject.doc_id(params.rank), self._surface))

    def feedback(self, params: FeedbackParams) -> Recorded:
        """An answer was good or bad. It is on the disk when this returns `recorded`. Raises BadRequest as `use`."""
        subject = self._subject(params.query_id)
        doc_id = None if params.rank is None else subject.doc_id(params.rank)
        return self._record_act(subject, feedback_event(params, doc_id, self._surface))

    def has_answer(self, query_id: str) -> bool:
        """Whether this answer is kept or logged here."""
        try:
            self._subject(query_id)
        except BadRequest:
            return False
        return True

    # The log ------------------------------------------------------------------------------------------------------

    @property
    def trouble(self) -> str:
        """What keeps answers or events from being kept, in words for a person; empty for nothing."""
        if self._writer.trouble:
            return f"{self._writer.trouble}; {_SEARCH_STILL_WORKS}"
        if self.answers.trouble:
            return f"answers can't be kept in {self._project.data} ({self.answers.trouble}); {_SEARCH_STILL_WORKS}"
        return ""

    def new_trouble(self) -> str:
        """The same, once: not again before all was well in between."""
        with self._lock:
            trouble, was_told = self.trouble, self._trouble_reported
            self._trouble_reported = bool(trouble)
            return "" if was_told else trouble

    def add_trouble(self, state: IndexState) -> IndexState:
        """The state with what keeps answers or events from being kept, also where nothing was written yet."""
        trouble = self.trouble
        if not trouble and self._switch.is_on():
            found = explain_unwritable_log(self._project.data)
            trouble = f"{found}; {_SEARCH_STILL_WORKS}" if found else ""
        message = "; ".join(part for part in (state.message, trouble) if part)
        return msgspec.structs.replace(state, message=message)

    def close(self) -> None:
        """Writes what is left."""
        self._writer.close()
        self.answers.close()

    # Inside -------------------------------------------------------------------------------------------------------

    def _make_origin(
        self,
        mode: str,
        params: msgspec.Struct,
        encoding: str,
        numbers: Sequence[int] = (),
        roots: Sequence[Path] = (),
    ) -> AnswerOrigin:
        return AnswerOrigin(
            mode=mode,
            time_ms=now_ms(),
            surface=self._surface,
            asker=self._caller,
            root=escape_unencodable(str(self._project.root)),
            encoding=encoding,
            options=logged_options(params),
            is_private=not self._switch.is_on(),
            numbers=numbers,
            roots=[escape_unencodable(str(root)) for root in roots],
        )

    def _log(self, make: EventFactory, asked: AnswerOrigin, picker: str | None) -> None:
        if asked.is_private:
            return
        if picker is None:
            self._writer.add(make)
        else:
            self._writer.add_debounced(picker, make)

    def _subject(self, query_id: str) -> _ActSubject:
        """What an act is about. Raises BadRequest when there is no such answer."""
        kept = self.answers.get(query_id)
        if kept is not None:
            doc_ids = [result.doc_id for result in kept.results]
            return _ActSubject(query_id, doc_ids, partial(query_event, kept), kept.asked.is_private)
        logged = self._find_logged(query_id)
        if logged is None:
            raise BadRequest("query_id", self.answers.explain_absence(query_id))
        return _ActSubject(query_id, logged_doc_ids(logged), lambda: logged, is_private=False)

    def _find_logged(self, query_id: str) -> LogEvent | None:
        """A query whose answer has expired, as it is in the log."""
        if not is_query_id(query_id):
            return None
        try:
            reader = EventReader.open(self._project.data)
            if reader is None:
                return None
            with closing(reader):
                found = reader.find_query(query_id)
        except LogUnavailable:
            return None
        return found.event if found else None

    def _record_act(self, subject: _ActSubject, event: LogEvent) -> Recorded:
        """The question is logged first where it is not yet: it was typed just now, or the log failed then."""
        if subject.is_private or not self._switch.is_on():
            return Recorded(subject.query_id, recorded=False, note=_ASKED_PRIVATELY if subject.is_private else _LOG_OFF)
        try:
            _, is_new = self._writer.write_now([subject.make, lambda: event])
        except LogUnavailable as error:
            self._trouble_reported = True
            return Recorded(subject.query_id, recorded=False, note=f"this was not kept: {error}")
        return Recorded(subject.query_id, recorded=is_new, note="" if is_new else _ALREADY_RECORDED)

    def _add_new_trouble(self, answer: RecordedOutcome) -> RecordedOutcome:
        news = self.new_trouble()
        if not news:
            return answer
        message = "; ".join(part for part in (answer.index.message, news) if part)
        told = msgspec.structs.replace(answer, index=msgspec.structs.replace(answer.index, message=message))
        if isinstance(told, Answer):
            return msgspec.structs.replace(told, notice="; ".join(part for part in (told.notice, news) if part))
        return told


class _ActSubject(msgspec.Struct, frozen=True):
    """The answer that an act is about. make: the event of its question. is_private: nothing of it is to be logged."""

    query_id: str
    doc_ids: Sequence[str]
    make: EventFactory
    is_private: bool

    def doc_id(self, rank: int) -> str:
        """What stands at a rank. Raises BadRequest where nothing does."""
        if 1 <= rank <= len(self.doc_ids):
            return self.doc_ids[rank - 1]
        raise BadRequest("rank", describe_missing_rank(self.query_id, rank, len(self.doc_ids)))


def _caller_id(surface: str) -> int:
    """Tells askers apart: on the command line the terminal, else the process."""
    if surface == "cli" and sys.platform != "win32":
        return os.getsid(0)
    return os.getpid()

"""Run the thread that embeds documents, so that lexical search never waits for vectors.

How long the vectors of a slow model still take, and what a person is told of it.

The one who makes vectors, beside the one who reads files: words never wait for them.

First the bundled model's, where that one answers or none does yet: they take little time. Then, when the settings name
another model, that one's: they are made in the background while the others answer, and take over once they are
complete. Models other than the bundled one live in this process alone, so it encodes questions for all others.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.errors import Cancelled, IndexDamaged, ModelUnavailable
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.indexer.schedule import Schedule
from scry.indexer.status import IndexerStatus
from scry.projects.project import Project

if TYPE_CHECKING:
    from scry.embedding.embedder import Embedder, Vectors
    from scry.store.index.store import IndexStore
    from scry.store.notes.project_notes import EmbedNotes
    from scry.store.vector_sets import EmbedderInfo

_RATE_WINDOW_S = 60.0
_MIN_RATE_SPAN_S = 1.0
"""After less than this, a rate says nothing."""


class TimeLeftEstimator:
    """An estimate by the rate of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """clock: monotonic seconds."""
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque([(clock(), 0)])

    def record(self, encoded: int) -> None:
        """So many passages were encoded since the beginning."""
        now = self._clock()
        self._seen.append((now, encoded))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _RATE_WINDOW_S:
            self._seen.popleft()

    def seconds_for(self, passages: int) -> float | None:
        """How long so many more take; None while that can't be told."""
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        if end - start < _MIN_RATE_SPAN_S or after <= before:
            return None
        return passages * (end - start) / (after - before)


def describe_embedding_progress(model: str, done: int, total: int, left: TimeLeftEstimator) -> str:
    """For example: embedding 1,200 of 30,000 with X, about 4 minutes left."""
    seconds = left.seconds_for(total - done)
    estimate = "" if seconds is None else f", {describe_duration(seconds)} left"
    return f"embedding {done:,} of {total:,} with {model}{estimate}"


def describe_duration(seconds: float) -> str:
    """A duration as people say it, never more exact than an estimate is."""
    if seconds < 55:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {_pluralize(minutes, 'minute')}"
    return f"about {_pluralize(round(seconds / 3600), 'hour')}"


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


log = logging.getLogger(__name__)

MODEL_RETRY_S = 60.0
"""A model that can't be loaded is tried again so much later, when there is work for it, or when someone asks."""


class EmbeddingJob(Struct, frozen=True):
    """What is to be brought to an end: the vectors of this index, by the model that the settings name."""

    store: IndexStore
    settings: Settings


class EmbeddingWorker(threading.Thread):
    """Makes vectors until `close`. All other methods may be called from any thread."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        status: IndexerStatus,
        *,
        on_progress: Callable[[], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """after: called when those may go on who wait for vectors. failed: told why vectors could not be written."""
        super().__init__(name="filling", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._on_progress = on_progress
        self._on_failure = on_failure
        self._condition = threading.Condition()
        self._job: EmbeddingJob | None = None
        self._running: EmbeddingJob | None = None
        self._slow = False
        self._aborted = False
        self._closing = False
        self._models: dict[str, Embedder] = {}
        self._failed_models: dict[str, tuple[float, str]] = {}

    # For others ---------------------------------------------------------------------------------------------------

    def submit(self, job: EmbeddingJob) -> None:
        """There may be documents without a vector, or the settings may name another model."""
        answering = job.store.vectors.embedder
        with self._condition:
            self._job = job
            self._slow = answered_by_slow_model(job, answering)
            self._condition.notify_all()

    def abort(self) -> None:
        """The index is being closed: what is going on is cut short."""
        with self._condition:
            self._job = None
            self._aborted = True

    def load_answering_model(self, job: EmbeddingJob) -> None:
        """Loads the model whose vectors answer, so that questions can be encoded before anything else is done. Vectors
        of an earlier version of the bundled one are forgotten: nothing can be compared to them, so documents lack some.
        """
        from scry.indexer.embed import embedder_info

        answering = job.store.vectors.embedder
        if answering is None:
            return
        if answering.model == BUNDLED_MODEL:
            job.store.vectors.drop_outdated(embedder_info(BUNDLED_MODEL, self._load(BUNDLED_MODEL)))
        elif answering.model == job.settings.model:
            self.submit(job)

    def retry_failed_models(self) -> None:
        """Has a model that could not be loaded tried again the next time."""
        with self._condition:
            self._failed_models.clear()

    def has_pending_work(self, *, slow: bool) -> bool:
        """Whether vectors are still to be made; those of other models than the bundled one count only when `slow`."""
        with self._condition:
            busy = self._job is not None or self._running is not None
            return busy and (slow or not self._slow)

    def encode_query(self, identity: str, query: str) -> Vectors:
        """A question's vector by the embedder of that identity. Raises ModelUnavailable saying why there is none."""
        with self._condition:
            found = next((each for each in self._models.values() if each.identity == identity), None)
            loading = self._running is not None and not self._failed_models
            reasons = [words for _, words in self._failed_models.values()]
        if found is not None:
            return found.encode_query(query)
        if reasons:
            raise ModelUnavailable(reasons[0])
        name = identity.partition("@")[0]
        raise ModelUnavailable(
            f"The model {name} is being loaded; ask again in a few seconds."
            if loading
            else f"The model {name} is not in use any more; the vectors of the one that is are being made."
        )

    def note_embedder(self, answering: EmbedderInfo | None) -> EmbedNotes | None:
        """Gives a few notes their vectors at once, where the bundled model answers and is loaded; else None."""
        with self._condition:
            embedder = self._models.get(BUNDLED_MODEL)
        if embedder is None or answering is None or answering.identity != embedder.identity:
            return None
        from scry.indexer.embed import make_note_embedder

        return make_note_embedder(answering, embedder)

    def close(self) -> None:
        """Ends the thread soon."""
        with self._condition:
            self._closing = True
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Takes jobs until there are no more to come."""
        while (job := self._wait_for_job()) is not None:
            try:
                self._run_job(job)
            except Cancelled:
                self._finish_job()
            except IndexDamaged:
                self._schedule.request_full_compare(reset=True)
                self._finish_job()
            except Exception as error:  # whatever it is, it must not end the making of vectors for ever
                self._handle_failure(job, error)
            else:
                self._finish_job()
                self._trim_journal(job)

    def _wait_for_job(self) -> EmbeddingJob | None:
        with self._condition:
            self._condition.wait_for(lambda: self._job is not None or self._closing)
            self._running, self._job = self._job, None
            self._aborted = False
            return None if self._closing else self._running

    def _finish_job(self) -> None:
        with self._condition:
            self._running = None
        self._on_progress()

    def _handle_failure(self, job: EmbeddingJob, error: Exception) -> None:
        """Says so, lets those go on who wait, and tries again after a while."""
        with self._condition:
            overtaken = self._closing or self._aborted
        if overtaken:
            log.info("vectors: cut short (%s)", error)
            self._finish_job()
            return
        log.exception("vectors could not be made")
        self._on_failure(error)
        self._finish_job()
        with self._condition:
            if not self._condition.wait_for(lambda: self._job is not None or self._closing, MODEL_RETRY_S):
                self._job = job

    def _checkpoint(self, job: EmbeddingJob) -> None:
        """Waits while files are read or all is paused. Raises Cancelled at the end, and for a job of another kind."""
        while not self._schedule.wait_idle(0.2):
            self._raise_if_overtaken(job)
        self._raise_if_overtaken(job)

    def _raise_if_overtaken(self, job: EmbeddingJob) -> None:
        with self._condition:
            other = self._job is not None and self._job != job
            if self._closing or self._aborted or other or self._schedule.stopping:
                raise Cancelled("another job goes first")

    def _trim_journal(self, job: EmbeddingJob) -> None:
        """Cuts a long pass's journal short."""
        try:
            job.store.truncate_wal()
        except Exception:
            log.exception("the journal could not be cut short")

    # One job ------------------------------------------------------------------------------------------------------

    def _run_job(self, job: EmbeddingJob) -> None:
        wanted = job.settings.model
        answering = job.store.vectors.embedder
        if not answered_by_slow_model(job, answering):
            self._embed(job, BUNDLED_MODEL, self._load(BUNDLED_MODEL))
        if wanted == BUNDLED_MODEL:
            self._models = {BUNDLED_MODEL: self._models[BUNDLED_MODEL]}
            self._status.set_model_message("")
            return
        self._mark_slow()
        try:
            embedder = self._load(wanted)
        except ModelUnavailable as error:
            self._fall_back_to_bundled(job, error)
            return
        if answering is not None and answering.model not in (wanted, BUNDLED_MODEL):
            self._load_previous_model(answering.model)
        self._embed(job, wanted, embedder)
        self._models = {wanted: embedder}
        self._status.set_model_message("")

    def _mark_slow(self) -> None:
        """From here on only those wait who want every vector."""
        with self._condition:
            self._slow = True
        self._on_progress()

    def _fall_back_to_bundled(self, job: EmbeddingJob, error: ModelUnavailable) -> None:
        self._status.set_model_message(f"{error} The bundled model goes on.")
        self._embed(job, BUNDLED_MODEL, self._load(BUNDLED_MODEL))

    def _load_previous_model(self, model: str) -> None:
        """Its vectors answer until those of the next are complete; without it, only questions by meaning wait."""
        try:
            self._load(model)
        except ModelUnavailable as error:
            log.warning("%s", error)

    def _load(self, model: str) -> Embedder:
        """Raises ModelUnavailable, at once for one that was tried a moment ago."""
        from scry.embedding.static_model import load_embedder

        if model in self._models:
            return self._models[model]
        tried, words = self._failed_models.get(model, (0.0, ""))
        if words and time.monotonic() < tried + MODEL_RETRY_S:
            raise ModelUnavailable(words)
        if model != BUNDLED_MODEL:
            self._status.set_model_message(f"Loading the model {model}.")
        try:
            embedder = load_embedder(model)
        except ModelUnavailable as error:
            log.warning("%s", error)
            with self._condition:
                self._failed_models[model] = (time.monotonic(), str(error))
            raise
        with self._condition:
            self._failed_models.pop(model, None)
            self._models = {**self._models, model: embedder}
        return embedder

    def _embed(self, job: EmbeddingJob, model: str, embedder: Embedder) -> None:
        from scry.index.project_parser import ProjectParser
        from scry.indexer.embed import embed_missing_documents, embed_missing_notes, embedder_info

        maker, left = embedder_info(model, embedder), TimeLeftEstimator()

        def report(encoded: int) -> None:
            self._report_progress(job, model, left, encoded)
            if model != BUNDLED_MODEL:
                self._embed_new_documents_first(job)

        def checkpoint() -> None:
            self._checkpoint(job)

        checkpoint()
        job.store.vectors.drop_damaged()
        with ProjectParser(self._project, job.settings, "filling") as contents:
            embed_missing_documents(job.store, contents, embedder, model=model, report=report, checkpoint=checkpoint)
        embed_missing_notes(self._project, maker, embedder, checkpoint)
        answering = job.store.vectors.embedder
        if model == job.settings.model or (answering is not None and answering != maker):
            job.store.vectors.activate_if_complete(maker)
        self._status.set_vectors(job.store.state())

    def _embed_new_documents_first(self, job: EmbeddingJob) -> None:
        """What came meanwhile gets its vector of the model that answers before the next model's go on."""
        with self._condition:
            came = self._job == job
            if came:
                self._job = None
        if came:
            if not answered_by_slow_model(job, job.store.vectors.embedder):
                self._embed(job, BUNDLED_MODEL, self._load(BUNDLED_MODEL))
            self._mark_slow()

    def _report_progress(self, job: EmbeddingJob, model: str, left: TimeLeftEstimator, encoded: int) -> None:
        state = job.store.state()
        filling = job.store.vectors.pending_embedder
        done = filling[1] if filling and filling[0].model == model else state.vectors
        if model != BUNDLED_MODEL:
            left.record(encoded)
            self._status.set_model_message(describe_embedding_progress(model, done, state.vectors_total, left))
        self._status.set_vectors(state)


def answered_by_slow_model(job: EmbeddingJob, answering: EmbedderInfo | None) -> bool:
    """Whether another model than the bundled one answers, and is to go on doing so."""
    return answering is not None and answering.model != BUNDLED_MODEL and job.settings.model != BUNDLED_MODEL

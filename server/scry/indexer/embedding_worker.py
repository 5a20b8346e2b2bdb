"""Run the thread that embeds documents, so that lexical search never waits for vectors.

First come the vectors of the bundled model, where that one answers or none does yet: they take little time. Where the
settings name another model, its vectors are made in the background while the others answer, and answer once they are
complete. Models other than the bundled one are loaded in the indexer process alone, so it encodes queries for clients.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.errors import Cancelled, ModelUnavailable
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.indexer.schedule import Schedule
from scry.indexer.status import IndexerStatus
from scry.projects.project import Project
from scry.store.sqlite.database import describe_damage_error

if TYPE_CHECKING:
    from scry.embedding.embedder import Embedder, Vectors
    from scry.store.index.store import IndexStore
    from scry.store.notes.project_notes import EmbedNotes
    from scry.store.vector_sets import EmbedderInfo


log = logging.getLogger(__name__)


MODEL_RETRY_S = 60.0
"""Delay before a model that could not be loaded is tried again, when there is work for it or someone asks."""


_RATE_WINDOW_S = 60.0


_MIN_RATE_SPAN_S = 1.0
"""Minimum time of measurement for a rate."""


class EmbeddingJob(Struct, frozen=True):
    """A job of the worker: the vectors of this index, by the model that the settings name."""

    store: IndexStore
    settings: Settings


class EmbeddingWorker(threading.Thread):
    """Embeds until `close`. All methods but `run` may be called from any thread."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        status: IndexerStatus,
        *,
        on_progress: Callable[[], None],
        on_failure: Callable[[Exception], None],
    ) -> None:
        """Take the project and what it shares with the other threads.

        on_progress: called when clients that wait for vectors may go on. on_failure: called with the reason why vectors
        could not be written.
        """
        super().__init__(name="embedding", daemon=True)
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
        self._embedded = 0
        self._models: dict[str, Embedder] = {}
        self._failed_models: dict[str, tuple[float, str]] = {}

    # Calls from other threads -------------------------------------------------------------------------------------

    def submit(self, job: EmbeddingJob) -> None:
        """Queue a job: there may be documents without a vector, or the settings may name another model."""
        answering = job.store.vectors.embedder
        with self._condition:
            self._job = job
            self._slow = answered_by_slow_model(job, answering)
            self._condition.notify_all()

    def abort(self) -> None:
        """Cut the current job short, because the index is being closed."""
        with self._condition:
            self._job = None
            self._aborted = True

    def load_answering_model(self, job: EmbeddingJob) -> None:
        """Load the model whose vectors answer, so that queries can be encoded before anything else is done.

        Vectors of an earlier version of the bundled model are dropped: no query can be compared to them.
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
        """Forget which models could not be loaded, so that the next job tries them again."""
        with self._condition:
            self._failed_models.clear()

    def has_pending_work(self, *, slow: bool) -> bool:
        """Return whether vectors are still to be made; those of a model other than the bundled one count only when
        `slow`.
        """
        with self._condition:
            busy = self._job is not None or self._running is not None
            return busy and (slow or not self._slow)

    def encode_query(self, identity: str, query: str) -> Vectors:
        """Return the vector of a query by the embedder of this identity. Raises ModelUnavailable with the reason."""
        with self._condition:
            embedder = next((each for each in self._models.values() if each.identity == identity), None)
            loading = self._running is not None and not self._failed_models
            reasons = [reason for _, reason in self._failed_models.values()]
        if embedder is not None:
            return embedder.encode_query(query)
        if reasons:
            raise ModelUnavailable(reasons[0])
        name = identity.partition("@")[0]
        raise ModelUnavailable(
            f"The model {name} is being loaded; ask again in a few seconds."
            if loading
            else f"The model {name} is not in use any more; the vectors of the one that is are being made."
        )

    def note_embedder(self, answering: EmbedderInfo | None) -> EmbedNotes | None:
        """Return a function that embeds notes at once, where the bundled model answers and is loaded; else None."""
        with self._condition:
            embedder = self._models.get(BUNDLED_MODEL)
        if embedder is None or answering is None or answering.identity != embedder.identity:
            return None
        from scry.indexer.embed import make_note_embedder

        return make_note_embedder(answering, embedder)

    def close(self) -> None:
        """End the thread soon."""
        with self._condition:
            self._closing = True
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Run jobs until `close`."""
        while (job := self._wait_for_job()) is not None:
            try:
                self._run_job(job)
            except Cancelled:
                self._finish_job()
            except Exception as error:  # whatever a model or the store raises must not end the thread
                if describe_damage_error(error):
                    self._schedule.request_repair()
                self._handle_failure(job, error)
            else:
                self._finish_job()
                self._trim_journal(job)
                self._trim_cache()

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
        """Report a failed job, let its waiters go on, and queue it again after a while."""
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
        """Wait while files are read or indexing is paused. Raises Cancelled at the end, and when another job was
        submitted.
        """
        while not self._schedule.wait_idle(0.2):
            self._raise_if_overtaken(job)
        self._raise_if_overtaken(job)

    def _raise_if_overtaken(self, job: EmbeddingJob) -> None:
        with self._condition:
            overtaken = self._job is not None and self._job != job
            if self._closing or self._aborted or overtaken or self._schedule.stopping:
                raise Cancelled("another job goes first")

    def _trim_journal(self, job: EmbeddingJob) -> None:
        """Truncate the write-ahead log that a long pass left."""
        try:
            job.store.truncate_wal()
        except Exception:
            log.exception("the journal could not be cut short")

    def _trim_cache(self) -> None:
        """Cut the cache to its size, which a pass that read many files leaves larger for their vectors."""
        from scry.indexer.embed import MAX_PARSED_ANEW
        from scry.store.blobs import open_blob_cache

        if self._embedded > MAX_PARSED_ANEW:
            try:
                with closing(open_blob_cache(self._project.cache)) as cache:
                    cache.evict()
            except Exception:
                log.exception("the cache could not be cut")
        self._embedded = 0

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
        """Let all clients go on but those that wait for the vectors of a slow model."""
        with self._condition:
            self._slow = True
        self._on_progress()

    def _fall_back_to_bundled(self, job: EmbeddingJob, error: ModelUnavailable) -> None:
        self._status.set_model_message(f"{error} The bundled model goes on.")
        self._embed(job, BUNDLED_MODEL, self._load(BUNDLED_MODEL))

    def _load_previous_model(self, model: str) -> None:
        """Load the model whose vectors answer until those of the next are complete; without it, semantic search
        waits.
        """
        try:
            self._load(model)
        except ModelUnavailable as error:
            log.warning("%s", error)

    def _load(self, model: str) -> Embedder:
        """Return the loaded model. Raises ModelUnavailable, at once for a model that failed less than MODEL_RETRY_S
        ago.
        """
        from scry.embedding.static_model import load_embedder

        if model in self._models:
            return self._models[model]
        failed_at, reason = self._failed_models.get(model, (0.0, ""))
        if reason and time.monotonic() < failed_at + MODEL_RETRY_S:
            raise ModelUnavailable(reason)
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

        info, time_left = embedder_info(model, embedder), TimeLeftEstimator()

        def report(encoded: int) -> None:
            self._report_progress(job, model, time_left, encoded)
            if model != BUNDLED_MODEL:
                self._embed_new_documents_first(job)

        def checkpoint() -> None:
            self._checkpoint(job)

        checkpoint()
        job.store.vectors.drop_damaged()
        with ProjectParser(self._project, job.settings, "filling") as contents:
            self._embedded += embed_missing_documents(
                job.store, contents, embedder, model=model, report=report, checkpoint=checkpoint
            )
        embed_missing_notes(self._project, info, embedder, checkpoint)
        answering = job.store.vectors.embedder
        if model == job.settings.model or (answering is not None and answering != info):
            job.store.vectors.activate_if_complete(info)
        self._status.set_vectors(job.store.state())

    def _embed_new_documents_first(self, job: EmbeddingJob) -> None:
        """Embed documents that came meanwhile with the answering model, before the next model goes on."""
        with self._condition:
            has_new_documents = self._job == job
            if has_new_documents:
                self._job = None
        if has_new_documents:
            if not answered_by_slow_model(job, job.store.vectors.embedder):
                self._embed(job, BUNDLED_MODEL, self._load(BUNDLED_MODEL))
            self._mark_slow()

    def _report_progress(self, job: EmbeddingJob, model: str, time_left: TimeLeftEstimator, encoded: int) -> None:
        state = job.store.state()
        pending = job.store.vectors.pending_embedder
        done = pending[1] if pending and pending[0].model == model else state.vectors
        if model != BUNDLED_MODEL:
            time_left.record(encoded)
            self._status.set_model_message(describe_embedding_progress(model, done, state.vectors_total, time_left))
        self._status.set_vectors(state)


def answered_by_slow_model(job: EmbeddingJob, answering: EmbedderInfo | None) -> bool:
    """Return whether a model other than the bundled one answers, and is to go on doing so."""
    return answering is not None and answering.model != BUNDLED_MODEL and job.settings.model != BUNDLED_MODEL


class TimeLeftEstimator:
    """An estimate of the remaining time by the rate of the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Take a clock of monotonic seconds."""
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque([(clock(), 0)])

    def record(self, encoded: int) -> None:
        """Record the number of passages encoded since the beginning."""
        now = self._clock()
        self._seen.append((now, encoded))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _RATE_WINDOW_S:
            self._seen.popleft()

    def seconds_for(self, passages: int) -> float | None:
        """Return the estimated seconds for so many more passages; None while no rate is known."""
        (start, before), (end, after) = self._seen[0], self._seen[-1]
        if end - start < _MIN_RATE_SPAN_S or after <= before:
            return None
        return passages * (end - start) / (after - before)


def describe_embedding_progress(model: str, done: int, total: int, time_left: TimeLeftEstimator) -> str:
    """Describe the progress, for example: embedding 1,200 of 30,000 with X, about 4 minutes left."""
    seconds = time_left.seconds_for(total - done)
    estimate = "" if seconds is None else f", {describe_duration(seconds)} left"
    return f"embedding {done:,} of {total:,} with {model}{estimate}"


def describe_duration(seconds: float) -> str:
    """Describe a duration in words, no more exactly than an estimate is."""
    if seconds < 55:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"about {_pluralize(minutes, 'minute')}"
    return f"about {_pluralize(round(seconds / 3600), 'hour')}"


def _pluralize(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

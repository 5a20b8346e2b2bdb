"""The one who makes vectors, beside the one who reads files: words never wait for them.

First the bundled model's, where that one answers or none does yet: they take little time. Then, when the settings name
another model, that one's: they are made in the background while the others answer, and take over once they are
complete. Models other than the bundled one live in this process alone, so it encodes questions for all others.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from scry.core.errors import Cancelled, IndexDamaged, ModelUnavailable
from scry.core.settings import BUNDLED, Settings
from scry.index.project import Project
from scry.index.schedule import Schedule
from scry.index.status import Status
from scry.index.time_left import TimeLeft, describe_progress

if TYPE_CHECKING:  # what needs numpy is imported late: clients are greeted meanwhile
    from scry.embedding.embedder import Embedder, Vectors
    from scry.store.index_store import IndexStore
    from scry.store.knowledge_file import Embed
    from scry.store.vector_sets import Maker

log = logging.getLogger(__name__)

RETRY_S = 60.0
"""A model that can't be loaded is tried again so much later, when there is work for it, or when someone asks."""


class Job(Struct, frozen=True):
    """What is to be brought to an end: the vectors of this index, by the model that the settings name."""

    store: IndexStore
    settings: Settings


class Filling(threading.Thread):
    """Makes vectors until `close`. All other methods may be called from any thread."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        status: Status,
        *,
        after: Callable[[], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """after: called when those may go on who wait for vectors. failed: told why vectors could not be written."""
        super().__init__(name="filling", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._after = after
        self._failed = failed
        self._condition = threading.Condition()
        self._job: Job | None = None
        self._running: Job | None = None
        self._slow = False
        self._forgotten = False
        self._closing = False
        self._models: dict[str, Embedder] = {}
        self._unusable: dict[str, tuple[float, str]] = {}

    # For others ---------------------------------------------------------------------------------------------------

    def look(self, job: Job) -> None:
        """There may be documents without a vector, or the settings may name another model."""
        answering = job.store.embedder
        with self._condition:
            self._job = job
            self._slow = answers_slowly(job, answering)
            self._condition.notify_all()

    def forget(self) -> None:
        """The index is being closed: what is going on is cut short."""
        with self._condition:
            self._job = None
            self._forgotten = True

    def prepare(self, job: Job) -> None:
        """Loads the model whose vectors answer, so that questions can be encoded before anything else is done. Vectors
        of an earlier version of the bundled one are forgotten: nothing can be compared to them, so documents lack some.
        """
        from scry.index.embed import maker_of

        answering = job.store.embedder
        if answering is None:
            return
        if answering.model == BUNDLED:
            job.store.drop_outdated_vectors(maker_of(BUNDLED, self._load(BUNDLED)))
        elif answering.model == job.settings.model:
            self.look(job)

    def forgive(self) -> None:
        """Has a model that could not be loaded tried again the next time."""
        with self._condition:
            self._unusable.clear()

    def holds_up(self, *, slow: bool) -> bool:
        """Whether vectors are still to be made; those of other models than the bundled one count only when `slow`."""
        with self._condition:
            busy = self._job is not None or self._running is not None
            return busy and (slow or not self._slow)

    def encode(self, identity: str, query: str) -> Vectors:
        """A question's vector by the embedder of that identity. Raises ModelUnavailable saying why there is none."""
        with self._condition:
            found = next((each for each in self._models.values() if each.identity == identity), None)
            loading = self._running is not None and not self._unusable
            reasons = [words for _, words in self._unusable.values()]
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

    def at_hand(self, answering: Maker | None) -> Embed | None:
        """Gives a few notes their vectors at once, where the bundled model answers and is loaded; else None."""
        with self._condition:
            embedder = self._models.get(BUNDLED)
        if embedder is None or answering is None or answering.identity != embedder.identity:
            return None
        from scry.index.shelf_vectors import embedding

        return embedding(answering, embedder)

    def close(self) -> None:
        """Ends the thread soon."""
        with self._condition:
            self._closing = True
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Takes jobs until there are no more to come."""
        while (job := self._take()) is not None:
            try:
                self._fill(job)
            except Cancelled:
                self._end()
            except IndexDamaged:
                self._schedule.compare_whole(reset=True)
                self._end()
            except Exception as error:  # whatever it is, it must not end the making of vectors for ever
                self._fail(job, error)
            else:
                self._end()
                self._put_in_order(job)

    def _take(self) -> Job | None:
        with self._condition:
            self._condition.wait_for(lambda: self._job is not None or self._closing)
            self._running, self._job = self._job, None
            self._forgotten = False
            return None if self._closing else self._running

    def _end(self) -> None:
        with self._condition:
            self._running = None
        self._after()

    def _fail(self, job: Job, error: Exception) -> None:
        """Says so, lets those go on who wait, and tries again after a while."""
        with self._condition:
            overtaken = self._closing or self._forgotten
        if overtaken:
            log.info("vectors: cut short (%s)", error)
            self._end()
            return
        log.exception("vectors could not be made")
        self._failed(error)
        self._end()
        with self._condition:
            if not self._condition.wait_for(lambda: self._job is not None or self._closing, RETRY_S):
                self._job = job

    def _checkpoint(self, job: Job) -> None:
        """Waits while files are read or all is paused. Raises Cancelled at the end, and for a job of another kind."""
        while not self._schedule.wait_idle(0.2):
            self._raise_if_overtaken(job)
        self._raise_if_overtaken(job)

    def _raise_if_overtaken(self, job: Job) -> None:
        with self._condition:
            other = self._job is not None and self._job != job
            if self._closing or self._forgotten or other or self._schedule.stopping:
                raise Cancelled("another job goes first")

    def _put_in_order(self, job: Job) -> None:
        """Cuts a long pass's journal short."""
        try:
            job.store.trim_journal()
        except Exception:
            log.exception("the journal could not be cut short")

    # One job ------------------------------------------------------------------------------------------------------

    def _fill(self, job: Job) -> None:
        wanted = job.settings.model
        answering = job.store.embedder
        if not answers_slowly(job, answering):
            self._embed(job, BUNDLED, self._load(BUNDLED))
        if wanted == BUNDLED:
            self._models = {BUNDLED: self._models[BUNDLED]}
            self._status.set_model("")
            return
        self._become_slow()
        try:
            embedder = self._load(wanted)
        except ModelUnavailable as error:
            self._go_on_with_bundled(job, error)
            return
        if answering is not None and answering.model not in (wanted, BUNDLED):
            self._load_to_answer(answering.model)
        self._embed(job, wanted, embedder)
        self._models = {wanted: embedder}
        self._status.set_model("")

    def _become_slow(self) -> None:
        """From here on only those wait who want every vector."""
        with self._condition:
            self._slow = True
        self._after()

    def _go_on_with_bundled(self, job: Job, error: ModelUnavailable) -> None:
        self._status.set_model(f"{error} The bundled model goes on.")
        self._embed(job, BUNDLED, self._load(BUNDLED))

    def _load_to_answer(self, model: str) -> None:
        """Its vectors answer until those of the next are complete; without it, only questions by meaning wait."""
        try:
            self._load(model)
        except ModelUnavailable as error:
            log.warning("%s", error)

    def _load(self, model: str) -> Embedder:
        """Raises ModelUnavailable, at once for one that was tried a moment ago."""
        from scry.embedding.choose import choose_embedder

        if model in self._models:
            return self._models[model]
        tried, words = self._unusable.get(model, (0.0, ""))
        if words and time.monotonic() < tried + RETRY_S:
            raise ModelUnavailable(words)
        if model != BUNDLED:
            self._status.set_model(f"Loading the model {model}.")
        try:
            embedder = choose_embedder(model)
        except ModelUnavailable as error:
            log.warning("%s", error)
            with self._condition:
                self._unusable[model] = (time.monotonic(), str(error))
            raise
        with self._condition:
            self._unusable.pop(model, None)
            self._models = {**self._models, model: embedder}
        return embedder

    def _embed(self, job: Job, model: str, embedder: Embedder) -> None:
        from scry.index.contents import Contents
        from scry.index.embed import embed_missing, maker_of
        from scry.index.shelf_vectors import fill_shelves

        maker, left = maker_of(model, embedder), TimeLeft()

        def report(encoded: int) -> None:
            self._tell(job, model, left, encoded)
            if model != BUNDLED:
                self._catch_up(job)

        def checkpoint() -> None:
            self._checkpoint(job)

        checkpoint()
        job.store.drop_damaged_vectors()
        with Contents(self._project, job.settings, "filling") as contents:
            embed_missing(job.store, contents, embedder, model=model, report=report, checkpoint=checkpoint)
        fill_shelves(self._project, maker, embedder, checkpoint)
        answering = job.store.embedder
        if model == job.settings.model or (answering is not None and answering != maker):
            job.store.answer_with(maker)
        self._status.set_vectors(job.store.state())

    def _catch_up(self, job: Job) -> None:
        """What came meanwhile gets its vector of the model that answers before the next model's go on."""
        with self._condition:
            came = self._job == job
            if came:
                self._job = None
        if came:
            if not answers_slowly(job, job.store.embedder):
                self._embed(job, BUNDLED, self._load(BUNDLED))
            self._become_slow()

    def _tell(self, job: Job, model: str, left: TimeLeft, encoded: int) -> None:
        state = job.store.state()
        filling = job.store.filling
        done = filling[1] if filling and filling[0].model == model else state.vectors
        if model != BUNDLED:
            left.take(encoded)
            self._status.set_model(describe_progress(model, done, state.vectors_total, left))
        self._status.set_vectors(state)


def answers_slowly(job: Job, answering: Maker | None) -> bool:
    """Whether another model than the bundled one answers, and is to go on doing so."""
    return answering is not None and answering.model != BUNDLED and job.settings.model != BUNDLED

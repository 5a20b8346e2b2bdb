"""One project's index as its questions see it: the store, the history, the indexer, and how complete they are."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import structs
from msgspec.structs import replace

from scry.core.errors import IndexUnavailable
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import Answer, IndexState
from scry.embedding.embedder import Vectors
from scry.engine.encode import QuestionEncoder
from scry.engine.history import HistoryAccess
from scry.engine.knowledge import KnowledgeAccess
from scry.engine.reading import IndexView, open_view
from scry.index.freshness import is_index_current
from scry.index.head import HeadTracker
from scry.index.project import Project
from scry.store.index_store import IndexStore
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.engine.beliefs import BeliefSnapshot
    from scry.engine.scene import ProjectSnapshot
    from scry.index.indexer import IndexerClient

DAMAGED_MESSAGE = "the index was damaged and is being made anew: what can't be read of it is missing here"
"""What an answer says that had to do without something."""

IndexAction = Literal["start", "pause", "resume", "rebuild"]


class ProjectIndex:
    """What is indexed of one project, opened when it is first asked for. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, *, start_indexer: bool) -> None:
        """start_indexer: have the index brought and kept up to date from now on."""
        self.project = project
        self.history = HistoryAccess(project)
        self.knowledge = KnowledgeAccess(project)
        self._settings = settings
        self._head = HeadTracker(project.root)
        self._store: IndexStore | None = None
        self._lock = threading.Lock()
        self._reported_damage: frozenset[int] = frozenset()
        self._indexer = self._connect() if start_indexer else None
        self._encoder = QuestionEncoder(self._require_indexer)

    # What questions read ------------------------------------------------------------------------------------------

    def store(self) -> IndexStore | None:
        """The index for reading; None while there is none yet."""
        with self._lock:
            if self._store is None:
                try:
                    self._store = IndexStore.open(self.project.cache, write=False)
                except IndexUnavailable:
                    return None
            return self._store

    def view(self, unsaved: Sequence[str]) -> IndexView | None:
        """The index and the history as of now; None while there is no index."""
        store = self.store()
        return None if store is None else open_view(store, self.state_with_model(unsaved), self.history.read)

    def snapshot(self, unsaved: Sequence[str]) -> ProjectSnapshot:
        """All that there is to explain from."""
        from scry.engine.scene import ProjectSnapshot  # a find needs none of it

        store = self.store()
        if store is not None:
            store.refresh()
        history, state = self.history.read_if_readable(), self.state_with_model(unsaved)
        return ProjectSnapshot(self.project, self._settings, store, history, state, self.knowledge.read())

    def belief_snapshot(self) -> BeliefSnapshot | None:
        """What the project's beliefs are judged by; None where there are none."""
        from scry.engine.beliefs import BeliefSnapshot  # most projects have none

        file = self.knowledge.open_beliefs()
        if file is None:
            return None
        return BeliefSnapshot(file, self.store(), self.history.read_if_readable(), time.time())

    def encode(self, timeout_s: float, maker: EmbedderInfo, query: str) -> Vectors:
        """A question's vector: see engine.encode."""
        return self._encoder.encode(maker, query, timeout_s)

    def uncommitted_paths(self, unsaved: Sequence[str]) -> frozenset[str]:
        """Files with edits that are in no commit, or not even saved."""
        from scry.index.git_status import uncommitted_paths

        return frozenset((*(uncommitted_paths(self.project.root) or ()), *unsaved))

    # How fresh and complete it is ---------------------------------------------------------------------------------

    def state(self, unsaved: Sequence[str] = ()) -> IndexState:
        """As the indexer says it, or else as it is written in the index. unsaved: files whose editor text is newer."""
        heard = self._indexer.state() if self._indexer is not None else IndexState()
        if heard != IndexState():
            if heard.state == "starting":  # who keeps the history has not looked yet
                heard = replace(heard, history=self.history.state().state)
            return self._add_workspace_state(heard, unsaved)
        store = self.store()
        recorded = self.history.add_history_state(store.state() if store else IndexState())
        if not recorded.message and store is not None:
            recorded = replace(recorded, message=_describe_model_mismatch(store.embedder, self._settings.model))
        return self._add_workspace_state(replace(recorded, state="starting") if self._indexer else recorded, unsaved)

    def state_with_model(self, unsaved: Sequence[str]) -> IndexState:
        """The state with the model that answers now."""
        store = self.store()
        maker = store.embedder if store else None
        return replace(self.state(unsaved), model=maker.identity if maker else None)

    def live_state(self, unsaved: Sequence[str]) -> IndexState:
        """The state, also as an indexer says it that works for others."""
        from scry.index.edition import describe_other_version, index_format_version, is_newer_format
        from scry.index.peek import probe_indexer

        seen = probe_indexer(self.project) if self._indexer is None else None
        if seen is not None and seen.version == index_format_version():
            return self._add_workspace_state(seen.state, unsaved)
        state = self.state(unsaved)
        if seen is not None and is_newer_format(seen.version):
            return replace(state, state="failed", message=describe_other_version(seen.version))
        return state

    def is_current(self) -> bool:
        """Whether the index equals the files as they are now, by a quick look at sizes and times.

        Vectors of another model than the bundled one may be missing: they come when they come.
        """
        store = self.store()
        if store is None or not is_index_current(self.project, self._settings, store) or not self.history.is_current():
            return False
        answering = store.embedder
        return not store.lacks_vectors or (answering is not None and answering.model != BUNDLED_MODEL)

    def is_complete(self) -> bool:
        """Whether it is current, and all vectors are there and of the model that the settings name."""
        if not self.is_current():
            return False
        store = self.store()
        answering = store.embedder if store else None
        if store is None or answering is None:
            return True  # there is nothing to be embedded
        return answering.model == self._settings.model and not store.lacks_vectors

    # The indexer --------------------------------------------------------------------------------------------------

    def control(self, action: IndexAction) -> IndexState:
        """Starts, pauses, resumes or rebuilds the index."""
        return self._require_indexer().control(action)

    def report_damage(self, answer: Answer) -> Answer:
        """The answer, which says so if something that was read for it is damaged; the index is then made anew."""
        store = self._store
        damaged = frozenset[int]() if store is None else store.damaged_files - self._reported_damage
        if not damaged:
            return answer
        self._reported_damage |= damaged
        self.control("rebuild")
        said = f"{answer.index.message}; {DAMAGED_MESSAGE}" if answer.index.message else DAMAGED_MESSAGE
        return structs.replace(answer, index=replace(answer.index, message=said))

    def notify_changed(self, paths: Sequence[str]) -> None:
        """These files, relative to the root, were saved, made or removed."""
        if self._indexer is not None:
            self._indexer.report_changed_paths(paths)

    def subscribe(self, listener: Callable[[IndexState], None]) -> None:
        """Calls the listener, from another thread, whenever the index's state changes."""
        self._require_indexer().subscribe(lambda state: listener(self._add_workspace_state(state, ())))

    def wait_until_current(
        self, timeout: float | None, progress: Callable[[IndexState], None], *, vectors: bool
    ) -> IndexState:
        """Waits until every file as it is now is searchable; vectors: also those of a model that takes long."""
        return self._require_indexer().wait_until_current(timeout, progress, vectors=vectors)

    def close(self) -> None:
        """Gives everything free; the indexer ends by itself once nobody needs it."""
        if self._indexer is not None:
            self._indexer.close()
        self.history.close()
        self.knowledge.close()
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    def _require_indexer(self) -> IndexerClient:
        if self._indexer is None:
            self._indexer = self._connect()
        return self._indexer

    def _connect(self) -> IndexerClient:
        from scry.index.indexer import IndexerClient  # a command line whose index is current needs none of it

        return IndexerClient.connect(self.project, self._settings)

    def _add_workspace_state(self, state: IndexState, unsaved: Sequence[str]) -> IndexState:
        return replace(state, unsaved=tuple(unsaved), head_commit=self._head.commit())


def _describe_model_mismatch(answering: EmbedderInfo | None, wanted: str) -> str:
    """What is to be said, where no indexer is heard, when another model answers than the settings name."""
    if answering is None or answering.model == wanted:
        return ""
    return f"the model {answering.model} answers, because {wanted} is not ready (scry index)"

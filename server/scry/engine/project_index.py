"""Open one project's index, history, notes and question encoder for reading, and report their state.

Each is opened when it is first needed. Questions are encoded by the model of the active vectors: the bundled one in
this process, any other in the indexer, so that no process that answers questions imports PyTorch.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec.structs import replace

from scry.core.errors import IndexDamaged, IndexMissing, IndexUnavailable, ModelUnavailable
from scry.core.files import DAMAGE_MARK
from scry.core.notices import IndexDamage, IndexDamageFound, IndexRepaired, ModelNotReady
from scry.core.platform import OTHERS, cache_home, config_home, data_home, restrict_access
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.types import Answer, IndexState
from scry.embedding.embedder import Vectors
from scry.embedding.static_model import content_words, load_bundled_model
from scry.index.git.work_tree import HeadTracker
from scry.indexer.freshness import is_index_current
from scry.projects.project import NoteStoreLocation, Project, head_commit, note_store_locations
from scry.store.history.reader import (
    HISTORY_NONE,
    HISTORY_PENDING,
    HistoryReader,
    HistoryState,
    merge_history_state,
    read_history_state,
)
from scry.store.index.store import IndexStore
from scry.store.notes.database import NoteDatabase
from scry.store.notes.project_notes import ProjectNoteDatabase
from scry.store.notes.reader import NoteSource, NoteStores
from scry.store.seals import describe_seal_damage
from scry.store.sqlite.database import describe_damage_error, is_same_file
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.engine.explain.resolve_id import ProjectSnapshot
    from scry.engine.index_view import IndexView
    from scry.index.notes.belief_evaluation import BeliefSnapshot
    from scry.indexer.client.client import IndexerClient


class HistoryAccess:
    """The history of a project, for reading. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Open nothing yet."""
        self._project = project
        self._store: HistoryReader | None = None
        self._lock = threading.Lock()
        self.damage = ""

    def read(self) -> HistoryReader | None:
        """Return the history as of now; None while there is none. Raises IndexUnavailable when it can't be read."""
        with self._lock:
            if self._store is not None and not is_same_file(*self._store.opened):
                self._store.close()
                self._store = None
            try:
                if self._store is None:
                    self._store = HistoryReader.open(self._project.cache)
                self._store.refresh()
            except IndexMissing:
                return None
            except IndexUnavailable as error:
                self.damage = self.damage or describe_damage_error(error)
                raise
            return self._store

    def read_if_readable(self) -> HistoryReader | None:
        """Return the history as of now; None also when it can't be read."""
        try:
            return self.read()
        except IndexUnavailable:
            return None

    def state(self) -> HistoryState:
        """Return how fresh and complete the history is, or why it can't be read."""
        try:
            history = self.read()
            head = head_commit(self._project.root)
            return read_history_state(head, None) if history is None else history.state_at(head)
        except IndexUnavailable as error:
            return HistoryState(HISTORY_PENDING) if self.damage else HistoryState(HISTORY_NONE, note=str(error))

    def is_current(self) -> bool:
        """Return whether the history includes the commit that is checked out, where that can be read."""
        return self.state().state != HISTORY_PENDING

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None


class KnowledgeAccess:
    """The note stores of a project, for reading. Every method may be called from any thread."""

    def __init__(self, project: Project) -> None:
        """Open nothing yet."""
        self._places = tuple(note_store_locations(project))
        self._open: dict[str, tuple[NoteDatabase, NoteSource]] = {}
        self._lock = threading.Lock()
        self.damage = ""

    def read(self) -> NoteStores | None:
        """Return the note stores that hold notes, and the unreadable ones; None where there are neither."""
        note_readers: dict[str, NoteSource] = {}
        errors: dict[str, str] = {}
        with self._lock:
            for location in self._places:
                try:
                    opened = self._open_current(location)
                    if opened is not None and not opened[1].is_empty:
                        note_readers[location.name] = opened[1]
                except IndexMissing:
                    continue
                except IndexUnavailable as error:
                    self.damage = self.damage or describe_damage_error(error)
                    errors[location.name] = str(error)
        return NoteStores(note_readers, errors) if note_readers or errors else None

    def open_beliefs(self) -> ProjectNoteDatabase | None:
        """Return the database of the project's beliefs; None where there is none, or it can't be read."""
        with self._lock:
            try:
                opened = self._open_current(self._places[0])
            except IndexUnavailable:
                return None
        return ProjectNoteDatabase(opened[0]) if opened is not None else None

    def close(self) -> None:
        """Close all files."""
        with self._lock:
            for file, _ in self._open.values():
                file.close()
            self._open.clear()

    def _open_current(self, location: NoteStoreLocation) -> tuple[NoteDatabase, NoteSource] | None:
        """Return a note store's database as it is now, and its reader; None where there is none."""
        known = self._open.get(location.name)
        if known is not None and known[0].is_in_place():
            return known
        if known is not None:
            self._open.pop(location.name)[0].close()
        if not location.path.exists():
            seal = location.path.with_suffix(".seal")
            if seal.exists() and (damage := describe_seal_damage(seal, thorough=False)):
                raise IndexDamaged(damage)
            return None
        file = location.open(write=False)
        self._open[location.name] = file, location.read(file)
        return self._open[location.name]


MAX_CACHED_VECTORS = 256
"""Cached vectors of questions: a question is often repeated with another limit or filter."""

MAX_ENCODED_CHARACTERS = 8000
"""Longest text that is encoded: no model reads more of a question."""


class QuestionEncoder:
    """Encodes questions for one project. Safe to share between threads."""

    def __init__(self, indexer: Callable[[], IndexerClient]) -> None:
        """Encode nothing yet. indexer: returns the indexer to ask; called only where another than the bundled model is
        active.
        """
        self._indexer = indexer
        self._lock = threading.Lock()
        self._cache: OrderedDict[tuple[str, str], Vectors] = OrderedDict()

    def encode(self, embedder: EmbedderInfo, query: str, timeout_s: float) -> Vectors:
        """Return the question's vector by this embedder. Raises ModelUnavailable.

        timeout_s: how long to wait for another process.
        """
        if embedder.model == BUNDLED_MODEL:
            model = load_bundled_model()
            if model.identity != embedder.identity:
                raise ModelUnavailable(
                    "The vectors are of another version of the bundled model; the indexer makes them anew."
                )
            return model.encode_query(content_words(query))
        key = (embedder.identity, query[:MAX_ENCODED_CHARACTERS])
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        vector = np.frombuffer(self._indexer().encode_query(*key, timeout_s), "<f4").astype(np.float32)
        if len(vector) != embedder.dimension:
            raise ModelUnavailable(f"The indexer's vector has {len(vector)} numbers instead of {embedder.dimension}.")
        with self._lock:
            self._cache[key] = vector
            while len(self._cache) > MAX_CACHED_VECTORS:
                self._cache.popitem(last=False)
        return vector


NOTE_TIMEOUT_S = 5.0
"""Seconds that the writer of a note waits for the indexer. A first index may take longer; then the note is listed, and
found with the rest.
"""

_NOTE_POLL_S = 0.01

IndexAction = Literal["start", "pause", "resume", "rebuild"]


class ProjectIndex:
    """The index of one project, for reading. Every method may be called from any thread."""

    def __init__(self, project: Project, settings: Settings, *, start_indexer: bool) -> None:
        """Open nothing yet. start_indexer: have the index made and kept up to date from now on."""
        self.project = project
        for home in (cache_home(), data_home(), config_home()):  # an earlier version let others look in
            with suppress(OSError):
                if home.stat().st_mode & OTHERS:
                    restrict_access(home)
        self.history = HistoryAccess(project)
        self.knowledge = KnowledgeAccess(project)
        self._settings = settings
        self._head = HeadTracker(project.root) if start_indexer else None
        self._store: IndexStore | None = None
        self._lock = threading.Lock()
        self._reported_damage: frozenset[int] = frozenset()
        self._damage = ""
        self._is_repair_requested = False
        self._indexer = self._connect() if start_indexer else None
        self._encoder = QuestionEncoder(self._require_indexer)

    # What questions read ------------------------------------------------------------------------------------------

    def store(self) -> IndexStore | None:
        """Return the index for reading; None while there is none yet."""
        with self._lock:
            if self._store is not None and not is_same_file(*self._store.opened):
                self._store.close()
                self._store = None
            if self._store is None:
                try:
                    self._store = IndexStore.open(self.project.cache, write=False)
                    self._store.vectors.reads_once = self._indexer is None
                except IndexUnavailable as error:
                    self._damage = self._damage or describe_damage_error(error)
                    return None
                self._reported_damage = frozenset()
            return self._store

    def view(self, unsaved: Sequence[str]) -> IndexView | None:
        """Return the index and the history as of now; None while there is no index."""
        from scry.engine.index_view import open_view  # a find needs none of it

        store = self.store()
        return None if store is None else open_view(store, self.state_with_model(unsaved), self.history.read)

    def snapshot(self, unsaved: Sequence[str]) -> ProjectSnapshot:
        """Return everything that an explanation reads, as of now."""
        from scry.engine.explain.resolve_id import ProjectSnapshot  # a find needs none of it

        store = self.store()
        if store is not None:
            store.refresh()
        history, state = self.history.read_if_readable(), self.state_with_model(unsaved)
        return ProjectSnapshot(self.project, self._settings, store, history, state, self.knowledge.read())

    def belief_snapshot(self) -> BeliefSnapshot | None:
        """Return the facts that the project's beliefs are evaluated by; None where there are no beliefs."""
        from scry.index.notes.belief_evaluation import BeliefSnapshot  # most projects have none

        file = self.knowledge.open_beliefs()
        if file is None:
            return None
        return BeliefSnapshot(file, self.store(), self.history.read_if_readable(), time.time())

    def encode(self, timeout_s: float, embedder: EmbedderInfo, query: str) -> Vectors:
        """Return a question's vector; see QuestionEncoder.encode."""
        return self._encoder.encode(embedder, query, timeout_s)

    def uncommitted_paths(self, unsaved: Sequence[str]) -> frozenset[str]:
        """Return the files with uncommitted or unsaved edits."""
        from scry.index.git.work_tree import uncommitted_paths

        return frozenset((*(uncommitted_paths(self.project.root) or ()), *unsaved))

    # How fresh and complete it is ---------------------------------------------------------------------------------

    def state(self, unsaved: Sequence[str] = ()) -> IndexState:
        """Return the state as the indexer reports it, else as the index has it. unsaved: files newer in an editor."""
        reported = self._indexer.state() if self._indexer is not None else IndexState()
        if reported != IndexState():
            if reported.state == "starting":  # who keeps the history has not looked yet
                reported = replace(reported, history=self.history.state().state)
            return self._add_workspace_state(reported, unsaved)
        store = self.store()
        recorded = IndexState()
        try:
            recorded = store.state() if store is not None else recorded
        except Exception as error:
            if not self.note_damage(error):
                raise
        recorded = merge_history_state(recorded, self.history.state())
        answering = store.vectors.embedder if store is not None and not recorded.message else None
        if answering is not None and answering.model != self._settings.model:
            recorded = replace(recorded, notices=(ModelNotReady(answering.model, self._settings.model),))
        return self._add_workspace_state(replace(recorded, state="starting") if self._indexer else recorded, unsaved)

    def state_with_model(self, unsaved: Sequence[str]) -> IndexState:
        """Return the state with the model that answers now."""
        store = self.store()
        embedder = store.vectors.embedder if store else None
        return replace(self.state(unsaved), model=embedder.identity if embedder else None)

    def live_state(self, unsaved: Sequence[str]) -> IndexState:
        """Return the state, also as reported by an indexer that another process started, and damage of the files."""
        state = self._live_state(unsaved)
        self.store()
        self.history.state()
        self.knowledge.read()
        damage = self._damage or self.history.damage or self.knowledge.damage
        return replace(state, notices=(*state.notices, IndexDamageFound(damage))) if damage else state

    def _live_state(self, unsaved: Sequence[str]) -> IndexState:
        from scry.indexer.client.connection import probe_indexer
        from scry.indexer.freshness import describe_other_version, index_format_version, is_newer_format

        seen = probe_indexer(self.project) if self._indexer is None else None
        if seen is not None and seen.version == index_format_version():
            return self._add_workspace_state(seen.state, unsaved)
        state = self.state(unsaved)
        if seen is not None and is_newer_format(seen.version):
            return replace(state, state="failed", message=describe_other_version(seen.version))
        return state

    def is_current(self) -> bool:
        """Return whether the index equals the files, by comparing sizes and times.

        Vectors of another than the bundled model may be missing; those of an earlier version of it count as missing.
        """
        store = self.store()
        try:
            if (
                store is None
                or not is_index_current(self.project, self._settings, store.files)
                or not self.history.is_current()
            ):
                return False
            answering = store.vectors.embedder
            if answering is None or answering.model == BUNDLED_MODEL:
                is_outdated = answering is not None and answering.identity != load_bundled_model().identity
                return not is_outdated and not store.vectors.is_incomplete
            return True
        except Exception as error:
            if self.note_damage(error):
                return False
            raise

    def is_complete(self) -> bool:
        """Return whether the index is current, with all vectors of the model that the settings name."""
        if not self.is_current():
            return False
        store = self.store()
        answering = store.vectors.embedder if store else None
        if store is None or answering is None:
            return True  # there is nothing to be embedded
        return answering.model == self._settings.model and not store.vectors.is_incomplete

    # The indexer --------------------------------------------------------------------------------------------------

    def control(self, action: IndexAction) -> IndexState:
        """Start, pause, resume or rebuild the index; return its state."""
        return self._require_indexer().control(action)

    def report_damage(self, answer: Answer) -> Answer:
        """Return the answer, with a notice if data that was read for it is or was damaged; have it made anew then."""
        store = self._store
        if store is not None and (damaged := store.damaged_files - self._reported_damage):
            self._reported_damage |= damaged
            self._damage = self._damage or "a stored file can't be read"
        if self.knowledge.damage:  # of which the fault of an oracle tells
            self.knowledge.damage = ""
            self._require_indexer().control("repair")
        damage = self._damage or self.history.damage
        if not damage:
            return answer
        was_requested = self._is_repair_requested
        self.request_repair()
        self._damage = self.history.damage = ""
        self._is_repair_requested = False
        is_whole = was_requested and store is not None and not store.damaged_files and not answer.faults
        notice = IndexRepaired(damage) if is_whole else IndexDamage()
        return replace(answer, index=replace(answer.index, notices=(*answer.index.notices, notice)))

    def note_damage(self, error: Exception) -> str:
        """Return the damage that an error of reading shows, to be told by the next `report_damage`; "" for none."""
        damage = describe_damage_error(error)
        self._damage = self._damage or damage
        return damage

    @contextmanager
    def refusing_damage(self) -> Generator[None]:
        """Have the index repaired where it can't be read inside, and raise IndexDamaged with what to do."""
        try:
            yield
        except Exception as error:
            damage = self.note_damage(error)
            if not damage:
                raise
            self.request_repair()
            raise IndexDamaged(f"the index is damaged ({damage}) and is being made anew; ask again soon") from error

    def request_repair(self) -> None:
        """Have the indexer look for damage, and make anew what is damaged; once for each damage that was found."""
        if not self._is_repair_requested:
            self._is_repair_requested = True
            self._require_indexer().control("repair")

    def notify_changed(self, paths: Sequence[str]) -> None:
        """Have these saved, created or removed files, relative to the root, indexed again."""
        if self._indexer is not None:
            self._indexer.report_changed_paths(paths)

    def request_newest_commits(self) -> None:
        """Have the newest commits read beside other work, where none was read yet."""
        if self._indexer is not None:
            self._indexer.request_newest_commits()

    def publish_note(self, path: str, doc_id: str) -> None:
        """Have a note's file, which was just written, indexed; return when it can be found, or after NOTE_TIMEOUT_S.

        Without a running indexer nobody asks before the file is read: each command looks at the files first.
        """
        from scry.indexer.client.connection import probe_indexer

        self.notify_changed([path])
        if self._indexer is None and probe_indexer(self.project) is None:
            return
        deadline = time.monotonic() + NOTE_TIMEOUT_S
        while time.monotonic() < deadline:
            file = self.knowledge.open_beliefs()
            if file is not None and file.notes_by_doc_id([doc_id]):
                return
            time.sleep(_NOTE_POLL_S)

    def subscribe(self, listener: Callable[[IndexState], None]) -> None:
        """Call the listener, from another thread, whenever the index's state changes."""
        self._require_indexer().subscribe(lambda state: listener(self._add_workspace_state(state, ())))

    def wait_until_current(
        self, timeout: float | None, progress: Callable[[IndexState], None], *, vectors: bool
    ) -> IndexState:
        """Wait until every file as it is now is searchable. vectors: also those of a slow model."""
        self.store()
        self.history.state()
        if self._damage or self.history.damage:
            self.request_repair()
        return self._require_indexer().wait_until_current(timeout, progress, vectors=vectors)

    def close(self) -> None:
        """Close all files; the indexer ends by itself once no client is connected."""
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
        from scry.indexer.client.client import IndexerClient  # a command line whose index is current needs none of it

        return IndexerClient.connect(self.project, self._settings)

    def _add_workspace_state(self, state: IndexState, unsaved: Sequence[str]) -> IndexState:
        # A command asks once or twice, a server with every answer.
        head = head_commit(self.project.root) if self._head is None else self._head.commit()
        if (data_home() / DAMAGE_MARK).exists():
            from scry.projects.precious_files import data_damage_notices

            state = replace(state, notices=(*state.notices, *data_damage_notices(self.project)))
        return replace(state, unsaved=tuple(unsaved), head_commit=head)

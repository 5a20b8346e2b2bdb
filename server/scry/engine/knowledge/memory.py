"""Record and search the memory of one project: sessions, observations and captured events.

A thread of its own records captured events (a saved file, a jump, a commit); a failure costs only that event. An
observation that a person or program records is on the disk when the call returns.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from scry.core.errors import BadRequest, LogUnavailable, MemoryUnavailable, ScryError
from scry.core.knowledge import MEMORY
from scry.core.memory.purpose import RecallPurpose, parse_memory_query
from scry.core.memory.ranking import RecalledMemory, explain_recall
from scry.core.memory.types import Capsule, Memory, Observation, WorkSession
from scry.core.settings import BUNDLED_MODEL, Settings
from scry.core.text import escape_unencodable
from scry.engine.activity.answer_store import RecordingSwitch
from scry.engine.notices import MemoryOff
from scry.index.git.work_tree import list_local_commits
from scry.projects.project import Project, create_data_folder, head_commit
from scry.store.events.log import now_ms
from scry.store.memory.forgetting import ForgetResult, affected_memories, forget_memories, memories_in_answers
from scry.store.memory.reader import MemoryFilter, MemoryReader
from scry.store.memory.schema import MEMORY_FILE
from scry.store.memory.sessions import SessionOwner
from scry.store.memory.store import MemoryStore, RecordedMemory

_log = logging.getLogger(__name__)


class MemoryMatch(Struct, frozen=True):
    """A memory that answers a question, and the reason of its rank."""

    recalled: RecalledMemory
    why: str


class MemoryService:
    """The memory of one project. Every method may be called from any thread.

    All but the capturing ones may raise MemoryUnavailable.
    """

    def __init__(self, project: Project, settings: Settings, agent: str = "") -> None:
        """Open nothing yet. agent: the default owner of the memories."""
        self.project = project
        self._agent = agent
        self._settings = settings
        self._switch = RecordingSwitch(settings, "memory")
        self._lock = threading.Lock()
        self._store: MemoryStore | None = None
        self._captures: ThreadPoolExecutor | None = None

    def is_on(self) -> bool:
        """Return whether recording is on."""
        return self._switch.is_on()

    # By hand ------------------------------------------------------------------------------------------------------

    def start(self, intent: str, agent: str | None = None) -> WorkSession:
        """Begin a piece of work; see MemoryStore.start_work."""
        self._require_on()
        owner = self._owner(agent)
        self._note_commits(owner)
        started = self._open_store().start_work(owner, intent, now_ms())
        self._embed_notes()  # to the summary of what came before
        return started

    def end(self, agent: str | None = None) -> WorkSession | None:
        """End the open session; return None where none is open."""
        self._require_on()
        owner = self._owner(agent)
        self._note_commits(owner)
        ended = self._open_store().end_session(owner, now_ms())
        self._embed_notes()
        return ended

    def note(self, observation: Observation, agent: str | None = None) -> RecordedMemory:
        """Record an observation. It is on the disk when this returns."""
        self._require_on()
        owner = self._owner(agent)
        self._note_commits(owner)
        recorded = self._open_store().record(observation, owner)
        if recorded.memory.doc_key is not None:
            self._embed_notes()
        return recorded

    def summarize(self, capsule: str, text: str) -> Memory:
        """Replace a summary by a person's words; see MemoryStore.summarize."""
        self._require_on()
        summary = self._open_store().summarize(capsule, text, now_ms())
        self._embed_notes()
        return summary

    def pin(self, name: str, *, is_pinned: bool) -> Memory:
        """Pin a memory, so that it does not age, or unpin it. Raises BadRequest for an unknown one."""
        return self._open_store().set_pinned(name, is_pinned=is_pinned)

    def forget(self, wanted: MemoryFilter) -> ForgetResult:
        """Delete memories for good, also from the stored answers of all projects.

        The answers go first: if the process ends in between, asking again finds the memories. They go once more after
        that, for an answer that was given meanwhile. Raises MemoryUnavailable, LogUnavailable.
        """
        store = self._open_store()
        with suppress(LogUnavailable):  # raised below, when the memories are gone
            self._forget_answers(wanted, affected_memories(store, wanted))
        forgotten = forget_memories(store, wanted, now_ms())
        is_clean = self._forget_answers(wanted, (*forgotten.ids, *forgotten.replaced))
        return replace(forgotten, is_clean=forgotten.is_clean and is_clean)

    def _forget_answers(self, wanted: MemoryFilter, ids: Sequence[str]) -> bool:
        """Delete the stored answers that show these memories, or those wanted by name; return whether cleanly.

        With everything wanted, each answer of this project that shows a memory is deleted.
        """
        from scry.store.events.maintenance import forget_answers_in_projects

        data_root, names = self.project.data.parent, {*ids, *wanted.ids}
        if wanted == MemoryFilter():
            names |= memories_in_answers(data_root, own=self.project.data)
        shown = sorted(names & memories_in_answers(data_root)) or [""]  # without any, the files are still rewritten
        return forget_answers_in_projects(data_root, [f"{MEMORY}:{name}" for name in shown])

    # In passing ---------------------------------------------------------------------------------------------------

    def capture_edit(self, path: str) -> None:
        """Record that a file, relative to the root, was saved in an editor."""
        if not path.startswith((".git/", ".scry/")):
            self._capture(Observation("edit", path, now_ms(), refs=(path,), key=f"edit {path}"))

    def capture_jump(self, doc_id: str, query: str, act_id: str) -> None:
        """Record that a result of a question was opened."""
        question = f" (asked: {query})" if query else ""
        self._capture(Observation("jump", f"{doc_id}{question}", now_ms(), key=f"jump {act_id}"))

    def capture_commits(self, since: str | None) -> None:
        """Record the commits made since `since`, because HEAD has moved; None where it was not known before.

        A folder without memory gets none by being looked at.
        """
        if since is not None or (self.project.data / MEMORY_FILE).exists():
            self._run_in_background(lambda: self._note_commits(self._owner(None), since))

    def _capture(self, observation: Observation) -> None:
        self._run_in_background(lambda: self._open_store().record(observation, self._owner(None)))

    def _run_in_background(self, task: Callable[[], object]) -> None:
        if not self.is_on():
            return
        with self._lock:
            if self._captures is None:
                self._captures = ThreadPoolExecutor(1, thread_name_prefix="scry-memory")
            self._captures.submit(_run_logged, task)

    # Questions ----------------------------------------------------------------------------------------------------

    def reader(self, agent: str | None = None) -> MemoryReader | None:
        """Return a reader of the memories; None where there are none."""
        return MemoryReader.open(self.project.data, self._owner(agent))

    def memories(self, wanted: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return the memories, the newest first."""
        reader = self.reader()
        if reader is None:
            return []
        with closing(reader):
            return reader.select_memories(wanted, limit)

    def sessions(self, limit: int) -> list[tuple[WorkSession, list[Capsule]]]:
        """Return the last sessions with their pieces of work, the newest first."""
        reader = self.reader()
        if reader is None:
            return []
        with closing(reader):
            return [(session, reader.capsules_of_session(session.id)) for session in reader.recent_sessions(limit)]

    def session(self, name: str) -> tuple[WorkSession, list[Capsule]]:
        """Return a session with its pieces of work. Raises BadRequest for an unknown one."""
        reader = self.reader()
        if reader is not None:
            with closing(reader):
                session = reader.find_session(name)
                if session is not None:
                    return session, reader.capsules_of_session(name)
        raise BadRequest("session", f"no session is named {name}; scry session list names them")

    def last_capsule(self, agent: str | None = None) -> Capsule | None:
        """Return the current piece of work in this work tree, else the last one."""
        reader = self.reader(agent)
        if reader is None:
            return None
        with closing(reader):
            return reader.last_capsule()

    def search(
        self,
        question: str,
        limit: int,
        *,
        purpose: RecallPurpose | None = None,
        intent: str = "",
        kinds: Sequence[str] = (),
        agent: str | None = None,
    ) -> list[MemoryMatch]:
        """Return the memories for a question, best first. purpose, intent: see core.memory; parsed where None."""
        reader = self.reader(agent)
        if reader is None:
            return []
        with closing(reader):
            wanted = parse_memory_query(question, purpose)
            viewpoint = reader.notes.viewpoint(now_ms(), wanted.purpose, intent)
            recalled = reader.notes.recall(
                wanted.terms, viewpoint, limit, include_purpose_matches=wanted.is_generic, kinds=frozenset(kinds)
            ) or reader.notes.recall((), viewpoint, limit, kinds=frozenset(kinds))
            return [MemoryMatch(each, explain_recall(each, viewpoint)) for each in recalled]

    def close(self) -> None:
        """Record all captured events, and close the file."""
        with self._lock:
            captures, self._captures = self._captures, None
        if captures is not None:
            captures.shutdown(wait=True)
        with self._lock:
            if self._store is not None:
                self._store.close()
                self._store = None

    # Inside -------------------------------------------------------------------------------------------------------

    def _owner(self, agent: str | None) -> SessionOwner:
        return SessionOwner(escape_unencodable(str(self.project.root)), self._agent if agent is None else agent)

    def _require_on(self) -> None:
        if not self.is_on():
            raise MemoryUnavailable(MemoryOff(), is_off=True)

    def _open_store(self) -> MemoryStore:
        with self._lock:
            if self._store is not None and not self._store.is_in_place():
                self._store.close()
                self._store = None
            if self._store is None:
                self._store = MemoryStore(self.project.data, partial(create_data_folder, self.project))
            return self._store

    def _embed_notes(self) -> None:
        """Make the vectors of prose at once. A model that runs in the indexer alone makes them later."""
        if self._settings.model != BUNDLED_MODEL:
            return
        from scry.embedding.static_model import load_bundled_model
        from scry.indexer.embed import embed_missing_notes_of, embedder_info

        try:
            embed_missing_notes_of(
                self._open_store().notes,
                embedder_info(BUNDLED_MODEL, load_bundled_model()),
                load_bundled_model(),
                lambda: None,
            )
        except ScryError as error:  # it is noted all the same
            _log.warning("no vectors: %s", error)

    def _note_commits(self, owner: SessionOwner, since: str | None = None) -> None:
        """Record the commits that were made in this work tree since the last look."""
        head, store = head_commit(self.project.root), self._open_store()
        seen = store.last_seen_commit(owner.root) or since
        if head is None or head == seen:
            return
        for made in list_local_commits(self.project.root, seen) if seen is not None else ():
            text = f"{made.sha[:7]} {made.subject}"
            observation = Observation("commit", text, made.time, refs=(f"commit:{made.sha}",), key=f"commit {made.sha}")
            store.record(observation, owner)
        store.save_last_seen_commit(owner.root, head)


def _run_logged(task: Callable[[], object]) -> None:
    try:
        task()
    except ScryError as error:
        _log.warning("not noted: %s", error)
    except Exception:
        _log.exception("not noted")

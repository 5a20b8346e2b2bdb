"""The one who works: takes tasks out of the schedule and brings the index up to the files."""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from scry.core.errors import Cancelled, ScryError
from scry.core.settings import Settings, load_settings
from scry.core.types import IndexState
from scry.index.ahead import Ahead
from scry.index.filling import Filling, Job, answers_slowly
from scry.index.freshness import is_current, remove_key, write_key
from scry.index.graph_keeper import GraphKeeper
from scry.index.history_keeper import HistoryKeeper
from scry.index.project import Project
from scry.index.schedule import Schedule, Task
from scry.index.split_off import SplitOff
from scry.index.status import Status, with_vectors

if TYPE_CHECKING:
    from scry.index.structures import Structures
    from scry.store.index_store import IndexStore

log = logging.getLogger(__name__)

RETRY_S = (2.0, 5.0, 15.0, 60.0, 300.0)
"""Seconds until the next try after the first, second … failure in a row."""

REST_S = 0.5
"""So long nothing may have been asked for before what nobody waits for is put in order."""

_READ_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS)


class RootGone(ScryError):
    """The project's folder can't be seen: removed, or its disk not mounted. The index is kept."""


class Indexing(threading.Thread):
    """Works until the schedule stops. Whatever goes wrong becomes a state, never the end of the process."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        status: Status,
        overrides: Mapping[str, object],
        *,
        filling: Filling,
        history: HistoryKeeper,
        graph: GraphKeeper,
        after: Callable[[], None],
        follow: Callable[[Settings, frozenset[str]], None],
        waiting: SplitOff | None,
    ) -> None:
        """overrides: settings that the one who started this process was told. filling: makes the vectors.
        history and graph: woken after every task.

        after: called when a task has ended, well or not. follow: takes the settings and the folders to be watched.
        waiting: a process that waits for something to read ahead.
        """
        super().__init__(name="indexing", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._overrides = overrides
        self._filling = filling
        self._history = history
        self._graph = graph
        self._after = after
        self._follow = follow
        self._ahead = Ahead(project, waiting)
        self._settings = Settings()
        self._store: IndexStore | None = None
        self._structures: Structures | None = None
        self._failures = 0
        self._whole = False
        self._newest = IndexState()

    def tell(self, overrides: Mapping[str, object]) -> bool:
        """Other settings that stand in no file, for the next task; says whether they are others. From any thread."""
        others = dict(overrides) != dict(self._overrides)
        self._overrides = overrides
        return others

    def run(self) -> None:
        """Takes tasks until there are no more to come."""
        while (task := self._schedule.take()) is not None:
            try:
                self._perform(task)
            except Cancelled:
                self._schedule.put_back(task)
            except Exception as error:
                self._fail(task, error)
            else:
                self._finish(task)
            self._after()
            self._keep_up()
        self._close_store()
        self._ahead.close()

    # One task -----------------------------------------------------------------------------------------------------

    def _perform(self, task: Task) -> None:
        if not self._project.root.is_dir():
            raise RootGone(f"{self._project.root} is not there. If it is on a disk that is not mounted, mount it.")
        store = self._open_store()
        if task.reset:
            self._reset(store)
        if task.whole:
            self._compare_whole(store)
        elif task.paths:
            self._compare_some(store, task.paths)
        if task.check and not is_current(self._project, self._load_settings(), store):
            self._compare_whole(store)
        if task.whole or task.check:
            self._keep_structure(store)

    def _compare_whole(self, store: IndexStore) -> None:
        self._status.set_stage("indexing")
        self._whole = False
        settings = self._load_settings()
        self._refresh(store, settings, None)
        self._whole = True
        write_key(self._project, settings)
        self._watch(store, settings)

    def _compare_some(self, store: IndexStore, paths: frozenset[str]) -> None:
        settings = self._load_settings()
        self._refresh(store, settings, paths)
        if self._whole:
            write_key(self._project, settings)
        if any((self._project.root / path).is_dir() for path in paths):
            self._watch(store, settings)

    def _refresh(self, store: IndexStore, settings: Settings, only: frozenset[str] | None) -> None:
        from scry.index.refresh import refresh  # late: clients are greeted while this is loaded

        remove_key(self._project)
        report, checkpoint = self._status.set_index, self._schedule.checkpoint
        bundled = not answers_slowly(Job(store, settings), store.embedder)
        self._newest = refresh(
            self._project,
            settings,
            store,
            only=only,
            report=report,
            checkpoint=checkpoint,
            alone=False,
            ahead=partial(self._ahead.start, settings=settings, embed=bundled),
            embed=self._filling.at_hand(store.embedder),
        )

    def _keep_structure(self, store: IndexStore) -> None:
        """Who asked for all of it gets the structure, too; who saved a file does not wait for it."""
        self._known_structures().keep(store, self._schedule.checkpoint)

    def _known_structures(self) -> Structures:
        from scry.index.structures import Structures

        if self._structures is None:
            self._structures = Structures()
        return self._structures

    def _keep_up(self) -> None:
        """Puts in order what nobody waits for, unless something else is to be done."""
        if self._store is None or not self._whole or not self._schedule.rest(REST_S):
            return
        from scry.index.upkeep import keep_up

        try:
            structures = self._known_structures()
            done = keep_up(self._project, self._settings, self._store, structures, self._schedule.give_way)
        except Cancelled:
            return
        except Exception:
            log.exception("what follows from changed files could not be put in order")
            return
        if done:
            self._newest = replace(self._store.state(), state="ready", head_commit=self._newest.head_commit)
            self._status.set_index(self._newest)

    def pause(self) -> None:
        """Ends what is read ahead; the thread itself hears of a pause from the schedule. From any thread."""
        self._ahead.close()

    def _watch(self, store: IndexStore, settings: Settings) -> None:
        self._follow(settings, frozenset(path for path, _ in store.stored_folders()))

    def _reset(self, store: IndexStore) -> None:
        remove_key(self._project)
        self._whole = False
        store.reset()
        self._history.wake(anew=True)
        self._status.set_index(replace(store.state(), state="indexing"))

    # Settings and store -------------------------------------------------------------------------------------------

    def _load_settings(self) -> Settings:
        self._settings = load_settings(self._project.root, os.environ, self._overrides)
        return self._settings

    def _open_store(self) -> IndexStore:
        from scry.store.index_store import IndexStore

        if self._store is None:
            self._store = IndexStore.open(self._project.cache, write=True)
            self._filling.prepare(Job(self._store, self._load_settings()))
            self._newest = replace(self._store.state(), state="indexing")
            self._status.set_index(self._newest)
        return self._store

    def _close_store(self) -> None:
        if self._store is not None:
            store, self._store, self._structures = self._store, None, None
            self._filling.forget()
            self._graph.forget()
            try:
                store.close()
            except Exception:
                log.exception("the index could not be closed")

    # Outcomes -----------------------------------------------------------------------------------------------------

    def _finish(self, task: Task) -> None:
        """Says ready, but never while it is known that something is still to be done."""
        self._failures = 0
        ready = self._whole and not self._schedule.pending
        if self._store is not None:
            self._newest = with_vectors(self._newest, self._store.state())  # meanwhile others made some
        self._status.set_ended(replace(self._newest, state="ready" if ready else "indexing"))
        if self._whole and self._store is not None:
            self._filling.look(Job(self._store, self._settings))
            self._graph.wake(self._store)
        if self._whole:
            self._history.wake()
        self._schedule.done(task)

    def _fail(self, task: Task, error: Exception) -> None:
        log.exception("indexing failed")
        self._close_store()  # whatever state it is in, the next try starts from what is on disk
        delay = RETRY_S[min(self._failures, len(RETRY_S) - 1)]
        self._failures += 1
        self._schedule.failed(task, delay)
        self._status.set_failure(describe_failure(error, self._project))


def describe_failure(error: Exception, project: Project) -> str:
    """What went wrong and what a person can do, in one or two sentences."""
    code = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if code == errno.ENOSPC or "disk is full" in text.lower() or "no space left" in text.lower():
        return f"The disk that holds {project.cache} is full. Free some space; indexing then goes on by itself."
    if code in _READ_ONLY or "readonly" in text.lower():
        return f"The index in {project.cache} can't be written ({text}). Make that folder writable."
    if isinstance(error, ScryError):
        return text
    log_file = project.cache / "indexer.log"
    return f"Indexing failed ({type(error).__name__}: {text}). It is tried again; {log_file} says more."

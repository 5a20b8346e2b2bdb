"""Run the indexing loop: take tasks from the schedule and bring the index up to the files."""

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
from scry.indexer.embedding_worker import EmbeddingJob, EmbeddingWorker, answered_by_slow_model
from scry.indexer.freshness import (
    OutsideRules,
    is_index_current,
    read_outside_rules,
    remove_fingerprint,
    write_fingerprint,
)
from scry.indexer.graph_worker import GraphWorker
from scry.indexer.history_worker import HistoryWorker
from scry.indexer.prefetch import ForkedPrefetcher, Prefetcher
from scry.indexer.schedule import IndexingTask, Schedule
from scry.indexer.status import IndexerStatus, merge_vector_counts
from scry.projects.project import Project

if TYPE_CHECKING:
    from scry.index.graph.structure import StructureUpdater
    from scry.store.index.store import IndexStore

log = logging.getLogger(__name__)

RETRY_DELAYS_S = (2.0, 5.0, 15.0, 60.0, 300.0)
"""Seconds until the next try after the first, second … failure in a row."""

MAINTENANCE_DELAY_S = 0.5
"""Time without a request before maintenance begins."""

_READ_ONLY_ERRNOS = (errno.EACCES, errno.EPERM, errno.EROFS)


class ProjectFolderGone(ScryError):
    """The project's folder does not exist: removed, or its disk not mounted. The index is kept."""


class IndexingLoop(threading.Thread):
    """The thread that indexes until the schedule stops. Every failure becomes a state, never the end of the process."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        status: IndexerStatus,
        overrides: Mapping[str, object],
        *,
        embedding: EmbeddingWorker,
        history: HistoryWorker,
        graph: GraphWorker,
        on_task_ended: Callable[[], None],
        watch: Callable[[Settings, frozenset[str]], None],
        forked: ForkedPrefetcher | None,
    ) -> None:
        """Take the project, the schedule of tasks and the status to report to.

        overrides: settings from the client that started this process. embedding, history, graph: the workers that are
        woken after every task. on_task_ended: called when a task has ended, with success or not. watch: called with the
        settings and the folders to watch. forked: a process that waits for a prefetch plan.
        """
        super().__init__(name="indexing", daemon=True)
        self._project = project
        self._schedule = schedule
        self._status = status
        self._overrides = overrides
        self._embedding = embedding
        self._history = history
        self._graph = graph
        self._on_task_ended = on_task_ended
        self._watch = watch
        self._prefetcher = Prefetcher(project, forked)
        self._settings = Settings()
        self._store: IndexStore | None = None
        self._structure_updater: StructureUpdater | None = None
        self._failures = 0
        self._is_damaged = False
        self._compared_whole = False
        self._outside_rules = OutsideRules("", {})
        self._newest = IndexState()

    def override_settings(self, overrides: Mapping[str, object]) -> bool:
        """Use other settings that are in no file for the next task; return whether they differ. May be called from any
        thread.
        """
        differ = dict(overrides) != dict(self._overrides)
        self._overrides = overrides
        return differ

    def current_overrides(self) -> Mapping[str, object]:
        """Return the settings that are in no file. May be called from any thread."""
        return self._overrides

    def run(self) -> None:
        """Run tasks until the schedule stops."""
        while (task := self._schedule.wait_for_task()) is not None:
            try:
                self._run_task(task)
            except Cancelled:
                self._schedule.put_back(task)
            except Exception as error:
                self._fail(task, error)
            else:
                self._finish(task)
            self._on_task_ended()
            self._run_maintenance()
        self.seal_index()
        self._close_store()
        self._prefetcher.close()

    # One task -----------------------------------------------------------------------------------------------------

    def _run_task(self, task: IndexingTask) -> None:
        if not self._project.root.is_dir():
            raise ProjectFolderGone(
                f"{self._project.root} is not there. If it is on a disk that is not mounted, mount it."
            )
        if task.repair:
            self._find_damage()
        store = self._open_store()
        if task.reset:
            self._reset(store)
        if task.whole:
            self._compare_whole(store)
        elif task.paths:
            self._compare_some(store, task.paths)
        if task.check and not is_index_current(self._project, self._load_settings(), store.files):
            self._compare_whole(store)
        if task.whole or task.check:
            self._update_structure(store)

    def _compare_whole(self, store: IndexStore) -> None:
        self._status.set_stage("indexing")
        self._compared_whole = False
        settings = self._load_settings()
        self._outside_rules = read_outside_rules(self._project.root)
        self._refresh(store, settings, None)
        self._compared_whole = True
        write_fingerprint(self._project, settings, self._outside_rules)
        self._watch_indexed_folders(store, settings)

    def _compare_some(self, store: IndexStore, paths: frozenset[str]) -> None:
        from scry.indexer.refresh import affects_other_files  # late, as below

        if any(map(affects_other_files, paths)):
            self._compare_whole(store)  # other folders are to be watched, too
            return
        settings = self._load_settings()
        self._refresh(store, settings, paths)
        if self._compared_whole:
            write_fingerprint(self._project, settings, self._outside_rules)
        if any(os.path.isdir(self._project.root / path) for path in paths):  # noqa: PTH112 (never raises)
            self._watch_indexed_folders(store, settings)

    def _refresh(self, store: IndexStore, settings: Settings, only: frozenset[str] | None) -> None:
        from scry.indexer.refresh import refresh_index  # late: clients are answered while this is loaded

        remove_fingerprint(self._project)
        report, checkpoint = self._status.set_index, self._schedule.checkpoint
        bundled = not answered_by_slow_model(EmbeddingJob(store, settings), store.vectors.embedder)
        self._newest = refresh_index(
            self._project,
            settings,
            store,
            only_paths=only,
            report=report,
            checkpoint=checkpoint,
            standalone=False,
            prefetch=partial(self._prefetcher.start, settings=settings, embed=bundled),
            note_embedder=self._embedding.note_embedder(store.vectors.embedder),
        )

    def _update_structure(self, store: IndexStore) -> None:
        """Update the structure, which a comparison of the whole tree includes; one of saved files does not wait
        for it.
        """
        self._get_structure_updater().update(store, self._schedule.checkpoint)

    def _get_structure_updater(self) -> StructureUpdater:
        from scry.index.graph.structure import StructureUpdater

        if self._structure_updater is None:
            self._structure_updater = StructureUpdater()
        return self._structure_updater

    def _run_maintenance(self) -> None:
        """Update what no client waits for, unless another request came."""
        if self._store is None or not self._compared_whole or not self._schedule.wait_undisturbed(MAINTENANCE_DELAY_S):
            return
        from scry.indexer.refresh import run_maintenance

        try:
            structures = self._get_structure_updater()
            done = run_maintenance(
                self._project, self._settings, self._store, structures, self._schedule.raise_if_disturbed
            )
        except Cancelled:
            return
        except Exception:
            log.exception("what follows from changed files could not be put in order")
            return
        if done:
            self._newest = replace(self._store.state(), state="ready", head_commit=self._newest.head_commit)
            self._status.set_index(self._newest)

    def stop_prefetching(self) -> None:
        """End the prefetch processes; the thread itself learns of a pause from the schedule. May be called from any
        thread.
        """
        self._prefetcher.close()

    def _watch_indexed_folders(self, store: IndexStore, settings: Settings) -> None:
        self._watch(settings, frozenset(path for path, _ in store.files.folder_times()))

    def _reset(self, store: IndexStore) -> None:
        remove_fingerprint(self._project)
        self._compared_whole = False
        store.reset()
        self._history.request_update(rebuild=True)
        self._status.set_index(replace(store.state(), state="indexing"))

    # Damage -------------------------------------------------------------------------------------------------------

    def _find_damage(self) -> None:
        """Close the index, and have it made anew where it is damaged. All of it is read."""
        from scry.store.index.store import describe_damage

        self._close_store()
        if not (self._project.cache / "index.sqlite").exists():
            return
        if damage := describe_damage(self._project.cache):
            log.warning("the index is damaged: %s", damage)
            self._is_damaged = True

    def seal_index(self) -> None:
        """Record the checksums of the index at rest. May be called from any thread."""
        store = self._store
        try:
            if store is not None and not self._schedule.pending:
                store.seal()
        except Exception:  # another thread closes it, or the disk is full; without a seal all is checked at the start
            log.info("the index was not sealed", exc_info=True)

    # Settings and store -------------------------------------------------------------------------------------------

    def _load_settings(self) -> Settings:
        self._settings = load_settings(self._project.root, os.environ, self._overrides)
        return self._settings

    def _open_store(self) -> IndexStore:
        from scry.store.index.store import IndexStore

        if self._store is None:
            cache = self._project.cache
            self._store = IndexStore.replace(cache) if self._is_damaged else IndexStore.open(cache, write=True)
            if self._is_damaged or not self._store.files.has_files:
                remove_fingerprint(self._project)
                self._compared_whole = False
            self._is_damaged = False
            self._embedding.load_answering_model(EmbeddingJob(self._store, self._load_settings()))
            self._newest = replace(self._store.state(), state="indexing")
            self._status.set_index(self._newest)
        return self._store

    def _close_store(self) -> None:
        if self._store is not None:
            store, self._store, self._structure_updater = self._store, None, None
            self._embedding.abort()
            self._graph.abort()
            try:
                store.close()
            except Exception:
                log.exception("the index could not be closed")

    # Outcomes -----------------------------------------------------------------------------------------------------

    def _finish(self, task: IndexingTask) -> None:
        """Report the end of a task: `ready` only when nothing known is still to be done."""
        self._failures = 0
        ready = self._compared_whole and not self._schedule.pending
        if self._store is not None:
            self._newest = merge_vector_counts(
                self._newest, self._store.state()
            )  # the embedding worker made some meanwhile
        self._status.set_task_ended(replace(self._newest, state="ready" if ready else "indexing"))
        if self._compared_whole and self._store is not None:
            self._embedding.submit(EmbeddingJob(self._store, self._settings))
            self._graph.request_update(self._store)
        if self._compared_whole:
            self._history.request_update()
        self._schedule.finish(task)

    def _fail(self, task: IndexingTask, error: Exception) -> None:
        from scry.store.sqlite.database import describe_damage_error

        log.exception("indexing failed")
        self._close_store()  # its state is unknown, so the next try starts from the disk
        delay = RETRY_DELAYS_S[min(self._failures, len(RETRY_DELAYS_S) - 1)]
        if describe_damage_error(error):
            self._is_damaged, task = True, replace(task, reset=False, whole=True)
            delay = delay if self._failures else 0.0
        self._failures += 1
        self._schedule.fail(task, delay)
        self._status.set_failure(describe_indexing_failure(error, self._project))


def describe_indexing_failure(error: Exception, project: Project) -> str:
    """Return the failure and the remedy in one or two sentences for a person."""
    code = error.errno if isinstance(error, OSError) else None
    text = str(error)
    if code == errno.ENOSPC or "disk is full" in text.lower() or "no space left" in text.lower():
        return f"The disk that holds {project.cache} is full. Free some space; indexing then goes on by itself."
    if code in _READ_ONLY_ERRNOS or "readonly" in text.lower():
        return f"The index in {project.cache} can't be written ({text}). Make that folder writable."
    if isinstance(error, ScryError):
        return text
    log_file = project.cache / "indexer.log"
    return f"Indexing failed ({type(error).__name__}: {text}). It is tried again; {log_file} says more."

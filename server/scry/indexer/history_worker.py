"""Run the thread that keeps the stored git history up to date.

Keeps the history up to date in a thread of its own, so that neither files nor questions ever wait for it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

from scry.core.errors import Cancelled, IndexUnavailable
from scry.indexer.schedule import Schedule
from scry.indexer.status import HistoryState, read_history_state
from scry.projects.project import Project
from scry.store.history.store import HistoryStore

log = logging.getLogger(__name__)

SYNC_WAIT_S = 1.0
"""Who waits for the index to be current also waits for the history, for so long at most: mostly it is a few commits."""

GOES_FIRST_S = 10.0
"""The graph waits for a pass, but no longer than this: at the same time each takes as long as one after the other, and
whoever opened a project and saw its history come asks then. A history of 100,000 commits takes a minute."""

_POLL_INTERVAL_S = 0.1


class HistoryWorker(threading.Thread):
    """Works when woken, one pass at a time, while there is nothing else to do. Whatever goes wrong becomes a state."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        *,
        busy: Callable[[], bool],
        on_state: Callable[[HistoryState], None],
        on_progress: Callable[[], None],
    ) -> None:
        """busy: whether something beside the schedule's tasks goes first. show: takes each new state.

        after: called when those may go on who wait for the history.
        """
        super().__init__(name="history", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._on_state = on_state
        self._on_progress = on_progress
        self._condition = threading.Condition()
        self._requested = self._rebuild = False
        self._began: float | None = None
        self._blocks_sync = False
        self._awaited_since: float | None = None
        on_state(read_history_state(project.root, None))

    def request_update(self, *, rebuild: bool = False) -> None:
        """Asks for a pass, after the one that runs; `anew` forgets what there is first."""
        with self._condition:
            self._requested = self._blocks_sync = True
            self._awaited_since = self._awaited_since or time.monotonic()
            self._rebuild = self._rebuild or rebuild
            self._condition.notify_all()

    def blocks_sync(self) -> bool:
        """Whether what was asked for may still come within the time that others wait for it."""
        with self._condition:
            return self._blocks_sync

    def blocks_graph(self) -> bool:
        """Whether a pass was asked for, or goes on, that the graph is to wait for."""
        with self._condition:
            since = self._awaited_since
            return since is not None and time.monotonic() < since + GOES_FIRST_S

    def close(self) -> None:
        """Ends the thread soon; the schedule has been stopped."""
        with self._condition:
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Makes the passes that are asked for until the schedule stops."""
        while not self._schedule.stopping:
            try:
                anew = self._wait_for_request()
                self._update_history(rebuild=anew)
            except Cancelled:
                return
            except Exception:
                log.exception("the history could not be brought up to date")
                self._on_state(HistoryState(note="The history could not be read; the indexer's log says more."))
            self._release_waiters()
            with self._condition:
                self._awaited_since = time.monotonic() if self._requested else None

    def _wait_for_request(self) -> bool:
        """Waits until a pass is asked for and nothing goes before it; returns whether it is to begin anew."""
        with self._condition:
            while not self._requested and not self._schedule.stopping:
                self._condition.wait(_POLL_INTERVAL_S * 10)
        self._checkpoint()
        with self._condition:
            anew, self._requested, self._rebuild = self._rebuild, False, False
            self._began = time.monotonic()
            return anew

    def _release_waiters(self) -> None:
        """Nobody waits any longer, unless another pass was asked for."""
        with self._condition:
            self._began = None
            self._blocks_sync = self._requested
        self._on_progress()

    def _checkpoint(self) -> None:
        """Rests while there is other work or all is paused. Raises Cancelled when the indexer ends."""
        if self._began is not None and time.monotonic() > self._began + SYNC_WAIT_S:
            self._release_waiters()
        while not self._schedule.wait_idle(_POLL_INTERVAL_S) or self._busy():
            if self._schedule.stopping:
                raise Cancelled("the indexer ends")
            time.sleep(_POLL_INTERVAL_S / 10)
        if self._schedule.stopping:
            raise Cancelled("the indexer ends")

    def _update_history(self, *, rebuild: bool) -> None:
        from scry.index.git.changed_symbols import update_changed_documents
        from scry.index.git.history import update_history
        from scry.index.git.stream import GitFailed  # late: clients are greeted while these are loaded
        from scry.index.notes.belief_coverage import update_belief_coverage
        from scry.store.index.store import IndexStore

        with closing(HistoryStore.open(self._project.cache, write=True)) as history:
            if rebuild:
                history.reset()
            self._on_state(read_history_state(self._project.root, history))
            try:
                if update_history(self._project.root, history, self._checkpoint):
                    with closing(IndexStore.open(self._project.cache, write=False)) as index:
                        update_changed_documents(history, index, self._checkpoint)
            except (GitFailed, IndexUnavailable) as error:
                log.warning("the history could not be brought up to date: %s", error)
            update_belief_coverage(self._project, history, self._checkpoint)
            self._on_state(read_history_state(self._project.root, history))

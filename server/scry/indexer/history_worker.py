"""Run the thread that keeps the stored git history up to date, so that neither files nor queries ever wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

from scry.core.errors import Cancelled, IndexUnavailable
from scry.indexer.schedule import Schedule
from scry.projects.project import Project, head_commit
from scry.store.history.reader import HistoryState, read_history_state
from scry.store.history.store import HistoryStore, delete_history, describe_history_damage
from scry.store.sqlite.database import describe_damage_error

log = logging.getLogger(__name__)

SYNC_WAIT_S = 1.0
"""Maximum time for which a client that waits for a current index also waits for the history; most passes are a few
commits.
"""

GRAPH_WAIT_S = 10.0
"""Maximum time for which the graph waits for a pass. Run at the same time, each would take as long as both one after
the other, and a client that saw its project's history complete asks its first question then. A history of 100,000
commits takes a minute.
"""

_POLL_INTERVAL_S = 0.1


class HistoryWorker(threading.Thread):
    """Updates the history on request while there is nothing else to do. Every failure becomes a state."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        *,
        busy: Callable[[], bool],
        on_state: Callable[[HistoryState], None],
        on_progress: Callable[[], None],
    ) -> None:
        """Take the project and the schedule.

        busy: whether work beside the schedule's tasks goes first. on_state: called with each new state. on_progress:
        called when clients that wait for the history may go on.
        """
        super().__init__(name="history", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._on_state = on_state
        self._on_progress = on_progress
        self._condition = threading.Condition()
        self._requested = self._rebuild = self._was_damaged = False
        self._newest_requested = self._has_commits = False
        self._began: float | None = None
        self._blocks_sync = False
        self._awaited_since: float | None = None
        on_state(read_history_state(head_commit(project.root), None))

    def request_update(self, *, rebuild: bool = False) -> None:
        """Request a pass after the one that runs. rebuild: drop the stored history first."""
        with self._condition:
            self._requested = self._blocks_sync = True
            self._awaited_since = self._awaited_since or time.monotonic()
            self._rebuild = self._rebuild or rebuild
            self._condition.notify_all()

    def read_newest_commits(self) -> None:
        """Read the newest commits beside other work, where none was read yet: somebody asks what changed lately."""
        with self._condition:
            if not self._has_commits:
                self._requested = self._newest_requested = True
                self._condition.notify_all()

    def blocks_sync(self) -> bool:
        """Return whether the requested pass may still end within the time that syncs wait for it."""
        with self._condition:
            return self._blocks_sync

    def blocks_graph(self) -> bool:
        """Return whether the graph has to wait for a requested or running pass."""
        with self._condition:
            since = self._awaited_since
            return since is not None and time.monotonic() < since + GRAPH_WAIT_S

    def close(self) -> None:
        """End the thread soon; called after the schedule was stopped."""
        with self._condition:
            self._condition.notify_all()

    # The thread ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Make the requested passes until the schedule stops."""
        while not self._schedule.stopping:
            try:
                rebuild = self._wait_for_request()
                self._update_history(rebuild=rebuild)
            except Cancelled:
                return
            except Exception as error:
                log.exception("the history could not be brought up to date")
                self._retry_damaged(error)
                self._on_state(HistoryState(note="The history could not be read; the indexer's log says more."))
            self._release_waiters()
            with self._condition:
                self._awaited_since = time.monotonic() if self._requested else None

    def _retry_damaged(self, error: Exception) -> None:
        """Have a damaged history made anew at once, and only once in a row."""
        if self._was_damaged or not describe_damage_error(error):
            return
        self._was_damaged = True
        if describe_history_damage(self._project.cache):  # else it was the index that could not be read
            delete_history(self._project.cache)
            self.request_update()

    def _wait_for_request(self) -> bool:
        """Wait for a request, and until no other work goes first; return whether the history is to be rebuilt."""
        with self._condition:
            while not self._requested and not self._schedule.stopping:
                self._condition.wait(_POLL_INTERVAL_S * 10)
        self._checkpoint()
        with self._condition:
            rebuild, self._requested, self._rebuild = self._rebuild, False, False
            self._began = time.monotonic()
            return rebuild

    def _release_waiters(self) -> None:
        """Let all clients go on that wait for the history, unless another pass was requested."""
        with self._condition:
            self._began = None
            self._blocks_sync = self._requested
        self._on_progress()

    def _checkpoint(self) -> None:
        """Wait while there is other work or indexing is paused. Raises Cancelled when the indexer ends."""
        if self._began is not None and time.monotonic() > self._began + SYNC_WAIT_S:
            self._release_waiters()
        self._schedule.wait_for_turn(self._busy, self._raise_if_stopping, self._is_urgent)

    def _is_urgent(self) -> bool:
        return self._newest_requested and not self._has_commits

    def _raise_if_stopping(self) -> None:
        if self._schedule.stopping:
            raise Cancelled("the indexer ends")

    def _update_history(self, *, rebuild: bool) -> None:
        from scry.index.git.changed_symbols import update_changed_documents
        from scry.index.git.history import update_history
        from scry.index.git.stream import GitFailed  # late: clients are answered while these are loaded
        from scry.index.notes.belief_coverage import update_belief_coverage
        from scry.store.index.store import IndexStore

        with closing(HistoryStore.open(self._project.cache)) as history:
            if rebuild:
                history.reset()
            self._on_state(read_history_state(head_commit(self._project.root), history.reader))

            def checkpoint() -> None:
                had_commits, self._has_commits = self._has_commits, history.reader.commit_count > 0
                if self._has_commits and not had_commits:
                    self._on_state(read_history_state(head_commit(self._project.root), history.reader))
                self._checkpoint()

            try:
                if update_history(self._project.root, history, checkpoint):
                    checkpoint()  # the files may still be to be read, where commits were read beside them
                    with closing(IndexStore.open(self._project.cache, write=False)) as index:
                        update_changed_documents(history, index, self._checkpoint)
            except (GitFailed, IndexUnavailable) as error:
                if describe_damage_error(error):
                    raise
                log.warning("the history could not be brought up to date: %s", error)
            update_belief_coverage(self._project, history, self._checkpoint)
            self._on_state(read_history_state(head_commit(self._project.root), history.reader))
            self._was_damaged = False
            history.seal()

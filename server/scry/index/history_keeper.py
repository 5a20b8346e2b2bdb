"""Keeps the history up to date in a thread of its own, so that neither files nor questions ever wait for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

from scry.core.errors import Cancelled, IndexUnavailable
from scry.index.history_state import HistoryState, history_state
from scry.index.project import Project
from scry.index.schedule import Schedule
from scry.store.history import HistoryStore

log = logging.getLogger(__name__)

SETTLE_WITHIN_S = 1.0
"""Who waits for the index to be current also waits for the history, for so long at most: mostly it is a few commits."""

GOES_FIRST_S = 10.0
"""The graph waits for a pass, but no longer than this: at the same time each takes as long as one after the other, and
whoever opened a project and saw its history come asks then. A history of 100,000 commits takes a minute."""

_LOOK_EVERY_S = 0.1


class HistoryKeeper(threading.Thread):
    """Works when woken, one pass at a time, while there is nothing else to do. Whatever goes wrong becomes a state."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        *,
        busy: Callable[[], bool],
        show: Callable[[HistoryState], None],
        after: Callable[[], None],
    ) -> None:
        """busy: whether something beside the schedule's tasks goes first. show: takes each new state.

        after: called when those may go on who wait for the history.
        """
        super().__init__(name="history", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._show = show
        self._after = after
        self._condition = threading.Condition()
        self._asked = self._anew = False
        self._began: float | None = None
        self._waited_for = False
        self._awaited_since: float | None = None
        show(history_state(project.root, None))

    def wake(self, *, anew: bool = False) -> None:
        """Asks for a pass, after the one that runs; `anew` forgets what there is first."""
        with self._condition:
            self._asked = self._waited_for = True
            self._awaited_since = self._awaited_since or time.monotonic()
            self._anew = self._anew or anew
            self._condition.notify_all()

    def holds_up(self) -> bool:
        """Whether what was asked for may still come within the time that others wait for it."""
        with self._condition:
            return self._waited_for

    def goes_first(self) -> bool:
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
                anew = self._take()
                self._bring(anew=anew)
            except Cancelled:
                return
            except Exception:
                log.exception("the history could not be brought up to date")
                self._show(HistoryState(note="The history could not be read; the indexer's log says more."))
            self._let_go()
            with self._condition:
                self._awaited_since = time.monotonic() if self._asked else None

    def _take(self) -> bool:
        """Waits until a pass is asked for and nothing goes before it; returns whether it is to begin anew."""
        with self._condition:
            while not self._asked and not self._schedule.stopping:
                self._condition.wait(_LOOK_EVERY_S * 10)
        self._checkpoint()
        with self._condition:
            anew, self._asked, self._anew = self._anew, False, False
            self._began = time.monotonic()
            return anew

    def _let_go(self) -> None:
        """Nobody waits any longer, unless another pass was asked for."""
        with self._condition:
            self._began = None
            self._waited_for = self._asked
        self._after()

    def _checkpoint(self) -> None:
        """Rests while there is other work or all is paused. Raises Cancelled when the indexer ends."""
        if self._began is not None and time.monotonic() > self._began + SETTLE_WITHIN_S:
            self._let_go()
        while not self._schedule.wait_idle(_LOOK_EVERY_S) or self._busy():
            if self._schedule.stopping:
                raise Cancelled("the indexer ends")
            time.sleep(_LOOK_EVERY_S / 10)
        if self._schedule.stopping:
            raise Cancelled("the indexer ends")

    def _bring(self, *, anew: bool) -> None:
        from scry.index.git_stream import GitFailed  # late: clients are greeted while these are loaded
        from scry.index.history import bring_history
        from scry.index.reach_keeper import keep_reach
        from scry.index.trace_history import trace_history
        from scry.store.index_store import IndexStore

        with closing(HistoryStore.open(self._project.cache, write=True)) as history:
            if anew:
                history.reset()
            self._show(history_state(self._project.root, history))
            try:
                if bring_history(self._project.root, history, self._checkpoint):
                    with closing(IndexStore.open(self._project.cache, write=False)) as index:
                        trace_history(history, index, self._checkpoint)
            except (GitFailed, IndexUnavailable) as error:
                log.warning("the history could not be brought up to date: %s", error)
            keep_reach(self._project, history, self._checkpoint)
            self._show(history_state(self._project.root, history))

"""The project that a server was started for."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from scry.core.errors import ProjectMissing, ScryError
from scry.core.settings import load_settings
from scry.engine.pool import EnginePool
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.engine.engine import Engine


def _never() -> bool:
    return False


class Home:
    """One project, asked through the pool."""

    def __init__(self, pool: EnginePool, home: Path | None) -> None:
        """home: its folder; None where there is none."""
        self._pool = pool
        self._home = home

    def _root(self) -> Path:
        if self._home is None:
            raise ProjectMissing("no project is open here; start Scry in one, or name it with --root")
        return self._home

    def find(self, params: messages.FindParams, *, cancelled: Callable[[], bool] = _never) -> messages.Answer:
        """As Engine.find."""
        with self._pool.borrow(self._root()) as engine:
            return engine.find(params, cancelled=cancelled)

    def orient(self, params: messages.OrientParams, *, cancelled: Callable[[], bool] = _never) -> messages.Answer:
        """As Engine.orient."""
        with self._pool.borrow(self._root()) as engine:
            return engine.orient(params, cancelled=cancelled)

    def recent(self, params: messages.RecentParams, *, cancelled: Callable[[], bool] = _never) -> messages.Answer:
        """As Engine.recent."""
        with self._pool.borrow(self._root()) as engine:
            return engine.recent(params, cancelled=cancelled)

    def neighbors(self, params: messages.NeighborsParams, *, cancelled: Callable[[], bool] = _never) -> messages.Answer:
        """As Engine.neighbors."""
        with self._pool.borrow(self._root()) as engine:
            return engine.neighbors(params, cancelled=cancelled)

    def why(self, params: messages.WhyParams, *, cancelled: Callable[[], bool] = _never) -> messages.Explanation:
        """As Engine.why."""
        with self._pool.borrow(self._root()) as engine:
            return engine.why(params, cancelled=cancelled)

    def detail(self, params: messages.DetailParams) -> messages.Detail:
        """As Engine.detail."""
        with self._pool.borrow(self._root()) as engine:
            return engine.detail(params)

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """As Engine.use."""
        with self._pool.borrow(self._root()) as engine:
            return engine.use(params)

    def feedback(self, params: messages.FeedbackParams) -> messages.Recorded:
        """As Engine.feedback."""
        with self._pool.borrow(self._root()) as engine:
            return engine.feedback(params)

    def status(self, params: messages.StatusParams) -> messages.IndexState:
        """As Engine.status."""
        with self._pool.borrow(self._root()) as engine:
            return engine.status()

    def warm_up(self) -> None:
        """Opens the project in the background, so that its index is brought up to date before anyone asks."""
        if self._home is not None:
            threading.Thread(target=self._open, name="warm up", daemon=True).start()

    def _open(self) -> None:
        with suppress(ScryError):  # who asks is told
            self.status(messages.StatusParams())

    def wait_for_first_index(self, within: float) -> None:
        """Waits, at most so many seconds, while the index is only being made."""
        if self._home is None:
            return
        with self._pool.borrow(self._home) as engine:
            state = engine.status()
            if state.state in ("starting", "indexing") and (
                not state.generation or state.files_indexed < state.files_total
            ):
                engine.wait_until_current(within)

    def close(self) -> None:
        """Closes the engine."""
        self._pool.close()


def open_home(home: Path | None, surface: str) -> Home:
    """The project in a folder, whose index is kept up to date from now on. surface: as Engine.open takes it."""
    return Home(EnginePool(partial(_open_engine, surface=surface)), home)


def _open_engine(root: Path, *, surface: str) -> Engine:
    from scry.engine.engine import Engine

    return Engine.open(root, load_settings(root, os.environ), surface=surface)

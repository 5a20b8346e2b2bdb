"""The projects that a server answers for: the one that it was started for, and those that a question names."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from scry.core.errors import ScryError
from scry.engine.opening import engine_opener
from scry.engine.pool import EnginePool
from scry.engine.projects import Projects
from scry.surfaces.text.clipboard import clipboard_text
from scry_protocol import messages


class Home(Projects):
    """They, with what a server does before anyone asks."""

    _patient_until = 0.0

    def warm_up(self) -> None:
        """Opens the project in the background, so that its index is brought up to date before anyone asks."""
        if self.home is not None:
            threading.Thread(target=self._open_home, name="warm up", daemon=True).start()

    def _open_home(self) -> None:
        with suppress(ScryError):  # who asks is told
            self.status(messages.StatusParams())

    def use(self, params: messages.UseParams) -> messages.Recorded:
        """A result was used. For a copy, the outcome says what belongs on the clipboard."""
        recorded = super().use(params)
        if params.how != "copy":
            return recorded
        with self._keeper(params.query_id) as keeper:
            kept = keeper.recorder.answers.find(params.query_id)
        text = clipboard_text(kept.result(params.rank)) if kept else ""
        return msgspec.structs.replace(recorded, text=text)

    def observe(self, params: messages.ObserveParams) -> messages.Observed:
        """Something happened in the project that the server was started for. As Engine.observe."""
        with self._asked_from() as engine:
            return engine.observe(params)

    def remember(self, params: messages.RememberParams) -> messages.PersonaNotes:
        """A note of the person, kept across all projects. As Engine.remember."""
        with self._asked_from() as engine:
            return engine.knowledge.remember(params)

    def wait_for_first_index(self, within: float) -> None:
        """Waits while the index is only being made, at most so many seconds from when this was first asked for.

        So a large project costs that time once, and is then answered for from what is there.
        """
        if self.home is None:
            return
        self._patient_until = self._patient_until or time.monotonic() + within
        left = self._patient_until - time.monotonic()
        if left <= 0:
            return
        with self.pool.borrow(self.home) as engine:
            state = engine.status()
            is_new = not state.generation or state.files_indexed < state.files_total
            if state.state in ("starting", "indexing") and is_new:
                engine.wait_until_current(left)


def open_home(home: Path | None, surface: str) -> Home:
    """The projects, each kept up to date from when it is first asked. home: what is asked where none is named.

    surface: as Engine.open takes it.
    """
    return Home(EnginePool(engine_opener(surface)), home)

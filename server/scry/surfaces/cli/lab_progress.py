"""How far the lab is, on standard error; only on a terminal, and only where it takes long enough to be read."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from scry.surfaces.cli.progress import PROGRESS_DELAY_S

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class LabProgress:
    """Called with what is done, how many of them are, and of how many."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}
        self._is_terminal = sys.stderr.isatty()
        self._show_after = time.monotonic() + PROGRESS_DELAY_S

    def __enter__(self) -> LabProgress:
        """Nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leaves the terminal as it was."""
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Takes what has been done so far."""
        if self._is_terminal and time.monotonic() >= self._show_after:
            bars = self._bars or self._start_bars()
            if what not in self._tasks:
                self._tasks[what] = bars.add_task(what, total=total)
            bars.update(self._tasks[what], completed=done)

    def _start_bars(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bars = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._bars.start()
        return self._bars

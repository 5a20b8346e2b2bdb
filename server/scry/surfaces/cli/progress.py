"""Show the progress of the indexer and of the lab on standard error.

Standard output holds the answer alone.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from scry.surfaces.cli.output import wants_colours
from scry.surfaces.render.styled_text import make_printable
from scry_protocol.messages import IndexState

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

PROGRESS_DELAY_S = 0.4
"""Seconds of waiting after which bars appear: a bar that flashes is worse than none, and rich need not be imported."""

_LINE_INTERVAL_S = 5.0
"""Seconds between two lines of text where standard error is no terminal."""


BarsT = TypeVar("BarsT", bound="_TransientBars")


class _TransientBars:
    """Bars on standard error, not shown before `_show_bars`, and removed from the terminal at the end."""

    _interrupted = ""
    """Text for a person who ends the wait with Ctrl-C; "" for none."""

    def __init__(self) -> None:
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self: BarsT) -> BarsT:
        """Begin to wait; nothing is shown yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bars from the terminal."""
        if self._bars is not None:
            self._bars.stop()
        if kind is not None and issubclass(kind, KeyboardInterrupt) and self._interrupted:
            print(self._interrupted, file=sys.stderr)

    def _show_bars(self, *columns: ProgressColumn) -> Progress:
        from rich.console import Console
        from rich.progress import Progress

        self._bars = Progress(*columns, console=Console(file=sys.stderr), transient=True)
        self._bars.start()
        return self._bars


class ProgressBars(_TransientBars):
    """Progress of the indexer: draws bars on a terminal; elsewhere writes lines, or nothing when `quiet`.

    An instance is called with each new state of the index.
    """

    _interrupted = (
        "scry: indexing goes on in the background; scry status says how far it is, scry index --pause halts it"
    )

    def __init__(self, *, quiet: bool, clock: Callable[[], float] = time.monotonic) -> None:
        """Create without output. quiet: write nothing where standard error is no terminal. clock: returns seconds."""
        super().__init__()
        self._clock = clock
        self._quiet = quiet
        self._is_terminal = wants_colours(sys.stderr) or sys.stderr.isatty()
        self._next_output_at = clock() + (PROGRESS_DELAY_S if self._is_terminal else _LINE_INTERVAL_S)

    def __call__(self, state: IndexState) -> None:
        """Show a new state of the index."""
        now = self._clock()
        if self._bars is not None:
            self._draw(state)
        elif now >= self._next_output_at and self._is_terminal:
            self._start_bars()
            self._draw(state)
        elif now >= self._next_output_at and not self._quiet:
            text = f"{state.files_indexed} of {state.files_total} files read"
            if state.vectors_total:
                text += f", {state.vectors} of {state.vectors_total} vectors made"
            text = make_printable(state.message) or text
            print(text, file=sys.stderr, flush=True)
            self._next_output_at = now + _LINE_INTERVAL_S

    def _start_bars(self) -> None:
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

        self._show_bars(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
        )

    def _draw(self, state: IndexState) -> None:
        self._update_bar("indexing files", state.files_indexed, state.files_total)
        if state.vectors_total:
            self._update_bar("making vectors", state.vectors, state.vectors_total)
        if state.message or "message" in self._tasks:
            self._show_message(make_printable(state.message))

    def _update_bar(self, description: str, done: int, total: int) -> None:
        if self._bars is not None:
            task = self._task(description, self._bars)
            self._bars.update(task, completed=done, total=total or None, count=f"{done}/{total}")

    def _show_message(self, message: str) -> None:
        """Show the message of the state, most often that a model computes vectors and how long that still takes."""
        if self._bars is not None:
            self._bars.update(self._task("message", self._bars), description=message, visible=bool(message))

    def _task(self, name: str, bars: Progress) -> TaskID:
        if name not in self._tasks:
            self._tasks[name] = bars.add_task(name, total=None, count="")
        return self._tasks[name]


class LabProgress(_TransientBars):
    """Progress of the lab: draws bars, on a terminal alone and only after PROGRESS_DELAY_S.

    An instance is called with the name of a step, how many of its items are done, and how many there are.
    """

    def __init__(self) -> None:
        super().__init__()
        self._is_terminal = sys.stderr.isatty()
        self._show_after = time.monotonic() + PROGRESS_DELAY_S

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show how far a step is."""
        if self._is_terminal and time.monotonic() >= self._show_after:
            bars = self._bars or self._start_bars()
            if step not in self._tasks:
                self._tasks[step] = bars.add_task(step, total=total)
            bars.update(self._tasks[step], completed=done)

    def _start_bars(self) -> Progress:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

        return self._show_bars(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())

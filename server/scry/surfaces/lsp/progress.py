"""Report index changes to the client as status notifications and a progress bar.

`scry/statusChanged` is sent at once for a new state, and ten times a second for changed counts alone: an indexer
reports far more often than a person can read.

The editor's progress bar (`$/progress`) covers a run of the indexer, not each saved file: the first index of a folder
shows at once, later work only when it takes over a second. A task of its own asks the client for the bar's token; no
request of the client's ever waits for that, because cancelling such a wait breaks pygls.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
from lsprotocol import types as lsp

from scry_protocol.messages import IndexState, StatusChanged

if TYPE_CHECKING:
    from pygls.progress import Progress

    from scry.surfaces.lsp.workspace import WorkspaceFolder

PROGRESS_DELAY = 1.0
"""Seconds that work after the first index may take without a bar."""

REPORT_INTERVAL = 0.2
"""Seconds between two reports."""

CREATE_TIMEOUT = 10.0
"""Seconds after which a client that does not answer gets no bar."""

log = logging.getLogger(__name__)


class IndexProgressBar:
    """The progress bar of one folder."""

    def __init__(self, progress: Progress, folder: str) -> None:
        """Show nothing yet. progress: pygls' access to the client's bars. folder: the name in the bar's title."""
        self._progress = progress
        self._folder = folder
        self._run: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._latest: IndexState | None = None
        self._was_shown = False

    def update(self, state: IndexState) -> None:
        """Start, continue or end the bar by the folder's state."""
        self._latest = state
        if state.state != "indexing":
            self._over.set()
        elif self._run is None or self._run.done():
            self._over.clear()
            self._run = asyncio.get_running_loop().create_task(self._show(at_once=self._is_initial_index(state)))

    def close(self) -> None:
        """End the bar of a folder that was closed."""
        self._over.set()

    async def _show(self, *, at_once: bool) -> None:
        try:
            if not at_once and await self._wait_until_over(PROGRESS_DELAY):
                return
            self._was_shown = True
            token = f"scry-index-{uuid.uuid4()}"
            await asyncio.wait_for(self._create(token), CREATE_TIMEOUT)
        except asyncio.CancelledError:
            return
        except Exception as error:  # a client may refuse with any error
            log.info("no progress bar: %s", error)
            return
        await self._report(token)

    async def _report(self, token: str) -> None:
        title = f"Scry: indexing {self._folder}"
        self._progress.begin(token, lsp.WorkDoneProgressBegin(title=title, percentage=0, cancellable=False))
        over = False
        while not over:
            self._progress.report(
                token, lsp.WorkDoneProgressReport(message=self._message(), percentage=self._percentage())
            )
            over = await self._wait_until_over(REPORT_INTERVAL)
        self._progress.end(token, lsp.WorkDoneProgressEnd(message=self._message()))

    async def _create(self, token: str) -> None:
        await self._progress.create_async(token)  # pyright: ignore[reportUnknownMemberType]

    async def _wait_until_over(self, timeout: float) -> bool:
        try:
            await asyncio.wait_for(self._over.wait(), timeout)
        except asyncio.TimeoutError:
            return False
        return True

    def _message(self) -> str:
        state = self._latest
        return f"{state.files_indexed:,} of {state.files_total:,} files" if state else ""

    def _percentage(self) -> int:
        state = self._latest
        total = state.files_total + state.vectors_total if state else 0
        return min(100, 100 * (state.files_indexed + state.vectors) // total) if state and total else 0

    def _is_initial_index(self, state: IndexState) -> bool:
        """Return whether most is still to be indexed; a first generation may be published already."""
        return not self._was_shown and (state.generation == 0 or 2 * state.vectors < state.vectors_total)


NOTIFICATION_INTERVAL = 0.1
"""Seconds between two notifications that differ in counts alone."""


class FolderStatusNotifier:
    """Notifies the client of the states of one folder's index. Used on the loop alone."""

    def __init__(
        self, folder: WorkspaceFolder, notify: Callable[[str, object], None], progress: Progress | None
    ) -> None:
        """Send nothing yet. notify: sends a notification. progress: None where the client shows no bars."""
        self._folder = folder
        self._notify = notify
        self._bar = IndexProgressBar(progress, folder.name) if progress else None
        self._sent: IndexState | None = None
        self._latest: IndexState | None = None
        self._timer: asyncio.TimerHandle | None = None

    def update(self, state: IndexState) -> None:
        """Send a state now or soon."""
        self._latest = state
        if self._bar:
            self._bar.update(state)
        if self._sent is None or _status_headline(self._sent) != _status_headline(state):
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(NOTIFICATION_INTERVAL, self._send)

    def close(self) -> None:
        """Send nothing more of a folder that was closed."""
        if self._timer:
            self._timer.cancel()
        if self._bar:
            self._bar.close()

    def _send(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._latest is not None and self._latest != self._sent:
            self._sent = self._latest
            changed = StatusChanged(folder=self._folder.uri, status=self._sent)
            self._notify("scry/statusChanged", msgspec.to_builtins(changed))


def _status_headline(state: IndexState) -> tuple[str, str, str]:
    return state.state, state.history, state.message

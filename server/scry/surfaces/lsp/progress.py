"""How indexing goes on, as the editor's own progress bar (`$/progress`).

One bar for a run of the indexer, not one for every saved file: the first index of a folder shows at once, later work
only when it takes over a second. The client is asked for a token in a task of its own; no request of the client's ever
waits for that, because cancelling such a wait breaks pygls.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from pygls.progress import Progress

    from scry_protocol.messages import IndexState

PROGRESS_DELAY = 1.0
"""Seconds that later work may take without a bar."""

REPORT_INTERVAL = 0.2
"""Seconds between two reports."""

CREATE_TIMEOUT = 10.0
"""Seconds after which a client that does not answer gets no bar."""

log = logging.getLogger(__name__)


class IndexProgressBar:
    """The bar of one folder."""

    def __init__(self, progress: Progress, folder: str) -> None:
        """`progress` is the client's bars, `folder` the name that a person knows."""
        self._progress = progress
        self._folder = folder
        self._run: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._latest: IndexState | None = None
        self._was_shown = False

    def update(self, state: IndexState) -> None:
        """Take in the folder's state."""
        self._latest = state
        if state.state != "indexing":
            self._over.set()
        elif self._run is None or self._run.done():
            self._over.clear()
            self._run = asyncio.get_running_loop().create_task(self._show(at_once=self._is_initial_index(state)))

    def close(self) -> None:
        """The folder is closed: end its bar."""
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
        except Exception as error:  # the client may refuse, in any words
            log.info("no progress bar: %s", error)
            return
        await self._report(token)

    async def _report(self, token: str) -> None:
        title = f"Scry: indexing {self._folder}"
        self._progress.begin(token, lsp.WorkDoneProgressBegin(title=title, percentage=0, cancellable=False))
        over = False
        while not over:
            self._progress.report(token, lsp.WorkDoneProgressReport(message=self._message(), percentage=self._percentage()))
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
        """Whether most is still to be done. The generation does not tell: one may be published already."""
        return not self._was_shown and (state.generation == 0 or 2 * state.vectors < state.vectors_total)

"""Tells the client how the index of each folder changes: `scry/statusChanged`, and a progress bar where it has one.

An indexer reports far more often than a person can read. A new state goes out at once, counts ten times a second.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from scry.surfaces.lsp.progress import IndexProgressBar
from scry_protocol.messages import IndexState, StatusChanged

if TYPE_CHECKING:
    from pygls.progress import Progress

    from scry.surfaces.lsp.folders import WorkspaceFolder

NOTIFICATION_INTERVAL = 0.1
"""Seconds between two notifications that differ in counts alone."""


class FolderStatusNotifier:
    """What one folder's index has to tell. Used on the loop alone."""

    def __init__(self, folder: WorkspaceFolder, notify: Callable[[str, object], None], progress: Progress | None) -> None:
        """`notify` sends a notification; `progress` is None where the client shows no bars."""
        self._folder = folder
        self._notify = notify
        self._bar = IndexProgressBar(progress, folder.name) if progress else None
        self._sent: IndexState | None = None
        self._latest: IndexState | None = None
        self._timer: asyncio.TimerHandle | None = None

    def update(self, state: IndexState) -> None:
        """Take in a state, and send it now or soon."""
        self._latest = state
        if self._bar:
            self._bar.update(state)
        if self._sent is None or _status_headline(self._sent) != _status_headline(state):
            self._send()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(NOTIFICATION_INTERVAL, self._send)

    def close(self) -> None:
        """The folder is closed: nothing more is sent."""
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

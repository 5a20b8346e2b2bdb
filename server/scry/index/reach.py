"""How a client comes to an indexer: the one that runs, or one that it starts."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections import deque
from collections.abc import Callable

from scry.core.errors import IndexUnavailable
from scry.core.settings import Settings
from scry.index.channel import EndRequest
from scry.index.edition import describe_other_version, index_format_version, is_newer_format
from scry.index.launch import LaunchedIndexer, start_indexer
from scry.index.link import IndexerConnection, ConnectionLost, Waker
from scry.index.project import Project

log = logging.getLogger(__name__)

START_TIMEOUT_S = 15.0
"""So long an indexer that was started may take to be heard; usually it is a quarter of a second."""

MAX_STARTS = 6
MAX_STARTS_WINDOW_S = 60.0
"""An indexer that dies this often within this time is not started again until someone asks for it."""

_END_TIMEOUT_S = 10.0
_POLL_INTERVAL_S = 0.03
_START_AGAIN_DELAY_S = 0.5
"""Until another is started when one has ended because it found the lock taken: its holder is opening, or ending."""


class ClientClosed(Exception):
    """The client was closed meanwhile."""


class IndexerConnector:
    """Finds or starts the project's indexer. Used by one thread."""

    def __init__(self, project: Project, settings: Settings, waker: Waker, is_closed: Callable[[], bool]) -> None:
        """waker: cuts waiting short. gone: whether the client was closed."""
        self._project = project
        self._settings = settings
        self._waker = waker
        self._is_closed = is_closed
        self._starts: deque[float] = deque(maxlen=MAX_STARTS)
        self._ended_versions: set[str] = set()

    def reset_failures(self) -> None:
        """Forgets how often it was started, and which editions came back."""
        self._starts.clear()
        self._ended_versions.clear()

    def connect_if_running(self) -> IndexerConnection | None:
        """A link to the indexer that runs, if it is of this edition; one of an older edition is asked to end, once.

        Raises IndexUnavailable for one of a newer edition, and for an older one that comes back: that is what is
        installed, and this process is what was installed before.
        """
        link = IndexerConnection.open(self._project.cache)
        if link is None or link.welcome.version == index_format_version():
            return link
        other = link.welcome.version
        if other in self._ended_versions or is_newer_format(other):
            link.close()
            raise IndexUnavailable(describe_other_version(other))
        log.info("an indexer of Scry %s is asked to end", other)
        self._ended_versions.add(other)
        self._end_other_version(link)
        return None

    def start_and_connect(self, meanwhile: Callable[[], None]) -> IndexerConnection:
        """A link to an indexer that is started now, or to the one that others have started at the same time.

        meanwhile: called when it was started; it takes a while to be heard.
        Raises IndexUnavailable saying why there can't be one, Gone.
        """
        started: LaunchedIndexer | None = None
        next_start = 0.0
        deadline = time.monotonic() + START_TIMEOUT_S
        try:
            while time.monotonic() < deadline:
                if started is None and time.monotonic() >= next_start:
                    started = self._start()
                    meanwhile()
                self._pause()
                link = self.connect_if_running()
                if link is not None:
                    return link
                if started is not None and started.exit_status is not None:
                    self._raise_unless_restartable(started)
                    started, next_start = None, time.monotonic() + _START_AGAIN_DELAY_S
        finally:
            if started is not None:
                started.detach()
        raise IndexUnavailable(
            f"The indexer of {self._project.root} did not answer within {START_TIMEOUT_S:.0f} s. {self._log_hint()}"
        )

    def _start(self) -> LaunchedIndexer:
        now = time.monotonic()
        if len(self._starts) == MAX_STARTS and now - self._starts[0] < MAX_STARTS_WINDOW_S:
            raise IndexUnavailable(
                f"The indexer has ended {MAX_STARTS} times within a minute and is not started again by itself. "
                f"{self._log_hint()}"
            )
        self._starts.append(now)
        try:
            return start_indexer(self._project, self._settings)
        except OSError as error:
            raise IndexUnavailable(f"The indexer can't be started: {error}") from error

    def _raise_unless_restartable(self, started: LaunchedIndexer) -> None:
        """Raises IndexUnavailable unless it ended because another one holds the lock, or was killed."""
        status = started.exit_status or 0
        if status <= 0:
            started.detach()
            if status == 0:
                self._starts.pop()
            return
        words = started.read_stderr().splitlines()
        reason = words[-1] if words else f"it ended with status {status}"
        raise IndexUnavailable(f"The indexer can't work: {reason}")

    def _log_hint(self) -> str:
        return f"{self._project.cache / 'indexer.log'} says more."

    def _pause(self) -> None:
        self._waker.wait(_POLL_INTERVAL_S)
        if self._is_closed():
            raise ClientClosed

    def _end_other_version(self, link: IndexerConnection) -> None:
        """Waits until the other indexer has ended; reminds it by a signal when it takes too long."""
        deadline = time.monotonic() + _END_TIMEOUT_S
        try:
            link.send([EndRequest(index_format_version())])
            while time.monotonic() < deadline and not self._is_closed():
                if link.wait(self._waker, 0.1):
                    link.receive()
            os.kill(link.welcome.pid, signal.SIGTERM)
        except (ConnectionLost, OSError):
            return
        finally:
            link.close()

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
from scry.index.channel import End
from scry.index.edition import describe_other, edition, is_newer
from scry.index.launch import Started, start_indexer
from scry.index.link import Link, LinkLost, Waker
from scry.index.project import Project

log = logging.getLogger(__name__)

START_WITHIN_S = 15.0
"""So long an indexer that was started may take to be heard; usually it is a quarter of a second."""

MOST_STARTS = 6
STARTS_WITHIN_S = 60.0
"""An indexer that dies this often within this time is not started again until someone asks for it."""

_END_WITHIN_S = 10.0
_LOOK_EVERY_S = 0.03
_LOCKED_OUT_S = 0.5
"""Until another is started when one has ended because it found the lock taken: its holder is opening, or ending."""


class Gone(Exception):
    """The client was closed meanwhile."""


class Reach:
    """Finds or starts the project's indexer. Used by one thread."""

    def __init__(self, project: Project, settings: Settings, waker: Waker, gone: Callable[[], bool]) -> None:
        """waker: cuts waiting short. gone: whether the client was closed."""
        self._project = project
        self._settings = settings
        self._waker = waker
        self._gone = gone
        self._starts: deque[float] = deque(maxlen=MOST_STARTS)
        self._sent_away: set[str] = set()

    def forgive(self) -> None:
        """Forgets how often it was started, and which editions came back."""
        self._starts.clear()
        self._sent_away.clear()

    def running(self) -> Link | None:
        """A link to the indexer that runs, if it is of this edition; one of an older edition is asked to end, once.

        Raises IndexUnavailable for one of a newer edition, and for an older one that comes back: that is what is
        installed, and this process is what was installed before.
        """
        link = Link.open(self._project.cache)
        if link is None or link.welcome.version == edition():
            return link
        other = link.welcome.version
        if other in self._sent_away or is_newer(other):
            link.close()
            raise IndexUnavailable(describe_other(other))
        log.info("an indexer of Scry %s is asked to end", other)
        self._sent_away.add(other)
        self._send_away(link)
        return None

    def new(self, meanwhile: Callable[[], None]) -> Link:
        """A link to an indexer that is started now, or to the one that others have started at the same time.

        meanwhile: called when it was started; it takes a while to be heard.
        Raises IndexUnavailable saying why there can't be one, Gone.
        """
        started: Started | None = None
        next_start = 0.0
        deadline = time.monotonic() + START_WITHIN_S
        try:
            while time.monotonic() < deadline:
                if started is None and time.monotonic() >= next_start:
                    started = self._start()
                    meanwhile()
                self._pause()
                link = self.running()
                if link is not None:
                    return link
                if started is not None and started.status is not None:
                    self._explain(started)
                    started, next_start = None, time.monotonic() + _LOCKED_OUT_S
        finally:
            if started is not None:
                started.let_go()
        raise IndexUnavailable(
            f"The indexer of {self._project.root} did not answer within {START_WITHIN_S:.0f} s. {self._see_log()}"
        )

    def _start(self) -> Started:
        now = time.monotonic()
        if len(self._starts) == MOST_STARTS and now - self._starts[0] < STARTS_WITHIN_S:
            raise IndexUnavailable(
                f"The indexer has ended {MOST_STARTS} times within a minute and is not started again by itself. "
                f"{self._see_log()}"
            )
        self._starts.append(now)
        try:
            return start_indexer(self._project, self._settings)
        except OSError as error:
            raise IndexUnavailable(f"The indexer can't be started: {error}") from error

    def _explain(self, started: Started) -> None:
        """Raises IndexUnavailable unless it ended because another one holds the lock, or was killed."""
        status = started.status or 0
        if status <= 0:
            started.let_go()
            if status == 0:
                self._starts.pop()
            return
        words = started.last_words().splitlines()
        reason = words[-1] if words else f"it ended with status {status}"
        raise IndexUnavailable(f"The indexer can't work: {reason}")

    def _see_log(self) -> str:
        return f"{self._project.cache / 'indexer.log'} says more."

    def _pause(self) -> None:
        self._waker.wait(_LOOK_EVERY_S)
        if self._gone():
            raise Gone

    def _send_away(self, link: Link) -> None:
        """Waits until the other indexer has ended; reminds it by a signal when it takes too long."""
        deadline = time.monotonic() + _END_WITHIN_S
        try:
            link.send([End(edition())])
            while time.monotonic() < deadline and not self._gone():
                if link.wait(self._waker, 0.1):
                    link.receive()
            os.kill(link.welcome.pid, signal.SIGTERM)
        except (LinkLost, OSError):
            return
        finally:
            link.close()

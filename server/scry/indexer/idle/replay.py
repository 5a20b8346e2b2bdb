"""Run the thread that has past questions replayed after an upgrade, while there is nothing else to do.

The replay itself is a process of its own at the lowest priority (`scry.lab.upgrade_check`), for the indexer asks no
questions. It is started at most once for each version, and not at all while the log is off or holds few uses.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping

import msgspec

from scry.core.platform import idle_process_options
from scry.core.settings import load_settings
from scry.indexer.client.launch import child_environment
from scry.indexer.freshness import index_format_version
from scry.indexer.schedule import Schedule
from scry.projects.project import Project
from scry.store.events.log import WEIGHTS_FILE
from scry.store.events.replays import MIN_CASES, AnsweringVersion, digest_weights, find_replay, has_uses

log = logging.getLogger(__name__)

REST_S = 5.0
"""Time without work after which past questions are replayed."""

RETRY_S = 3600.0
"""Time until a version that could not be replayed, for want of cases, is tried again."""

MAX_PROCESS_S = 180.0
"""Time after which the process is ended, which ends itself after 120 s."""

_POLL_INTERVAL_S = 0.5


class ReplayWorker(threading.Thread):
    """Starts the replay of past questions. No failure ends the thread, or shows anywhere but in the indexer's log."""

    def __init__(
        self,
        project: Project,
        schedule: Schedule,
        *,
        busy: Callable[[], bool],
        model: Callable[[], str | None],
        overrides: Callable[[], Mapping[str, object]],
    ) -> None:
        """Take the project and the schedule.

        busy: whether other workers write. model: the identity of the model that answers. overrides: settings that are
        in no file.
        """
        super().__init__(name="replay", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._model = model
        self._overrides = overrides
        self._closing = threading.Event()
        self._tried: tuple[AnsweringVersion, float] | None = None

    def close(self) -> None:
        """End the thread soon, and a replay that runs."""
        self._closing.set()

    def run(self) -> None:
        """Wait for rest and look whether this version was replayed, until `close`."""
        rest_since = time.monotonic()
        while not self._closing.wait(_POLL_INTERVAL_S):
            if self._busy() or not self._schedule.wait_idle(0):
                rest_since = time.monotonic()
            elif time.monotonic() - rest_since >= REST_S:
                rest_since = time.monotonic()
                try:
                    self._replay_if_due()
                except Exception:
                    log.exception("past questions could not be replayed")

    def _replay_if_due(self) -> None:
        version = AnsweringVersion(
            index_format_version(), self._model() or "", digest_weights(self._project.data / WEIGHTS_FILE)
        )
        if self._tried is not None and self._tried[0] == version and time.monotonic() < self._tried[1]:
            return
        self._tried = version, time.monotonic() + RETRY_S
        settings = load_settings(self._project.root, os.environ, self._overrides())
        data = self._project.data
        if settings.log and find_replay(data, version) is None and has_uses(data, MIN_CASES):
            self._run_process()

    def _run_process(self) -> None:
        """Run the replay to its end, or until the indexer ends."""
        settings = msgspec.json.encode(dict(self._overrides())).decode()
        command = [sys.executable, "-m", "scry.lab.upgrade_check", "--root", os.fspath(self._project.root)]
        log.info("replaying past questions")
        with subprocess.Popen(
            [*command, "--set", settings],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._project.cache,
            env=child_environment(os.environ),
            **idle_process_options(),
        ) as process:
            end = time.monotonic() + MAX_PROCESS_S
            while process.poll() is None:
                if self._closing.wait(_POLL_INTERVAL_S) or time.monotonic() > end:
                    process.kill()
                    return
        log.info("past questions were replayed: status %d", process.returncode)

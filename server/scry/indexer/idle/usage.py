"""Run the thread that has the log of use worked through, while there is nothing else to do.

The indexer asks no questions and learns nothing itself: it starts processes of their own at the lowest priority.

- `scry.engine.activity.learning` learns from a log that is longer than follows an act, and fits weights where the
  setting `learn_weights` says so and enough was logged since.
- `scry.lab.upgrade_check` replays past questions after an upgrade, at most once for each version.

Neither is started while the log is off or holds too little.
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
from scry.store.events.learner import LearningProgress, read_progress
from scry.store.events.log import WEIGHTS_FILE
from scry.store.events.replays import MIN_CASES, AnsweringVersion, digest_weights, find_replay, has_uses

log = logging.getLogger(__name__)

REST_S = 5.0
"""Time without work after which a process is started."""

RETRY_S = 3600.0
"""Time until a version that could not be replayed, for want of cases, is tried again."""

MAX_PROCESS_S = 360.0
"""Time after which a process is ended. The replay ends itself after 120 s, learning after 300 s."""

_POLL_INTERVAL_S = 0.5


class UsageWorker(threading.Thread):
    """Starts the processes. No failure ends the thread, or shows anywhere but in the indexer's log."""

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
        super().__init__(name="usage", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._model = model
        self._overrides = overrides
        self._closing = threading.Event()
        self._tried: tuple[AnsweringVersion, float] | None = None
        self._learnt: LearningProgress | None = None

    def close(self) -> None:
        """End the thread soon, and a process that runs."""
        self._closing.set()

    def run(self) -> None:
        """Wait for rest and look what is due, until `close`."""
        rest_since = time.monotonic()
        while not self._closing.wait(_POLL_INTERVAL_S):
            if self._busy() or not self._schedule.wait_idle(0):
                rest_since = time.monotonic()
            elif time.monotonic() - rest_since >= REST_S:
                rest_since = time.monotonic()
                try:
                    self._learn_if_due()
                    self._replay_if_due()
                except Exception:
                    log.exception("the log of use could not be worked through")

    def _learn_if_due(self) -> None:
        progress = read_progress(self._project.data)
        if progress == self._learnt:  # nothing was logged since, or nothing could be learnt
            return
        self._learnt = progress
        settings = load_settings(self._project.root, os.environ, self._overrides())
        is_due = progress.has_work(fits_weights=settings.learn_weights == "auto")
        if settings.log and settings.learn and is_due:
            self._run_process("scry.engine.activity.learning", "the log was learnt from")

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
            log.info("replaying past questions")
            self._run_process("scry.lab.upgrade_check", "past questions were replayed")

    def _run_process(self, module: str, outcome: str) -> None:
        """Run a module to its end, or until the indexer ends, and log the outcome."""
        settings = msgspec.json.encode(dict(self._overrides())).decode()
        command = [sys.executable, "-m", module, "--root", os.fspath(self._project.root)]
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
        log.info("%s: status %d", outcome, process.returncode)

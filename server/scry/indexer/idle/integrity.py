"""Run the thread that seals the index at rest, and looks after the files that can't be made again."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import closing

from scry.core.platform import cache_home, config_home, data_home, restrict_access, restrict_folder
from scry.indexer.schedule import Schedule
from scry.projects.project import Project

log = logging.getLogger(__name__)

REST_S = 1.0
"""Time without work after which the index is sealed, where sealing takes no longer than a hundredth of it."""

_RESTS_PER_SEALING = 100
"""Least time without work, as a multiple of the processor time that a sealing takes. It reads all files, so a large
index is sealed when a person makes a pause, not after each save.
"""

DATA_CHECK_INTERVAL_S = 3600.0
"""Time between two checks of the files that can't be made again, beside those before each backup."""

_POLL_INTERVAL_S = 0.25


class IntegrityWorker(threading.Thread):
    """Seals and checks while there is nothing else to do. No failure ends it."""

    def __init__(
        self, project: Project, schedule: Schedule, *, busy: Callable[[], bool], seal_index: Callable[[], None]
    ) -> None:
        """Take the project and the schedule.

        busy: whether other workers write the index. seal_index: seals it, unless that is done.
        """
        super().__init__(name="integrity", daemon=True)
        self._project = project
        self._schedule = schedule
        self._busy = busy
        self._seal_index = seal_index
        self._data_check_at = self._sealing_s = 0.0
        self._closing = threading.Event()

    def request_check(self) -> None:
        """Check the files that can't be made again soon. May be called from any thread."""
        self._data_check_at = 0.0

    def close(self) -> None:
        """End the thread soon."""
        self._closing.set()

    def run(self) -> None:
        """Seal and check until `close`."""
        self._attempt(self._restrict_access)
        rest_since = looked_at = time.monotonic()
        while not self._closing.wait(_POLL_INTERVAL_S):
            now = time.monotonic()
            if now >= self._data_check_at:
                self._attempt(self._check_data)
            if self._busy() or not self._schedule.wait_idle(0):
                rest_since = looked_at = now
            elif now - looked_at >= REST_S:
                looked_at = now
                if now - rest_since >= _RESTS_PER_SEALING * self._sealing_s:
                    before = time.thread_time()
                    self._attempt(self._seal_index)
                    self._sealing_s = max(self._sealing_s, time.thread_time() - before)
                self._attempt(self._seal_notes)
                self._attempt(self._check_data)
        self._attempt(self._seal_notes)
        self._attempt(self._check_data)

    def _attempt(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception:
            log.exception("the stored files could not be looked after")

    def _seal_notes(self) -> None:
        """Seal the project's notes, unless that is done or there are none."""
        from scry.store.notes.project_notes import PROJECT_NOTES_PATH, ProjectNoteDatabase
        from scry.store.seals import CacheSeal

        path = self._project.cache / PROJECT_NOTES_PATH
        if path.exists() and not CacheSeal(path.parent, path.stem).exists:
            with closing(ProjectNoteDatabase.open(self._project.cache, write=True)) as database:
                database.seal()

    def _restrict_access(self) -> None:
        """Take all access to Scry's files from other users: earlier versions made some readable for all."""
        for home in (cache_home(), data_home(), config_home()):
            restrict_access(home)
        for path in cache_home().glob("*.sqlite*"):
            restrict_access(path)
        for folder in (self._project.cache, data_home(), config_home()):
            restrict_folder(folder)

    def _check_data(self) -> None:
        """Check the files that can't be made again, save what is damaged, and make the backups that are due."""
        from scry.projects.precious_files import precious_files
        from scry.store.precious import ensure_intact, is_backup_due, make_backup
        from scry.store.precious.salvage import describe_recent_damage, mark_damage, unmark_old_damage

        is_check_due = time.monotonic() >= self._data_check_at
        if is_check_due:
            self._data_check_at = time.monotonic() + DATA_CHECK_INTERVAL_S
        if is_check_due:
            unmark_old_damage()
        for file in precious_files(self._project).values():
            try:
                is_due = is_backup_due(file.path, time.time())
                if is_check_due or is_due:
                    ensure_intact(file, thorough=True)
                    if describe_recent_damage(file.path):
                        mark_damage()
                if is_due:
                    log.info("backed up: %s", make_backup(file.path, time.time()).path)
            except Exception:  # one file must not cost the others' backups
                log.exception("%s could not be looked after", file.path)

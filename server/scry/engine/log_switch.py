"""Whether events are logged right now: the person may switch that while processes run, and all of them heed it."""

from __future__ import annotations

import threading

from scry.core.errors import BadSettings
from scry.core.places import config_home
from scry.core.settings import SETTINGS_FILE, Settings, load_settings

NAME = "log"
"""The setting's name."""


class LogSwitch:
    """Follows the person's settings file, unless the environment or the surface has decided. Safe to share."""

    def __init__(self, settings: Settings) -> None:
        """settings: as they stood when the project was opened."""
        self._path = config_home() / SETTINGS_FILE
        self._is_on = settings.log
        self._is_fixed = dict(settings.sources).get(NAME) not in (None, str(self._path))
        self._read: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def is_on(self) -> bool:
        """Whether to log what happens now. A settings file that can't be read changes nothing."""
        if self._is_fixed:
            return self._is_on
        with self._lock:
            stamp = self._stamp()
            if stamp != self._read:
                self._read = stamp
                try:
                    self._is_on = load_settings(None, {}).log
                except BadSettings:
                    return self._is_on
            return self._is_on

    def _stamp(self) -> tuple[int, int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (status.st_ino, status.st_size, status.st_mtime_ns)

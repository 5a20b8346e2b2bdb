"""Whether something is kept right now: the person may switch that while processes run, and all of them heed it."""

from __future__ import annotations

import threading
from typing import Literal

from scry.core.errors import BadSettings
from scry.core.places import config_home
from scry.core.settings import SETTINGS_FILE_NAME, Settings, load_settings


class RecordingSwitch:
    """Follows the person's settings file, unless the environment or the surface has decided. Safe to share."""

    def __init__(self, settings: Settings, name: Literal["log", "memory"]) -> None:
        """settings: as they stood when the project was opened. name: of the setting."""
        self._path = config_home() / SETTINGS_FILE_NAME
        self._name = name
        self._is_on = self._value_in(settings)
        self._is_fixed = dict(settings.sources).get(name) not in (None, str(self._path))
        self._last_stamp: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def is_on(self) -> bool:
        """Whether to keep what happens now. A settings file that can't be read changes nothing."""
        if self._is_fixed:
            return self._is_on
        with self._lock:
            stamp = self._stamp()
            if stamp != self._last_stamp:
                self._last_stamp = stamp
                try:
                    self._is_on = self._value_in(load_settings(None, {}))
                except BadSettings:
                    return self._is_on
            return self._is_on

    def _value_in(self, settings: Settings) -> bool:
        return settings.log if self._name == "log" else settings.memory

    def _stamp(self) -> tuple[int, int, int]:
        try:
            status = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (status.st_ino, status.st_size, status.st_mtime_ns)

"""Where Scry keeps things on this machine: the platform's own folders, moved by the XDG variables.

Nothing here makes a folder: who writes into a place makes it.
"""

from __future__ import annotations

from pathlib import Path

from platformdirs import PlatformDirs


def cache_home() -> Path:
    """The folder of everything that can be made again: the indexes, one folder a project."""
    return _platform_dirs().user_cache_path


def data_home() -> Path:
    """The folder of what cannot be made again: the log of events, memory and persona notes."""
    return _platform_dirs().user_data_path


def config_home() -> Path:
    """The folder of the person's own settings file, `config.toml`."""
    return _platform_dirs().user_config_path


def _platform_dirs() -> PlatformDirs:
    # Asked anew each time: the variables may change within a process (tests, a language server's client).
    return PlatformDirs("scry", appauthor=False)

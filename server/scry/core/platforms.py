"""Which operating system a path is written for, by its whole words, and which one this is."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import lru_cache

_FAMILY_WORDS = {
    "windows": ("windows", "win", "win32", "win64", "winnt", "mingw", "msvc"),
    "macos": ("macos", "darwin", "osx", "apple"),
    "linux": ("linux", "gnu"),
    "bsd": ("bsd", "freebsd", "openbsd", "netbsd", "dragonfly"),
    "other": ("sunos", "solaris", "illumos", "aix", "os390", "zos", "ibmi", "haiku", "hpux", "qnx", "cygwin", "vms"),
    "unix": ("unix", "posix"),
}
PLATFORM_FAMILIES = frozenset(_FAMILY_WORDS)
_FAMILY_OF = {word: family for family, words in _FAMILY_WORDS.items() for word in words}
_FAMILIES_BY_PLATFORM = {
    "win32": frozenset({"windows"}),
    "darwin": frozenset({"macos", "unix", "bsd"}),
    "linux": frozenset({"linux", "unix"}),
}
_PATH_WORD = re.compile(r"[a-z]+\d*")
_PLATFORM_PLACEHOLDER = "*"


def platform_family_words(family: str) -> Iterable[str]:
    """The words that name a family of systems in paths and questions."""
    return _FAMILY_WORDS[family]


def families_here(platform: str = sys.platform) -> frozenset[str]:
    """The families that the system is of on which this runs; empty where that is none of these."""
    return _FAMILIES_BY_PLATFORM.get(platform, frozenset({"unix"}) if "bsd" in platform else frozenset[str]())


@lru_cache(maxsize=50_000)
def platform_of_path(path: str) -> tuple[str, str] | None:
    """The family of systems that a path names, and the path up to there with a gap for the name.

    `src/win/tcp.c` gives ("windows", "src/*"), `net/dial_windows.go` ("windows", "net/dial_*"); None for most paths. A
    name alone may mean something else (`ui/windows/`): only beside another for the same gap it surely is a system's.
    """
    place = 0
    for part in path.lower().split("/"):
        stem = part.partition(".")[0]
        for match in _PATH_WORD.finditer(stem):
            family = _FAMILY_OF.get(match.group())
            whole = match.group() == stem or (match.start() > 0 and match.end() == len(stem))
            if family and whole:
                return family, path[: place + match.start()].lower() + _PLATFORM_PLACEHOLDER
        place += len(part) + 1
    return None

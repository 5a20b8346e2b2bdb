"""Which paths are of an older version of what a project holds in several versions side by side. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

_VERSION_FOLDER = re.compile(r"(?:^|(?<=/))v(\d{1,3})/")


@lru_cache(maxsize=50_000)
def version_of_path(path: str) -> tuple[int, str] | None:
    """The version that a folder in a path names, and the path without it; None for most paths.

    `api/v1/users.go` gives (1, "api/users.go").
    """
    found = _VERSION_FOLDER.search(path)
    return (int(found[1]), path[: found.start()] + path[found.end() :]) if found else None


def superseded_paths(paths: Iterable[str]) -> frozenset[str]:
    """Those of which a newer version is among them: `api/v1/users.go` beside `api/v2/users.go`.

    A path that names no version is newer than version 1 of the same; beside later ones it may be either.
    """
    all_paths = frozenset(paths)
    versions: dict[str, dict[int, str]] = defaultdict(dict)
    for path in all_paths:
        if version := version_of_path(path):
            versions[version[1]][version[0]] = path
    return frozenset(
        path
        for rest, found in versions.items()
        for number, path in found.items()
        if number < max(found) or (number == 1 and rest in all_paths)
    )

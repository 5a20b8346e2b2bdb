"""What stands in the project under a name that the index does not know. No file is opened and no link followed."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath


def kind_on_disk(root: Path, path: str) -> str | None:
    """`file` or `folder`, or None where there is nothing, or where a link is on the way.

    path: POSIX, relative to the root, and not leading out of it.
    """
    parts = PurePosixPath(path).parts
    place, is_folder = root, True
    try:
        for name in parts:
            if not is_folder:
                return None
            place /= name
            is_folder = stat.S_ISDIR(place.lstat().st_mode)
    except (OSError, ValueError):
        return None
    return "folder" if is_folder else "file"

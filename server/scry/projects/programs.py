"""Find programs, and start Scry itself, so that nothing in the working folder takes their place.

The working folder may be a stranger's repository: a `git` or a `json.py` in it must not run because of its name.
"""

from __future__ import annotations

import os
from functools import lru_cache

from scry.core.platform import program_at

SCRY_ARGUMENTS = (
    "-c",
    "import sys; sys.path[:] = [each for each in sys.path if each]; from scry.main import main; sys.exit(main())",
)
"""Arguments of Python that start Scry without looking for modules in the working folder, as `-m scry` does."""


def find_program(name: str, path: str | None = None) -> str | None:
    """Return the absolute path of a program, or None where there is none.

    Relative folders of PATH are left out, and on Windows the working folder too, which the system would look into
    first. A name with a folder is looked for as it is. path: the folders to look into, by default PATH.
    """
    return _find_program(name, os.environ.get("PATH", os.defpath) if path is None else path)


@lru_cache(maxsize=64)
def _find_program(name: str, path: str) -> str | None:
    folders = [""] if os.path.dirname(name) else [each for each in path.split(os.pathsep) if os.path.isabs(each)]  # noqa: PTH117, PTH120 - many a question asks
    for folder in folders:
        found = program_at(os.path.join(folder, name))  # noqa: PTH118
        if found:
            return found
    return None

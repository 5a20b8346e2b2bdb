"""Which files show what a folder offers, by their names alone."""

from __future__ import annotations

import re
from collections.abc import Collection

_SCRIPT_ENTRY_FILES = frozenset(
    f"index.{module}{language}s{x}" for module in ("", "c", "m") for language in "jt" for x in ("", "x")
)
_ENTRY_FILES = _SCRIPT_ENTRY_FILES | {"lib.rs", "mod.rs", "__init__.py", "doc.go", "package-info.java", "init.lua"}
_README = re.compile(r"readme(\.\w+)?$", re.IGNORECASE)


def is_entry_file(path: str, folders: Collection[str]) -> bool:
    """Whether a file shows what its folder offers (`__init__.py`), or one beside it of its name (`click.py`, `click/`).

    folders: all that hold files.
    """
    return path[path.rfind("/") + 1 :] in _ENTRY_FILES or sibling_folder(path) in folders


def sibling_folder(path: str) -> str:
    """What a folder beside a file would have to be called for the file to be its face; no path where none can be."""
    name, dot = path.rfind("/") + 1, path.rfind(".")
    return path[:dot] if dot > name else "/"


def is_readme(path: str) -> bool:
    """Whether it is written for those who are new to its folder."""
    return _README.match(path, path.rfind("/") + 1) is not None

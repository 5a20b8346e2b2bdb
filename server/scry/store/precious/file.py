"""The description of a file that can't be made again; `salvage` checks it by this, and saves its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

StoredRow = Mapping[str, object]


def _derive_nothing(_: Path) -> None:
    pass


def _is_valid(_table: str, _row: StoredRow) -> bool:
    return True


class PreciousFile(Struct, frozen=True):
    """A SQLite file that can't be made again.

    label: the content, for a person. tables: those that are saved, a referenced one first; all others follow from them
    by `derive`, which is called with the path of a file that holds their rows alone. is_valid: whether a row of a table
    can be read by its owner.
    """

    path: Path
    label: str
    migrations: Sequence[str]
    tables: tuple[str, ...]
    derive: Callable[[Path], None] = _derive_nothing
    is_valid: Callable[[str, StoredRow], bool] = _is_valid

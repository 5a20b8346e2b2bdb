"""The words of memories: which memory holds which stem. Used inside a transaction of the store's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

ANY_STEM = ""
"""The stem that every memory holds."""


def add_postings(database: sqlite3.Connection, memory: int, stems: Sequence[str], *, captured: bool) -> None:
    """A memory holds these stems. captured: whether it was captured in passing."""
    held = [(stem,) for stem in (ANY_STEM, *stems)]
    database.executemany(
        "INSERT INTO stems (stem, held) VALUES (?, 1) ON CONFLICT (stem) DO UPDATE SET held = held + 1", held
    )
    database.executemany(
        "INSERT INTO holders (stem, captured, memory) SELECT number, ?, ? FROM stems WHERE stem = ?",
        [(captured, memory, stem) for (stem,) in held[1:]],
    )


def remove_postings(database: sqlite3.Connection, memory: int, stems: Iterable[str]) -> None:
    """A memory holds these stems no more. A stem that none holds is gone."""
    released = [(stem,) for stem in (ANY_STEM, *stems)]
    database.executemany(
        "DELETE FROM holders WHERE memory = ? AND captured IN (0, 1)"
        " AND stem = (SELECT number FROM stems WHERE stem = ?)",
        [(memory, stem) for (stem,) in released[1:]],
    )
    database.executemany("UPDATE stems SET held = held - 1 WHERE stem = ?", released)
    database.execute("DELETE FROM stems WHERE held <= 0 AND stem <> ''")

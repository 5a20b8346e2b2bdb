"""Compare texts in SQL whatever the case of their letters.

SQLite's own `lower` knows the letters of ASCII alone, so that "überweisung" is not found in "Überweisung".
"""

from __future__ import annotations

import sqlite3


def add_folding(database: sqlite3.Connection) -> None:
    """Give a connection the SQL function `folded`, which returns the form of a text (see `fold_text`)."""
    database.create_function("folded", 1, _fold, deterministic=True)


def fold_text(data: bytes) -> str:
    """Return a text, or data that holds some, in a form in which upper and lower case are alike."""
    return data.decode("utf-8", "replace").casefold()


def _fold(value: bytes | None) -> str | None:
    return None if value is None else fold_text(value)


def holds_text(column: str) -> str:
    """Return the SQL condition that a column, or an expression, holds the text of its one parameter in any case.

    The parameter is folded by the caller: `str.casefold`.
    """
    return f"instr(folded(CAST({column} AS BLOB)), ?) > 0"  # as bytes: a damaged text is no UTF-8

"""Comparison of two stored histories."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from scry.index.git import update_history
from scry.projects import open_project
from scry.store.history import HistoryReader, HistoryStore
from tests.sample.history import HistoryProject


def same_as_fresh(sample: HistoryProject, tmp_path: Path) -> bool:
    """Return whether one more pass gives the same history as a fresh one."""
    sample.update_history()
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    with closing(HistoryStore.open(folder)) as anew:
        update_history(sample.folder, anew, lambda: None)
    return state_of(open_project(sample.folder).cache) == state_of(folder)


def state_of(folder: Path) -> dict[str, object]:
    """Return all values that ranking and annotations read, by name instead of by key."""
    with closing(HistoryReader.open(folder)) as store:
        state: dict[str, object] = {
            "words": store.lexical.document_count,
            "head": store.head,
            "ties": store.cochange_commit_count(),
        }
    with closing(sqlite3.connect(folder / "history.sqlite")) as database:
        changes = (
            "SELECT hex(k.sha), a.path, b.path, c.hunks FROM changes c JOIN commits k USING (number) "
            "JOIN paths a ON a.id = c.path JOIN paths b ON b.id = c.now ORDER BY 1, 2"
        )
        for question in (
            "SELECT hex(sha), time, subject, body, merge, files, lines, place FROM commits ORDER BY 1",
            "SELECT path, ties, recent FROM paths WHERE ties OR recent ORDER BY 1",
            changes,
        ):
            state[question] = database.execute(question).fetchall()
    return state

"""Keeps what the project's beliefs bear on up to date with the notes and the history."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import islice

from scry.core.errors import IndexUnavailable
from scry.index.belief_reach import REACH_VERSION, ReachMaker
from scry.index.project import Project
from scry.store.history_reader import HistoryReader
from scry.store.knowledge_file import KnowledgeFile

_AT_ONCE = 50


def keep_reach(project: Project, history: HistoryReader, checkpoint: Callable[[], None]) -> int:
    """Works out the reach of every belief that is due; returns how many were.

    checkpoint: called between batches; it may block, or raise Cancelled, and what is written by then stays.
    """
    if not KnowledgeFile.place(project.cache).exists():
        return 0
    try:
        with closing(KnowledgeFile.open(project.cache, write=True)) as file:
            history.refreshed()
            basis = f"{REACH_VERSION} {history.generation}"
            due = iter(file.due(basis))
            maker, done = ReachMaker(file, history), 0
            while part := list(islice(due, _AT_ONCE)):
                checkpoint()
                file.save_reach({doc_id: maker.reach(note) for doc_id, note in file.notes_of(part).items()}, basis)
                done += len(part)
            return done
    except IndexUnavailable:  # its own oracle says so; the next pass makes it anew
        return 0

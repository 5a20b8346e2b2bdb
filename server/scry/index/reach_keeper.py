"""Keeps what the project's beliefs bear on up to date with the notes and the history."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import islice

from scry.core.errors import IndexUnavailable
from scry.index.belief_reach import COVERAGE_VERSION, BeliefCoverageBuilder
from scry.index.project import Project
from scry.store.history_reader import HistoryReader
from scry.store.knowledge_file import ProjectNoteDatabase

_BELIEFS_PER_BATCH = 50


def update_belief_coverage(project: Project, history: HistoryReader, checkpoint: Callable[[], None]) -> int:
    """Works out the reach of every belief that is due; returns how many were.

    checkpoint: called between batches; it may block, or raise Cancelled, and what is written by then stays.
    """
    if not ProjectNoteDatabase.path_in_cache(project.cache).exists():
        return 0
    try:
        with closing(ProjectNoteDatabase.open(project.cache, write=True)) as file:
            history.refresh()
            basis = f"{COVERAGE_VERSION} {history.generation}"
            due = iter(file.beliefs_without_coverage(basis))
            maker, done = BeliefCoverageBuilder(file, history), 0
            while part := list(islice(due, _BELIEFS_PER_BATCH)):
                checkpoint()
                file.save_coverage({doc_id: maker.build(note) for doc_id, note in file.notes_by_doc_id(part).items()}, basis)
                done += len(part)
            return done
    except IndexUnavailable:  # its own oracle says so; the next pass makes it anew
        return 0

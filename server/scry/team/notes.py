"""Read the notes of a checked-out repository, as its local index has them, for a team's index."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing

import numpy as np

from scry.core.knowledge import BELIEF
from scry.core.settings import Settings
from scry.embedding.embedder import Embedder
from scry.index.notes.belief_coverage import COVERAGE_VERSION, update_belief_coverage
from scry.index.notes.belief_evaluation import BeliefSnapshot
from scry.index.notes.note_file import NOTE_PARSER_VERSION
from scry.index.scan.read_file import FileContent, decode_text, read_file
from scry.indexer.embed import encode_notes
from scry.projects.project import Project
from scry.store.history.store import HistoryStore
from scry.store.index.store import IndexStore
from scry.store.lexical import stem_of
from scry.store.notes.project_notes import NO_STANDING, NewNote, ProjectNoteDatabase
from scry.store.notes.schema import PROJECT_NOTES_PATH
from scry.store.team.notes import NoteContent, TeamNote
from scry.store.team.postings import DocumentTerms


def note_reading_version() -> str:
    """Return the versions by which notes are read."""
    return f"{NOTE_PARSER_VERSION}.{COVERAGE_VERSION}"


def read_team_notes(
    project: Project,
    store: IndexStore,
    history: HistoryStore,
    embedder: Embedder,
    faults: dict[str, str],
    checkpoint: Callable[[], None],
) -> list[TeamNote]:
    """Return the notes of a project, by doc_id, with what its beliefs cover and what speaks against them.

    store, history: of the project, up to date. faults: gets the reason, by path, for each note that is found by its
    words alone. Raises IndexUnavailable.
    """
    if not (project.cache / PROJECT_NOTES_PATH).exists():
        return []
    update_belief_coverage(project, history, checkpoint)
    with closing(ProjectNoteDatabase.open(project.cache, write=False)) as database:
        notes = database.list_documents()
        if not notes:
            return []
        snapshot = BeliefSnapshot(database, store, history.reader, 0.0)
        standings = snapshot.standings([new.note.doc_id for new in notes if new.note.kind == BELIEF])
        reach = {doc_id: tuple(snapshot.reach(doc_id)) for doc_id in standings}
    vectors, failed = encode_notes(embedder, [(new.entry.title, new.entry.text) for new in notes])
    faults.update({notes[at].path: reason for at, reason in failed.reasons.items()})
    halves = vectors.astype(np.float16).astype(np.float32)
    contents = [
        NoteContent(
            new.entry,
            standings.get(new.note.doc_id, NO_STANDING),
            reach.get(new.note.doc_id, ()),
            _read_text(project, new.path),
        )
        for new in notes
    ]
    return [
        TeamNote(content, _count_stems(new), vector)
        for new, content, vector in zip(notes, contents, halves, strict=True)
    ]


def _count_stems(new: NewNote) -> DocumentTerms:
    """Return the length and the stems of a note, as store.notes.postings counts them."""
    counts = Counter([stem for term in new.entry.terms if (stem := stem_of(term))])
    return counts.total(), dict(counts)


def _read_text(project: Project, path: str) -> str:
    content = read_file(project.root, path, Settings().max_file_bytes)
    text = decode_text(content.data, path) if isinstance(content, FileContent) else ""
    return text if isinstance(text, str) else ""

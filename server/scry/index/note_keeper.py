"""Brings the project's notes to what its files say, beside the index of code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing

from scry.core.notes import note_kind_of_path
from scry.core.types import SkipReason
from scry.index.project import Project
from scry.store.knowledge_file import EmbedNotes, ProjectNoteDatabase, NewNote
from scry.store.rows import StoredFile


class NoteIndexer:
    """The notes of one pass over the files. Opens their file only where there is something to write."""

    def __init__(self, project: Project, embed: EmbedNotes | None) -> None:
        """embed: see KnowledgeFile.publish."""
        self._cache = project.cache
        self._embed = embed

    def reconcile(self, known: Mapping[str, StoredFile]) -> Mapping[str, StoredFile]:
        """The known files, without those whose notes were lost: they are read again. Forgets notes that no row tells
        of, as after the index was made anew.
        """
        told = {path for path, file in known.items() if file.skip and file.skip.reason is SkipReason.KNOWLEDGE}
        if not told and not ProjectNoteDatabase.path_in_cache(self._cache).exists():
            return known
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as file:
            held = file.note_paths()
            if held - told:
                file.publish((), sorted(held - told))
        lost = told - held
        return {path: file for path, file in known.items() if path not in lost} if lost else known

    def publish(self, notes: Sequence[NewNote], others: Sequence[str]) -> None:
        """Takes the notes in, before their rows are written: a crash between has them read again.

        others: paths of files that were looked at; of those that were notes and are none any more nothing is kept.
        """
        written = {new.path for new in notes}
        gone = [path for path in others if path not in written and note_kind_of_path(path)]
        if not notes and not (gone and ProjectNoteDatabase.path_in_cache(self._cache).exists()):
            return
        with closing(ProjectNoteDatabase.open(self._cache, write=True)) as file:
            file.publish(notes, gone, self._embed)

"""Orient: what matters here? The files of a folder, those first that a newcomer should see first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scry.core.errors import Cancelled
from scry.core.types import Answer, Candidate, Hit
from scry.engine.asked_path import parse_project_path
from scry.engine.composite import FileImportance, ScoredFile
from scry.engine.files import (
    read_commit_counts,
    file_document,
    file_header,
    file_structures,
    raise_unknown_path,
    file_summary,
)
from scry.engine.plan import browse_question
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED_SCORING, IndexView
from scry.engine.words import format_count
from scry.store.file_reader import IndexedFileInfo
from scry.store.index_store import IndexStore


def orient(asked: str, limit: int, root: Path, reading: IndexView, cancelled: Callable[[], bool]) -> Answer:
    """The best files of a folder, or the one file that was asked about with its place among those beside it.

    Reads nothing but the index and the history. Raises BadRequest for a path that is not there, Cancelled.
    """
    store = reading.store
    path = parse_project_path("path", asked, root)
    file = store.get_file(path) if path else None
    composite = folder_importance(path.rpartition("/")[0] if file else path, reading)
    if not composite.size and path:
        raise_unknown_path("path", path, store, reading.state)
    if cancelled():
        raise Cancelled("the question was withdrawn")
    places = [composite.score_file(each) for each in ([file] if file else _top_files(composite, limit, store))]
    return Answer(
        question=browse_question(path or ".", limit),
        query_id=new_query_id(),
        scoring=UNFUSED_SCORING,
        index=reading.state,
        hits=_make_file_hits(places, reading),
        faults=reading.faults,
        notice=_describe_rank(composite, file) if file else "",
    )


def _top_files(composite: FileImportance, limit: int, store: IndexStore) -> list[IndexedFileInfo]:
    found = (store.get_file(path) for path in composite.top_paths(limit))
    return [file for file in found if file is not None]  # one may have gone since


def rank_in_orient(path: str, reading: IndexView) -> tuple[int | None, int, str]:
    """A file's rank among the files of its own folder, of how many, and what is to be said of it; for `why`."""
    folder = path.rpartition("/")[0]
    composite = folder_importance(folder, reading)
    file = reading.store.get_file(path)
    if file is None:
        return None, composite.size, "not an indexed file"
    return composite.rank_of(file), composite.size, f"of the files in {folder or 'the project'}"


def folder_importance(folder: str, reading: IndexView) -> FileImportance:
    """The composite of all files in a folder, and below it."""
    return FileImportance(folder, reading.store.columns_in_folder(folder), read_commit_counts(reading.history, folder))


def _describe_rank(composite: FileImportance, file: IndexedFileInfo) -> str:
    where = composite.folder or "the project"
    return f"{file.path} is #{composite.rank_of(file)} of the {format_count(composite.size, 'file')} in {where}"


def _make_file_hits(places: Sequence[ScoredFile], reading: IndexView) -> tuple[Hit, ...]:
    structures = file_structures([place.file for place in places], reading.history)
    return tuple(
        Hit(
            rank,
            Candidate(file_header(place.file), {}, 0.0, place.adjustments, place.score),
            file_document(place.file),
            structures[place.file.path],
            file_summary(place.file.path, reading.store),
            composite=place.parts,
            evidence=place.evidence,
        )
        for rank, place in enumerate(places, 1)
    )

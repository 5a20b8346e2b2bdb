"""Orient: what matters here? The files of a folder, those first that a newcomer should see first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from scry.core.errors import Cancelled
from scry.core.types import Answer, Candidate, Hit
from scry.engine.asked_path import project_path
from scry.engine.composite import Composite, Place
from scry.engine.files import (
    commit_counts,
    file_document,
    file_outline,
    file_structures,
    refuse_unknown,
    summary_of,
)
from scry.engine.plan import without_words
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED, Reading
from scry.engine.words import count
from scry.store.file_reader import FileFacts
from scry.store.index_store import IndexStore


def orient(asked: str, limit: int, root: Path, reading: Reading, cancelled: Callable[[], bool]) -> Answer:
    """The best files of a folder, or the one file that was asked about with its place among those beside it.

    Reads nothing but the index and the history. Raises BadRequest for a path that is not there, Cancelled.
    """
    store = reading.store
    path = project_path("path", asked, root)
    file = store.file_named(path) if path else None
    composite = composite_of(path.rpartition("/")[0] if file else path, reading)
    if not composite.size and path:
        refuse_unknown("path", path, store, reading.state)
    if cancelled():
        raise Cancelled("the question was withdrawn")
    places = [composite.judge(each) for each in ([file] if file else _best(composite, limit, store))]
    return Answer(
        question=without_words(path or ".", limit),
        query_id=new_query_id(),
        scoring=UNFUSED,
        index=reading.state,
        hits=_hits(places, reading),
        faults=reading.faults,
        notice=_rank_in_words(composite, file) if file else "",
    )


def _best(composite: Composite, limit: int, store: IndexStore) -> list[FileFacts]:
    found = (store.file_named(path) for path in composite.best(limit))
    return [file for file in found if file is not None]  # one may have gone since


def place_in_orient(path: str, reading: Reading) -> tuple[int | None, int, str]:
    """A file's rank among the files of its own folder, of how many, and what is to be said of it; for `why`."""
    folder = path.rpartition("/")[0]
    composite = composite_of(folder, reading)
    file = reading.store.file_named(path)
    if file is None:
        return None, composite.size, "not an indexed file"
    return composite.rank_of(file), composite.size, f"of the files in {folder or 'the project'}"


def composite_of(folder: str, reading: Reading) -> Composite:
    """The composite of all files in a folder, and below it."""
    return Composite(folder, reading.store.columns_in(folder), commit_counts(reading.history, folder))


def _rank_in_words(composite: Composite, file: FileFacts) -> str:
    where = composite.folder or "the project"
    return f"{file.path} is #{composite.rank_of(file)} of the {count(composite.size, 'file')} in {where}"


def _hits(places: Sequence[Place], reading: Reading) -> tuple[Hit, ...]:
    structures = file_structures([place.file for place in places], reading.history)
    return tuple(
        Hit(
            rank,
            Candidate(file_outline(place.file), {}, 0.0, place.adjustments, place.score),
            file_document(place.file),
            structures[place.file.path],
            summary_of(place.file.path, reading.store),
            composite=place.parts,
            evidence=place.evidence,
        )
        for rank, place in enumerate(places, 1)
    )

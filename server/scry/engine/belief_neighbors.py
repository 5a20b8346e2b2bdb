"""Neighbors of a belief: what it reaches, by what it cites and by what is near it (N2). Nothing is searched for."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from scry.core.doc_id import commit_of, parse_doc_id
from scry.core.errors import BadRequest
from scry.core.knowledge import knowledge_type
from scry.core.types import Answer, Candidate, Document, Hit, Outline
from scry.engine.beliefs import BeliefScene
from scry.engine.files import file_document, file_outline, file_structures, summary_of
from scry.engine.plan import without_words
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED, Reading
from scry.engine.snippet import cut
from scry.store.history_reader import HistoryReader
from scry.store.knowledge_file import Reached


def belief_neighbors(
    belief: str, types: Sequence[str], limit: int, reading: Reading, scene: BeliefScene | None
) -> Answer:
    """What a belief reaches, the most first. types: only these; all when empty.

    Raises BadRequest for a belief that is not there.
    """
    doc_id = f"belief:{belief.strip().removeprefix('belief:')}"
    if scene is None or doc_id not in scene.file.notes_of([doc_id]):
        raise BadRequest("belief", f"this project holds no {doc_id}; scry belief list names those it holds")
    found = [hit for reached in scene.reach(doc_id) if (hit := _hit(reached, reading, scene)) is not None]
    wanted = [hit for hit in found if not types or hit.document.content_type in types]
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(wanted[:limit], 1))
    said = list(scene.warnings([doc_id]).get(doc_id, ()))
    if not hits:
        said.append("it reaches nothing that is known" if not found else f"it reaches no {' or '.join(types)}")
    question = without_words(doc_id, limit)
    return Answer(question, new_query_id(), UNFUSED, reading.state, hits, reading.faults, "; ".join(said))


def _hit(reached: Reached, reading: Reading, scene: BeliefScene) -> Hit | None:
    """What is reached as a result; None for what is there no more."""
    if reached.target.startswith("./"):
        return _file(reached, reading)
    sha = commit_of(reached.target)
    document = _commit(sha, reading.history) if sha else _note(reached.target, scene)
    if document is None:
        return None
    outline = Outline(document.number, document.doc_id, document.content_type, "", document.symbol.name, "", "")
    return _made(reached, outline, document, document.symbol.signature)


def _file(reached: Reached, reading: Reading) -> Hit | None:
    file = reading.store.file_named(parse_doc_id(reached.target).path)
    if file is None:
        return None
    hit = _made(reached, file_outline(file), file_document(file), summary_of(file.path, reading.store))
    return replace(hit, structure=file_structures([file], reading.history)[file.path])


def _commit(sha: str, history: HistoryReader | None) -> Document | None:
    commit = history.commit_named(sha) if history is not None else None
    return history.documents([commit.number]).get(commit.number) if commit and history else None


def _note(doc_id: str, scene: BeliefScene) -> Document | None:
    if knowledge_type(doc_id) is None:
        return None
    number = scene.file.shelf.numbers_named([doc_id]).get(doc_id)
    return None if number is None else scene.file.shelf.documents([number]).get(number)


def _made(reached: Reached, outline: Outline, document: Document, words: str) -> Hit:
    candidate = Candidate(outline, {}, 0.0, (), reached.score)
    snippet = cut(f"{reached.reason} — {words}".rstrip(" —"))
    return Hit(0, candidate, document, None, snippet, evidence=(f"reach {reached.score:.2f}",))

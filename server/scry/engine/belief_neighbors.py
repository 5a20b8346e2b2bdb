"""Neighbors of a belief: what it reaches, by what it cites and by what is near it (N2). Nothing is searched for."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from scry.core.doc_id import commit_sha_of, parse_doc_id
from scry.core.errors import BadRequest
from scry.core.knowledge import knowledge_type
from scry.core.types import Answer, Candidate, Document, Hit, DocumentHeader
from scry.engine.beliefs import BeliefSnapshot
from scry.engine.files import file_document, file_header, file_structures, file_summary
from scry.engine.plan import browse_question
from scry.engine.query_id import new_query_id
from scry.engine.reading import UNFUSED_SCORING, IndexView
from scry.engine.snippet import truncate
from scry.store.history_reader import HistoryReader
from scry.store.knowledge_file import BeliefTarget


def list_belief_neighbors(
    belief: str, types: Sequence[str], limit: int, reading: IndexView, scene: BeliefSnapshot | None
) -> Answer:
    """What a belief reaches, the most first. types: only these; all when empty.

    Raises BadRequest for a belief that is not there.
    """
    doc_id = f"belief:{belief.strip().removeprefix('belief:')}"
    if scene is None or doc_id not in scene.file.notes_by_doc_id([doc_id]):
        raise BadRequest("belief", f"this project holds no {doc_id}; scry belief list names those it holds")
    found = [hit for reached in scene.reach(doc_id) if (hit := _make_reached_hit(reached, reading, scene)) is not None]
    wanted = [hit for hit in found if not types or hit.document.content_type in types]
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(wanted[:limit], 1))
    said = list(scene.warnings([doc_id]).get(doc_id, ()))
    if not hits:
        said.append("it reaches nothing that is known" if not found else f"it reaches no {' or '.join(types)}")
    question = browse_question(doc_id, limit)
    return Answer(question, new_query_id(), UNFUSED_SCORING, reading.state, hits, reading.faults, "; ".join(said))


def _make_reached_hit(reached: BeliefTarget, reading: IndexView, scene: BeliefSnapshot) -> Hit | None:
    """What is reached as a result; None for what is there no more."""
    if reached.target.startswith("./"):
        return _make_file_hit(reached, reading)
    sha = commit_sha_of(reached.target)
    document = _read_commit(sha, reading.history) if sha else _read_note(reached.target, scene)
    if document is None:
        return None
    outline = DocumentHeader(document.doc_key, document.doc_id, document.content_type, "", document.symbol.name, "", "")
    return _make_hit(reached, outline, document, document.symbol.signature)


def _make_file_hit(reached: BeliefTarget, reading: IndexView) -> Hit | None:
    file = reading.store.get_file(parse_doc_id(reached.target).path)
    if file is None:
        return None
    hit = _make_hit(reached, file_header(file), file_document(file), file_summary(file.path, reading.store))
    return replace(hit, structure=file_structures([file], reading.history)[file.path])


def _read_commit(sha: str, history: HistoryReader | None) -> Document | None:
    commit = history.commit_by_sha(sha) if history is not None else None
    return history.get_documents([commit.doc_key]).get(commit.doc_key) if commit and history else None


def _read_note(doc_id: str, scene: BeliefSnapshot) -> Document | None:
    if knowledge_type(doc_id) is None:
        return None
    number = scene.file.notes.doc_keys_by_id([doc_id]).get(doc_id)
    return None if number is None else scene.file.notes.get_documents([number]).get(number)


def _make_hit(reached: BeliefTarget, outline: DocumentHeader, document: Document, words: str) -> Hit:
    candidate = Candidate(outline, {}, 0.0, (), reached.score)
    snippet = truncate(f"{reached.reason} — {words}".rstrip(" —"))
    return Hit(0, candidate, document, None, snippet, evidence=(f"reach {reached.score:.2f}",))

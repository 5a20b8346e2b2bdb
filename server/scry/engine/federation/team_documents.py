"""Find single documents of a team's index, and read results in full: for `detail`, and for answers with their texts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from scry.core.doc_id import TEAM_SUFFIX, commit_sha_of, file_doc_id, parse_doc_id
from scry.core.errors import BadRequest
from scry.core.knowledge import BELIEF, knowledge_type
from scry.core.types import Document
from scry.engine.browse.files import file_document
from scry.engine.context import FindRequest, NeighborsRequest, OrientRequest, RecentRequest
from scry.engine.explain.detail import (
    MAX_BODY_CHARACTERS_IN_LIST,
    DocumentRelations,
    FullDocument,
    read_relations,
    text_of_document,
    truncate_at_line,
)
from scry.engine.federation.team_results import TeamAnswer, TeamTexts
from scry.engine.response.beliefs import present_targets
from scry.engine.response.details import present_full
from scry.engine.response.excerpts import add_excerpts
from scry.oracles.reader import NoteCorpus
from scry.projects.project import Project
from scry.store.team.notes import NoteContent
from scry.store.team.reader import TeamReader
from scry.store.team.repository import RepositoryIndex
from scry_protocol import messages

if TYPE_CHECKING:
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore

TeamRequest = FindRequest | RecentRequest | OrientRequest | NeighborsRequest
"""A question that a team can be asked."""

# Single documents -----------------------------------------------------------------------------------------------------


class TeamDocument(Struct, frozen=True):
    """A document of the team's index.

    keys: its doc_key; of a whole file those of all that is in it. text: that of its file; empty for a commit.
    belief: what results show of it; None for any other document.
    """

    index: RepositoryIndex
    keys: Sequence[int]
    document: Document
    text: str = ""
    belief: NoteContent | None = None


def require_repository(reader: TeamReader, name: str, field: str = "doc_id") -> RepositoryIndex:
    """Return a visible repository by its name in an answer. Raises BadRequest for the field where there is none."""
    wanted = name.removesuffix(TEAM_SUFFIX)
    for info in reader.repositories.values():
        if info.name == wanted:
            return reader.open(info.repository_id)
    raise BadRequest(field, f"the team's index has no repository {wanted}, or you may not read it")


def find_document(reader: TeamReader, name: str, doc_id: str) -> TeamDocument:
    """Return a document by its repository and its exact doc_id. Raises BadRequest where there is none."""
    index = require_repository(reader, name)
    sha = commit_sha_of(doc_id)
    if sha is not None:
        key = index.history.key_of_commit(sha)
        commits = index.history.get_documents([key]) if key is not None else {}
        for key, document in commits.items():
            return TeamDocument(index, [key], document)
    if knowledge_type(doc_id) is not None:
        for key in index.notes.doc_keys_by_id([doc_id]).values():
            document = index.notes.get_documents([key])[key]
            belief = index.notes.contents([key])[key] if document.content_type == BELIEF else None
            return TeamDocument(index, [key], document, belief=belief)
    keys = index.documents.doc_keys_by_id([doc_id])
    for key in keys.values():
        reader.prefetch_results({index.info.repository_id: [key]})
        document = index.documents.get_documents([key])[key]
        return TeamDocument(index, [key], document, index.files.get_text(document.path) or "")
    return _require_file(index, doc_id)


def _require_file(index: RepositoryIndex, doc_id: str) -> TeamDocument:
    """Return a whole file by its doc_id. Raises BadRequest where there is none."""
    path = doc_id.removeprefix("./") and parse_doc_id(doc_id).path
    file = index.files.get_file(path)
    if file is not None and file_doc_id(path) == doc_id:
        ids = [number for number, each, _, _ in index.files.indexed_files() if each == path]
        starts, ends = index.files.key_ranges(ids)
        keys = [key for start, end in zip(starts.tolist(), ends.tolist(), strict=True) for key in range(start, end)]
        return TeamDocument(index, keys, file_document(file), index.files.get_text(path) or "")
    raise BadRequest("doc_id", f"{doc_id} is not in {index.info.name} at {index.info.commit[:10]}")


# In full --------------------------------------------------------------------------------------------------------------


def read_in_full(
    document: Document, text: str, relations: DocumentRelations | None, max_characters: int
) -> FullDocument:
    """Return a document in full.

    text: that of its file; empty for a commit or a note. relations: see read_graph.
    """
    symbol = document.symbol
    if NoteCorpus.owns(document.doc_key):
        body, cut = truncate_at_line(symbol.doc, max_characters)
        return FullDocument("markdown", symbol.name, "", body, cut, None)
    if not document.path:
        body, cut = truncate_at_line(f"{symbol.name}\n\n{symbol.doc}".strip(), max_characters)
        return FullDocument("text", symbol.signature, symbol.doc, body, cut, None)
    body, cut = truncate_at_line(text_of_document(document, text), max_characters)
    return FullDocument(document.language, symbol.signature, symbol.doc, body, cut, relations)


def read_graph(document: Document, index: RepositoryIndex) -> DocumentRelations | None:
    """Return all relations of a document in a file; None for a commit or a note."""
    if not document.path or NoteCorpus.owns(document.doc_key):
        return None
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    history = cast("HistoryReader", index.history) if index.info.commits else None
    return read_relations(document, cast("IndexStore", index), history)


def present_impact(belief: NoteContent | None) -> messages.BeliefImpact | UnsetType:
    """Return the targets and warnings of a belief; absent for None."""
    if belief is None:
        return UNSET
    return present_targets(belief.reach, belief.standing.warnings(time.time()), {})


def read_texts(answers: Sequence[TeamAnswer], reader: TeamReader, *, with_graph: bool) -> list[TeamAnswer]:
    """Return the answers with the texts of their results, which are read by one statement where they were not yet.

    with_graph: with the relations of each result, which takes some ten statements for each.
    """
    paths = {
        each.repository.repository_id: [hit.document.path for hit in each.answer.hits if hit.document.path]
        for each in answers
    }
    reader.prefetch_texts(paths)
    return [
        replace(each, texts=_texts_of(each, reader.open(each.repository.repository_id), with_graph=with_graph))
        for each in answers
    ]


def _texts_of(answer: TeamAnswer, index: RepositoryIndex, *, with_graph: bool) -> TeamTexts:
    documents = [hit.document for hit in answer.answer.hits]
    in_files = [each.path for each in documents if each.path and not NoteCorpus.owns(each.doc_key)]
    beliefs = {each.doc_key: each.doc_id for each in documents if each.content_type == BELIEF}
    return TeamTexts(
        {path: text for path in in_files if (text := index.files.get_text(path)) is not None},
        {beliefs[key]: content for key, content in index.notes.contents(list(beliefs)).items()},
        {each.doc_id: read_graph(each, index) for each in documents} if with_graph else {},
    )


def add_texts(
    presented: messages.Answer,
    answer: TeamAnswer,
    project: Project,
    request: TeamRequest,
    encoding: str,
) -> messages.Answer:
    """Return an answer of a repository with excerpts and whole texts of its results, as far as they are asked for."""
    texts = answer.texts
    if texts is None or isinstance(request, OrientRequest | NeighborsRequest):
        return presented
    if request.excerpt_lines:
        presented = add_excerpts(presented, answer.answer.hits, texts.files.get, request.excerpt_lines)
    if not request.with_full_results:
        return presented
    results = list[messages.ResultItem]()
    for result, hit in zip(presented.results, answer.answer.hits, strict=True):
        document = hit.document
        text, relations = texts.files.get(document.path, ""), texts.relations.get(document.doc_id)
        whole = read_in_full(document, text, relations, MAX_BODY_CHARACTERS_IN_LIST)
        impact = present_impact(texts.beliefs.get(document.doc_id))
        results.append(replace(result, full=present_full(whole, impact, project.root, encoding)))
    return replace(presented, results=results)

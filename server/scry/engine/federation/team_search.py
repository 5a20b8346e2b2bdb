"""Find in a team's index: which repositories can hold a result, and the oracles' matches in each of them.

All visible repositories are searched together, by words and by vectors, with the statistics of all of them. Each one
that holds any of the best documents then takes part in the answer as a project does: every oracle is consulted on it,
and `rank_across_projects` ranks its matches among those of the others and of the local projects.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from scry.core.text import EXACT_NAME_PREFIX, expand_query_terms, search_text
from scry.core.types import SearchQuery
from scry.embedding.embedder import Vectors
from scry.engine.search.pipeline import Retrieval, consult_oracles
from scry.engine.search.query import apply_filters
from scry.oracles.reader import (
    MIN_TERM_SHARE,
    RETRIEVAL_DEPTH,
    CodeCorpus,
    CommitCorpus,
    NoteCorpus,
    OracleReader,
)
from scry.store.team.lexical import TeamWords
from scry.store.team.reader import RepositoryIndex, RepositoryInfo, TeamReader
from scry.store.vector_sets import EmbedderInfo

if TYPE_CHECKING:
    from scry.store.history.reader import HistoryReader
    from scry.store.index.store import IndexStore

MAX_REPOSITORIES = 48
"""Repositories that take part in an answer, at most: each costs some ten statements. The first are those of the best
documents by words and by vectors."""

_NEAREST_MARGIN = 56
"""Documents read beyond RETRIEVAL_DEPTH, as in oracles.semantic: cosines computed here may order them otherwise."""


class TeamRetrieval(Struct, frozen=True):
    """The oracles' matches in one repository of a team."""

    repository: RepositoryInfo
    retrieval: Retrieval


def retrieve_from_team(
    question: SearchQuery,
    reader: TeamReader,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool] | None = None,
    *,
    excluded: Sequence[str] = (),
) -> list[TeamRetrieval]:
    """Return the matches in each repository that holds any of the best documents, by name of the repository.

    reader: of a snapshot that lasts until the results are read. encode: as for OracleReader. excluded: names of
    repositories that local projects answer for. Raises Cancelled, IndexUnavailable and ModelUnavailable.
    """
    left_out = {info.repository_id for info in reader.repositories.values() if info.name in excluded}
    chosen = [each for each in _choose_repositories(question, reader, encode) if each not in left_out]
    chosen = chosen[:MAX_REPOSITORIES]
    reader.prefetch(expand_query_terms(question), chosen, RETRIEVAL_DEPTH)
    opened = sorted((reader.open(each) for each in chosen), key=lambda index: index.info.name)
    return [
        TeamRetrieval(index.info, _retrieve_from_repository(question, index, encode, cancelled)) for index in opened
    ]


def _choose_repositories(
    question: SearchQuery, reader: TeamReader, encode: Callable[[EmbedderInfo, str], Vectors]
) -> list[int]:
    """Return the repositories of the best documents and commits by words, and of the nearest, in turns."""
    terms, words = expand_query_terms(question), search_text(question)
    embedder = reader.embedder if words else None
    by_words = _best_by_words(terms, reader.words)
    by_commits = _best_by_words(terms, reader.commit_words)
    near: list[int] = []
    if embedder is not None:
        near = reader.nearest_repositories(encode(embedder, words), RETRIEVAL_DEPTH + _NEAREST_MARGIN)
    in_turns: list[int] = []
    for at in range(max(len(by_words), len(near), len(by_commits))):
        in_turns += [each[at] for each in (by_words, near, by_commits) if at < len(each)]
    return list(dict.fromkeys(in_turns))


def _best_by_words(terms: Sequence[str], words: TeamWords) -> list[int]:
    """Return the repositories of the best documents by BM25 that hold enough of the terms (min_matching_terms)."""
    words.read_statistics(terms)
    known = [term for term in terms if words.document_frequency(words.stem(term))]
    is_exact = any(term.startswith(EXACT_NAME_PREFIX) for term in terms)
    minimum = 1 if is_exact else max(1, math.ceil(MIN_TERM_SHARE * len(known)))
    while known:
        best = words.best_repositories(terms, RETRIEVAL_DEPTH, minimum)
        if best or minimum == 1:
            return best
        minimum -= 1
    return []


def _retrieve_from_repository(
    question: SearchQuery,
    index: RepositoryIndex,
    encode: Callable[[EmbedderInfo, str], Vectors],
    cancelled: Callable[[], bool] | None,
) -> Retrieval:
    left = apply_filters(question, index.files.indexed_files)
    # A team's repository has the methods of the local stores that answer questions; tests/team holds it to that.
    code = CodeCorpus(cast("IndexStore", index), left.file_ids)
    commits = CommitCorpus(cast("HistoryReader", index.history), left.has_commits)
    reader = OracleReader(code, commits, NoteCorpus(None, left.notes), encode)
    return Retrieval(question, reader, consult_oracles(question, reader, cancelled))

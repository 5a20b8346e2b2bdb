"""Define the interface of an oracle, and rank scored documents.

An oracle is one source of ranked evidence. Oracles do not know each other.

Code and documents rank among themselves. A commit or a note takes the rank of the position where it would stand among
them: the ranks of code and documents are the same with and without a history or notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat

import numpy as np
from msgspec import Struct

from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.oracles.reader import RETRIEVAL_DEPTH, OracleReader, ScoredKeys
from scry.store.notes.postings import ScoredDocuments
from scry.store.notes.reader import NoteStores


class RankLookup(Struct, frozen=True):
    """The rank of one document with one oracle, however low.

    rank: 1-based; None without a match. raw_score: as in an OracleMatch; None without a match. note: why nothing
    matches, for a person. is_other_kind: the oracle ranks only documents of another kind.
    """

    rank: int | None = None
    raw_score: float | None = None
    note: str = ""
    is_other_kind: bool = False


class ScoreScale(Struct, frozen=True):
    """The scale of raw scores: those of two projects compare as score / unit where `kind` is equal."""

    kind: str
    unit: float = 1.0


def _no_score_scale(_question: SearchQuery, _reader: OracleReader) -> ScoreScale | None:
    """Return None: raw scores of two projects do not compare, only ranks do."""
    return None


class Oracle(Struct, frozen=True):
    """A retriever: a named function from a query to ranked matches, and what explains them.

    name: on the wire. abbreviation: in a line of text. title: in an explanation. weight: base weight in fusion.
    score_type: the unit of its raw scores. consult: returns matches, best first; finding nothing is no error.
    lookup_rank: ranks a document that has no match, by the same scores. matched_terms: for a few documents, by doc_key,
    the query's terms that they hold; None where its matches carry theirs, or it does not match by words. score_scale:
    how raw scores compare with those of another project; None where only ranks do. notes_only: whether it ranks nothing
    but notes; it is not consulted where there are none.
    """

    name: str
    abbreviation: str
    title: str
    weight: float
    score_type: str
    consult: Callable[[SearchQuery, OracleReader], tuple[OracleMatch, ...]]
    lookup_rank: Callable[[SearchQuery, OracleReader, DocumentHeader], RankLookup]
    matched_terms: Callable[[SearchQuery, OracleReader, Sequence[int]], Mapping[int, tuple[str, ...]]] | None = None
    score_scale: Callable[[SearchQuery, OracleReader], ScoreScale | None] = _no_score_scale
    notes_only: bool = False


def min_score_in_depth(scores: Sequence[float]) -> float:
    """Return the least score that stands within RETRIEVAL_DEPTH of these scores, best first; 0 for fewer scores."""
    return scores[RETRIEVAL_DEPTH - 1] if len(scores) >= RETRIEVAL_DEPTH else 0.0


def rank_notes_among_others(
    scored: ScoredDocuments, other_scores: Sequence[float], score_type: str, stores: NoteStores
) -> list[OracleMatch]:
    """Return the same as `OracleReader.rank_among_others` for notes: by numpy, for ten thousand may hold a word."""
    best = scored.top(RETRIEVAL_DEPTH)
    doc_id_order = stores.doc_id_order(best.doc_keys)
    order = np.lexsort((doc_id_order, -best.scores))
    order = order[doc_id_order[order] >= 0]
    doc_keys, scores = best.doc_keys[order], best.scores[order]
    ranks = np.searchsorted(-np.array(other_scores), -scores) + np.arange(1, len(scores) + 1)
    last = int(np.searchsorted(ranks, RETRIEVAL_DEPTH, "right"))
    columns = (doc_keys[:last].tolist(), ranks[:last].tolist(), scores[:last].tolist())
    return list(map(OracleMatch, *columns, repeat(score_type)))


def rank_in_scores(document: DocumentHeader, score: float, scored: ScoredKeys, reader: OracleReader) -> int:
    """Return the 1-based rank of a document with this score among scored documents, equal scores by doc_id."""
    equal = [doc_key for doc_key, other in scored if other == score]
    headers = reader.headers(equal)
    before = sum(headers[doc_key].doc_id < document.doc_id for doc_key in equal if doc_key in headers)
    return count_better(score, scored, reader) + before + 1


def count_better(score: float, scored: ScoredKeys, reader: OracleReader) -> int:
    """Return how many existing documents score higher."""
    return reader.count_existing([doc_key for doc_key, other in scored if other > score])

"""Where a document stands in a list of scores, be it of its kind or among others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat

import numpy as np

from scry.core.types import DocumentHeader, OracleMatch
from scry.oracles.oracle import RETRIEVAL_DEPTH, OracleReader
from scry.store.postings import ScoredDocuments
from scry.store.shelves import NoteStores

DocScores = list[tuple[int, float]]
"""Documents by number with their scores, unordered."""


def min_score_in_depth(scores: Sequence[float]) -> float:
    """What a document has to score to be voted for among others of these scores, best first: what scores less stands
    behind more of them than an oracle votes for.
    """
    return scores[RETRIEVAL_DEPTH - 1] if len(scores) >= RETRIEVAL_DEPTH else 0.0


def rank_among_others(scored: DocScores, other_scores: Sequence[float], score_type: str, reader: OracleReader) -> list[OracleMatch]:
    """Votes for documents that stand in a list of others, without moving them: best first, as deep as votes go.

    A document's rank is that of the place where it would stand: behind the others that score better, and behind those
    of its own kind that stand before it (by score, then doc_id). found: its kind; what is no more is passed over.
    among: the others' scores, best first, of all that can matter.
    """
    outlines = reader.headers([number for number, _ in scored])
    ranked = sorted((-score, outlines[number].doc_id, number) for number, score in scored if number in outlines)
    rising = [-score for score in other_scores]
    places = (
        (bisect_left(rising, score) + place, number, -score) for place, (score, _, number) in enumerate(ranked, 1)
    )
    return [OracleMatch(number, rank, score, score_type) for rank, number, score in places if rank <= RETRIEVAL_DEPTH]


def rank_notes_among_others(found: ScoredDocuments, other_scores: Sequence[float], score_type: str, knowledge: NoteStores) -> list[OracleMatch]:
    """The same for knowledge, of which there may be ten thousand that hold a word of the question."""
    best = found.top(RETRIEVAL_DEPTH)
    names = knowledge.doc_id_order(best.doc_keys)
    order = np.lexsort((names, -best.scores))
    order = order[names[order] >= 0]
    numbers, scores = best.doc_keys[order], best.scores[order]
    ranks = np.searchsorted(-np.array(other_scores), -scores) + np.arange(1, len(scores) + 1)
    last = int(np.searchsorted(ranks, RETRIEVAL_DEPTH, "right"))
    columns = (numbers[:last].tolist(), ranks[:last].tolist(), scores[:last].tolist())
    return list(map(OracleMatch, *columns, repeat(score_type)))


def rank_in_scores(document: DocumentHeader, score: float, scored: Sequence[tuple[int, float]], reader: OracleReader) -> int:
    """The place that a document takes in a list of (number, score): above lower ones, equal ones by doc_id."""
    equal = [number for number, found in scored if found == score]
    outlines = reader.headers(equal)
    before = sum(outlines[number].doc_id < document.doc_id for number in equal if number in outlines)
    return reader.count_existing([number for number, found in scored if found > score]) + before + 1

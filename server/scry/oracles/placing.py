"""Where a document stands in a list of scores, be it of its kind or among others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import repeat

import numpy as np

from scry.core.types import Outline, Vote
from scry.oracles.oracle import DEPTH, Reader
from scry.store.postings import Scored
from scry.store.shelves import Shelves

Scores = list[tuple[int, float]]
"""Documents by number with their scores, unordered."""


def least_to_vote(among: Sequence[float]) -> float:
    """What a document has to score to be voted for among others of these scores, best first: what scores less stands
    behind more of them than an oracle votes for.
    """
    return among[DEPTH - 1] if len(among) >= DEPTH else 0.0


def placed_votes(found: Scores, among: Sequence[float], score_type: str, reader: Reader) -> list[Vote]:
    """Votes for documents that stand in a list of others, without moving them: best first, as deep as votes go.

    A document's rank is that of the place where it would stand: behind the others that score better, and behind those
    of its own kind that stand before it (by score, then doc_id). found: its kind; what is no more is passed over.
    among: the others' scores, best first, of all that can matter.
    """
    outlines = reader.outlines([number for number, _ in found])
    ranked = sorted((-score, outlines[number].doc_id, number) for number, score in found if number in outlines)
    rising = [-score for score in among]
    places = (
        (bisect_left(rising, score) + place, number, -score) for place, (score, _, number) in enumerate(ranked, 1)
    )
    return [Vote(number, rank, score, score_type) for rank, number, score in places if rank <= DEPTH]


def votes_for_notes(found: Scored, among: Sequence[float], score_type: str, knowledge: Shelves) -> list[Vote]:
    """The same for knowledge, of which there may be ten thousand that hold a word of the question."""
    best = found.best(DEPTH)
    names = knowledge.order_of_names(best.numbers)
    order = np.lexsort((names, -best.scores))
    order = order[names[order] >= 0]
    numbers, scores = best.numbers[order], best.scores[order]
    ranks = np.searchsorted(-np.array(among), -scores) + np.arange(1, len(scores) + 1)
    last = int(np.searchsorted(ranks, DEPTH, "right"))
    columns = (numbers[:last].tolist(), ranks[:last].tolist(), scores[:last].tolist())
    return list(map(Vote, *columns, repeat(score_type)))


def place_among(document: Outline, score: float, scored: Sequence[tuple[int, float]], reader: Reader) -> int:
    """The place that a document takes in a list of (number, score): above lower ones, equal ones by doc_id."""
    equal = [number for number, found in scored if found == score]
    outlines = reader.outlines(equal)
    before = sum(outlines[number].doc_id < document.doc_id for number in equal if number in outlines)
    return reader.count([number for number, found in scored if found > score]) + before + 1

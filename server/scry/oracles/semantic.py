"""Which documents mean what the question means? Reads the vectors; silent where no document is near.

The raw score is the cosine of the question's and the document's vectors, from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.types import Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader

WEIGHT = 1.0

FLOOR = 0.15
"""Below this cosine there is no vote: unrelated texts reach it by chance."""

_MARGIN = 56


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by cosine; equal ones stand in the order of doc_id."""
    words = " ".join((question.words, *question.phrases))
    embedder = reader.embedder
    if embedder is None or reader.store.embedder is None or not words:
        return ()
    query = embedder.encode_query(words)
    limit = DEPTH + _MARGIN
    while True:
        near = reader.store.nearest(embedder.identity, query, limit, reader.files)
        documents = reader.outlines([number for number, cosine in near if cosine >= FLOOR])
        alive = sum(number in documents for number, _ in near)
        if len(near) < limit or alive >= DEPTH or near[-1][1] < FLOOR:
            break
        limit *= 4  # many of the nearest are of deleted documents
    ranked = sorted((-cosine, documents[n].doc_id, n) for n, cosine in near if n in documents)
    return tuple(Vote(number, rank, -cosine, "cosine") for rank, (cosine, _, number) in enumerate(ranked[:DEPTH], 1))


def matches(_question: Question, _reader: Reader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: meaning matches as a whole; `why` splits it into shares."""
    return {}


ORACLE = Oracle("semantic", "sem", "Semantic", WEIGHT, consult, matches)

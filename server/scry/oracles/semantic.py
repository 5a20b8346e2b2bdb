"""Which documents mean what the question means? Reads the vectors; silent where no document is near.

The raw score is the cosine of the question's and the document's vectors, from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.types import Outline, Question, Vote
from scry.oracles.oracle import DEPTH, Oracle, Reader, Standing, place_among
from scry.store.history_reader import is_commit
from scry.store.index_store import OtherModel

WEIGHT = 1.0
SCORE_TYPE = "cosine"

FLOOR = 0.15
"""Below this cosine there is no vote: with the bundled model one unrelated passage in fifteen reaches it by chance, and
one right answer in forty lies below (docs/decisions.md, 32). Other models have other ranges (with some, all texts lie
above 0.7): there it cuts little, and the votes' depth does."""

_MARGIN = 56


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by cosine; equal ones stand in the order of doc_id."""
    words = " ".join((question.words, *question.phrases))
    if not words:
        return ()
    try:
        near = _near(words, reader)
    except OtherModel:  # another model's vectors took over while the question was encoded
        near = _near(words, reader)
    documents = reader.outlines([number for number, _ in near])
    ranked = sorted((-cosine, documents[n].doc_id, n) for n, cosine in near if n in documents)
    return tuple(Vote(number, rank, -cosine, SCORE_TYPE) for rank, (cosine, _, number) in enumerate(ranked[:DEPTH], 1))


def _near(words: str, reader: Reader) -> list[tuple[int, float]]:
    """The nearest above the floor down to the depth, with all that equal the last one.

    The question is encoded by the embedder whose vectors answer, whatever the settings ask for.
    """
    maker = reader.store.embedder
    if maker is None:
        return []
    query = reader.encode(maker, words)
    limit = DEPTH + _MARGIN
    while True:
        near = reader.store.nearest(maker.identity, query, limit, reader.files)
        wanted = [(number, cosine) for number, cosine in near if cosine >= FLOOR]
        documents = reader.outlines([number for number, _ in wanted])
        alive = [cosine for number, cosine in wanted if number in documents]
        if len(wanted) < limit or (len(alive) >= DEPTH and alive[-1] < alive[DEPTH - 1]):
            return wanted
        limit *= 4  # many of the nearest are of deleted documents, or equal


def matches(_question: Question, _reader: Reader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: meaning matches as a whole; `why` splits it into shares."""
    return {}


def stand(question: Question, reader: Reader, document: Outline) -> Standing:
    """Its place by cosine, above the floor."""
    words = " ".join((question.words, *question.phrases))
    maker = reader.store.embedder
    if not words:
        return Standing(note="the question has no words to compare")
    if is_commit(document.number):
        return Standing(note="commits have no vectors")
    if maker is None:
        return Standing(note="there are no vectors yet")
    query = reader.encode(maker, words)
    cosine = reader.store.cosine(maker.identity, query, document.number)
    if cosine is None:
        return Standing(note="it has no vector yet")
    if cosine < FLOOR:
        return Standing(note=f"its cosine of {cosine:.2f} lies below the floor of {FLOOR}")
    nearer = reader.store.nearest_above(maker.identity, query, cosine, reader.files)
    return Standing(place_among(document, cosine, nearer, reader), cosine)


ORACLE = Oracle("semantic", "sem", "Semantic", WEIGHT, SCORE_TYPE, consult, matches, stand)

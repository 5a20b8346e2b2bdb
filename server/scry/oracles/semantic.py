"""Which documents mean what the question means? Reads the vectors; silent where no document is near.

The raw score is the cosine of the question's and the document's vectors, from -1 to 1. Knowledge takes the rank of the
place where it would stand: the ranks of code and documents are what they would be without.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.knowledge import is_knowledge
from scry.core.types import Outline, Question, Vote
from scry.embedding.embedder import Vectors
from scry.oracles.oracle import DEPTH, Oracle, Reader, Standing, Yardstick
from scry.oracles.placing import Scores, least_to_vote, place_among, votes_for_notes
from scry.store.history_reader import is_commit
from scry.store.index_store import OtherModel
from scry.store.vector_sets import Maker

WEIGHT = 1.5
"""Above words' 1.0: where a question shares no word with its answer, every vote by words points elsewhere
(docs/decisions.md, 49)."""

SCORE_TYPE = "cosine"

FLOOR = 0.15
"""Below this cosine there is no vote: with the bundled model one unrelated passage in fifteen reaches it by chance, and
one right answer in forty lies below (docs/decisions.md, 32). Other models have other ranges (with some, all texts lie
above 0.7): there it cuts little, and the votes' depth does."""

_MARGIN = 56


def consult(question: Question, reader: Reader) -> tuple[Vote, ...]:
    """Votes by cosine; equal ones stand in the order of doc_id."""
    try:
        near = _near(question, reader)
    except OtherModel:  # another model's vectors took over while the question was encoded
        near = _near(question, reader)
    documents = reader.outlines([number for number, _ in near])
    ranked = sorted((-cosine, documents[n].doc_id, n) for n, cosine in near if n in documents)
    votes = [Vote(number, rank, -cosine, SCORE_TYPE) for rank, (cosine, _, number) in enumerate(ranked[:DEPTH], 1)]
    return (*votes, *_knowledge_votes(question, [-cosine for cosine, _, _ in ranked], reader))


def _near(question: Question, reader: Reader) -> Scores:
    """What is near of code and documents."""
    encoded = reader.question_vector(question)
    return [] if encoded is None else _near_code(*encoded, reader)


def _knowledge_votes(question: Question, cosines: Sequence[float], reader: Reader) -> list[Vote]:
    """cosines: of code and documents, best first."""
    encoded = reader.question_vector(question) if reader.knowledge is not None else None
    if reader.knowledge is None or encoded is None:
        return []
    maker, query = encoded
    near = reader.knowledge.by_meaning(maker.identity, query, reader.chosen)
    found = near.at_least(max(FLOOR, least_to_vote(cosines)))
    return votes_for_notes(found, cosines, SCORE_TYPE, reader.knowledge)


def _near_code(maker: Maker, query: Vectors, reader: Reader) -> Scores:
    """The nearest above the floor down to the depth, with all that equal the last one."""
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
    _, query = reader.question_vector(question) or (maker, reader.encode(maker, words))
    if is_knowledge(document.number):
        return _stand_of_knowledge(maker, query, reader, document)
    cosine = reader.store.cosine(maker.identity, query, document.number)
    if cosine is None:
        return Standing(note="it has no vector yet")
    if cosine < FLOOR:
        return Standing(note=f"its cosine of {cosine:.2f} lies below the floor of {FLOOR}")
    nearer = reader.store.nearest_above(maker.identity, query, cosine, reader.files)
    return Standing(place_among(document, cosine, nearer, reader), cosine)


def _stand_of_knowledge(maker: Maker, query: Vectors, reader: Reader, document: Outline) -> Standing:
    found = reader.knowledge.by_meaning(maker.identity, query, reader.chosen) if reader.knowledge else None
    cosine = found.of(document.number) if found else None
    if found is None or cosine is None:
        return Standing(note="it has no vector yet")
    if cosine < FLOOR:
        return Standing(note=f"its cosine of {cosine:.2f} lies below the floor of {FLOOR}")
    nearer = reader.store.nearest_above(maker.identity, query, cosine, reader.files)
    better = reader.count([number for number, other in nearer if other > cosine])
    known = found.at_least(cosine).pairs()
    return Standing(better + place_among(document, cosine, known, reader), cosine)


def yardstick(_question: Question, reader: Reader) -> Yardstick | None:
    """Cosines by one and the same embedder compare as they are."""
    maker = reader.store.embedder
    return Yardstick(maker.identity) if maker is not None else None


ORACLE = Oracle("semantic", "sem", "Semantic", WEIGHT, SCORE_TYPE, consult, matches, stand, yardstick)

"""Retrieve the documents whose vectors are nearest to that of a query.

Which documents mean what the question means? Reads the vectors; silent where no document is near.

The raw score is the cosine of the question's and the document's vectors, from -1 to 1. Knowledge takes the rank of the
place where it would stand: the ranks of code and documents are what they would be without.
"""

from __future__ import annotations

from collections.abc import Sequence

from scry.core.knowledge import is_knowledge
from scry.core.types import DocumentHeader, OracleMatch, SearchQuery
from scry.embedding.embedder import Vectors
from scry.oracles.oracle import (
    RETRIEVAL_DEPTH,
    DocScores,
    Oracle,
    OracleReader,
    RankLookup,
    ScoreScale,
    min_score_in_depth,
    rank_in_scores,
    rank_notes_among_others,
)
from scry.store.history.commits import is_commit_key
from scry.store.vector_sets import EmbedderInfo, EmbedderMismatch

WEIGHT = 1.5
"""Above words' 1.0: where a question shares no word with its answer, every vote by words points elsewhere
(docs/decisions.md, 49)."""

SCORE_TYPE = "cosine"

MIN_COSINE = 0.15
"""Below this cosine there is no vote: with the bundled model one unrelated passage in fifteen reaches it by chance, and
one right answer in forty lies below (docs/decisions.md, 32). Other models have other ranges (with some, all texts lie
above 0.7): there it cuts little, and the votes' depth does."""

_NEAREST_MARGIN = 56


def consult(question: SearchQuery, reader: OracleReader) -> tuple[OracleMatch, ...]:
    """Votes by cosine; equal ones stand in the order of doc_id."""
    try:
        near = _find_nearest(question, reader)
    except EmbedderMismatch:  # another model's vectors took over while the question was encoded
        near = _find_nearest(question, reader)
    documents = reader.headers([number for number, _ in near])
    ranked = sorted((-cosine, documents[n].doc_id, n) for n, cosine in near if n in documents)
    votes = [
        OracleMatch(number, rank, -cosine, SCORE_TYPE)
        for rank, (cosine, _, number) in enumerate(ranked[:RETRIEVAL_DEPTH], 1)
    ]
    return (*votes, *_retrieve_knowledge(question, [-cosine for cosine, _, _ in ranked], reader))


def _find_nearest(question: SearchQuery, reader: OracleReader) -> DocScores:
    """What is near of code and documents."""
    encoded = reader.query_vector(question)
    return [] if encoded is None else _nearest_in_code(*encoded, reader)


def _retrieve_knowledge(question: SearchQuery, cosines: Sequence[float], reader: OracleReader) -> list[OracleMatch]:
    """cosines: of code and documents, best first."""
    encoded = reader.query_vector(question) if reader.knowledge is not None else None
    if reader.knowledge is None or encoded is None:
        return []
    maker, query = encoded
    near = reader.knowledge.search_vectors(maker.identity, query, reader.knowledge_filter)
    found = near.with_min_score(max(MIN_COSINE, min_score_in_depth(cosines)))
    return rank_notes_among_others(found, cosines, SCORE_TYPE, reader.knowledge)


def _nearest_in_code(maker: EmbedderInfo, query: Vectors, reader: OracleReader) -> DocScores:
    """The nearest above the floor down to the depth, with all that equal the last one."""
    limit = RETRIEVAL_DEPTH + _NEAREST_MARGIN
    while True:
        near = reader.store.vectors.nearest(maker.identity, query, limit, reader.file_ids)
        wanted = [(number, cosine) for number, cosine in near if cosine >= MIN_COSINE]
        documents = reader.headers([number for number, _ in wanted])
        alive = [cosine for number, cosine in wanted if number in documents]
        if len(wanted) < limit or (len(alive) >= RETRIEVAL_DEPTH and alive[-1] < alive[RETRIEVAL_DEPTH - 1]):
            return wanted
        limit *= 4  # many of the nearest are of deleted documents, or equal


def matched_terms(_question: SearchQuery, _reader: OracleReader, _numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """None: meaning matches as a whole; `why` splits it into shares."""
    return {}


def lookup_rank(question: SearchQuery, reader: OracleReader, document: DocumentHeader) -> RankLookup:
    """Its place by cosine, above the floor."""
    words = " ".join((question.words, *question.phrases))
    maker = reader.store.vectors.embedder
    if not words:
        return RankLookup(note="the question has no words to compare")
    if is_commit_key(document.doc_key):
        return RankLookup(note="commits have no vectors")
    if maker is None:
        return RankLookup(note="there are no vectors yet")
    _, query = reader.query_vector(question) or (maker, reader.encode_query(maker, words))
    if is_knowledge(document.doc_key):
        return _lookup_knowledge_rank(maker, query, reader, document)
    cosine = reader.store.vectors.cosine_of(maker.identity, query, document.doc_key)
    if cosine is None:
        return RankLookup(note="it has no vector yet")
    if cosine < MIN_COSINE:
        return RankLookup(note=f"its cosine of {cosine:.2f} lies below the floor of {MIN_COSINE}")
    nearer = reader.store.vectors.above_cosine(maker.identity, query, cosine, reader.file_ids)
    return RankLookup(rank_in_scores(document, cosine, nearer, reader), cosine)


def _lookup_knowledge_rank(
    maker: EmbedderInfo, query: Vectors, reader: OracleReader, document: DocumentHeader
) -> RankLookup:
    found = (
        reader.knowledge.search_vectors(maker.identity, query, reader.knowledge_filter) if reader.knowledge else None
    )
    cosine = found.score_of(document.doc_key) if found else None
    if found is None or cosine is None:
        return RankLookup(note="it has no vector yet")
    if cosine < MIN_COSINE:
        return RankLookup(note=f"its cosine of {cosine:.2f} lies below the floor of {MIN_COSINE}")
    nearer = reader.store.vectors.above_cosine(maker.identity, query, cosine, reader.file_ids)
    better = reader.count_existing([number for number, other in nearer if other > cosine])
    known = found.with_min_score(cosine).as_pairs()
    return RankLookup(better + rank_in_scores(document, cosine, known, reader), cosine)


def score_scale(_question: SearchQuery, reader: OracleReader) -> ScoreScale | None:
    """Cosines by one and the same embedder compare as they are."""
    maker = reader.store.vectors.embedder
    return ScoreScale(maker.identity) if maker is not None else None


ORACLE = Oracle("semantic", "sem", "Semantic", WEIGHT, SCORE_TYPE, consult, matched_terms, lookup_rank, score_scale)
